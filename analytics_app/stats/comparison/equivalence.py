"""Test that two means are equivalent: that their difference is smaller than a margin."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.values import Estimate, Floats, checked_codes, checked_values, compressed, rated

TOO_FEW = "A test needs two texts or more that have scores of both."
ALIKE = "The difference is the same everywhere, so there is no interval; p is that of the exact sign test."

# Differences are alike if they differ by less than this share of the largest.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Equivalence:
    """The test of a difference against a margin.

    Parameters
    ----------
    difference : Estimate
        With the interval of confidence 1 - 2 alpha, and p of the two-sided test that it is 0.
    least_margin : float or None
        The least margin within which the test finds the two equivalent: the end of the interval that is further
        from 0. None without an interval.
    p : float or None
        p of the test that the difference is smaller than the margin, in either direction. None without a margin.
    """

    difference: Estimate
    least_margin: float | None
    p: float | None


def mean_of_differences(differences: ArrayLike, units: ArrayLike) -> Estimate:
    """Return the mean of differences with the standard error and degrees of freedom of Student's paired t test.

    Each difference counts once, and the units that are drawn are items, or documents of several items: the variance is
    that of a ratio estimated from whole clusters [1]_. With one difference for each unit this is the paired t test.

    Parameters
    ----------
    differences : array_like of float, shape (n,)
        NaN where one of the two has no value.
    units : array_like of int, shape (n,)
        Code of the unit of each difference, from 0.

    Returns
    -------
    Estimate
        `p` tests 0, two-sided. Where all differences are alike there is no standard error, and p is that of the exact
        sign test: 1 if they are zero, else 2^(1 - n units). With fewer than two units there is a value at most.

    Raises
    ------
    ValueError
        Wrong shapes or codes.

    References
    ----------
    .. [1] W. G. Cochran (1977). Sampling Techniques, 3rd edition. Wiley, section 3.12.

    Examples
    --------
    >>> mean = mean_of_differences([1, 2, 3, 4, 5], range(5))
    >>> mean.value, round(mean.se, 4), mean.df
    (3.0, 0.7071, 4.0)
    """
    # Lazy import: scipy.stats takes a second to load, and web processes never run tests.
    from scipy.stats import t as student  # noqa: PLC0415

    everything = checked_values(differences)
    numbers, (unit,) = rated(everything, checked_codes(units, everything.size))
    codes, places = compressed(unit)
    n = codes.size
    mean = float(numbers.mean()) if numbers.size else None
    if n < 2 or mean is None:
        return Estimate(mean, n_items=int(numbers.size), note=TOO_FEW)
    estimate = Estimate(mean, n_items=int(numbers.size))
    if float(np.ptp(numbers)) <= _ROUNDING * max(float(np.abs(numbers).max()), 1.0):
        return replace(estimate, df=float(n - 1), se=0.0, p=_sign_p(numbers, n), note=ALIKE)
    sums = np.bincount(places, weights=numbers - mean, minlength=n)
    se = float((n / (n - 1) * (sums**2).sum()) ** 0.5 / numbers.size)
    return replace(estimate, se=se, df=float(n - 1), p=float(2 * student.sf(abs(mean) / se, n - 1)))


def _sign_p(numbers: Floats, n: int) -> float:
    return 1.0 if abs(float(numbers[0])) <= _ROUNDING else float(min(1.0, 2.0 ** (1 - n)))


def equivalence(difference: Estimate, margin: float | None, *, alpha: float) -> Equivalence:
    """Test that a difference lies within a margin by two one-sided tests (TOST) [1]_.

    Parameters
    ----------
    difference : Estimate
        With `value`, `se` and `df`; a standard error of 0 says that all differences are alike, and `df` is then the
        number of units less 1.
    margin : float or None
        The largest difference, in either direction, that counts as none; above 0. None where none was declared.
    alpha : float
        Level of each of the two tests, below 0.5.

    Returns
    -------
    Equivalence
        The two are equivalent at the level alpha if p is at most alpha or, which is the same, if the interval lies
        within the margin. Where all differences are alike and within the margin, p is 0.5^n: if the median difference
        were the margin or larger, each of n units would lie within it with a chance of one half at most.

    Raises
    ------
    ValueError
        A margin that is not above 0, or alpha outside 0 to 0.5.

    References
    ----------
    .. [1] D. J. Schuirmann (1987). A comparison of the two one-sided tests procedure and the power approach for
       assessing the equivalence of average bioavailability. Journal of Pharmacokinetics and Biopharmaceutics 15(6),
       657-680.

    Examples
    --------
    >>> test = equivalence(Estimate(0.1, se=0.1, df=20), 0.5, alpha=0.05)
    >>> round(test.p, 5), round(test.least_margin, 4)
    (0.00035, 0.2725)
    """
    from scipy.stats import t as student  # noqa: PLC0415  see above

    if margin is not None and not margin > 0:
        raise ValueError(f"A margin is above 0, not {margin}.")
    if not 0 < alpha < 0.5:
        raise ValueError(f"alpha is between 0 and 0.5, not {alpha}.")
    value, se, df = difference.value, difference.se, difference.df
    if value is None or se is None or df is None:
        return Equivalence(replace(difference, low=None, high=None), None, None)
    if se == 0:
        within = margin is not None and abs(value) < margin
        p = None if margin is None else float(0.5 ** (df + 1)) if within else 1.0
        return Equivalence(replace(difference, low=None, high=None, se=None, df=None), abs(value), p)
    half = float(student.isf(alpha, df)) * se
    p = None if margin is None else float(student.sf((margin - abs(value)) / se, df))
    shown = replace(difference, low=value - half, high=value + half)
    return Equivalence(shown, abs(value) + half, p)
