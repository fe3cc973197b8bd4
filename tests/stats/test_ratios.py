"""Ratios of sums: numpy by hand, and resampling written out."""

import numpy as np
import pytest

from analytics_app.stats.comparison.ratios import group_ratios
from analytics_app.stats.values import Estimate

NAN = float("nan")


def ratios(
    tops: object, bottoms: object, groups: object, clusters: object, n: int, **options: object
) -> list[Estimate]:
    said = {"n_resamples": 200, "confidence": 0.95, "rng": np.random.default_rng(1)} | options
    return group_ratios(tops, bottoms, groups, clusters, n_groups=n, **said)


def test_sums_over_sums_without_what_is_missing() -> None:
    a, b = ratios([1, 3, NAN, 5], [2, 4, 9, NAN], [0, 0, 0, 1], [0, 1, 2, 0], 2)
    assert a.value == pytest.approx(4 / 6)
    assert (a.n_ratings, a.n_items) == (2, 2)
    assert (b.value, b.note) == (None, "There is nothing to divide by.")


def test_an_interval_holds_what_resampling_clusters_gives() -> None:
    rng = np.random.default_rng(2)
    clusters = np.repeat(np.arange(30), 4)
    bottoms = rng.integers(1, 20, 120).astype(float)
    tops = bottoms * rng.gamma(2, 1, 30)[clusters]
    (found,) = ratios(tops, bottoms, np.zeros(120, dtype=int), clusters, 1, n_resamples=2000)
    again = []
    for _draw in range(2000):
        rows = np.concatenate([np.flatnonzero(clusters == one) for one in rng.integers(30, size=30)])
        again.append(tops[rows].sum() / bottoms[rows].sum())
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(again, [0.025, 0.975])), rel=0.04)


def test_one_cluster_nothing_and_zero_below() -> None:
    (one,) = ratios([1, 2], [2, 2], [0, 0], [7, 7], 1)
    assert (one.value, one.low, one.note) == (0.75, None, "An interval takes at least two items.")
    (none,) = ratios([], [], np.array([], dtype=int), np.array([], dtype=int), 1)
    assert none.value is None
    (zero,) = ratios([1.0, 0.0], [0.0, 0.0], [0, 0], [0, 1], 1)
    assert zero.note == "There is nothing to divide by."


def test_wrong_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match="numbers above"):
        ratios([1], [1, 2], [0], [0], 1)


def test_a_million_of_them() -> None:
    rng = np.random.default_rng(1)
    found = ratios(
        np.ones(1_000_000), np.full(1_000_000, 4.0), rng.integers(10, size=1_000_000),
        rng.integers(10_000, size=1_000_000), 10, n_resamples=0,
    )  # fmt: skip
    assert {one.value for one in found} == {0.25}
