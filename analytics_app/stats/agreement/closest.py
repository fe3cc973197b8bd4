"""The most alike other rater of each rater: the share of equal answers, and how likely so many are by chance."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.agreement.pooled import shared_units
from analytics_app.stats.values import Estimate, rated, value_codes


@dataclass(frozen=True, slots=True)
class Closest:
    """A rater and the other rater, by code, with the most equal answers; the estimate is the share of these."""

    rater: int
    other: int
    estimate: Estimate
    p_adjusted: float | None


def closest_raters(
    values: ArrayLike, units: ArrayLike, raters: ArrayLike, *, min_shared: int = 10, min_others: int = 2
) -> list[Closest]:
    """Return for each rater the other one with the largest share of equal ratings of the same units.

    The test asks whether a pair that agreed as often as one of the two does with half of the others would be equal as
    often or more: the upper tail of a binomial distribution, with the larger share of the two. So two raters who agree
    with everybody are no exception. Its p is adjusted after Bonferroni over all pairs.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        NaN = not rated.
    units, raters : array_like of int, shape (n,)
        Codes from 0. A rater has at most one rating of a unit.
    min_shared : int
        Units that a pair of raters must share.
    min_others : int
        Others that both must have shared units with beside each other; with fewer there is no test.

    Returns
    -------
    list of Closest
        By rater code; raters who share too few units with anybody are left out.

    Examples
    --------
    >>> values = [1, 2, 3, 1, 2, 3, 3, 1, 2]
    >>> found = closest_raters(values, [0, 1, 2] * 3, [0, 0, 0, 1, 1, 1, 2, 2, 2], min_shared=3)
    >>> [(row.rater, row.other, row.estimate.value) for row in found]
    [(0, 1, 1.0), (1, 0, 1.0), (2, 0, 0.0)]
    """
    from scipy.sparse import csr_array  # noqa: PLC0415
    from scipy.special import bdtrc  # noqa: PLC0415

    numbers, (unit, rater) = rated(values, units, raters)
    shared = shared_units(numbers, unit, rater)
    if not shared.units.size:
        return []
    scale, codes = value_codes(shared.values)
    n_raters, ones = shared.rater_codes.size, np.ones(shared.units.size, dtype=np.int64)
    cells = shared.units * scale.size + codes
    of_units = csr_array((ones, (shared.raters, shared.units)), shape=(n_raters, shared.n_units))
    of_values = csr_array((ones, (shared.raters, cells)), shape=(n_raters, shared.n_units * scale.size))
    both, equal = (of_units @ of_units.T).tocoo(), (of_values @ of_values.T).tocsr()
    first, other = both.coords
    is_pair = (first != other) & (both.data >= min_shared)
    first, other, n = first[is_pair], other[is_pair], both.data[is_pair]
    order = np.lexsort((other, first))  # of several equally alike raters, the first
    first, other, n = first[order], other[order], n[order]
    if not n.size:
        return []
    n_equal = np.asarray(equal[first, other]).ravel()
    share = n_equal / n
    n_pairs = n.size // 2
    closest = []
    for place in range(n_raters):
        own = np.flatnonzero(first == place)
        if own.size:
            best = own[np.argmax(share[own])]
            beside = [share[(first == x) & (other != y)] for x, y in ((place, other[best]), (other[best], place))]
            p = None
            if min(shares.size for shares in beside) >= min_others:
                usual = max(float(np.median(shares)) for shares in beside)
                p = float(bdtrc(n_equal[best] - 1, n[best], usual))
            estimate = Estimate(float(share[best]), n_ratings=int(n[best]), n_items=int(n[best]), n_raters=2, p=p)
            adjusted = None if p is None else min(1.0, p * n_pairs)
            codes_of = shared.rater_codes
            closest.append(Closest(int(codes_of[place]), int(codes_of[other[best]]), estimate, adjusted))
    return closest
