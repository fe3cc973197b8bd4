"""Statistics of which all resamples are equal: no interval of width zero, but an exact one or none with the reason."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest
from statsmodels.stats.proportion import proportion_confint

from analytics_app.stats.agreement.gwet import NO_SPREAD, gwet_ac
from analytics_app.stats.agreement.percent import percent_agreement
from analytics_app.stats.agreement.prediction import prediction_errors
from analytics_app.stats.comparison.change import mean_with_limits
from analytics_app.stats.comparison.means import group_means
from analytics_app.stats.comparison.ratios import group_ratios
from analytics_app.stats.comparison.win_rates import win_rates
from analytics_app.stats.ranking.best_worst import best_worst
from analytics_app.stats.resampling.alike import DEPENDENT, EXACT
from analytics_app.stats.resampling.bootstrap import ALL_ALIKE, Adjusted
from analytics_app.stats.values import Estimate


def drawing(n_resamples: int = 100) -> dict[str, Any]:
    return {"n_resamples": n_resamples, "confidence": Adjusted(0.95), "rng": np.random.default_rng(3)}


def wins(outcomes: list[int], items: list[int]) -> tuple[Estimate, Estimate]:
    n = len(outcomes)
    (pair,) = win_rates([0] * n, [1] * n, outcomes, items, [(0, 1)], **drawing()).pairs
    return pair.rate, pair.rate_half


@pytest.mark.parametrize("n", [12, 3, 40])
@pytest.mark.parametrize("sign", [1, -1])
def test_wins_of_all_items_have_clopper_and_pearsons_limits(n: int, sign: int) -> None:
    expected = binomtest(n if sign > 0 else 0, n).proportion_ci(0.95, method="exact")
    assert expected == pytest.approx(proportion_confint(n if sign > 0 else 0, n, method="beta"))
    for found in wins([sign] * n, list(range(n))):
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
        assert (found.value, found.exact, found.note) == (float(sign > 0), True, EXACT)


def test_twelve_wins_of_twelve_are_73_to_100_per_cent() -> None:
    rate, _half = wins([1] * 12, list(range(12)))
    assert (round(100 * float(rate.low or 0), 1), rate.high) == (73.5, 1.0)


def test_wins_beside_ties_count_the_items_with_a_winner() -> None:
    rate, half = wins([1] * 12 + [0] * 8, list(range(20)))
    assert rate.low == pytest.approx(binomtest(12, 12).proportion_ci(0.95, method="exact").low)
    assert half.low is not None
    assert half.low < half.value < half.high
    assert not half.exact


def test_several_judgments_of_an_item_have_no_interval_with_the_reason() -> None:
    for found in wins([1] * 24, [*range(12)] * 2):
        assert (found.value, found.low, found.high, found.se, found.note) == (1, None, None, None, DEPENDENT)


def test_ties_throughout_have_no_interval() -> None:
    rate, half = wins([0] * 24, list(range(24)))
    assert rate.value is None
    assert (half.value, half.low, half.note) == (0.5, None, ALL_ALIKE)


def test_shares_are_exact_and_means_have_none() -> None:
    ratings, groups, items = np.ones(12), np.zeros(12, dtype=int), np.arange(12)
    (mean,) = group_means(ratings, groups, items, n_groups=1, **drawing())
    (share,) = group_means(ratings, groups, items, n_groups=1, shares=True, **drawing())
    (ratio,) = group_ratios(ratings, ratings, groups, items, n_groups=1, shares=True, **drawing())
    assert (mean.value, mean.low, mean.se, mean.note) == (1, None, None, ALL_ALIKE)
    low = binomtest(12, 12).proportion_ci(0.95, method="exact").low
    assert [share.low, ratio.low] == pytest.approx([low, low])
    (by_rater,) = group_means(ratings, groups, items // 3, n_groups=1, shares=True, **drawing())
    assert (by_rater.low, by_rater.note) == (None, DEPENDENT)


@pytest.mark.parametrize("n_raters", [2, 3])
def test_raters_who_agree_on_every_text(n_raters: int) -> None:
    values, texts = np.repeat(np.arange(12) % 3, n_raters), np.repeat(np.arange(12), n_raters)
    found = percent_agreement(values, texts, **drawing())
    if n_raters == 2:
        assert found.low == pytest.approx(binomtest(12, 12).proportion_ci(0.95, method="exact").low)
    else:
        assert (found.value, found.low, found.note) == (1, None, DEPENDENT)


def test_errors_of_prediction_that_are_all_nought() -> None:
    columns = np.repeat(np.arange(12) % 3, 2), np.repeat(np.arange(12), 2), np.tile([0, 1], 12)
    together, *_raters = prediction_errors(*columns, columns[1], **drawing())
    for found in (together.absolute, together.square):
        assert (found.value, found.low, found.high, found.note) == (0, None, None, ALL_ALIKE)


def test_standard_errors_of_nought_give_no_interval() -> None:
    coefficient = gwet_ac(np.repeat([1.0, 2.0], 10), np.repeat(np.arange(10), 2), weights="identity")
    assert (coefficient.value, coefficient.low, coefficient.note) == (1, None, NO_SPREAD)
    mean = mean_with_limits([3.0] * 12)
    assert (mean.value, mean.low, mean.note) == (3, None, "All 12 values are the same: no interval.")


def test_ranks_keep_the_one_that_all_resamples_have() -> None:
    # System 0 is chosen as best of three more often than others on every item, though not always.
    choice = np.tile([1, 1, 1, 0, 0, 0, 0, -1, -1, -1, -1, -1], 10) * np.where(np.arange(120) % 24 == 0, 0, 1)
    systems, items = np.tile(np.repeat([0, 1, 2], 4), 10), np.repeat(np.arange(10), 12)
    found = best_worst(systems, choice, items, n_systems=3, **drawing())
    assert (found[0].rank.low, found[0].rank.high) == (1, 1)
    assert found[0].score.low < found[0].score.high
