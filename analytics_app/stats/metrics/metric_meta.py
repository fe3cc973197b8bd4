"""Automatic metrics against people: correlations over texts and over systems, and Williams' test of two metrics."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analytics_app.stats.arrays import Codes, Floats, checked_codes, checked_values, compressed, settled
from analytics_app.stats.estimate import Estimate, joined
from analytics_app.stats.metrics.exact_correlation import MOST, exact_p
from analytics_app.stats.metrics.metric_samples import (
    accuracy,
    mean_samples,
    moment_samples,
    ranks_of_rows,
    row_r,
    tau_samples,
)
from analytics_app.stats.resampling.bootstrap import check_settings, interval
from analytics_app.stats.resampling.pair_sums import few_drawn

# Fewer systems give a correlation that one outlier makes.
FEW_SYSTEMS = 8
# Said where means of systems are over different test sets.
APART = (
    "Some systems share no item with the others: their means are of different test sets, and differences between the "
    "sets enter the correlation. Analyse each set on its own, with slices of a feature."
)
# Tau of all pairs of more texts than this takes the square of their number: it has no interval then.
_PAIRED_TEXTS = 4000
# Correlations nearer to 1 are 1 but for rounding.
_PERFECT = 1e-12


@dataclass(frozen=True, slots=True)
class Correlations:
    """Pearson's r, Spearman's rho and, over texts, Kendall's tau-b (over systems: pairwise accuracy)."""

    pearson: Estimate
    spearman: Estimate
    third: Estimate


def over_texts(
    human: ArrayLike,
    metric: ArrayLike,
    items: ArrayLike,
    *,
    n_resamples: int,
    confidence: float,
    rng: np.random.Generator,
) -> Correlations:
    """Correlate scores of people and of a metric over all texts of all systems; intervals over items [1]_.

    Parameters
    ----------
    human, metric : array_like of float, shape (n,)
        One entry a text; NaN where there is none, which drops the text.
    items : array_like of int, shape (n,)
        Codes from 0: the texts of one item, or of one document where these were shown whole, are drawn together.
    n_resamples : int
    confidence : float
    rng : numpy.random.Generator

    Returns
    -------
    Correlations
        `third` is Kendall's tau-b. In resamples Spearman's ranks stay those of all texts, and tau has no interval
        beyond 4,000 texts. p values are not given, since texts of one source are not independent.

    References
    ----------
    .. [1] D. Deutsch, R. Dror and D. Roth (2021). A statistical analysis of summarization evaluation metrics using
       resampling methods. TACL 9, 1132-1146.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> found = over_texts([1, 2, 3, 4], [1, 3, 2, 4], [0, 0, 1, 1], n_resamples=0, confidence=0.95, rng=rng)
    >>> round(found.pearson.value, 4), round(found.spearman.value, 4), round(found.third.value, 4)
    (0.8, 0.8, 0.6667)
    """
    check_settings(n_resamples, confidence)
    x, y = checked_values(human), checked_values(metric)
    if x.shape != y.shape:
        raise ValueError(f"There are {x.size} scores of people and {y.size} of the metric.")
    codes = checked_codes(items, x.size)
    there = ~(np.isnan(x) | np.isnan(y))
    x, y, (_found, item) = x[there], y[there], compressed(codes[there])
    n_items = int(item.max()) + 1 if item.size else 0
    if problem := _no_correlation(x, y, "texts"):
        none = Estimate(None, n_ratings=x.size, n_items=n_items, note=problem)
        return Correlations(none, none, none)
    from scipy.stats import kendalltau, rankdata  # noqa: PLC0415

    drawn = n_resamples if n_items > 1 else 0
    # Means of ratings that are equal but for rounding tie. Scores of metrics are taken as they are: a BLEU of 1e-16 is
    # not one of 1e-12.
    x_tying = settled(x)
    x_ranks, y_ranks = rankdata(x_tying), rankdata(y)
    of_moments, of_tau = rng.spawn(2)
    samples = moment_samples([(x, y), (x_ranks, y_ranks)], item, drawn, of_moments)
    made = [
        _within(_r(one, other), drawn_r, x.size, n_items, confidence)
        for (one, other), drawn_r in zip(((x, y), (x_ranks, y_ranks)), samples, strict=True)
    ]
    tau = float(kendalltau(x_tying, y).statistic)
    if x.size > _PAIRED_TEXTS and drawn:
        note = f"No interval is drawn for tau over more than {_PAIRED_TEXTS:,} texts."
        third = Estimate(tau, n_ratings=x.size, n_items=n_items, note=note)
    else:
        of_tau_samples = tau_samples(x_tying, y, item, n_items, drawn, of_tau)
        third = _within(tau, of_tau_samples, x.size, n_items, confidence)
    return Correlations(made[0], made[1], third)


