"""Tau-like against mt-metrics-eval's own tests and a count pair by pair; tau-b against scipy."""

from itertools import combinations

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from analytics_app.stats.metrics.tau_like import ALL_TIES, SOME_TIES, TauLike, tau_like

NAN = float("nan")
SCORES = st.lists(st.integers(0, 4) | st.just(NAN), min_size=4, max_size=4)


def tau(human: object, metric: object, **options: object) -> TauLike:
    said = {"n_resamples": 0, "confidence": 0.95, "rng": np.random.default_rng(1)} | options
    return tau_like(human, metric, **said)


def test_as_mt_metrics_eval_has_it() -> None:
    # mt-metrics-eval stats_test.testKendallLike: shared/reference_values.json, wmt_tau_like.
    human, metric = [[10, 11, 100, 150]], [[2, 1, 4, 3]]
    assert tau(human, metric, gap=25).pooled.value == pytest.approx(0.6)
    assert tau(human, metric, gap=1).pooled.value == pytest.approx(1 / 3)


def counted(human: list[float], metric: list[float]) -> tuple[int, int]:
    c = d = 0
    for a, b in combinations(range(len(human)), 2):
        if any(np.isnan(one) for one in (human[a], human[b], metric[a], metric[b])) or human[a] == human[b]:
            continue
        alike = (human[a] > human[b]) == (metric[a] > metric[b]) and metric[a] != metric[b]
        c, d = c + alike, d + (not alike)
    return c, d


@given(st.lists(st.tuples(SCORES, SCORES), min_size=1, max_size=6))
def test_as_counted_pair_by_pair(rows: list[tuple[list[float], list[float]]]) -> None:
    found = tau([human for human, _metric in rows], [metric for _human, metric in rows])
    counts = [counted(*row) for row in rows]
    c, d = sum(one for one, _two in counts), sum(two for _one, two in counts)
    assert (found.concordant, found.discordant) == (c, d)
    each = [(one - two) / (one + two) for one, two in counts if one + two]
    if not each:
        assert found.by_item.value is None
        assert found.pooled.note
    else:
        assert found.by_item.value == pytest.approx(np.mean(each))
        assert found.pooled.value == pytest.approx((c - d) / (c + d))
    taus = [scipy.stats.kendalltau(human, metric, nan_policy="omit").statistic for human, metric in rows if
            np.sum(~np.isnan(human) & ~np.isnan(metric)) > 1]  # fmt: skip
    taus = [one for one in taus if not np.isnan(one)]
    assert found.tau_b.value == (pytest.approx(np.mean(taus)) if taus else None)


def test_rounding_makes_no_order() -> None:
    assert tau([[0.1 + 0.2, 0.3]], [[1, 2]]).pooled.note is not None


def test_ties_of_people_are_skipped_and_of_the_metric_wrong() -> None:
    found = tau([[1, 1, 2]], [[5, 6, 6]])
    assert (found.concordant, found.discordant) == (1, 1)
    assert found.tau_b.value == pytest.approx(scipy.stats.kendalltau([1, 1, 2], [5, 6, 6]).statistic)


@pytest.mark.parametrize("human", [[[3.0, 3.0]], [[NAN, 1.0]], np.empty((0, 3)), [[1.0]]])
def test_undefined_is_a_sentence(human: object) -> None:
    found = tau(human, np.zeros_like(np.asarray(human)), n_resamples=10)
    assert found.by_item.value is None
    assert found.pooled.value is None
    assert all((one.note or "").endswith(".") for one in (found.by_item, found.pooled, found.tau_b))


def test_intervals_are_over_items() -> None:
    rng = np.random.default_rng(2)
    human = rng.normal(size=(60, 5))
    found = tau(human, human + rng.normal(size=(60, 5)), n_resamples=500)
    for one in (found.by_item, found.pooled, found.tau_b):
        assert one.low is not None
        assert one.high is not None
        assert one.low < one.value < one.high
    each = [counted(*row) for row in zip(human.tolist(), (human + 0).tolist(), strict=True)]
    assert len(each) == found.by_item.n_items == 60


def test_wrong_input_is_refused() -> None:
    with pytest.raises(ValueError, match="one shape"):
        tau([[1, 2]], [[1, 2, 3]])
    with pytest.raises(ValueError, match="gap"):
        tau([[1, 2]], [[1, 2]], gap=-1)


def test_a_million_scores() -> None:
    rng = np.random.default_rng(1)
    human = rng.normal(size=(50_000, 20))
    assert tau(human, -human).pooled.value == -1


def test_items_with_one_text_are_told_from_items_with_ties() -> None:
    said = {"n_resamples": 0, "confidence": 0.95, "rng": np.random.default_rng(1)}
    one_text = tau_like([[1, NAN], [NAN, 2]], [[1, 2], [3, 4]], **said)
    for part in (one_text.by_item, one_text.pooled, one_text.tau_b):
        assert part.note == "No item has two texts with both scores, so there is nothing to order."
    tied = tau_like([[1, 1], [2, 2]], [[1, 2], [3, 4]], **said)
    assert tied.by_item.note == "People gave all texts of each item the same score, so there is nothing to order."


def test_a_constant_metric_says_why_its_tau_is_minus_one() -> None:
    human = np.arange(24.0).reshape(12, 2)
    found = tau(human, np.full((12, 2), 0.5), n_resamples=50)
    assert (found.pooled.value, found.ties, found.discordant) == (-1, 12, 12)
    for estimate in (found.pooled, found.by_item):
        assert estimate.note.endswith(ALL_TIES)
        assert estimate.low is None
    assert found.tau_b.value is None
    metric = human.copy()
    metric[0] = 0
    some = tau(human, metric)
    assert (some.ties, some.concordant, some.discordant) == (1, 11, 1)
    assert some.pooled.note == SOME_TIES.format(ties=1, pairs=12)
    assert tau(human, human).pooled.note is None
