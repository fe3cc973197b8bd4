"""Means with intervals, medians and distributions of the ratings of groups, such as systems."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.resampling.alike import exact_if_all_alike
from analytics_app.stats.resampling.bootstrap import check_settings, interval, ratio_samples
from analytics_app.stats.values import (
    Codes,
    Estimate,
    Floats,
    checked_codes,
    checked_values,
    compressed,
    rated,
)


def group_means(
    values: ArrayLike,
    groups: ArrayLike,
    clusters: ArrayLike,
    *,
    n_groups: int,
    n_resamples: int,
    confidence: float,
    rng: np.random.Generator,
    shares: bool = False,
) -> list[Estimate]:
    """Mean rating of each group with a percentile bootstrap interval over clusters [1]_.

    Clusters (items, documents or raters) are resampled with all their ratings, since ratings within a cluster are not
    independent; the mean of a resample is the sum of its ratings over their number. All groups share the resamples.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        NaN = not rated.
    groups : array_like of int, shape (n,)
        Codes 0 to n_groups - 1.
    clusters : array_like of int, shape (n,)
        Codes from 0 of the items, documents or raters to which the interval generalises.
    n_groups : int
    n_resamples : int
        0 gives no intervals.
    confidence : float
    rng : numpy.random.Generator
    shares : bool
        Whether values are 0 (no) or 1 (yes), or probabilities: a share of 0 or 1 then has an exact interval where each
        cluster has one rating (`exact_if_all_alike`).

    Returns
    -------
    list of Estimate, length n_groups
        `se` is the bootstrap's, `n_items` is the number of clusters with ratings of the group. A group without ratings
        has no value; a group with fewer than two clusters, or with equal ratings, has no interval.

    Raises
    ------
    ValueError
        Wrong shapes, codes, number of resamples or confidence.

    References
    ----------
    .. [1] A. C. Davison and D. V. Hinkley (1997). Bootstrap Methods and their Application. Cambridge, section 3.8.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> a, b = group_means(
    ...     [1, 2, 3, 4], [0, 0, 0, 0], [0, 0, 1, 1], n_groups=2, n_resamples=99, confidence=0.95, rng=rng
    ... )
    >>> a.value, a.low, a.high, b.note
    (2.5, 1.5, 3.5, 'Nothing was rated.')
    """
    cluster_codes, places = compressed(checked_codes(clusters, np.size(values)))
    sums, counts = cluster_sums(values, groups, places, n_groups, cluster_codes.size)
    is_rated = counts.any(axis=1)
    options: dict[str, Any] = {"n_resamples": n_resamples, "confidence": confidence, "rng": rng, "shares": shares}
    return means_of_sums(sums[is_rated], counts[is_rated], **options)


def cluster_sums(
    values: ArrayLike, groups: ArrayLike, clusters: ArrayLike, n_groups: int, n_clusters: int
) -> tuple[Floats, Codes]:
    """Return sums and numbers of the ratings of each cluster and group, shape (n_clusters, n_groups).

    Parameters are those of `group_means`, but codes of clusters are below `n_clusters`; a cluster without ratings has a
    row of zeros.

    Examples
    --------
    >>> cluster_sums([1, 2, 4], [0, 0, 1], [2, 2, 0], 2, 3)
    (array([[0., 4.],
           [0., 0.],
           [3., 0.]]), array([[0, 1],
           [0, 0],
           [2, 0]]))
    """
    everything = checked_values(values)
    checked_codes(groups, everything.size, below=n_groups)
    checked_codes(clusters, everything.size, below=n_clusters)
    numbers, (group, cluster) = rated(everything, groups, clusters)
    cells = cluster * n_groups
    cells += group
    shape = (n_clusters, n_groups)
    sums = np.bincount(cells, weights=numbers, minlength=shape[0] * n_groups)
    counts = np.bincount(cells, minlength=shape[0] * n_groups)
    return sums.astype(np.float64, copy=False).reshape(shape), counts.reshape(shape)


def means_of_sums(
    sums: Floats,
    counts: Codes,
    *,
    n_resamples: int,
    confidence: float,
    rng: np.random.Generator,
    shares: bool = False,
) -> list[Estimate]:
    """Return the mean of each group as `group_means` does, from sums and numbers of the ratings of clusters.

    Parameters
    ----------
    sums, counts : ndarray, shape (n_clusters, n_groups)
        From `cluster_sums`, without clusters that have no ratings.
    """
    check_settings(n_resamples, confidence)
    n_groups = sums.shape[1]
    if not len(sums):
        return [_mean(0.0, 0, 0, None, confidence, shares=shares) for _group in range(n_groups)]
    samples = ratio_samples(sums, counts, n_resamples, rng) if n_resamples else None
    return [
        _mean(
            float(sums[:, g].sum()),
            int(counts[:, g].sum()),
            int(np.count_nonzero(counts[:, g])),
            None if samples is None else samples[:, g],
            confidence,
            shares=shares,
        )
        for g in range(n_groups)
    ]


def _mean(
    total: float, n_ratings: int, n_clusters: int, samples: Floats | None, confidence: float, *, shares: bool
) -> Estimate:
    if not n_ratings:
        return Estimate(None, n_ratings=0, n_items=0, note="Nothing was rated.")
    value = total / n_ratings
    if samples is None:
        return Estimate(value, n_ratings=n_ratings, n_items=n_clusters)
    if n_clusters < 2:
        single_note = "An interval takes ratings from at least two clusters; here is one."
        return Estimate(value, n_ratings=n_ratings, n_items=n_clusters, note=single_note)
    limits, exact = interval(samples, confidence, n_clusters), False
    if shares:
        limits, exact = exact_if_all_alike(
            limits, value, n_judgments=n_ratings, n_units=n_clusters, confidence=confidence
        )
    return Estimate(value, **limits._asdict(), n_ratings=n_ratings, n_items=n_clusters, exact=exact)


def group_medians(values: ArrayLike, groups: ArrayLike, n_groups: int) -> Floats:
    """Median rating of each group.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        NaN = not rated.
    groups : array_like of int, shape (n,)
        Codes 0 to n_groups - 1.
    n_groups : int

    Returns
    -------
    ndarray of float, shape (n_groups,)
        NaN for a group without ratings; the mean of the two middle ratings where their number is even.

    Examples
    --------
    >>> group_medians([1, 2, 4, 9], [0, 0, 0, 2], 3).tolist()
    [2.0, nan, 9.0]
    """
    numbers, group = _grouped(values, groups, n_groups)
    order = np.lexsort((numbers, group))
    ordered = numbers[order]
    counts = np.bincount(group, minlength=n_groups)
    starts = np.cumsum(counts) - counts
    medians = np.full(n_groups, np.nan)
    rated = counts > 0
    lower = ordered[(starts + (counts - 1) // 2)[rated]]
    upper = ordered[(starts + counts // 2)[rated]]
    medians[rated] = lower / 2 + upper / 2
    return medians


def _grouped(values: ArrayLike, groups: ArrayLike, n_groups: int) -> tuple[Floats, Codes]:
    everything = checked_values(values)
    checked_codes(groups, everything.size, below=n_groups)
    numbers, (group,) = rated(everything, groups)
    return numbers, group
