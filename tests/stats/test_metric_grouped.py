"""Averaged correlations, accuracy with ties and soft accuracy: against counts pair by pair, scipy, mt-metrics-eval."""

from collections.abc import Iterator
from itertools import combinations, product

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from analytics_app.stats.metrics.grouped import GroupedCorrelations, grouped_correlations
from analytics_app.stats.metrics.score_matrix import Grouping
from analytics_app.stats.metrics.soft_accuracy import soft_pairwise_accuracy
from analytics_app.stats.metrics.tie_calibration import (
    MOST_PAIRS,
    NOTHING,
    EqualAccuracy,
    equal_accuracy,
    right_by_item,
)
from analytics_app.stats.values import Floats
from tests.stats.test_metric_meta import FIRST, HUMAN

NAN = float("nan")
TABLES = st.lists(
    st.tuples(
        st.lists(st.integers(0, 3) | st.just(NAN), min_size=3, max_size=3),
        st.lists(st.integers(0, 6) | st.just(NAN), min_size=3, max_size=3),
    ),
    min_size=1,
    max_size=6,
)
GROUPINGS: tuple[Grouping, ...] = ("none", "item", "system")


def matrices(rows: list[tuple[list[float], list[float]]]) -> tuple[Floats, Floats]:
    return np.array([row for row, _other in rows], dtype=float), np.array([row for _other, row in rows], dtype=float)


def accuracy(human: object, metric: object, grouping: Grouping, **options: object) -> EqualAccuracy:
    said = {"n_resamples": 0, "confidence": 0.95, "rng": np.random.default_rng(1)} | options
    return equal_accuracy(human, metric, grouping=grouping, **said)


def grouped(human: object, metric: object, grouping: Grouping, **options: object) -> GroupedCorrelations:
    said = {"n_resamples": 0, "confidence": 0.95, "rng": np.random.default_rng(1)} | options
    return grouped_correlations(human, metric, grouping=grouping, **said)


def groups_of(human: Floats, metric: Floats, grouping: Grouping) -> Iterator[list[tuple[float, float]]]:
    """Yield the texts of each group that have both scores."""
    rows = {
        "none": (human.reshape(1, -1), metric.reshape(1, -1)),
        "item": (human, metric),
        "system": (human.T, metric.T),
    }
    for people, scores in zip(*rows[grouping], strict=True):
        yield [(h, m) for h, m in zip(people.tolist(), scores.tolist(), strict=True) if not np.isnan(h + m)]


def by_force(human: Floats, metric: Floats, grouping: Grouping) -> tuple[float, float, float] | None:
    """Return accuracy, epsilon and accuracy without it, by trying every difference of two scores of the metric."""
    groups = [texts for texts in groups_of(human, metric, grouping) if len(texts) > 1]
    if not groups:
        return None

    def at(epsilon: float) -> float:
        shares = []
        for texts in groups:
            right = 0
            pairs = list(combinations(texts, 2))
            for (h1, m1), (h2, m2) in pairs:
                metric_order = 0 if abs(m1 - m2) <= epsilon else (1 if m1 > m2 else -1)
                right += metric_order == (h1 > h2) - (h1 < h2)
            shares.append(right / len(pairs))
        return sum(shares) / len(shares)

    candidates = sorted({0.0, *(abs(a - b) for texts in groups for (_h, a), (_g, b) in combinations(texts, 2))})
    best = max(at(epsilon) for epsilon in candidates)
    epsilon = next(one for one in candidates if at(one) > best - 1e-12)
    return best, epsilon, at(0.0)


@given(TABLES, st.sampled_from(GROUPINGS))
def test_accuracy_as_counted_with_every_limit(rows: list[tuple[list[float], list[float]]], grouping: Grouping) -> None:
    human, metric = matrices(rows)
    found, wanted = accuracy(human, metric, grouping), by_force(human, metric, grouping)
    if wanted is None:
        assert found.calibrated.note == NOTHING
    else:
        assert (found.calibrated.value, found.epsilon, found.uncalibrated) == pytest.approx(wanted)


def test_accuracy_as_mt_metrics_eval_has_it() -> None:
    # stats_test.testKendallVariants_23 (Deutsch, Foster and Freitag 2023): shared/reference_values.json, acc23.
    assert accuracy([[1, 1, 2, 2, 4, 3, 3]], [[1, 2, 2, 2, 2, 3, 4]], "none").uncalibrated is not None
    # acc23_data: KendallVariants, and KendallWithTiesOpt over all pairs.
    found = accuracy(np.array(HUMAN, dtype=float)[:, np.newaxis], np.array(FIRST, dtype=float)[:, np.newaxis], "none")
    assert found.uncalibrated == pytest.approx(0.6942528735632)
    assert (found.calibrated.value, found.epsilon) == pytest.approx((0.6942528735632, 0.0))


