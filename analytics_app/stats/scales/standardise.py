"""Standardise ratings on each rater's own scale (judge-wise z)."""

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.values import Floats, checked_codes, checked_values, compressed

# Treatment of raters whose ratings do not vary.
Constant: TypeAlias = Literal["drop", "zero"]


@dataclass(frozen=True, slots=True)
class Standardised:
    """Judge-wise z values.

    Parameters
    ----------
    z : ndarray of float, shape (n,)
        In the order of the ratings; NaN where the rating is missing or its rater has no z.
    undefined : tuple of int
        Sorted codes of the raters whose z is undefined: all their ratings are the same, or there are fewer than two.
    """

    z: Floats
    undefined: tuple[int, ...]


def judge_wise_z(values: ArrayLike, raters: ArrayLike, *, ddof: int = 1, constant: Constant = "drop") -> Standardised:
    """Subtract from each rating the mean of its rater's ratings, and divide by their standard deviation [1]_.

    z values can be compared between raters if every rater saw about the same mix of systems. The z of a rater who
    gave the same rating throughout is undefined. By default it is NaN, since 0 would count as a judgment of "average".

    Parameters
    ----------
    values : array_like of float, shape (n,)
        Ratings of one criterion; NaN = not rated.
    raters : array_like of int, shape (n,)
        Rater codes from 0.
    ddof : {1, 0}
        Divisor of the variance is the number of ratings minus `ddof`: 1 as in WMT and R, 0 as in Lai et al. [2]_.
    constant : {"drop", "zero"}
        What an undefined z becomes: NaN, or 0 as in the published scripts of RankME and the E2E challenge [3]_.

    Returns
    -------
    Standardised

    Raises
    ------
    ValueError
        Shapes differ, a value is infinite, a code is negative, `ddof` is neither 0 nor 1, or `constant` is unknown.

    References
    ----------
    .. [1] Y. Graham, T. Baldwin, A. Moffat and J. Zobel (2013). Continuous measurement scales in human evaluation of
       machine translation. LAW VII & ID, 33-41.
    .. [2] H. Lai, J. Mao, A. Toral and M. Nissim (2022). Human judgement as a compass to navigate automatic metrics
       for formality transfer. HumEval, 102-115.
    .. [3] J. Novikova, O. Dušek and V. Rieser (2018). RankME: reliable human ratings for natural language generation.
       NAACL-HLT, 72-78.

    Examples
    --------
    >>> judge_wise_z([1, 2, 3, 5, 5], [0, 0, 0, 4, 4])
    Standardised(z=array([-1.,  0.,  1., nan, nan]), undefined=(4,))
    """
    if ddof not in (0, 1):
        raise ValueError(f"ddof is 0 or 1, not {ddof}.")
    if constant not in get_args(Constant):
        raise ValueError(f"constant is drop or zero, not {constant!r}.")
    numbers = checked_values(values)
    codes = checked_codes(raters, numbers.size)
    rater_codes, places = compressed(codes)
    z = np.full(numbers.size, np.nan)
    rated = ~np.isnan(numbers)
    x, rater = numbers[rated], places[rated]

    counts = np.bincount(rater, minlength=rater_codes.size)
    low, high = np.full(rater_codes.size, np.inf), np.full(rater_codes.size, -np.inf)
    np.minimum.at(low, rater, x)
    np.maximum.at(high, rater, x)
    means = np.bincount(rater, weights=x, minlength=rater_codes.size) / np.maximum(counts, 1)
    deviations = x - means[rater]
    squares = np.bincount(rater, weights=deviations**2, minlength=rater_codes.size)
    sd = np.sqrt(squares / np.maximum(counts - ddof, 1))
    # The range shows whether ratings differ: rounding leaves an sd of 1e-16 where all ratings are 0.1.
    # The sd can still be 0 if the differences are too small to be squared.
    defined = (high > low) & (sd > 0)

    undefined = 0.0 if constant == "zero" else np.nan
    z[rated] = np.where(defined[rater], deviations / np.where(defined, sd, 1.0)[rater], undefined)
    return Standardised(z, tuple(int(code) for code in rater_codes[~defined]))
