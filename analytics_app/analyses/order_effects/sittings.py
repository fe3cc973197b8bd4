"""Ratings in the order in which they were given, and regressions on that order."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analytics_app.analyses.base import Question, QuestionCriterion, Sample
from analytics_app.analyses.shared.outputs import EQUAL_STEPS
from analytics_app.analyses.shared.rated_texts import outcome_of
from analytics_app.ratings import Floats, Mask, Table
from analytics_app.ratings.extras.screens import Screens
from analytics_app.stats.comparison.within import Within, effects_within
from tasks_app.task_types.base import Outcome, Scale

LOGS = "Of natural logarithms: 0.1 is about 10 % more."
# With more labels than this, there are no rows for each label.
LABELS = 10


@dataclass(frozen=True, slots=True)
class Answers:
    """The ratings on one criterion of a task, with the place of each in its rater's sitting and on its screen.

    `values` are numbers, magnitudes as logarithms, NaN where the answer is a label; `labels` codes of words, -1 none.
    `sitting` counts a rater's units of the task from 0, `units` how many of them there are. `place` is that of the
    text on the screen, `asked_at` that of the criterion among those asked, from 0, -1 unknown. `chosen` is the place
    that an answer names, and `n_places` how many there are to choose from.
    """

    key: str | None
    table: Table
    text: NDArray[np.int64]
    values: Floats
    labels: NDArray[np.int32]
    sitting: NDArray[np.int64]
    units: NDArray[np.int64]
    place: NDArray[np.int32]
    asked_at: NDArray[np.int32]
    chosen: NDArray[np.int64]
    n_places: int
    note: str | None

    @property
    def rater(self) -> NDArray[np.int64]:
        """Return the codes of raters."""
        return self.table.rater.astype(np.int64)

    @property
    def is_held_together(self) -> bool:
        """Return whether all screens have the same mean by construction, as with ranks."""
        sums = np.bincount(self.table.judgment, weights=np.nan_to_num(self.values))
        times = np.bincount(self.table.judgment, weights=~np.isnan(self.values))
        means = sums[times > 0] / times[times > 0]
        return bool(len(means) and np.ptp(means) <= 1e-9 * max(1.0, float(np.abs(means).max())))

    @property
    def is_chosen_among(self) -> bool:
        """Return whether the texts of a screen compete for labels, so that every screen has them equally often."""
        labelled = self.labels >= 0
        if not labelled.any() or not (self.place >= 0).any():
            return False
        _judged, at = np.unique(self.table.judgment[labelled], return_inverse=True)
        n = int(at.max()) + 1
        table = np.bincount(self.labels[labelled].astype(np.int64) * n + at, minlength=n)
        counts = table[: len(table) // n * n].reshape(-1, n)
        return bool((np.ptp(counts, axis=1) == 0).all())

    def outcomes(self) -> Iterator[tuple[str | None, Floats]]:
        """Yield the outcomes that order may affect: the values, or for each label whether it was given."""
        if not np.isnan(self.values).all():
            yield None, self.values
        elif not (self.chosen >= 0).any():
            codes = np.unique(self.labels[self.labels >= 0])
            for code in codes.tolist() if len(codes) <= LABELS else ():
                yield self.table.names.labels[code], np.where(self.labels < 0, np.nan, self.labels == code)


def answers(sample: Sample) -> Iterator[Answers]:
    """Yield the answers to each criterion of a task."""
    table, screens = sample.table, sample.extras[Screens]
    sitting, units = sittings(table)
    place, asked_at = screens.places(table), screens.criterion_places(table)
    criteria: tuple[QuestionCriterion | None, ...] = sample.question.criteria or (None,)
    for criterion in criteria:
        of_criterion = table.criterion == (criterion.code if criterion is not None else -1)
        if not of_criterion.any() or (criterion is not None and criterion.code < 0):
            continue
        yield _of(
            sample.question, criterion, table.where(of_criterion), (sitting, units, place, asked_at), of_criterion
        )


def _of(
    question: Question,
    criterion: QuestionCriterion | None,
    table: Table,
    columns: tuple[NDArray[Any], ...],
    of_criterion: Mask,
) -> Answers:
    scale = criterion.scale if criterion is not None else question.scale
    key = criterion.key if criterion is not None else None
    sitting, units, place, asked_at = (column[of_criterion] for column in columns)
    values, note = table.value, EQUAL_STEPS if scale is Scale.ORDINAL else None
    if scale is Scale.RATIO and np.nanmin(values, initial=np.inf) > 0:
        values, note = np.log(values), LOGS
    declared = outcome_of(Question(question.task, question.task_type, scale, key, params=question.params))
    chosen, n_places = _chosen(table, declared)
    return Answers(key, table, table.text, values, table.label, sitting, units, place, asked_at, chosen, n_places, note)


def _chosen(table: Table, declared: Outcome | None) -> tuple[NDArray[np.int64], int]:
    """Return the place that each answer names, from 0, and the number of places."""
    none = np.full(len(table), -1, dtype=np.int64)
    if declared is not None and declared.by_place:
        words = table.names.labels
        places = np.array([int(word) - 1 if word.isdecimal() else -1 for word in words] or [-1], dtype=np.int64)
        chosen = np.where(table.label >= 0, places[table.label], -1)
        return chosen, max(3, int(chosen.max(initial=-1)) + 1)
    pairs = table.part_b >= 0
    if pairs.any():
        # The side of the chosen text, 1 or 2; 0 for no choice.
        return np.where(pairs & np.isin(table.shown, (1.0, 2.0)), np.nan_to_num(table.shown) - 1, -1).astype(
            np.int64
        ), 2
    return none, 0


def sittings(table: Table) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the place of each rating's unit among its rater's units, from 0, and the number of these units."""
    judged = np.unique(table.judgment)
    rater = table.judgments.rater[judged].astype(np.int64)
    order = np.lexsort((table.judgments.id[judged], table.judgments.order[judged], rater))
    starts = np.flatnonzero(np.r_[True, np.diff(rater[order]) != 0]) if len(judged) else np.zeros(0, dtype=np.int64)
    sizes = np.diff(np.r_[starts, len(judged)])
    place = np.empty(len(judged), dtype=np.int64)
    place[order] = np.arange(len(judged)) - np.repeat(starts, sizes)
    units = np.empty(len(judged), dtype=np.int64)
    units[order] = np.repeat(sizes, sizes)
    at = np.searchsorted(judged, table.judgment)
    return place[at], units[at]


def fitted(answers: Answers, values: Floats, regressors: Floats) -> tuple[Within, str] | None:
    """Fit within texts and raters, or within raters if texts were rated once; None if neither is possible."""
    for groupings, within in (((answers.text, answers.rater), "texts and raters"), ((answers.rater,), "raters")):
        fit = effects_within(values, regressors, groupings, answers.rater)
        if fit is not None:
            return fit, within
    return None
