"""The smallest effect that a study of a given size finds with a given power: the inverse of the power functions."""

from collections.abc import Callable
from dataclasses import replace

from analytics_app.stats.planning.discrimination_power import power_of_difference
from analytics_app.stats.planning.power import Assumed, power_of_means
from analytics_app.stats.planning.sign_power import power_of_sign_test


def smallest_difference(assumed: Assumed, n_items: int, *, alpha: float, power: float) -> float:
    """Smallest difference of two systems' means that is found with a given power, for further raters and items.

    Parameters
    ----------
    assumed : Assumed
        Standard deviations and numbers of raters; its difference is not used. Without steps: on a scale with ends the
        power may never be reached.
    n_items : int
        At least 2.
    alpha : float
        Two-sided; divide it by the number of pairs to allow for all of them (Bonferroni).
    power : float
        Between alpha and 1.

    Returns
    -------
    float
        In units of the scale; a difference beyond the ends of the scale is possible and means that none is found.

    Examples
    --------
    >>> round(smallest_difference(Assumed(0, sd_rater_system=0.3), 100, alpha=0.05, power=0.8), 3)
    0.316
    """

    def power_at(difference: float) -> float:
        return power_of_means(replace(assumed, difference=difference), n_items, alpha=alpha)

    _check(alpha, power)
    if assumed.steps:
        raise ValueError("The smallest difference is that of a scale without steps.")
    most = 1.0
    while power_at(most) < power:
        most *= 2
    return _where(power_at, 0.0, most, power)


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
    """Return where a rising power crosses the given one."""
    from scipy.optimize import brentq  # noqa: PLC0415  lazy import: scipy loads slowly

    return float(brentq(lambda effect: power_at(effect) - power, low, high, xtol=1e-6))
