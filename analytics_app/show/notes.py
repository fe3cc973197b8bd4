"""The sentences below a table, from the notes of its rows."""

from collections import Counter
from collections.abc import Iterable, Sequence

from analytics_app.models import ResultRow
from analytics_app.results import outdated_note
from analytics_app.show import labels
from analytics_app.stats.values import joined

# The most sentences below a table.
MOST_NOTES = 12
NAMED = 4


def notes_of(rows: Iterable[ResultRow]) -> list[str]:
    """Return the notes of rows, each once, with its statistics."""
    about: dict[str, dict[str, list[str]]] = {}
    total: Counter[str] = Counter()
    for row in rows:
        total[row.statistic] += 1
        note = joined(row.note, outdated_note(row.statistic, row.low, row.high, row.settings))
        if note:
            subject = " – ".join(filter(None, (row.slice, row.system, row.system_b, row.label)))
            about.setdefault(note, {}).setdefault(row.statistic, []).append(subject)
    sentences = []
    for note, statistics in about.items():
        subjects = "; ".join(_with_names(name, names, total[name]) for name, names in statistics.items())
        sentences.append(f"{note} ({subjects})")
    return sentences[:MOST_NOTES]


def _with_names(statistic: str, names: Sequence[str], rows: int) -> str:
    """Return the name of a statistic, with the systems or labels of a note that is not about all of its rows."""
    named = [name for name in dict.fromkeys(names) if name]
    label = labels.statistic(statistic)
    if not named or len(named) > NAMED or len(names) == rows > 1:
        return label
    return f"{label}: {', '.join(named)}"


def left_out(n: int, sentence: str) -> list[str]:
    """Return a sentence with the number of lines that a table leaves out; nothing if it shows all."""
    return [sentence % {"n": n}] if n > 0 else []
