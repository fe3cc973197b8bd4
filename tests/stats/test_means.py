"""Means, medians and distributions of groups: pandas, numpy, and scipy's bootstrap."""

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from analytics_app.stats.comparison.means import group_means, group_medians
from analytics_app.stats.resampling.bootstrap import ALL_ALIKE
from analytics_app.stats.values import Estimate

NAN = float("nan")
ROWS = st.lists(st.tuples(st.integers(1, 5) | st.just(NAN), st.integers(0, 3), st.integers(0, 5)), max_size=40)


def means(values: object, groups: object, clusters: object, n_groups: int, **options: object) -> list[Estimate]:
    settings = {"n_resamples": 200, "confidence": 0.95, "rng": np.random.default_rng(1)} | options
    return group_means(values, groups, clusters, n_groups=n_groups, **settings)


def columns(rows: list[tuple[float, int, int]]) -> list[np.ndarray]:
    frame = pd.DataFrame(rows, columns=["value", "group", "cluster"])
    return [frame["value"].to_numpy(float), frame["group"].to_numpy(int), frame["cluster"].to_numpy(int)]


@given(ROWS)
def test_as_pandas_has_them(rows: list[tuple[float, int, int]]) -> None:
    values, groups, clusters = columns(rows)
    frame = pd.DataFrame({"value": values, "group": groups, "cluster": clusters}).dropna()
    by_group = frame.groupby("group")
    for group, estimate in enumerate(means(values, groups, clusters, 4, n_resamples=20)):
        if group not in by_group.groups:
            assert estimate == Estimate(None, n_ratings=0, n_items=0, note="Nothing was rated.")
            continue
        chosen = by_group.get_group(group)
        assert estimate.value == pytest.approx(chosen["value"].mean())
        assert (estimate.n_ratings, estimate.n_items) == (len(chosen), chosen["cluster"].nunique())


@given(ROWS)
def test_medians_as_pandas_has_them(rows: list[tuple[float, int, int]]) -> None:
    values, groups, _clusters = columns(rows)
    expected = pd.Series(values).groupby(groups).median().reindex(range(4))
    np.testing.assert_array_equal(group_medians(values, groups, 4), expected)


def test_the_interval_is_that_of_scipys_bootstrap_over_clusters() -> None:
    rng = np.random.default_rng(4)
    sizes = rng.integers(1, 6, 40)
    clusters = np.repeat(np.arange(40), sizes)
    values = rng.normal(size=40)[clusters] + rng.normal(size=clusters.size)
    sums, counts = np.bincount(clusters, weights=values), sizes.astype(float)
    expected = scipy.stats.bootstrap(
        (sums, counts),
        lambda s, c, axis: s.sum(axis=axis) / c.sum(axis=axis),
        paired=True,
        n_resamples=20_000,
        method="percentile",
        rng=np.random.default_rng(5),
    )
    (estimate,) = means(values, np.zeros(clusters.size, dtype=int), clusters, 1, n_resamples=20_000)
    limits = expected.confidence_interval
    assert (estimate.low, estimate.high) == pytest.approx((limits.low, limits.high), abs=0.01)
    assert estimate.se == pytest.approx(expected.standard_error, rel=0.03)
    # Ratings of a cluster are alike: drawn one by one they would promise too much.
    (alone,) = means(values, np.zeros(clusters.size, dtype=int), np.arange(clusters.size), 1, n_resamples=2000)
    assert estimate.high - estimate.low > 1.2 * (alone.high - alone.low)


def test_groups_share_their_resamples() -> None:
    rng = np.random.default_rng(6)
    values, clusters = rng.normal(size=60), np.arange(60) // 3
    one = means(np.r_[values, values + 1], np.repeat([0, 1], 60), np.r_[clusters, clusters], 2)
    assert (one[1].low - one[0].low, one[1].high - one[0].high) == pytest.approx((1, 1))


@given(ROWS, st.randoms())
def test_order_of_rows_and_codes_of_clusters_change_nothing(rows: list[tuple[float, int, int]], random: object) -> None:
    order = list(range(len(rows)))
    random.shuffle(order)
    values, groups, clusters = columns(rows)
    plain = means(values, groups, clusters, 4)
    other = means(values[order], groups[order], 10**9 + 3 * clusters[order], 4)
    # Whole numbers add up to the same digits in any order.
    assert plain == other


def test_the_same_seed_gives_the_same_digits() -> None:
    rng = np.random.default_rng(6)
    values, groups, clusters = rng.normal(size=90), np.arange(90) % 3, np.arange(90) // 9
    one, again = (means(values, groups, clusters, 3, rng=np.random.default_rng(3)) for _time in range(2))
    assert one == again
    assert one != means(values, groups, clusters, 3, rng=np.random.default_rng(4))


def test_one_cluster_has_no_interval() -> None:
    first, second = means([1, 2, 3, 4], [0, 0, 1, 1], [5, 5, 5, 7], 2)
    assert (first.value, first.low, first.se) == (1.5, None, None)
    assert first.note == "An interval takes ratings from at least two clusters; here is one."
    assert first.n_items == 1
    # Two clusters with one shared: a quarter of the resamples has none of this group's... and says so.
    assert second.value == 3.5


def test_a_group_in_few_clusters_says_how_many_resamples_failed() -> None:
    groups = np.r_[0, 0, np.ones(38, dtype=int)]
    first, _second = means(np.arange(40.0), groups, np.arange(40), 2, n_resamples=1000)
    assert (first.value, first.low) == (0.5, None)
    # (1 - 2/40)^40 of them hold neither of the two clusters.
    share = int(first.note.split()[2].replace(",", "")) / 1000
    assert share == pytest.approx((1 - 2 / 40) ** 40, abs=0.04)


def test_equal_ratings_have_no_interval() -> None:
    (estimate,) = means([4] * 12, [0] * 12, np.arange(12), 1)
    assert (estimate.value, estimate.low, estimate.high, estimate.se) == (4, None, None, None)
    assert estimate.note == ALL_ALIKE


def test_without_resamples_there_is_no_interval_and_no_note() -> None:
    (estimate,) = means([1, 2], [0, 0], [0, 1], 1, n_resamples=0)
    assert (estimate.value, estimate.low, estimate.note) == (1.5, None, None)


def test_nothing_rated() -> None:
    assert [estimate.note for estimate in means([NAN], [1], [0], 2)] == ["Nothing was rated."] * 2
    assert means([], [], [], 0) == []
    assert np.isnan(group_medians([], [], 2)).all()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"n_groups": 1}, "below 1"),
        ({"confidence": 95}, "confidence"),
        ({"n_resamples": -1}, "resamples"),
        ({"clusters": [0]}, "shape"),
        ({"groups": [0, -1]}, "at least 0"),
    ],
)
def test_wrong_input_is_refused(options: dict, said: str) -> None:
    settings = {"values": [1, 2], "groups": [0, 1], "clusters": [0, 1], "n_groups": 2} | options
    with pytest.raises(ValueError, match=said):
        means(**settings)


def test_a_group_beyond_the_last_is_refused_even_where_nothing_was_rated() -> None:
    for statistic in (
        lambda: means([1, NAN], [0, 5], [0, 0], 2),
        lambda: group_medians([1, NAN], [0, 5], 2),
    ):
        with pytest.raises(ValueError, match="below 2"):
            statistic()
