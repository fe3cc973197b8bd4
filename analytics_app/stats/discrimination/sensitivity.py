"""d′ of the triangle test: the distance of two products in standard deviations of a person's perception."""

from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.discrimination.triangle_test import GUESS, NOBODY, checked_counts, difference_p, share_limits
from analytics_app.stats.values import Estimate, Floats, joined

# Beyond this d' the share of right choices is 1 to the last bit of a float.
_FARTHEST = 100.0


def psychometric(d: ArrayLike) -> Floats:
    """Share of right choices in a triangle test at a distance d' [1]_: 1 - 4 T(d'/sqrt 6, sqrt 3), T Owen's function.

    Equal to the upper tail at 3 of a noncentral F with 1 and 1 degrees of freedom and noncentrality 2 d'^2 / 3, but
    exact at 0 and at large distances, where scipy's `ncf.sf` is not.

    Parameters
    ----------
    d : array_like of float, any shape
        From 0.

    Returns
    -------
    ndarray of float
        From 1/3 to 1.

    References
    ----------
    .. [1] J. M. Ennis (1993). The power of sensory discrimination methods. Journal of Sensory Studies 8(4), 353-370.

    Examples
    --------
    >>> psychometric([0.0, 1.0, 2.0]).round(6).tolist()
    [0.333333, 0.418047, 0.604807]
    """
    from scipy.special import owens_t  # noqa: PLC0415  lazy import: scipy loads slowly

    distance = np.asarray(d, dtype=np.float64)
    if not (distance >= 0).all():
        raise ValueError(f"A distance is at least 0, not {d!r}.")
    share: Floats = 1 - 4 * owens_t(distance / sqrt(6), sqrt(3))
    return share


def d_prime_of(share: float) -> float | None:
    """The distance d' at which this share of choices is right: 0 at or below one third, None (infinite) at 1.

    Examples
    --------
    >>> d_prime_of(0.3), round(d_prime_of(0.5), 6), d_prime_of(1.0)
    (0.0, 1.466263, None)
    """
    from scipy.optimize import brentq  # noqa: PLC0415

    if not 0 <= share <= 1:
        raise ValueError(f"A share is between 0 and 1, not {share}.")
    if share <= GUESS:
        return 0.0
    if share >= float(psychometric(_FARTHEST)):
        return None
    return float(brentq(lambda d: float(psychometric(d)) - share, 0.0, _FARTHEST, xtol=1e-12))


def d_prime(correct: int, n: int, *, confidence: float) -> Estimate:
    """d' of a number of right choices, with limits from the exact limits of their share.

    Below chance d' is 0. If all choices are right it is infinite: there is no value, and the note has its lower limit.

    Returns
    -------
    Estimate
        `p` is the exact one-sided p against guessing.

    References
    ----------
    .. [1] P. B. Brockhoff and R. H. B. Christensen (2010). Thurstonian models for sensory discrimination tests as
       generalized linear models. Food Quality and Preference 21(3), 330-338.

    Examples
    --------
    >>> found = d_prime(15, 30, confidence=0.95)
    >>> round(found.value, 4), found.low, round(found.high, 4)
    (1.4663, 0.0, 2.4317)
    """
    checked_counts(correct, n)
    if not n:
        return Estimate(None, n_raters=0, note=NOBODY)
    p = difference_p(correct, n)
    low, high = (d_prime_of(limit) for limit in share_limits(correct, n, confidence=confidence))
    value = d_prime_of(correct / n)
    if value is None or high is None:
        level = f"{(1 + confidence) / 2:.4g}"
        note = joined("Everybody was right, so d′ has no upper end.", f"It is above {low:.2f} with confidence {level}.")
        return Estimate(None, p=p, n_raters=n, note=note)
    return Estimate(value, low=low, high=high, p=p, n_raters=n)
