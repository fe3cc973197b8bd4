"""Shares of systems, such as of a label or of right answers, with raters and items both random."""

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.mixed.crossed import compare_crossed
from analytics_app.stats.mixed.independent import most_independent
from analytics_app.stats.mixed.results import CrossedComparison, CrossedPair, estimate
from analytics_app.stats.resampling.pair_sums import Pairs
from analytics_app.stats.values import Codes, Estimate, Floats, checked_values, rated

ALL_ALIKE = (
    "All answers about a system are the same, so there is no variance to estimate. Interval and p are exact, from as "
    "many answers about both systems as have no rater and no text in common: {alone}."
)

ALL_RIGHT = (
    "All answers are alike, so there is no variance to estimate. Interval and p are exact, from as many answers as "
    "have no rater and no text in common: {alone}."
)

__all__ = ["compare_shares", "share_above"]


def compare_shares(
    values: ArrayLike,
    systems: ArrayLike,
    items: ArrayLike,
    raters: ArrayLike,
    *,
    n_systems: int,
    pairs: Pairs,
    confidence: float,
    clusters: ArrayLike | None = None,
) -> CrossedComparison:
    """Compare shares of systems so that the conclusion holds for further raters and further items.

    The model, the parameters, the return value and the errors are those of `compare_crossed`, of values from 0 to 1:
    a linear model of probabilities, whose differences are differences of shares. Limits are cut at 0 and 1, those
    of differences at -1 and 1. Where all answers about a system are 0, or all are 1, and this holds for each
    system, the model has nothing to estimate. Answers of a rater about both systems on an item, of which no two have a
    rater or an item in common, are independent even then: with m of them, the most that there are, p is that of the
    sign test of m to 0, and the limit of the difference follows from Clopper and Pearson's [1]_.

    Raises
    ------
    ValueError
        Also where a value is not from 0 to 1.

    References
    ----------
    .. [1] C. J. Clopper and E. S. Pearson (1934). The use of confidence or fiducial limits illustrated in the case of
       the binomial. Biometrika 26(4), 404-413.

    Examples
    --------
    >>> found = compare_shares(
    ...     [1, 0, 1, 0, 1, 0, 1, 0], [0, 1] * 4, [0, 0, 1, 1] * 2, [0] * 4 + [1] * 4,
    ...     n_systems=2, pairs=[(0, 1)], confidence=0.95,
    ... )
    >>> found.pairs[0].difference.value, found.pairs[0].difference.p
    (1.0, 0.5)
    """
    numbers = checked_values(values)
    if ((numbers < 0) | (numbers > 1)).any():
        raise ValueError("A share is between 0 and 1.")
    comparison = compare_crossed(
        numbers,
        systems,
        items,
        raters,
        n_systems=n_systems,
        pairs=pairs,
        confidence=confidence,
        clusters=clusters,
    )
    others = [] if clusters is None else [clusters]
    known, (system, item, rater, *documents) = rated(numbers, systems, items, raters, *others)
    place = documents[0] if documents else item
    compared = [
        _exact(pair, known, system, (item, place, rater), confidence) if _is_undecided(pair) else _cut(pair)
        for pair in comparison.pairs
    ]
    means = tuple(_within(mean, 0.0) for mean in comparison.means)
    return replace(comparison, means=means, pairs=tuple(compared))


def _is_undecided(pair: CrossedPair) -> bool:
    return pair.difference.value in {-1.0, 1.0} and pair.difference.p is None


def _cut(pair: CrossedPair) -> CrossedPair:
    return replace(pair, difference=_within(pair.difference, -1.0))


def _within(estimate: Estimate, lowest: float) -> Estimate:
    """Return an estimate with value and limits cut to the range from `lowest` to 1."""
    cut = {
        name: min(max(number, lowest), 1.0)
        for name in ("value", "low", "high")
        if (number := getattr(estimate, name)) is not None
    }
    return replace(estimate, **cut)


def _exact(
    pair: CrossedPair, values: Floats, system: Codes, places: tuple[Codes, Codes, Codes], confidence: float
) -> CrossedPair:
    """Return a pair of systems of which one has the share 1 and the other 0, with its exact interval and test."""
    item, document, rater = places
    width = int(rater.max()) + 1
    cells = item * width + rater
    both = np.isin(cells, cells[system == pair.b]) & (system == pair.a)
    alone = most_independent(document[both], rater[both])
    if not alone:
        return pair
    reach = 2 * float(((1 - confidence) / 2) ** (1 / alone)) - 1
    low, high = (reach, 1.0) if pair.difference.value == 1 else (-1.0, -reach)
    exact = replace(
        pair.difference,
        low=low,
        high=high,
        p=min(1.0, 2.0 ** (1 - alone)),
        note=ALL_ALIKE.format(alone=alone),
    )
    return replace(pair, difference=exact)


def share_above(
    values: ArrayLike,
    chances: ArrayLike,
    items: ArrayLike,
    raters: ArrayLike,
    *,
    confidence: float,
    clusters: ArrayLike | None = None,
) -> tuple[Estimate, CrossedComparison]:
    """Return the share of right answers less that by chance, for further raters and further items, and its model.

    The model is value - chance ~ 1 + (1|item) + (1|rater), as in `compare_crossed`; p tests a difference of 0. Where
    all answers are right, or all wrong, p and limits are exact, from answers of which no two have a rater or an item in
    common.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        1 for a right answer, 0 for a wrong one.
    chances : array_like of float, shape (n,)
        The probability that a random answer is right, between 0 and 1.
    items, raters : array_like of int, shape (n,)
        Codes from 0.
    confidence : float
    clusters : array_like of int, shape (n,), optional
        Code of the document of each answer's item.

    Returns
    -------
    Estimate
    CrossedComparison

    Raises
    ------
    ValueError
        Wrong shapes or codes, or a confidence outside 0 to 1.

    Examples
    --------
    >>> above, _model = share_above([1, 1, 0, 1, 1, 1], [0.5] * 6, [0, 1, 2] * 2, [0] * 3 + [1] * 3, confidence=0.95)
    >>> round(above.value, 3)
    0.333
    """
    right, chance = checked_values(values), checked_values(chances)
    single_system = np.zeros(right.size, dtype=np.intp)
    model = compare_crossed(
        right - chance, single_system, items, raters, n_systems=1, pairs=[], confidence=confidence, clusters=clusters
    )
    (mean,) = model.means
    numbers = {"n_ratings": mean.n_ratings or 0, "n_items": mean.n_items or 0, "n_raters": mean.n_raters or 0}
    if right.size and np.ptp(right) == 0 and right[0] in {0.0, 1.0}:
        others = [] if clusters is None else [clusters]
        _known, (item, rater, *documents) = rated(right, items, raters, *others)
        alone = most_independent(documents[0] if documents else item, rater)
        reach, by_chance = ((1 - confidence) / 2) ** (1 / alone), float(chance.mean())
        ends, most = ((reach, 1.0), chance.max()) if right[0] == 1 else ((0.0, 1 - reach), 1 - chance.min())
        low, high = (end - by_chance for end in ends)
        p = min(1.0, 2 * float(most) ** alone)
        note = ALL_RIGHT.format(alone=alone)
        return Estimate(float(right[0]) - by_chance, low=low, high=high, p=p, note=note, **numbers), model
    if mean.value is None or mean.se is None or mean.df is None:
        return mean, model
    return estimate(mean.value, mean.se, mean.df, confidence, numbers, tested=0.0, note=mean.note), model
