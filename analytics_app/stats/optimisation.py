"""Minima of smooth functions inside bounds, accepted only where the gradient is zero."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from analytics_app.stats.values import Floats


@dataclass(frozen=True, slots=True)
class Minimum:
    """The lowest point of a search, shape (n_parameters,), its value, and whether it is a minimum.

    `converged` is false where the gradient at the point is not zero; the point must then not be used as a result.
    """

    point: Floats
    value: float
    converged: bool


def minimum(
    function: Callable[[Floats], tuple[float, Floats]],
    starts: Sequence[Floats],
    bounds: Sequence[tuple[float, float]],
    *,
    tolerance: float,
) -> Minimum:
    """Minimise a function inside bounds from several starts by L-BFGS-B [1]_.

    Whether a search converged is decided by the gradient at its end and not by the message of the search: close to a
    minimum the last line search fails or succeeds by rounding errors, which differ between processors.

    Parameters
    ----------
    function : callable
        Takes an array of shape (n_parameters,) and returns the value and its exact gradient of the same shape.
    starts : sequence of array_like of float, shape (n_parameters,) each
        At least one.
    bounds : sequence of (low, high), n_parameters long
    tolerance : float
        The largest component of the projected gradient that counts as zero, in units of the function.

    Returns
    -------
    Minimum
        The lowest of the minima. Where no search converged, the lowest point of all, with `converged` false.

    References
    ----------
    .. [1] R. H. Byrd, P. Lu, J. Nocedal and C. Zhu (1995). A limited memory algorithm for bound constrained
       optimization. SIAM Journal on Scientific Computing 16(5), 1190-1208.

    Examples
    --------
    >>> lowest = minimum(lambda x: (float(x @ x), 2 * x), [np.array([2.0])], [(1.0, 3.0)], tolerance=1e-8)
    >>> lowest.point.tolist(), lowest.value, lowest.converged
    ([1.0], 1.0, True)
    """
    from scipy.optimize import minimize  # noqa: PLC0415  lazy import: web processes never need it

    low, high = np.array(bounds, dtype=np.float64).T
    options = {"maxiter": 1000, "maxfun": 5000, "ftol": 1e-15, "gtol": tolerance / 100}
    ends: list[Minimum] = []
    for start in starts:
        search = minimize(function, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
        point = np.clip(np.asarray(search.x, dtype=np.float64), low, high)
        value, gradient = function(point)
        slope = np.abs(point - np.clip(point - gradient, low, high)).max()
        ends.append(Minimum(point, float(value), bool(slope <= tolerance)))
    return min(ends, key=lambda end: (not end.converged, end.value))
