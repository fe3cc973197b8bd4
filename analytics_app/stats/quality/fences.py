"""Tukey's fences, beyond which ratings are outliers."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analytics_app.stats.values import checked_values

# Quartiles of fewer values are single ratings.
_FEWEST = 4


@dataclass(frozen=True, slots=True)
class Fences:
    """Quartiles, and the limits beyond which a value is an outlier.

    Parameters
    ----------
    q1, q3 : float or None
        Quartiles, None where there is no value.
    low, high : float or None
        Limits; None if there are no fences, and `note` says why.
    note : str or None
    """

    q1: float | None
    q3: float | None
    low: float | None
    high: float | None
    note: str | None = None

    def outside(self, values: ArrayLike) -> NDArray[np.bool_]:
        """Return whether each value, shape (n,), is strictly outside; False for NaN, and for all values without fences.

        Examples
        --------
        >>> iqr_fences([2, 3, 3, 4, 4, 4, 5, 9]).outside([1.125, 9, float("nan")]).tolist()
        [False, True, False]
        """
        numbers = checked_values(values)
        if self.low is None or self.high is None:
            return np.zeros(numbers.size, dtype=bool)
        return (numbers < self.low) | (numbers > self.high)


def iqr_fences(values: ArrayLike, *, factor: float = 1.5) -> Fences:
    """Return Tukey's fences: the quartiles moved out by `factor` interquartile ranges [1]_.

    Quartiles are those of R's type 7 and numpy's default ("linear"), not Tukey's hinges. One pass: values that would be
    outside after removing the first outliers are kept.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        Pooled over raters, as Kim and Kim (2022) do with judge-wise z; NaN = not rated, dropped.
    factor : float
        Number of interquartile ranges, above 0.

    Returns
    -------
    Fences
        Without limits if there are fewer than 4 values, or if the quartiles are equal: fences without width would
        remove every rating that differs from the majority's.

    Raises
    ------
    ValueError
        Wrong shape, infinite values, or a factor that is not above 0.

    References
    ----------
    .. [1] J. W. Tukey (1977). Exploratory Data Analysis. Addison-Wesley.

    Examples
    --------
    >>> iqr_fences([2, 3, 3, 4, 4, 4, 5, 9])
    Fences(q1=3.0, q3=4.25, low=1.125, high=6.125, note=None)
    """
    if not (np.isfinite(factor) and factor > 0):
        raise ValueError(f"The factor must be above 0; it is {factor}.")
    numbers = checked_values(values)
    numbers = numbers[~np.isnan(numbers)]
    if not numbers.size:
        return Fences(None, None, None, None, "Nothing was rated, so there are no fences.")
    q1, q3 = (float(quartile) for quartile in np.quantile(numbers, [0.25, 0.75]))
    if numbers.size < _FEWEST:
        return Fences(q1, q3, None, None, f"Fewer than {_FEWEST} ratings are too few for fences.")
    width = q3 - q1
    if width == 0:
        return Fences(q1, q3, None, None, "The quartiles are equal, so there are no fences and nothing is outside.")
    return Fences(q1, q3, q1 - factor * width, q3 + factor * width)
