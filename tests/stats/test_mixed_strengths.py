"""Bradley-Terry strengths with two-way clusters: statsmodels, the share of two systems by hand, degenerate cases."""

import numpy as np
import pytest
from numpy.typing import NDArray
from statsmodels.genmod.families import Binomial
from statsmodels.genmod.generalized_linear_model import GLM
from statsmodels.stats.sandwich_covariance import cov_cluster_2groups

from analytics_app.stats.mixed.robust import compare_crossed_robust
from analytics_app.stats.mixed.strengths import TOO_FEW, crossed_strengths
from analytics_app.stats.ranking.bradley_terry import bradley_terry
from analytics_app.stats.values import Estimate

Columns = tuple[NDArray[np.float64], NDArray[np.intp], NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]


def judged(seed: int, n: int = 2000, *, systems: int = 4, items: int = 60, raters: int = 40) -> Columns:
    """Return judgments by raters who differ in which system they prefer, a tenth of them ties."""
    rng = np.random.default_rng(seed)
    first = rng.integers(0, systems, n)
    second = (first + rng.integers(1, systems, n)) % systems
    item, rater = rng.integers(0, items, n), rng.integers(0, raters, n)
    worth = np.linspace(0, 1, systems) + 0.7 * rng.normal(size=(raters, systems))
    of_item = 0.5 * rng.normal(size=(items, systems))
    gap = (worth[rater, first] + of_item[item, first]) - (worth[rater, second] + of_item[item, second])
    wins = (rng.random(n) < 1 / (1 + np.exp(-gap))).astype(float)
    wins[rng.random(n) < 0.1] = 0.5
    return wins, first, second, item, rater


def strengths(given: Columns, n_systems: int, documents: NDArray[np.intp] | None = None) -> tuple[Estimate, ...]:
    return crossed_strengths(*given, n_systems=n_systems, confidence=0.95, clusters=documents)


def test_values_and_standard_errors_are_those_of_a_logit_with_two_way_clusters() -> None:
    given = judged(1)
    wins, first, second, item, rater = given
    found = strengths(given, 4)
    x = np.zeros((wins.size, 4))
    np.add.at(x, (np.arange(wins.size), first), 1.0)
    np.add.at(x, (np.arange(wins.size), second), -1.0)
    fit = GLM(wins, x[:, 1:], family=Binomial()).fit()
    # Strengths relative to the first system, turned into strengths with mean 0.
    turn = np.vstack([np.zeros(3), np.eye(3)]) - 0.25
    covariance = turn @ cov_cluster_2groups(fit, item, rater, use_correction=False)[0] @ turn.T
    assert [one.value for one in found] == pytest.approx((turn @ fit.params).tolist(), abs=1e-6)
    for one, variance in zip(found, np.diag(covariance), strict=True):
        # Ours are corrected for the number of raters and items.
        assert variance**0.5 < (one.se or 0) < 1.04 * variance**0.5
        assert 25 < (one.df or 0) < 39


def test_two_systems_have_the_spread_of_their_share_of_wins() -> None:
    given = judged(2, 300, systems=2, items=20, raters=6)
    wins, first, _second, item, rater = given
    share = compare_crossed_robust(
        np.where(first == 0, wins, 1 - wins), np.zeros_like(first), item, rater, n_systems=1, pairs=[], confidence=0.95
    ).means[0]
    first_strength, second_strength = strengths(given, 2)
    # A strength is half the log odds of the share.
    assert share.value is not None
    assert share.se is not None
    assert first_strength.value == pytest.approx(np.log(share.value / (1 - share.value)) / 2)
    assert first_strength.se == pytest.approx(share.se / (share.value * (1 - share.value)) / 2)
    assert first_strength.df == pytest.approx(share.df)
    assert first_strength.p is None
    assert second_strength.value == pytest.approx(-(first_strength.value or 0))
    assert (second_strength.low, second_strength.high) == pytest.approx(
        (-(first_strength.high or 0), -(first_strength.low or 0))
    )


def test_raters_who_differ_widen_the_interval() -> None:
    given = judged(3, 3000, systems=3, raters=8)
    independent = bradley_terry(
        [(a, b) for a in range(3) for b in range(3) if a != b],
        [
            [((given[1] == a) & (given[2] == b) & (given[0] == won)).sum() for won in (1, 0, 0.5)]
            for a in range(3)
            for b in range(3)
            if a != b
        ],
        3,
    )
    for one, other in zip(strengths(given, 3), independent.strengths, strict=True):
        assert one.value == pytest.approx(other.value, abs=1e-6)
        assert (one.se or 0) > 2 * (other.se or 0)


def test_names_order_and_sides_do_not_matter() -> None:
    given = judged(4, 500)
    wins, first, second, item, rater = given
    rng = np.random.default_rng(5)
    order, sides = rng.permutation(500), rng.random(500) < 0.5
    turned = (
        np.where(sides, 1 - wins, wins)[order],
        np.where(sides, second, first)[order],
        np.where(sides, first, second)[order],
        3 * rng.permutation(60)[item][order],
        rng.permutation(40)[rater][order],
    )
    for one, other in zip(strengths(given, 4), strengths(turned, 4), strict=True):
        assert (one.value, one.se, one.df) == pytest.approx((other.value, other.se, other.df))
        assert (one.n_ratings, one.n_items, one.n_raters) == (other.n_ratings, other.n_items, other.n_raters)


def test_documents_take_the_place_of_items_and_too_few_have_no_interval() -> None:
    given = judged(6, 200, raters=10, items=12)
    two, one = (strengths(given, 4, given[3] % n)[0] for n in (2, 1))
    assert two.df == pytest.approx(1, abs=0.1)
    assert (one.value, one.se, one.low, one.note) == (two.value, None, None, TOO_FEW)
    nobody = crossed_strengths([], [], [], [], [], n_systems=2, confidence=0.95)
    assert [(row.value, row.n_ratings) for row in nobody] == [(None, 0), (None, 0)]
    with pytest.raises(ValueError, match=r"0, 0\.5 or 1"):
        crossed_strengths([0.3], [0], [1], [0], [0], n_systems=2, confidence=0.95)


def test_systems_that_wins_do_not_place_have_no_value_and_do_not_count() -> None:
    given = judged(7, 400, systems=3)
    above = tuple(np.concatenate([column, [value] * 3]) for column, value in zip(given, (1.0, 3, 0, 1, 2), strict=True))
    found = crossed_strengths(*above, n_systems=4, confidence=0.95)
    assert found[3].value is None
    assert found[3].note == "It never lost to a system that is placed, so its strength has no upper limit."
    assert [one.se for one in found[:3]] == pytest.approx([one.se for one in strengths(given, 3)])
