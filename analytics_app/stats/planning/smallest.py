"""The smallest effect, and the smallest study, with a given power: inverses of the power functions."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from analytics_app.stats.planning.discrimination_power import power_of_difference
from analytics_app.stats.planning.power import Assumed, power_of_means
from analytics_app.stats.planning.sign_power import power_of_sign_test

# So many numbers are all tried; of a longer range as many as the second says.
_ALL, _TRIED = 100, 60
# Effects are found to this precision; the power at the one returned is at least the one asked for.
_PRECISION = 1e-6


def smallest_difference(assumed: Assumed, n_items: int, *, alpha: float, power: float) -> float | None:
    """Smallest difference of two systems' means that is found with a given power, for further raters and items.

    Parameters
    ----------
    assumed : Assumed
        Standard deviations, numbers of raters, and the steps of the scale with the mean of the equal systems; its
        difference is not used.
    n_items : int
        At least 2.
    alpha : float
        Two-sided; divide it by the number of pairs to allow for all of them (Bonferroni).
    power : float
        Between alpha and 1.

    Returns
    -------
    float or None
        As `Assumed.difference` has it: in units of the scale, before ratings are rounded to steps and cut at the ends
        of the scale. None if no difference within the range of the scale has the power.

    Examples
    --------
    >>> round(smallest_difference(Assumed(0, sd_rater_system=0.3), 100, alpha=0.05, power=0.8), 3)
    0.316
    >>> smallest_difference(Assumed(0, sd_rater_system=0.8, steps=5, raters=3), 100, alpha=0.05, power=0.8) is None
    True
    """

    def power_at(difference: float) -> float:
        return power_of_means(replace(assumed, difference=difference), n_items, alpha=alpha)

    _check(alpha, power)
    if not assumed.steps:
        most = 1.0
        while power_at(most) < power:
            most *= 2
        return _where(power_at, 0.0, most, power)
    # Near the end of a scale items and leniency no longer cancel out, so that the power may fall again.
    low = 0.0
    for high in np.linspace(0, assumed.steps - 1, _TRIED + 1)[1:].tolist():
        if power_at(high) >= power:
            return _where(power_at, low, high, power)
        low = high
    return None


def fewest(power_at: Callable[[int], float], *, above: int, most: int, power: float) -> int | None:
    """Return the smallest number of items or raters above another one that has a given power.

    Parameters
    ----------
    power_at : callable
        Power by number. It may fall on the way, as the degrees of freedom do: where there are nearly as many raters as
        ratings, and where two raters who differ a little rate more and more items.
    above, most : int
        The number looked for is above the one, and the other at most.
    power : float

    Returns
    -------
    int or None
        None if no number tried has the power: all of up to 100 numbers, else 60 that grow by equal factors. The number
        below the one returned has less power, or is `above`.

    Examples
    --------
    >>> fewest(lambda n: n / 1000, above=10, most=2000, power=0.8)
    800
    """
    if most - above <= _ALL:
        tried = list(range(above + 1, most + 1))
    else:
        tried = sorted({round(above * (most / above) ** (place / _TRIED)) for place in range(1, _TRIED + 1)} - {above})
    low = above
    for high in tried:
        if power_at(high) >= power:
            break
        low = high
    else:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power_at(middle) >= power else (middle, high)
    return high


def smallest_preference(n_items: int, *, ties: float, alpha: float, power: float) -> float | None:
    """Smallest share of preferences above one half that the exact sign test finds with a given power.

    Returns
    -------
    float or None
        A share of the preferences that are not ties; None if even 1 is found more seldom.

    Examples
    --------
    >>> round(smallest_preference(210, ties=0.0, alpha=0.05, power=0.8), 3)
    0.597
    """

    def power_at(wins: float) -> float:
        return power_of_sign_test(n_items, wins=wins, ties=ties, alpha=alpha)

    _check(alpha, power)
    most = 1 - 1e-9
    return _where(power_at, 0.5, most, power) if power_at(most) >= power else None


def smallest_share_of_discriminators(n_judges: int, *, alpha: float, power: float) -> float | None:
    """Smallest share of people who can tell the texts apart that a triangle test shows with a given power.

    Returns
    -------
    float or None
        None if a difference is shown more seldom even where everybody can tell.

    Examples
    --------
    >>> round(smallest_share_of_discriminators(24, alpha=0.05, power=0.9), 2)
    0.47
    """

    def power_at(pd: float) -> float:
        return float(power_of_difference(n_judges, alpha=alpha, pd=pd))

    _check(alpha, power)
    return _where(power_at, 0.0, 1.0, power) if power_at(1.0) >= power else None


def _check(alpha: float, power: float) -> None:
    if not 0 < alpha < power < 1:
        raise ValueError(f"Alpha is above 0 and below the power, which is below 1; they are {alpha} and {power}.")


def _where(power_at: Callable[[float], float], low: float, high: float, power: float) -> float:
    """Return where a rising power crosses the given one, by halving: scipy.optimize loads slowly."""
    while high - low > _PRECISION:
        middle = (low + high) / 2
        if power_at(middle) < power:
            low = middle
        else:
            high = middle
    return high
