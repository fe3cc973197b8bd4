"""Rankings of systems: mid-ranks, Friedman's test over items, and agreement of raters on an item."""

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.ranking.ranks import ranks_within
from analytics_app.stats.resampling.bootstrap import check_settings, cluster_of_units, ratio_samples
from analytics_app.stats.resampling.pair_sums import by_cluster, limits
from analytics_app.stats.values import Codes, Estimate, Floats, checked_codes, checked_values, compressed

FEW_SYSTEMS = "Friedman's test takes at least three systems."
FEW_ITEMS = "Friedman's test takes at least two items on which all systems were ranked."
ALL_TIED = "All systems tie on every item, so the statistic is undefined."
NO_RATERS = "W takes items whose same texts two raters or more put in order."


def mid_ranks(values: ArrayLike, groups: ArrayLike) -> Floats:
    """Rank each value within its group; tied values get their mean rank.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        NaN = not rated; has no rank.
    groups : array_like of int, shape (n,)
        Codes from 0.

    Returns
    -------
    ndarray of float, shape (n,)
        From 1, the smallest value; NaN where the value is NaN.

    Examples
    --------
    >>> mid_ranks([1, 1, 3, 2, 1], [0, 0, 0, 4, 4]).tolist()
    [1.5, 1.5, 3.0, 2.0, 1.0]
    """
    numbers = checked_values(values)
    group = checked_codes(groups, numbers.size)
    ranks = np.full(numbers.size, np.nan)
    rated = np.flatnonzero(~np.isnan(numbers))
    _group_codes, places = compressed(group[rated])
    order = np.lexsort((numbers[rated], places))
    ranks[rated[order]] = ranks_within(places[order], numbers[rated][order])
    return ranks


def friedman(matrix: ArrayLike) -> Estimate:
    """Friedman's test [1]_ that all systems rank alike over the items.

    Parameters
    ----------
    matrix : array_like of float, shape (n_items, n_systems)
        Such as mean ranks of each system on each item; ranked again within each item. Items with a NaN are left out.

    Returns
    -------
    Estimate
        Friedman's chi-square, corrected for ties, with `df` and `p`; `n_items` counts the items that entered.

    References
    ----------
    .. [1] M. Friedman (1937). The use of ranks to avoid the assumption of normality implicit in the analysis of
       variance. JASA 32, 675-701.

    Examples
    --------
    >>> found = friedman([[1, 2, 3], [1, 3, 2], [1, 2, 3], [2, 1, 3]])
    >>> found.value, found.df, round(found.p, 4)
    (4.5, 2.0, 0.1054)
    """
    table = np.asarray(matrix, dtype=np.float64)
    if table.ndim != 2:
        raise ValueError(f"The matrix has two dimensions, not {table.ndim}.")
    complete = table[~np.isnan(table).any(axis=1)]
    n, k = complete.shape
    if k < 3:
        return Estimate(None, n_items=n, note=FEW_SYSTEMS)
    if n < 2:
        return Estimate(None, n_items=n, note=FEW_ITEMS)
    # Rounded, so that means that differ by rounding only are tied.
    complete = np.round(complete, 12)
    if (complete.max(axis=1) == complete.min(axis=1)).all():
        return Estimate(None, n_items=n, note=ALL_TIED)
    from scipy.stats import friedmanchisquare  # noqa: PLC0415  takes a second to load, and only a test needs it

    result = friedmanchisquare(*complete.T)
    return Estimate(float(result.statistic), df=k - 1, p=float(result.pvalue), n_items=n)


