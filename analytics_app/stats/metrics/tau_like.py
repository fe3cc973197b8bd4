"""Kendall's tau of a metric against people within source segments, in the three forms that papers use."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.arrays import Codes, Floats, checked_values
from analytics_app.stats.estimate import Estimate, joined
from analytics_app.stats.resampling.bootstrap import check_settings, interval, ratio_samples
from analytics_app.stats.resampling.pair_sums import few_drawn, rows_by_cluster

# Human scores are means, which rounding makes differ in their last digits: less than this share of the largest ties.
_TIE = 1e-12


@dataclass(frozen=True, slots=True)
class TauLike:
    """The three forms, and what they were counted from.

    Parameters
    ----------
    by_item : Estimate
        (C - D) / (C + D) within each item, averaged over items (Lai et al. 2022).
    pooled : Estimate
        The same of C and D summed over items (WMT).
    tau_b : Estimate
        Kendall's tau-b within each item, averaged over items.
    concordant, discordant : int
        C and D over all items.
    """

    by_item: Estimate
    pooled: Estimate
    tau_b: Estimate
    concordant: int
    discordant: int


def tau_like(
    human: ArrayLike,
    metric: ArrayLike,
    *,
    gap: float = 0.0,
    clusters: Codes | None = None,
    n_resamples: int,
    confidence: float,
    rng: np.random.Generator,
) -> TauLike:
    """Compare how a metric and people order the systems' texts for one source, item by item [1]_ [2]_.

    All pairs of systems on one item: pairs with equal human scores (or nearer than `gap`) are skipped; a pair is
    concordant where the metric orders it as people do, discordant otherwise, so that a metric that cannot tell two
    texts apart is wrong. Tau-b takes ties as ties on both sides instead, and leaves out items where one side is
    constant.

    Parameters
    ----------
    human, metric : array_like of float, shape (n_items, n_systems)
        NaN where there is no score. Higher is better in both.
    gap : float
        Least difference of human scores that counts; WMT took 25 of 100 for direct assessment.
    clusters : ndarray of int, shape (n_items,), optional
        Codes from 0 of the documents that items are part of, where these were shown whole: then they are drawn.
    n_resamples : int
        Bootstrap samples over items; 0 gives no intervals.
    confidence : float
    rng : numpy.random.Generator

    Raises
    ------
    ValueError
        Shapes differ, or the gap is negative.

    References
    ----------
    .. [1] O. Bojar, Y. Graham and A. Kamran (2017). Results of the WMT17 metrics shared task. WMT, 489-513.
    .. [2] H. Lai, J. Mao, A. Toral and M. Nissim (2022). Human judgement as a compass to navigate automatic metrics for
       formality transfer. HumEval, 102-115.

    Examples
    --------
    >>> found = tau_like(
    ...     [[10, 11, 100, 150]], [[2, 1, 4, 3]], gap=25, n_resamples=0, confidence=0.95, rng=np.random.default_rng(1)
    ... )
    >>> found.pooled.value, found.concordant, found.discordant
    (0.6, 4, 1)
    """
    check_settings(n_resamples, confidence)
    gold, scores = _matrix(human), _matrix(metric)
    if gold.shape != scores.shape:
        raise ValueError(f"Scores of people and metric have one shape, not {gold.shape} and {scores.shape}.")
    if gap < 0:
        raise ValueError(f"The gap is 0 or more, not {gap}.")
    counts = _counted(gold, scores, gap)
    concordant, discordant, product, of_gold, of_metric = counts.T
    pairs = concordant + discordant
    both = np.sqrt(of_gold * of_metric)
    within = np.column_stack(
        [
            np.divide(concordant - discordant, pairs, out=np.zeros(len(pairs)), where=pairs > 0),
            np.divide(product, both, out=np.zeros(len(pairs)), where=both > 0),
            concordant - discordant,
        ]
    )
    over = np.column_stack([pairs > 0, both > 0, pairs]).astype(np.float64)
    tops, bottoms = rows_by_cluster(within, clusters), rows_by_cluster(over, clusters)
    samples = ratio_samples(tops, bottoms, n_resamples, rng) if n_resamples and len(pairs) else None
    drawn = np.count_nonzero(bottoms, axis=0)
    untied = "People gave all texts of each item the same score, so there is nothing to order."
    unvaried = "On every item the scores of people or of the metric are all the same, so tau-b is undefined."
    if not ((~np.isnan(gold) & ~np.isnan(scores)).sum(axis=1) > 1).any():
        untied = unvaried = "No item has two texts with both scores, so there is nothing to order."
    n_pairs, n_items = int(pairs.sum()), int(np.count_nonzero(pairs))
    made = [
        _estimate(within[:, k], over[:, k], None if samples is None else samples[:, k], int(drawn[k]), confidence, why)
        for k, why in enumerate((untied, unvaried, untied))
    ]
    by_item, tau_b, pooled = made
    pooled = Estimate(
        pooled.value, low=pooled.low, high=pooled.high, se=pooled.se, n_ratings=n_pairs, n_items=n_items,
        note=pooled.note,
    )  # fmt: skip
    return TauLike(by_item, pooled, tau_b, int(concordant.sum()), int(discordant.sum()))


def _matrix(scores: ArrayLike) -> Floats:
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2:
        raise ValueError(f"Scores are items by systems, not of {table.ndim} dimensions.")
    return checked_values(table.ravel()).reshape(table.shape)


def _counted(gold: Floats, scores: Floats, gap: float) -> Floats:
    """Return for each item C, D, the sum of products of signs, and the untied pairs of people and of the metric."""
    counts = np.zeros((len(gold), 5))
    tie_gold, tie_metric = (_TIE * float(np.nanmax(np.abs(one), initial=0.0)) for one in (gold, scores))
    for a in range(gold.shape[1]):
        for b in range(a):
            apart, by_metric = gold[:, a] - gold[:, b], scores[:, a] - scores[:, b]
            there = ~(np.isnan(apart) | np.isnan(by_metric))
            sign = np.where(there & (np.abs(apart) > tie_gold), np.sign(apart), 0)
            other = np.where(there & (np.abs(by_metric) > tie_metric), np.sign(by_metric), 0)
            wide = (sign != 0) & (np.abs(apart) >= gap)
            right = wide & (sign == other)
            columns = (right, wide & ~right, sign * other, sign != 0, other != 0)
            counts += np.column_stack(columns)
    return counts


def _estimate(
    tops: Floats, bottoms: Floats, samples: Floats | None, n_drawn: int, confidence: float, why: str
) -> Estimate:
    n_items = int(np.count_nonzero(bottoms))
    if not n_items:
        return Estimate(None, n_items=0, note=why)
    value = float(tops.sum() / bottoms.sum())
    if samples is None:
        return Estimate(value, n_items=n_items)
    if n_drawn < 2:
        return Estimate(value, n_items=n_items, note="One item, or document, is too few for an interval.")
    low, high, se, failed = interval(samples, confidence, n_drawn)
    few = few_drawn(n_drawn, "items" if n_drawn == n_items else "documents")
    return Estimate(value, low=low, high=high, se=se, n_items=n_items, note=joined(failed, few))
