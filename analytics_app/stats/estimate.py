"""The result of every statistic: a value with its interval, test and counts."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

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
