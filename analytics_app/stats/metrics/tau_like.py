"""Kendall's tau of a metric against people within source segments, in the three forms that papers use."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.resampling.bootstrap import check_settings, interval, ratio_samples
from analytics_app.stats.resampling.pair_sums import few_drawn, rows_by_cluster
from analytics_app.stats.values import Codes, Estimate, Floats, checked_values, joined

# Human scores are means with rounding errors: differences below this share of the largest score are ties.
_TIE = 1e-12
ALL_TIES = (
    "The metric gives the texts of every pair the same score. Tau-like counts such ties as wrong, so it is -1 whatever "
    "people say."
)
SOME_TIES = "The metric gives the texts of {ties:,} of {pairs:,} pairs the same score; tau-like counts them as wrong."


@dataclass(frozen=True, slots=True)
class TauLike:
    """The three forms of tau, with their counts of pairs.

    Parameters
    ----------
    by_item : Estimate
        (C - D) / (C + D) within each item, averaged over items (Lai et al. 2022).
    pooled : Estimate
        (C - D) / (C + D) with C and D summed over items (WMT).
    tau_b : Estimate
        Kendall's tau-b within each item, averaged over items.
    concordant, discordant : int
        C and D over all items.
    ties : int
        The pairs of D to whose texts the metric gives the same score.
    """

    by_item: Estimate
    pooled: Estimate
    tau_b: Estimate
    concordant: int
    discordant: int
    ties: int


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
    """Compare how a metric and people order the systems' texts on each item [1]_ [2]_.

    All pairs of systems on one item count, except pairs with equal human scores (or closer than `gap`). A pair is
    concordant if the metric orders it as people do, otherwise discordant, so a metric that gives two texts the same
    score is wrong. Tau-b treats ties as ties on both sides instead, and leaves out items where one side is
    constant.

    Parameters
    ----------
    human, metric : array_like of float, shape (n_items, n_systems)
        NaN where there is no score. Higher is better in both.
    gap : float
        Least difference of human scores that counts; WMT used 25 of 100 for direct assessment.
    clusters : ndarray of int, shape (n_items,), optional
        Codes from 0 of the documents that items belong to, if shown as a whole: then documents are resampled.
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
    numerators, denominators = _ratios(counts)
    concordant, discordant = counts[:, 0], counts[:, 1]
    pairs, ties = concordant + discordant, int(counts[:, 5].sum())
    tops, bottoms = rows_by_cluster(numerators, clusters), rows_by_cluster(denominators, clusters)
    samples = ratio_samples(tops, bottoms, n_resamples, rng) if n_resamples and len(pairs) else None
    n_drawn = np.count_nonzero(bottoms, axis=0)
    n_pairs, n_items = int(pairs.sum()), int(np.count_nonzero(pairs))
    estimates = [
        _estimate(
            numerators[:, k],
            denominators[:, k],
            None if samples is None else samples[:, k],
            int(n_drawn[k]),
            confidence,
            note,
        )
        for k, note in enumerate(_notes_if_undefined(gold, scores))
    ]
    by_item, tau_b, pooled = estimates
    of_ties = _note_on_ties(ties, n_pairs)
    by_item = replace(by_item, note=joined(by_item.note, of_ties))
    pooled = replace(pooled, n_ratings=n_pairs, n_items=n_items, note=joined(pooled.note, of_ties))
    return TauLike(by_item, pooled, tau_b, int(concordant.sum()), int(discordant.sum()), ties)


def _note_on_ties(ties: int, n_pairs: int) -> str | None:
    """Return the note on the effect of ties of the metric on tau-like, for which they are discordant."""
    if not ties:
        return None
    if ties == n_pairs:
        return ALL_TIES
    return SOME_TIES.format(ties=ties, pairs=n_pairs)


def _ratios(counts: Floats) -> tuple[Floats, Floats]:
    """Return numerators and denominators, by item, of the mean tau, tau-b and the pooled tau, shape (n_items, 3)."""
    concordant, discordant, product, of_gold, of_metric, _ties = counts.T
    pairs, roots = concordant + discordant, np.sqrt(of_gold * of_metric)
    numerators = np.column_stack(
        [
            np.divide(concordant - discordant, pairs, out=np.zeros(len(pairs)), where=pairs > 0),
            np.divide(product, roots, out=np.zeros(len(pairs)), where=roots > 0),
            concordant - discordant,
        ]
    )
    return numerators, np.column_stack([pairs > 0, roots > 0, pairs]).astype(np.float64)


def _notes_if_undefined(gold: Floats, scores: Floats) -> tuple[str, str, str]:
    """Return why the mean over items, tau-b and the pooled tau are undefined, should they be."""
    if not ((~np.isnan(gold) & ~np.isnan(scores)).sum(axis=1) > 1).any():
        unpaired = "No item has two texts with both scores, so there is nothing to order."
        return unpaired, unpaired, unpaired
    untied = "People gave all texts of each item the same score, so there is nothing to order."
    unvaried = "On every item the scores of people or of the metric are all the same, so tau-b is undefined."
    return untied, unvaried, untied


def _matrix(scores: ArrayLike) -> Floats:
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2:
        raise ValueError(f"Scores are items by systems, not of {table.ndim} dimensions.")
    return checked_values(table.ravel()).reshape(table.shape)


def _counted(gold: Floats, scores: Floats, gap: float) -> Floats:
    """Return, by item, C, D, the sum of products of signs, the untied pairs of people and of the metric, and its ties.

    The ties of the metric are those among C + D.
    """
    counts = np.zeros((len(gold), 6))
    tie_gold, tie_metric = (_TIE * float(np.nanmax(np.abs(table), initial=0.0)) for table in (gold, scores))
    for a in range(gold.shape[1]):
        for b in range(a):
            by_people, by_metric = gold[:, a] - gold[:, b], scores[:, a] - scores[:, b]
            scored = ~(np.isnan(by_people) | np.isnan(by_metric))
            people_sign = np.where(scored & (np.abs(by_people) > tie_gold), np.sign(by_people), 0)
            metric_sign = np.where(scored & (np.abs(by_metric) > tie_metric), np.sign(by_metric), 0)
            decided = (people_sign != 0) & (np.abs(by_people) >= gap)
            right = decided & (people_sign == metric_sign)
            ties = decided & (metric_sign == 0)
            columns = (right, decided & ~right, people_sign * metric_sign, people_sign != 0, metric_sign != 0, ties)
            counts += np.column_stack(columns)
    return counts


def _estimate(
    tops: Floats, bottoms: Floats, samples: Floats | None, n_drawn: int, confidence: float, no_value: str
) -> Estimate:
    n_items = int(np.count_nonzero(bottoms))
    if not n_items:
        return Estimate(None, n_items=0, note=no_value)
    value = float(tops.sum() / bottoms.sum())
    if samples is None:
        return Estimate(value, n_items=n_items)
    if n_drawn < 2:
        return Estimate(value, n_items=n_items, note="One item, or document, is too few for an interval.")
    low, high, se, interval_note = interval(samples, confidence, n_drawn)
    few_note = few_drawn(n_drawn, "items" if n_drawn == n_items else "documents")
    return Estimate(value, low=low, high=high, se=se, n_items=n_items, note=joined(interval_note, few_note))
