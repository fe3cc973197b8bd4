"""Compare systems with raters and items both random: a linear mixed model by REML."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.mixed.blocks import Layout, layout
from analytics_app.stats.mixed.design import Design, combined, design
from analytics_app.stats.mixed.reml import Fit, fitted
from analytics_app.stats.mixed.results import (
    MIXED_MODEL,
    NOTHING,
    TERMS,
    CrossedComparison,
    CrossedPair,
    Ratings,
    counts,
    estimate,
    in_own_unit,
    near_one,
    ratings,
)
from analytics_app.stats.mixed.robust import robust_comparison
from analytics_app.stats.resampling.pair_sums import Pairs
from analytics_app.stats.values import Estimate, Floats, joined

__all__ = ["CrossedComparison", "CrossedPair", "compare_crossed"]

# Limits of the model. Time grows with the cube of the columns (raters of systems), and with the cells (systems on
# items) whose pattern of ratings is rare; memory with both. At these limits a fit takes about 100 MB and two seconds.
MOST_COLUMNS = 800
MOST_ENTRIES = 6_000_000
MOST_WORK = 500_000_000

# With fewer raters, items or documents than this the degrees of freedom are cautious where the variance of their
# differences between systems is estimated as 0. docs/decisions/0100 has the simulations.
ENOUGH = 8
_CAUTION = 3

_SATTERTHWAITE = "Degrees of freedom by Satterthwaite's method."


def compare_crossed(
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
    """Compare systems so that the conclusion holds for further raters and further items.

    The model is value ~ system + (1|item) + (1|item:system) + (1|rater) + (1|rater:system), estimated by REML, with
    Satterthwaite's degrees of freedom [1]_ as in lmerTest [2]_. Where items belong to documents, (1|document) and
    (1|document:system) are added. Terms that the design cannot tell apart are left out. Where there are fewer than 8
    raters (items, documents) and the variance of their differences between systems is estimated as 0, the degrees of
    freedom are at most three times those of that variance. Beyond the limits of the model, and where it cannot be
    fitted, `compare_crossed_robust` takes its place.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        NaN = not rated.
    systems : array_like of int, shape (n,)
        Codes 0 to n_systems - 1.
    items, raters : array_like of int, shape (n,)
        Codes from 0.
    n_systems : int
    pairs : sequence of (int, int)
        Systems a and b of each comparison.
    confidence : float
    clusters : array_like of int, shape (n,), optional
        Code of the document of each rating's item, from 0.

    Returns
    -------
    CrossedComparison

    Raises
    ------
    ValueError
        Wrong shapes or codes, a pair that does not name two systems, or a confidence outside 0 to 1.

    References
    ----------
    .. [1] F. E. Satterthwaite (1946). An approximate distribution of estimates of variance components. Biometrics
       Bulletin 2(6), 110-114.
    .. [2] A. Kuznetsova, P. B. Brockhoff and R. H. B. Christensen (2017). lmerTest package: Tests in linear mixed
       effects models. Journal of Statistical Software 82(13).

    Examples
    --------
    >>> found = compare_crossed(
    ...     [1, 2, 2, 4, 3, 3, 5, 5, 4, 4, 6, 7], [0, 1] * 6, [0, 0, 1, 1, 2, 2] * 2, [0] * 6 + [1] * 6,
    ...     n_systems=2, pairs=[(1, 0)], confidence=0.95,
    ... )
    >>> found.method, round(found.pairs[0].difference.value, 3), found.zero
    ('mixed model', 0.667, ('system_item', 'rater_system'))
    """
    given, exponent = near_one(ratings(values, systems, items, raters, n_systems, pairs, confidence, clusters))
    return in_own_unit(_of_ratings(given), exponent)


def _of_ratings(given: Ratings) -> CrossedComparison:
    """Return the comparison by the model, or by the robust method where the model cannot be had."""
    if not given.values.size:
        return _undefined(given, NOTHING)
    crossed = design(given.values, given.system, given.item, given.rater, given.cluster)
    numbers = np.bincount(given.system, minlength=given.n_systems)
    means = np.bincount(given.system, given.values, given.n_systems) / np.maximum(numbers, 1)
    if np.ptp(given.values - means[given.system]) <= 1e-12 * np.abs(given.values).max():
        return _constant(given, crossed, means)
    places = layout(crossed)
    reason = _beyond(places)
    if reason is None:
        fit = fitted(crossed, places)
        if fit.converged:
            return _compared(given, crossed, fit)
        reason = "The variances of the mixed model could not be estimated."
    robust = robust_comparison(given)
    return replace(robust, note=joined(reason, "The two-way robust method takes its place.", robust.note))


def _beyond(places: Layout) -> str | None:
    within = places.n_columns <= MOST_COLUMNS and places.n_entries <= MOST_ENTRIES and places.work <= MOST_WORK
    return None if within else "There are more texts and raters than the mixed model takes."


@dataclass(frozen=True, slots=True)
class _Side:
    """Raters, items or documents: the degrees of freedom of their variances, for the cautious rule."""

    levels: int
    between: str
    own: str
    freedom: int


def _sides(crossed: Design) -> list[_Side]:
    sides = []
    columns = [("rater", "rater_system", crossed.rater)]
    if crossed.cluster is not None and "cluster_system" in crossed.groups:
        columns.append(("cluster", "cluster_system", crossed.cluster))
    else:
        columns.append(("item", "system_item", crossed.item))
    for own, between, codes in columns:
        levels, combinations = int(codes.max()) + 1, int(combined(codes, crossed.system).max()) + 1
        if between in crossed.groups:
            sides.append(_Side(levels, between, own, max(1, combinations - levels - crossed.n_systems + 1)))
        elif own in crossed.groups and combinations == levels:
            # Raters who judged one system each: their own variance stands in the differences.
            sides.append(_Side(levels, own, own, max(1, levels - crossed.n_systems)))
    return sides


def _compared(given: Ratings, crossed: Design, fit: Fit) -> CrossedComparison:
    places = np.full(given.n_systems, -1)
    present = np.unique(given.system)
    places[present] = np.arange(present.size)
    variances = dict(zip(fit.names, fit.variances.tolist(), strict=True))
    zero = tuple(name for name in TERMS if variances.get(name) == 0)
    few = [side for side in _sides(crossed) if side.levels < ENOUGH]
    caution = min((_CAUTION * side.freedom for side in few if side.between in zero), default=None)
    of_means = min(
        (_CAUTION * max(1, side.levels - 1) for side in few if side.own in zero or side.between in zero), default=None
    )
    spread = float(np.sqrt(fit.variances.sum() + fit.residual))
    means: list[Estimate] = []
    for system in range(given.n_systems):
        if places[system] < 0:
            means.append(Estimate(None, n_ratings=0, n_items=0, n_raters=0, note=NOTHING))
            continue
        value, se, df = fit.contrast(np.eye(present.size)[places[system]], of_means)
        means.append(estimate(value, se, df, given.confidence, counts(given, system), tested=None))
    pairs = []
    for a, b in given.pairs.tolist():
        if min(places[a], places[b]) < 0:
            pairs.append(CrossedPair(a, b, Estimate(None, note=NOTHING, **counts(given, a, b))))
            continue
        signs = np.eye(present.size)[places[a]] - np.eye(present.size)[places[b]]
        value, se, df = fit.contrast(signs, caution)
        difference = estimate(value, se, df, given.confidence, counts(given, a, b), tested=0.0)
        pairs.append(CrossedPair(a, b, difference, value / spread))
    deviations = {name: _deviation(variances[name]) for name in TERMS if name in variances}
    return CrossedComparison(
        MIXED_MODEL,
        tuple(means),
        tuple(pairs),
        sd=deviations | {"residual": _deviation(fit.residual)},
        left_out=crossed.left_out,
        zero=zero,
        df_rule=_rule(few, zero, caution),
    )


def _deviation(variance: float) -> Estimate:
    return Estimate(variance**0.5, note=None if variance else "The variance is estimated as 0.")


def _rule(few: list[_Side], zero: tuple[str, ...], caution: int | None) -> str:
    if caution is None:
        return _SATTERTHWAITE
    words = {"rater": "raters", "item": "items", "cluster": "documents"}
    scarce = " and ".join(f"{side.levels} {words[side.own]}" for side in few if side.between in zero)
    return (
        f"{_SATTERTHWAITE} They are at most {caution}: with only {scarce}, a variance between systems that is estimated"
        " as 0 may well be larger."
    )


def _undefined(given: Ratings, note: str) -> CrossedComparison:
    empty = Estimate(None, n_ratings=0, n_items=0, n_raters=0, note=note)
    pairs = tuple(CrossedPair(a, b, empty) for a, b in given.pairs.tolist())
    return CrossedComparison(MIXED_MODEL, (empty,) * given.n_systems, pairs, note=note)


def _constant(given: Ratings, crossed: Design, means: Floats) -> CrossedComparison:
    """Return the comparison of systems each of which always got the same rating."""
    note = "All ratings of a system are the same, so there is no interval."
    present = set(given.system.tolist())
    empty = Estimate(None, n_ratings=0, n_items=0, n_raters=0, note=NOTHING)
    means_of_systems = tuple(
        Estimate(means[system], note=note, **counts(given, system)) if system in present else empty
        for system in range(given.n_systems)
    )
    pairs = []
    for a, b in given.pairs.tolist():
        numbers = counts(given, a, b)
        if not {a, b} <= present:
            pairs.append(CrossedPair(a, b, Estimate(None, note=NOTHING, **numbers)))
        else:
            difference = float(means[a] - means[b])
            pairs.append(CrossedPair(a, b, Estimate(difference, p=None if difference else 1.0, note=note, **numbers)))
    return CrossedComparison(MIXED_MODEL, means_of_systems, tuple(pairs), left_out=crossed.left_out, note=note)