def concordance(
    ranks: ArrayLike,
    rankings: ArrayLike,
    systems: ArrayLike,
    items: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    n_resamples: int,
    confidence: float,
    rng: np.random.Generator,
) -> Estimate:
    """Kendall's W of each item, corrected for ties [1]_, averaged over items, with a bootstrap over items or documents.

    W of an item says how far its raters put its systems into the same order, from 0 to 1. An item enters if two
    rankings or more contain all systems that were ranked for it, unless every rater tied all systems.

    Parameters
    ----------
    ranks : array_like of float, shape (n,)
        Mid-ranks within a ranking.
    rankings, systems, items : array_like of int, shape (n,)
        Codes from 0.
    clusters : array_like of int, shape (n,), optional
        Codes from 0 of the documents that items belong to, if shown as a whole: then documents are resampled.
    n_resamples : int
        0 gives no interval.
    confidence : float
    rng : numpy.random.Generator

    References
    ----------
    .. [1] M. G. Kendall and J. D. Gibbons (1990). Rank Correlation Methods, 5th ed., chapter 6. Edward Arnold.

    Examples
    --------
    >>> ranks, systems = [1, 2, 3, 1, 3, 2], [0, 1, 2, 0, 1, 2]
    >>> found = concordance(ranks, [0] * 3 + [1] * 3, systems, [0] * 6,
    ...                     n_resamples=0, confidence=0.95, rng=np.random.default_rng(1))
    >>> found.value
    0.75
    """
    check_settings(n_resamples, confidence)
    numbers = checked_values(ranks)
    ranking, system, item = (checked_codes(codes, numbers.size) for codes in (rankings, systems, items))
    item_codes, places = compressed(item)
    _ranking_codes, row = compressed(ranking)
    w, n_rankings = _of_items(numbers, row, system, places, item_codes.size)
    defined = ~np.isnan(w)
    if not defined.any():
        return Estimate(None, n_items=0, n_ratings=0, note=NO_RATERS)
    unit_of_item = item_codes if clusters is None else cluster_of_units(item, checked_codes(clusters, numbers.size))
    units, of_item = compressed(unit_of_item)
    sums, counts = by_cluster(w[:, np.newaxis], of_item, units.size)
    samples = ratio_samples(sums, counts, n_resamples, rng)[:, 0] if n_resamples else None
    n_items = int(defined.sum())
    low, high, se, note = limits(samples, int(np.count_nonzero(counts)), confidence)
    n_entered = {"n_items": n_items, "n_ratings": int(n_rankings[defined].sum())}
    return Estimate(float(w[defined].mean()), low=low, high=high, se=se, note=note, **n_entered)


def _of_items(ranks: Floats, row: Codes, system: Codes, place: Codes, n_items: int) -> tuple[Floats, Codes]:
    """Return W of each item, NaN where it is undefined, and its number of rankings."""
    n_rankings = int(row.max(initial=-1)) + 1
    sizes = np.bincount(row, minlength=n_rankings)
    item_of = np.zeros(n_rankings, dtype=np.intp)
    item_of[row] = place
    keys, cell = np.unique(place * (int(system.max(initial=0)) + 1) + system, return_inverse=True)
    item_of_cell = keys // (int(system.max(initial=0)) + 1)
    k = np.bincount(item_of_cell, minlength=n_items)
    m = np.bincount(item_of, minlength=n_items)
    # An item is complete if each of its rankings contains all of its systems.
    complete = np.bincount(item_of, weights=sizes, minlength=n_items) == m * k
    sums = np.bincount(cell, weights=ranks, minlength=keys.size)
    spread = np.bincount(item_of_cell, weights=(sums - (m * (k + 1) / 2)[item_of_cell]) ** 2, minlength=n_items)
    order = np.lexsort((ranks, row))
    new = np.r_[True, (np.diff(ranks[order]) != 0) | (np.diff(row[order]) != 0)][: ranks.size]
    begins = np.flatnonzero(new)
    lengths = np.diff(np.r_[begins, ranks.size]).astype(np.float64)
    ties = np.bincount(place[order][begins], weights=lengths**3 - lengths, minlength=n_items)
    possible = m**2 * (k.astype(np.float64) ** 3 - k) - m * ties
    fine = complete & (m > 1) & (k > 1) & (possible > 0)
    w = np.divide(12 * spread, possible, out=np.full(n_items, np.nan), where=fine)
    return np.minimum(w, 1.0), m
