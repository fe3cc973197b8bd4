"""Shares of systems, or other values of several columns, compared with raters and texts both random."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analytics_app.analyses.base import Rows, Sample
from analytics_app.analyses.shared.crossed import IN_WORDS, ONE_ITEM, ONE_RATER, kept_fit, settings_of, test_of
from analytics_app.analyses.shared.pairs import names_of
from analytics_app.ratings import Mask
from analytics_app.results import TO_RATERS_AND_TEXTS, Row
from analytics_app.stats.comparison.corrections import adjust
from analytics_app.stats.mixed.crossed import compare_crossed
from analytics_app.stats.mixed.results import NOTHING, CrossedComparison, CrossedPair
from analytics_app.stats.mixed.shares import compare_shares
from analytics_app.stats.values import joined

EXACT = "answers about both systems that share no rater and no text"


@dataclass(frozen=True, slots=True)
class Answered:
    """Values of outputs, one line for every output that an answer of a rater counts for.

    `values` has a column for each label, or the like: numbers with NaN where a line has no value, or true and false.
    `document` is None where intervals are over items.
    """

    values: NDArray[Any]
    system: NDArray[Any]
    item: NDArray[Any]
    rater: NDArray[Any]
    document: NDArray[Any] | None
    systems: tuple[str, ...]

    def counts(self, column: int) -> list[dict[str, int]]:
        """Return the numbers of ratings, items and raters of each system in a column."""
        masks = (self.rated[:, column] & (self.system == code) for code in range(len(self.systems)))
        return [
            {
                "n_ratings": int(mask.sum()),
                "n_items": len(np.unique(self.item[mask])),
                "n_raters": len(np.unique(self.rater[mask])),
            }
            for mask in masks
        ]

    @property
    def rated(self) -> Mask:
        """Return a mask of the values that are there, of the shape of `values`."""
        if self.values.dtype == bool:
            return np.ones_like(self.values)
        known: Mask = ~np.isnan(self.values)
        return known

    @property
    def refusal(self) -> str | None:
        """Return why further raters, or further texts, cannot be spoken of; None if they can."""
        rated = self.rated.any(axis=1)
        if len(np.unique(self.rater[rated])) < 2:
            return ONE_RATER
        return ONE_ITEM if len(np.unique(self.item[rated])) < 2 else None


@dataclass(frozen=True, slots=True)
class Columns:
    """The meaning of the columns of `Answered`, and the names of their rows.

    `level` and `difference` are statistics, `labels` the labels of the columns, `of` names the family of tests, such as
    "pairs and labels of one criterion", and `settings` are those of a column's rows. With `shares` values are from 0 to
    1. `note` is said of every row, and `none` where a column has no value.
    """

    level: str
    difference: str
    labels: Sequence[str | None]
    of: str
    settings: Sequence[dict[str, Any]] = ()
    criterion: str | None = None
    shares: bool = True
    note: str | None = None
    none: str = NOTHING

    def settings_of(self, column: int) -> dict[str, Any]:
        """Return the settings of the rows of a column."""
        return dict(self.settings[column]) if self.settings else {}


def crossed_columns(
    make: Rows, answered: Answered, columns: Columns, pairs: Sequence[tuple[int, int]]
) -> Iterator[Row]:
    """Yield the rows of systems, then those of pairs, for further raters and further texts.

    p values are adjusted over all pairs and columns. With one rater, or one text, the rows of pairs have no value, and
    say why.
    """
    rated = answered.rated
    if reason := answered.refusal if rated.any() else columns.none:
        for column, label in enumerate(columns.labels):
            for a, b in pairs:
                yield make.row(
                    columns.difference,
                    **names_of(answered.systems, a, b),
                    criterion=columns.criterion,
                    label=label,
                    note=reason,
                    settings=columns.settings_of(column) or None,
                )
        return
    comparisons = _compared(make.sample, answered, columns, pairs)
    counts: list[dict[str, int]] = []
    for column, comparison in enumerate(comparisons):
        if not column or (rated[:, column] != rated[:, column - 1]).any():
            counts = answered.counts(column)
        yield from _levels(make, answered, columns, column, comparison, counts)
    yield from _pairs(make, answered, columns, comparisons)


def _compared(
    sample: Sample, answered: Answered, columns: Columns, pairs: Sequence[tuple[int, int]]
) -> list[CrossedComparison]:
    """Return the comparison of each column."""
    compare: Callable[..., CrossedComparison] = compare_shares if columns.shares else compare_crossed
    confidence = sample.common.confidence

    def compute() -> list[CrossedComparison]:
        fit = partial(compare, n_systems=len(answered.systems), pairs=pairs, confidence=confidence)
        return [
            fit(column.astype(float), answered.system, answered.item, answered.rater, clusters=answered.document)
            for column in answered.values.T
        ]

    arrays = [answered.values, answered.system, answered.item, answered.rater]
    arrays += [] if answered.document is None else [answered.document]
    return kept_fit((compare.__name__, answered.systems, pairs, confidence), arrays, compute)


def _levels(
    make: Rows,
    answered: Answered,
    columns: Columns,
    column: int,
    comparison: CrossedComparison,
    counts: Sequence[dict[str, Any]],
) -> Iterator[Row]:
    about = {**columns.settings_of(column), **settings_of(comparison)}
    for code, mean in enumerate(comparison.means):
        own = replace(mean, n_ratings=None, n_items=None, n_raters=None)
        yield make.row(
            columns.level,
            own,
            system=answered.systems[code],
            criterion=columns.criterion,
            label=columns.labels[column],
            settings=about,
            note=_note(comparison, mean.note, columns),
            **counts[code],
        )


def _pairs(make: Rows, answered: Answered, columns: Columns, comparisons: Sequence[CrossedComparison]) -> Iterator[Row]:
    tests = [(column, pair) for column, comparison in enumerate(comparisons) for pair in comparison.pairs]
    correction = make.sample.common.correction
    adjusted = adjust([pair.difference.p for _column, pair in tests], correction)
    family = {"correction": correction, "family": f"{len(tests)} {columns.of}"}
    for (column, pair), p in zip(tests, adjusted, strict=True):
        comparison = comparisons[column]
        yield make.row(
            columns.difference,
            pair.difference,
            **names_of(answered.systems, pair.a, pair.b),
            criterion=columns.criterion,
            label=columns.labels[column],
            p_adjusted=p,
            settings={**columns.settings_of(column), **_method(comparison, pair), **family},
            note=_note(comparison, pair.difference.note, columns),
        )


def _method(comparison: CrossedComparison, pair: CrossedPair) -> dict[str, Any]:
    difference = pair.difference
    if difference.p is not None and difference.df is None and difference.low is not None:
        return {
            "method": "exact",
            "interval": f"Clopper-Pearson, of {EXACT}",
            "test": f"exact sign test of {EXACT}",
            "generalises_to": TO_RATERS_AND_TEXTS,
        }
    return {**settings_of(comparison), "test": test_of(comparison)}


def _note(comparison: CrossedComparison, own: str | None, columns: Columns) -> str | None:
    """Return the note of a row; variances estimated as 0 are in the settings of each column alone."""
    if own == NOTHING:
        return columns.none
    of_all = None if comparison.note is not None and own is not None else comparison.note
    left_out = (f"Without {IN_WORDS[name]}: {reason}" for name, reason in comparison.left_out.items())
    return joined(columns.note, own, of_all, *left_out)
