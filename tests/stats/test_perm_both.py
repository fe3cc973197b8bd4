"""Swapped scores of two metrics: against every swap in plain Python, and mt-metrics-eval; rank groups as at WMT."""

from itertools import product

import numpy as np
import pytest

from analytics_app.stats.metrics.perm_both import CONSTANT, MetricTest, compared_accuracies, perm_both, rank_groups
from analytics_app.stats.values import Floats
from tests.stats.test_metric_meta import FIRST, HUMAN, SECOND

NAN = float("nan")


def swaps_of(human: object, metrics: object, **options: object) -> list[MetricTest]:
    said = {"n_permutations": 9_999, "rng": np.random.default_rng(1)} | options
    return perm_both(human, metrics, **said)


def by_force(human: Floats, a: Floats, b: Floats, units: list[int]) -> tuple[float, float]:
    """Return the difference of the correlations and its p from every swap of units."""
    a, b = (a - a.mean()) / a.std(), (b - b.mean()) / b.std()

    def difference(swaps: tuple[bool, ...]) -> float:
        swapped = np.array([swaps[unit] for unit in units])
        first, second = np.where(swapped, b, a), np.where(swapped, a, b)
        return float(np.corrcoef(human, first)[0, 1] - np.corrcoef(human, second)[0, 1])

    n_units = max(units) + 1
    observed = difference((False,) * n_units)
    every = [difference(swaps) for swaps in product((False, True), repeat=n_units)]
    return observed, float(np.mean([abs(one) >= abs(observed) - 1e-9 for one in every]))


@pytest.mark.parametrize("units", [list(range(8)), [0, 0, 1, 1, 2, 2, 3, 3]])
def test_every_swap_is_counted(units: list[int]) -> None:
    rng = np.random.default_rng(8)
    human = rng.normal(size=8)
    metrics = np.column_stack([human + rng.normal(size=8), 40 + 9 * rng.normal(size=8), human + rng.normal(size=8)])
    found = swaps_of(human, metrics, swapped=np.array(units))
    assert [(test.a, test.b) for test in found] == [(0, 1), (0, 2), (1, 2)]
    for test in found:
        wanted = by_force(human, metrics[:, test.a], metrics[:, test.b], units)
        assert (test.difference.value, test.difference.p) == pytest.approx(wanted)


def test_random_swaps_as_mt_metrics_eval_has_them() -> None:
    # PermutationSigDiff on shared/reference_values.json, williams_test_data: delta .249092, one-sided p .0201.
    (found,) = swaps_of(HUMAN, np.column_stack([FIRST, SECOND]).astype(float))
    assert found.difference.value == pytest.approx(0.249092, abs=1e-6)
    assert found.difference.p is not None
    assert found.difference.p / 2 == pytest.approx(0.0201, abs=0.003)


def test_pairs_are_compared_on_the_texts_of_both() -> None:
    rng = np.random.default_rng(9)
    human = rng.normal(size=9)
    metrics = np.column_stack([human + rng.normal(size=9), rng.normal(size=9), rng.normal(size=9)])
    human[0], metrics[1, 0], metrics[2, 1] = NAN, NAN, NAN
    for test in swaps_of(human, metrics):
        there = ~np.isnan(human + metrics[:, test.a] + metrics[:, test.b])
        wanted = by_force(human[there], metrics[there, test.a], metrics[there, test.b], list(range(there.sum())))
        assert (test.difference.value, test.difference.p) == pytest.approx(wanted)
        assert test.difference.n_ratings == there.sum()


def test_undefined_is_a_sentence() -> None:
    human = np.arange(5.0)
    constant, few, fine = swaps_of(human, np.column_stack([human, np.ones(5), [1.0, 2.0, NAN, NAN, NAN]]))
    assert (constant.difference.value, constant.difference.note) == (None, CONSTANT)
    assert "too few" in str(few.difference.note)
    assert fine.difference.value is None
    with pytest.raises(ValueError, match="permutation"):
        swaps_of(human, np.column_stack([human, human]), n_permutations=0)
    with pytest.raises(ValueError, match="shape"):
        swaps_of(human, np.ones((3, 2)))
    with pytest.raises(ValueError, match="dimensions"):
        compared_accuracies([1.0], n_permutations=9, rng=np.random.default_rng(1))


def test_accuracies_are_swapped_by_item_or_by_document() -> None:
    accuracies = np.array([[1.0, 0.5, NAN], [0.5, 0.25, 1.0], [1.0, 0.0, 0.5], [0.75, 0.5, 0.5]])

    def found(**options: object) -> list[MetricTest]:
        return compared_accuracies(accuracies, n_permutations=99, rng=np.random.default_rng(1), **options)

    first, second, _third = found()
    assert (first.difference.p, first.difference.n_items) == (2 / 16, 4)
    assert first.difference.value == pytest.approx(0.5)
    # Differences -.5, .5 and .25 on three items: all but two of eight signs sum to at least .25.
    assert second.difference.value == pytest.approx(0.25 / 3)
    assert second.difference.p == 1.0
    assert second.difference.n_items == 3
    whole, *_rest = found(swapped=np.array([0, 0, 1, 1]))
    assert whole.difference.p == 2 / 4


def test_rank_groups_as_wmt_has_them() -> None:
    """A metric that only a metric of an earlier group beats stays in its group, as in mt-metrics-eval's AssignRanks."""
    p = np.ones((4, 4))
    p[0, 2] = p[0, 3] = p[1, 2] = 0.01
    assert rank_groups([0, 1, 2, 3], p, 0.05) == [1, 1, 2, 2]
    p[2, 3] = 0.049
    assert rank_groups([0, 1, 2, 3], p, 0.05) == [1, 1, 2, 3]
    assert rank_groups([0, 1, 2, 3], np.full((4, 4), NAN), 0.05) == [1, 1, 1, 1]
