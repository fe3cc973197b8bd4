"""Power before a study: a difference of means between systems, for further raters and further items."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import isnan, sqrt

import numpy as np

from analytics_app.stats.values import Floats

# Terms of the expansion of a rounded scale: with half of the variance shared, the rest is below 1e-60.
_TERMS = 200

# What a difference of two means varies by, in the order in which pages list it.
ITEMS, RATERS, RATINGS = "items", "raters", "ratings"


@dataclass(frozen=True, slots=True)
class Assumed:
    """Assumptions about a study that compares the means of systems.

    A rating is difference + item + system x item + rater + rater x system + residual, all normal and independent.

    Parameters
    ----------
    difference : float
        Difference between the first system and all others, which are equal, in units of the scale.
    systems, raters_per_text, raters : int
        Systems compared; raters of each text; raters in all, at least 2, who share the texts of every system evenly.
    sd_item, sd_system_item, sd_rater, sd_rater_system, sd_residual : float
        Standard deviations.
    steps : int
        Steps of the scale to which ratings are rounded and cut, 0 for none.
    middle : float
        Mean rating of the equal systems, as a step from 1; only with steps.

    Raises
    ------
    ValueError
        A standard deviation below 0, nothing that varies, fewer than two systems or raters, or more raters of a text
        than there are.
    """

    difference: float
    systems: int = 2
    raters_per_text: int = 3
    raters: int = 30
    sd_item: float = 0.0
    sd_system_item: float = 0.3
    sd_rater: float = 0.0
    sd_rater_system: float = 0.0
    sd_residual: float = 0.8
    steps: int = 0
    middle: float = 3.0

    def __post_init__(self) -> None:
        spreads = (self.sd_item, self.sd_system_item, self.sd_rater, self.sd_rater_system, self.sd_residual)
        if not all(np.isfinite(sd) and sd >= 0 for sd in spreads) or not np.isfinite(self.difference):
            raise ValueError("Standard deviations are at least 0, and the difference is a number.")
        if not any((self.sd_system_item, self.sd_rater_system, self.sd_residual)):
            raise ValueError("Something must vary: the system x item, rater x system or residual standard deviation.")
        if self.systems < 2 or self.raters_per_text < 1 or self.steps < 0:
            raise ValueError("It takes two systems, a rater of each text, and no fewer than 0 steps.")
        if self.raters < max(2, self.raters_per_text):
            raise ValueError("It takes two raters, and at least as many as each text is to have.")


@dataclass(frozen=True, slots=True)
class Spread:
    """The variation of the difference between the means of two systems from study to study.

    Parameters
    ----------
    difference : float
        Expected difference on the scale: smaller than was assumed where ratings are rounded and cut.
    se : float
        Standard error of the difference, over further raters and items; 0 where every rating is the same step.
    df : float
        Degrees of freedom of its estimate, by Satterthwaite's approximation.
    shares : dict of str to float
        Shares of the squared standard error: "items" (system x item), "raters" (rater x system) and "ratings".
    """

    difference: float
    se: float
    df: float
    shares: dict[str, float]


def spread_of_difference(assumed: Assumed, n_items: int) -> Spread:
    """Return the standard error of a difference of means when raters and items are both random.

    With I items, k raters of each text and R raters in all the squared standard error is
    2 (s2_system_item / I + s2_rater_system / R + s2_residual / (I k)) [1]_. Items and the leniency of raters cancel,
    since every rater has as many texts of each system. Where there are more raters than ratings of a system, I k takes
    the place of R, and leniency no longer cancels.

    Rounding and cutting to steps changes both the difference and the variances. They are those of the rounded normal
    variables, from the Hermite coefficients of the scale.

    Parameters
    ----------
    assumed : Assumed
    n_items : int
        At least 2; every system has a text for each.

    Returns
    -------
    Spread

    References
    ----------
    .. [1] J. Westfall, D. A. Kenny and C. M. Judd (2014). Statistical power and optimal design in experiments in which
       samples of participants respond to samples of stimuli. Journal of Experimental Psychology: General 143(5),
       2020-2045, equation 5 and table 2.

    Examples
    --------
    >>> found = spread_of_difference(Assumed(0.2, sd_rater_system=0.3, raters=10), 100)
    >>> round(found.se, 4), round(found.shares["raters"], 2)
    (0.1551, 0.75)
    """
    if n_items < 2:
        raise ValueError("A comparison of means takes at least two items.")
    difference, of_text, of_taste, of_leniency, residual = _on_the_scale(assumed)
    ratings = n_items * assumed.raters_per_text
    # With fewer ratings of a system than raters nobody is sure to rate two systems.
    residual += of_leniency if assumed.raters > ratings else 0.0
    variances = {ITEMS: of_text, RATERS: of_taste, RATINGS: residual}
    return spread_of_mean(difference, variances, n_items, assumed.raters, ratings, contrasts=assumed.systems - 1)


def spread_of_mean(
    difference: float, variances: Mapping[str, float], n_items: int, raters: int, ratings: int, *, contrasts: int = 1
) -> Spread:
    """Return the spread of an estimate that averages effects of items, of raters and of single ratings.

    The squared standard error is the sum of each variance over the number of its effects. Where there are more raters
    than ratings, the ratings take the place of the raters.

    Parameters
    ----------
    difference : float
        Expected value of the estimate.
    variances : mapping of str to float
        Variances of the effects of "items", "raters" and "ratings".
    n_items, raters, ratings : int
        Items, raters and ratings that each of the contrasts is estimated from.
    contrasts : int
        Independent differences between systems from which the variances are estimated; 1 for a single mean.

    Examples
    --------
    >>> spread_of_mean(0.1, {"items": 0.1, "raters": 0.005, "ratings": 0.3}, 100, 10, 300).se
    0.05
    """
    raters = min(raters, ratings)
    parts = {
        ITEMS: variances[ITEMS] / n_items, RATERS: variances[RATERS] / raters, RATINGS: variances[RATINGS] / ratings,
    }  # fmt: skip
    variance = sum(parts.values())
    if variance <= 0:
        return Spread(difference, 0.0, float(n_items - 1), dict.fromkeys(parts, 0.0))
    df = _degrees(parts, n_items, raters, ratings) * contrasts
    return Spread(difference, sqrt(variance), df, {name: part / variance for name, part in parts.items()})


def _degrees(parts: Mapping[str, float], n_items: int, raters: int, ratings: int) -> float:
    """Return Satterthwaite's degrees of freedom of the squared standard error of two systems' difference.

    It is estimated by the mean squares of system x item and of rater x system, less that of the rest. The subtraction
    can leave fewer than either of the first two has, as where raters have hardly more than one rating of each system;
    these then count.
    """
    own, df_of_rating = parts[RATINGS], max(1, ratings - n_items - raters + 1)
    squares = (parts[ITEMS] + own, parts[RATERS] + own, own)
    counts = (n_items - 1, raters - 1, df_of_rating)
    df = sum(parts.values()) ** 2 / sum(square**2 / n for square, n in zip(squares, counts, strict=True))
    return max(df, float(min(n_items, raters) - 1))


def power_of_means(assumed: Assumed, n_items: int, *, alpha: float) -> float:
    """Return the power of the test of one difference of means, for further raters and further items.

    The difference over its standard error has a noncentral t distribution with Satterthwaite's degrees of freedom.

    Parameters
    ----------
    assumed : Assumed
    n_items : int
        At least 2.
    alpha : float
        Two-sided; divide it by the number of pairs to allow for all of them (Bonferroni, which Holm never falls below).

    Returns
    -------
    float

    Examples
    --------
    >>> round(power_of_means(Assumed(0.2, raters=1000), 100, alpha=0.05), 2)
    0.72
    """
    return t_power(spread_of_difference(assumed, n_items), alpha)


def t_power(spread: Spread, alpha: float) -> float:
    """Return the power of the two-sided t test that a difference with this spread is 0.

    Raises
    ------
    ValueError
        Alpha out of range.

    Examples
    --------
    >>> round(t_power(Spread(0.5, 0.2, 30.0, {}), 0.05), 3)
    0.677
    """
    if not 0 < alpha < 1:
        raise ValueError(f"Alpha is between 0 and 1, not {alpha}.")
    if not spread.se:
        return 0.0 if spread.difference == 0 else 1.0
    return _power_of_t(abs(spread.difference) / spread.se, spread.df, alpha)


def half_width(spread: Spread, *, confidence: float) -> float:
    """Return half the expected width of the confidence interval of a difference, in its units.

    Raises
    ------
    ValueError
        A confidence out of range.

    Examples
    --------
    >>> assumed = Assumed(0.0, sd_rater_system=0.3, raters=10)
    >>> round(half_width(spread_of_difference(assumed, 100), confidence=0.95), 2)
    0.34
    """
    from scipy.special import stdtrit  # noqa: PLC0415  lazy import: scipy loads slowly

    if not 0 < confidence < 1:
        raise ValueError(f"The confidence is between 0 and 1, not {confidence}.")
    return float(spread.se * stdtrit(spread.df, (1 + confidence) / 2))


def _power_of_t(shift: float, df: float, alpha: float) -> float:
    from scipy.special import nctdtr, stdtrit  # noqa: PLC0415  lazy import: scipy loads slowly

    limit = float(stdtrit(df, 1 - alpha / 2))
    missed, against = (float(nctdtr(df, shift, end)) for end in (limit, -limit))
    # scipy has no number for some tails below about 1e-15; against: a significant difference in the wrong direction.
    power = 1 - (0.0 if isnan(missed) else missed) + (0.0 if isnan(against) else against)
    return min(1.0, max(0.0, power))


def _on_the_scale(assumed: Assumed) -> tuple[float, float, float, float, float]:
    """Return the difference, and its variances: system x item, taste, leniency and residual.

    Each variance is that of a difference: between the effects of both on an item, between those for a rater, and so on.
    """
    item, both = assumed.sd_item**2, assumed.sd_system_item**2
    rater, taste, residual = assumed.sd_rater**2, assumed.sd_rater_system**2, assumed.sd_residual**2
    if not assumed.steps:
        return assumed.difference, 2 * both, 2 * taste, 2 * rater, 2 * residual
    total = item + both + rater + taste + residual
    better, other = (
        _rounded(assumed.middle + shift, sqrt(total), assumed.steps) for shift in (assumed.difference, 0.0)
    )
    of_text = _differs(better, other, (item + both) / total, item / total)
    of_taste = _differs(better, other, (rater + taste) / total, rater / total)
    of_leniency = 2 * better.shared_with(other, rater / total)
    within = sum(system.variance - system.shared_with(system, (item + both) / total) for system in (better, other))
    within -= sum(system.shared_with(system, (rater + taste) / total) for system in (better, other))
    return better.mean - other.mean, of_text, of_taste, of_leniency, max(0.0, within)


@dataclass(frozen=True, slots=True)
class _Rounded:
    """Mean and variance of a rounded normal variable, and its Hermite coefficients, shape (_TERMS,)."""

    mean: float
    variance: float
    coefficients: Floats

    def shared_with(self, other: "_Rounded", correlation: float) -> float:
        """Return the covariance with another one where the normal variables have this correlation."""
        powers = correlation ** np.arange(1, _TERMS + 1)
        return float((self.coefficients * other.coefficients * powers).sum())


def _differs(better: _Rounded, other: _Rounded, own: float, common: float) -> float:
    """Return the variance of the difference of two systems' effects, with the correlation of one and of both."""
    alone = better.shared_with(better, own) + other.shared_with(other, own)
    return max(0.0, alone - 2 * better.shared_with(other, common))


@lru_cache(maxsize=256)
def _rounded(mean: float, sd: float, steps: int) -> _Rounded:
    """Round a normal variable to 1, 2, ..., steps.

    The step function is 1 plus, for each cut, the indicator of being above; the Hermite coefficients of an indicator
    are known: the density at the cut times the polynomial of one degree less.
    """
    from scipy.special import ndtr  # noqa: PLC0415  lazy import: scipy loads slowly

    cuts = (np.arange(1, steps) + 0.5 - mean) / sd
    above = ndtr(-cuts)
    expected = 1 + float(above.sum())
    squares = 1 + float(((2 * np.arange(1, steps) + 1) * above).sum())
    density = np.exp(-(cuts**2) / 2) / sqrt(2 * np.pi)
    coefficients = np.zeros(_TERMS)
    # Polynomials divided by the root of their norm, so that they stay within the range of floats.
    last, now = np.zeros_like(cuts), density
    for degree in range(1, _TERMS + 1):
        coefficients[degree - 1] = float(now.sum()) / sqrt(degree)
        last, now = now, (cuts * now - sqrt(degree - 1) * last) / sqrt(degree)
    return _Rounded(expected, max(0.0, squares - expected**2), coefficients)
