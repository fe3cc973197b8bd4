"""Pairs of systems and the systems that have changed copies of their texts, with the scores of both."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from django.utils.translation import gettext
from numpy.typing import NDArray

from analytics_app.models import ResultRow
from analytics_app.ratings import Floats


@dataclass(frozen=True, slots=True)
class CopyPair:
    """A system and the system of its copies, as columns of a matrix of scores."""

    system: str
    kind: str
    original: int
    copy: int


@dataclass(frozen=True, slots=True)
class Copies:
    """All pairs of originals and copies, by kind in the order asked for and then by system."""

    pairs: tuple[CopyPair, ...]
    kinds: tuple[str, ...]

    def together(self, scores: Floats) -> tuple[Floats, list[tuple[int, int]]]:
        """Return the mean scores of originals and copies of each kind on each item, and their columns.

        A system counts on an item if both its text and its copy have a score there.

        Parameters
        ----------
        scores : ndarray of float, shape (n_items, n_systems)
            NaN where there is no score.

        Returns
        -------
        columns : ndarray of float, shape (n_items, 2 * n_kinds)
        pairs : list of (int, int)
            The columns of original and copy of each kind.
        """
        columns = np.full((len(scores), 2 * len(self.kinds)), np.nan)
        for place, kind in enumerate(self.kinds):
            of_kind = [pair for pair in self.pairs if pair.kind == kind]
            both = [scores[:, [pair.original for pair in of_kind]], scores[:, [pair.copy for pair in of_kind]]]
            missing = np.isnan(both[0]) | np.isnan(both[1])
            n = (~missing).sum(axis=1)
            for side, values in enumerate(both):
                sums = np.where(missing, 0.0, values).sum(axis=1)
                columns[:, 2 * place + side] = np.divide(sums, n, out=np.full(len(n), np.nan), where=n > 0)
        return columns, [(2 * place, 2 * place + 1) for place in range(len(self.kinds))]

    def noticed(self, scores: Floats, beyond: float = 0.0) -> tuple[Floats, NDArray[np.int64], NDArray[np.int64]]:
        """Return for each text with a copy whether its score is higher, its kind and its item (row of the scores).

        It is higher if it exceeds the score of the copy by more than `beyond`.
        """
        higher, kinds, items = [], [], []
        for pair in self.pairs:
            difference = scores[:, pair.original] - scores[:, pair.copy]
            rows = np.flatnonzero(~np.isnan(difference))
            higher.append((difference[rows] > beyond).astype(float))
            kinds.append(np.full(len(rows), self.kinds.index(pair.kind), dtype=np.int64))
            items.append(rows.astype(np.int64))
        return np.concatenate(higher), np.concatenate(kinds), np.concatenate(items)


def copies_among(systems: Sequence[str], kinds: Sequence[str]) -> Copies:
    """Return the pairs of systems where one has the name of the other plus a kind, such as a-negation."""
    place = {key: number for number, key in enumerate(systems)}
    pairs = [
        CopyPair(system, kind, place[system], place[f"{system}-{kind}"])
        for kind in kinds
        for system in systems
        if f"{system}-{kind}" in place
    ]
    return Copies(tuple(pairs), tuple(dict.fromkeys(pair.kind for pair in pairs)))


def kind_of(row: ResultRow) -> str:
    """Return the name of a kind of copy."""
    return str(row.label).replace("-", " ")


def judge_of(row: ResultRow) -> str:
    """Return who gave the scores: raters, or a metric."""
    return str(row.metric) if row.metric else gettext("raters")
