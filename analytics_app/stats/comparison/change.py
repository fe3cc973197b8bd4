"""Change between two times, within a group and between two groups, raw and adjusted for the first score."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.comparison.noncentral import noncentral_limits
from analytics_app.stats.values import Estimate, Floats, checked_values

# Differences that vary less than this, relative to their size, differ by rounding only.
SAME = 1e-12
# The limits of two scores are twelve standard errors wide, which is useless.
_FEWEST = 3
# The variance of d_ppc2 divides by the degrees of freedom less two.
_LEAST_DF = 2
ALL_ALIKE = "Everybody gave the same answer, so there is no test."
_FEW = "Each group takes at least two people who answered both times."


@dataclass(frozen=True, slots=True)
class Compared:
    """A mean or a difference with its limits and test, its Student's t, and a standardised effect size."""

    estimate: Estimate
    t: float | None
    effect: Estimate


def mean_with_limits(values: ArrayLike, *, confidence: float = 0.95) -> Estimate:
    """Mean of one value per person, with limits by Student's t.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        NaN = missing; those are left out.
    confidence : float

    Returns
    -------
    Estimate
        `n_raters` counts the values; a single value has no limits. There is no p, since 0 is no hypothesis here.

    Examples
    --------
    >>> mean = mean_with_limits([30, 25, 33, 28])
    >>> mean.value, round(mean.low, 2), round(mean.high, 2)
    (29.0, 23.64, 34.36)
    """
    numbers = without_nan(values)
    n = numbers.size
    if not n:
        return Estimate(None, n_raters=0, note="Nobody has this score.")
    if n < 2:
        return Estimate(float(numbers[0]), n_raters=1, note="One score has no interval.")
    if n < _FEWEST:
        few_note = f"{n} scores: too few for an interval."
        return Estimate(float(numbers.mean()), se=float(numbers.std(ddof=1) / np.sqrt(n)), n_raters=n, note=few_note)
    if _alike(numbers):
        return Estimate(float(numbers[0]), n_raters=n, note=f"All {n} values are the same: no interval.")
    mean, se = float(numbers.mean()), float(numbers.std(ddof=1) / np.sqrt(n))
    return _with_limits(Estimate(mean, se=se, df=n - 1, n_raters=n), confidence)


def paired_change(before: ArrayLike, after: ArrayLike, *, confidence: float = 0.95) -> Compared:
    """Mean change of the same people, by the paired t test; `effect` is d_z, the mean over the SD of the changes.

    The limits of d_z are those of the noncentral t distribution.

    Parameters
    ----------
    before, after : array_like of float, shape (n,)
        Aligned; people who lack one of the two are left out.
    confidence : float

    Returns
    -------
    Compared

    Raises
    ------
    ValueError
        Different shapes, infinite values, or a confidence that is not between 0 and 1.

    References
    ----------
    .. [1] D. Lakens (2013). Calculating and reporting effect sizes to facilitate cumulative science. Frontiers in
       Psychology 4, 863 (d_z, equation 6).

    Examples
    --------
    >>> found = paired_change([30, 25, 33, 28], [33, 27, 32, 31])
    >>> found.estimate.value, round(found.t, 4), found.estimate.df
    (1.75, 1.8489, 3.0)
    """
    x, y = _aligned(before, after)
    differences = (y - x)[~np.isnan(x + y)]
    n = differences.size
    if not n:
        return untested(0, "Nobody answered both times.")
    mean = float(differences.mean())
    if n < 2:
        return untested(1, "One person's change has neither interval nor test.", mean)
    if _alike(differences):
        return untested(n, "Everybody changed by the same amount, so there is no test.", mean)
    sd = float(differences.std(ddof=1))
    return tested(mean, sd / np.sqrt(n), n - 1, n, confidence, _scaled(mean / sd, 1 / np.sqrt(n), n - 1, n, confidence))


