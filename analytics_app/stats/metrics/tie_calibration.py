"""Pairwise accuracy with tie calibration: the share of pairs of texts that a metric orders, or ties, as people do."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analytics_app.stats.metrics.coefficients import with_interval
from analytics_app.stats.metrics.score_matrix import Grouping, in_groups, score_matrices
from analytics_app.stats.resampling.bootstrap import check_settings, ratio_samples, weights
from analytics_app.stats.resampling.pair_sums import rows_by_cluster
from analytics_app.stats.values import Codes, Estimate, Floats, settled

# The most pairs of texts, those of about 4,000 texts: time and memory grow with them.
MOST_PAIRS = 8_000_000
# The most texts for an interval without grouping, or within systems: its time grows with the square of their number.
MOST_DRAWN = 4000
# Most cells of a block of pairs.
_CELLS = 1_000_000
# Accuracies closer than this differ by rounding only.
_SAME = 1e-12

TOO_MANY = "{pairs:,} pairs of texts are too many: they are compared up to {most:,}. Read the accuracy within items."
NOTHING = "No two texts can be compared here: they need scores of people and of the metric."


@dataclass(frozen=True, slots=True)
class EqualAccuracy:
    """Pairwise accuracy with ties.

    Parameters
    ----------
    calibrated : Estimate
        With `epsilon`; `n_ratings` counts the pairs of texts, `n_items` the items.
    epsilon : float
        Scores of the metric that differ by at most this are tied.
    uncalibrated : float or None
        The accuracy where only equal scores are tied.
    human_ties : int
        Pairs that people tied.
    """

    calibrated: Estimate
    epsilon: float = 0.0
    uncalibrated: float | None = None
    human_ties: int = 0


def equal_accuracy(
    human: ArrayLike,
    metric: ArrayLike,
    *,
    grouping: Grouping,
    clusters: Codes | None = None,
    n_resamples: int,
    confidence: float,
    rng: np.random.Generator,
    digits: int | None = None,
) -> EqualAccuracy:
    """Return the share of pairs of texts that a metric orders as people do, ties included: acc_eq [1]_.

    A pair is right if the metric orders it as people do, or if both tie it. The metric ties two texts whose scores
    differ by at most epsilon. Epsilon is the smallest value that makes the accuracy largest, one for all groups, chosen
    on the same pairs: the accuracy of a metric with many scores that nearly agree is therefore a little optimistic.

    Parameters
    ----------
    human, metric : array_like of float, shape (n_items, n_systems)
        NaN where there is no score. Higher is better in both. Human scores that differ by rounding only are tied.
    grouping : {"none", "item", "system"}
        Pairs of any two texts; of two texts of one item, averaged over items; of two texts of one system, averaged over
        systems.
    clusters : ndarray of int, shape (n_items,), optional
        Codes from 0 of the documents that items belong to, if shown as a whole: then documents are resampled.
    n_resamples : int
        Bootstrap samples over items, with epsilon as it is; 0 gives no interval.
    confidence : float
    rng : numpy.random.Generator
    digits : int, optional
        Digits to which differences of the metric are rounded, for scores that are means of ratings: differences that
        would be equal but for rounding are then tied by one epsilon. Without intervals only.

    Raises
    ------
    ValueError
        Shapes differ, or the grouping is unknown.

    References
    ----------
    .. [1] D. Deutsch, G. Foster and M. Freitag (2023). Ties matter: meta-evaluating modern metrics with pairwise
       accuracy and tie calibration. EMNLP, 12914-12929.

    Examples
    --------
    >>> options = {"n_resamples": 0, "confidence": 0.95, "rng": np.random.default_rng(1)}
    >>> found = equal_accuracy([[1, 1, 2]], [[0.50, 0.51, 0.80]], grouping="item", **options)
    >>> found.calibrated.value, round(found.epsilon, 2), round(found.uncalibrated, 4), found.human_ties
    (1.0, 0.01, 0.6667, 1)
    """
    check_settings(n_resamples, confidence)
    gold, scores, unit = score_matrices(human, metric, clusters)
    gold = settled(gold.ravel()).reshape(gold.shape)
    groups = in_groups(gold, scores, grouping)
    sizes = (~np.isnan(groups[0])).sum(axis=1)
    n_pairs, n_items = int((sizes * (sizes - 1) // 2).sum()), len(gold)
    if not n_pairs:
        return EqualAccuracy(Estimate(None, n_items=n_items, note=NOTHING))
    if n_pairs > MOST_PAIRS:
        note = TOO_MANY.format(pairs=n_pairs, most=MOST_PAIRS)
        return EqualAccuracy(Estimate(None, n_items=n_items, note=note))
    pairs = _Pairs.of(*groups, digits)
    epsilon, value = pairs.calibrated()
    if not n_resamples:
        estimate = Estimate(value)
    elif int((~np.isnan(gold)).sum()) > MOST_DRAWN and grouping != "item":
        estimate = Estimate(value, note=f"No interval is drawn over more than {MOST_DRAWN:,} texts.")
    elif grouping == "item":
        samples, n_units = _drawn_items(gold, scores, epsilon, unit, n_resamples, rng)
        estimate = with_interval(value, samples, 0, n_units, confidence)
    else:
        samples, n_units = _drawn_pairs(gold, scores, grouping, epsilon, unit, n_resamples, rng)
        estimate = with_interval(value, samples, 0, n_units, confidence)
    estimate = replace(estimate, n_ratings=n_pairs, n_items=n_items)
    return EqualAccuracy(estimate, epsilon, pairs.base, pairs.n_tied)


def right_by_item(human: Floats, metric: Floats, epsilon: float) -> Floats:
    """Return the accuracy within each item with an epsilon, NaN where there is no pair; shapes as above, (n_items,)."""
    missing = np.isnan(human) | np.isnan(metric)
    gold = settled(np.where(missing, np.nan, human).ravel()).reshape(human.shape)
    right, pairs = _counts(gold, np.where(missing, np.nan, metric), epsilon)
    shares: Floats = np.divide(right, pairs, out=np.full(len(right), np.nan), where=pairs > 0)
    return shares


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Pairs of texts: those that people tie, and those that the metric orders as people do, by its difference.

    A pair weighs such that all groups count alike, and all pairs of a group. `base` is the accuracy with epsilon 0.
    """

    tied: Floats
    tied_weight: Floats
    concordant: Floats
    concordant_weight: Floats
    base: float
    n_tied: int

    @classmethod
    def of(cls, gold: Floats, scores: Floats, digits: int | None = None) -> "_Pairs":
        """Return the pairs within each row; NaN where there is no text."""
        sizes = (~np.isnan(gold)).sum(axis=1)
        counted = sizes > 1
        of_group = np.zeros(len(gold))
        of_group[counted] = 2 / (sizes[counted] * (sizes[counted] - 1)) / counted.sum()
        columns: list[list[Floats]] = [[], [], [], []]
        base, n_tied = 0.0, 0
        for group, by_people, by_metric in _differences(gold, scores):
            size = np.abs(by_metric) if digits is None else np.round(np.abs(by_metric), digits)
            tied = by_people == 0
            agrees = ~tied & (np.sign(by_people) == np.sign(by_metric))
            weight = of_group[group]
            base += float(weight[tied & (size == 0)].sum() + weight[agrees].sum())
            n_tied += int(tied.sum())
            may_tie = tied & (size > 0)
            for column, part in zip(
                columns, (size[may_tie], weight[may_tie], size[agrees], weight[agrees]), strict=True
            ):
                column.append(part)
        # Weights add up to 1 but for rounding.
        tied_size, tied_weight, size, size_weight = (np.concatenate(column) for column in columns)
        return cls(tied_size, tied_weight, size, size_weight, min(base, 1.0), n_tied)

    def calibrated(self) -> tuple[float, float]:
        """Return the smallest epsilon with the largest accuracy, and this accuracy."""
        if not self.tied.size:
            return 0.0, self.base
        limits, place = np.unique(self.tied, return_inverse=True)
        gained = np.cumsum(np.bincount(place, weights=self.tied_weight))
        # A pair that the metric orders rightly is lost once epsilon reaches its difference.
        lost_at = np.searchsorted(limits, self.concordant)
        lost = np.cumsum(np.bincount(lost_at, weights=self.concordant_weight, minlength=limits.size + 1)[:-1])
        accuracies = np.r_[self.base, self.base + gained - lost]
        best = int(np.argmax(accuracies >= accuracies.max() - _SAME))
        return (0.0 if best == 0 else float(limits[best - 1])), min(float(accuracies[best]), 1.0)


