"""Intraclass correlation: the share of the variance of ratings that lies between texts."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.resampling.bootstrap import check_settings
from analytics_app.stats.values import Codes, Estimate, Floats, compressed, rated

Form = Literal["ICC1", "ICC2", "ICC3", "ICC1k", "ICC2k", "ICC3k"]

NO_TEXTS = "An ICC takes two texts or more that two raters or more rated."
ALL_SAME = "All ratings are the same, so the ICC is undefined."
TOO_FEW = "Two texts by two raters are too few for the ICC of a complete table."
TEXTS_SAME = "Raters differ, texts do not vary at all: no interval."
PERFECT = "All raters of a text gave it the same rating, so there is no interval."
NO_ERROR = "Nothing is left but differences between texts and between raters, so there is no interval."


@dataclass(frozen=True, slots=True)
class OneWay:
    """One-way random ICC: of one rating, and of the mean of the ratings of a text.

    `ratings` is the number of ratings in that mean: that of each text where it is the same for all texts, else n0, a
    mean of these numbers that weights them as the variance does.
    """

    single: Estimate
    average: Estimate
    ratings: float | None = None


def icc_one_way(values: ArrayLike, units: ArrayLike, *, confidence: float = 0.95) -> OneWay:
    """ICC(1) and ICC(1,k) for raters who need not be the same from text to text [1]_, in equal numbers or not [2]_.

    With MSB and MSW the mean squares between and within a texts, N ratings and k_i of text i, n0 = (N - sum(k_i^2) / N)
    / (a - 1): ICC(1) = (MSB - MSW) / (MSB + (n0 - 1) MSW) and ICC(1,k) = (MSB - MSW) / MSB. Equal numbers give the
    forms of Shrout and Fleiss, with their limits; for unequal ones the limits put n0 in the place of k, approximately.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        NaN = not rated.
    units : array_like of int, shape (n,)
        Code from 0 of the rated text; at most one rating per rater. Texts with a single rating are left out.
    confidence : float

    Returns
    -------
    OneWay
        `p` is that of the F test that texts do not differ, `df` that of texts. None with fewer than two texts that have
        two ratings, and where all ratings are the same.

    References
    ----------
    .. [1] P. E. Shrout and J. L. Fleiss (1979). Intraclass correlations: uses in assessing rater reliability.
       Psychological Bulletin 86(2), 420-428.
    .. [2] A. Donner (1986). A review of inference procedures for the intraclass correlation coefficient in the one-way
       random effects model. International Statistical Review 54(1), 67-82.

    Examples
    --------
    >>> found = icc_one_way([1, 2, 3, 4, 2, 2], [0, 0, 1, 1, 2, 2])
    >>> round(found.single.value, 3), round(found.average.value, 3)
    (0.733, 0.846)
    """
    check_settings(0, confidence)
    numbers, (unit,) = rated(values, units)
    _unit_codes, places = compressed(unit)
    several = np.bincount(places)[places] > 1 if places.size else np.zeros(0, dtype=bool)
    numbers, (_unit_codes, places) = numbers[several], compressed(places[several])
    n, a = numbers.size, int(places.max()) + 1 if places.size else 0
    counts: dict[str, Any] = {"n_ratings": n, "n_items": a}
    if a < 2:
        undefined = Estimate(None, **counts, note=NO_TEXTS)
        return OneWay(undefined, undefined)
    if numbers.min() == numbers.max():
        undefined = Estimate(None, **counts, note=ALL_SAME)
        return OneWay(undefined, undefined)
    sizes = np.bincount(places).astype(np.float64)
    n0 = float((n - (sizes**2).sum() / n) / (a - 1))
    between, within = _one_way_squares(numbers, places, sizes)
    if within == 0:
        perfect = Estimate(1.0, df=a - 1, **counts, note=PERFECT)
        return OneWay(perfect, perfect, n0)
    df = (a - 1, n - a)
    f = (between / df[0]) / (within / df[1])
    fields: dict[str, Any] = {"df": df[0], **counts}
    if f == 0:
        single = Estimate(_single(f, n0), p=1.0, **fields, note=TEXTS_SAME)
        average_note = "Texts do not vary at all, so the ICC of their means is undefined."
        return OneWay(single, Estimate(None, **fields, note=average_note), n0)
    low, high = _limits(f, *df, confidence)
    p = _upper_tail(f, *df)
    uneven = None
    if sizes.min() < sizes.max():
        uneven = f"Texts have {sizes.min():g} to {sizes.max():g} ratings: the limits are approximate."
    return OneWay(
        Estimate(_single(f, n0), low=_single(low, n0), high=_single(high, n0), p=p, **fields, note=uneven),
        Estimate(_average(f), low=_average(low), high=_average(high), p=p, **fields, note=uneven),
        n0,
    )


def icc_forms(ratings: ArrayLike, *, confidence: float = 0.95) -> dict[Form, Estimate]:
    """All six forms of Shrout and Fleiss [1]_ for a complete table of texts by raters.

    ICC1: one-way random; ICC2: two-way random, absolute agreement; ICC3: two-way mixed, consistency; with k: of the
    mean of all k raters. Values, p and limits are those of `pingouin.intraclass_corr`, which has 95 % limits alone.
    That package is not used: it loads a plotting library, and needs several times the memory of the table.

    Parameters
    ----------
    ratings : array_like of float, shape (n_texts, n_raters)
        Complete: ValueError where a rating is missing.
    confidence : float

    Returns
    -------
    dict of str to Estimate
        By form. None with fewer than two texts, two raters or five ratings, and where all ratings are the same.

    References
    ----------
    .. [1] P. E. Shrout and J. L. Fleiss (1979). Intraclass correlations: uses in assessing rater reliability.
       Psychological Bulletin 86(2), 420-428.
    .. [2] K. O. McGraw and S. P. Wong (1996). Forming inferences about some intraclass correlation coefficients.
       Psychological Methods 1(1), 30-46. (The limits of ICC2.)

    Examples
    --------
    >>> round(icc_forms([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6]])["ICC3k"].value, 3)
    0.875
    """
    check_settings(0, confidence)
    table = np.asarray(ratings, dtype=np.float64)
    if table.ndim != 2 or not np.isfinite(table).all():
        raise ValueError("Ratings are a complete table of texts by raters, of finite numbers.")
    n, k = table.shape
    counts: dict[str, Any] = {"n_ratings": table.size, "n_items": n, "n_raters": k}
    if n < 2 or k < 2:
        return _all_forms(Estimate(None, **counts, note=NO_TEXTS))
    if table.min() == table.max():
        return _all_forms(Estimate(None, **counts, note=ALL_SAME))
    squares = _two_way_squares(table)
    if squares.error <= 0 or squares.texts <= 0:
        return _degenerate(squares, counts)
    if table.size < _FEWEST_RATINGS:
        return _all_forms(Estimate(None, **counts, note=TOO_FEW))
    one_way = _upper_tail(squares.texts / squares.within, n - 1, n * (k - 1))
    two_way = _upper_tail(squares.texts / squares.error, n - 1, (n - 1) * (k - 1))
    limits = _all_limits(squares, confidence)
    return {
        form: Estimate(
            top / bottom,
            low=min(limits[form]),
            high=max(limits[form]),
            p=one_way if form in _ONE_WAY else two_way,
            df=n - 1,
            **counts,
        )
        for form, (top, bottom) in _ratios(squares).items()
    }


# Two texts by two raters say nothing about agreement.
_FEWEST_RATINGS = 5
_ONE_WAY = frozenset({"ICC1", "ICC1k"})
_FORMS: tuple[Form, ...] = ("ICC1", "ICC2", "ICC3", "ICC1k", "ICC2k", "ICC3k")


@dataclass(frozen=True, slots=True)
class _Squares:
    """Mean squares of a complete table of n texts by k raters: of texts, raters, error, and within texts."""

    n: int
    k: int
    texts: float
    raters: float
    error: float
    within: float


def _all_forms(estimate: Estimate) -> dict[Form, Estimate]:
    return dict.fromkeys(_FORMS, estimate)


def _degenerate(squares: _Squares, counts: dict[str, Any]) -> dict[Form, Estimate]:
    """Return the forms without limits: with no error variance, or texts that do not vary, F is undefined."""
    note = NO_ERROR if squares.error <= 0 else TEXTS_SAME
    no_value = "Texts do not vary at all, so this form is undefined."
    return {
        form: Estimate(top / bottom, **counts, note=note) if bottom > 0 else Estimate(None, **counts, note=no_value)
        for form, (top, bottom) in _ratios(squares).items()
    }


def _ratios(squares: _Squares) -> dict[Form, tuple[float, float]]:
    """Return the numerator and the denominator of every form."""
    n, k = squares.n, squares.k
    b, j, e, w = squares.texts, squares.raters, squares.error, squares.within
    return {
        "ICC1": (b - w, b + (k - 1) * w),
        "ICC2": (b - e, b + (k - 1) * e + k * (j - e) / n),
        "ICC3": (b - e, b + (k - 1) * e),
        "ICC1k": (b - w, b),
        "ICC2k": (b - e, b + (j - e) / n),
        "ICC3k": (b - e, b),
    }


def _all_limits(squares: _Squares, confidence: float) -> dict[Form, tuple[float, float]]:
    """Return the limits of every form, by the equations of Shrout and Fleiss and of McGraw and Wong."""
    from scipy.special import fdtri  # noqa: PLC0415

    n, k, upper = squares.n, squares.k, 0.5 + confidence / 2
    one_way = _limits(squares.texts / squares.within, n - 1, n * (k - 1), confidence)
    consistency = _limits(squares.texts / squares.error, n - 1, (n - 1) * (k - 1), confidence)
    b, j, e = squares.texts, squares.raters, squares.error
    icc2 = (b - e) / (b + (k - 1) * e + k * (j - e) / n)
    ratio = j / e
    top = (k * icc2 * ratio + n * (1 + (k - 1) * icc2) - k * icc2) ** 2
    bottom = (n - 1) * k**2 * icc2**2 * ratio**2 + (n * (1 + (k - 1) * icc2) - k * icc2) ** 2
    v = (n - 1) * (k - 1) * top / bottom
    scale = k * j + (k * n - k - n) * e
    far, near = float(fdtri(n - 1, v, upper)), float(fdtri(v, n - 1, upper))
    low = n * (b - far * e) / (far * scale + n * b)
    high = n * (near * b - e) / (scale + n * near * b)
    return {
        "ICC1": (_single(one_way[0], k), _single(one_way[1], k)),
        "ICC2": (low, high),
        "ICC3": (_single(consistency[0], k), _single(consistency[1], k)),
        "ICC1k": (_average(one_way[0]), _average(one_way[1])),
        "ICC2k": (_of_means(low, k), _of_means(high, k)),
        "ICC3k": (_average(consistency[0]), _average(consistency[1])),
    }


def _one_way_squares(numbers: Floats, places: Codes, sizes: Floats) -> tuple[float, float]:
    """Return the sums of squares between and within texts; exactly 0 within where the ratings of each text agree."""
    numbers = numbers - np.median(numbers)
    numbers = numbers / np.abs(numbers).max()
    numbers = numbers - numbers.mean()
    means = np.bincount(places, weights=numbers) / sizes
    within = float(((numbers - means[places]) ** 2).sum())
    last_ratings = np.zeros(sizes.size)
    last_ratings[places] = numbers
    if (last_ratings[places] == numbers).all():
        within = 0.0
    between = float((sizes * (means - (sizes @ means) / sizes.sum()) ** 2).sum())
    # Where all texts have the same mean, rounding leaves a tiny remainder.
    return (0.0 if between < 1e-24 * numbers.size else between), within


def _two_way_squares(table: Floats) -> _Squares:
    n, k = table.shape
    centred = table - np.median(table)
    centred = centred / np.abs(centred).max()
    centred = centred - centred.mean()
    of_texts, of_raters = centred.mean(axis=1), centred.mean(axis=0)
    texts = k * float((of_texts**2).sum())
    raters = n * float((of_raters**2).sum())
    error = float(((centred - of_texts[:, np.newaxis] - of_raters) ** 2).sum())
    rounding = 1e-24 * table.size
    texts, raters, error = (0.0 if square < rounding else square for square in (texts, raters, error))
    return _Squares(
        n, k, texts / (n - 1), raters / (k - 1), error / ((n - 1) * (k - 1)), (raters + error) / (n * (k - 1))
    )


def _limits(f: float, df: float, df_error: float, confidence: float) -> tuple[float, float]:
    """Return the limits of a ratio of mean squares."""
    # Lazy import: web processes import this module but never compute limits.
    from scipy.special import fdtri  # noqa: PLC0415

    upper = 0.5 + confidence / 2
    return f / float(fdtri(df, df_error, upper)), f * float(fdtri(df_error, df, upper))


def _upper_tail(f: float, df: float, df_error: float) -> float:
    from scipy.special import fdtrc  # noqa: PLC0415

    return float(fdtrc(df, df_error, f))


def _single(f: float, k: float) -> float:
    return (f - 1) / (f + k - 1)


def _average(f: float) -> float:
    return 1 - 1 / f


def _of_means(single: float, k: float) -> float:
    return single * k / (1 + single * (k - 1))
