"""Best-worst scaling by counting, and its split-half reliability."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.ranking.strengths import rank_of
from analytics_app.stats.resampling.bootstrap import check_settings, interval, ratio_samples
from analytics_app.stats.resampling.pair_sums import limits
from analytics_app.stats.values import Codes, Estimate, Floats, checked_codes, compressed

NEVER = "It was never shown."
FEW_TEXTS = "Halves are compared over at least three texts that both halves judged."
ALIKE = "All texts have the same score in one of the halves, so they cannot be correlated."


@dataclass(frozen=True, slots=True)
class BestWorst:
    """Counts of one system, or text.

    Parameters
    ----------
    best, worst, shown : int
    score : Estimate
        (best - worst) / shown, from -1 to 1.
    rank : Estimate
        Rank by score, 1 the highest; equal scores share the best rank; the interval is that of resamples.
    """

    best: int
    worst: int
    shown: int
    score: Estimate
    rank: Estimate


def best_worst(
    systems: ArrayLike,
    choices: ArrayLike,
    clusters: ArrayLike,
    *,
    n_systems: int,
    n_resamples: int,
    confidence: float,
    rng: np.random.Generator,
) -> list[BestWorst]:
    """Score systems by (times best - times worst) / times shown [1]_, with a bootstrap over items or tuples.

    Parameters
    ----------
    systems : array_like of int, shape (n,)
        One entry per shown text: codes 0 to n_systems - 1.
    choices : array_like of int, shape (n,)
        1 best, -1 worst, 0 neither.
    clusters : array_like of int, shape (n,)
        Codes from 0 of the resampled units: items, or tuples.
    n_systems : int
    n_resamples : int
        0 gives no intervals.
    confidence : float
    rng : numpy.random.Generator

    Returns
    -------
    list of BestWorst, length n_systems

    Raises
    ------
    ValueError
        Wrong shapes, codes, choices or settings.

    References
    ----------
    .. [1] B. Orme (2009). MaxDiff analysis: simple counting, individual-level logit, and HB. Sawtooth Software.
       S. Kiritchenko and S. M. Mohammad (2017). Best-worst scaling more reliable than rating scales. ACL, 465-470.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> found = best_worst([0, 1, 2, 0, 1, 2], [1, 0, -1, 1, -1, 0], [0] * 3 + [1] * 3,
    ...                    n_systems=3, n_resamples=0, confidence=0.95, rng=rng)
    >>> [(one.best, one.worst, one.shown, one.score.value, one.rank.value) for one in found]
    [(2, 0, 2, 1.0, 1.0), (0, 1, 2, -0.5, 2.0), (0, 1, 2, -0.5, 2.0)]
    """
    check_settings(n_resamples, confidence)
    choice = _checked(choices)
    system = checked_codes(systems, choice.size, below=n_systems)
    cluster_codes, places = compressed(checked_codes(clusters, choice.size))
    shape = (cluster_codes.size, n_systems)
    cells = places * n_systems + system
    shown = np.bincount(cells, minlength=cluster_codes.size * n_systems).reshape(shape)
    net = np.bincount(cells, weights=choice, minlength=cluster_codes.size * n_systems).reshape(shape)
    best = np.bincount(system[choice > 0], minlength=n_systems)
    worst = np.bincount(system[choice < 0], minlength=n_systems)
    samples = ratio_samples(net, shown, n_resamples, rng) if n_resamples and cluster_codes.size else None
    total = shown.sum(axis=0)
    scores = np.divide(best - worst, total, out=np.full(n_systems, np.nan), where=total > 0)
    ranks = rank_of(scores[np.newaxis])[0]
    ranks_drawn = None if samples is None else rank_of(samples)
    result = []
    for k in range(n_systems):
        if not total[k]:
            never = Estimate(None, n_ratings=0, n_items=0, note=NEVER)
            result.append(BestWorst(0, 0, 0, never, never))
            continue
        n_items = int(np.count_nonzero(shown[:, k]))
        low, high, se, note = limits(None if samples is None else samples[:, k], n_items, confidence)
        score = Estimate(scores[k], low=low, high=high, se=se, n_ratings=int(total[k]), n_items=n_items, note=note)
        drawn = None if ranks_drawn is None or low is None else ranks_drawn[:, k]
        rank = _rank(ranks[k], drawn, n_items, confidence)
        result.append(BestWorst(int(best[k]), int(worst[k]), int(total[k]), score, rank))
    return result


def _rank(rank: float, samples: Floats | None, n_items: int, confidence: float) -> Estimate:
    """Return a rank with its interval, which has whole ranks as limits."""
    if samples is None or n_items < 2:
        return Estimate(rank)
    low, high, _se, note = interval(samples, confidence, n_items, ranks=True)
    if low is None or high is None:
        return Estimate(rank, note=note)
    return Estimate(rank, low=float(np.floor(low)), high=float(np.ceil(high)), note=note)


@dataclass(frozen=True, slots=True)
class SplitHalf:
    """Correlations of scores from two halves of the judgments, means over the splits."""

    pearson: Estimate
    spearman: Estimate


def split_half(
    texts: ArrayLike,
    choices: ArrayLike,
    judgments: ArrayLike,
    tuples: ArrayLike,
    *,
    n_splits: int = 100,
    rng: np.random.Generator,
) -> SplitHalf:
    """Split-half reliability of best-worst scores [1]_.

    The judgments of each tuple are split at random into two halves, texts are scored in each half, and the scores are
    correlated over the texts; the result is the mean over `n_splits` splits. If a tuple has an odd number of judgments,
    the larger half is random.

    Parameters
    ----------
    texts : array_like of int, shape (n,)
        Codes from 0, one entry per shown text.
    choices : array_like of int, shape (n,)
        1 best, -1 worst, 0 neither.
    judgments, tuples : array_like of int, shape (n,)
        Codes from 0; a judgment is of one tuple.
    n_splits : int
    rng : numpy.random.Generator

    References
    ----------
    .. [1] S. Kiritchenko and S. M. Mohammad (2017). Best-worst scaling more reliable than rating scales. ACL, 465-470.

    Examples
    --------
    >>> texts, choices = [0, 1, 2] * 4, [1, 0, -1] * 4
    >>> judgments, tuples = np.repeat(range(4), 3), [0] * 12
    >>> split_half(texts, choices, judgments, tuples, n_splits=5, rng=np.random.default_rng(1)).pearson.value
    1.0
    """
    if n_splits < 1:
        raise ValueError(f"There is at least 1 split, not {n_splits}.")
    choice = _checked(choices)
    text_codes, text = compressed(checked_codes(texts, choice.size))
    judgment_codes, judgment = compressed(checked_codes(judgments, choice.size))
    tuple_of = np.zeros(judgment_codes.size, dtype=np.intp)
    tuple_of[judgment] = checked_codes(tuples, choice.size)
    correlations = [_once(text, choice, judgment, tuple_of, text_codes.size, rng) for _split in range(n_splits)]
    counts: dict[str, Any] = {"n_ratings": judgment_codes.size, "n_items": text_codes.size}
    estimates = []
    for coefficient in range(2):
        defined = [pair[coefficient] for pair in correlations if pair is not None]
        if text_codes.size < 3 or not correlations or all(pair is None for pair in correlations):
            estimates.append(Estimate(None, note=FEW_TEXTS, **counts))
        elif any(value is None for value in defined):
            estimates.append(Estimate(None, note=ALIKE, **counts))
        else:
            estimates.append(Estimate(float(np.mean([value for value in defined if value is not None])), **counts))
    return SplitHalf(*estimates)


def _checked(choices: ArrayLike) -> Codes:
    choice = np.asarray(choices)
    if choice.ndim != 1 or not np.isin(choice, (-1, 0, 1)).all():
        raise ValueError("Choices are 1, 0 or -1.")
    return choice.astype(np.intp)


def _once(
    text: Codes, choice: Codes, judgment: Codes, tuple_of: Codes, n_texts: int, rng: np.random.Generator
) -> tuple[float | None, float | None] | None:
    """Return Pearson's and Spearman's correlation of one split; None where too few texts are in both halves."""
    from scipy.stats import rankdata  # noqa: PLC0415  takes a second to load, and only a job needs it

    n = tuple_of.size
    order = np.lexsort((rng.random(n), tuple_of))
    ordered = tuple_of[order]
    new = np.r_[True, ordered[1:] != ordered[:-1]][:n]
    begins = np.flatnonzero(new)
    order_in_tuple = np.arange(n) - np.repeat(begins, np.diff(np.r_[begins, n]))
    half = np.empty(n, dtype=np.intp)
    half[order] = (order_in_tuple + np.repeat(rng.integers(2, size=begins.size), np.diff(np.r_[begins, n]))) % 2
    cells = text * 2 + half[judgment]
    shown = np.bincount(cells, minlength=2 * n_texts).reshape(-1, 2)
    net = np.bincount(cells, weights=choice, minlength=2 * n_texts).reshape(-1, 2)
    in_both = (shown > 0).all(axis=1)
    if in_both.sum() < 3:
        return None
    scores = net[in_both] / shown[in_both]
    return _correlation(scores), _correlation(np.column_stack([rankdata(scores[:, side]) for side in range(2)]))


def _correlation(scores: Floats) -> float | None:
    if (scores.max(axis=0) == scores.min(axis=0)).any():
        return None
    # Rounding may take the correlation of identical halves slightly above 1.
    return min(1.0, max(-1.0, round(float(np.atleast_2d(np.corrcoef(scores, rowvar=False))[0, 1]), 14)))