def _differences(gold: Floats, scores: Floats) -> Iterator[tuple[Codes, Floats, Floats]]:
    """Yield the pairs within rows in blocks: the row of each, and its differences by people and by the metric."""
    n_groups, size = gold.shape
    for row in range(n_groups if n_groups < size else 0):
        known = ~np.isnan(gold[row])
        people, metric = gold[row, known], scores[row, known]
        step = max(1, _CELLS // max(1, people.size))
        for start in range(0, people.size, step):
            first, second = _upper(start, min(start + step, people.size), people.size)
            yield np.full(first.size, row), people[first] - people[second], metric[first] - metric[second]
    for a in range(size if n_groups >= size else 0):
        for b in range(a):
            by_people, by_metric = gold[:, a] - gold[:, b], scores[:, a] - scores[:, b]
            known = ~np.isnan(by_people)
            yield np.flatnonzero(known), by_people[known], by_metric[known]


def _upper(start: int, stop: int, n: int) -> tuple[Codes, Codes]:
    """Return the pairs (first, second) with first from start to below stop, and second above it, below n."""
    rows = np.arange(start, stop)
    counts = n - 1 - rows
    first = np.repeat(rows, counts)
    ends = np.cumsum(counts)
    second = np.arange(first.size) - np.repeat(ends - counts, counts) + first + 1
    return first, second


def _counts(gold: Floats, scores: Floats, epsilon: float) -> tuple[Floats, Floats]:
    """Return the right pairs and all pairs of each row."""
    right, pairs = np.zeros(len(gold)), np.zeros(len(gold))
    for group, by_people, by_metric in _differences(gold, scores):
        found = _is_right(by_people, by_metric, epsilon)
        right += np.bincount(group, weights=found, minlength=len(gold))
        pairs += np.bincount(group, minlength=len(gold))
    return right, pairs


def _is_right(by_people: Floats, by_metric: Floats, epsilon: float) -> NDArray[np.bool_]:
    ordered = np.where(np.abs(by_metric) <= epsilon, 0.0, np.sign(by_metric))
    right: NDArray[np.bool_] = np.sign(by_people) == ordered
    return right


def _drawn_items(
    gold: Floats, scores: Floats, epsilon: float, unit: Codes, n_resamples: int, rng: np.random.Generator
) -> tuple[Floats, int]:
    """Return the mean accuracy over items in each resample, and the number of resampled units that have a pair."""
    right, pairs = _counts(gold, scores, epsilon)
    known = (pairs > 0).astype(np.float64)
    shares = np.divide(right, pairs, out=np.zeros(len(right)), where=pairs > 0)
    tops, bottoms = (rows_by_cluster(column[:, np.newaxis], unit) for column in (shares, known))
    n = int(np.count_nonzero(bottoms))
    return (ratio_samples(tops, bottoms, n_resamples, rng)[:, 0] if n > 1 else np.zeros(0)), n


def _drawn_pairs(
    gold: Floats, scores: Floats, grouping: Grouping, epsilon: float, unit: Codes, n_resamples: int,
    rng: np.random.Generator,
) -> tuple[Floats, int]:  # fmt: skip
    """Return the accuracy in each resample from the right pairs of every two items, and the number of units.

    Two copies of one text in a resample are no pair.
    """
    n = int(unit.max()) + 1
    if n < 2:
        return np.zeros(0), n
    tables = _tables_of_systems(gold, scores, epsilon) if grouping == "system" else [_table(gold, scores, epsilon)]
    folded = [(_folded(right, unit, n), _folded(pairs, unit, n), share) for right, pairs, share in tables]
    samples = []
    for chunk in weights(n, n_resamples, rng, width=n):
        counts = chunk.astype(np.float64)
        total, shares = np.zeros(len(counts)), np.zeros(len(counts))
        for right, pairs, share in folded:
            tops, bottoms = (((counts @ table) * counts).sum(axis=1) for table in (right, pairs))
            known = bottoms > 0
            total += share * np.divide(tops, bottoms, out=np.zeros(len(counts)), where=known)
            shares += share * known
        samples.append(np.divide(total, shares, out=np.full(len(counts), np.nan), where=shares > 0))
    return np.concatenate(samples), n


def _table(gold: Floats, scores: Floats, epsilon: float) -> tuple[Floats, Floats, float]:
    """Return the right pairs, and all pairs, of the texts of every two items, shape (n_items, n_items) both."""
    n_items, n_systems = gold.shape
    right, pairs = np.zeros((n_items, n_items)), np.zeros((n_items, n_items))
    known = (~np.isnan(gold)).astype(np.float64)
    for a in range(n_systems):
        for b in range(n_systems):
            by_people = gold[:, a, np.newaxis] - gold[:, b]
            by_metric = scores[:, a, np.newaxis] - scores[:, b]
            both = np.outer(known[:, a], known[:, b])
            found = _is_right(by_people, by_metric, epsilon) * both
            if a == b:
                np.fill_diagonal(found, 0.0)
                np.fill_diagonal(both, 0.0)
            right += found
            pairs += both
    return right, pairs, 1.0


def _tables_of_systems(gold: Floats, scores: Floats, epsilon: float) -> list[tuple[Floats, Floats, float]]:
    """Return the tables of pairs within systems, those with the same items together, and the systems in each."""
    tables: dict[bytes, tuple[Floats, Floats, float]] = {}
    for people, metric in zip(gold.T, scores.T, strict=True):
        known = ~np.isnan(people)
        if known.sum() < 2:
            continue
        right, pairs, _one = _table(people[:, np.newaxis], metric[:, np.newaxis], epsilon)
        before, _pairs, n = tables.get(known.tobytes(), (0.0, pairs, 0.0))
        tables[known.tobytes()] = (before + right, pairs, n + 1)
    # The right pairs of n systems over the pairs of one are n times their mean share.
    return [(right / n, pairs, n) for right, pairs, n in tables.values()]


def _folded(table: Floats, unit: Codes, n: int) -> Floats:
    """Return sums over the units (items or documents) that are resampled, shape (n, n)."""
    return table if n == len(table) else rows_by_cluster(rows_by_cluster(table, unit).T, unit).T
