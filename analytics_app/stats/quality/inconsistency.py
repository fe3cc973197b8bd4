"""Contradictions of raters on repeated questions."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analytics_app.stats.values import Codes, Floats, checked_codes, checked_values, compressed

# One pair says next to nothing about a rater, and quartiles of fewer scores are single raters.
FEWEST_PAIRS = 2
FEWEST_RATERS = 4


@dataclass(frozen=True, slots=True)
class Inconsistency:
    """Scores of the raters who answered repeated questions; arrays of shape (n_raters,).

    Parameters
    ----------
    raters : ndarray of int
        Sorted codes.
    scores : ndarray of float
        0 for a rater who never changed an answer, 1 for one who always moved from one end of the scale to the other.
    differences : ndarray of float
        Mean absolute difference, in shares of the scale, whatever the weights.
    equal : ndarray of int
        Number of pairs with two equal answers.
    pairs : ndarray of int
    steps : ndarray of float
        The score of a rater who is always off by one step of the scale; 0 where the scale has no steps.
    """

    raters: Codes
    scores: Floats
    differences: Floats
    equal: Codes
    pairs: Codes
    steps: Floats


@dataclass(frozen=True, slots=True)
class Outliers:
    """Raters who contradict themselves far more than the others.

    Parameters
    ----------
    outside : ndarray of bool, shape (n_raters,)
    limit : float or None
        The fence; None if there is none, and `note` says why.
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

    over the rater's pairs. The printed formula is illegible, so this is the definition used here.
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
    width, step, w = (
        _of_pairs(array, x.size, name) for array, name in ((ranges, "ranges"), (steps, "steps"), (weights, ""))
    )
    if weights is None:
        w = np.ones(x.size)
    if (width <= 0).any() or (w <= 0).any():
        raise ValueError("Ranges and weights are above 0.")
    answered_twice = ~(np.isnan(x) | np.isnan(y))
    rater_codes, rater = compressed(codes[answered_twice])
    differences = (np.abs(x - y) / width)[answered_twice]
    w, step = w[answered_twice], (step / width)[answered_twice]
    n = np.bincount(rater, minlength=rater_codes.size)
    total = np.bincount(rater, weights=w, minlength=rater_codes.size)

    def mean(values: Floats, by: Floats, over: Floats | Codes) -> Floats:
        return np.bincount(rater, weights=values * by, minlength=rater_codes.size) / np.maximum(
            over, np.finfo(float).tiny
        )

    return Inconsistency(
        raters=rater_codes,
        scores=np.sqrt(mean(differences**2, w, total)),
        differences=mean(differences, np.ones(differences.size), n),
        equal=np.bincount(rater[differences == 0], minlength=rater_codes.size),
        pairs=n,
        steps=np.sqrt(mean(step**2, w, total)),
    )


def _of_pairs(numbers: ArrayLike | None, n: int, name: str) -> Floats:
    """Return one number per pair, 0 if there are none."""
    array = np.asarray(0.0 if numbers is None else numbers, dtype=np.float64)
    if array.shape not in {(), (n,)}:
        raise ValueError(f"There are {n} pairs, but {name or 'weights'} of shape {array.shape}.")
    if not np.isfinite(array).all():
        raise ValueError("Ranges, steps and weights are finite.")
    return np.broadcast_to(array, (n,)).astype(np.float64)


def outliers(scores: Inconsistency, *, factor: float = 1.5, min_pairs: int = FEWEST_PAIRS) -> Outliers:
    """Return the raters with a score above the third quartile plus `factor` interquartile ranges, and one step or more.

    Only raters with at least `min_pairs` pairs count and can be outliers. The fence is 0 where most raters never
    change an answer; so an outlier's score must also be at least that of a rater who is always off by one step.

    Parameters
    ----------
    scores : Inconsistency
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
    >>> first, again = [3] * 10, [3, 3, 3, 3, 3, 3, 3, 3, 1, 5]
    >>> scores = inconsistency_scores(first, again, [0, 0, 1, 1, 2, 2, 3, 3, 4, 4], ranges=4, steps=1)
    >>> outliers(scores).outside.tolist()
    [False, False, False, False, True]
    """
    if not (np.isfinite(factor) and factor > 0):
        raise ValueError(f"The factor is above 0, not {factor}.")
    tested = scores.pairs >= min_pairs
    n = int(tested.sum())
    if n < FEWEST_RATERS:
        count_text = "nobody" if n == 0 else f"only {n} rater" if n == 1 else f"only {n} raters"
        note = f"{count_text} answered {min_pairs} repeats or more, and it takes {FEWEST_RATERS} to tell who is far off"
        return Outliers(np.zeros(scores.raters.size, dtype=bool), None, f"{note[0].upper()}{note[1:]}.")
    q1, q3 = (float(quartile) for quartile in np.quantile(scores.scores[tested], [0.25, 0.75]))
    limit = q3 + factor * (q3 - q1)
    # Allow for rounding errors of scores of exactly one step.
    outside = tested & (scores.scores > limit + 1e-12) & (scores.scores >= scores.steps - 1e-12)
    return Outliers(outside, limit)


def inverse_variance(values: ArrayLike, texts: ArrayLike, *, floor: float = 0.01) -> tuple[Codes, Floats]:
    """Weights of texts: the inverse of the variance of their ratings over raters, which is at least `floor`.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        Ratings in shares of their scale; NaN = not rated.
    texts : array_like of int, shape (n,)
        Codes from 0 of the rated texts.
    floor : float
        Smallest variance, such as that of a text on which all raters agree; above 0.

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
    rated = ~np.isnan(numbers)
    text_codes, places = compressed(codes[rated])
    x = numbers[rated]
    n = np.bincount(places, minlength=text_codes.size)
    means = np.bincount(places, weights=x, minlength=text_codes.size) / np.maximum(n, 1)
    squares = np.bincount(places, weights=(x - means[places]) ** 2, minlength=text_codes.size)
    several = n > 1
    variance = squares[several] / (n[several] - 1)
    return text_codes[several], 1 / np.maximum(variance, floor)
