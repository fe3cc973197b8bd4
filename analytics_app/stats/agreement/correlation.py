"""Correlation between raters who rated the same texts."""

from dataclasses import dataclass
from functools import partial
from typing import get_args

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.agreement.pooled import Method, SharedUnits, pooled_r, pooled_samples, shared_units
from analytics_app.stats.agreement.rater_pairs import PairTable, correlate_pairs, n_rating_pairs
from analytics_app.stats.resampling.bootstrap import check_settings, interval, too_few
from analytics_app.stats.values import Estimate, Floats, compressed, joined, rated

# With more pairs of raters than this, single pairs are not listed.
_LISTED = 1000
# Most pairs of ratings for which the mean over pairs of raters is computed, which takes some seconds: the pairs grow
# with the square of the number of raters of a unit.
_RATING_PAIRS = 20_000_000
# Correlations closer to 1 than this differ from 1 by rounding only.
_PERFECT = 1e-12


@dataclass(frozen=True, slots=True)
class RaterPair:
    """Correlation of two raters over the texts that both rated; `rater_a` and `rater_b` are their codes."""

    rater_a: int
    rater_b: int
    estimate: Estimate


@dataclass(frozen=True, slots=True)
class BetweenRaters:
    """Correlation between raters, summarised in three ways.

    Parameters
    ----------
    pooled : Estimate
        One correlation over all pairs of ratings of the same text, the rater with the lower code first. With more than
        two raters it depends on these codes.
    mean : Estimate
        Plain mean over the pairs of raters.
    mean_fisher : Estimate
        Mean over the pairs of raters on Fisher's z scale.
    pairs : tuple of RaterPair
        Sorted by codes; empty where there are more than 1,000.
    """

    pooled: Estimate
    mean: Estimate
    mean_fisher: Estimate
    pairs: tuple[RaterPair, ...]


def between_raters(
    values: ArrayLike,
    units: ArrayLike,
    raters: ArrayLike,
    *,
    method: Method = "pearson",
    min_shared: int = 3,
    clusters: ArrayLike | None = None,
    n_resamples: int = 0,
    confidence: float = 0.95,
    rng: np.random.Generator | None = None,
) -> BetweenRaters:
    """Pearson's or Spearman's correlation between raters over the texts that both rated.

    `pooled` is how Lai et al. [1]_ report the agreement of their annotators; the means over pairs of raters are those
    of R's `irr::meancor`, which leaves perfect correlations out on Fisher's scale.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        NaN = not rated.
    units, raters : array_like of int, shape (n,)
        Codes from 0. A rater has at most one rating of a unit.
    method : {"pearson", "spearman"}
    min_shared : int
        Texts that two raters must share to enter the means, at least 2: over two texts every correlation is 1 or -1.
    clusters : array_like of int, shape (n,), optional
        Codes from 0 of the documents that units belong to, if shown as a whole: then documents are resampled.
    n_resamples : int
        Bootstrap samples of units for the interval of `pooled`; with 0 or no `rng` there is none for more than two
        raters. Spearman's interval is for scales of up to 20 values.
    confidence : float
    rng : numpy.random.Generator, optional

    Returns
    -------
    BetweenRaters
        Two raters have limits on Fisher's z scale (for Spearman with the variance of [2]_), `p` and `df` from the t
        distribution, and neither where the correlation is perfect. The pairs of ratings of more raters are not
        independent of each other, so these have no p.

    Raises
    ------
    ValueError
        Wrong shapes, codes or settings, or several ratings of one unit by one rater.

    References
    ----------
    .. [1] H. Lai, J. Mao, A. Toral and M. Nissim (2022). Human judgement as a compass to navigate automatic metrics
       for formality transfer. HumEval, 102-115. Table 1.
    .. [2] D. G. Bonett and T. A. Wright (2000). Sample size requirements for estimating Pearson, Kendall and Spearman
       correlations. Psychometrika 65(1), 23-28.

    Examples
    --------
    >>> result = between_raters([1, 2, 3, 4, 1, 3, 2, 4], [0, 1, 2, 3, 0, 1, 2, 3], [0, 0, 0, 0, 5, 5, 5, 5])
    >>> round(result.pooled.value, 3), result.pairs[0].rater_b
    (0.8, 5)
    """
    if method not in get_args(Method):
        raise ValueError(f"The method is one of {', '.join(get_args(Method))}, not {method!r}.")
    if min_shared < 2:
        raise ValueError(f"Two raters share at least 2 texts to be correlated, not {min_shared}.")
    check_settings(n_resamples, confidence)
    numbers, (unit, rater, cluster) = rated(values, units, raters, units if clusters is None else clusters)
    shared = shared_units(numbers, unit, rater, None if clusters is None else cluster)
    if not shared.units.size:
        reason = (
            "No two raters rated the same text, so there is no correlation." if numbers.size else "Nothing was rated."
        )
        undefined = Estimate(None, n_ratings=0, n_items=0, n_raters=0, note=reason)
        return BetweenRaters(undefined, undefined, undefined, ())
    pooled = _pooled(shared, method, n_resamples, confidence, rng)
    if n_rating_pairs(shared) > _RATING_PAIRS:
        note = (
            f"Not worked out: there are {n_rating_pairs(shared):,} pairs of ratings, and at most {_RATING_PAIRS:,} are."
        )
        undefined = Estimate(None, n_items=shared.n_units, n_raters=shared.rater_codes.size, note=note)
        return BetweenRaters(pooled, undefined, undefined, ())
    table = correlate_pairs(shared, method)
    mean, mean_fisher = _means(table, shared, min_shared)
    listed = _listed(table, shared, method, min_shared, confidence) if table.n.size <= _LISTED else ()
    return BetweenRaters(pooled, mean, mean_fisher, listed)


