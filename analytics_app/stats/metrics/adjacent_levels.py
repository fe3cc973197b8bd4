"""How well a metric tells adjacent levels of people's answers apart: areas under the curve, and whether they differ."""

import itertools
from dataclasses import dataclass, replace
from math import exp, log, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analytics_app.stats.values import Codes, Estimate, Floats, checked_codes, checked_values, compressed

# Fewer texts of a level say nothing about further ones, and fewer than the second number nothing about differences.
FEWEST_TEXTS, FEWEST_TESTED = 5, 10
# With fewer items the variance of an area is itself unknown.
FEWEST_UNITS = 10
FEW_TEXTS = "A level needs at least {n} texts; here are {lower} below and {upper} above."
FEW_UNITS = "Texts of {n} items or documents are too few for an interval and a test; at least {least} are needed."
APART = "The metric separates the two levels completely, so there is no interval."
TWO_PAIRS = (
    "Whether the metric is equally good at all levels takes at least two pairs of adjacent levels with at "
    "least {n} texts in each level."
)


@dataclass(frozen=True, slots=True)
class Level:
    """The scores of the texts of one level: how many, their mean, and their quartiles."""

    level: int
    n: int
    mean: float
    low_quartile: float
    median: float
    high_quartile: float


@dataclass(frozen=True, slots=True)
class AdjacentLevels:
    """The levels that have texts, from the lowest; the area for each two neighbours; and the test whether areas differ.

    An area is the probability that the metric gives a text of the upper level a higher score than one of the lower
    level, ties counting one half: 0.5 if it cannot tell the two levels apart.
    """

    levels: tuple[Level, ...]
    areas: tuple[Estimate, ...]
    differ: Estimate


def adjacent_levels(levels: ArrayLike, scores: ArrayLike, units: ArrayLike, *, confidence: float) -> AdjacentLevels:
    """Compare the scores of each two adjacent levels, where texts of one unit are not independent [1]_.

    Parameters
    ----------
    levels : array_like of int, shape (n,)
        Code from 0 of the level of each text, in their order.
    scores : array_like of float, shape (n,)
        Scores of the metric, higher for better; texts with NaN are dropped.
    units : array_like of int, shape (n,)
        Codes from 0: texts of one item (or of one document, if shown as a whole) belong together.
    confidence : float

    Returns
    -------
    AdjacentLevels
        Neighbours are levels that follow each other among those that have texts. An area has the variance of
        Obuchowski [1]_, an interval on the logit scale, and p (two-sided) of 0.5, both by t with one degree of freedom
        less than the smaller level has texts (than there are units, if these are fewer). `differ` is a Wald test that
        the areas of levels with at least 10 texts are equal: `value` is F, `df` that of its denominator, which is the
        number of texts of the smallest level less the number of compared differences. `n_ratings` of an area counts
        its texts, of `differ` the areas; `n_items` counts units.

    Raises
    ------
    ValueError
        Shapes differ.

    References
    ----------
    .. [1] N. A. Obuchowski (1997). Nonparametric analysis of clustered ROC curve data. Biometrics 53(2), 567-578.

    Examples
    --------
    >>> found = adjacent_levels([0] * 5 + [1] * 5, [1, 2, 3, 4, 5, 3, 4, 5, 6, 7], range(10), confidence=0.95)
    >>> found.areas[0].value, [level.median for level in found.levels]
    (0.82, [3.0, 5.0])
    """
    values = checked_values(scores)
    codes, unit = checked_codes(levels, values.size), checked_codes(units, values.size)
    known = ~np.isnan(values)
    values, codes = values[known], codes[known]
    _units, unit = compressed(unit[known])
    found = tuple(_level(int(code), values[codes == code]) for code in np.unique(codes))
    areas, influences = [], []
    for lower, upper in itertools.pairwise(found):
        area, influence = _area(values, unit, codes == lower.level, codes == upper.level, confidence)
        areas.append(area)
        influences.append(influence)
    tested = [
        (area, influence)
        for area, influence in zip(areas, influences, strict=True)
        if area.se and area.df is not None and area.df >= FEWEST_TESTED - 1
    ]
    return AdjacentLevels(found, tuple(areas), _differ(tested, int(unit.max()) + 1 if unit.size else 0))


