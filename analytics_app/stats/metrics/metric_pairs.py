"""Two metrics against each other: correlations over texts and over systems."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.arrays import Codes, Floats, checked_codes, checked_values, compressed
from analytics_app.stats.estimate import Estimate, joined
from analytics_app.stats.metrics.coefficients import APART, column_means, linked, r_of, with_interval
from analytics_app.stats.metrics.metric_samples import mean_samples, moment_samples, tau_samples
from analytics_app.stats.metrics.system_scores import FEWEST, ScoreCorrelations, correlated_scores
from analytics_app.stats.resampling.bootstrap import check_settings

# With fewer systems one outlier can determine the correlation.
FEW_SYSTEMS = 8


def pair_over_texts(
    a: ArrayLike,
    b: ArrayLike,
    items: ArrayLike,
    *,
    n_resamples: int,
    confidence: float,
    rng: np.random.Generator,
    tau_interval: bool = True,
) -> ScoreCorrelations:
    """Correlate two metrics over all texts of all systems, with intervals over items [1]_.

    Parameters
    ----------
    a, b : array_like of float, shape (n,)
        One entry per text; texts with NaN on either side are dropped. Scores are not rounded: a BLEU of 1e-16 is not
        equal to 1e-12.
    items : array_like of int, shape (n,)
        Codes from 0: texts of one item (or of one document, if shown as a whole) are resampled together.
    n_resamples : int
    confidence : float
    rng : numpy.random.Generator
    tau_interval : bool
        Whether tau has an interval, whose time grows with the square of the number of texts.

    Returns
    -------
    ScoreCorrelations
        `n_ratings` counts the texts. In resamples Spearman's ranks stay those of all texts. p values are not given,
        since texts of one source are not independent.

    References
    ----------
    .. [1] D. Deutsch, R. Dror and D. Roth (2021). A statistical analysis of summarization evaluation metrics using
       resampling methods. TACL 9, 1132-1146.
    """
    check_settings(n_resamples, confidence)
    x, y = checked_values(a), checked_values(b)
    if x.shape != y.shape:
        raise ValueError(f"Both metrics score the same texts, not {x.size} and {y.size}.")
    codes = checked_codes(items, x.size)
    scored = ~(np.isnan(x) | np.isnan(y))
    x, y, (_codes, item) = x[scored], y[scored], compressed(codes[scored])
    n_items = int(item.max()) + 1 if item.size else 0
    if problem := _problem(x, y):
        undefined = Estimate(None, n_ratings=x.size, n_items=n_items, note=problem)
        return ScoreCorrelations(undefined, undefined, undefined)
    from scipy.stats import kendalltau, rankdata  # noqa: PLC0415  takes a second to load

    n_drawn = n_resamples if n_items > 1 else 0
    of_moments, of_tau = rng.spawn(2)
    sides = [(x, y), (rankdata(x), rankdata(y))]
    samples = moment_samples(sides, item, n_drawn, of_moments)
    pearson, spearman = (
        with_interval(r_of(*side), drawn, x.size, n_items, confidence)
        for side, drawn in zip(sides, samples, strict=True)
    )
    taus = tau_samples(x, y, item, n_items, n_drawn if tau_interval else 0, of_tau)
    kendall = with_interval(float(kendalltau(x, y).statistic), taus, x.size, n_items, confidence)
    if n_drawn and not tau_interval:
        kendall = replace(kendall, note="No interval is drawn for tau over so many texts and pairs of metrics.")
    return ScoreCorrelations(pearson, spearman, kendall)


def pair_over_systems(
    a: ArrayLike,
    b: ArrayLike,
    *,
    clusters: Codes | None = None,
    n_resamples: int,
    confidence: float,
    rng: np.random.Generator,
) -> ScoreCorrelations:
    """Correlate the means of systems by two metrics; intervals over items, with new means in each resample.

    Parameters
    ----------
    a, b : array_like of float, shape (n_items, n_systems) or (n_systems,)
        Scores of texts, NaN where there is none, or of systems as wholes, which do not vary between resamples. If both
        are of texts, means are over the texts that have both.
    clusters : ndarray of int, shape (n_items,), optional
        Codes from 0 of the documents that items belong to, if shown as a whole: then documents are resampled.
    n_resamples : int
    confidence : float
    rng : numpy.random.Generator

    Returns
    -------
    ScoreCorrelations
        As of `correlated_scores`; `n_items` counts the items behind the means. Without scores of texts there is no
        interval.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> found = pair_over_systems([[1, 2, 3], [3, 4, 8]], [10, 30, 20], n_resamples=0, confidence=0.95, rng=rng)
    >>> found.spearman.value, found.pearson.n_ratings
    (0.5, 3)
    """
    check_settings(n_resamples, confidence)
    x, y = (np.asarray(side, dtype=np.float64) for side in (a, b))
    if x.shape[-1:] != y.shape[-1:] or (x.ndim == y.ndim and x.shape != y.shape):
        raise ValueError(f"Both metrics score the same systems, not in shapes {x.shape} and {y.shape}.")
    checked_values(x.ravel()), checked_values(y.ravel())
    if x.ndim == 1 and y.ndim == 1:
        return _few(correlated_scores(x, y, confidence=confidence), "Scores of systems as wholes have no interval.")
    if x.ndim == 2 and y.ndim == 2:
        x, y = np.where(np.isnan(y), np.nan, x), np.where(np.isnan(x), np.nan, y)
    texts, other = (x, y) if x.ndim == 2 else (y, x)
    judged = ~np.isnan(texts).all(axis=1)
    texts, other = texts[judged], other[judged] if other.ndim == 2 else other
    units = np.arange(len(texts), dtype=np.intp) if clusters is None else clusters[judged]
    there = ~np.isnan(texts).all(axis=0) & ~np.isnan(np.atleast_2d(other)).all(axis=0)
    texts, other = texts[:, there], other[..., there]
    if texts.shape[1] < FEWEST:
        return correlated_scores(np.zeros(texts.shape[1]), np.zeros(texts.shape[1]), n_items=len(texts))
    n_drawn = np.unique(units).size
    drawn = mean_samples(texts, other, n_resamples if n_drawn > 1 else 0, rng, units)
    means = column_means(texts), column_means(other) if other.ndim == 2 else other
    if x.ndim == 1:
        means, drawn = (means[1], means[0]), (drawn[1], drawn[0])
    correlations = correlated_scores(*means, drawn=drawn, n_items=n_drawn, confidence=confidence)
    parts = (
        replace(part, n_items=len(texts))
        for part in (correlations.pearson, correlations.spearman, correlations.kendall)
    )
    return _few(ScoreCorrelations(*parts), None if linked(~np.isnan(texts)) else APART)


def _few(correlations: ScoreCorrelations, note: str | None) -> ScoreCorrelations:
    """Say where systems are few, and a further note."""
    n = correlations.pearson.n_ratings or 0
    few = f"{n} systems are few: one of them can make a correlation." if FEWEST <= n < FEW_SYSTEMS else None
    parts = (correlations.pearson, correlations.spearman, correlations.kendall)
    return ScoreCorrelations(
        *(part if part.value is None else replace(part, note=joined(few, part.note, note)) for part in parts)
    )


def _problem(x: Floats, y: Floats) -> str | None:
    if x.size < FEWEST:
        return f"A correlation takes at least {FEWEST} texts; {x.size} have scores of both metrics."
    if x.min() == x.max() or y.min() == y.max():
        return "One of the metrics gave all texts the same score, so the correlation is undefined."
    return None
