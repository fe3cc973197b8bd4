"""Magnitude estimates: normalised by rater, geometric means, ratios of systems."""

from dataclasses import dataclass, replace
from math import exp

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.comparison.paired import Paired, paired
from analytics_app.stats.resampling.pair_sums import Pairs
from analytics_app.stats.values import Codes, Estimate, Floats, checked_codes, checked_values, compressed

NORMALISATIONS = ("log", "standard", "modulus", "range")

# The exponential of a larger number does not fit a float.
_LARGEST_LOG = 700.0


@dataclass(frozen=True, slots=True)
class Normalised:
    """Magnitudes after a normalisation.

    Parameters
    ----------
    values : ndarray of float, shape (n,)
        In the order of the ratings; NaN where there is none.
    logged : bool
        Whether they are logarithms, whose means and differences are taken back as geometric means and ratios.
    not_positive : int
        Ratings of zero or below, which have no logarithm and are left out.
    without : tuple of int
        Codes of raters whose ratings are all the same, where the normalisation takes their range.
    """

    values: Floats
    logged: bool
    not_positive: int
    without: tuple[int, ...] = ()


def normalised(values: ArrayLike, raters: ArrayLike, how: str = "log", *, standard: float = 1.0) -> Normalised:
    """Put magnitudes on a common scale.

    - "log": natural logarithms, with which RankME [1]_ is analysed.
    - "standard": logarithms of ratios to the number of the standard text; means are then times that of the standard.
    - "modulus": logarithms with each rater's mean moved to the mean of all, as ISO 11056 [2]_ equalises moduli. It
      takes away what raters differ in, and so what they really differ in where they judged different texts.
    - "range": from 0, a rater's least number, to 1, the greatest. These are no logarithms.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        Ratings of one criterion; NaN = not rated.
    raters : array_like of int, shape (n,)
        Codes from 0.
    how : str
        One of `NORMALISATIONS`.
    standard : float
        Number of the standard text, above 0.

    Raises
    ------
    ValueError
        Shapes differ, an unknown normalisation, or a standard that is not above 0.

    References
    ----------
    .. [1] J. Novikova, O. Dušek and V. Rieser (2018). RankME: reliable human ratings for natural language generation.
       NAACL, 72-78.
    .. [2] ISO 11056:2021. Sensory analysis, methodology, magnitude estimation method.

    Examples
    --------
    >>> np.exp(normalised([50, 200], [0, 0], "standard", standard=100).values).round(6).tolist()
    [0.5, 2.0]
    >>> normalised([10, 30, 20, 5, 5], [0, 0, 0, 1, 1], "range")
    Normalised(values=array([0. , 1. , 0.5, nan, nan]), logged=False, not_positive=0, without=(1,))
    """
    if how not in NORMALISATIONS:
        raise ValueError(f"The normalisation is one of {', '.join(NORMALISATIONS)}, not {how!r}.")
    if not standard > 0:
        raise ValueError(f"The number of the standard is above 0, not {standard}.")
    numbers = checked_values(values)
    codes = checked_codes(raters, numbers.size)
    if how == "range":
        return _ranged(numbers, codes)
    logs = np.full(numbers.size, np.nan)
    positive = numbers > 0
    logs[positive] = np.log(numbers[positive])
    left_out = int(np.count_nonzero(numbers <= 0))
    if how == "standard":
        logs -= np.log(standard)
    elif how == "modulus" and positive.any():
        rater_codes, places = compressed(codes)
        rater = places[positive]
        counts = np.bincount(rater, minlength=rater_codes.size)
        means = np.bincount(rater, weights=logs[positive], minlength=rater_codes.size) / np.maximum(counts, 1)
        logs = logs - means[places] + logs[positive].mean()
    return Normalised(logs, True, left_out)


def _ranged(numbers: Floats, codes: Codes) -> Normalised:
    rater_codes, places = compressed(codes)
    rated = ~np.isnan(numbers)
    low, high = np.full(rater_codes.size, np.inf), np.full(rater_codes.size, -np.inf)
    np.minimum.at(low, places[rated], numbers[rated])
    np.maximum.at(high, places[rated], numbers[rated])
    wide = high > low
    values = np.full(numbers.size, np.nan)
    chosen = rated & wide[places]
    place = places[chosen]
    values[chosen] = (numbers[chosen] - low[place]) / (high - low)[place]
    return Normalised(values, False, 0, tuple(int(code) for code in rater_codes[~wide & (low < np.inf)]))


def taken_back(estimate: Estimate) -> Estimate:
    """Return the estimate of a mean, or difference, of logarithms as a geometric mean, or ratio.

    A standard error of logarithms has no counterpart, so there is none.

    Examples
    --------
    >>> taken_back(Estimate(0.0, low=-1.0, high=1.0, p=0.5)).value
    1.0
    """

    def back(number: float | None) -> float | None:
        return None if number is None else exp(min(number, _LARGEST_LOG))

    return Estimate(
        back(estimate.value),
        low=back(estimate.low),
        high=back(estimate.high),
        p=estimate.p,
        n_ratings=estimate.n_ratings,
        n_items=estimate.n_items,
        n_raters=estimate.n_raters,
        note=estimate.note,
    )


def ratios(
    matrix: ArrayLike,
    pairs: Pairs,
    *,
    clusters: ArrayLike | None = None,
    n_resamples: int,
    n_permutations: int = 9999,
    confidence: float,
    rng: np.random.Generator,
) -> list[Estimate]:
    """Ratio of two systems: exp of the mean difference of their mean logarithms over shared items.

    p is that of the sign-flip permutation test of the differences of logarithms. Parameters are those of `paired`,
    with a matrix of mean logarithms.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> logs = np.log([[100, 50], [200, 100], [80, 40]])
    >>> (ratio,) = ratios(logs, [(0, 1)], n_resamples=0, confidence=0.95, rng=rng)
    >>> round(ratio.value, 6), ratio.p
    (2.0, 0.25)
    """
    comparisons = paired(
        matrix,
        pairs,
        clusters=clusters,
        n_resamples=n_resamples,
        n_permutations=n_permutations,
        confidence=confidence,
        rng=rng,
    )
    return [ratio_of(comparison) for comparison in comparisons]


def ratio_of(comparison: Paired) -> Estimate:
    """Return the ratio of two systems from the comparison of their mean logarithms."""
    difference = comparison.difference
    return taken_back(replace(difference, se=None, p=comparison.permutation_p, n_items=comparison.n_items))
