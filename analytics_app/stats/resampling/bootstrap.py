"""The bootstrap: units resampled with replacement, as counts for a matrix product."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analytics_app.stats.values import Codes, Floats, compressed

# Most rows and cells of a chunk: 2**22 draws of 8 bytes are 32 MiB, whatever the number of units.
_ROWS = 256
_CELLS = 2**22
# Most units drawn at a time, so that their counts stay in the processor's cache.
_DRAWN = 2**15
# Resampling a handful of units gives intervals that are far too narrow.
FEWEST_UNITS = 10
ONE_UNIT = "No interval: only one unit could be drawn."
# Largest share of undefined resamples: with more, the rest are too selective.
_FAILED = 0.05
# A coefficient closer than this to the end of its scale differs from it by rounding only.
_AT_END = 1e-9
# Limits closer than this share of the largest sample differ by rounding only.
_NO_WIDTH = 1e-12
ALL_ALIKE = (
    "No interval: resamples give this value again and again, so they do not show how far from it the true value may be."
)


def weights(
    n: int, n_resamples: int, rng: np.random.Generator, *, classes: Codes | None = None, width: int = 0
) -> Iterator[NDArray[np.float32]]:
    """Yield chunks of counts of how often each of n units is in each bootstrap sample of size n.

    Units are drawn one by one, so the counts are exactly multinomial. Memory is bounded for any number of units and
    resamples, and the draws do not depend on the size of the chunks.

    Parameters
    ----------
    n : int
        Number of units, at least 1.
    n_resamples : int
        Number of samples; 0 gives no chunk.
    rng : numpy.random.Generator
    classes : ndarray of int, shape (n,), optional
        Units with the same code from 0 are counted together, which saves work for units with equal ratings.
    width : int
        Columns of the caller's arrays, if there are more than n: chunks then have fewer rows.

    Yields
    ------
    ndarray of float32, shape (at most 256, n) or (at most 256, classes.max() + 1)
        Each row sums to n.

    Raises
    ------
    ValueError
        `n` is below 1 or `n_resamples` below 0, or `classes` do not fit.

    References
    ----------
    .. [1] B. Efron and R. J. Tibshirani (1993). An Introduction to the Bootstrap. Chapman & Hall.

    Examples
    --------
    >>> chunk = next(weights(4, 2, np.random.default_rng(1)))
    >>> chunk.shape, chunk.sum(axis=1).tolist()
    ((2, 4), [4.0, 4.0])
    """
    if n < 1:
        raise ValueError(f"There is at least 1 unit to draw from, not {n}.")
    if n_resamples < 0:
        raise ValueError(f"The number of resamples is 0 or more, not {n_resamples}.")
    if classes is not None and (classes.shape != (n,) or classes.min() < 0):
        raise ValueError(f"There are {n} units, and a class from 0 for each.")
    return _chunks(n, n_resamples, rng, classes, max(n, width))


def _chunks(
    n: int, n_resamples: int, rng: np.random.Generator, classes: Codes | None, width: int
) -> Iterator[NDArray[np.float32]]:
    columns = n if classes is None else int(classes.max()) + 1
    rows = min(_ROWS, max(1, _CELLS // width))
    for start in range(0, n_resamples, rows):
        counts = np.empty((min(rows, n_resamples - start), columns), dtype=np.float32)
        step = max(1, _DRAWN // max(n, columns))
        for begin in range(0, len(counts), step):
            some = counts[begin : begin + step]
            draws = rng.integers(n, size=(len(some), n), dtype=np.intp)
            if classes is not None:
                draws = classes[draws]
            draws += np.arange(len(some), dtype=np.intp)[:, np.newaxis] * columns
            some[:] = np.bincount(draws.ravel(), minlength=some.size).reshape(some.shape)
        yield counts


def drawn_together(clusters: Codes, classes: Codes, n_resamples: int, rng: np.random.Generator) -> Iterator[Floats]:
    """Yield chunks of counts of each class of units in bootstrap samples of whole clusters, such as documents.

    Clusters are drawn, each with all of its units, so samples differ in their number of units.

    Parameters
    ----------
    clusters : ndarray of int, shape (n,)
        Code from 0 of the cluster of each unit.
    classes : ndarray of int, shape (n,)
        Units with the same code from 0 are counted together.
    n_resamples : int
    rng : numpy.random.Generator

    Yields
    ------
    ndarray of float, shape (at most 256, classes.max() + 1)

    Examples
    --------
    >>> chunk = next(drawn_together(np.array([0, 0, 1]), np.array([0, 1, 1]), 3, np.random.default_rng(1)))
    >>> chunk.tolist()
    [[1.0, 2.0], [0.0, 2.0], [2.0, 2.0]]
    """
    # Lazy import: scipy.sparse loads slowly, and only clusters need it.
    from scipy.sparse import csr_array  # noqa: PLC0415

    cluster_codes, places = compressed(clusters)
    width = int(classes.max()) + 1
    table = csr_array((np.ones(classes.size), (places, classes)), shape=(cluster_codes.size, width))
    for chunk in weights(cluster_codes.size, n_resamples, rng, width=width):
        yield np.asarray((table.T @ chunk.T.astype(np.float64)).T)


def cluster_of_units(units: Codes, clusters: Codes) -> Codes:
    """Return the cluster of each unit, in the order of the unit codes; the arguments have one entry per rating.

    Raises
    ------
    ValueError
        Ratings of one unit have several clusters.

    Examples
    --------
    >>> cluster_of_units(np.array([5, 5, 2]), np.array([0, 0, 3])).tolist()
    [3, 0]
    """
    unit_codes, places = compressed(units)
    of_unit = np.zeros(unit_codes.size, dtype=np.intp)
    of_unit[places] = clusters
    if (of_unit[places] != clusters).any():
        raise ValueError("A unit, such as an item, is in one cluster only.")
    return of_unit


def too_few(n_units: int, clusters: Codes | None) -> str | None:
    """Return a note if there are too few texts, or documents, for an interval of agreement, else None."""
    n, units = (n_units, "texts") if clusters is None else (compressed(clusters)[0].size, "documents")
    if n >= FEWEST_UNITS:
        return None
    return f"Too few {units} with two ratings or more for an interval: {n}, and it takes {FEWEST_UNITS}."


def ratio_samples(sums: ArrayLike, counts: ArrayLike, n_resamples: int, rng: np.random.Generator) -> Floats:
    """Return bootstrap samples of means over ratings, with units resampled (a ratio estimator).

    Parameters
    ----------
    sums, counts : array_like of float, shape (n_units, k)
        Sum and number of the ratings of each unit, for k means; all means share the resamples.
    n_resamples : int
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of float, shape (n_resamples, k)
        NaN where a resample has no rating for that mean.

    Examples
    --------
    >>> ratio_samples([[2.0], [2.0]], [[1], [1]], 3, np.random.default_rng(1)).ravel().tolist()
    [2.0, 2.0, 2.0]
    """
    tops, bottoms = np.asarray(sums, dtype=np.float64), np.asarray(counts, dtype=np.float64)
    if tops.ndim != 2 or tops.shape != bottoms.shape:
        raise ValueError(f"Sums and counts have the same two dimensions, not {tops.shape} and {bottoms.shape}.")
    columns = np.hstack([tops, bottoms])
    k = tops.shape[1]
    samples = np.full((n_resamples, k), np.nan)
    start = 0
    # Fewer samples at a time than usual, since their counts are multiplied in double precision.
    for chunk in weights(len(tops), n_resamples, rng, width=4 * len(tops)):
        totals = chunk @ columns
        rows = samples[start : start + len(chunk)]
        np.divide(totals[:, :k], totals[:, k:], out=rows, where=totals[:, k:] > 0)
        start += len(chunk)
    return samples


class Interval(NamedTuple):
    """A bootstrap interval, the bootstrap standard error, and a note if there is no interval or resamples failed."""

    low: float | None
    high: float | None
    se: float | None
    note: str | None


class Adjusted(float):
    """A confidence that corrects bootstrap intervals for few units; a plain float takes plain percentiles.

    Percentiles of resamples are too narrow for few units: a resample varies by (n - 1) / n as much as another
    sample would, and its quantiles do not follow Student's t.
    """


def interval(samples: ArrayLike, confidence: float, n: int | None = None, *, ranks: bool = False) -> Interval:
    """Return percentiles of the samples, their standard deviation (ddof 1), and a note on failed resamples.

    Limits that coincide are no interval: a sample in which all units are alike says nothing about units that differ, so
    limits and standard error are None, and the note gives the reason. Only `ranks` keep them, since a system may well
    have one rank in every resample.

    A plain confidence takes the percentiles as they are [1]_. An `Adjusted` one takes expanded percentiles [2]_, which
    are those of Student's t for the mean of n units that are not skewed: the tail is Phi(-sqrt(n / (n - 1)) t), with t
    the quantile of n - 1 degrees of freedom.

    Parameters
    ----------
    samples : array_like of float, shape (n_resamples,)
        NaN where the statistic was undefined in a resample. Such resamples are left out; if they are more than
        1 in 20 there is no interval, since the others are a selection.
    confidence : float
        Between 0 and 1.
    n : int, optional
        Number of resampled units of the statistic; an `Adjusted` confidence needs it. One unit gives no interval.
    ranks : bool
        Whether the samples are ranks.

    References
    ----------
    .. [1] B. Efron and R. J. Tibshirani (1993). An Introduction to the Bootstrap. Chapman & Hall, chapter 13.
    .. [2] T. C. Hesterberg (2015). What teachers should know about the bootstrap: resampling in the undergraduate
       statistics curriculum. The American Statistician 69(4), 371-386, section 5.2.

    Examples
    --------
    >>> interval([1, 2, float("nan")], 0.9).note
    'No interval: 1 of 3 resamples left the value undefined.'
    >>> low, high, *_rest = interval(range(1001), Adjusted(0.95), 10)
    >>> round(low, 2), round(high, 2)
    (8.55, 991.45)
    >>> interval([4, 4, 4], 0.9).low is None, interval([4, 4, 4], 0.9, ranks=True).low
    (True, 4.0)
    """
    check_settings(0, confidence)
    numbers = np.asarray(samples, dtype=np.float64)
    if numbers.ndim != 1:
        raise ValueError(f"Samples have one dimension, not {numbers.ndim}.")
    defined = numbers[~np.isnan(numbers)]
    n_failed = numbers.size - defined.size
    if not numbers.size:
        return Interval(None, None, None, None)
    if n_failed > _FAILED * numbers.size:
        failure = f"No interval: {n_failed:,} of {numbers.size:,} resamples left the value undefined."
        return Interval(None, None, None, failure)
    tail = tail_of(confidence)
    if isinstance(confidence, Adjusted):
        if n is None:
            raise ValueError("An interval that allows for few units takes their number.")
        if n < 2:
            return Interval(None, None, None, ONE_UNIT)
        # Lazy import: scipy takes a third of a second to load, and web processes do not resample.
        from scipy.special import ndtr, ndtri  # noqa: PLC0415

        tail = float(ndtr(ndtri(tail) * _widening(tail, n)))
    low, high = np.quantile(defined, [tail, 1 - tail])
    if not ranks and high - low <= _NO_WIDTH * np.abs(defined).max():
        return Interval(None, None, None, ALL_ALIKE)
    se = float(defined.std(ddof=1)) if defined.size > 1 else None
    note = (
        f"{n_failed:,} of {numbers.size:,} resamples left the value undefined and are left out." if n_failed else None
    )
    return Interval(float(low), float(high), se, note)


def agreement_interval(samples: ArrayLike, confidence: float, n: int, *, value: float, k: float) -> Interval:
    """Return the interval of a coefficient of agreement, such as alpha, which has skewed and too low resamples.

    In a resample a text that was drawn twice agrees with itself, so less disagreement is expected and coefficients
    fall. An `Adjusted` confidence therefore takes the percentiles to Fisher's scale for k ratings a text [1]_,
    log((1 + (k - 1) c) / (1 - c)), keeps half the distance between them, widens it by sqrt(n / (n - 1)) t / z as
    `interval` does, and puts it on both sides of the value. If one of the percentiles is at an end of the scale,
    the distance of the other from the value is used.

    Parameters
    ----------
    samples, confidence, n
        As in `interval`.
    value : float
        The coefficient of the ratings themselves.
    k : float
        Mean number of ratings of a text, at least 2.

    References
    ----------
    .. [1] R. A. Fisher (1925). Statistical Methods for Research Workers, section 39. Oliver and Boyd.

    Examples
    --------
    >>> samples = np.random.default_rng(1).normal(0.5, 0.1, size=1000)
    >>> found = agreement_interval(samples, Adjusted(0.95), 20, value=0.52, k=3)
    >>> round(found.low, 2), round(found.high, 2)
    (0.29, 0.71)
    """
    percentiles = interval(samples, float(confidence))
    # All raters agree, or there are no percentiles: nothing can be transformed.
    if (
        not isinstance(confidence, Adjusted)
        or percentiles.low is None
        or percentiles.high is None
        or value > 1 - _AT_END
    ):
        return percentiles
    from scipy.special import expit, logit  # noqa: PLC0415

    least = -1 / (k - 1)
    if min(value, percentiles.low) < least:
        # Texts with different numbers of ratings can disagree more than the same number of ratings could.
        least = -1.0
    shares = (np.array([percentiles.low, value, percentiles.high]) - least) / (1 - least)
    low, middle, high = logit(np.where(shares > 1 - _AT_END, 1.0, np.where(shares < _AT_END, 0.0, shares)))
    if not np.isfinite(middle):
        return percentiles
    sides = np.array([middle - low, high - middle])
    half = sides[np.isfinite(sides)].mean() if np.isfinite(sides).any() else np.inf
    half *= _widening(tail_of(confidence), n)
    ends = least + (1 - least) * expit(np.array([middle - half, middle + half]))
    return Interval(float(ends[0]), float(ends[1]), percentiles.se, percentiles.note)


def tail_of(confidence: float) -> float:
    """Return the share of a distribution that an interval leaves out on each side."""
    # Rounded, since 1 - 0.9 is a hair below 0.1.
    return round((1 - float(confidence)) / 2, 12)


def _widening(tail: float, n: int) -> float:
    """Return sqrt(n / (n - 1)) t / z: how much farther Student's quantile of n units is than the normal one."""
    from scipy.special import ndtri, stdtrit  # noqa: PLC0415

    return float(np.sqrt(n / (n - 1)) * stdtrit(n - 1, tail) / ndtri(tail))


def check_settings(n_resamples: int, confidence: float) -> None:
    """Raise ValueError where a statistic cannot take these settings."""
    if n_resamples < 0:
        raise ValueError(f"The number of resamples is 0 or more, not {n_resamples}.")
    if not 0 < confidence < 1:
        raise ValueError(f"The confidence is between 0 and 1, not {confidence}.")
