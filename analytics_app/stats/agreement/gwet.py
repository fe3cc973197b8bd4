"""Gwet's AC1 and AC2: agreement beyond chance that does not collapse where one category is common."""

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.agreement.counted import Counted, of_categories
from analytics_app.stats.resampling.bootstrap import check_settings
from analytics_app.stats.values import Estimate, Floats

Weights = Literal["identity", "linear", "quadratic", "ordinal"]

NO_SPREAD = "No interval: all texts add the same to the coefficient, so its standard error is 0."
# A standard error below this is a rounding error.
_NO_ERROR = 1e-12
ONE_CATEGORY = "All ratings are the same and no other category is known, so AC is undefined."
ALL_SAME = "All ratings are the same: nothing shows that raters can tell texts apart, so there is no interval."


def similarity(scale: Floats, weights: Weights) -> Floats:
    """Return how far two categories count as the same, shape (q, q): 1 for the same, 0 for the most distant.

    "linear" and "quadratic" use the numbers of the scale, "ordinal" only their ranks [1]_.

    References
    ----------
    .. [1] K. L. Gwet (2014). Handbook of Inter-Rater Reliability, 4th ed., chapter 3. Advanced Analytics.

    Examples
    --------
    >>> similarity(np.array([1.0, 2.0, 3.0]), "ordinal").round(3).tolist()[0]
    [1.0, 0.667, 0.0]
    """
    if weights == "identity":
        return np.eye(scale.size)
    steps = np.abs(np.subtract.outer(np.arange(scale.size), np.arange(scale.size)))
    if weights == "ordinal":
        pairs = steps * (steps + 1) / 2
        return np.asarray(1 - pairs / pairs.max())
    away = np.abs(np.subtract.outer(scale, scale)) / np.ptp(scale)
    return np.asarray(1 - (away if weights == "linear" else away**2))


def gwet_ac(
    values: ArrayLike,
    units: ArrayLike,
    *,
    domain: ArrayLike | None = None,
    weights: Weights = "identity",
    raters: ArrayLike | None = None,
    confidence: float = 0.95,
) -> Estimate:
    """Gwet's AC1 ("identity") or AC2 (other weights), with its standard error over texts [1]_ [2]_.

    AC = (pa - pe) / (1 - pe), where pa is the (weighted) percent agreement over texts with two ratings or more, pe =
    T / (q (q - 1)) sum(pi (1 - pi)), pi the mean over all texts of the share of ratings in a category, q the number of
    categories of the whole scale and T the sum of the weights.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        Codes of labels, or steps of a scale; NaN = not rated.
    units : array_like of int, shape (n,)
        Code from 0 of the rated text; at most one rating per rater.
    domain : array_like of float, shape (q,), optional
        The whole scale in its order: categories that nobody used count in q. None takes the used categories.
    weights : {"identity", "linear", "quadratic", "ordinal"}
    raters : array_like of int, shape (n,), optional
        Only to count the raters.
    confidence : float

    Returns
    -------
    Estimate
        Limits by the t distribution with n - 1 degrees of freedom, n texts, cut at -1 and 1. None where no text has two
        ratings, or the scale has one category.

    References
    ----------
    .. [1] K. L. Gwet (2008). Computing inter-rater reliability and its variance in the presence of high agreement.
       British Journal of Mathematical and Statistical Psychology 61, 29-48.
    .. [2] K. L. Gwet (2014). Handbook of Inter-Rater Reliability, 4th ed. Advanced Analytics.

    Examples
    --------
    >>> round(gwet_ac([1, 1, 2, 2, 3, 1], [0, 0, 1, 1, 2, 2]).value, 4)
    0.52
    """
    if weights not in get_args(Weights):
        raise ValueError(f"The weights are one of {', '.join(get_args(Weights))}, not {weights!r}.")
    check_settings(0, confidence)
    table = of_categories(values, units, what="AC", domain=domain, raters=raters)
    if isinstance(table, Estimate):
        return table
    q = table.scale.size
    if q < 2:
        return table.estimate(None, note=ONE_CATEGORY)
    similar = similarity(table.scale, weights)
    times, sizes = table.times, table.sizes
    n = times.sum()
    several = sizes > 1
    shares = np.where(several, table.agreement(similar), 0.0)
    observed = (times * shares).sum() / times[several].sum()
    prevalence = times @ (table.table / sizes[:, np.newaxis]) / n
    spread = similar.sum() / (q * (q - 1))
    expected = spread * (prevalence * (1 - prevalence)).sum()
    value = float((observed - expected) / (1 - expected))
    if n < 2:
        return table.estimate(value, note="One text gives no interval.")
    own = (n / times[several].sum()) * (shares - expected * several) / (1 - expected)
    by_chance = spread * (table.table @ (1 - prevalence)) / sizes
    pull = own - 2 * (1 - value) * (by_chance - expected) / (1 - expected)
    se = float(np.sqrt((times * (pull - value) ** 2).sum() / (n * (n - 1))))
    if se <= _NO_ERROR:
        return table.estimate(value, note=ALL_SAME if (prevalence > 0).sum() == 1 else NO_SPREAD)
    return _with_limits(table, value, se, float(n - 1), confidence)


def _with_limits(table: Counted, value: float, se: float, df: float, confidence: float) -> Estimate:
    # Lazy import: web processes import this module but never compute limits.
    from scipy.special import stdtrit  # noqa: PLC0415

    width = float(stdtrit(df, 0.5 + confidence / 2)) * se
    return table.estimate(value, low=max(-1.0, value - width), high=min(1.0, value + width), se=se, df=df)
