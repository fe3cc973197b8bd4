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
    """One entry a judged triad: codes of rater and unit, whether right, the order (-1 unknown), the position chosen.

    `chosen` is from 1, 0 where unknown; `sure` is NaN where it was not asked or said.
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
        """Return the entries that a mask keeps."""
        return replace(self, **{name: getattr(self, name)[mask] for name in self.__slots__})

    def first_of_each(self) -> Trials:
        """Return one answer a judge, the first."""
        return self.where(np.sort(np.unique(self.rater, return_index=True)[1]))

    def per_judge(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return right answers and all answers of each judge."""
        _codes, place = np.unique(self.rater, return_inverse=True)
        return np.bincount(place, weights=self.right).astype(np.int64), np.bincount(place)


def trials_of(sample: Sample) -> Trials:
    """Gather the answers of a sample that say whether the odd one was found, in the order they were given."""
    table = sample.table
    found = _rows(sample, CORRECT)
    found = found[~np.isnan(table.value[found])]
    found = found[np.argsort(table.id[found], kind="stable")]
    judgment = table.judgment[found]
    n = len(table.judgments.id)
    chosen, sure = np.zeros(n, dtype=np.int32), np.full(n, np.nan)
    picked = _rows(sample, CHOICE)
    picked = picked[table.label[picked] >= 0]
    chosen[table.judgment[picked]] = _positions(table.names.labels)[table.label[picked]]
    said = _rows(sample, SURENESS)
    sure[table.judgment[said]] = table.value[said]
    return Trials(
        rater=table.rater[found],
        unit=table.unit[found],
        right=table.value[found] == 1,
        order=sample.extras[Orders].order[judgment],
        chosen=chosen[judgment],
        sure=sure[judgment],
    )


def _rows(sample: Sample, criterion: str) -> NDArray[np.int64]:
    codes = [one.code for one in sample.question.asked if one.key == criterion]
    return np.flatnonzero(np.isin(sample.table.criterion, codes))


def _positions(labels: Sequence[str]) -> NDArray[np.int32]:
    return np.array([int(label) if label in {"1", "2", "3"} else 0 for label in labels] or [0], dtype=np.int32)


Pair = tuple[int, int]


def trials_of_pairs(sample: Sample, trials: Trials) -> dict[Pair, Trials]:
    """Return the answers about each two systems; two texts alike by several systems count for each.

    Parts of a unit are by one system and by the other in turn. In orders the letter A is the first system of the pair,
    which may be the other one on the screen.
    """
    names = sample.table.names
    place = np.arange(len(names.part_ids)) - np.searchsorted(names.unit_of_part, names.unit_of_part, side="left")
    if len(place) and (np.diff(names.unit_of_part) < 0).any():
        place = _places(names.unit_of_part)
    judged = np.isin(names.unit_of_part, np.unique(trials.unit))
    shown = np.flatnonzero(judged[names.shown_part]) if len(judged) else np.empty(0, dtype=np.int64)
    part = names.shown_part[shown]
    unit, system = names.unit_of_part[part], names.shown_system[shown]
    kept = ~np.isin(system, sorted(sample.without))
    by_unit: dict[int, tuple[set[int], set[int]]] = {}
    for one, side, who in zip(
        unit[kept].tolist(), (place[part] % 2)[kept].tolist(), system[kept].tolist(), strict=True
    ):
        by_unit.setdefault(one, (set(), set()))[side].add(who)
    found: dict[Pair, list[int]] = {}
    for one, (first, second) in by_unit.items():
        for pair in ((a, b) for a in first for b in second if a != b):
            found.setdefault(pair, []).append(one)
    of_pairs: dict[Pair, Trials] = {}
    for pair, units, turned in _together(found, names.systems, sample.common.pairs):
        own = trials.where(np.isin(trials.unit, [*units, *turned]))
        of_pairs[pair] = replace(own, order=np.where(np.isin(own.unit, turned), _swapped(own.order), own.order))
    return of_pairs


def _swapped(order: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the orders with the letters A and B exchanged: the odd text stays where it is."""
    return np.where(order < 0, order, (order + 3) % 6).astype(np.int32)


def _places(unit_of_part: NDArray[Any]) -> NDArray[np.int64]:
    """Return the place of each part in its unit, from 0, where units do not follow each other."""
    order = np.argsort(unit_of_part, kind="stable")
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order)) - np.searchsorted(unit_of_part[order], unit_of_part[order], side="left")
    return place


def _together(
    found: dict[Pair, list[int]], names: Sequence[str], wanted: Sequence[tuple[str, str]] | None
) -> Iterator[tuple[Pair, list[int], list[int]]]:
    """Put (a, b) and (b, a) together, as planned or else in the order of the study; leave out what was not planned.

    Yields the pair, the units that have it in this order, and those that have it the other way round.
    """
    joined: dict[Pair, tuple[list[int], list[int]]] = {}
    for (a, b), units in found.items():
        pair = in_order(names, wanted, a, b)
        joined.setdefault(pair, ([], []))[int(pair != (a, b))].extend(units)
    for pair in chosen_pairs(names, wanted):
        if pair in joined:
            yield pair, *joined[pair]
