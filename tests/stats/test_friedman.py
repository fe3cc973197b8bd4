"""Ranks, Friedman's test and Kendall's W by item: scipy, R and Kendall's W of one table."""

from collections.abc import Callable

import numpy as np
import pytest
import scipy.stats

from analytics_app.stats.agreement.kendall import kendall_w
from analytics_app.stats.comparison.friedman import (
    ALL_TIED,
    FEW_ITEMS,
    FEW_SYSTEMS,
    NO_RATERS,
    concordance,
    friedman,
    mid_ranks,
)
from tests.work import assert_work_grows_with_data

NAN = float("nan")


def test_ranks_are_scipys_within_each_group() -> None:
    draw = np.random.default_rng(1)
    values, groups = draw.integers(1, 5, 60).astype(float), draw.integers(0, 12, 60) * 3
    values[draw.random(60) < 0.1] = NAN
    ranks = mid_ranks(values, groups)
    for group in np.unique(groups):
        here = (groups == group) & ~np.isnan(values)
        assert ranks[here].tolist() == scipy.stats.rankdata(values[here]).tolist()
    assert np.isnan(ranks[np.isnan(values)]).all()
    assert mid_ranks([], []).size == 0


def test_friedmans_statistic_is_scipys_and_kendalls() -> None:
    draw = np.random.default_rng(2)
    matrix = draw.integers(1, 4, (15, 4)).astype(float)
    found, wanted = friedman(matrix), scipy.stats.friedmanchisquare(*matrix.T)
    assert (found.value, found.p, found.df) == pytest.approx((wanted.statistic, wanted.pvalue, 3))
    w = kendall_w(matrix.T)
    assert found.value == pytest.approx(15 * 3 * w.value)
    matrix[3, 2] = NAN
    assert friedman(matrix).n_items == 14


def test_what_friedman_cannot_say() -> None:
    assert friedman(np.ones((5, 2))).note == FEW_SYSTEMS
    assert friedman(np.ones((1, 3))).note == FEW_ITEMS
    assert friedman(np.full((4, 3), NAN)).note == FEW_ITEMS
    assert friedman(np.ones((4, 3))).note == ALL_TIED
    with pytest.raises(ValueError, match="two dimensions"):
        friedman([1, 2])


def of_items(table: np.ndarray, **options: object) -> object:
    """Return W of one item by raters, `table` being texts by raters."""
    n, m = table.shape
    groups, systems = np.tile(np.arange(m), n), np.repeat(np.arange(n), m)
    ranks = mid_ranks(table.ravel(), groups)
    chosen = {"n_resamples": 0, "confidence": 0.95, "rng": np.random.default_rng(1)} | options
    return concordance(ranks, groups, systems, np.zeros(n * m, dtype=int), **chosen)


def test_w_of_one_item_is_kendalls() -> None:
    # reference_values.json, kendall_w_anxiety: R irr::kendall(correct=TRUE).
    anxiety = np.array([
        [3, 3, 2], [3, 6, 1], [3, 4, 4], [4, 6, 4], [5, 2, 3], [5, 4, 2], [2, 2, 1], [3, 4, 6], [5, 3, 1], [2, 3, 1],
        [2, 2, 1], [6, 3, 2], [1, 3, 3], [5, 3, 3], [2, 2, 1], [2, 2, 1], [1, 1, 3], [2, 3, 3], [4, 3, 2], [3, 4, 2],
    ])  # fmt: skip
    assert of_items(anxiety).value == pytest.approx(0.539656876, abs=1e-8)
    assert of_items(anxiety).n_ratings == 3


def test_the_mean_over_items_leaves_out_what_has_none() -> None:
    draw = np.random.default_rng(3)
    ranks, groups, systems, items, wanted = [], [], [], [], []
    for item in range(30):
        m, k = int(draw.integers(1, 5)), int(draw.integers(2, 6))
        table = draw.integers(1, k + 1, (k, m)).astype(float)
        one = kendall_w(table)
        if one.value is not None:
            wanted.append(one.value)
        for rater in range(m):
            ranks += scipy.stats.rankdata(table[:, rater]).tolist()
            groups += [item * 10 + rater] * k
            systems += list(range(k))
            items += [item] * k
    found = concordance(ranks, groups, systems, items, n_resamples=300, confidence=0.95, rng=draw)
    assert found.value == pytest.approx(np.mean(wanted))
    assert found.n_items == len(wanted) < 30
    assert found.low < found.value < found.high


def test_incomplete_and_single_rankings_have_no_w() -> None:
    options = {"n_resamples": 10, "confidence": 0.95, "rng": np.random.default_rng(1)}
    # The second rater ranked other texts of the item.
    assert concordance([1, 2, 1, 2], [0, 0, 1, 1], [0, 1, 1, 2], [0] * 4, **options).note == NO_RATERS
    assert concordance([1, 2], [0, 0], [0, 1], [0, 0], **options).note == NO_RATERS
    assert concordance([], [], [], [], **options).note == NO_RATERS
    assert concordance([1.5, 1.5, 1.5, 1.5], [0, 0, 1, 1], [0, 1, 0, 1], [0] * 4, **options).note == NO_RATERS


def test_work_grows_with_the_places_alone() -> None:
    def prepare(n: int) -> Callable[[], object]:
        draw = np.random.default_rng(4)
        ranks = (np.argsort(draw.random((n, 5)), axis=1) + 1.0).ravel()
        groups, texts = np.repeat(np.arange(n), 5), np.tile(np.arange(5), n)
        about = {"n_resamples": 20, "confidence": 0.95, "rng": draw}
        return lambda: concordance(mid_ranks(ranks, groups), groups, texts, groups // 20, **about)

    assert prepare(20_000)().value == pytest.approx(1 / 20, abs=0.005)
    assert_work_grows_with_data(prepare, 2000)
