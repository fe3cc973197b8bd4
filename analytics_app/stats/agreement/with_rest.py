"""Agreement of each rater with the other raters of the same texts."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.agreement.pooled import SharedUnits, shared_units
from analytics_app.stats.values import Codes, Estimate, Floats, rated, value_codes

ONE_ITEM = "Shares texts of one item with others, too few for an interval."
NO_SPREAD = "The difference is the same for every item, so there is no interval."
ONE_VALUE = "This rater gave all shared texts the same rating, so there is no correlation."
REST_SAME = "The others' means of these texts are all the same, so there is no correlation."


@dataclass(frozen=True, slots=True)
class WithRest:
    """Agreement of a rater, given by code, with the others over `n_items` texts that others rated too."""

    rater: int
    estimate: Estimate


def correlations_with_rest(
    values: ArrayLike, units: ArrayLike, raters: ArrayLike, *, min_shared: int = 3
) -> list[WithRest]:
    """Pearson's correlation of each rater's ratings with the mean of the other raters of the same texts.

    The corrected item-total correlation of questionnaires [1]_, raters in the place of items.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        NaN = not rated.
    units, raters : array_like of int, shape (n,)
        Codes from 0. A rater has at most one rating of a unit.
    min_shared : int
        Shared texts that a correlation needs, at least 3.

    Returns
    -------
    list of WithRest
        By rater code; raters who share no text with anybody are left out.

    References
    ----------
    .. [1] J. C. Nunnally and I. H. Bernstein (1994). Psychometric Theory, 3rd ed., chapter 8. McGraw-Hill.

    Examples
    --------
    >>> found = correlations_with_rest([1, 2, 3, 1, 3, 2], [0, 1, 2, 0, 1, 2], [0, 0, 0, 4, 4, 4])
    >>> found[1].rater, found[1].estimate.value
    (4, 0.5)
    """
    if min_shared < 3:
        raise ValueError(f"A correlation with the others takes at least 3 texts, not {min_shared}.")
    shared = _shared(values, units, raters)
    if not shared.units.size:
        return []
    rest_means = _rest_means(shared)
    x, xx = _around(shared.values, shared.raters)
    y, yy = _around(rest_means, shared.raters)
    product = np.bincount(shared.raters, weights=x * y)
    n = np.bincount(shared.raters)
    defined = (xx > 0) & (yy > 0)
    r = np.clip(np.divide(product, np.sqrt(xx * yy), out=np.zeros(n.size), where=defined), -1, 1)
    rows = []
    for i, code in enumerate(shared.rater_codes.tolist()):
        value, note = float(r[i]), None
        if n[i] < min_shared:
            value, note = None, f"Shares {n[i]} texts with others, and it takes {min_shared}."  # type: ignore[assignment]
        elif not defined[i]:
            value, note = None, ONE_VALUE if xx[i] == 0 else REST_SAME  # type: ignore[assignment]
        rows.append(WithRest(code, Estimate(value, n_ratings=n[i], n_items=n[i], n_raters=1, note=note)))
    return rows


def differences_from_rest(
    values: ArrayLike, units: ArrayLike, raters: ArrayLike, items: ArrayLike, *, confidence: float = 0.95
) -> list[WithRest]:
    """Return how far each rater rates above (or below) the mean of the other raters of the same texts.

    The differences of a rater are averaged within items first, since texts of one item are not independent. Interval
    and p are those of Student's t over the items, against 0: a rater as severe as the others.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        NaN = not rated.
    units, raters, items : array_like of int, shape (n,)
        Codes from 0. A rater has at most one rating of a unit, and a unit belongs to one item.
    confidence : float

    Returns
    -------
    list of WithRest
        By rater code; raters who share no text with anybody are left out. A rater whose texts are all of one item, or
        whose difference is the same for every item, has neither interval nor p.

    References
    ----------
    .. [1] Student (1908). The probable error of a mean. Biometrika 6(1), 1-25.

    Examples
    --------
    >>> found = differences_from_rest([1, 2, 3, 2, 3, 5], [0, 1, 2, 0, 1, 2], [0, 0, 0, 4, 4, 4], [0, 1, 2, 0, 1, 2])
    >>> [(one.rater, round(one.estimate.value, 3)) for one in found]
    [(0, -1.333), (4, 1.333)]
    """
    numbers, (unit, rater, item) = rated(values, units, raters, items)
    shared = shared_units(numbers, unit, rater, item)
    if not shared.units.size or shared.clusters is None:
        return []
    differences = shared.values - _rest_means(shared)
    n_items = int(shared.clusters.max()) + 1
    pairs, pair = np.unique(shared.raters * n_items + shared.clusters[shared.units], return_inverse=True)
    of_item = np.bincount(pair, weights=differences) / np.bincount(pair)
    n_texts = np.bincount(shared.raters)
    ends = np.searchsorted(pairs // n_items, np.arange(shared.rater_codes.size + 1))
    rows = []
    for i, code in enumerate(shared.rater_codes.tolist()):
        estimate = _against_zero(of_item[ends[i] : ends[i + 1]], confidence)
        rows.append(WithRest(code, replace(estimate, n_ratings=int(n_texts[i]), n_raters=1)))
    return rows


def _against_zero(x: Floats, confidence: float) -> Estimate:
    """Return a mean with its t interval and test against 0."""
    n, mean = x.size, float(x.mean())
    if n < 2:
        return Estimate(mean, n_items=n, note=ONE_ITEM)
    if np.ptp(x) <= 1e-12 * max(1.0, abs(mean)):
        return Estimate(mean, n_items=n, note=NO_SPREAD)
    from scipy.special import stdtr, stdtrit  # noqa: PLC0415  lazy import: scipy loads slowly

    se = float(x.std(ddof=1) / np.sqrt(n))
    reach = float(stdtrit(n - 1, (1 + confidence) / 2)) * se
    p = float(2 * stdtr(n - 1, -abs(mean) / se))
    return Estimate(mean, low=mean - reach, high=mean + reach, se=se, df=float(n - 1), p=p, n_items=n)


def agreement_with_rest(values: ArrayLike, units: ArrayLike, raters: ArrayLike) -> list[WithRest]:
    """Mean share of the other raters of a text who gave it the same value as a rater.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        Values or codes of labels; NaN = not rated.
    units, raters : array_like of int, shape (n,)
        Codes from 0. A rater has at most one rating of a unit.

    Returns
    -------
    list of WithRest
        By rater code; raters who share no text with anybody are left out.

    Examples
    --------
    >>> rows = agreement_with_rest([1, 1, 2, 3, 3], [0, 0, 0, 1, 1], [0, 1, 2, 0, 1])
    >>> [row.estimate.value for row in rows]
    [0.75, 0.75, 0.0]
    """
    shared = _shared(values, units, raters)
    if not shared.units.size:
        return []
    scale, codes = value_codes(shared.values)
    cells = shared.units * scale.size + codes
    _cells, cell, times = np.unique(cells, return_inverse=True, return_counts=True)
    share = (times[cell] - 1) / (np.bincount(shared.units)[shared.units] - 1)
    n = np.bincount(shared.raters)
    means = np.bincount(shared.raters, weights=share) / n
    return [
        WithRest(code, Estimate(float(means[place]), n_ratings=n[place], n_items=n[place], n_raters=1))
        for place, code in enumerate(shared.rater_codes.tolist())
    ]


def _shared(values: ArrayLike, units: ArrayLike, raters: ArrayLike) -> SharedUnits:
    numbers, (unit, rater) = rated(values, units, raters)
    return shared_units(numbers, unit, rater)


def _rest_means(shared: SharedUnits) -> Floats:
    """Return for each rating the mean of the other ratings of its text."""
    sums, sizes = np.bincount(shared.units, weights=shared.values), np.bincount(shared.units)
    means: Floats = (sums[shared.units] - shared.values) / (sizes[shared.units] - 1)
    return means


def _around(x: Floats, groups: Codes) -> tuple[Floats, Floats]:
    """Return the deviations from the mean of each group, and their sums of squares, exactly 0 for constant values."""
    n = np.bincount(groups)
    low, high = np.full(n.size, np.inf), np.full(n.size, -np.inf)
    np.minimum.at(low, groups, x)
    np.maximum.at(high, groups, x)
    # Equal means may differ by rounding.
    varied = high - low > 1e-12 * np.maximum(np.abs(high), np.abs(low))
    x = (x - low[groups]) / np.where(varied, high - low, 1)[groups]
    x = x - (np.bincount(groups, weights=x) / n)[groups]
    return x, np.where(varied, np.bincount(groups, weights=x**2), 0)