def over_systems(
    human: ArrayLike,
    metric: ArrayLike,
    *,
    clusters: Codes | None = None,
    n_resamples: int,
    confidence: float,
    rng: np.random.Generator,
) -> Correlations:
    """Correlate the means of systems; intervals over items, from which the means are taken anew.

    Parameters
    ----------
    human : array_like of float, shape (n_items, n_systems)
        NaN where there is none.
    metric : array_like of float, shape (n_items, n_systems) or (n_systems,)
        Of texts, or of systems as wholes, such as corpus BLEU; these stay as they are in resamples.
    clusters : ndarray of int, shape (n_items,), optional
        Codes from 0 of the documents that items are part of, where these were shown whole: then they are drawn.
    n_resamples : int
    confidence : float
    rng : numpy.random.Generator

    Returns
    -------
    Correlations
        `third` is pairwise accuracy [1]_: the share of pairs of systems with different human means that the metric
        orders alike; a tie of the metric is wrong. `pearson` and `spearman` have two-sided p values: exact over all
        orders of up to 8 systems, and of any number that lie on one line; else from the t distribution, with `df`.
        `n_items` counts the items behind the means, `n_ratings` the systems.

    References
    ----------
    .. [1] T. Kocmi, C. Federmann, R. Grundkiewicz, M. Junczys-Dowmunt, H. Matsushita and A. Menezes (2021). To ship or
       not to ship. WMT, 478-494.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> found = over_systems([[1, 2, 3], [3, 4, 8]], [10, 30, 20], n_resamples=0, confidence=0.95, rng=rng)
    >>> round(found.pearson.value, 4), found.spearman.value, round(found.third.value, 4)
    (0.2774, 0.5, 0.6667)
    """
    check_settings(n_resamples, confidence)
    gold = np.atleast_2d(np.asarray(human, dtype=np.float64))
    scores = np.asarray(metric, dtype=np.float64)
    of_texts = scores.ndim == 2
    if scores.shape != (gold.shape if of_texts else gold.shape[1:]):
        raise ValueError(f"Scores of people have shape {gold.shape}, those of the metric {scores.shape}.")
    checked_values(gold.ravel()), checked_values(scores.ravel())
    if of_texts:
        # Both means of a system are over the same texts.
        gold = np.where(np.isnan(scores), np.nan, gold)
        scores = np.where(np.isnan(gold), np.nan, scores)
    used = ~np.isnan(gold).all(axis=1)
    gold, scores = gold[used], scores[used] if of_texts else scores
    drawn = np.arange(len(gold), dtype=np.intp) if clusters is None else clusters[used]
    known = ~np.isnan(gold).all(axis=0) & (~np.isnan(scores).all(axis=0) if of_texts else ~np.isnan(scores))
    gold, scores = gold[:, known], scores[..., known]
    x, y = _means(gold), _means(scores) if of_texts else scores
    if problem := _no_correlation(x, y, "systems"):
        none = Estimate(None, n_ratings=x.size, n_items=len(gold), note=problem)
        return Correlations(none, none, none)
    n_drawn = np.unique(drawn).size
    samples = mean_samples(gold, scores, n_resamples if n_drawn > 1 else 0, rng, drawn)
    found = _of_means(len(gold), n_drawn, samples, x, y, confidence)
    return found if _linked(~np.isnan(gold)) else _with_note(found, APART)


def _linked(judged: NDArray[np.bool_]) -> bool:
    """Return whether chains of shared items link all systems, from (n_items, n_systems): who was judged on what."""
    shares = (judged.T.astype(np.int64) @ judged) > 0
    reached = shares[0]
    for _system in range(len(shares)):
        reached = shares[reached].any(axis=0)
    return bool(reached.all())


def _with_note(found: Correlations, note: str) -> Correlations:
    parts = (found.pearson, found.spearman, found.third)
    return Correlations(*(replace(part, note=joined(part.note, note)) for part in parts))


def _of_means(
    n_items: int, n_drawn: int, samples: tuple[Floats, Floats], x: Floats, y: Floats, confidence: float
) -> Correlations:
    from scipy.stats import rankdata  # noqa: PLC0415

    n, (samples_x, samples_y) = x.size, samples
    few = f"{n} systems are few: one of them can make a correlation." if n < FEW_SYSTEMS else None
    made = []
    for one, other, drawn_x, drawn_y in (
        (x, y, samples_x, samples_y),
        (rankdata(settled(x)), rankdata(y), ranks_of_rows(samples_x), ranks_of_rows(samples_y)),
    ):
        r = _r(one, other)
        found = _within(r, row_r(drawn_x, drawn_y), n, n_drawn, confidence)
        p, df = _p_of(r, one, other)
        made.append(
            Estimate(
                found.value, low=found.low, high=found.high, se=found.se, df=df, p=p, n_ratings=n, n_items=n_items,
                note=joined(few, found.note),
            )
        )  # fmt: skip
    right = accuracy(settled(x)[np.newaxis], y[np.newaxis])[0]
    third = _within(float(right), accuracy(samples_x, samples_y), n, n_drawn, confidence)
    return Correlations(made[0], made[1], replace(third, n_items=n_items))


