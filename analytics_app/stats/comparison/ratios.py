"""Ratios of sums by group, such as seconds per word, with intervals."""

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.resampling.alike import exact_if_all_alike
from analytics_app.stats.resampling.bootstrap import check_settings, interval, ratio_samples
from analytics_app.stats.resampling.pair_sums import summed
from analytics_app.stats.values import Estimate, Floats, checked_codes, checked_values, compressed, joined


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
    shares: bool = False,
) -> list[Estimate]:
    """Ratio of two sums for each group, with a percentile bootstrap interval over clusters [1]_.

    Parameters
    ----------
    tops, bottoms : array_like of float, shape (n,)
        Numerators and denominators, at least 0; an entry where one of them is NaN is left out.
    groups : array_like of int, shape (n,)
        Codes 0 to n_groups - 1.
    clusters : array_like of int, shape (n,)
        Codes from 0 of the resampled units, such as items.
    n_groups, n_resamples : int
    confidence : float
    rng : numpy.random.Generator
    shares : bool
        Whether numerators are 0 (no) or 1 (yes) and denominators 1, as for `group_means`.

    Returns
    -------
    list of Estimate, length n_groups
        `n_ratings` counts entries, `n_items` clusters. Undefined where the sum of denominators is 0.

    References
    ----------
    .. [1] A. C. Davison and D. V. Hinkley (1997). Bootstrap Methods and their Application. Cambridge, section 3.8.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> a, b = group_ratios(
    ...     [2, 5], [4, 8], [0, 0], [0, 1], n_groups=2, n_resamples=99, confidence=0.9, rng=rng
    ... )
    >>> round(a.value, 3), a.low, a.high, b.note
    (0.583, 0.5, 0.625, 'There is nothing to divide by.')
    """
    check_settings(n_resamples, confidence)
    top, bottom = checked_values(tops), checked_values(bottoms)
    if top.shape != bottom.shape:
        raise ValueError(f"There are {top.size} numbers above and {bottom.size} below.")
    group, cluster = checked_codes(groups, top.size, below=n_groups), checked_codes(clusters, top.size)
    complete = ~(np.isnan(top) | np.isnan(bottom))
    top, bottom, group, cluster = top[complete], bottom[complete], group[complete], cluster[complete]
    cluster_codes, places = compressed(cluster)
    cells, shape = places * n_groups + group, (cluster_codes.size, n_groups)
    sums, counts = summed(cells, top, shape)
    totals, _counts = summed(cells, bottom, shape)
    samples = ratio_samples(sums, totals, n_resamples, rng) if n_resamples and cluster_codes.size else None
    drawn = [None if samples is None else samples[:, g] for g in range(n_groups)]
    return [
        _ratio(sums[:, g], totals[:, g], counts[:, g], drawn[g], confidence, shares=shares) for g in range(n_groups)
    ]


def _ratio(
    sums: Floats, totals: Floats, counts: Floats, samples: Floats | None, confidence: float, *, shares: bool
) -> Estimate:
    """Return the ratio of one group, from its sums by cluster."""
    n, n_clusters, size = int(counts.sum()), int(np.count_nonzero(counts)), float(totals.sum())
    if size <= 0:
        return Estimate(None, n_ratings=n, n_items=n_clusters, note="There is nothing to divide by.")
    value = float(sums.sum()) / size
    if samples is None or n_clusters < 2:
        single_note = "An interval takes at least two items." if samples is not None else None
        return Estimate(value, n_ratings=n, n_items=n_clusters, note=single_note)
    limits, exact = interval(samples, confidence, n_clusters), False
    if shares:
        limits, exact = exact_if_all_alike(limits, value, n_judgments=n, n_units=n_clusters, confidence=confidence)
    is_few = n_clusters < 10 and limits.low is not None and not exact
    note = joined(limits.note, f"The interval rests on {n_clusters} items only." if is_few else None)
    fields = {**limits._asdict(), "note": note}
    return Estimate(value, **fields, n_ratings=n, n_items=n_clusters, exact=exact)
