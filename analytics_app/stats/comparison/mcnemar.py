"""McNemar's test of two systems with yes or no on the same items."""

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.values import Estimate, checked_values


def mcnemar(a: ArrayLike, b: ArrayLike, *, exact: bool = True) -> Estimate:
    """Test whether two systems get yes equally often on the items that both have [1]_.

    Only items on which they differ count: under the null hypothesis each is as likely to be the one with yes. The p
    value is that of `statsmodels.stats.contingency_tables.mcnemar`, which is not loaded for it, since it brings pandas
    and polars.

    Parameters
    ----------
    a, b : array_like of float, shape (n_items,)
        1 yes, 0 no, NaN where there is no decision.
    exact : bool
        The binomial test, else the chi-square approximation without continuity correction.

    Returns
    -------
    Estimate
        `value` is the number of items with yes for a alone minus those with yes for b alone, `p` two-sided,
        `n_items` the items that both have. Undefined without such items; p is 1 where they never differ.

    Raises
    ------
    ValueError
        Shapes differ, or a value is neither 0 nor 1.

    References
    ----------
    .. [1] Q. McNemar (1947). Note on the sampling error of the difference between correlated proportions or
       percentages. Psychometrika 12, 153-157.

    Examples
    --------
    >>> found = mcnemar([1, 1, 1, 0, 0], [0, 0, 1, 1, float("nan")])
    >>> found.value, found.p, found.n_items
    (1.0, 1.0, 4)
    """
    x, y = checked_values(a), checked_values(b)
    if x.shape != y.shape:
        raise ValueError(f"Both have the same items, not {x.size} and {y.size}.")
    shared = ~np.isnan(x) & ~np.isnan(y)
    x, y = x[shared], y[shared]
    if not (np.isin(x, (0, 1)).all() and np.isin(y, (0, 1)).all()):
        raise ValueError("Values are 1 for yes and 0 for no.")
    if not x.size:
        return Estimate(None, n_items=0, note="There is no item on which both have a decision.")
    a_alone, b_alone = int((x > y).sum()), int((y > x).sum())
    differ = a_alone + b_alone
    if not differ:
        return Estimate(0.0, p=1.0, n_items=x.size, note="The two never differ.")
    # Lazy import: scipy.stats takes half a second to load, and only a test needs it.
    from scipy.stats import binom, chi2  # noqa: PLC0415

    if exact:
        p = min(1.0, 2 * float(binom.cdf(min(a_alone, b_alone), differ, 0.5)))
    else:
        p = float(chi2.sf((a_alone - b_alone) ** 2 / differ, 1))
    return Estimate(float(a_alone - b_alone), p=p, n_items=x.size)
