"""PERM-BOTH: whether two metrics agree differently with people, by swapping their scores at random."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analytics_app.stats.resampling.pair_sums import rows_by_cluster
from analytics_app.stats.resampling.permutation import sign_flip_p
from analytics_app.stats.values import Codes, Estimate, Floats, checked_codes, checked_values, compressed

# Most cells of a chunk of swaps (32 MiB).
_CELLS = 2**22
# Differences of correlations closer than this differ by rounding only.
_SAME = 1e-10
FEW = "There are too few {units} with scores of people and of both metrics for a test: {n}."
CONSTANT = "A correlation is undefined, so nothing can be compared."


@dataclass(frozen=True, slots=True)
class MetricTest:
    """The test of metric `a` against metric `b`: `difference.value` is r of a minus r of b, its p two-sided."""

    a: int
    b: int
    difference: Estimate


def perm_both(
    human: ArrayLike,
    metrics: ArrayLike,
    *,
    swapped: Codes | None = None,
    units: str = "texts",
    n_permutations: int,
    rng: np.random.Generator,
) -> list[MetricTest]:
    """Test every two metrics for a difference of Pearson's correlation with people by PERM-BOTH [1]_.

    Both metrics are standardised, and their scores are swapped at random: if both agree with people equally well, it
    does not matter which of the two a score is from. The p value is the share of swaps with a difference at least as
    far from zero as the observed one. It supposes that scores that are swapped separately err independently.

    Parameters
    ----------
    human : array_like of float, shape (n,)
        Scores of texts, or means of systems; NaN where there is none.
    metrics : array_like of float, shape (n, n_metrics)
        NaN where there is none. A pair of metrics is compared where both have a score.
    swapped : ndarray of int, shape (n,), optional
        Codes from 0 of units whose scores are swapped together, such as the texts of one item; each alone without it.
    units : str
        Name of the entries in notes: texts or systems.
    n_permutations : int
        Random swaps, at least 1. If there are no more than this in all, all of them are enumerated, and p is exact.
    rng : numpy.random.Generator

    Returns
    -------
    list of MetricTest
        One for each pair, in the order of the columns. p is (b + 1) / (B + 1), or exact. By symmetry the one-sided p
        that the metric with the higher correlation is better, which WMT prints, is half of it.

    Raises
    ------
    ValueError
        Shapes differ, or there is no permutation.

    References
    ----------
    .. [1] D. Deutsch, R. Dror and D. Roth (2021). A statistical analysis of summarization evaluation metrics using
       resampling methods. TACL 9, 1132-1146.

    Examples
    --------
    >>> human = [1.0, 2.0, 3.0, 4.0, 5.0]
    >>> metrics = np.column_stack([human, [2.0, 1.0, 4.0, 3.0, 5.0]])
    >>> (found,) = perm_both(human, metrics, n_permutations=99, rng=np.random.default_rng(1))
    >>> round(found.difference.value, 4), round(found.difference.p, 4)
    (0.2, 0.125)
    """
    if n_permutations < 1:
        raise ValueError(f"There is at least 1 permutation, not {n_permutations}.")
    gold, scores = checked_values(human), np.asarray(metrics, dtype=np.float64)
    if scores.ndim != 2 or len(scores) != gold.size:
        raise ValueError(f"There are {gold.size} scores of people and metrics of shape {scores.shape}.")
    checked_values(scores.ravel())
    codes = np.arange(gold.size, dtype=np.intp) if swapped is None else checked_codes(swapped, gold.size)
    pairs_of: dict[bytes, list[tuple[int, int]]] = {}
    known = ~np.isnan(scores) & ~np.isnan(gold)[:, np.newaxis]
    for a, b in combinations(range(scores.shape[1]), 2):
        pairs_of.setdefault((known[:, a] & known[:, b]).tobytes(), []).append((a, b))
    tests = []
    for pairs in pairs_of.values():
        there = known[:, pairs[0][0]] & known[:, pairs[0][1]]
        texts = _Swapped.of(gold[there], scores[there], codes[there], pairs)
        tests += texts.tests(pairs, units, n_permutations, rng)
    return sorted(tests, key=lambda test: (test.a, test.b))


def compared_accuracies(
    accuracies: ArrayLike, *, swapped: Codes | None = None, n_permutations: int, rng: np.random.Generator
) -> list[MetricTest]:
    """Test every two metrics for a difference of their accuracy within items, averaged over items.

    The two metrics' accuracies of an item are swapped at random. WMT swaps pairs of texts one by one, as if the pairs
    of one item were independent; here all pairs of an item are swapped together.

    Parameters
    ----------
    accuracies : array_like of float, shape (n_items, n_metrics)
        Accuracy of each metric within each item, NaN where there is none. A pair of metrics is compared on the items
        of both.
    swapped : ndarray of int, shape (n_items,), optional
        Codes from 0 of the documents of items, if shown as a whole: then documents are swapped.
    n_permutations : int
    rng : numpy.random.Generator

    Returns
    -------
    list of MetricTest
        One for each pair, in the order of the columns, with p as in `perm_both`.

    Examples
    --------
    >>> accuracies = [[1.0, 0.5], [1.0, 0.0], [0.5, 0.5], [1.0, 0.5]]
    >>> (found,) = compared_accuracies(accuracies, n_permutations=99, rng=np.random.default_rng(1))
    >>> found.difference.value, found.difference.p, found.difference.n_items
    (0.5, 0.25, 4)
    """
    table = np.asarray(accuracies, dtype=np.float64)
    if table.ndim != 2:
        raise ValueError(f"Accuracies are items by metrics, not of {table.ndim} dimensions.")
    pairs = list(combinations(range(table.shape[1]), 2))
    if not pairs:
        return []
    first, second = np.array(pairs).T
    differences = table[:, first] - table[:, second]
    n = (~np.isnan(differences)).sum(axis=0)
    differences = np.nan_to_num(differences)
    p_values = sign_flip_p(rows_by_cluster(differences, swapped), n_permutations, rng)
    tests = []
    for place, (a, b) in enumerate(pairs):
        n_items = int(n[place])
        if n_items < 1:
            tests.append(MetricTest(a, b, Estimate(None, n_items=0, note=FEW.format(units="items", n=0))))
            continue
        mean = float(differences[:, place].sum() / n_items)
        tests.append(MetricTest(a, b, Estimate(mean, p=p_values[place], n_items=n_items)))
    return tests


def rank_groups(order: Sequence[int], p_values: NDArray[np.float64], limit: float) -> list[int]:
    """Return the rank group of each metric, as WMT prints them [1]_.

    A new group begins with the first metric that some metric of the current group beats.

    Parameters
    ----------
    order : sequence of int
        The metrics, the highest correlation first.
    p_values : ndarray of float, shape (n_metrics, n_metrics)
        One-sided p that the metric of the row is better than that of the column; NaN where there is no test.
    limit : float
        A metric beats another with p below it.

    Returns
    -------
    list of int
        Groups from 1, in the order of `order`.

    References
    ----------
    .. [1] M. Freitag et al. (2022). Results of WMT22 metrics shared task: stop using BLEU. WMT, 46-68.

    Examples
    --------
    >>> rank_groups([0, 1, 2], np.array([[1, 0.2, 0.01], [1, 1, 0.2], [1, 1, 1]]), 0.05)
    [1, 1, 2]
    """
    groups, group, start = [], 1, 0
    for place, metric in enumerate(order):
        if any(p_values[above, metric] < limit for above in order[start:place]):
            group, start = group + 1, place
        groups.append(group)
    return groups


@dataclass(frozen=True, slots=True)
class _Swapped:
    """Sums over units of h z, z and z squared of each metric, shape (3, n_units, n_metrics).

    h are the scores of people, centred and of length 1; z the standardised scores of a metric. All that the correlation
    of swapped scores depends on are these sums over the swapped units.
    """

    columns: Floats
    n: int
    varied: NDArray[np.bool_]

    @classmethod
    def of(cls, gold: Floats, scores: Floats, units: Codes, pairs: Sequence[tuple[int, int]]) -> "_Swapped":
        """Return the sums of the metrics in some pairs, all of which have scores; others are not varied."""
        n, n_metrics = scores.shape
        used = np.zeros(n_metrics, dtype=bool)
        used[np.unique(np.array(pairs))] = True
        varied, table = used.copy(), np.zeros((n, n_metrics))
        h = gold - gold.mean() if n else gold
        size = float(np.abs(h).max(initial=0.0))
        human_varies = n > 0 and gold.max() > gold.min()
        for column in np.flatnonzero(used):
            varied[column] = human_varies and scores[:, column].max() > scores[:, column].min()
            if varied[column]:
                z = scores[:, column] - scores[:, column].mean()
                z = z / np.abs(z).max()
                table[:, column] = z / np.sqrt((z**2).mean())
        if human_varies:
            h = h / size
            h = h / np.sqrt(h @ h)
        _codes, unit = compressed(units)
        sums = rows_by_cluster(np.hstack([h[:, np.newaxis] * table, table, table**2]), unit)
        return cls(sums.reshape(len(sums), 3, n_metrics).transpose(1, 0, 2), n, varied)

    def tests(
        self, pairs: Sequence[tuple[int, int]], units: str, n_permutations: int, rng: np.random.Generator
    ) -> list[MetricTest]:
        """Return the tests of some pairs of metrics."""
        if self.n < 3:
            none = Estimate(None, n_ratings=self.n, note=FEW.format(units=units, n=self.n))
            return [MetricTest(a, b, none) for a, b in pairs]
        n_units, n_metrics = self.columns.shape[1:]
        flat = self.columns.transpose(1, 0, 2).reshape(n_units, -1)
        totals = flat.sum(axis=0).reshape(3, n_metrics)
        observed = totals[0] / np.sqrt(self.n)
        extreme, n_swaps = np.zeros(len(pairs)), 0
        exact = n_units < 31 and 2**n_units <= n_permutations
        for swaps in _all_swaps(n_units) if exact else _random_swaps(n_units, n_permutations, flat.shape[1], rng):
            sums = (swaps @ flat).reshape(len(swaps), 3, n_metrics)
            for place, (a, b) in enumerate(pairs):
                if not self.varied[a] or not self.varied[b]:
                    continue
                moved = (sums[:, :, b] - sums[:, :, a]).T
                difference = _r(totals[:, a, np.newaxis] + moved, self.n) - _r(totals[:, b, np.newaxis] - moved, self.n)
                extreme[place] += (np.abs(difference) >= abs(observed[a] - observed[b]) - _SAME).sum()
            n_swaps += len(swaps)
        p_values = extreme / n_swaps if exact else (extreme + 1) / (n_swaps + 1)
        return [
            MetricTest(a, b, self._estimate(a, b, float(observed[a] - observed[b]), float(p)))
            for (a, b), p in zip(pairs, p_values, strict=True)
        ]

    def _estimate(self, a: int, b: int, difference: float, p: float) -> Estimate:
        if not self.varied[a] or not self.varied[b]:
            return Estimate(None, n_ratings=self.n, note=CONSTANT)
        return Estimate(difference, p=p, n_ratings=self.n)


def _r(sums: Floats, n: int) -> Floats:
    """Return Pearson's r from sums of h z, z and z squared, 0 where swapped scores are constant."""
    spread = sums[2] - sums[1] ** 2 / n
    varied = spread > 1e-12 * n
    r: Floats = np.where(varied, sums[0] / np.sqrt(np.where(varied, spread, 1.0)), 0.0)
    return r


def _all_swaps(n: int) -> Iterator[Floats]:
    yield ((np.arange(2**n)[:, np.newaxis] >> np.arange(n)) & 1).astype(np.float64)


def _random_swaps(n: int, n_permutations: int, width: int, rng: np.random.Generator) -> Iterator[Floats]:
    rows = max(1, _CELLS // max(n, width))
    for start in range(0, n_permutations, rows):
        height = min(rows, n_permutations - start)
        packed = rng.integers(256, size=(height, -(-n // 8)), dtype=np.uint8)
        yield np.unpackbits(packed, axis=1, count=n).astype(np.float64)
