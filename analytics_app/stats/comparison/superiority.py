"""The probability that one system is rated above another."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analytics_app.stats.ranking.ranks import ranks_within
from analytics_app.stats.resampling.bootstrap import check_settings, cluster_of_units, ratio_samples
from analytics_app.stats.resampling.pair_sums import Pairs, by_cluster, checked_pairs, limits
from analytics_app.stats.values import Codes, Estimate, Floats, compressed, rated


def superiority(
    values: ArrayLike,
    systems: ArrayLike,
    items: ArrayLike,
    pairs: Pairs,
    *,
    clusters: ArrayLike | None = None,
    n_resamples: int,
    confidence: float,
    rng: np.random.Generator,
) -> list[Estimate]:
    """Probability that a rating of a is above a rating of b on the same item, ties counting half [1]_.

    It is computed within each item, all ratings of a against all of b, and averaged over the items that both have;
    it uses the order of the ratings only, so it suits ordinal scales. 0.5 means no difference.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        NaN = not rated.
    systems, items : array_like of int, shape (n,)
        Codes from 0.
    pairs : sequence of (int, int)
        System codes a and b of each comparison.
    clusters : array_like of int, shape (n,), optional
        Codes from 0 of the documents of the items; by default each item is its own document.
    n_resamples : int
        Bootstrap samples of items, or documents; 0 gives no intervals. All pairs share them.
    confidence : float
    rng : numpy.random.Generator

    Returns
    -------
    list of Estimate
        In the order of `pairs`; `n_items` counts items that both have, `n_ratings` the ratings on them.

    References
    ----------
    .. [1] A. Vargha and H. D. Delaney (2000). A critique and improvement of the CL common language effect size
       statistics of McGraw and Wong. Journal of Educational and Behavioral Statistics 25(2), 101-132.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> values, systems, items = [5, 4, 4, 3], [0, 0, 1, 1], [2, 2, 2, 2]
    >>> superiority(values, systems, items, [(0, 1)], n_resamples=0, confidence=0.95, rng=rng)[0].value
    0.875
    """
    columns = checked_pairs(pairs, None)
    check_settings(n_resamples, confidence)
    numbers, (system, item, *document) = rated(values, systems, items, *([] if clusters is None else [clusters]))
    item_codes, places = compressed(item)
    unit_codes, unit_of_item = compressed(cluster_of_units(places, document[0]) if document else item_codes)
    # Sorted once for all pairs: within a pair the ratings stay sorted by item and value.
    order = np.lexsort((numbers, places))
    numbers, system, places = numbers[order], system[order], places[order]
    above = np.full((item_codes.size, len(columns)), np.nan)
    n_ratings = np.zeros(len(columns), dtype=np.intp)
    for k, (a, b) in enumerate(columns):
        chosen = (system == a) | (system == b)
        above[:, k], n_ratings[k] = _above(numbers[chosen], (system == a)[chosen], places[chosen], item_codes.size)
    sums, counts = by_cluster(above, unit_of_item, unit_codes.size)
    samples = ratio_samples(sums, counts, n_resamples, rng) if n_resamples and unit_codes.size else None
    return [
        _probability(
            above[:, k],
            int(np.count_nonzero(counts[:, k])),
            None if samples is None else samples[:, k],
            confidence,
            int(n_ratings[k]),
        )
        for k in range(len(columns))
    ]


def _above(numbers: Floats, from_a: NDArray[np.bool_], places: Codes, n_items: int) -> tuple[Floats, int]:
    """Return the probability of each item that a is above b, and how many ratings enter; takes sorted ratings."""
    n_a = np.bincount(places[from_a], minlength=n_items)
    n_b = np.bincount(places[~from_a], minlength=n_items)
    # Mann and Whitney: the rank sum of a's ratings counts their wins plus half their ties.
    ranks = ranks_within(places, numbers)
    wins = np.bincount(places[from_a], weights=ranks[from_a], minlength=n_items) - n_a * (n_a + 1) / 2
    shared = (n_a > 0) & (n_b > 0)
    above = np.divide(wins, n_a * n_b, out=np.full(n_items, np.nan), where=shared)
    return above, int((n_a + n_b)[shared].sum())


def _probability(above: Floats, n_clusters: int, samples: Floats | None, confidence: float, n_ratings: int) -> Estimate:
    shared = above[~np.isnan(above)]
    if not shared.size:
        return Estimate(None, n_ratings=0, n_items=0, note="No item has ratings of both systems.")
    interval = limits(samples, n_clusters, confidence)
    return Estimate(
        float(shared.mean()),
        low=interval.low,
        high=interval.high,
        se=interval.se,
        n_ratings=n_ratings,
        n_items=shared.size,
        note=interval.note,
    )