def difference_of_changes(
    before_a: ArrayLike, after_a: ArrayLike, before_b: ArrayLike, after_b: ArrayLike, *, confidence: float = 0.95
) -> Compared:
    """Difference between the mean changes of groups A and B, with Welch's t test on the changes.

    `effect` is Morris's d_ppc2 [1]_: the difference of the mean changes over the pooled SD before, times Hedges's
    correction ``1 - 3 / (4 (n_a + n_b - 2) - 1)``. Positive where A rose more, or fell less. Its limits are those of
    the normal distribution with the variance of equation 25, where the correlation of the two times is the one
    within groups; they take five people.

    Parameters
    ----------
    before_a, after_a : array_like of float, shape (n_a,)
    before_b, after_b : array_like of float, shape (n_b,)
        Aligned within a group; people who lack one of the two are left out.
    confidence : float

    Returns
    -------
    Compared

    References
    ----------
    .. [1] S. B. Morris (2008). Estimating effect sizes from pretest-posttest-control group designs. Organizational
       Research Methods 11, 364-386, equations 8 and 25.

    Examples
    --------
    >>> found = difference_of_changes([30, 25, 33], [33, 28, 35], [31, 26, 32], [31, 27, 31])
    >>> round(found.estimate.value, 3), round(found.t, 3), round(found.effect.value, 3)
    (2.667, 4.0, 0.584)
    """
    (first_a, second_a), (first_b, second_b) = _complete(before_a, after_a), _complete(before_b, after_b)
    change_a, change_b = second_a - first_a, second_b - first_b
    n_a, n_b = change_a.size, change_b.size
    n = n_a + n_b
    if min(n_a, n_b) < 2:
        return untested(n, _FEW, float(change_a.mean() - change_b.mean()) if min(n_a, n_b) else None)
    value = float(change_a.mean() - change_b.mean())
    effect = _morris(value, (first_a, second_a), (first_b, second_b), confidence)
    if _alike(change_a) and _alike(change_b):
        return untested(n, "In each group everybody changed by the same amount, so there is no test.", value, effect)
    return tested(value, *welch(change_a, change_b), n, confidence, effect)


def adjusted_difference(
    before_a: ArrayLike, after_a: ArrayLike, before_b: ArrayLike, after_b: ArrayLike, *, confidence: float = 0.95
) -> Compared:
    """Difference between groups A and B at the end, adjusted for the first score: analysis of covariance.

    Least squares on ``after = b0 + b1 [in A] + b2 before``; b1 with n - 3 degrees of freedom. The change in place of
    `after` would give the same. `effect` is b1 over the residual SD of the model, with the limits of the noncentral
    t distribution.

    Parameters
    ----------
    before_a, after_a : array_like of float, shape (n_a,)
    before_b, after_b : array_like of float, shape (n_b,)
        Aligned within a group; people who lack one of the two are left out.
    confidence : float

    Returns
    -------
    Compared

    References
    ----------
    .. [1] A. J. Vickers and D. G. Altman (2001). Analysing controlled trials with baseline and follow up measurements.
       BMJ 323, 1123-1124.

    Examples
    --------
    >>> found = adjusted_difference([30, 25, 33, 28], [33, 28, 35, 31], [31, 26, 32, 29], [31, 27, 31, 30])
    >>> round(found.estimate.value, 3), found.estimate.df
    (2.405, 5.0)
    """
    (first_a, second_a), (first_b, second_b) = _complete(before_a, after_a), _complete(before_b, after_b)
    n = first_a.size + first_b.size
    if min(first_a.size, first_b.size) < 2 or n < 4:
        return untested(n, _FEW)
    before, after = np.concatenate([first_a, first_b]), np.concatenate([second_a, second_b])
    if _alike(before):
        return untested(n, "Everybody began with the same score, so there is nothing to adjust for.")
    in_a = np.r_[np.ones(first_a.size), np.zeros(first_b.size)]
    design = np.column_stack([np.ones(n), in_a, before - before.mean()])
    if np.linalg.matrix_rank(design) < 3:
        return untested(n, "The groups began at one score each, so that adjusting for it leaves no difference to see.")
    weights = np.linalg.solve(design.T @ design, design.T @ after)
    residuals = after - design @ weights
    value, df = float(weights[1]), n - 3
    spread = float(residuals @ residuals) / df
    if spread <= SAME * max(1.0, float(after.var())):
        return untested(n, "Group and beginning say the end exactly, so there is no test.", value)
    se = float(np.sqrt(spread * np.linalg.inv(design.T @ design)[1, 1]))
    sd = float(np.sqrt(spread))
    return tested(value, se, df, n, confidence, _scaled(value / sd, se / sd, df, n, confidence))


def untested(n: int, note: str, value: float | None = None, effect: Estimate | None = None) -> Compared:
    """Return a value that has no test, with the reason; without an effect size that is the reason for that, too."""
    return Compared(Estimate(value, n_raters=n, note=note), None, effect or Estimate(None, n_raters=n, note=note))


