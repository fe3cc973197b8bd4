"""Compare systems with raters and items both random: two-way cluster-robust covariance."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analytics_app.stats.mixed.results import (
    NOTHING,
    ROBUST,
    CrossedComparison,
    CrossedPair,
    Ratings,
    counts,
    estimate,
    in_own_unit,
    near_one,
    ratings,
)
from analytics_app.stats.resampling.pair_sums import Pairs
from analytics_app.stats.values import Estimate, Floats, narrow_places

_RULE = "Degrees of freedom: the effective number of raters or of items, whichever is smaller, less 1."
_TOO_FEW = "An interval takes at least two items, or documents, and two raters."

_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class _Part:
    """Ratings of one system: sums to a mean with weights that add up to 1.

    `item` is the document where there is one, and `both` numbers the combinations of item and rater.
    """

    values: Floats
    cell_item: NDArray[np.int32]
    item: NDArray[np.int32]
    rater: NDArray[np.int32]
    both: NDArray[np.int32]


def compare_crossed_robust(
    values: ArrayLike,
    systems: ArrayLike,
    items: ArrayLike,
    raters: ArrayLike,
    *,
    n_systems: int,
    pairs: Pairs,
    confidence: float,
    clusters: ArrayLike | None = None,
) -> CrossedComparison:
    """Compare means, shares (values 0 and 1) or counts of systems by a covariance clustered by item and by rater [1]_.

    The mean of a system is that of its ratings. A difference is the mean over the items that have ratings of both
    systems, in which every item counts alike; without such items it is the difference of the means. Parameters, return
    value and errors are those of `compare_crossed`; with `clusters`, documents take the place of items.

    Notes
    -----
    The variance is that by items plus that by raters less that by their combinations, and not less than either of the
    first two. Each is divided by its expectation where only one effect of its groups and the system exists, which is
    (G - 1) / G of the truth for G groups of equal weight. The effective number of groups is that of equal groups with
    the same concentration of squared weights [2]_.

    References
    ----------
    .. [1] A. C. Cameron, J. B. Gelbach and D. L. Miller (2011). Robust inference with multiway clustering. Journal of
       Business and Economic Statistics 29(2), 238-249.
    .. [2] A. V. Carter, K. T. Schnepel and D. G. Steigerwald (2017). Asymptotic behavior of a t-test robust to cluster
       heterogeneity. Review of Economics and Statistics 99(4), 698-709.

    Examples
    --------
    >>> found = compare_crossed_robust(
    ...     [1, 0, 1, 1, 1, 0, 1, 0], [0, 1] * 4, [0, 0, 1, 1] * 2, [0] * 4 + [1] * 4,
    ...     n_systems=2, pairs=[(0, 1)], confidence=0.95,
    ... )
    >>> found.means[1].value, found.pairs[0].difference.value, found.pairs[0].difference.df
    (0.25, 0.75, 1.0)
    """
    given, exponent = near_one(ratings(values, systems, items, raters, n_systems, pairs, confidence, clusters))
    return in_own_unit(robust_comparison(given), exponent)


def robust_comparison(given: Ratings) -> CrossedComparison:
    """Compare systems as `compare_crossed_robust` does, by ratings scaled to at most about 1, and in that unit."""
    parts = _parts(given)
    means = tuple(_mean(given, system, part) for system, part in enumerate(parts))
    pairs = tuple(CrossedPair(a, b, _difference(given, (a, b), parts)) for a, b in given.pairs.tolist())
    return CrossedComparison(ROBUST, means, pairs, df_rule=_RULE, note=None if given.values.size else NOTHING)


def _parts(given: Ratings) -> list[_Part]:
    if not given.values.size:
        return [_Part(given.values, *(np.zeros(0, dtype=np.int32),) * 4)] * given.n_systems
    cell_item, rater = narrow_places(given.item), narrow_places(given.rater)
    item = cell_item if given.cluster is None else narrow_places(given.cluster)
    key = item.astype(np.intp)
    key *= int(rater.max()) + 1
    key += rater
    both = narrow_places(key)
    del key
    order = np.argsort(given.system, kind="stable")
    ends = np.cumsum(np.bincount(given.system, minlength=given.n_systems))[:-1]
    values = np.split(given.values[order], ends)
    codes = zip(*(np.split(column[order], ends) for column in (cell_item, item, rater, both)), strict=True)
    return [_Part(numbers, *of_part) for numbers, of_part in zip(values, codes, strict=True)]


def _mean(given: Ratings, system: int, part: _Part) -> Estimate:
    numbers = counts(given, system)
    if not part.values.size:
        return Estimate(None, note=NOTHING, **numbers)
    weights = np.full(part.values.size, 1 / part.values.size)
    value, spread = float(weights @ part.values), _spread([(part, weights, 1.0)])
    if spread is None:
        return Estimate(value, note=_TOO_FEW, **numbers)
    return estimate(value, *spread, given.confidence, numbers, tested=None)


def _difference(given: Ratings, pair: tuple[int, int], parts: list[_Part]) -> Estimate:
    numbers = counts(given, *pair)
    chosen = [parts[system] for system in pair]
    if not all(part.values.size for part in chosen):
        return Estimate(None, note=NOTHING, **numbers)
    size = 1 + max(int(part.cell_item.max()) for part in chosen)
    sizes = [np.bincount(part.cell_item, minlength=size) for part in chosen]
    shared = (sizes[0] > 0) & (sizes[1] > 0)
    weighted = []
    for part, n, sign in zip(chosen, sizes, (1.0, -1.0), strict=True):
        if shared.any():
            weights = shared[part.cell_item] / n[part.cell_item] / np.count_nonzero(shared)
        else:
            weights = np.full(part.values.size, 1 / part.values.size)
        weighted.append((part, weights, sign))
    value = float(sum(sign * (weights @ part.values) for part, weights, sign in weighted))
    spread = _spread(weighted)
    if spread is None:
        return Estimate(value, note=_TOO_FEW, **numbers)
    return estimate(value, *spread, given.confidence, numbers, tested=0.0)


def _spread(weighted: list[tuple[_Part, Floats, float]]) -> tuple[float, float] | None:
    """Return the standard error and the degrees of freedom of a sum of weighted means, or None with too few groups."""
    scores = [sign * weights * (part.values - weights @ part.values) for part, weights, sign in weighted]
    by_item = _clustered([(part.item, weights) for part, weights, _sign in weighted], scores)
    by_rater = _clustered([(part.rater, weights) for part, weights, _sign in weighted], scores)
    by_both = _clustered([(part.both, weights) for part, weights, _sign in weighted], scores)
    if by_item is None or by_rater is None or by_both is None:
        return None
    variance = max(by_item[0] + by_rater[0] - by_both[0], by_item[0], by_rater[0])
    # Ratings that are all the same leave rounding errors.
    if variance**0.5 <= _ROUNDING * max(float(np.abs(part.values).max()) for part, _weights, _sign in weighted):
        variance = 0.0
    return float(variance**0.5), float(max(1.0, min(by_item[1], by_rater[1]) - 1))


def _clustered(groups: list[tuple[NDArray[np.int32], Floats]], scores: list[Floats]) -> tuple[float, float] | None:
    """Return the corrected variance by these groups and their effective number; None where a system has one only."""
    size = 1 + max(int(codes.max()) for codes, _weights in groups)
    sums, squares, expected, concentration = np.zeros(size), 0.0, 0.0, np.zeros(size)
    for (codes, weights), score in zip(groups, scores, strict=True):
        sums += np.bincount(codes, score, size)
        shares = np.bincount(codes, weights, size)
        own = shares**2
        total = own.sum()
        squares += float(total)
        # own - 2 own shares + own total, in few arrays: there may be as many groups as ratings.
        twice = 2 * own
        twice *= shares
        np.subtract(own, twice, out=twice)
        twice += np.multiply(own, total, out=shares)
        expected += float(twice.sum())
        concentration += own
    if expected <= 1e-9 * squares:
        return None
    effective = float(concentration.sum() ** 2 / (concentration**2).sum())
    return float((sums**2).sum()) * squares / expected, effective
