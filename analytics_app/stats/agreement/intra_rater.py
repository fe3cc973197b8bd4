"""Intra-rater agreement, from repeated questions about the same text."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.comparison.means import group_means
from analytics_app.stats.resampling.bootstrap import check_settings
from analytics_app.stats.values import Estimate, checked_codes, checked_values, compressed

# With fewer pairs of answers, shares and differences are too uncertain to report.
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
        Whether the values are codes, whose differences have no meaning.
    n_resamples, confidence, rng
        No interval with fewer than two raters.

    Returns
    -------
    Repeated
        `n_items` counts the pairs. With fewer than 10 pairs the note gives the number of equal ones, without interval.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> repeated = repeated_answers([1, 2, 3], [1, 2, 5], [0, 0, 1], n_resamples=99, confidence=0.95, rng=rng)
    >>> repeated.equal.note, repeated.difference.value
    ('2 of 3 equal.', 0.6666666666666666)
    """
    check_settings(n_resamples, confidence)
    a, b = checked_values(first), checked_values(again)
    rater = checked_codes(raters, a.size)
    if b.size != a.size:
        raise ValueError(f"There are {a.size} first answers and {b.size} second ones.")
    answered_twice = ~(np.isnan(a) | np.isnan(b))
    a, b, rater = a[answered_twice], b[answered_twice], rater[answered_twice]
    n, n_raters = a.size, compressed(rater)[0].size
    counts = {"n_items": n, "n_ratings": 2 * n, "n_raters": n_raters}
    if not n:
        undefined = Estimate(None, **counts, note=NONE)
        return Repeated(undefined, None if categories else undefined)
    too_few = n < FEWEST_PAIRS or n_raters < 2
    note = f"{int((a == b).sum())} of {n} equal." if n < FEWEST_PAIRS else None

    def mean(values: np.ndarray[tuple[int], np.dtype[np.float64]], note: str | None, *, shares: bool) -> Estimate:
        if too_few:
            return Estimate(float(values.mean()), **counts, note=note)
        estimate = group_means(
            values, np.zeros(n, dtype=np.intp), rater, n_groups=1, n_resamples=n_resamples, confidence=confidence,
            rng=rng, shares=shares,
        )[0]  # fmt: skip
        return replace(estimate, n_items=n, n_ratings=2 * n, n_raters=n_raters)

    equal = mean((a == b).astype(np.float64), note, shares=True)
    return Repeated(equal, None if categories else mean(np.abs(a - b), None, shares=False))
