"""The fates of the marks that texts came with, for each text as a rater saw it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from analytics_app.analyses.base import Sample
from analytics_app.analyses.error_spans.looks import marks_of, severities_of
from analytics_app.ratings import Floats
from analytics_app.ratings.extras.given_marks import ORIGINS, GivenMarks
from analytics_app.ratings.extras.spans import Spans
from analytics_app.ratings.table import Coding

# What becomes of a given mark, with the statistics of systems and of raters.
FATES = ("kept", "changed", "removed")

# The counts of given, kept, changed and own marks of each look, by these names.
Counts: TypeAlias = Mapping[str, NDArray[np.int64]]


@dataclass(frozen=True, slots=True)
class Fates:
    """The looks at texts that came with marks, as columns of equal length.

    `look` is the place of the look among all looks, `rater` a code of the table's names, `shown` the place of the list
    of marks that the text came with. `given`, `kept`, `changed` and `removed` count marks of the list, `own` those that
    the rater added. `seconds` are the active seconds of the look, NaN where unknown: those of an answer to several
    texts are shared equally. `unknown` counts the marks in these texts of which nobody knows the origin.

    `by_label` has the same counts for each severity, by its name.
    """

    look: NDArray[np.int64]
    rater: NDArray[np.int32]
    shown: NDArray[np.int64]
    given: NDArray[np.int64]
    kept: NDArray[np.int64]
    changed: NDArray[np.int64]
    removed: NDArray[np.int64]
    own: NDArray[np.int64]
    seconds: Floats
    n_looks: int
    unknown: int
    by_label: Mapping[str, Counts]

    @classmethod
    def of(cls, sample: Sample) -> Fates:
        """Return the looks of a sample, completed by `with_looks`, at texts that came with marks."""
        extra = sample.extras[GivenMarks]
        looks, rows, marks = marks_of(sample)
        shown = extra.list_of(looks.judgment, looks.part)
        place = Coding(extra.id)(rows.id)
        known = place >= 0
        origin = np.where(known, extra.origin[place], -1) if len(rows) and len(extra.id) else np.full(len(rows), -1)
        of = np.where(known, extra.of[place], 0) if len(rows) and len(extra.id) else np.zeros(len(rows), dtype=np.int64)
        chosen = np.flatnonzero(shown >= 0)
        lists = shown[chosen]
        # The severity of a kept or changed mark is that of the given one.
        first = np.searchsorted(extra.mark_list, np.arange(len(extra.list_part)))
        given_severity = _severity(extra, np.where(origin > 0, first[np.maximum(shown[marks.look], 0)] + of - 1, -1))
        own_severity = marks.severity.astype(np.int64)

        def counted(of_given: NDArray[np.bool_], of_own: NDArray[np.bool_], n: NDArray[np.int64]) -> Counts:
            counts = {
                name: np.bincount(
                    marks.look[(origin == code) & (of_own if name == "own" else of_given)], minlength=len(looks)
                )[chosen]
                for code, name in enumerate(ORIGINS)
            }
            return {"given": n, **counts, "removed": n - counts["kept"] - counts["changed"]}

        everything = np.ones(len(rows), dtype=bool)
        by_label: dict[str, Counts] = {}
        names = _severities(sample, extra)
        for name in names if len(names) > 1 else ():
            code = extra.severities.index(name) if name in extra.severities else -2
            own_names = sample.extras[Spans].severities
            own_code = own_names.index(name) if name in own_names else -2
            n = np.bincount(extra.mark_list[extra.mark_severity == code], minlength=len(extra.list_part))[lists]
            by_label[name] = counted(given_severity == code, own_severity == own_code, n.astype(np.int64))
        texts_of_answer = np.bincount(looks.judgment, minlength=len(looks.judgments.seconds))
        seconds = looks.judgments.seconds[looks.judgment] / texts_of_answer[looks.judgment]
        unknown = np.bincount(marks.look[origin < 0], minlength=len(looks))[chosen]
        return cls(
            look=chosen, rater=looks.rater[chosen], shown=lists,
            **counted(everything, everything, extra.n_marks[lists]),
            seconds=seconds[chosen], n_looks=len(looks), unknown=int(unknown.sum()), by_label=by_label,
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.look)

    @property
    def total(self) -> NDArray[np.int64]:
        """The number of marks that each look left in its text."""
        return self.kept + self.changed + self.own

    def by_severity(self) -> Iterator[tuple[Fates, str | None]]:
        """Yield the fates of all marks, and those of each severity with its name."""
        yield self, None
        for name, counts in self.by_label.items():
            columns: dict[str, Any] = dict(counts)
            yield replace(self, **columns), name


def _severities(sample: Sample, extra: GivenMarks) -> list[str]:
    """Return the severities of stored marks, from minor to major, and then those that only given marks have."""
    _place, names = severities_of(sample)
    return [*names, *(name for name in extra.severities if name not in names)]


def _severity(extra: GivenMarks, mark: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the severity of given marks by their places; -1 for none."""
    if not len(extra.mark_severity):
        return np.full(len(mark), -1, dtype=np.int64)
    known = (mark >= 0) & (mark < len(extra.mark_severity))
    return np.where(known, extra.mark_severity[np.where(known, mark, 0)], -1)
