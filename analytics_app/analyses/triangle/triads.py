"""Answers of a triangle test as columns: correctness, systems, order and position."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analytics_app.analyses.base import Sample
from analytics_app.analyses.shared.pairs import chosen_pairs, in_order
from analytics_app.ratings import Floats, Mask
from analytics_app.ratings.extras.orders import Orders

CORRECT, CHOICE, SURENESS = "correct", "odd-one-out", "sureness"


@dataclass(frozen=True, slots=True)
class Trials:
    """One entry for each judged triad: codes of rater and unit, correctness, order (-1 unknown), chosen position.

    `chosen` is from 1, 0 if unknown; `sure` is NaN if it was not asked or not answered.
    """

    rater: NDArray[np.int32]
    unit: NDArray[np.int32]
    right: Mask
    order: NDArray[np.int32]
    chosen: NDArray[np.int32]
    sure: Floats

    def __len__(self) -> int:
        return len(self.rater)

    def where(self, mask: Mask | NDArray[np.int64]) -> Trials:
        """Return the entries in a mask."""
        return replace(self, **{name: getattr(self, name)[mask] for name in self.__slots__})

    def first_of_each(self) -> Trials:
        """Return the first answer of each judge."""
        return self.where(np.sort(np.unique(self.rater, return_index=True)[1]))

    def per_judge(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the numbers of right answers and of all answers of each judge."""
        _codes, place = np.unique(self.rater, return_inverse=True)
        return np.bincount(place, weights=self.right).astype(np.int64), np.bincount(place)


def trials_of(sample: Sample) -> Trials:
    """Return the answers of a sample that are right or wrong, in the order they were given."""
    table = sample.table
    rows = _rows(sample, CORRECT)
    rows = rows[~np.isnan(table.value[rows])]
    rows = rows[np.argsort(table.id[rows], kind="stable")]
    judgment = table.judgment[rows]
    n = len(table.judgments.id)
    chosen, sure = np.zeros(n, dtype=np.int32), np.full(n, np.nan)
    picked = _rows(sample, CHOICE)
    picked = picked[table.label[picked] >= 0]
    chosen[table.judgment[picked]] = _positions(table.names.labels)[table.label[picked]]
    sure_rows = _rows(sample, SURENESS)
    sure[table.judgment[sure_rows]] = table.value[sure_rows]
    return Trials(
        rater=table.rater[rows],
        unit=table.unit[rows],
        right=table.value[rows] == 1,
        order=sample.extras[Orders].order[judgment],
        chosen=chosen[judgment],
        sure=sure[judgment],
    )


def _rows(sample: Sample, criterion: str) -> NDArray[np.int64]:
    codes = [candidate.code for candidate in sample.question.criteria if candidate.key == criterion]
    return np.flatnonzero(np.isin(sample.table.criterion, codes))


def _positions(labels: Sequence[str]) -> NDArray[np.int32]:
    return np.array([int(label) if label in {"1", "2", "3"} else 0 for label in labels] or [0], dtype=np.int32)


Pair = tuple[int, int]


def trials_of_pairs(sample: Sample, trials: Trials) -> dict[Pair, Trials]:
    """Return the answers about every two systems; a text that several systems produced counts for each.

    Parts of a unit alternate between the two systems. In orders, the letter A is the first system of the pair, which
    may be the second one on the screen.
    """
    names = sample.table.names
    place = np.arange(len(names.part_ids)) - np.searchsorted(names.unit_of_part, names.unit_of_part, side="left")
    if len(place) and (np.diff(names.unit_of_part) < 0).any():
        place = _places(names.unit_of_part)
    judged = np.isin(names.unit_of_part, np.unique(trials.unit))
    outputs = np.flatnonzero(judged[names.shown_part]) if len(judged) else np.empty(0, dtype=np.int64)
    part = names.shown_part[outputs]
    unit, system = names.unit_of_part[part], names.shown_system[outputs]
    included = ~np.isin(system, sorted(sample.without))
    by_unit: dict[int, tuple[set[int], set[int]]] = {}
    for unit_code, side, system_code in zip(
        unit[included].tolist(), (place[part] % 2)[included].tolist(), system[included].tolist(), strict=True
    ):
        by_unit.setdefault(unit_code, (set(), set()))[side].add(system_code)
    units_by_pair: dict[Pair, list[int]] = {}
    for unit_code, (first, second) in by_unit.items():
        for pair in ((a, b) for a in first for b in second if a != b):
            units_by_pair.setdefault(pair, []).append(unit_code)
    of_pairs: dict[Pair, Trials] = {}
    for pair, units, turned in _together(units_by_pair, names.systems, sample.common.pairs):
        pair_trials = trials.where(np.isin(trials.unit, [*units, *turned]))
        of_pairs[pair] = replace(
            pair_trials,
            order=np.where(np.isin(pair_trials.unit, turned), _swapped(pair_trials.order), pair_trials.order),
        )
    return of_pairs


def _swapped(order: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the orders with the letters A and B exchanged; the odd text keeps its position."""
    return np.where(order < 0, order, (order + 3) % 6).astype(np.int32)


def _places(unit_of_part: NDArray[Any]) -> NDArray[np.int64]:
    """Return the place of each part in its unit, from 0, for units with parts that are not adjacent."""
    order = np.argsort(unit_of_part, kind="stable")
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order)) - np.searchsorted(unit_of_part[order], unit_of_part[order], side="left")
    return place


def _together(
    units_by_pair: dict[Pair, list[int]], names: Sequence[str], planned: Sequence[tuple[str, str]] | None
) -> Iterator[tuple[Pair, list[int], list[int]]]:
    """Yield each planned pair with its units, (a, b) and (b, a) together, as planned or in the order of the study.

    Each result has the pair, the units that have it in this order, and the units that have it in reverse order.
    """
    joined: dict[Pair, tuple[list[int], list[int]]] = {}
    for (a, b), units in units_by_pair.items():
        pair = in_order(names, planned, a, b)
        joined.setdefault(pair, ([], []))[int(pair != (a, b))].extend(units)
    for pair in chosen_pairs(names, planned):
        if pair in joined:
            yield pair, *joined[pair]
