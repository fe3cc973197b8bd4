"""How much raters contradict themselves on repeated questions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analytics_app.stats.arrays import Codes, Floats, checked_codes, checked_values, compressed

# One pair says next to nothing about a rater, and quartiles of fewer scores are single raters.
FEWEST_PAIRS = 2
FEWEST_RATERS = 4


@dataclass(frozen=True, slots=True)
class Inconsistency:
    """The scores of the raters who were asked something again; arrays of shape (n_raters,).

    Parameters
    ----------
    raters : ndarray of int
        Sorted codes.
    scores : ndarray of float
        0 for who never changed an answer, 1 for who always went from one end of the scale to the other.
    differences : ndarray of float
        Mean absolute difference, in shares of the scale, whatever the weights.
    equal : ndarray of int
        In how many pairs both answers were the same.
    pairs : ndarray of int
    steps : ndarray of float
        The score of somebody who is always one step of the scale away; 0 where the scale has no steps.
    """

    raters: Codes
    scores: Floats
    differences: Floats
    equal: Codes
    pairs: Codes
    steps: Floats


@dataclass(frozen=True, slots=True)
class Outliers:
    """Who contradicts themselves far more than the others.

    Parameters
    ----------
    outside : ndarray of bool, shape (n_raters,)
    limit : float or None
        The fence, None where there is none, and `note` says why.
    note : str or None
    """

    outside: NDArray[np.bool_]
    limit: float | None
    note: str | None = None


def inconsistency_scores(
    first: ArrayLike,
    again: ArrayLike,
    raters: ArrayLike,
    *,
    ranges: ArrayLike,
    steps: ArrayLike | None = None,
    weights: ArrayLike | None = None,
) -> Inconsistency:
    """The inconsistency score of each rater, after Naderi [1]_.

    With x and x' the two answers to the same question about the same text, both in the same direction and divided by
    the range of their scale,

        IS = sqrt(sum(w (x - x')^2) / sum(w))

    over the rater's pairs. The printed formula could not be read, so this is what is computed here under that name.
    Weights are 1, or the inverse of the variance which the text's ratings have over raters: then a change where
    everybody agrees weighs more (`inverse_variance`).

    Parameters
    ----------
    first, again : array_like of float, shape (n,)
        Canonical values, that is with polarity undone; NaN where there is no value, such pairs are dropped.
    raters : array_like of int, shape (n,)
        Codes from 0.
    ranges : array_like of float, shape (n,) or ()
        Highest minus lowest value of the scale, above 0.
    steps : array_like of float, shape (n,) or (), optional
        Width of a step; none for 0.
    weights : array_like of float, shape (n,), optional
        Above 0; none for 1.

    Returns
    -------
    Inconsistency
        In the order of the codes; raters without a pair are not in it.

    Raises
    ------
    ValueError
        Shapes differ, or a range or a weight is not above 0.

    References
    ----------
    .. [1] B. Naderi (2018). Motivation of Workers on Microtask Crowdsourcing Platforms. Springer. (Inconsistency
       score; the operationalisation with its formula is ours.)

    Examples
    --------
    >>> inconsistency_scores([4, 3, 5, 2], [4, 1, 4, 2], [0, 0, 0, 0], ranges=1).scores
    array([1.11803399])
    """
    x, y = checked_values(first), checked_values(again)
    codes = checked_codes(raters, x.size)
    if y.shape != x.shape:
        raise ValueError(f"There are {x.size} first answers and {y.size} second ones.")
    wide, step, w = (
        _of_pairs(one, x.size, name) for one, name in ((ranges, "ranges"), (steps, "steps"), (weights, ""))
    )
    if weights is None:
        w = np.ones(x.size)
    if (wide <= 0).any() or (w <= 0).any():
        raise ValueError("Ranges and weights are above 0.")
    there = ~(np.isnan(x) | np.isnan(y))
    found, who = compressed(codes[there])
    apart = (np.abs(x - y) / wide)[there]
    w, step = w[there], (step / wide)[there]
    n = np.bincount(who, minlength=found.size)
    total = np.bincount(who, weights=w, minlength=found.size)

    def mean(values: Floats, by: Floats, over: Floats | Codes) -> Floats:
        return np.bincount(who, weights=values * by, minlength=found.size) / np.maximum(over, np.finfo(float).tiny)

    return Inconsistency(
        raters=found,
        scores=np.sqrt(mean(apart**2, w, total)),
        differences=mean(apart, np.ones(apart.size), n),
        equal=np.bincount(who[apart == 0], minlength=found.size),
        pairs=n,
        steps=np.sqrt(mean(step**2, w, total)),
    )


def _of_pairs(given: ArrayLike | None, n: int, name: str) -> Floats:
    """Return one number a pair, 0 where nothing is given."""
    array = np.asarray(0.0 if given is None else given, dtype=np.float64)
    if array.shape not in {(), (n,)}:
        raise ValueError(f"There are {n} pairs, but {name or 'weights'} of shape {array.shape}.")
    if not np.isfinite(array).all():
        raise ValueError("Ranges, steps and weights are finite.")
    return np.broadcast_to(array, (n,)).astype(np.float64)


def outliers(found: Inconsistency, *, factor: float = 1.5, min_pairs: int = FEWEST_PAIRS) -> Outliers:
    """Raters whose score is above the third quartile plus `factor` interquartile ranges, and one step or more.

    Only raters with at least `min_pairs` pairs count and can be outliers. The fence is 0 where most raters never
    change an answer; so a score must also be that of somebody who is always one step away, or higher.

    Parameters
    ----------
    found : Inconsistency
    factor : float
        Above 0.
    min_pairs : int

    Returns
    -------
    Outliers
        Without a limit where fewer than 4 raters have enough pairs.

    Raises
    ------
    ValueError
        The factor is not above 0.

    Examples
    --------
    >>> same, other = [3] * 10, [3, 3, 3, 3, 3, 3, 3, 3, 1, 5]
    >>> found = inconsistency_scores(same, other, [0, 0, 1, 1, 2, 2, 3, 3, 4, 4], ranges=4, steps=1)
    >>> outliers(found).outside.tolist()
    [False, False, False, False, True]
    """
    if not (np.isfinite(factor) and factor > 0):
        raise ValueError(f"The factor is above 0, not {factor}.")
    tested = found.pairs >= min_pairs
    n = int(tested.sum())
    if n < FEWEST_RATERS:
        said = "nobody" if n == 0 else f"only {n} rater" if n == 1 else f"only {n} raters"
        note = f"{said} answered {min_pairs} repeats or more, and it takes {FEWEST_RATERS} to tell who is far off"
        return Outliers(np.zeros(found.raters.size, dtype=bool), None, f"{note[0].upper()}{note[1:]}.")
    q1, q3 = (float(quartile) for quartile in np.quantile(found.scores[tested], [0.25, 0.75]))
    limit = q3 + factor * (q3 - q1)
    # A score that is one step up to rounding is one step.
    outside = tested & (found.scores > limit + 1e-12) & (found.scores >= found.steps - 1e-12)
    return Outliers(outside, limit)


def inverse_variance(values: ArrayLike, texts: ArrayLike, *, floor: float = 0.01) -> tuple[Codes, Floats]:
    """Weights of texts: one over the variance of their ratings over raters, at least `floor`.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        Ratings in shares of their scale; NaN = not rated.
    texts : array_like of int, shape (n,)
        Codes from 0 of what was rated.
    floor : float
        Above 0; the variance of a text on which all agree, and the least there is.

    Returns
    -------
    codes : ndarray of int
        Sorted, of the texts with two ratings or more.
    weights : ndarray of float

    Raises
    ------
    ValueError
        The floor is not above 0.

    Examples
    --------
    >>> inverse_variance([0.5, 0.5, 0, 1, 0.3], [0, 0, 1, 1, 2])
    (array([0, 1]), array([100.,   2.]))
    """
    if not floor > 0:
        raise ValueError(f"The floor is above 0, not {floor}.")
    numbers = checked_values(values)
    codes = checked_codes(texts, numbers.size)
    there = ~np.isnan(numbers)
    found, places = compressed(codes[there])
    x = numbers[there]
    n = np.bincount(places, minlength=found.size)
    means = np.bincount(places, weights=x, minlength=found.size) / np.maximum(n, 1)
    squares = np.bincount(places, weights=(x - means[places]) ** 2, minlength=found.size)
    several = n > 1
    variance = squares[several] / (n[several] - 1)
    return found[several], 1 / np.maximum(variance, floor)
