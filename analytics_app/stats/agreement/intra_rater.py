"""Intra-rater agreement, from repeated questions about the same text."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.arrays import checked_codes, checked_values, compressed
from analytics_app.stats.comparison.means import group_means
from analytics_app.stats.estimate import Estimate
from analytics_app.stats.resampling.bootstrap import check_settings

# Under so many pairs of answers no coefficient is worth its name.
FEWEST_PAIRS = 10
NONE = "Nobody was asked the same twice."


@dataclass(frozen=True, slots=True)
class Repeated:
    """Share of equal answers, and the mean absolute difference of two answers (None for categories)."""

    equal: Estimate
    difference: Estimate | None


def repeated_answers(
    first: ArrayLike,
    again: ArrayLike,
    raters: ArrayLike,
    *,
    categories: bool = False,
    n_resamples: int,
    confidence: float,
    rng: np.random.Generator,
) -> Repeated:
    """Compare first and second answers, with percentile intervals over raters.

    Parameters
    ----------
    first, again : array_like of float, shape (n,)
        Values, or codes of labels; pairs with NaN are left out.
    raters : array_like of int, shape (n,)
        Codes from 0.
    categories : bool
        Whether the values are codes, whose difference means nothing.
    n_resamples, confidence, rng
        No interval under two raters.

    Returns
    -------
    Repeated
        `n_items` counts the pairs. Under 10 pairs the note says how many were equal, and there is no interval.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> found = repeated_answers([1, 2, 3], [1, 2, 5], [0, 0, 1], n_resamples=99, confidence=0.95, rng=rng)
    >>> found.equal.note, found.difference.value
    ('2 of 3 equal.', 0.6666666666666666)
    """
    check_settings(n_resamples, confidence)
    a, b = checked_values(first), checked_values(again)
    rater = checked_codes(raters, a.size)
    if b.size != a.size:
        raise ValueError(f"There are {a.size} first answers and {b.size} second ones.")
    there = ~(np.isnan(a) | np.isnan(b))
    a, b, rater = a[there], b[there], rater[there]
    n, n_raters = a.size, compressed(rater)[0].size
    about = {"n_items": n, "n_ratings": 2 * n, "n_raters": n_raters}
    if not n:
        nothing = Estimate(None, **about, note=NONE)
        return Repeated(nothing, None if categories else nothing)
    few = n < FEWEST_PAIRS or n_raters < 2
    note = f"{int((a == b).sum())} of {n} equal." if n < FEWEST_PAIRS else None

    def mean(values: np.ndarray[tuple[int], np.dtype[np.float64]], said: str | None) -> Estimate:
        if few:
            return Estimate(float(values.mean()), **about, note=said)
        found = group_means(
            values, np.zeros(n, dtype=np.intp), rater, n_groups=1, n_resamples=n_resamples, confidence=confidence,
            rng=rng,
        )[0]  # fmt: skip
        return Estimate(found.value, found.low, found.high, found.se, **about, note=found.note)

    return Repeated(mean((a == b).astype(np.float64), note), None if categories else mean(np.abs(a - b), None))