def _level(code: int, scores: Floats) -> Level:
    low, median, high = (float(value) for value in np.quantile(scores, (0.25, 0.5, 0.75)))
    return Level(code, scores.size, float(scores.mean()), low, median, high)


def _area(
    values: Floats, unit: Codes, lower: NDArray[np.bool_], upper: NDArray[np.bool_], confidence: float
) -> tuple[Estimate, Floats]:
    """Return the area of two levels, and the influence of each unit on it, shape (n_units,)."""
    n_lower, n_upper = int(lower.sum()), int(upper.sum())
    n, n_units = n_lower + n_upper, np.unique(unit[lower | upper]).size
    influence = np.zeros(int(unit.max()) + 1)
    if min(n_lower, n_upper) < FEWEST_TEXTS:
        note = FEW_TEXTS.format(n=FEWEST_TEXTS, lower=n_lower, upper=n_upper)
        return Estimate(None, n_ratings=n, n_items=n_units, note=note), influence
    # Shares of texts of the other level below (above) each text.
    of_lower, of_upper = 1 - _shares(values[lower], values[upper]), _shares(values[upper], values[lower])
    area = float(of_upper.mean())
    influence += np.bincount(unit[lower], (of_lower - area) / n_lower, influence.size)
    influence += np.bincount(unit[upper], (of_upper - area) / n_upper, influence.size)
    estimate = Estimate(area, n_ratings=n, n_items=n_units)
    if n_units < FEWEST_UNITS:
        return replace(estimate, note=FEW_UNITS.format(n=n_units, least=FEWEST_UNITS)), influence
    se = sqrt(float(influence @ influence) * n_units / (n_units - 1))
    if se <= 1e-12 or not 0 < area < 1:
        return replace(estimate, note=APART), influence
    from scipy.stats import t  # noqa: PLC0415  takes a second to load

    df = min(n_lower, n_upper, n_units) - 1
    logit, reach = log(area / (1 - area)), float(t.ppf(0.5 + confidence / 2, df)) * se / (area * (1 - area))
    low, high = (1 / (1 + exp(-(logit + side * reach))) for side in (-1, 1))
    p = float(2 * t.sf(abs(area - 0.5) / se, df))
    return replace(estimate, low=low, high=high, se=se, df=float(df), p=p), influence


def _shares(values: Floats, others: Floats) -> Floats:
    """Return, for each value, the share of the others that are below it, ties counting one half."""
    ordered = np.sort(others)
    below, up_to = (np.searchsorted(ordered, values, side=side) for side in ("left", "right"))
    shares: Floats = (below + up_to) / (2 * others.size)
    return shares


def _differ(tested: list[tuple[Estimate, Floats]], n_units: int) -> Estimate:
    """Return the test that areas are equal, from the influence of each unit on each of them."""
    n, q = len(tested), len(tested) - 1
    if q < 1:
        return Estimate(None, n_ratings=n, n_items=n_units, note=TWO_PAIRS.format(n=FEWEST_TESTED))
    areas = np.array([area.value for area, _influence in tested], dtype=np.float64)
    influences = np.vstack([influence for _area, influence in tested])
    covariance = influences @ influences.T * n_units / (n_units - 1)
    differences, between = np.diff(areas), np.diff(np.diff(covariance, axis=0), axis=1)
    f = float(differences @ np.linalg.pinv(between) @ differences) / q
    df = min(area.df or 0 for area, _influence in tested) + 1 - q
    from scipy.stats import f as distribution  # noqa: PLC0415

    if df < 1:
        return Estimate(None, n_ratings=n, n_items=n_units, note=TWO_PAIRS.format(n=FEWEST_TESTED))
    return Estimate(f, df=float(df), p=float(distribution.sf(f, q, df)), n_ratings=n, n_items=n_units)
