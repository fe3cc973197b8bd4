"""Two-way robust comparisons and shares of wins: a formula by hand, statsmodels, properties, degenerate ratings."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binomtest
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.sandwich_covariance import cov_cluster_2groups

from analytics_app.stats.mixed.crossed import compare_crossed
from analytics_app.stats.mixed.preferences import preference_shares
from analytics_app.stats.mixed.results import CrossedComparison
from analytics_app.stats.mixed.robust import compare_crossed_robust
from analytics_app.stats.values import Estimate
from tests.stats import crossed_sets
from tests.stats.crossed_sets import Ratings


def robust(given: Ratings, pairs: list[tuple[int, int]]) -> CrossedComparison:
    n = int(given.systems.max()) + 1
    return compare_crossed_robust(
        given.values, given.systems, given.items, given.raters,
        n_systems=n, pairs=pairs, confidence=0.95, clusters=given.documents,
    )  # fmt: skip


def sparse(seed: int, n: int = 1500) -> Ratings:
    """Return ratings that each are of another item, rater and system, with effects of items and raters."""
    rng = np.random.default_rng(seed)
    system, item, rater = rng.integers(0, 2, n), rng.integers(0, 60, n), rng.integers(0, 40, n)
    by_item, by_rater = rng.normal(size=(60, 2)), rng.normal(size=(40, 2))
    return Ratings(by_item[item, system] + by_rater[rater, system] + rng.normal(size=n), system, item, rater)


def test_the_mean_is_that_of_statsmodels_with_two_way_clusters() -> None:
    given = sparse(1)
    first = given.only(given.systems == 0)
    found = robust(first, []).means[0]
    fit = OLS(first.values, np.ones(first.values.size)).fit()
    expected = cov_cluster_2groups(fit, first.items, first.raters, use_correction=False)[0][0, 0] ** 0.5
    assert found.value == pytest.approx(first.values.mean())
    # Without its correction for the number of groups, which is 1 / (1 - 1 / 40) or less.
    assert expected < (found.se or 0) < expected * 1.02
    assert 30 < (found.df or 0) < 39


def test_complete_ratings_by_hand() -> None:
    table = np.array(
        [[[4, 2], [3, 3], [5, 1], [2, 2]], [[5, 1], [3, 2], [4, 3], [1, 2]], [[5, 3], [2, 2], [5, 4], [4, 1]]]
    )
    rater, item, system = np.indices(table.shape)
    given = Ratings(table.ravel().astype(float), system.ravel(), item.ravel(), rater.ravel())
    found = robust(given, [(0, 1)]).pairs[0].difference
    differences = table[:, :, 0] - table[:, :, 1]
    by_item = differences.mean(axis=0).var(ddof=1) / 4
    by_rater = differences.mean(axis=1).var(ddof=1) / 3
    by_both = differences.var(ddof=1) / 12
    variance = max(by_item + by_rater - by_both, by_item, by_rater)
    assert found.value == pytest.approx(differences.mean())
    assert found.se == pytest.approx(variance**0.5)
    assert found.df == pytest.approx(2)
    assert (found.n_items, found.n_raters, found.n_ratings) == (4, 3, 24)


def test_it_agrees_with_the_mixed_model_on_many_ratings() -> None:
    given = sparse(5, 6000)
    one = robust(given, [(0, 1)]).pairs[0].difference
    other = compare_crossed(
        given.values, given.systems, given.items, given.raters, n_systems=2, pairs=[(0, 1)], confidence=0.95
    )
    assert other.method == "mixed model"
    assert one.value == pytest.approx(other.pairs[0].difference.value, abs=0.1)
    assert one.se == pytest.approx(other.pairs[0].difference.se, rel=0.1)


def test_names_units_and_origin_do_not_matter() -> None:
    given = sparse(3)
    rng = np.random.default_rng(3)
    moved = replace(
        given,
        values=50 - 3 * given.values,
        items=2 * rng.permutation(60)[given.items],
        raters=rng.permutation(40)[given.raters],
    ).only(rng.permutation(given.values.size))
    one, two = robust(given, [(0, 1)]).pairs[0].difference, robust(moved, [(1, 0)]).pairs[0].difference
    assert one.value is not None
    assert one.se is not None
    assert (two.value, two.se, two.df, two.p) == pytest.approx((3 * one.value, 3 * one.se, one.df, one.p))


def test_documents_take_the_place_of_items() -> None:
    given = crossed_sets.documents()
    by_documents = robust(given, [(0, 1)]).pairs[0].difference
    by_items = robust(replace(given, documents=None), [(0, 1)]).pairs[0].difference
    assert by_documents.value == pytest.approx(by_items.value)
    # Of 5 raters and 12 items the raters are fewer; of 5 raters and 4 documents of three items the documents.
    assert by_items.df == pytest.approx(3.97, abs=0.01)
    assert by_documents.df == pytest.approx(3)


def test_ratings_that_are_too_few_or_the_same() -> None:
    given = crossed_sets.three_systems()
    one_rater = robust(given.only(given.raters == 1), [(0, 1)])
    assert one_rater.pairs[0].difference.se is None
    assert one_rater.pairs[0].difference.note == one_rater.means[0].note
    assert one_rater.means[0].note == "An interval takes at least two items, or documents, and two raters."
    same = robust(replace(given, values=given.systems * 1.0), [(0, 1)]).pairs[0].difference
    assert same.value == pytest.approx(-1)
    assert (same.p, same.note) == (None, "The standard error is 0, so there is no interval.")
    nothing = compare_crossed_robust([], [], [], [], n_systems=2, pairs=[(0, 1)], confidence=0.95)
    assert nothing.note == nothing.means[0].note == nothing.pairs[0].difference.note == "Nothing was rated."


def test_systems_without_a_common_item_are_compared_by_their_means() -> None:
    found = robust(crossed_sets.one_system_each(), [(0, 1)])
    apart = robust(
        replace(crossed_sets.one_system_each(), items=crossed_sets.one_system_each().items * 2
                + crossed_sets.one_system_each().systems), [(0, 1)]
    )  # fmt: skip
    means = [mean.value or 0 for mean in apart.means]
    assert apart.pairs[0].difference.value == pytest.approx(means[0] - means[1])
    assert (found.pairs[0].difference.n_items, apart.pairs[0].difference.n_items) == (12, 0)


def test_the_share_of_wins_has_the_mean_of_a_balanced_design_and_its_analysis_of_variance() -> None:
    rng = np.random.default_rng(8)
    rater, item = np.indices((5, 20))
    latent = 0.4 + 0.8 * rng.normal(size=(5, 1)) + 0.6 * rng.normal(size=(1, 20)) + 0.7 * rng.normal(size=(5, 20))
    wins = 0.5 * (latent > -0.3) + 0.5 * (latent > 0.3)
    turned = rng.integers(0, 2, wins.shape).astype(bool)
    one, two = preference_shares(
        np.where(turned, 1 - wins, wins).ravel(), turned.ravel() * 1, 1 - turned.ravel(), item.ravel(), rater.ravel(),
        pairs=[(0, 1), (1, 0)], confidence=0.95,
    )  # fmt: skip
    rest = wins - wins.mean(axis=1, keepdims=True) - wins.mean(axis=0) + wins.mean()
    squares = np.array([
        20 * wins.mean(axis=1).var(ddof=1), 5 * wins.mean(axis=0).var(ddof=1), -(rest**2).sum() / 76
    ])  # fmt: skip
    assert one.difference.value == pytest.approx(wins.mean())
    assert one.difference.se == pytest.approx((squares.sum() / 100) ** 0.5, rel=1e-4)
    assert one.difference.df == pytest.approx(squares.sum() ** 2 / (squares**2 / [4, 19, 76]).sum(), rel=1e-3)
    assert two.difference.value == pytest.approx(1 - wins.mean())
    assert two.difference.p == pytest.approx(one.difference.p)
    assert one.difference.low is not None
    assert two.difference.high == pytest.approx(1 - one.difference.low)


def test_shares_stay_between_0_and_1_and_pairs_without_judgments_have_none() -> None:
    found = preference_shares(
        [1, 1, 0.5, 1, 1, 1, float("nan")], [0] * 7, [1] * 7, [0, 1, 2] * 2 + [0], [0] * 3 + [1] * 3 + [5],
        pairs=[(0, 1), (0, 2)], confidence=0.95,
    )  # fmt: skip
    assert found[0].difference.value == pytest.approx(5.5 / 6)
    assert found[0].difference.high == 1
    assert found[0].difference.n_ratings == 6
    assert found[1].difference.note == "Nothing was rated."
    with pytest.raises(ValueError, match="between 0 and 1"):
        preference_shares([2], [0], [1], [0], [0], pairs=[(0, 1)], confidence=0.95)


def test_unanimous_judgments_have_the_exact_test_of_those_that_share_neither_rater_nor_item() -> None:
    def all_for_one(
        items: list[int], raters: list[int], documents: list[int] | None = None, worth: float = 1.0
    ) -> Estimate:
        n = len(items)
        (found,) = preference_shares(
            [worth] * n, [0] * n, [1] * n, items, raters, pairs=[(0, 1)], confidence=0.95, clusters=documents
        )
        return found.difference

    rater, item = (codes.ravel().tolist() for codes in np.indices((6, 40)))
    crossed = all_for_one(item, rater)
    exact = binomtest(6, 6, 0.5)
    assert (crossed.value, crossed.high) == (1, 1)
    assert crossed.p == pytest.approx(exact.pvalue)
    assert crossed.low == pytest.approx(exact.proportion_ci(method="exact").low)
    assert "no rater and no text in common: 6." in str(crossed.note)
    lost = all_for_one(item, rater, worth=0.0)
    assert (lost.value, lost.low) == (0, 0)
    assert lost.high == pytest.approx(1 - (crossed.low or 0))
    # Rater 0 judged three items, of which the others judged one: two judgments have nothing in common.
    assert all_for_one([0, 1, 2, 0, 0], [0, 0, 0, 1, 2]).p == pytest.approx(0.5)
    assert all_for_one(item, rater, [one % 2 for one in item]).p == pytest.approx(0.5)
    ties = all_for_one(item, rater, worth=0.5)
    assert (ties.value, ties.p, ties.low) == (0.5, 1, None)


def test_unanimous_judgments_of_raters_who_all_prefer_one_system_are_as_rare_as_p_says() -> None:
    """Each of three raters always prefers the same system, and any of the two alike: all agree once in four times."""
    leanings = [[(code >> rater) & 1 for rater in range(3)] for code in range(8)]
    p = []
    for leaning in leanings:
        wins = np.repeat(np.array(leaning, dtype=float), 20)
        (found,) = preference_shares(
            wins, [0] * 60, [1] * 60, np.tile(np.arange(20), 3), np.repeat(np.arange(3), 20), pairs=[(0, 1)],
            confidence=0.95,
        )  # fmt: skip
        p.append(found.difference.p or 0.0)
    assert sum(one <= 0.25 for one in p) / len(p) <= 0.25
