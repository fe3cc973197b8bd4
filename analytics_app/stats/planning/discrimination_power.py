"""Number of judges that a triangle test needs, and its power with a given number; all exact."""

from dataclasses import dataclass
from math import ceil, sqrt

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.discrimination.triangle_test import (
    GUESS,
    above,
    least_correct,
    most_correct,
    probability_correct,
    up_to,
)
from analytics_app.stats.values import Codes, Floats

# Up to this number of judges the search begins at 1, above it at a share of the normal approximation, which is then off
# by a few per cent only.
_FROM_ONE = 2000
_BEGINS, _ENDS = 0.8, 1.3
MOST_JUDGES = 1_000_000
"""The largest number of judges for which the search runs."""


def power_of_difference(n: ArrayLike, *, alpha: float, pd: ArrayLike) -> Floats:
    """Probability that n judges show a difference at `alpha` if a share `pd` of people can tell.

    It does not grow evenly with n: it drops where one more right choice is needed (a saw-tooth). It grows with `pd`.

    Parameters
    ----------
    n : array_like of int, any shape
    pd : array_like of float, a shape that goes with that of n

    Returns
    -------
    ndarray of float, the shape of n and pd together

    Examples
    --------
    >>> power_of_difference([23, 24, 30], alpha=0.05, pd=0.5).round(3).tolist()
    [0.952, 0.932, 0.981]
    """
    judges = np.asarray(n)
    return above(least_correct(judges, alpha), judges, probability_correct(pd))


def power_of_similarity(n: ArrayLike, *, beta: float, pd: float, true: ArrayLike = 0.0) -> Floats:
    """Probability that n judges show similarity (at most `pd` can tell, risk `beta`) if in truth a share `true` can.

    Parameters
    ----------
    n : array_like of int, any shape
    true : array_like of float, a shape that goes with that of n

    Returns
    -------
    ndarray of float, the shape of n and true together

    Examples
    --------
    >>> power_of_similarity([30, 66], beta=0.05, pd=0.3).round(3).tolist()
    [0.724, 0.953]
    """
    judges = np.asarray(n)
    return up_to(most_correct(judges, beta, pd), judges, probability_correct(true))


@dataclass(frozen=True, slots=True)
class Judges:
    """The smallest number of judges that reaches the power, and the number from which all larger ones reach it."""

    smallest: int
    stable: int


def judges_needed(*, alpha: float, beta: float, pd: float) -> Judges:
    """Return how many judges a triangle test for a difference needs [1]_.

    `smallest` is the number in published tables: the smallest n at which the exact test at `alpha` has power 1 - beta
    or more if a share `pd` of people can tell. With a few more judges the power may be lower again; from `stable` on it
    never is. The same numbers hold for a similarity test, without swapping alpha and beta.

    Raises
    ------
    ValueError
        A risk or share out of range, or more than a million judges.

    References
    ----------
    .. [1] ISO 4120:2021, table A.3; González Corbelle, Alonso Moral and Bugarín Diz (2020), table 1.

    Examples
    --------
    >>> judges_needed(alpha=0.05, beta=0.05, pd=0.5)
    Judges(smallest=23, stable=29)
    """
    if not (0 < alpha < 1 and 0 < beta < 1 and 0 < pd <= 1):
        raise ValueError(f"Risks and the share of discriminators are between 0 and 1, not {alpha}, {beta}, {pd}.")
    estimate = _by_normal(alpha, beta, pd)
    if estimate > MOST_JUDGES:
        raise ValueError(f"It takes more than {MOST_JUDGES:,} judges.")
    first = max(1, int(_BEGINS * estimate)) if estimate > _FROM_ONE else 1
    n = np.arange(first, ceil(_ENDS * estimate) + 60)
    enough = power_of_difference(n, alpha=alpha, pd=pd) >= 1 - beta
    if not enough[-1] or (first > 1 and enough[0]):
        raise ValueError("The number of judges was not found.")
    return Judges(int(n[np.argmax(enough)]), int(n[len(enough) - np.argmin(enough[::-1])]) if not enough.all() else 1)


def _by_normal(alpha: float, beta: float, pd: float) -> float:
    from scipy.special import ndtri  # noqa: PLC0415  lazy import: scipy loads slowly

    p = float(probability_correct(pd))
    spread = -float(ndtri(alpha)) * sqrt(GUESS * (1 - GUESS)) - float(ndtri(beta)) * sqrt(p * (1 - p))
    return float((max(spread, 0.0) / (p - GUESS)) ** 2)


def judges_each(n: int) -> Codes:
    """Return how often each of the six orders is shown to n judges, as evenly as possible.

    Examples
    --------
    >>> judges_each(98).tolist()
    [17, 17, 16, 16, 16, 16]
    """
    if n < 0:
        raise ValueError(f"There are 0 judges or more, not {n}.")
    return np.array([n // 6 + (i < n % 6) for i in range(6)], dtype=np.intp)
