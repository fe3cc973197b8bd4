"""Preferences of pairs: counts written out, scipy's binomial test, and a slow bootstrap."""

from collections.abc import Callable

import numpy as np
import pytest
import scipy.stats

from analytics_app.stats.comparison.win_rates import NEVER, ONLY_TIES, resampled_totals, sign_test, win_rates
from tests.work import assert_work_grows_with_data


def rates(first: object, second: object, outcome: object, items: object, **options: object) -> tuple:
    chosen = {"pairs": [(0, 1)], "n_resamples": 0, "confidence": 0.95, "rng": np.random.default_rng(1)} | options
    return win_rates(first, second, outcome, items, **chosen).pairs


@pytest.mark.parametrize(("won", "lost"), [(9, 1), (5, 5), (0, 3), (60, 40), (0, 0)])
def test_the_sign_test_is_the_binomial_one(won: int, lost: int) -> None:
    wanted = scipy.stats.binomtest(won, won + lost).pvalue if won + lost else 1.0
    assert sign_test(won, lost) == pytest.approx(wanted)


def test_counts_and_rates_whichever_stands_first() -> None:
    (one,) = rates([0, 1, 0, 1, 0], [1, 0, 1, 0, 1], [1, -1, 0, 1, 1], range(5))
    assert (one.wins, one.losses, one.ties) == (3, 1, 1)
    assert one.rate.value == 0.75
    assert one.rate_half.value == pytest.approx(0.7)
    assert (one.items_won, one.items_lost) == (3, 1)
    assert one.rate.p == pytest.approx(scipy.stats.binomtest(3, 4).pvalue)
    (turned,) = rates([0, 1, 0, 1, 0], [1, 0, 1, 0, 1], [1, -1, 0, 1, 1], range(5), pairs=[(1, 0)])
    assert (turned.wins, turned.rate_half.value) == (1, pytest.approx(0.3))


def test_the_sign_test_is_over_items() -> None:
    # Item 0 by three raters, two for the first; items 1 and 2 by one each; item 3 is even.
    (one,) = rates([0] * 7, [1] * 7, [1, 1, -1, 1, 1, 1, -1], [0, 0, 0, 1, 2, 3, 3])
    assert (one.items_won, one.items_lost, one.rate.n_items) == (3, 0, 4)
    assert one.rate.p == 0.25


def test_the_interval_is_a_bootstrap_over_items() -> None:
    draw = np.random.default_rng(3)
    items = np.repeat(np.arange(50), 4)
    outcome = np.sign(draw.normal(size=200) + draw.normal(size=50)[items] + 0.2).astype(int)
    outcome[draw.random(200) < 0.2] = 0
    (one,) = rates([0] * 200, [1] * 200, outcome, items, n_resamples=4000)
    slow = []
    for _resample in range(4000):
        drawn = draw.integers(50, size=50)
        picked = outcome.reshape(50, 4)[drawn].ravel()
        slow.append((np.sum(picked > 0) + np.sum(picked == 0) / 2) / picked.size)
    assert (one.rate_half.low, one.rate_half.high) == pytest.approx(np.quantile(slow, [0.025, 0.975]), abs=0.01)
    assert one.rate_half.se == pytest.approx(np.std(slow, ddof=1), rel=0.1)


def test_a_sparse_table_gives_the_same_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(4)
    places, cells, amounts = draw.integers(20, size=300), draw.integers(9, size=300), draw.random(300)
    whole = resampled_totals(places, cells, (20, 9), 30, np.random.default_rng(1), amounts)
    monkeypatch.setattr("analytics_app.stats.comparison.win_rates._CELLS", 1)
    assert resampled_totals(places, cells, (20, 9), 30, np.random.default_rng(1), amounts) == pytest.approx(whole)
    drawn = np.random.default_rng(1).integers(20, size=(30, 20))
    sums = np.zeros((20, 9))
    np.add.at(sums, (places, cells), amounts)
    assert whole == pytest.approx(sums[drawn].sum(axis=1), rel=1e-6)


def test_weak_and_undefined() -> None:
    assert rates([], [], [], [])[0].rate.note == NEVER
    (ties,) = rates([0, 0], [1, 1], [0, 0], [0, 1])
    assert (ties.rate.note, ties.rate.p, ties.rate_half.value) == (ONLY_TIES, 1.0, 0.5)
    (single,) = rates([0], [1], [1], [0], n_resamples=50)
    assert (single.rate.value, single.rate.low, single.rate.p) == (1.0, None, 1.0)
    assert single.rate.note.startswith("An interval takes")
    (few,) = rates([0] * 3, [1] * 3, [1, -1, 1], range(3), n_resamples=200)
    assert "rests on 3 items" in few.rate_half.note


def test_wrong_input() -> None:
    for first, outcome, options in (
        ([0, 0], [1], {}),
        ([0], [2], {}),
        ([-1], [1], {}),
        ([0], [1], {"pairs": [(0, 1), (1, 0)]}),
        ([0], [1], {"confidence": 2}),
    ):
        with pytest.raises(ValueError, match=r"[a-z]"):
            rates(first, [1] * len(first), outcome, [0] * len(first), **options)


def test_work_grows_with_the_comparisons_alone() -> None:
    pairs = [(a, b) for a in range(9) for b in range(a + 1, 9)]

    def prepare(n: int) -> Callable[[], object]:
        draw = np.random.default_rng(5)
        first = draw.integers(0, 9, n)
        second = (first + draw.integers(1, 9, n)) % 9
        outcome, clusters = draw.integers(-1, 2, n), draw.integers(0, n // 100, n)
        return lambda: win_rates(first, second, outcome, clusters, pairs, n_resamples=20, confidence=0.95, rng=draw)

    found = prepare(100_000)()
    assert found.resampled.shape == (20, 36, 3)
    assert sum(one.wins + one.losses + one.ties for one in found.pairs) == 100_000
    assert_work_grows_with_data(prepare, 10_000)
