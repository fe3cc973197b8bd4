"""Power of the exact sign test on preferences, by enumeration."""

from collections.abc import Sequence
from math import ceil, log, log1p, sqrt

import numpy as np
from numpy.typing import NDArray

from analytics_app.stats.values import Floats

# The most items for which the search runs, and the most preferences that are enumerated.
MOST_ITEMS = 20_000


def power_of_sign_test(n: int, *, wins: float, ties: float = 0.0, alpha: float) -> float:
    """Power of the exact two-sided sign test on n preferences, by enumeration.

    Ties are left out of the test: n (1 - ties) preferences remain on average.

    Parameters
    ----------
    n : int
        Items, each with one preference.
    wins : float
        Share of the preferences that are not ties in which the first system wins.
    ties : float
        Share of ties.
    alpha : float

    Raises
    ------
    ValueError
        A share out of range, no item, or more than 20,000.

    Examples
    --------
    >>> round(power_of_sign_test(200, wins=0.6, alpha=0.05), 6)
    0.786848
    """
    return sign_test_curve([n], wins=wins, ties=ties, alpha=alpha)[0]


def sign_test_curve(sizes: Sequence[int], *, wins: float, ties: float = 0.0, alpha: float) -> list[float]:
    """Return `power_of_sign_test` for several numbers of items, hardly slower than for the largest alone.

    Examples
    --------
    >>> [round(power, 3) for power in sign_test_curve([50, 100, 200], wins=0.6, alpha=0.05)]
    [0.237, 0.462, 0.787]
    """
    _check(wins, ties, alpha)
    if not sizes or not 1 <= min(sizes) <= max(sizes) <= MOST_ITEMS:
        raise ValueError(f"There are 1 to {MOST_ITEMS:,} items, not {list(sizes)}.")
    mixed = _MixedPower(max(sizes), wins, ties, alpha)
    return [mixed.power(n) for n in sizes]


def items_for_sign_test(*, wins: float, ties: float = 0.0, alpha: float, power: float) -> int | None:
    """Fewest items from which the power stays at or above `power`; None if 20,000 are not enough.

    Examples
    --------
    >>> items_for_sign_test(wins=0.6, alpha=0.05, power=0.8)
    210
    """
    from scipy.special import ndtri  # noqa: PLC0415  lazy import: scipy loads slowly

    _check(wins, ties, alpha)
    if not 0 < power < 1:
        raise ValueError(f"Power is between 0 and 1, not {power}.")
    distance = abs(wins - 0.5)
    if not distance:
        return None
    spread = -float(ndtri(alpha / 2)) / 2 + float(ndtri(power)) * sqrt(wins * (1 - wins))
    most = ceil(1.3 * (max(spread, 0.0) / distance) ** 2 / (1 - ties)) + 40
    if most > MOST_ITEMS:
        return None
    mixed = _MixedPower(most, wins, ties, alpha)
    for n in range(most, 0, -1):
        if mixed.power(n) < power:
            return n + 1 if n < most else None
    return 1


def check_shares(wins: float, ties: float) -> None:
    """Raise ValueError for a share of wins or of ties that is out of range."""
    if not (0 <= wins <= 1 and 0 <= ties < 1):
        raise ValueError(f"Shares are between 0 and 1, not {wins} and {ties}.")


def _check(wins: float, ties: float, alpha: float) -> None:
    check_shares(wins, ties)
    if not 0 < alpha < 1:
        raise ValueError(f"Alpha is between 0 and 1, not {alpha}.")


class _MixedPower:
    """The power averaged over the number of preferences that are not ties."""

    def __init__(self, most: int, wins: float, ties: float, alpha: float) -> None:
        from scipy.special import gammaln  # noqa: PLC0415

        self.rejected = _rejected(most, wins, alpha)
        self.ties = ties
        self.log_factorial: Floats = gammaln(np.arange(most + 2) + 1)

    def power(self, n: int) -> float:
        """Return the power with n items."""
        if not self.ties:
            return float(self.rejected[n])
        # Probabilities beyond ten standard deviations from the mean are negligible.
        mean, half_width = n * (1 - self.ties), 10 * sqrt(n * self.ties * (1 - self.ties)) + 10
        m = np.arange(max(0, int(mean - half_width)), min(n, int(mean + half_width)) + 1)
        ways = self.log_factorial[n] - self.log_factorial[m] - self.log_factorial[n - m]
        chances = np.exp(ways + (n - m) * log(self.ties) + m * log1p(-self.ties))
        return float(chances @ self.rejected[m])


def _rejected(n: int, wins: float, alpha: float) -> Floats:
    """Return the power for 0..n preferences that are not ties."""
    from scipy.special import bdtr, bdtrc  # noqa: PLC0415

    m = np.arange(n + 1)
    critical = critical_wins(m, alpha)
    possible = critical <= m
    least, number = np.where(possible, critical, 1), np.maximum(m, 1)
    # bdtrc(x - 1) is P(X >= x); the probability of x losses or more is P(X <= m - x).
    power = bdtrc(least - 1, number, wins) + bdtr(number - least, number, wins)
    return np.where(possible, np.minimum(power, 1.0), 0.0)


def critical_wins(m: NDArray[np.intp], alpha: float) -> NDArray[np.intp]:
    """Fewest wins of m with 2 P(X >= wins; m, 1/2) <= alpha; m + 1 if even m wins are not enough.

    Examples
    --------
    >>> critical_wins(np.array([5, 6, 20, 200]), 0.05).tolist()
    [6, 6, 15, 115]
    """
    from scipy.special import bdtrc, ndtri  # noqa: PLC0415

    number = np.maximum(m, 1)
    start = np.floor(m / 2 - float(ndtri(alpha / 2)) * np.sqrt(m) / 2 - 3)
    wins = np.clip(start, 1, m + 1).astype(np.intp)
    while True:
        too_few = (wins <= m) & (2 * bdtrc(np.minimum(wins, number) - 1, number, 0.5) > alpha)
        if not too_few.any():
            return wins
        wins = wins + too_few
