"""Correlations between two criteria over the same texts or answers."""

from math import atanh, sqrt, tanh

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.resampling.bootstrap import check_settings
from analytics_app.stats.values import Estimate, checked_values

FEW = "A correlation takes at least three that have both."
ALIKE = "One of the two does not vary, so they cannot be correlated."


def correlated(x: ArrayLike, y: ArrayLike, *, method: str, confidence: float | None = 0.95) -> Estimate:
    """Correlate two columns, with an interval by Fisher's z.

    The standard error of z is 1 / sqrt(n - 3) for Pearson, and sqrt((1 + r^2 / 2) / (n - 3)) for Spearman [1]_.

    Parameters
    ----------
    x, y : array_like of float, shape (n,)
        NaN = not rated; such rows are left out.
    method : {"pearson", "spearman"}
    confidence : float or None
        None for rows that are not independent: there is no interval then.

    Returns
    -------
    Estimate
        `n_items` counts the rows that entered.

    Raises
    ------
    ValueError
        Shapes differ, or an unknown method.

    References
    ----------
    .. [1] D. G. Bonett and T. A. Wright (2000). Sample size requirements for estimating Pearson, Kendall and Spearman
       correlations. Psychometrika 65(1), 23-28.

    Examples
    --------
    >>> correlated([1, 2, 3, 4], [1, 2, 4, 3], method="spearman").value
    0.8
    """
    if method not in {"pearson", "spearman"}:
        raise ValueError(f"The method is pearson or spearman, not {method!r}.")
    if confidence is not None:
        check_settings(0, confidence)
    column_x, column_y = checked_values(x), checked_values(y)
    if column_x.shape != column_y.shape:
        raise ValueError(f"Both have a value a row, not {column_x.size} and {column_y.size}.")
    complete = ~np.isnan(column_x) & ~np.isnan(column_y)
    column_x, column_y = column_x[complete], column_y[complete]
    n = column_x.size
    if n < 3:
        return Estimate(None, n_items=n, note=FEW)
    if column_x.max() == column_x.min() or column_y.max() == column_y.min():
        return Estimate(None, n_items=n, note=ALIKE)
    # Lazy import: scipy.stats takes a second to load, and only a job needs it.
    from scipy.stats import norm, rankdata  # noqa: PLC0415

    if method == "spearman":
        # Rounded, so that means that differ by rounding only are tied.
        column_x, column_y = rankdata(np.round(column_x, 12)), rankdata(np.round(column_y, 12))
    r = round(float(np.corrcoef(column_x, column_y)[0, 1]), 14)
    if confidence is None or n < 4 or abs(r) == 1:
        return Estimate(r, n_items=n)
    spread = sqrt((1 + r * r / 2 if method == "spearman" else 1) / (n - 3))
    reach = float(norm.ppf((1 + confidence) / 2)) * spread
    return Estimate(r, low=tanh(atanh(r) - reach), high=tanh(atanh(r) + reach), n_items=n)