def williams(r12: float, r13: float, r23: float, n: int) -> Estimate:
    """Williams' test whether two correlations with the same variable differ [1]_.

    Parameters
    ----------
    r12, r13 : float
        Pearson's correlation of people (1) with each of two metrics (2 and 3).
    r23 : float
        That of the two metrics.
    n : int
        Texts, or systems, with all three.

    Returns
    -------
    Estimate
        `value` is t, above 0 where r12 is the larger; `p` is two-sided with n - 3 degrees of freedom. Undefined below
        n = 4 or where one of the three is determined by the others.

    Raises
    ------
    ValueError
        A correlation that is not between -1 and 1.

    References
    ----------
    .. [1] E. J. Williams (1959). Regression Analysis, chapter 5. Wiley. For metrics: Y. Graham and T. Baldwin (2014).
       Testing for significance of increased correlation with human judgment. EMNLP, 172-176.

    Examples
    --------
    >>> found = williams(0.8, 0.6, 0.7, 20)
    >>> round(found.value, 6), round(found.p, 6), found.df
    (1.753795, 0.097475, 17.0)
    """
    for r in (r12, r13, r23):
        # A NaN compares as False.
        if not -1 - 1e-9 <= r <= 1 + 1e-9:
            raise ValueError(f"A correlation is between -1 and 1, not {r}.")
    if n < 4:
        return Estimate(None, n_ratings=n, note=f"Williams' test takes at least 4 scores; here are {n}.")
    k = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    below = 2 * k * (n - 1) / (n - 3) + ((r12 + r13) / 2) ** 2 * (1 - r23) ** 3
    if r23 > 1 - 1e-12 or k < -1e-9 or below <= 1e-15:
        return Estimate(None, n_ratings=n, note="The two metrics give the same scores, so nothing can be compared.")
    from scipy.stats import t as student  # noqa: PLC0415

    t = (r12 - r13) * sqrt((n - 1) * (1 + r23) / below)
    return Estimate(t, df=float(n - 3), p=float(2 * student.sf(abs(t), n - 3)), n_ratings=n)


def pearson(x: ArrayLike, y: ArrayLike) -> float | None:
    """Pearson's correlation, or None where one side is constant or there are fewer than 2.

    Examples
    --------
    >>> pearson([1, 2, 3], [2, 4, 6.0]), pearson([1, 1], [1, 2])
    (1.0, None)
    """
    one, other = checked_values(x), checked_values(y)
    return None if _no_correlation(one, other, "scores", least=2) else _r(one, other)


# Within -----------------------------------------------------------------------------------------------------


def _no_correlation(x: Floats, y: Floats, what: str, least: int = 3) -> str | None:
    if x.size < least:
        return f"A correlation takes at least {least} {what}; {x.size} have scores of both."
    if x.min() == x.max():
        return f"People gave all {what} the same score, so the correlation is undefined."
    if y.min() == y.max():
        return f"The metric gave all {what} the same score, so the correlation is undefined."
    return None


def _r(x: Floats, y: Floats) -> float:
    one, other = x - x.mean(), y - y.mean()
    # Scaled, so that no square is too small for a float.
    one, other = one / np.abs(one).max(), other / np.abs(other).max()
    return float(np.clip(one @ other / np.sqrt((one @ one) * (other @ other)), -1, 1))


def _p_of(r: float, x: Floats, y: Floats) -> tuple[float, float | None]:
    """Return the two-sided p of a correlation, with its degrees of freedom where it is from the t distribution."""
    from scipy.stats import t as student  # noqa: PLC0415

    n = x.size
    if n <= MOST or abs(r) > 1 - _PERFECT:
        return exact_p(x, y), None
    return float(2 * student.sf(abs(r) * sqrt((n - 2) / (1 - r * r)), n - 2)), float(n - 2)


def _within(value: float, samples: Floats, n: int, n_items: int, confidence: float) -> Estimate:
    if not samples.size:
        note = "One item, or document, is too few for an interval." if n_items < 2 else None
        return Estimate(value, n_ratings=n, n_items=n_items, note=note)
    low, high, se, failed = interval(samples, confidence, n_items)
    few = few_drawn(n_items, "items or documents")
    return Estimate(value, low=low, high=high, se=se, n_ratings=n, n_items=n_items, note=joined(failed, few))


def _means(matrix: Floats) -> Floats:
    counts = (~np.isnan(matrix)).sum(axis=0)
    result: Floats = np.nansum(matrix, axis=0) / counts
    return result
