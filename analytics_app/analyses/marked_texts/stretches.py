"""Stretches of marked errors in the texts of each system with most marks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analytics_app.analyses.base import Sample
from analytics_app.analyses.error_spans.looks import marks_of, severities_of
from analytics_app.ratings import Mask, Table
from analytics_app.ratings.extras.shown import Shown
from analytics_app.ratings.extras.spans import SIDES
from tasks_app.task_types.error_spans.marks import MISSING

# Limits of the texts that are shown: texts of one system, of all systems, and code points of a text, which pages show
# in full.
TEXTS_OF_A_SYSTEM, MOST_TEXTS, LONGEST = 3, 18, 1500

OUTPUT = SIDES.index("output")


@dataclass(frozen=True, slots=True)
class Placed:
    """Marks with a place in an output: part, rater, start, end and severity.

    `severity` is the place of a severity from minor to major, -1 for none.
    """

    part: NDArray[np.int64]
    rater: NDArray[np.int64]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    severity: NDArray[np.int64]

    def where(self, mask: Mask) -> Placed:
        """Return the marks in a mask."""
        return Placed(**{column.name: getattr(self, column.name)[mask] for column in fields(self)})


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of a text that the same raters marked throughout, perhaps none of them.

    `text` numbers the chosen texts from 1. `n_raters` of those who saw the text marked the stretch, `n_looked` saw it.
    `severities` counts raters by severity, from minor to major.
    """

    text: int
    system: str
    item: str
    start: int
    end: int
    words: str
    n_raters: int
    n_looked: int
    severities: dict[str, int]


@dataclass(frozen=True, slots=True)
class Marked:
    """The stretches of the chosen texts, the number of texts with marks, and the number too long to be shown."""

    stretches: list[Stretch]
    n_texts: int
    n_too_long: int


def marked(sample: Sample) -> Marked:
    """Return the stretches of the texts with most marks; the stretches of a text together are the whole text."""
    looks, placed = _placed(sample)
    texts = sample.extras[Shown].of_part
    n_marks = np.bincount(placed.part, minlength=len(texts))
    too_long = (n_marks > 0) & (np.array([len(text) for text in texts]) > LONGEST)
    chosen = _chosen(np.where(too_long, 0, n_marks), looks)
    stretches = [
        stretch for number, at in enumerate(chosen, start=1) for stretch in _of_text(number, at, sample, looks, placed)
    ]
    return Marked(stretches, int(np.count_nonzero(n_marks)), int(np.count_nonzero(too_long)))


def _of_text(number: int, at: int, sample: Sample, looks: Table, placed: Placed) -> Iterator[Stretch]:
    """Yield the stretches of an output; `at` is its place in `names.shown_part`."""
    names, part = looks.names, int(looks.names.shown_part[at])
    text, mine = sample.extras[Shown].of_part[part], placed.where(placed.part == part)
    n_looked = len(np.unique(looks.rater[looks.part == part]))
    _place, severities = severities_of(sample)
    for start, end in pairwise(_borders(text, mine)):
        inside = mine.where((mine.start <= start) & (mine.end >= end))
        yield Stretch(
            text=number,
            system=names.systems[names.shown_system[at]],
            item=names.items[names.shown_item[at]],
            start=start,
            end=end,
            words=text[start:end] or MISSING,
            n_raters=len(np.unique(inside.rater)),
            n_looked=n_looked,
            severities=_severities(inside, severities),
        )


def _placed(sample: Sample) -> tuple[Table, Placed]:
    """Return the texts as raters saw them, and the marks on outputs."""
    looks, rows, marks = marks_of(sample)
    place, _severities_there = severities_of(sample)
    known = np.array([*place, -1], dtype=np.int64)
    on_output = (marks.side == OUTPUT) & (marks.end > marks.start)
    columns: tuple[NDArray[Any], ...] = (rows.part, rows.rater, marks.start, marks.end, known[marks.severity])
    return looks, Placed(*(column[on_output].astype(np.int64) for column in columns))


def _chosen(n_marks: NDArray[np.int64], looks: Table) -> list[int]:
    """Return the outputs to show, as places in `names.shown_part`: system by system, most marks first."""
    names = looks.names
    marks = n_marks[names.shown_part]
    n_systems = max(1, len(np.unique(names.shown_system[marks > 0])))
    each = max(1, min(TEXTS_OF_A_SYSTEM, MOST_TEXTS // n_systems))
    per_system: Counter[int] = Counter()
    chosen: list[int] = []
    for at in np.argsort(-marks, kind="stable").tolist():
        system = int(names.shown_system[at])
        if marks[at] and per_system[system] < each and len(chosen) < MOST_TEXTS:
            per_system[system] += 1
            chosen.append(at)
    return sorted(chosen, key=lambda at: (int(names.shown_system[at]), -int(marks[at])))


def _borders(text: str, mine: Placed) -> list[int]:
    """Return the borders of the stretches of a text; the word [missing] is one character after the text."""
    last = len(text) + int((mine.end > len(text)).any())
    return sorted({0, len(text), last} | {at for at in (*mine.start.tolist(), *mine.end.tolist()) if at <= last})


def _severities(inside: Placed, severities: Sequence[str]) -> dict[str, int]:
    """Return the number of raters by the severity that they gave a stretch, from minor to major."""
    pairs = {(severity, rater) for severity, rater in zip(inside.severity.tolist(), inside.rater.tolist(), strict=True)}
    counted = Counter(severity for severity, _rater in pairs if severity >= 0)
    return {severities[severity]: counted[severity] for severity in sorted(counted)}
