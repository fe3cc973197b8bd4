"""Comparisons of systems: from answers about two texts, or from the ratings of each text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analytics_app.analyses.base import Sample
from analytics_app.analyses.shared.rated_texts import low_is_good
from analytics_app.ratings import Floats, Mask, Names, Table

# The possible answers about two texts (tasks_app.task_types.pairwise).
FIRST, SECOND, TIE, BOTH_BAD = "first", "second", "tie", "both_bad"

SHARED = "Comparisons of one text that both systems produced count as ties: {n}."


@dataclass(frozen=True, slots=True)
class Preferences:
    """One entry for every two systems that an answer compares; `first` and `second` are codes into `systems`.

    `sign` is 1 where the first is better, -1 where the second is, 0 for neither; `both_bad` marks such answers. `row`
    is the rating, `item` its item, and `cluster` what intervals are over: the item, or the document where documents
    were shown whole.
    """

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    sign: NDArray[np.int64]
    both_bad: Mask
    row: NDArray[np.int64]
    rater: NDArray[np.int32]
    item: NDArray[np.int64]
    cluster: NDArray[np.int64]
    systems: tuple[str, ...]
    unit: str

    @classmethod
    def of(cls, sample: Sample) -> Preferences:
        """Return the answers about two texts; a text that several systems produced counts for each of them."""
        table, names = sample.table, sample.table.names
        words = {word: code for code, word in enumerate(names.labels)}
        worth = np.full(len(names.labels) + 1, -9, dtype=np.int64)
        for word, side in ((FIRST, 1), (SECOND, -1), (TIE, 0), (BOTH_BAD, 0)):
            if word in words:
                worth[words[word]] = side
        row, first, second, item = _both_sides(table)
        sign = worth[table.label[row]]
        keep = (sign > -9) & (first != second)
        if sample.without:
            keep &= ~np.isin(first, sorted(sample.without)) & ~np.isin(second, sorted(sample.without))
        row, first, second, item, sign = (column[keep] for column in (row, first, second, item, sign))
        known, codes = np.unique(np.concatenate((first, second)), return_inverse=True)
        bad = words.get(BOTH_BAD, -2)
        return cls(
            first=codes[: len(row)].astype(np.int64),
            second=codes[len(row) :].astype(np.int64),
            sign=sign,
            both_bad=table.label[row] == bad,
            row=row,
            rater=table.rater[row],
            item=item,
            cluster=clusters_of(names, by_document=sample.question.by_document)[item],
            systems=tuple(names.systems[code] for code in known),
            unit=unit_of(sample),
        )

    def where(self, mask: Mask) -> Preferences:
        """Return the comparisons in a mask."""
        columns = ("first", "second", "sign", "both_bad", "row", "rater", "item", "cluster")
        return replace(self, **{name: getattr(self, name)[mask] for name in columns})

    def totals(self) -> tuple[Floats, Floats]:
        """Return wins and ties, shape (n_systems, n_systems), ties symmetric."""
        n = len(self.systems)
        wins, ties = np.zeros((n, n)), np.zeros((n, n))
        better = np.where(self.sign >= 0, self.first, self.second)
        worse = np.where(self.sign >= 0, self.second, self.first)
        decided = self.sign != 0
        np.add.at(wins, (better[decided], worse[decided]), 1.0)
        np.add.at(ties, (better[~decided], worse[~decided]), 1.0)
        return wins, ties + ties.T


def _both_sides(table: Table) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return (row, system, system of the other text, item) for every two outputs that an answer is about."""
    row_a, system_a, item = table.by_system()
    row_b, system_b, _item = replace(table, part=table.part_b).by_system()
    begins = np.searchsorted(row_b, row_a, side="left")
    times = np.searchsorted(row_b, row_a, side="right") - begins
    entry = np.repeat(np.arange(len(row_a)), times)
    within = np.arange(len(entry)) - np.repeat(np.cumsum(times) - times, times)
    other = system_b[begins[entry] + within] if len(entry) else np.empty(0, dtype=np.int64)
    return row_a[entry], system_a[entry].astype(np.int64), other.astype(np.int64), item[entry].astype(np.int64)


