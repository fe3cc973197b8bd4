"""p values corrected for the number of tests in their family."""

import gc
from collections.abc import Sequence
from math import isnan

import numpy as np

METHODS = ("none", "holm", "bonferroni", "sidak", "holm-sidak", "simes-hochberg", "hommel", "fdr_bh", "fdr_by")
"""The names in `statsmodels.stats.multitest.multipletests`, and "none"."""

# Computed here: statsmodels takes a second and, with pandas and polars, 55 MiB to load, and nearly every run corrects
# by Holm's method.
_SIMPLE = ("holm", "bonferroni")


def adjust(p_values: Sequence[float | None], method: str = "holm") -> list[float | None]:
    """Adjusted p values of one family of tests, such as all pairs of systems on one criterion [1]_.

    Parameters
    ----------
    p_values : sequence of float or None
        None where a test was undefined: it stays None, and does not count as a test.
    method : str
        One of `METHODS`. "holm" (the default), "bonferroni", "sidak" and "holm-sidak" limit the probability of any
        false rejection, "fdr_bh" the expected share of false ones; "none" leaves p as it is.

    Returns
    -------
    list of float or None
        In the order given, each at most 1.

    Raises
    ------
    ValueError
        Unknown method, or a p value that is not between 0 and 1.

    References
    ----------
    .. [1] S. Holm (1979). A simple sequentially rejective multiple test procedure. Scandinavian Journal of Statistics
       6(2), 65-70.

    Examples
    --------
    >>> adjust([0.01, None, 0.04, 0.03])
    [0.03, None, 0.06, 0.06]
    """
    if method not in METHODS:
        raise ValueError(f"The correction is one of {', '.join(METHODS)}, not {method!r}.")
    tests = [(place, float(p)) for place, p in enumerate(p_values) if p is not None]
    for _place, p in tests:
        if isnan(p) or not 0 <= p <= 1:
            raise ValueError(f"A p value is between 0 and 1, not {p}.")
    adjusted: list[float | None] = [None] * len(p_values)
    if method == "none":
        corrected = [p for _place, p in tests]
    elif method in _SIMPLE:
        corrected = _simply([p for _place, p in tests], method)
    elif tests:
        # Lazy import: statsmodels takes a second to load, and web processes never correct p values.
        from statsmodels.stats.multitest import multipletests  # noqa: PLC0415

        # `multipletests` collects garbage first, which takes a tenth of a second in a large process; frozen objects
        # are skipped.
        gc.freeze()
        try:
            # Sidak's correction takes the logarithm of 0 where p is 1, and the result is still 1.
            with np.errstate(divide="ignore"):
                corrected = multipletests([p for _place, p in tests], method=method)[1].tolist()
        finally:
            gc.unfreeze()
    else:
        corrected = []
    for (place, _p), p in zip(tests, corrected, strict=True):
        adjusted[place] = min(p, 1.0)
    return adjusted


def _simply(p_values: Sequence[float], method: str) -> list[float]:
    """Return p values adjusted by Holm's method or Bonferroni's, to the last bit as statsmodels has them."""
    p, n = np.array(p_values, dtype=np.float64), len(p_values)
    adjusted = p * n
    if method == "holm":
        order = np.argsort(p)
        adjusted[order] = np.maximum.accumulate(p[order] * np.arange(n, 0, -1))
    return [float(number) for number in np.minimum(adjusted, 1.0)]
