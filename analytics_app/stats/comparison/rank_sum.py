"""Clusters of systems by WMT's method: one-sided rank tests on the scores of segments."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analytics_app.stats.comparison.corrections import adjust
from analytics_app.stats.values import Codes, Estimate, Floats, settled

# Differences of settled scores, which are at most 1, that are below this are zero.
_ROUNDING = 1e-11

FEW = "The test takes at least two segments of both systems."


@dataclass(frozen=True, slots=True)
class Tested:
    """Test that system a, which has the higher score, is above b: `value` is U, `p` is one-sided."""

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
        By system code: from 1 + the number of significantly better systems, to all minus the significantly worse.
    tests : tuple of Tested
    """

    order: tuple[int, ...]
    scores: tuple[Estimate, ...]
    clusters: tuple[int | None, ...]
    ranges: tuple[tuple[int, int] | None, ...]
    tests: tuple[Tested, ...]


def rank_sum_clusters(
    matrix: ArrayLike, *, limit: float = 0.05, correction: str = "none", paired: bool = False
) -> RankClusters:
    """Score systems by the mean over segments and separate them where all above beat all below [1]_.

    Each system is tested against each one below it by the one-sided rank-sum test [2]_ (asymptotic, with continuity
    correction) on the scores of their segments, or by the one-sided signed-rank test [3]_ on the segments of both. WMT
    does not correct for the number of tests.

    Parameters
    ----------
    matrix : array_like of float, shape (n_segments, n_systems)
        Score of a system on a segment, such as the mean of z; NaN where there is none. Scores that are equal to 12
        digits of the largest are tied.
    limit : float
        p below which a system beats another.
    correction : str
        One of `corrections.METHODS`.
    paired : bool
        Whether to test by signed ranks; differences of zero are dropped.

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
    .. [3] F. Wilcoxon (1945). Individual comparisons by ranking methods. Biometrics Bulletin 1(6), 80-83.

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
    # Equal means of z may differ in their last digits, depending on the order of summation.
    settled_table = settled(table)
    tying = [column[~np.isnan(column)] for column in settled_table.T]
    order = sorted(
        (k for k, score in enumerate(scores) if score.value is not None), key=lambda k: (-float(columns[k].mean()), k)
    )
    pairs = [(a, b) for i, a in enumerate(order) for b in order[i + 1 :]]
    if paired:
        tests = [_above(settled_table[:, a] - settled_table[:, b]) for a, b in pairs]
    else:
        tests = [_greater(tying[a], tying[b]) for a, b in pairs]
    adjusted = adjust([test.p for test in tests], correction)
    beats = np.zeros((len(columns), len(columns)), dtype=bool)
    for (a, b), p in zip(pairs, adjusted, strict=True):
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
        tuple(Tested(a, b, test, p) for (a, b), test, p in zip(pairs, tests, adjusted, strict=True)),
    )


def clusters_of(beats: NDArray[np.bool_], order: Sequence[int]) -> list[int]:
    """Number the clusters of systems in their order: a new cluster begins where all above beat all below.

    Examples
    --------
    >>> beats = np.array([[0, 1, 1], [0, 0, 0], [0, 0, 0]], dtype=bool)
    >>> clusters_of(beats, [0, 1, 2])
    [1, 2, 2]
    """
    places: Codes = np.asarray(order, dtype=np.intp)
    ordered = beats[np.ix_(places, places)]
    clusters, cluster = [], 1
    for i in range(len(places)):
        cluster += bool(i and ordered[:i, i:].all())
        clusters.append(cluster)
    return clusters


def _score(column: Floats) -> Estimate:
    if not column.size:
        return Estimate(None, n_items=0, note="No segment of this system has a score.")
    return Estimate(float(column.mean()), n_items=column.size)


def _greater(x: Floats, y: Floats) -> Estimate:
    if min(x.size, y.size) < 2:
        return Estimate(None, n_items=min(x.size, y.size), note=FEW)
    # Lazy import: scipy.stats takes a second to load, and only a test needs it.
    from scipy.stats import mannwhitneyu  # noqa: PLC0415

    if max(x.max(), y.max()) == min(x.min(), y.min()):
        return Estimate(x.size * y.size / 2, p=1.0, n_items=x.size, note="All scores are the same.")
    result = mannwhitneyu(x, y, alternative="greater", method="asymptotic", use_continuity=True)
    return Estimate(float(result.statistic), p=float(result.pvalue), n_items=x.size)


def _above(differences: Floats) -> Estimate:
    """Test by signed ranks whether differences are above zero; those closer to it than rounding are zero."""
    known = differences[~np.isnan(differences)]
    if known.size < 2:
        return Estimate(None, n_items=known.size, note=FEW)
    known = np.where(np.abs(known) < _ROUNDING, 0.0, known)
    # Differences that would be equal but for rounding share a rank.
    known = np.round(known / np.abs(known).max(initial=_ROUNDING), 10)
    if not known.any():
        return Estimate(0.0, p=1.0, n_items=known.size, note="Both systems have the same score on every segment.")
    from scipy.stats import wilcoxon  # noqa: PLC0415

    result = wilcoxon(known, alternative="greater", zero_method="wilcox")
    return Estimate(float(result.statistic), p=float(result.pvalue), n_items=known.size)
