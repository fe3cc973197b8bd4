"""Ratings on many scales as a table: a row for each rater and text, a column for each scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analytics_app.analyses.base import Question, QuestionCriterion, Sample
from analytics_app.ratings import Floats, Mask
from tasks_app.task_types.base import ORDERED_SCALES
from tasks_app.task_types.questionnaire.panas import PREFIX, WORDS


@dataclass(frozen=True, slots=True)
class Complete:
    """The rows without missing values: `values` (n, p); `first` is the first rating of each in the table.

    `text` and `rater` are the codes of the text and rater of each row; `incomplete` counts the rows left out.
    """

    scales: tuple[QuestionCriterion, ...]
    values: Floats
    first: NDArray[np.int64]
    text: NDArray[np.int64]
    rater: NDArray[np.int64]
    incomplete: int

    def without(self, columns: Sequence[int]) -> Complete:
        """Return the same rows without some scales."""
        stay = [place for place in range(len(self.scales)) if place not in set(columns)]
        scales = tuple(self.scales[place] for place in stay)
        return Complete(scales, self.values[:, stay], self.first, self.text, self.rater, self.incomplete)

    def text_means(self) -> Floats:
        """Return the mean of each text on each scale, (texts, p)."""
        _texts, place = np.unique(self.text, return_inverse=True)
        return _means(self.values, place)

    def centred(self) -> Floats:
        """Return the values less the mean of their rater on each scale, without raters of one row, (rows, p)."""
        _raters, place, times = np.unique(self.rater, return_inverse=True, return_counts=True)
        several = times[place] > 1
        values: Floats = (self.values - _means(self.values, place)[place])[several]
        return values


def _means(values: Floats, place: NDArray[np.intp]) -> Floats:
    n = int(place.max()) + 1 if len(place) else 0
    sums = np.column_stack([np.bincount(place, weights=column, minlength=n) for column in values.T])
    means: Floats = sums / np.bincount(place, minlength=n)[:, np.newaxis]
    return means


def scales_of(question: Question, names: Sequence[str]) -> tuple[QuestionCriterion, ...]:
    """Return the scales to analyse: those named, else every pair of words, or the words of PANAS.

    For another questionnaire, they are the largest group of questions with the same steps.
    """
    known = [criterion for criterion in question.criteria if criterion.scale in ORDERED_SCALES]
    if names:
        return tuple(criterion for criterion in known if criterion.key in set(names))
    panas = [
        criterion
        for criterion in known
        if criterion.key.startswith(PREFIX) and criterion.key.removeprefix(PREFIX) in WORDS
    ]
    if panas:
        return tuple(panas)
    alike: dict[object, list[QuestionCriterion]] = {}
    for criterion in known:
        alike.setdefault((criterion.domain, criterion.limits), []).append(criterion)
    largest: list[QuestionCriterion] = sorted(alike.values(), key=len)[-1] if alike else []
    return tuple(largest)


def complete_rows(sample: Sample, scales: tuple[QuestionCriterion, ...]) -> Complete:
    """Return the ratings of each judgment and text on some scales; of several ratings of one text the first counts."""
    table = sample.table
    place = np.full(len(table.names.criteria) + 1, -1, dtype=np.int64)
    for number, scale in enumerate(scales):
        place[scale.code] = number
    # The code -1 (no criterion) is the index of the last place, which stays -1.
    rated = (place[table.criterion] >= 0) & ~np.isnan(table.value)
    where = np.flatnonzero(rated)
    keys = table.judgment[where].astype(np.int64) * (len(table.names.part_ids) + 1) + table.part[where] + 1
    _keys, first, row = np.unique(keys, return_index=True, return_inverse=True)
    cells = np.full((len(first), len(scales)), np.nan)
    cells[row[::-1], place[table.criterion[where]][::-1]] = table.value[where][::-1]
    complete: Mask = ~np.isnan(cells).any(axis=1) if len(scales) else np.zeros(len(first), dtype=bool)
    one_each = where[first[complete]]
    return Complete(
        scales,
        cells[complete],
        one_each,
        table.text[one_each],
        table.rater[one_each].astype(np.int64),
        int((~complete).sum()),
    )
