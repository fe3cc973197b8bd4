"""Clusters of systems as WMT draws them: one-sided rank-sum tests on the scores of segments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analytics_app.stats.arrays import Codes, Floats, settled
from analytics_app.stats.comparison.corrections import adjust
from analytics_app.stats.estimate import Estimate

FEW = "The test takes at least two segments of both systems."


@dataclass(frozen=True, slots=True)
class Tested:
    """The test that system a, the one with the higher score, is above b: U as value, p one-sided."""

    a: int
    b: int
    test: Estimate
    p_adjusted: float | None


@dataclass(frozen=True, slots=True)
class RankClusters:
    """Systems in clusters.

    Parameters
    ----------
    order : tuple of int
        Codes of the systems with a score, the highest first.
    scores : tuple of Estimate
        Unweighted mean over segments, by system code.
    clusters : tuple of int or None
        By system code, 1 the best.
    ranges : tuple of (int, int) or None
        By system code: one more than the systems that are significantly better, to all less those significantly worse.
    tests : tuple of Tested
    """

    order: tuple[int, ...]
    scores: tuple[Estimate, ...]
    clusters: tuple[int | None, ...]
    ranges: tuple[tuple[int, int] | None, ...]
    tests: tuple[Tested, ...]


def rank_sum_clusters(matrix: ArrayLike, *, limit: float = 0.05, correction: str = "none") -> RankClusters:
    """Score systems by the mean over segments and part them where all above beat all below [1]_.

    Each system is tested against each one below it by the one-sided rank-sum test [2]_ (asymptotic, with continuity
    correction) on the scores of their segments. WMT corrects for no number of tests.

    Parameters
    ----------
    matrix : array_like of float, shape (n_segments, n_systems)
        Score of a system on a segment, such as the mean of z; NaN where there is none. Scores that are equal but for
        rounding (12 digits of the largest) tie.
    limit : float
        p below which a system beats another.
    correction : str
        One of `corrections.METHODS`.

    Returns
    -------
    RankClusters

    Raises
    ------
    ValueError
        The matrix has not two dimensions, or the limit is not between 0 and 1.

    References
    ----------
    .. [1] O. Bojar et al. (2016). Findings of the 2016 Conference on Machine Translation. WMT, 131-198.
    .. [2] H. B. Mann and D. R. Whitney (1947). On a test of whether one of two random variables is stochastically
       larger than the other. Annals of Mathematical Statistics 18, 50-60.

    Examples
    --------
    >>> scores = np.column_stack([np.arange(30) + 50.0, np.arange(30) + 49.0, np.arange(30.0)])
    >>> found = rank_sum_clusters(scores)
    >>> found.order, found.clusters, found.ranges
    ((0, 1, 2), (1, 1, 2), ((1, 2), (1, 2), (3, 3)))
    """
    table = np.asarray(matrix, dtype=np.float64)
    if table.ndim != 2:
        raise ValueError(f"The matrix has two dimensions, not {table.ndim}.")
    if not 0 < limit < 1:
        raise ValueError(f"The limit is between 0 and 1, not {limit}.")
    columns = [column[~np.isnan(column)] for column in table.T]
    scores = [_score(column) for column in columns]
    # Means of z that are equal differ in their last digits by the order in which they were summed.
    tying = [column[~np.isnan(column)] for column in settled(table).T]
    order = sorted(
        (k for k, one in enumerate(scores) if one.value is not None), key=lambda k: (-float(columns[k].mean()), k)
    )
    named = [(a, b) for place, a in enumerate(order) for b in order[place + 1 :]]
    tests = [_greater(tying[a], tying[b]) for a, b in named]
    adjusted = adjust([one.p for one in tests], correction)
    beats = np.zeros((len(columns), len(columns)), dtype=bool)
    for (a, b), p in zip(named, adjusted, strict=True):
        beats[a, b] = p is not None and p < limit
    number = clusters_of(beats, order)
    clusters = [number[order.index(k)] if k in order else None for k in range(len(columns))]
    ranges = [
        (1 + int(beats[:, k].sum()), len(order) - int(beats[k].sum())) if k in order else None
        for k in range(len(columns))
    ]
    return RankClusters(
        tuple(order),
        tuple(scores),
        tuple(clusters),
        tuple(ranges),
        tuple(Tested(a, b, one, p) for (a, b), one, p in zip(named, tests, adjusted, strict=True)),
    )


def clusters_of(beats: NDArray[np.bool_], order: Sequence[int]) -> list[int]:
    """Number the clusters of systems in their order: a new one begins where all above beat all from there on.

    Examples
    --------
    >>> beats = np.array([[0, 1, 1], [0, 0, 0], [0, 0, 0]], dtype=bool)
    >>> clusters_of(beats, [0, 1, 2])
    [1, 2, 2]
    """
    places: Codes = np.asarray(order, dtype=np.intp)
    ordered = beats[np.ix_(places, places)]
    clusters, now = [], 1
    for place in range(len(places)):
        now += bool(place and ordered[:place, place:].all())
        clusters.append(now)
    return clusters


def _score(column: Floats) -> Estimate:
    if not column.size:
        return Estimate(None, n_items=0, note="No segment of this system has a score.")
    return Estimate(float(column.mean()), n_items=column.size)


def _greater(x: Floats, y: Floats) -> Estimate:
    if min(x.size, y.size) < 2:
        return Estimate(None, n_items=min(x.size, y.size), note=FEW)
    # A second of start-up that only a test needs.
    from scipy.stats import mannwhitneyu  # noqa: PLC0415

    if max(x.max(), y.max()) == min(x.min(), y.min()):
        return Estimate(x.size * y.size / 2, p=1.0, n_items=x.size, note="All scores are the same.")
    found = mannwhitneyu(x, y, alternative="greater", method="asymptotic", use_continuity=True)
    return Estimate(float(found.statistic), p=float(found.pvalue), n_items=x.size)