def test_means_of_people_that_differ_by_rounding_only_are_tied() -> None:
    found = accuracy([[0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1]], [[1.0, 1.0]], "item")
    assert (found.calibrated.value, found.human_ties) == (1.0, 1)


def test_one_limit_for_all_items_and_the_smallest_of_the_best() -> None:
    human = [[1, 1, 2], [1, 2, 2]]
    found = accuracy(human, [[0.1, 0.2, 0.9], [0.1, 0.9, 0.7]], "item")
    # 0.2 ties both pairs that people tie; 0.1 only the first.
    assert found.epsilon == pytest.approx(0.2)
    assert (found.calibrated.value, found.uncalibrated) == pytest.approx((1.0, 2 / 3))
    assert (found.calibrated.n_ratings, found.calibrated.n_items, found.human_ties) == (6, 2, 2)
    assert right_by_item(np.array(human, dtype=float), np.array([[0.1, 0.2, 0.9], [0.1, 0.9, 0.7]]), 0.1).tolist() == (
        pytest.approx([1.0, 2 / 3])
    )


def test_too_many_pairs_say_so() -> None:
    scores = np.arange(4100.0).reshape(2050, 2)
    found = accuracy(scores, scores, "none")
    assert found.calibrated.value is None
    assert f"{MOST_PAIRS:,}" in str(found.calibrated.note)
    assert accuracy(scores, scores, "item").calibrated.value == 1
    assert "No interval" in str(accuracy(scores, scores, "system", n_resamples=9).calibrated.note)


@pytest.mark.parametrize("grouping", GROUPINGS)
def test_intervals_of_accuracy_are_over_items(grouping: Grouping) -> None:
    rng = np.random.default_rng(4)
    human = np.round(rng.normal(size=(40, 4)) + rng.normal(size=(40, 1)), 1)
    metric = human + rng.normal(size=(40, 4))
    human[3, 2] = NAN
    found = accuracy(human, metric, grouping, n_resamples=600)
    drawn = [rng.integers(40, size=40) for _n in range(200)]
    again = []
    for rows in drawn:
        people, scores, copy = human[rows], metric[rows], np.repeat(rows[:, np.newaxis], 4, axis=1)
        again.append(_share(people, scores, copy, grouping, found.epsilon))
    wanted = np.quantile(again, [0.025, 0.975])
    assert (found.calibrated.low, found.calibrated.high) == pytest.approx(tuple(wanted), abs=0.03)
    assert np.mean(again) == pytest.approx(found.calibrated.value, abs=0.01)


def _share(human: Floats, metric: Floats, item: Floats, grouping: Grouping, epsilon: float) -> float:
    """Return the accuracy of resampled items, in which two copies of one text are no pair."""
    system = np.tile(np.arange(human.shape[1]), (len(human), 1))
    tables = {"none": lambda t: t.reshape(1, -1), "item": lambda t: t, "system": lambda t: t.T}
    shares = []
    for people, scores, items, systems in zip(
        *(tables[grouping](t) for t in (human, metric, item, system)), strict=True
    ):
        a, b = np.triu_indices(len(people), 1)
        is_pair = ~np.isnan(people[a] + people[b]) & ((items[a] != items[b]) | (systems[a] != systems[b]))
        by_metric = scores[a] - scores[b]
        order = np.where(np.abs(by_metric) <= epsilon, 0, np.sign(by_metric))
        right = (order == np.sign(people[a] - people[b]))[is_pair]
        if right.size:
            shares.append(right.mean())
    return float(np.mean(shares))


def test_documents_are_drawn_whole() -> None:
    rng = np.random.default_rng(5)
    human = rng.normal(size=(30, 3)) + np.repeat(rng.normal(size=(10, 1)), 3, axis=0)
    metric = human + 0.5 * rng.normal(size=(30, 3)) + np.repeat(rng.normal(size=(10, 1)), 3, axis=0)
    clusters = np.repeat(np.arange(10), 3)
    for grouping in ("item", "system"):
        found = grouped(human, metric, grouping, clusters=clusters, n_resamples=400).pearson
        assert found.n_items == 30
        again = [
            grouped(human[rows], metric[rows], grouping).pearson.value
            for rows in (np.concatenate([np.flatnonzero(clusters == one) for one in rng.integers(10, size=10)])
                         for _n in range(200))
        ]  # fmt: skip
        assert (found.low, found.high) == pytest.approx(tuple(np.quantile(again, [0.025, 0.975])), abs=0.12)
    for grouping in GROUPINGS:
        assert accuracy(human, metric, grouping, clusters=clusters, n_resamples=50).calibrated.low is not None