def _pooled(
    shared: SharedUnits, method: Method, n_resamples: int, confidence: float, rng: np.random.Generator | None
) -> Estimate:
    n_raters = shared.rater_codes.size
    r = pooled_r(shared, method)
    estimate = partial(Estimate, n_ratings=shared.values.size, n_items=shared.n_units, n_raters=n_raters)
    if r is None:
        return estimate(None, note="All ratings on one side are the same, so the correlation is undefined.")
    if n_raters == 2:
        return _of_two(r, shared.n_units, method, confidence)
    r = float(_snapped(r))
    if rng is None or n_resamples == 0:
        return estimate(r)
    if few_note := too_few(shared.n_units, shared.clusters):
        return estimate(r, note=few_note)
    samples = pooled_samples(shared, method, n_resamples, rng)
    if samples is None:
        return estimate(r, note="No interval: it takes a scale of at most 20 values.")
    n_drawn = shared.n_units if shared.clusters is None else compressed(shared.clusters)[0].size
    low, high, se, note = interval(samples, confidence, n_drawn)
    return estimate(r, low=low, high=high, se=se, note=note)


def _of_two(r: float, n: int, method: Method, confidence: float) -> Estimate:
    """Return the correlation of two raters over n texts with its limits and test."""
    # Lazy import: web processes import this module but never compute it.
    from scipy.special import ndtri, stdtr  # noqa: PLC0415

    r = float(_snapped(r))
    estimate = partial(Estimate, r, n_ratings=2 * n, n_items=n, n_raters=2)
    if n < 3:
        return estimate(note="Over two texts every correlation is 1 or -1.")
    df = n - 2
    if abs(r) == 1:
        return estimate(note="A perfect correlation has no limits on Fisher's scale, and no p from the t distribution.")
    p = 2 * stdtr(df, -abs(r) * np.sqrt(df / (1 - r**2)))
    if n < 4:
        return estimate(df=df, p=p, note="An interval takes at least four texts.")
    se = np.sqrt((1 + r**2 / 2 if method == "spearman" else 1) / (n - 3))
    width = ndtri(0.5 + confidence / 2) * se
    return estimate(df=df, p=p, low=np.tanh(np.arctanh(r) - width), high=np.tanh(np.arctanh(r) + width))


def _means(table: PairTable, shared: SharedUnits, min_shared: int) -> tuple[Estimate, Estimate]:
    enough = table.n >= min_shared
    chosen = enough & ~np.isnan(table.r)
    r = _snapped(table.r[chosen])
    n_raters = np.union1d(table.a[chosen], table.b[chosen]).size
    estimate = partial(Estimate, n_items=shared.n_units, n_raters=n_raters)
    if not enough.any():
        undefined = estimate(None, note=f"No two raters share at least {min_shared} texts.")
        return undefined, undefined
    if not r.size:
        undefined = estimate(None, note="In every pair of raters one gave all texts the same rating.")
        return undefined, undefined
    constant = int(enough.sum()) - r.size
    note = joined(
        f"Mean over pairs of raters who share at least {min_shared} texts: {r.size:,}.",
        f"Left out, since one gave all texts the same rating: {constant:,}." if constant else None,
    )
    return estimate(float(r.mean()), note=note), _mean_fisher(r, estimate, note)


def _mean_fisher(r: Floats, estimate: partial[Estimate], note: str | None) -> Estimate:
    imperfect = r[np.abs(r) < 1]
    if not imperfect.size:
        return estimate(None, note="Every pair of raters correlates perfectly, which Fisher's scale has no value for.")
    perfect = r.size - imperfect.size
    left_out_note = (
        f"Left out, since Fisher's scale has no value for a perfect correlation: {perfect:,}." if perfect else None
    )
    return estimate(float(np.tanh(np.arctanh(imperfect).mean())), note=joined(note, left_out_note))


def _listed(
    table: PairTable, shared: SharedUnits, method: Method, min_shared: int, confidence: float
) -> tuple[RaterPair, ...]:
    codes = shared.rater_codes
    return tuple(
        RaterPair(int(codes[a]), int(codes[b]), _listed_pair(r, n, method, min_shared, confidence))
        for a, b, n, r in zip(table.a.tolist(), table.b.tolist(), table.n.tolist(), table.r.tolist(), strict=True)
    )


def _listed_pair(r: float, n: int, method: Method, min_shared: int, confidence: float) -> Estimate:
    if n < min_shared:
        note = f"These raters share fewer than {min_shared} texts."
        return Estimate(None, n_ratings=2 * n, n_items=n, n_raters=2, note=note)
    if np.isnan(r):
        note = "One rater gave all texts the same rating, so the correlation is undefined."
        return Estimate(None, n_ratings=2 * n, n_items=n, n_raters=2, note=note)
    return _of_two(r, n, method, confidence)


def _snapped(r: float | Floats) -> Floats:
    """Return r, with correlations that differ from 1 or -1 by rounding only set to exactly that."""
    return np.where(np.abs(r) > 1 - _PERFECT, np.sign(r), r)
