"""Two metrics against each other: correlations over texts and over systems."""

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.metrics.coefficients import APART, linked
from analytics_app.stats.metrics.scored_systems import ScoredSystems, few_note
from analytics_app.stats.metrics.scored_texts import ScoredTexts
from analytics_app.stats.metrics.system_scores import FEWEST, ScoreCorrelations, correlated_scores
from analytics_app.stats.resampling.bootstrap import check_settings
from analytics_app.stats.values import Codes, Floats, checked_values, joined


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
    texts = ScoredTexts.of(x, y, items)
    if problem := _problem(texts.x, texts.y):
        undefined = texts.estimate(None, problem)
        return ScoreCorrelations(undefined, undefined, undefined)
    too_many = "No interval is drawn for tau over so many texts and pairs of metrics."
    return ScoreCorrelations(
        *texts.correlations(
            tying=texts.x,
            no_tau_interval=None if tau_interval else too_many,
            n_resamples=n_resamples,
            confidence=confidence,
            rng=rng,
        )
    )


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
    systems = ScoredSystems.of(x, y, clusters) if x.ndim == 2 else ScoredSystems.of(y, x, clusters)
    n_items, n_systems = systems.texts.shape
    if n_systems < FEWEST:
        return correlated_scores(np.zeros(n_systems), np.zeros(n_systems), n_items=n_items)
    means, drawn = systems.means, systems.drawn(n_resamples, rng)
    if x.ndim == 1:
        means, drawn = (means[1], means[0]), (drawn[1], drawn[0])
    correlations = correlated_scores(*means, drawn=drawn, n_items=systems.n_units, confidence=confidence)
    parts = (
        replace(part, n_items=n_items) for part in (correlations.pearson, correlations.spearman, correlations.kendall)
    )
    return _few(ScoreCorrelations(*parts), None if linked(~np.isnan(systems.texts)) else APART)


def _few(correlations: ScoreCorrelations, note: str | None) -> ScoreCorrelations:
    """Say where systems are few, and a further note."""
    few = few_note(correlations.pearson.n_ratings or 0)
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
