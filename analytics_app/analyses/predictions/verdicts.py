"""Verdicts on predictions as arrays: of each prediction, of each answer, and of two models in one answer."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from analytics_app.analyses.base import Sample
from analytics_app.analyses.labels.shares import ByOutput
from analytics_app.analyses.shared.pairs import clusters_of, unit_of
from analytics_app.ratings import Mask, Names, Table
from tasks_app.task_types.labels.options import NONE
from tasks_app.task_types.predictions import RIGHT, WRONG
from tasks_app.task_types.predictions.form import CANNOT_TELL, RIGHT_OPTION, WRONG_TEXT

# The kinds of an answer, and the outcomes of two models in an answer, by code.
ANSWERS = ("all_right", "some_right", "none_right", CANNOT_TELL, WRONG_TEXT)
OUTCOMES = ("both", "first", "second", "neither")


@dataclass(frozen=True, slots=True)
class Verdicts:
    """The verdicts on predictions: arrays of shape (n,), and of shape (n_answers,) of the answers they belong to.

    `text` is the prediction that was shown, `judgment` the answer. `answer` is the kind of each answer, a code into
    `ANSWERS`, and `cluster` its item, or its document where documents were shown whole.
    """

    text: NDArray[np.int64]
    judgment: NDArray[np.int64]
    rater: NDArray[np.int64]
    is_right: Mask
    is_judged: Mask
    answer: NDArray[np.int64]
    cluster: NDArray[np.int64]
    unit: str

    def where(self, mask: Mask) -> Verdicts:
        """Return the verdicts in a mask; the answers stay whole."""
        columns = ("text", "judgment", "rater", "is_right", "is_judged")
        return replace(self, **{name: getattr(self, name)[mask] for name in columns})


def verdicts_of(sample: Sample, key: str) -> Verdicts:
    """Return the verdicts of a sample on the question with this key."""
    table, names = sample.table, sample.table.names
    of_question = np.isin(table.label, _codes(names, RIGHT, WRONG, CANNOT_TELL, WRONG_TEXT))
    of_question &= table.criterion == next((one.code for one in sample.question.criteria if one.key == key), -2)
    table = table.where(of_question)
    known, first, place = np.unique(table.judgment, return_index=True, return_inverse=True)
    is_right, is_wrong, cannot_tell = (
        np.isin(table.label, _codes(names, word)) for word in (RIGHT, WRONG, CANNOT_TELL)
    )
    n_right, n_wrong, n_untold = (
        np.bincount(place, weights=mask, minlength=len(known)) for mask in (is_right, is_wrong, cannot_tell)
    )
    kinds = np.select([(n_right > 0) & (n_wrong == 0), n_right > 0, n_wrong > 0, n_untold > 0], [0, 1, 2, 3], default=4)
    return Verdicts(
        text=table.text,
        judgment=table.judgment.astype(np.int64),
        rater=table.rater.astype(np.int64),
        is_right=is_right,
        is_judged=is_right | is_wrong,
        answer=kinds.astype(np.int64),
        cluster=_clusters(sample, table)[first],
        unit=unit_of(sample),
    )


def outcomes_of(judged: Verdicts, outputs: ByOutput, a: int, b: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the outcome of two models in each answer about both, a code into `OUTCOMES`, and its cluster.

    A model with several predictions for an item has none where these are not all right or all wrong.
    """
    answers, answer = np.unique(judged.judgment[outputs.entry], return_inverse=True)
    of_both = np.full((len(answers), 2), np.nan)
    cluster = np.zeros(len(answers), dtype=np.int64)
    cluster[answer] = outputs.cluster
    for column, system in enumerate((a, b)):
        mine = outputs.system == system
        n = np.bincount(answer[mine], minlength=len(answers))
        right = np.bincount(answer[mine], weights=judged.is_right[outputs.entry][mine], minlength=len(answers))
        is_clear = (n > 0) & ((right == 0) | (right == n))
        of_both[is_clear, column] = right[is_clear] > 0
    compared = ~np.isnan(of_both).any(axis=1)
    first, second = of_both[compared].T == 1
    outcome = np.select([first & second, first, second], [0, 1, 2], default=3)
    return outcome.astype(np.int64), cluster[compared]


def covered(sample: Sample) -> tuple[Mask, NDArray[np.int64], str]:
    """Return for each answer with a right option whether the item offers it, its cluster, and the unit of clusters."""
    table = sample.table
    code = next((one.code for one in sample.question.criteria if one.key == RIGHT_OPTION), -2)
    table = table.where((table.criterion == code) & (table.number == 1))
    return ~np.isin(table.label, _codes(table.names, NONE)), _clusters(sample, table), unit_of(sample)


def _clusters(sample: Sample, table: Table) -> NDArray[np.int64]:
    names = table.names
    items = names.item_of_unit[table.unit]
    return clusters_of(names, by_document=sample.question.by_document)[items]


def _codes(names: Names, *words: str) -> list[int]:
    """Return the codes of labels; -2, which no rating has, for those that nobody gave."""
    return [names.labels.index(word) if word in names.labels else -2 for word in words]
