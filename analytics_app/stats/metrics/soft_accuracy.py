"""Soft pairwise accuracy: how near a metric's confidence in each difference of two systems is to that of people."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.metrics.score_matrix import score_matrices
from analytics_app.stats.resampling.pair_sums import rows_by_cluster
from analytics_app.stats.values import Codes, Estimate, Floats

# Most cells of a chunk of signs or of permuted differences (32 MiB).
_CELLS = 2**22
# Sums that differ by less than this share of the sum of absolute differences are equal.
_TIE = 1e-11
FEW = "Soft pairwise accuracy takes two systems with an item that both have scores for."


def soft_pairwise_accuracy(
    human: ArrayLike,
    metric: ArrayLike,
    *,
    clusters: Codes | None = None,
    n_permutations: int,
    rng: np.random.Generator,
) -> Estimate:
    """Return 1 minus the mean distance between the p values that people and a metric give to pairs of systems [1]_.

    The p value of a pair is that of a one-sided paired permutation test that the first system is better: the two
    systems' scores of an item are exchanged or not. Pairs are in the order of the columns. A metric that is as sure of
    each difference as people are has 1; tossing a coin has about 1/2.

    Parameters
    ----------
    human, metric : array_like of float, shape (n_items, n_systems)
        NaN where there is no score. Higher is better in both.
    clusters : ndarray of int, shape (n_items,), optional
        Codes from 0 of the documents that items belong to, if shown as a whole: then documents are exchanged.
    n_permutations : int
        Random exchanges, at least 1, the same for people and metric. If there are no more than this in all, all of them
        are enumerated.
    rng : numpy.random.Generator

    Returns
    -------
    Estimate
        `n_ratings` counts the systems, `n_items` the items. Pairs that share no item are left out.

    Raises
    ------
    ValueError
        Shapes differ, or there is no permutation.

    References
    ----------
    .. [1] B. Thompson, N. Mathur, D. Deutsch and H. Khayrallah (2024). Improving statistical significance in human
       evaluation of automatic metrics via soft pairwise accuracy. WMT, 1222-1234.

    Examples
    --------
    >>> scores = [[3.0, 2.0, 1.0], [4.0, 2.0, 3.0], [5.0, 1.0, 2.0]]
    >>> soft_pairwise_accuracy(scores, scores, n_permutations=99, rng=np.random.default_rng(1)).value
    1.0
    """
    if n_permutations < 1:
        raise ValueError(f"There is at least 1 permutation, not {n_permutations}.")
    gold, scores, unit = score_matrices(human, metric, clusters)
    scored = ~np.isnan(gold).all(axis=0)
    gold, scores = gold[:, scored], scores[:, scored]
    n_items, n_systems = gold.shape
    shared = (~np.isnan(gold)).T.astype(np.int64) @ ~np.isnan(gold)
    first, second = np.triu_indices(n_systems, 1)
    known = shared[first, second] > 0
    first, second = first[known], second[known]
    if not first.size:
        return Estimate(None, n_ratings=n_systems, n_items=n_items, note=FEW)
    sides = [_Differences.of(side, unit, first, second) for side in (gold, scores)]
    counts, n = [np.zeros(first.size), np.zeros(first.size)], 0
    n_units = int(unit.max()) + 1
    exact = n_units < 31 and 2**n_units <= n_permutations
    width = max(n_units, first.size)
    for signs in _all_signs(n_units) if exact else _random_signs(n_units, n_permutations, width, rng):
        for place, side in enumerate(sides):
            counts[place] += side.as_extreme(signs)
        n += len(signs)
    # The observed exchange is one of all; of random ones it is one more.
    people, by_metric = counts if exact else [(count + 1) for count in counts]
    distance = np.abs(people - by_metric) / (n if exact else n + 1)
    return Estimate(float(1 - distance.mean()), n_ratings=n_systems, n_items=n_items)


class _Differences:
    """Sums of differences of pairs of systems by unit, which flips of signs permute."""

    def __init__(self, table: Floats, first: Codes, second: Codes, *, of_systems: bool, size: Floats) -> None:
        self.table, self.first, self.second, self.of_systems = table, first, second, of_systems
        total = table.sum(axis=0)
        observed = total[first] - total[second] if of_systems else total
        self.threshold = observed - _TIE * size

    @classmethod
    def of(cls, scores: Floats, unit: Codes, first: Codes, second: Codes) -> "_Differences":
        """Return the differences of pairs; where no score is missing, from the sums of systems, which are fewer."""
        differences = np.nan_to_num(scores[:, first] - scores[:, second])
        size = np.abs(differences).sum(axis=0)
        of_systems = not np.isnan(scores).any()
        table = rows_by_cluster(scores - scores.mean() if of_systems else differences, unit)
        return cls(table, first, second, of_systems=of_systems, size=size)

    def as_extreme(self, signs: Floats) -> Floats:
        """Return how many rows of signs, shape (n, n_units), give each pair a difference as large as the observed."""
        sums = signs @ self.table
        if self.of_systems:
            sums = sums[:, self.first] - sums[:, self.second]
        counts: Floats = (sums >= self.threshold).sum(axis=0).astype(np.float64)
        return counts


def _all_signs(n: int) -> Iterator[Floats]:
    bits = (np.arange(2**n)[:, np.newaxis] >> np.arange(n)) & 1
    yield 1.0 - 2.0 * bits.astype(np.float64)


def _random_signs(n: int, n_permutations: int, width: int, rng: np.random.Generator) -> Iterator[Floats]:
    rows = max(1, _CELLS // width)
    for start in range(0, n_permutations, rows):
        height = min(rows, n_permutations - start)
        packed = rng.integers(256, size=(height, -(-n // 8)), dtype=np.uint8)
        yield 1.0 - 2.0 * np.unpackbits(packed, axis=1, count=n).astype(np.float64)
