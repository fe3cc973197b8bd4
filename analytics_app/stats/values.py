"""The input and output of statistics: checked arrays of ratings, and a value with its interval, test and counts."""

from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]
# Codes of columns of a million entries, which may be half as wide.
AnyCodes = NDArray[np.integer[Any]]

# Squares and sums of squares of smaller values stay finite.
_LARGEST = 1e100


def rated(values: ArrayLike, *codes: ArrayLike) -> tuple[Floats, tuple[Codes, ...]]:
    """Return the ratings that have a value, with their codes.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        NaN where nothing was rated; those entries are dropped.
    *codes : array_like of int, shape (n,)
        Codes from 0 of units, raters, systems, ...; they may have gaps.

    Returns
    -------
    values : ndarray of float, shape (m,), m <= n
    codes : tuple of ndarray of int, shape (m,)

    Raises
    ------
    ValueError
        Shapes differ, a value is infinite or beyond 1e100, or codes are not whole numbers from 0.

    Examples
    --------
    >>> values, (units,) = rated([3, float("nan"), 4], [0, 0, 7])
    >>> values.tolist(), units.tolist()
    ([3.0, 4.0], [0, 7])
    """
    numbers = checked_values(values)
    arrays = [checked_codes(array, numbers.size) for array in codes]
    present = ~np.isnan(numbers)
    if present.all():
        return numbers, tuple(arrays)
    return numbers[present], tuple(array[present] for array in arrays)


def checked_values(values: ArrayLike) -> Floats:
    """Return `values` as floats, shape (n,); ValueError where they are not numbers a statistic can take."""
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except TypeError as problem:
        raise ValueError(f"Values are numbers: {problem}.") from problem
    if numbers.ndim != 1:
        raise ValueError(f"Values have one dimension, not {numbers.ndim}.")
    # NaN compares as False, so it passes.
    if (np.abs(numbers) > _LARGEST).any():
        raise ValueError(f"Values are finite and at most {_LARGEST:g} in size.")
    return numbers


def checked_codes(codes: ArrayLike, n: int, *, below: int | None = None) -> Codes:
    """Return `codes` as integers, shape (n,); ValueError where they are not n whole numbers from 0 (and `below`)."""
    array = np.asarray(codes)
    if array.shape != (n,):
        raise ValueError(f"There are {n} values, but codes of shape {array.shape}.")
    if array.size and array.dtype.kind not in "iu":
        raise ValueError(f"Codes are whole numbers, not {array.dtype}.")
    if array.size and array.min() < 0:
        raise ValueError("Codes are at least 0.")
    if below is not None and array.size and array.max() >= below:
        raise ValueError(f"Codes are below {below}, not {array.max()}.")
    return array.astype(np.intp, copy=False)


def compressed(codes: AnyCodes) -> tuple[Codes, Codes]:
    """Return the different codes, sorted, and the place of each entry's code among them.

    Examples
    --------
    >>> different, places = compressed(np.array([7, 2, 7]))
    >>> different.tolist(), places.tolist()
    ([2, 7], [1, 0, 1])
    """
    if codes.size and codes.max() < 4 * codes.size + 1024:
        # Faster than np.unique, which sorts.
        present = np.zeros(int(codes.max()) + 1, dtype=bool)
        present[codes] = True
        return np.flatnonzero(present), (np.cumsum(present) - 1)[codes]
    present_codes, places = np.unique(codes, return_inverse=True)
    return present_codes.astype(np.intp, copy=False), places


def narrow_places(codes: AnyCodes) -> NDArray[np.int32]:
    """Return the place of each entry's code among the different codes, half as wide as those of `compressed`.

    For columns of a million entries that are held for long.

    Examples
    --------
    >>> narrow_places(np.array([7, 2, 7])).tolist()
    [1, 0, 1]
    """
    if codes.size and codes.max() < 4 * codes.size + 1024:
        present = np.zeros(int(codes.max()) + 1, dtype=bool)
        present[codes] = True
        places = np.cumsum(present, dtype=np.int32)
        places -= 1
        narrow: NDArray[np.int32] = places[codes]
        return narrow
    return compressed(codes)[1].astype(np.int32)


