"""Metrics against people: scipy, R (psych, cor), mt-metrics-eval."""

import math
from collections.abc import Callable

import numpy as np
import pytest
import scipy.stats

from analytics_app.stats.metrics.metric_meta import (
    Correlations,
    kendall,
    over_systems,
    over_texts,
    pearson,
    spearman,
    williams,
)
from tests.work import assert_work_grows_with_data

NAN = float("nan")

# Human scores and two metrics: shared/reference_values.json, williams_test_data and metric_correlations.
HUMAN = [44, 52, 42, 66, 53, 42, 55, 57, 56, 47, 65, 54, 44, 28, 61, 50, 50, 59, 58, 56, 59, 58, 51, 30, 56, 49, 48, 35,
         45, 54]  # fmt: skip
FIRST = [42, 36, 33, 46, 26, 26, 35, 39, 48, 39, 44, 36, 36, 24, 37, 29, 38, 47, 40, 46, 44, 36, 38, 12, 51, 50, 31, 16,
         36, 37]  # fmt: skip
SECOND = [44, 26, 27, 33, 20, 23, 11, 42, 29, 43, 37, 21, 27, 6, 19, 28, 21, 30, 30, 23, 24, 28, 36, 1, 33, 27, 34, 15,
          26, 29]  # fmt: skip


def texts(human: object, metric: object, items: object = None, **options: object) -> Correlations:
    said = {"n_resamples": 0, "confidence": 0.95, "rng": np.random.default_rng(1)} | options
    return over_texts(human, metric, np.arange(len(human)) if items is None else items, **said)


def systems(human: object, metric: object, **options: object) -> Correlations:
    said = {"n_resamples": 0, "confidence": 0.95, "rng": np.random.default_rng(1)} | options
    return over_systems(human, metric, **said)


def test_correlations_as_r_has_them() -> None:
    found = texts(HUMAN, FIRST)
    assert found.pearson.value == pytest.approx(scipy.stats.pearsonr(HUMAN, FIRST).statistic)
    assert found.spearman.value == pytest.approx(scipy.stats.spearmanr(HUMAN, FIRST).statistic)
    assert found.third.value == pytest.approx(scipy.stats.kendalltau(HUMAN, FIRST).statistic)


def test_means_that_are_equal_but_for_rounding_tie() -> None:
    human = [0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1, 0.7, -1.0, 0.2]
    assert human[0] != human[1]
    metric = [3.0, 1.0, 4.0, 0.0, 2.0]
    found = texts(human, metric, n_resamples=50)
    exact = texts(np.round(human, 6), metric, n_resamples=50)
    assert found.spearman == exact.spearman
    assert found.third == exact.third


def test_tiny_scores_of_a_metric_do_not_tie() -> None:
    human = [5.0, 3.0, 4.0, 1.0, 2.0, 6.0]
    metric = [0.4, 3e-13, 7e-15, 1e-16, 4e-16, 0.3]  # such as BLEU-4 of short texts
    found = texts(human, metric)
    assert found.spearman.value == pytest.approx(scipy.stats.spearmanr(human, metric).statistic, abs=1e-12)
    assert found.third.value == pytest.approx(scipy.stats.kendalltau(human, metric).statistic, abs=1e-12)


def test_means_of_systems_that_are_equal_but_for_rounding_tie() -> None:
    human = np.array([[0.1, 0.3, 0.1, 0.9], [0.2, 0.2, 0.2, 0.8], [0.3, 0.1, 0.4, 0.7]])
    assert human.mean(axis=0)[0] != human.mean(axis=0)[1]
    found = systems(human, [1.0, 2.0, 3.0, 4.0])
    assert found.spearman.value == pytest.approx(scipy.stats.spearmanr([1, 1, 2, 3], [1, 2, 3, 4]).statistic)
    assert found.third.value == 1


def test_p_of_few_systems_is_exact() -> None:
    three = systems([[1.0, 2.0, 4.0]], [10.0, 20.0, 30.0])
    # Two of six orders are on a line, and two as near to one as the values themselves.
    assert three.spearman.p == pytest.approx(1 / 3)
    assert three.spearman.df is None
    assert three.pearson.p == pytest.approx(1 / 3)
    human, metric = HUMAN[:7], FIRST[:7]
    found = systems([[float(value) for value in human]], metric)
    by_scipy = scipy.stats.pearsonr(human, metric, method=scipy.stats.PermutationMethod(n_resamples=np.inf))
    assert found.pearson.p == pytest.approx(by_scipy.pvalue, abs=1e-12)
    assert found.pearson.df is None


