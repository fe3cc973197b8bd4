"""Ratios of the mean counts of systems, with raters and items both random."""

from dataclasses import replace
from math import log

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.mixed.crossed import compare_crossed
from analytics_app.stats.mixed.results import CrossedComparison, CrossedPair, estimate
from analytics_app.stats.resampling.pair_sums import Pairs
from analytics_app.stats.values import Estimate, Floats, checked_codes, checked_values, joined

ALL_ZERO = "All counts of a system are 0, so there is no ratio; see the difference of the means."


def compare_rates(
    counts: ArrayLike,
    systems: ArrayLike,
    items: ArrayLike,
    raters: ArrayLike,
    *,
    n_systems: int,
    pairs: Pairs,
    confidence: float,
    clusters: ArrayLike | None = None,
) -> CrossedComparison:
    """Compare counts of systems by ratios of their means, so that conclusions hold for further raters and items.

    The estimate is that of a log-linear model with an effect of each system, in complete data the maximum likelihood
    of Poisson and of negative binomial regression alike: the ratio of means. Its variance is not that of a Poisson
    distribution, which counts by people exceed, but quasi-likelihood's [1]_: each count is divided by the mean of its
    system, and the differences of these are those of `compare_crossed`, with its terms of raters and items, so that
    the standard error of the logarithm of the ratio follows to first order (delta method).

    Parameters
    ----------
    counts : array_like of float, shape (n,)
        Numbers from 0 on; NaN = not counted.
    systems, items, raters, n_systems, pairs, confidence, clusters
        As in `compare_crossed`.

    Returns
    -------
    CrossedComparison
        `means` are mean counts. The difference of a pair is the *logarithm* of the ratio of a's mean to b's, with `se`
        and `df`; p tests a ratio of 1. It has no value where a system has no count above 0.

    Raises
    ------
    ValueError
        As `compare_crossed`, and for a count below 0.

    References
    ----------
    .. [1] R. W. M. Wedderburn (1974). Quasi-likelihood functions, generalized linear models, and the Gauss-Newton
       method. Biometrika 61(3), 439-447.

    Examples
    --------
    >>> found = compare_rates(
    ...     [2, 4, 3, 5, 4, 9, 2, 3, 3, 7, 4, 8], [0, 1] * 6, [0, 0, 1, 1, 2, 2] * 2, [0] * 6 + [1] * 6,
    ...     n_systems=2, pairs=[(1, 0)], confidence=0.95,
    ... )
    >>> round(float(np.exp(found.pairs[0].difference.value)), 3)
    2.0
    """
    numbers = checked_values(counts)
    if (numbers < 0).any():
        raise ValueError("A count is at least 0.")
    about = {"n_systems": n_systems, "pairs": pairs, "confidence": confidence, "clusters": clusters}
    comparison = compare_crossed(numbers, systems, items, raters, **about)  # type: ignore[arg-type]
    means = np.array([mean.value if mean.value is not None else np.nan for mean in comparison.means])
    positive = np.where(means > 0, means, np.nan)
    system = checked_codes(systems, numbers.size, below=n_systems)
    relative = compare_crossed(numbers / positive[system], systems, items, raters, **about)  # type: ignore[arg-type]
    pairs_of_logs = tuple(_of_logs(pair, positive, confidence) for pair in relative.pairs)
    return replace(relative, means=comparison.means, pairs=pairs_of_logs)


def _of_logs(pair: CrossedPair, means: Floats, confidence: float) -> CrossedPair:
    """Return a pair of systems with the logarithm of the ratio of their means, from that of counts over means."""
    spread = pair.difference
    numbers = {"n_ratings": spread.n_ratings or 0, "n_items": spread.n_items or 0, "n_raters": spread.n_raters or 0}
    if np.isnan(means[[pair.a, pair.b]]).any():
        return CrossedPair(pair.a, pair.b, Estimate(None, note=joined(ALL_ZERO), **numbers))
    value = log(means[pair.a] / means[pair.b])
    if spread.se is None or spread.df is None:
        note = spread.note or "Counts of each system are all alike, so there is no interval."
        return CrossedPair(pair.a, pair.b, Estimate(value, note=note, **numbers))
    ratio = estimate(value, spread.se, spread.df, confidence, numbers, tested=0.0, note=spread.note)
    return CrossedPair(pair.a, pair.b, ratio)