def value_codes(values: Floats) -> tuple[Floats, Codes]:
    """Return the different values, sorted, and the place of each entry's value among them.

    Examples
    --------
    >>> different, places = value_codes(np.array([2.5, 1.0, 2.5]))
    >>> different.tolist(), places.tolist()
    ([1.0, 2.5], [1, 0, 1])
    """
    if values.size and np.ptp(values) < 4 * values.size + 1024:
        steps = values - values.min()
        whole = steps.astype(np.intp)
        if (whole == steps).all():
            different, places = compressed(whole)
            # Not `different + min`: the sum would round large values.
            domain = np.empty(different.size)
            domain[places] = values
            # The differences are rounded too: 1e-17 and 0 are both one step above -1, but they are two values.
            if (domain[places] == values).all():
                return domain, places
    found_values, places = np.unique(values, return_inverse=True)
    return found_values, places


def settled(values: Floats) -> Floats:
    """Return values divided by the largest, to 12 digits, so that means that differ by rounding only become equal.

    For ranks and ties only. NaN stays.

    Examples
    --------
    >>> settled(np.array([0.1 + 0.2, 0.3, -0.6])).tolist()
    [0.5, 0.5, -1.0]
    """
    largest = float(np.nanmax(np.abs(values), initial=0.0)) or 1.0
    rounded: Floats = np.round(values / largest, 12)
    return rounded


def on_scale(values: Floats, domain: ArrayLike) -> tuple[Floats, Codes]:
    """Return the scale as floats, and the place of each value in it.

    Raises
    ------
    ValueError
        The domain is not a list of different finite values, or a value is not in it.

    Examples
    --------
    >>> on_scale(np.array([2.0, 3.0]), [3, 1, 2])[1].tolist()
    [2, 0]
    """
    scale = checked_values(domain)
    if np.isnan(scale).any() or np.unique(scale).size != scale.size:
        raise ValueError("The domain lists different finite values.")
    different, codes = value_codes(values)
    order = np.argsort(scale)
    places = np.searchsorted(scale, different, sorter=order)
    inside = places < scale.size
    inside[inside] = scale[order[places[inside]]] == different[inside]
    if not inside.all():
        raise ValueError(f"Values outside the domain: {', '.join(map(_written, different[~inside][:5].tolist()))}.")
    return scale, order[places][codes]


def _written(value: float) -> str:
    """Return a number with all of its digits."""
    return repr(value).removesuffix(".0")


_FLOATS = ("value", "low", "high", "se", "df", "p")
_COUNTS = ("n_ratings", "n_items", "n_raters")


@dataclass(frozen=True, slots=True)
class Estimate:
    """One number of a result; fields that do not apply are None.

    Numbers are plain Python floats and ints, never NaN or infinite, so that they can be stored as JSON.

    Parameters
    ----------
    value : float or None
        None where the statistic is undefined; `note` then says why.
    low, high : float or None
        Confidence limits.
    se, df, p : float or None
        Standard error, degrees of freedom, two-sided p value.
    n_ratings, n_items, n_raters : int or None
        Numbers of ratings, items and raters that entered the value.
    note : str or None
        English sentences for the reader of the result.
    exact : bool
        Whether the limits are Clopper and Pearson's, although the statistic usually takes resamples.

    Raises
    ------
    ValueError
        A number is NaN or infinite, a count is negative, or there is neither a value nor a note.

    Examples
    --------
    >>> Estimate(0.5, low=0.25, high=0.75).value
    0.5
    >>> Estimate(None, note="Nothing was rated.").note
    'Nothing was rated.'
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    se: float | None = None
    df: float | None = None
    p: float | None = None
    n_ratings: int | None = None
    n_items: int | None = None
    n_raters: int | None = None
    note: str | None = None
    # An int as well, so that counts can be passed by their names.
    exact: bool | int = False

    def __post_init__(self) -> None:
        for name in _FLOATS:
            number = getattr(self, name)
            if number is None:
                continue
            if not isfinite(number):
                raise ValueError(f"The {name} of an estimate is finite or None, not {number}.")
            # Adding zero turns -0.0 into 0.0; float() converts numpy scalars.
            object.__setattr__(self, name, float(number) + 0.0)
        for name in _COUNTS:
            count = getattr(self, name)
            if count is None:
                continue
            if count < 0 or count != int(count):
                raise ValueError(f"The {name} of an estimate is a whole number from 0, not {count}.")
            object.__setattr__(self, name, int(count))
        if self.value is None and not self.note:
            raise ValueError("An estimate without a value needs a note that says why.")


def joined(*sentences: str | None) -> str | None:
    """Join the sentences that are not None into one note, or return None.

    Examples
    --------
    >>> joined("Ties count half.", None, "No interval.")
    'Ties count half. No interval.'
    """
    return " ".join(sentence for sentence in sentences if sentence) or None