def test_p_is_never_zero() -> None:
    ten = [float(value) for value in range(10)]
    found = systems([ten], ten)
    assert found.spearman.p == pytest.approx(2 / math.factorial(10))
    assert found.pearson.p == pytest.approx(2 / math.factorial(10))


def test_williams_as_r_psych_and_mt_metrics_eval_have_it() -> None:
    # R psych::r.test; mt-metrics-eval WilliamsTest: shared/reference_values.json, williams_test.
    found = williams(0.8, 0.6, 0.7, 20)
    assert found.value == pytest.approx(1.75379544493, abs=1e-10)
    assert found.p == pytest.approx(0.0974746024454, abs=1e-10)
    r12, r13, r23 = (pearson(*pair) for pair in ((HUMAN, FIRST), (HUMAN, SECOND), (FIRST, SECOND)))
    assert r12 is not None
    assert r13 is not None
    assert r23 is not None
    # williams_test_data.
    of_data = williams(r12, r13, r23, 30)
    assert of_data.value == pytest.approx(2.12243093811, abs=1e-9)
    assert of_data.p == pytest.approx(0.0431203973097, abs=1e-9)
    assert williams(r13, r12, r23, 30).value == pytest.approx(-2.12243093811, abs=1e-9)


@pytest.mark.parametrize(
    ("coefficient", "t", "p"),
    [
        # R 4: cor(method = ...), and the formula of psych::r.test (r12, r13, r23, n), typed in.
        (pearson, 2.1855287693, 0.0566616851),
        (spearman, 1.8915725057, 0.0911070643),
        (kendall, 1.1885202621, 0.2650429685),
    ],
)
def test_williams_by_each_coefficient_as_r_has_it(coefficient: Callable[..., float | None], t: float, p: float) -> None:
    people = [3, 5, 2, 4, 4, 1, 5, 3, 2, 4, 1, 5]
    first = [0.31, 0.62, 0.28, 0.55, 0.41, 0.22, 0.58, 0.47, 0.19, 0.66, 0.3, 0.52]
    second = [12, 15, 9, 18, 11, 14, 16, 8, 13, 15, 10, 12]
    with_first, with_second, both = (
        coefficient(*pair) for pair in ((people, first), (people, second), (first, second))
    )
    assert with_first is not None
    assert with_second is not None
    assert both is not None
    found = williams(with_first, with_second, both, 12)
    assert (found.value, found.p) == pytest.approx((t, p), abs=1e-9)
    assert coefficient(people, [1.0] * 12) is None


@pytest.mark.parametrize(("correlations", "n"), [((0.5, 0.5, 1.0), 20), ((0.5, 0.4, 0.3), 3), ((1.0, 1.0, 1.0), 9)])
def test_williams_says_where_there_is_no_test(correlations: tuple[float, float, float], n: int) -> None:
    found = williams(*correlations, n)
    assert found.value is None
    assert found.note


def test_williams_refuses_what_is_no_correlation() -> None:
    for wrong in (NAN, 1.5, -2.0):
        with pytest.raises(ValueError, match="between -1 and 1"):
            williams(wrong, 0.5, 0.5, 20)


def test_means_of_systems_are_what_is_correlated() -> None:
    rng = np.random.default_rng(3)
    human, metric = rng.normal(size=(40, 9)), rng.normal(size=(40, 9))
    human[:5, 2] = NAN
    found = systems(human, metric)
    x = np.nanmean(human, axis=0)
    y = np.nanmean(np.where(np.isnan(human), NAN, metric), axis=0)
    wanted = scipy.stats.pearsonr(x, y)
    assert (found.pearson.value, found.pearson.p) == pytest.approx((wanted.statistic, wanted.pvalue))
    ranks = scipy.stats.spearmanr(x, y)
    assert (found.spearman.value, found.spearman.p) == pytest.approx((ranks.statistic, ranks.pvalue))
    assert (found.pearson.n_ratings, found.pearson.n_items, found.pearson.df) == (9, 40, 7)


