"""Shares of wins in pairwise judgments, with raters and items both random."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.mixed.crossed import compare_crossed
from analytics_app.stats.mixed.independent import most_independent
from analytics_app.stats.mixed.results import NOTHING, CrossedComparison, estimate
from analytics_app.stats.resampling.bootstrap import check_settings
from analytics_app.stats.resampling.pair_sums import Pairs, checked_pairs
from analytics_app.stats.values import Codes, Estimate, Floats, checked_values, joined, rated

EVEN = 0.5

ALL_ALIKE = (
    "All {n} judgments prefer the same system, so there is no variance to estimate. Interval and p are exact, from as "
    "many judgments as have no rater and no text in common: {alone}."
)
ALL_TIES = "All judgments are ties, so there is no interval."


@dataclass(frozen=True, slots=True)
class PreferredPair:
    """How often system a is preferred to system b, for further raters and further items.

    Parameters
    ----------
    a, b : int
        System codes.
    difference : Estimate
        Share of wins of a over b, ties one half; `p` tests a share of .5.
    model : CrossedComparison or None
        The comparison that it comes from; None where all judgments are alike, or there are none.
    """

    a: int
    b: int
    difference: Estimate
    model: CrossedComparison | None = None


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
) -> tuple[PreferredPair, ...]:
    """Return the share of judgments in which a was preferred to b, for further raters and further items.

    For each pair the model is preference ~ 1 + (1|item) + (1|rater), as in `compare_crossed`. It has nothing to
    estimate where every judgment prefers the same system. Judgments of which no two have a rater or an item in common
    are independent even then: with m of them, the most that there are, p is that of the sign test of m to 0, and the
    limits are Clopper and Pearson's [1]_.

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
    tuple of PreferredPair
        `difference.value` is the share of wins of a (ties half), between 0 and 1 like its limits.

    Raises
    ------
    ValueError
        Wrong shapes or codes, a preference outside 0 to 1, or a confidence outside 0 to 1.

    References
    ----------
    .. [1] C. J. Clopper and E. S. Pearson (1934). The use of confidence or fiducial limits illustrated in the case of
       the binomial. Biometrika 26(4), 404-413.

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
    compared = []
    for a, b in columns.tolist():
        forward, backward = (one == a) & (two == b), (one == b) & (two == a)
        chosen = forward | backward
        compared.append(
            _pair(
                (a, b),
                np.where(forward, numbers, 1 - numbers)[chosen],
                item[chosen],
                rater[chosen],
                documents[0][chosen] if documents else None,
                confidence,
            )
        )
    return tuple(compared)


def _pair(
    pair: tuple[int, int], wins: Floats, items: Codes, raters: Codes, clusters: Codes | None, confidence: float
) -> PreferredPair:
    if not wins.size:
        return PreferredPair(*pair, Estimate(None, n_ratings=0, n_items=0, n_raters=0, note=NOTHING))
    if np.ptp(wins) == 0:
        return PreferredPair(*pair, _all_alike(wins, items, raters, clusters, confidence))
    single_system = np.zeros(wins.size, dtype=np.intp)
    model = compare_crossed(
        wins, single_system, items, raters, n_systems=1, pairs=[], confidence=confidence, clusters=clusters
    )
    (mean,) = model.means
    if mean.value is None or mean.se is None or mean.df is None:
        return PreferredPair(*pair, mean, model)
    numbers = {"n_ratings": mean.n_ratings or 0, "n_items": mean.n_items or 0, "n_raters": mean.n_raters or 0}
    share = estimate(mean.value, mean.se, mean.df, confidence, numbers, tested=EVEN, note=mean.note)
    low, high = (None if limit is None else min(max(limit, 0.0), 1.0) for limit in (share.low, share.high))
    share = replace(share, value=min(max(mean.value, 0.0), 1.0), low=low, high=high)
    return PreferredPair(*pair, share, model)


def _all_alike(wins: Floats, items: Codes, raters: Codes, clusters: Codes | None, confidence: float) -> Estimate:
    """Return the share of judgments that are all for a, all for b, or all ties."""
    value = float(wins[0])
    share = Estimate(value, n_ratings=wins.size, n_items=np.unique(items).size, n_raters=np.unique(raters).size)
    if value == EVEN:
        return replace(share, p=1.0, note=ALL_TIES)
    if value not in {0.0, 1.0}:
        return replace(share, note=joined("All judgments are the same, so there is no interval."))
    alone = most_independent(items if clusters is None else clusters, raters)
    reach = float(((1 - confidence) / 2) ** (1 / alone))
    low, high = (reach, 1.0) if value == 1 else (0.0, 1 - reach)
    note = ALL_ALIKE.format(n=wins.size, alone=alone)
    return replace(share, low=low, high=high, p=min(1.0, 2.0 ** (1 - alone)), note=note)
