"""Ratios of sums by group, such as seconds a word, with intervals."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.arrays import checked_codes, checked_values, compressed
from analytics_app.stats.estimate import Estimate, joined
from analytics_app.stats.resampling.bootstrap import check_settings, interval, ratio_samples
from analytics_app.stats.resampling.pair_sums import summed


def group_ratios(
    tops: ArrayLike,
    bottoms: ArrayLike,
    groups: ArrayLike,
    clusters: ArrayLike,
    *,
    n_groups: int,
    n_resamples: int,
    confidence: float,
    rng: np.random.Generator,
) -> list[Estimate]:
    """Sum over sum of each group, with a percentile bootstrap interval over clusters [1]_.

    Parameters
    ----------
    tops, bottoms : array_like of float, shape (n,)
        What is divided and what it is divided by, from 0 on; an entry where one of them is NaN is left out.
    groups : array_like of int, shape (n,)
        Codes 0 to n_groups - 1.
    clusters : array_like of int, shape (n,)
        Codes from 0 of what is drawn, such as items.
    n_groups, n_resamples : int
    confidence : float
    rng : numpy.random.Generator

    Returns
    -------
    list of Estimate, length n_groups
        `n_ratings` counts entries, `n_items` clusters. Undefined where the sum below is 0.

    References
    ----------
    .. [1] A. C. Davison and D. V. Hinkley (1997). Bootstrap Methods and their Application. Cambridge, section 3.8.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> a, b = group_ratios(
    ...     [2, 4], [4, 8], [0, 0], [0, 1], n_groups=2, n_resamples=9, confidence=0.9, rng=rng
    ... )
    >>> a.value, a.low, a.high, b.note
    (0.5, 0.5, 0.5, 'There is nothing to divide by.')
    """
    check_settings(n_resamples, confidence)
    above, below = checked_values(tops), checked_values(bottoms)
    if above.shape != below.shape:
        raise ValueError(f"There are {above.size} numbers above and {below.size} below.")
    group, cluster = checked_codes(groups, above.size, below=n_groups), checked_codes(clusters, above.size)
    there = ~(np.isnan(above) | np.isnan(below))
    above, below, group, cluster = above[there], below[there], group[there], cluster[there]
    found, places = compressed(cluster)
    cells, shape = places * n_groups + group, (found.size, n_groups)
    sums, counts = summed(cells, above, shape)
    totals, _counts = summed(cells, below, shape)
    samples = ratio_samples(sums, totals, n_resamples, rng) if n_resamples and found.size else None
    made = []
    for g in range(n_groups):
        n, n_clusters, size = int(counts[:, g].sum()), int(np.count_nonzero(counts[:, g])), float(totals[:, g].sum())
        if size <= 0:
            made.append(Estimate(None, n_ratings=n, n_items=n_clusters, note="There is nothing to divide by."))
            continue
        value = float(sums[:, g].sum()) / size
        if samples is None or n_clusters < 2:
            one = "An interval takes at least two items." if samples is not None else None
            made.append(Estimate(value, n_ratings=n, n_items=n_clusters, note=one))
            continue
        low, high, se, failed = interval(samples[:, g], confidence, n_clusters)
        few = f"The interval rests on {n_clusters} items only." if n_clusters < 10 and low is not None else None
        made.append(
            Estimate(value, low=low, high=high, se=se, n_ratings=n, n_items=n_clusters, note=joined(failed, few))
        )
    return made