def test_pairwise_accuracy_as_mt_metrics_eval_has_it() -> None:
    # shared/reference_values.json, soft_pairwise_accuracy_exact: five systems on six segments.
    human = np.array(HUMAN, dtype=float).reshape(5, 6).T
    metric = np.array(FIRST, dtype=float).reshape(5, 6).T
    assert systems(human, metric).third.value == pytest.approx(0.6)


def test_scores_of_systems_as_wholes_stay_as_they_are() -> None:
    human = np.array(HUMAN, dtype=float).reshape(6, 5)
    found = systems(human, human.mean(axis=0), n_resamples=200)
    assert found.pearson.value == pytest.approx(1)
    assert found.third.value == 1
    assert found.pearson.low is not None
    assert found.pearson.low < 1
    assert "5 systems are few" in str(found.pearson.note)


def test_intervals_hold_what_resampling_items_gives() -> None:
    rng = np.random.default_rng(4)
    items = np.repeat(np.arange(50), 4)
    human = rng.normal(size=200) + rng.normal(size=50)[items]
    metric = human + rng.normal(size=200)
    found = texts(human, metric, items, n_resamples=600)
    drawn = [np.concatenate([np.flatnonzero(items == one) for one in rng.integers(50, size=50)]) for _n in range(300)]
    for one, statistic in (
        (found.pearson, scipy.stats.pearsonr),
        (found.spearman, scipy.stats.spearmanr),
        (found.third, scipy.stats.kendalltau),
    ):
        again = [statistic(human[rows], metric[rows]).statistic for rows in drawn]
        assert (one.low, one.high) == pytest.approx(tuple(np.quantile(again, [0.025, 0.975])), abs=0.04)


@pytest.mark.parametrize(
    ("human", "metric", "said"),
    [
        ([], [], "at least 3"),
        ([1.0, 2.0], [1.0, 2.0], "at least 3"),
        ([1.0, NAN, 2.0, NAN], [NAN, 1.0, 2.0, NAN], "at least 3"),
        ([3.0] * 5, [1.0, 2.0, 3.0, 4.0, 5.0], "People gave all"),
        ([1.0, 2.0, 3.0, 4.0, 5.0], [3.0] * 5, "The metric gave all"),
    ],
)
def test_undefined_is_a_sentence(human: list[float], metric: list[float], said: str) -> None:
    found = texts(human, metric, n_resamples=20)
    assert [one.value for one in (found.pearson, found.spearman, found.third)] == [None] * 3
    assert said in str(found.pearson.note)
    of_systems = systems(np.array([human]), np.array(metric), n_resamples=20)
    assert of_systems.pearson.value is None
    assert said in str(of_systems.pearson.note)


def test_one_item_has_no_interval() -> None:
    found = texts([1.0, 2.0, 3.0], [1.0, 3.0, 2.0], [0, 0, 0], n_resamples=50)
    assert found.pearson.low is None
    assert "too few" in str(found.pearson.note)


def test_wrong_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match="scores of people"):
        texts([1.0, 2.0], [1.0], [0, 1])
    with pytest.raises(ValueError, match="shape"):
        systems(np.zeros((3, 4)), np.zeros(3))


def test_work_grows_with_the_texts_alone() -> None:
    def prepare(n: int) -> Callable[[], object]:
        rng = np.random.default_rng(1)
        human = rng.normal(size=n)
        metric, items = human + rng.normal(size=n), np.repeat(np.arange(n // 20), 20)
        return lambda: texts(human, metric, items, n_resamples=20)

    assert prepare(100_000)().pearson.value == pytest.approx(0.707, abs=0.01)
    assert_work_grows_with_data(prepare, 10_000)


def test_systems_of_different_test_sets_are_told() -> None:
    apart = np.array([[1, 2, NAN, NAN], [2, 4, NAN, NAN], [NAN, NAN, 6, 8], [NAN, NAN, 5, 9]])
    metric = [1.0, 2.0, 3.0, 4.0]
    for part in (found := systems(apart, metric)).pearson, found.spearman, found.third:
        assert "share no item" in str(part.note)
    linked = apart.copy()
    linked[0, 2] = 3.0  # one item that both sets share
    assert "share no item" not in str(systems(linked, metric).pearson.note)