def welch(a: Floats, b: Floats) -> tuple[float, float]:
    """Return the standard error of the difference of two means, and Welch's degrees of freedom."""
    part_a, part_b = (float(values.var(ddof=1)) / values.size for values in (a, b))
    df = (part_a + part_b) ** 2 / (part_a**2 / (a.size - 1) + part_b**2 / (b.size - 1))
    return float(np.sqrt(part_a + part_b)), df


def tested(value: float, se: float, df: float, n: int, confidence: float, effect: Estimate) -> Compared:
    """Return a value with its limits and two-sided p by Student's t, and its effect size."""
    # Web processes import this module and never test anything.
    from scipy.special import stdtr  # noqa: PLC0415

    t = float(value / se)
    p = min(1.0, float(2 * stdtr(df, -abs(t))))
    return Compared(_with_limits(Estimate(value, se=se, df=df, p=p, n_raters=n), confidence), t, effect)


def _with_limits(estimate: Estimate, confidence: float) -> Estimate:
    if not 0 < confidence < 1:
        raise ValueError(f"The confidence is between 0 and 1, not {confidence}.")
    from scipy.special import stdtrit  # noqa: PLC0415

    if estimate.value is None or estimate.se is None or estimate.df is None:
        raise ValueError("Limits are of a value with a standard error.")
    width = float(stdtrit(estimate.df, 0.5 + confidence / 2)) * estimate.se
    return replace(estimate, low=estimate.value - width, high=estimate.value + width)


def _scaled(effect: float, per_t: float, df: float, n: int, confidence: float) -> Estimate:
    """Return an effect size that is t times `per_t`, with its limits."""
    low, high = noncentral_limits(effect / per_t, df, confidence=confidence)
    return Estimate(effect, low=low * per_t, high=high * per_t, n_raters=n)


def _morris(value: float, a: tuple[Floats, Floats], b: tuple[Floats, Floats], confidence: float) -> Estimate:
    (before_a, after_a), (before_b, after_b) = a, b
    n_a, n_b = before_a.size, before_b.size
    df = n_a + n_b - 2
    if _alike(before_a) and _alike(before_b):
        return Estimate(None, n_raters=n_a + n_b, note="Everybody of a group began with the same score.")
    pooled = np.sqrt(((n_a - 1) * before_a.var(ddof=1) + (n_b - 1) * before_b.var(ddof=1)) / df)
    correction = 1 - 3 / (4 * df - 1)
    effect = float(value / pooled * correction)
    if df <= _LEAST_DF or (_alike(after_a) and _alike(after_b)):
        return Estimate(effect, n_raters=n_a + n_b, note="Too few people, or too alike, for an interval.")
    moved = 2 * (1 - _correlation_within(a, b)) * (n_a + n_b) / (n_a * n_b)
    variance = correction**2 * df / (df - 2) * (moved + effect**2) - effect**2
    # Lazy import: as in `tested`.
    from scipy.special import ndtri  # noqa: PLC0415

    if variance <= 0:
        return Estimate(effect, n_raters=n_a + n_b, note="Too few people, or too alike, for an interval.")
    width = float(ndtri(0.5 + confidence / 2) * np.sqrt(variance))
    return Estimate(effect, low=effect - width, high=effect + width, n_raters=n_a + n_b)


def _correlation_within(*groups: tuple[Floats, Floats]) -> float:
    """Return the correlation of the two times within groups, from the sums of squares over all groups."""
    centred = [(before - before.mean(), after - after.mean()) for before, after in groups]
    products = sum(float(before @ after) for before, after in centred)
    squares = [sum(float(times[k] @ times[k]) for times in centred) for k in (0, 1)]
    return float(np.clip(products / np.sqrt(squares[0] * squares[1]), -1, 1))


def _alike(values: Floats) -> bool:
    return bool(np.ptp(values) <= SAME * max(1.0, float(np.abs(values).max())))


def without_nan(values: ArrayLike) -> Floats:
    """Return the values that are not missing."""
    numbers = checked_values(values)
    return numbers[~np.isnan(numbers)]


def _aligned(before: ArrayLike, after: ArrayLike) -> tuple[Floats, Floats]:
    x, y = checked_values(before), checked_values(after)
    if x.shape != y.shape:
        raise ValueError(f"There is a score before and after for each person, not {x.size} and {y.size}.")
    return x, y


def _complete(before: ArrayLike, after: ArrayLike) -> tuple[Floats, Floats]:
    x, y = _aligned(before, after)
    complete = ~np.isnan(x + y)
    return x[complete], y[complete]
