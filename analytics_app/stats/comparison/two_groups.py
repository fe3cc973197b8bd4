"""Two independent groups compared by means and by ranks."""

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.comparison.change import ALL_ALIKE, SAME, Compared, tested, untested, welch, without_nan
from analytics_app.stats.comparison.noncentral import noncentral_limits
from analytics_app.stats.values import Estimate, Floats

_FEW = "Each group needs at least two answers."


def difference_of_means(a: ArrayLike, b: ArrayLike, *, confidence: float = 0.95) -> Compared:
    """Mean of group A minus that of group B, by Welch's t test; `effect` is Hedges's g [1]_.

    The limits of g are those of the noncentral t distribution, which takes the variances as equal.

    Parameters
    ----------
    a : array_like of float, shape (n_a,)
    b : array_like of float, shape (n_b,)
        NaN = missing; those are left out.
    confidence : float

    Returns
    -------
    Compared

    References
    ----------
    .. [1] L. V. Hedges (1981). Distribution theory for Glass's estimator of effect size and related estimators.
       Journal of Educational Statistics 6(2), 107-128.

    Examples
    --------
    >>> found = difference_of_means([30, 25, 33, 28], [24, 27, 22, 25])
    >>> found.estimate.value, round(found.t, 3), round(found.estimate.df, 2), round(found.effect.value, 3)
    (4.5, 2.274, 5.0, 1.398)
    """
    x, y = without_nan(a), without_nan(b)
    n = x.size + y.size
    if min(x.size, y.size) < 2:
        return untested(n, _FEW, float(x.mean() - y.mean()) if min(x.size, y.size) else None)
    value = float(x.mean() - y.mean())
    largest = float(np.abs(np.r_[x, y]).max())
    if max(np.ptp(x), np.ptp(y)) <= SAME * max(1.0, largest):
        return untested(n, "In each group everybody gave the same answer, so there is no test.", value)
    return tested(value, *welch(x, y), n, confidence, _hedges(value, x, y, confidence))


def _hedges(value: float, x: Floats, y: Floats, confidence: float) -> Estimate:
    df = x.size + y.size - 2
    pooled = np.sqrt(((x.size - 1) * x.var(ddof=1) + (y.size - 1) * y.var(ddof=1)) / df)
    per_t = float(np.sqrt(1 / x.size + 1 / y.size))
    g = float(value / pooled)
    low, high = noncentral_limits(g / per_t, df, confidence=confidence)
    correction = 1 - 3 / (4 * df - 1)
    return Estimate(
        g * correction, low=low * per_t * correction, high=high * per_t * correction, n_raters=x.size + y.size
    )


def higher_answers(a: ArrayLike, b: ArrayLike) -> Estimate:
    """Probability that an answer of group A is above one of group B, ties counting half, by the Mann-Whitney test [1]_.

    Parameters
    ----------
    a : array_like of float, shape (n_a,)
    b : array_like of float, shape (n_b,)
        NaN = missing; those are left out.

    Returns
    -------
    Estimate
        0.5 means no difference. `p` is two-sided, exact where a group has at most eight answers and none are tied,
        otherwise normal with correction for ties and continuity.

    References
    ----------
    .. [1] H. B. Mann and D. R. Whitney (1947). On a test of whether one of two random variables is stochastically
       larger than the other. Annals of Mathematical Statistics 18(1), 50-60.

    Examples
    --------
    >>> higher_answers([3, 4, 5], [1, 2, 3]).value.__round__(3)
    0.944
    """
    x, y = without_nan(a), without_nan(b)
    n = x.size + y.size
    if min(x.size, y.size) < 2:
        return Estimate(None, n_raters=n, note=_FEW)
    if np.ptp(np.r_[x, y]) == 0:
        return Estimate(0.5, n_raters=n, note=ALL_ALIKE)
    # Lazy import: scipy.stats takes a second to load, and only a test needs it.
    from scipy.stats import mannwhitneyu  # noqa: PLC0415

    result = mannwhitneyu(x, y, alternative="two-sided", method="auto")
    return Estimate(float(result.statistic / (x.size * y.size)), p=float(result.pvalue), n_raters=n)
