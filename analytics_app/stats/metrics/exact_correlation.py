"""Exact p values of correlations of a few pairs, from all orders, since no distribution fits so few pairs."""

from functools import cache
from itertools import permutations
from math import factorial, prod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analytics_app.stats.values import Floats, checked_values

# Up to this many pairs all orders are enumerated (40,320).
MOST = 8
# Correlations closer than this count as equal, since rounding depends on the order of summation.
_SAME = 1e-9


def exact_p(x: ArrayLike, y: ArrayLike) -> float:
    """Two-sided p of Pearson's r by permutation [1]_: twice the share of orders of y with an r at least as extreme.

    For ranks it is the p of Spearman's rho. The observed order is one of the orders, so p is never 0. As in scipy, the
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
    z_x, z_y = _standardised(x), _standardised(y)
    n = z_x.size
    if n != z_y.size or n < 2:
        raise ValueError(f"A correlation takes two pairs or more, not {n} and {z_y.size} values.")
    observed = float(z_x @ z_y)
    if n <= MOST:
        products = z_y[_orders(n)] @ z_x
        share = min((products >= observed - _SAME).mean(), (products <= observed + _SAME).mean())
        return min(1.0, 2 * float(share))
    if abs(observed) < 1 - _SAME:
        raise ValueError(f"Exact p values are for at most {MOST} pairs, not {n}.")
    # Only orders within ties leave the pairs on their line.
    _values, ties = np.unique(np.round(z_y, 9), return_counts=True)
    return 2 * prod(factorial(int(size)) for size in ties) / factorial(n)


def _standardised(values: ArrayLike) -> Floats:
    numbers = checked_values(values)
    if not numbers.size or np.isnan(numbers).any() or numbers.min() == numbers.max():
        raise ValueError("A correlation is of values that are there and vary.")
    deviations = numbers - numbers.mean()
    deviations = deviations / np.abs(deviations).max()  # so that no square is too small for a float
    scaled: Floats = deviations / np.sqrt(deviations @ deviations)
    return scaled


@cache
def _orders(n: int) -> NDArray[np.int8]:
    return np.array(list(permutations(range(n))), dtype=np.int8)
