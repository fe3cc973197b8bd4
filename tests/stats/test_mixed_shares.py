"""Shares with raters and items random: limits, unanimous answers, and what is refused."""

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.stats import binom

from analytics_app.stats.errors.effects_crossed import effects_for_further_raters
from analytics_app.stats.mixed.crossed import compare_crossed
from analytics_app.stats.mixed.independent import most_independent
from analytics_app.stats.mixed.shares import compare_shares, share_above

GRID = [column.ravel() for column in np.meshgrid(np.arange(2), np.arange(8), np.arange(5), indexing="ij")]
SYSTEM, ITEM, RATER = GRID


def test_limits_of_shares_are_shares_and_the_rest_is_that_of_the_model() -> None:
    values = ((ITEM + RATER + 2 * SYSTEM) % 9 < 8).astype(float)
    plain = compare_crossed(values, SYSTEM, ITEM, RATER, n_systems=2, pairs=[(0, 1)], confidence=0.95)
    cut = compare_shares(values, SYSTEM, ITEM, RATER, n_systems=2, pairs=[(0, 1)], confidence=0.95)
    assert plain.means[0].high is not None
    assert plain.means[0].high > 1
    assert cut.means[0].high == 1
    assert (cut.means[0].low, cut.means[0].se) == (plain.means[0].low, plain.means[0].se)
    assert cut.pairs[0].difference.p == plain.pairs[0].difference.p
    assert cut.pairs[0].difference.low == max(plain.pairs[0].difference.low or 0.0, -1.0)


def test_systems_with_unlike_unanimous_answers_have_an_exact_test() -> None:
    (pair,) = compare_shares(1.0 - SYSTEM, SYSTEM, ITEM, RATER, n_systems=2, pairs=[(0, 1)], confidence=0.95).pairs
    # Five raters, eight items: five answers share neither.
    assert (pair.difference.value, pair.difference.p, pair.difference.high) == (1.0, 2.0**-4, 1.0)
    assert pair.difference.low == pytest.approx(2 * 0.025 ** (1 / 5) - 1)
    (turned,) = compare_shares(1.0 - SYSTEM, SYSTEM, ITEM, RATER, n_systems=2, pairs=[(1, 0)], confidence=0.95).pairs
    assert turned.difference.low == -1.0
    assert turned.difference.high == pytest.approx(1 - 2 * 0.025 ** (1 / 5))
    # With documents as the unit two answers are independent at most, and raters of one system each tell nothing.
    (few,) = compare_shares(
        1.0 - SYSTEM, SYSTEM, ITEM, RATER, n_systems=2, pairs=[(0, 1)], confidence=0.95, clusters=ITEM // 4
    ).pairs
    assert few.difference.p == 0.5
    (apart,) = compare_shares(
        1.0 - SYSTEM, SYSTEM, ITEM, RATER + 5 * SYSTEM, n_systems=2, pairs=[(0, 1)], confidence=0.95
    ).pairs
    assert (apart.difference.p, apart.difference.low) == (None, None)


def test_a_share_against_chance_is_exact_where_all_answers_are_right() -> None:
    one = SYSTEM == 0
    above, _model = share_above(np.ones(40), np.full(40, 0.25), ITEM[one], RATER[one], confidence=0.95)
    assert (above.value, above.high) == (0.75, 0.75)
    assert above.p == pytest.approx(2 * binom.sf(4, 5, 0.25))
    assert above.low == pytest.approx(0.025 ** (1 / 5) - 0.25)
    wrong, _model = share_above(np.zeros(40), np.full(40, 0.25), ITEM[one], RATER[one], confidence=0.95)
    assert wrong.p == pytest.approx(2 * 0.75**5)
    assert wrong.high == pytest.approx(1 - 0.025 ** (1 / 5) - 0.25)


def test_what_is_no_share_is_refused_and_nothing_is_nothing() -> None:
    with pytest.raises(ValueError, match=r"A share is between 0 and 1\."):
        compare_shares([2.0], [0], [0], [0], n_systems=1, pairs=[], confidence=0.95)
    assert most_independent(np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp)) == 0


def test_effects_of_errors_have_the_two_way_covariance_of_statsmodels() -> None:
    draw = np.random.default_rng(4)
    counts = draw.poisson(1.0, (60, 2)).astype(float)
    text, rater = np.tile(np.arange(60), 6), np.repeat(np.arange(6), 60)
    item = np.arange(60) // 3
    own = np.array((-0.4, -0.2)) + draw.normal(0, 0.3, (6, 2))
    ratings = (own[rater] * counts[text]).sum(axis=1) + draw.normal(0, 1, 360)
    fit = effects_for_further_raters(ratings, text, rater, item, counts, ["a", "b"], confidence=0.95)
    # Where every rater judges every text, the coefficients are those of single ratings too.
    model = sm.OLS(ratings, sm.add_constant(counts[text]))
    oracle = [
        model.fit(cov_type="cluster", cov_kwds={"groups": groups, "use_correction": False}).cov_params()[1, 1]
        for groups in (item[text], rater, item[text] * 6 + rater)
    ]
    by_item, by_rater, by_both = oracle[0] * 20 / 19, oracle[1] * 6 / 5, oracle[2] * 120 / 119
    variance = max(by_item + by_rater - by_both, by_item, by_rater)
    assert fit.effects[0].value == pytest.approx(model.fit().params[1])
    assert fit.effects[0].se == pytest.approx(np.sqrt(variance))
    assert (fit.effects[0].df, fit.effects[0].n_raters) == (5, 6)
    few = rater < 3
    none = effects_for_further_raters(ratings[few], text[few], rater[few], item, counts, ["a", "b"], confidence=0.95)
    assert none.effects[0].low is None
    assert none.effects[0].note == "No interval for further raters: it takes at least 4, and here are 3."
