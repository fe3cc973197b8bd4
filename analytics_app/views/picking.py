"""Select the rows of one criterion."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property

from analytics_app.models import ResultRow
from analytics_app.views import words

# What the tables of systems and pairs show.
OF_SYSTEMS = ("mean", "mean_over_raters", "mean_z", "mean_z_over_raters", "median", "sd", "share")
OF_PAIRS = (
    "difference",
    "difference_z",
    "difference_over_raters",
    "wilcoxon",
    "superiority",
    "effect_size",
    "effect_size_z",
)
# Sentences of a table; more would not be read.
MOST_NOTES = 12
NAMED = 4


class Question:
    """The rows of one criterion; those of slices and groups stand apart in `rest`."""

    def __init__(self, rows: Sequence[ResultRow]) -> None:
        self.rows = rows
        self._whole = [row for row in rows if not (row.slice or row.group or row.wave or row.metric)]
        self._found: dict[tuple[str, str, str | None, str | None, str | None], ResultRow] = {}
        for row in self._whole:
            self._found.setdefault((row.statistic, row.basis, row.system, row.system_b, row.label), row)

    @cached_property
    def both(self) -> bool:
        """Whether rules took something, so that there are rows before them; what is after them may be nothing."""
        return any(row.basis == "all" for row in self._whole)

    @property
    def kept(self) -> list[ResultRow]:
        """The rows that the page shows first: after the rules."""
        return [row for row in self._whole if row.basis == "kept"]

    def has(self, *statistics: str) -> bool:
        """Say whether there is a row of one of these statistics."""
        return any(row.statistic in statistics for row in self._whole)

    def first(
        self,
        statistic: str,
        system: str | None = None,
        system_b: str | None = None,
        *,
        label: str | None = None,
        basis: str = "kept",
    ) -> ResultRow | None:
        """Return the row of a statistic."""
        return self._found.get((statistic, basis, system, system_b, label))

    @cached_property
    def systems(self) -> list[str]:
        """The systems, the one with the highest mean first, those without one last."""
        names = dict.fromkeys(str(row.system) for row in self._whole if row.statistic in OF_SYSTEMS and row.system)
        return sorted(names, key=self._place)

    @cached_property
    def pairs(self) -> list[tuple[str, str]]:
        """The pairs of systems, in the order of the document."""
        found = ((str(row.system), str(row.system_b)) for row in self._whole if row.system and row.system_b)
        return list(dict.fromkeys(found))

    @cached_property
    def steps(self) -> list[str]:
        """The steps of the scale, where there are shares."""
        return list(dict.fromkeys(str(row.label) for row in self._whole if row.statistic == "share"))

    @property
    def rest(self) -> list[ResultRow]:
        """Rows without a place of their own: slices and groups, and statistics that no table knows."""
        placed = (*OF_SYSTEMS, *OF_PAIRS, "distribution", "rater_mean", "rater_sd")
        return [row for row in self.rows if row.slice or row.group or row.wave or row.statistic not in placed]

    def _place(self, system: str) -> float:
        row = self.first("mean", system)
        return -row.value if row is not None and row.value is not None else float("inf")


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
        what = "; ".join(_with_names(one, names, total[one]) for one, names in statistics.items())
        said.append(f"{note} ({what})")
    return said[:MOST_NOTES]


def _with_names(statistic: str, names: Sequence[str], rows: int) -> str:
    """Name a statistic, and whom a sentence is about where it is not about all of its rows."""
    named = [name for name in dict.fromkeys(names) if name]
    label = words.statistic(statistic)
    if not named or len(named) > NAMED or len(names) == rows > 1:
        return label
    return f"{label}: {', '.join(named)}"