@dataclass(frozen=True, slots=True)
class Together:
    """Values of systems that were judged together, one entry for a system in a group; higher is better.

    A group is a screen, or one rater's ratings of an item's texts on separate screens. `n_shared` counts the pairs of
    systems that produced one text; `compared` describes the groups in words.
    """

    value: Floats
    group: NDArray[np.int64]
    system: NDArray[np.int64]
    item: NDArray[np.int64]
    cluster: NDArray[np.int64]
    rater: NDArray[np.int32]
    shown: Floats
    n_shared: int
    systems: tuple[str, ...]
    unit: str
    compared: str

    @classmethod
    def of(cls, sample: Sample, *, by: str = "auto") -> Together:
        """Return the values grouped by "screen" or "item" (of one rater); "auto" uses screens with several systems."""
        table, names = sample.table, sample.table.names
        row, system, item = table.by_system()
        keep = ~np.isnan(table.value[row])
        if sample.without:
            keep &= ~np.isin(system, sorted(sample.without))
        row = row[keep]
        of_system, of_item = system[keep].astype(np.int64), item[keep].astype(np.int64)
        screen = table.judgment[row].astype(np.int64)
        if by == "auto":
            by = "screen" if _several(screen, of_system) else "item"
        group = screen if by == "screen" else table.rater[row].astype(np.int64) * max(len(names.items), 1) + of_item
        known, code = np.unique(of_system, return_inverse=True)
        keys, entry, cell = np.unique(group * max(len(known), 1) + code, return_index=True, return_inverse=True)
        times = np.bincount(cell, minlength=len(keys))
        sign = -1.0 if low_is_good(sample.question) else 1.0
        value = sign * np.bincount(cell, weights=table.value[row], minlength=len(keys)) / np.maximum(times, 1)
        outputs = np.bincount(row, minlength=1)
        return cls(
            value=value,
            group=group[entry],
            system=code[entry].astype(np.int64),
            item=of_item[entry],
            cluster=clusters_of(names, by_document=sample.question.by_document)[of_item[entry]],
            rater=table.rater[row][entry],
            shown=table.shown[row][entry],
            n_shared=int((outputs * (outputs - 1) // 2).sum()),
            systems=tuple(names.systems[code] for code in known),
            unit=unit_of(sample),
            compared="texts of one screen" if by == "screen" else "texts of one item, by one rater",
        )

    def counts(self, code: int) -> dict[str, Any]:
        """Return the numbers of ratings, items and raters of a system."""
        of_system = self.system == code
        return {
            "n_ratings": int(of_system.sum()),
            "n_items": len(np.unique(self.item[of_system])),
            "n_raters": len(np.unique(self.rater[of_system])),
        }


def _several(screen: NDArray[Any], system: NDArray[Any]) -> bool:
    """Return whether any screen holds several systems."""
    if not len(screen):
        return False
    pairs = np.unique(screen * (int(system.max()) + 1) + system)
    return len(pairs) > len(np.unique(screen))


@dataclass(frozen=True, slots=True)
class OfSystems:
    """Data about outputs of systems, with intervals and tests over the `unit`: items, or documents shown whole."""

    systems: tuple[str, ...]
    unit: str
    cluster_of_item: NDArray[np.int64]

    def clusters_of(self, items: NDArray[Any]) -> NDArray[np.int64] | None:
        """Return the cluster of each of these items, None if every item is its own cluster."""
        return self.cluster_of_item[items] if self.unit == "documents" else None

    def pairs(self, sample: Sample) -> list[tuple[int, int]]:
        """Return the pairs of systems to compare, by code."""
        return chosen_pairs(self.systems, sample.common.pairs)

    def names(self, a: int, b: int) -> dict[str, Any]:
        """Return the columns that identify the row of a pair."""
        return names_of(self.systems, a, b)


def names_of(systems: Sequence[str], a: int, b: int) -> dict[str, Any]:
    """Return the columns that identify the row of a pair of systems, by code."""
    return {"system": systems[a], "system_b": systems[b]}


def clusters_of(names: Names, *, by_document: bool) -> NDArray[np.int64]:
    """Return the cluster of each item: itself, or its document; an item without one is a document of its own."""
    of_item = np.arange(len(names.items), dtype=np.int64)
    documents = names.document_of_item.astype(np.int64)
    return np.where(documents >= 0, documents, len(names.documents) + of_item) if by_document else of_item


def unit_of(sample: Sample) -> str:
    """Return the name of the units over which intervals are."""
    return "documents" if sample.question.by_document else "items"


def chosen_pairs(systems: Sequence[str], planned: Sequence[tuple[str, str]] | None) -> list[tuple[int, int]]:
    """Return the pairs of systems to compare, by code: all, or those that a plan names, each once.

    A pair is in the order of the plan, else in the order of the systems in the study, so that the first system is the
    same in every row of the pair.
    """
    if planned is None:
        return list(combinations(range(len(systems)), 2))
    code = {key: number for number, key in enumerate(systems)}
    pairs = {
        frozenset((code[a], code[b])): (code[a], code[b]) for a, b in planned if a in code and b in code and a != b
    }
    return list(pairs.values())


def in_order(systems: Sequence[str], planned: Sequence[tuple[str, str]] | None, a: int, b: int) -> tuple[int, int]:
    """Return two systems, by code, in the order of `chosen_pairs`: that of the plan, else by code."""
    planned_pair = {frozenset(pair): pair for pair in planned or ()}.get(frozenset((systems[a], systems[b])))
    return (a, b) if (planned_pair == (systems[a], systems[b]) if planned_pair else a < b) else (b, a)


def draws(sample: Sample, purpose: str) -> np.random.Generator:
    """Return a generator that is the same for a sample and its slices, so that a slice of everything has equal rows."""
    return np.random.default_rng(seed_of_draws(sample, purpose))


def seed_of_draws(sample: Sample, purpose: str) -> list[int]:
    """Return the seed of `draws`."""
    return replace(sample, slice=None).seed(purpose)
