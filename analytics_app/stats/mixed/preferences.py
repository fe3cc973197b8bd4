"""Shares of wins in pairwise judgments, with raters and items both random."""

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.mixed.crossed import compare_crossed
from analytics_app.stats.mixed.results import NOTHING, CrossedPair, estimate
from analytics_app.stats.resampling.bootstrap import check_settings
from analytics_app.stats.resampling.pair_sums import Pairs, checked_pairs
from analytics_app.stats.values import Estimate, checked_values, rated

EVEN = 0.5


def preference_shares(
    preferences: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    items: ArrayLike,
    raters: ArrayLike,
    *,
    pairs: Pairs,
    confidence: float,
    clusters: ArrayLike | None = None,
) -> tuple[CrossedPair, ...]:
    """Return the share of judgments in which a was preferred to b, for further raters and further items.

    For each pair the model is preference ~ 1 + (1|item) + (1|rater), as in `compare_crossed`.

    Parameters
    ----------
    preferences : array_like of float, shape (n,)
        1 where the first system was preferred, 0 where the second was, 0.5 for a tie, NaN = not judged.
    first, second : array_like of int, shape (n,)
        Codes of the two systems of each judgment, from 0.
    items, raters : array_like of int, shape (n,)
        Codes from 0.
    pairs : sequence of (int, int)
        Systems a and b of each comparison; judgments in either order count.
    confidence : float
    clusters : array_like of int, shape (n,), optional
        Code of the document of each judgment's item.

    Returns
    -------
    tuple of CrossedPair
        `difference.value` is the share of wins of a (ties half), between 0 and 1 like its limits, and its p tests a
        share of .5.

    Raises
    ------
    ValueError
        Wrong shapes or codes, a preference outside 0 to 1, or a confidence outside 0 to 1.

    Examples
    --------
    >>> (one,) = preference_shares(
    ...     [1, 1, 0, 1, 0.5, 1], [0] * 6, [1] * 6, [0, 1, 2] * 2, [0] * 3 + [1] * 3, pairs=[(1, 0)], confidence=0.95
    ... )
    >>> round(one.difference.value, 3)
    0.25
    """
    check_settings(0, confidence)
    columns = checked_pairs(pairs, None)
    others = [] if clusters is None else [clusters]
    numbers, (one, two, item, rater, *documents) = rated(
        checked_values(preferences), first, second, items, raters, *others
    )
    if ((numbers < 0) | (numbers > 1)).any():
        raise ValueError("A preference is between 0 and 1.")
    found = []
    for a, b in columns.tolist():
        forward, backward = (one == a) & (two == b), (one == b) & (two == a)
        chosen = forward | backward
        share = _share(
            np.where(forward, numbers, 1 - numbers)[chosen],
            item[chosen],
            rater[chosen],
            documents[0][chosen] if documents else None,
            confidence,
        )
        found.append(CrossedPair(a, b, share))
    return tuple(found)


def _share(
    wins: ArrayLike, items: ArrayLike, raters: ArrayLike, clusters: ArrayLike | None, confidence: float
) -> Estimate:
    values = np.asarray(wins, dtype=np.float64)
    if not values.size:
        return Estimate(None, n_ratings=0, n_items=0, n_raters=0, note=NOTHING)
    one = np.zeros(values.size, dtype=np.intp)
    (mean,) = compare_crossed(
        values, one, items, raters, n_systems=1, pairs=[], confidence=confidence, clusters=clusters
    ).means
    if mean.value is None or mean.se is None or mean.df is None:
        return mean
    numbers = {"n_ratings": mean.n_ratings or 0, "n_items": mean.n_items or 0, "n_raters": mean.n_raters or 0}
    share = estimate(mean.value, mean.se, mean.df, confidence, numbers, tested=EVEN, note=mean.note)
    low, high = (None if limit is None else min(max(limit, 0.0), 1.0) for limit in (share.low, share.high))
    return replace(share, value=min(max(mean.value, 0.0), 1.0), low=low, high=high)
