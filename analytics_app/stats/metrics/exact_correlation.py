"""Exact p values of correlations of a few pairs: every order is tried, since no distribution fits so few."""

from __future__ import annotations

from functools import cache
from itertools import permutations
from math import factorial, prod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analytics_app.stats.arrays import Floats, checked_values

# Up to this many pairs every order is tried: 40,320 of them.
MOST = 8
# Correlations closer than this are equal: their sums were added up in other orders.
_SAME = 1e-9


def exact_p(x: ArrayLike, y: ArrayLike) -> float:
    """Two-sided p of Pearson's r by permutation [1]_: twice the share of the orders of y with an r as extreme.

    Of ranks it is the p of Spearman's rho. The observed order is one of them, so that p is never 0. As in scipy, the
    share is that of the side on which r lies, and p is at most 1.

    Parameters
    ----------
    x, y : array_like of float, shape (n,)
        Without NaN, neither constant, n from 2 to 8. With more pairs the correlation must be perfect.

    Returns
    -------
    float
        At least 2/n!, and at most 1.

    Raises
    ------
    ValueError
        There are more than 8 pairs and they are not on one line, or a side is constant.

    References
    ----------
    .. [1] E. J. G. Pitman (1937). Significance tests which may be applied to samples from any populations. II. The
       correlation coefficient test. Supplement to the Journal of the Royal Statistical Society 4(2), 225-232.

    Examples
    --------
    >>> round(exact_p([1, 2, 3], [10, 20, 30]), 4), exact_p([1, 2, 3, 4], [2, 1, 4, 3])
    (0.3333, 0.4166666666666667)
    """
    one, other = _standardised(x), _standardised(y)
    n = one.size
    if n != other.size or n < 2:
        raise ValueError(f"A correlation takes two pairs or more, not {n} and {other.size} values.")
    observed = float(one @ other)
    if n <= MOST:
        of_orders = other[_orders(n)] @ one
        share = min((of_orders >= observed - _SAME).mean(), (of_orders <= observed + _SAME).mean())
        return min(1.0, 2 * float(share))
    if abs(observed) < 1 - _SAME:
        raise ValueError(f"Exact p values are for at most {MOST} pairs, not {n}.")
    # Only orders within ties leave the pairs on their line.
    _values, ties = np.unique(np.round(other, 9), return_counts=True)
    return 2 * prod(factorial(int(size)) for size in ties) / factorial(n)


def _standardised(values: ArrayLike) -> Floats:
    numbers = checked_values(values)
    if not numbers.size or np.isnan(numbers).any() or numbers.min() == numbers.max():
        raise ValueError("A correlation is of values that are there and vary.")
    deviations = numbers - numbers.mean()
    deviations = deviations / np.abs(deviations).max()  # so that no square is too small for a float
    found: Floats = deviations / np.sqrt(deviations @ deviations)
    return found


@cache
def _orders(n: int) -> NDArray[np.int8]:
    return np.array(list(permutations(range(n))), dtype=np.int8)