@given(TABLES, st.sampled_from(["item", "system"]))
def test_averaged_correlations_as_scipy_has_them(
    rows: list[tuple[list[float], list[float]]], grouping: Grouping
) -> None:
    human, metric = matrices(rows)
    found = grouped(human, metric, grouping)
    texts_of = [list(zip(*texts, strict=True)) for texts in groups_of(human, metric, grouping) if len(texts) > 1]
    varied = [texts for texts in texts_of if all(len(set(side)) > 1 for side in texts)]
    statistics = (scipy.stats.pearsonr, scipy.stats.spearmanr, scipy.stats.kendalltau)
    for estimate, statistic in zip((found.pearson, found.spearman, found.kendall), statistics, strict=True):
        if not varied:
            assert estimate.value is None
            assert f"Within every {grouping}" in str(estimate.note)
        else:
            assert estimate.value == pytest.approx(np.mean([statistic(*texts).statistic for texts in varied]))
            assert estimate.n_ratings == len(varied)


@pytest.mark.parametrize("grouping", ["item", "system"])
def test_intervals_of_averaged_correlations_are_over_items(grouping: Grouping) -> None:
    rng = np.random.default_rng(6)
    human = rng.normal(size=(50, 4)) + rng.normal(size=(50, 1))
    metric = human + rng.normal(size=(50, 4))
    human[7, 1] = NAN
    found = grouped(human, metric, grouping, n_resamples=600)
    again = [grouped(human[rows], metric[rows], grouping) for rows in (rng.integers(50, size=50) for _n in range(200))]
    for name in ("pearson", "spearman", "kendall"):
        estimate, drawn = getattr(found, name), [getattr(one, name).value for one in again]
        assert (estimate.low, estimate.high) == pytest.approx(tuple(np.quantile(drawn, [0.025, 0.975])), abs=0.05)


def soft_by_force(human: Floats, metric: Floats) -> float:
    """Return soft pairwise accuracy from every flip of signs, pair by pair."""

    def p(table: Floats, a: int, b: int) -> float:
        differences = table[:, a] - table[:, b]
        differences = differences[~np.isnan(differences)]
        sums = [float(np.dot(signs, differences)) for signs in product((1, -1), repeat=len(differences))]
        return float(np.mean([one >= differences.sum() - 1e-9 for one in sums]))

    missing = np.isnan(human + metric)
    human, metric = np.where(missing, NAN, human), np.where(missing, NAN, metric)
    pairs = [(a, b) for a, b in combinations(range(human.shape[1]), 2) if (~missing[:, a] & ~missing[:, b]).any()]
    return 1 - float(np.mean([abs(p(human, a, b) - p(metric, a, b)) for a, b in pairs]))


def test_soft_accuracy_as_published_programs_have_it() -> None:
    # shared/reference_values.json, soft_pairwise_accuracy_exact: full enumeration; five systems on six segments.
    human, metric = (np.array(side, dtype=float).reshape(5, 6).T for side in (HUMAN, FIRST))
    options = {"rng": np.random.default_rng(1)}
    assert soft_pairwise_accuracy(human, metric, n_permutations=64, **options).value == pytest.approx(0.86875)
    assert soft_by_force(human, metric) == pytest.approx(0.86875)
    # Random flips of signs, as mt-metrics-eval has them: .8697 with 10,000 of them.
    assert soft_pairwise_accuracy(human, metric, n_permutations=63, **options).value == pytest.approx(0.869, abs=0.05)


def test_soft_accuracy_with_missing_scores_and_documents() -> None:
    rng = np.random.default_rng(7)
    human = rng.normal(size=(7, 4))
    metric = human + rng.normal(size=(7, 4))
    human[0, 1], metric[2, 3] = NAN, NAN
    found = soft_pairwise_accuracy(human, metric, n_permutations=128, rng=rng)
    assert found.value == pytest.approx(soft_by_force(human, metric))
    assert (found.n_ratings, found.n_items) == (4, 7)
    # Two copies of an item that are exchanged together are one item.
    doubled = soft_pairwise_accuracy(
        np.repeat(human, 2, axis=0), np.repeat(metric, 2, axis=0), clusters=np.repeat(np.arange(7), 2),
        n_permutations=128, rng=rng,
    )  # fmt: skip
    assert doubled.value == pytest.approx(found.value)
    apart = soft_pairwise_accuracy([[1.0, NAN], [NAN, 2.0]], [[1.0, 1.0], [2.0, 2.0]], n_permutations=9, rng=rng)
    assert apart.value is None
    assert apart.note


def test_wrong_input_is_refused() -> None:
    with pytest.raises(ValueError, match="one shape"):
        accuracy([[1, 2]], [[1, 2, 3]], "item")
    with pytest.raises(ValueError, match="documents of shape"):
        accuracy([[1, 2]], [[1, 2]], "item", clusters=np.array([0, 1]))
    with pytest.raises(ValueError, match="none, item or system"):
        accuracy([[1, 2]], [[1, 2]], "segment")
    with pytest.raises(ValueError, match="item or system"):
        grouped([[1, 2]], [[1, 2]], "none")
    with pytest.raises(ValueError, match="permutation"):
        soft_pairwise_accuracy([[1, 2]], [[1, 2]], n_permutations=0, rng=np.random.default_rng(1))
