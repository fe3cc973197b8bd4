"""The sentences below a table: what rows have to say about their numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from analytics_app.models import ResultRow
from analytics_app.show import labels

# Sentences of a table; more would not be read.
MOST_NOTES = 12
NAMED = 4


def notes_of(rows: Iterable[ResultRow]) -> list[str]:
    """Return the sentences of rows, each once, with what they are about."""
    about: dict[str, dict[str, list[str]]] = {}
    total: Counter[str] = Counter()
    for row in rows:
        total[row.statistic] += 1
        if row.note:
            who = " – ".join(filter(None, (row.slice, row.system, row.system_b, row.label)))
            about.setdefault(row.note, {}).setdefault(row.statistic, []).append(who)
    said = []
    for note, statistics in about.items():
        what = "; ".join(_with_names(name, names, total[name]) for name, names in statistics.items())
        said.append(f"{note} ({what})")
    return said[:MOST_NOTES]


def _with_names(statistic: str, names: Sequence[str], rows: int) -> str:
    """Name a statistic, and whom a sentence is about where it is not about all of its rows."""
    named = [name for name in dict.fromkeys(names) if name]
    label = labels.statistic(statistic)
    if not named or len(named) > NAMED or len(names) == rows > 1:
        return label
    return f"{label}: {', '.join(named)}"


def left_out(n: int, sentence: str) -> list[str]:
    """Say how many more there are than a table shows; nothing where it shows all."""
    return [sentence % {"n": n}] if n > 0 else []
