"""TrueSkill by WMT's procedure: the update is that of the package trueskill, the procedure is written out slowly."""

import random
from collections.abc import Callable
from itertools import combinations
from math import ceil, exp

import numpy as np
import pytest
import trueskill

from analytics_app.stats.ranking import trueskill_wmt
from analytics_app.stats.ranking.pairs_within import pair_totals, pairs_within
from analytics_app.stats.ranking.trueskill_wmt import (
    APART,
    NEVER,
    Comparisons,
    clusters_of_ranges,
    ranked_together,
    wmt_trueskill,
)
from tests.work import assert_work_grows_with_data

NONE = np.zeros((2, 2))


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.mark.parametrize("drawn", [False, True])
@pytest.mark.parametrize("beta", [0.025, 0.5, 11.0])
@pytest.mark.parametrize("mu", [(0.0, 0.0), (0.4, -0.7), (-1.5, 2.0)])
def test_one_update_is_that_of_the_package(mu: tuple[float, float], beta: float, *, drawn: bool) -> None:
    env = trueskill.TrueSkill(mu=0.0, sigma=0.5, beta=beta, tau=0.0, draw_probability=0.25)
    ratings = [env.create_rating(value, sigma) for value, sigma in zip(mu, (0.5, 0.3), strict=True)]
    expected = trueskill.rate_1vs1(*ratings, drawn=drawn, env=env)
    means, variances = np.array([*mu, *mu]), np.array([0.25, 0.09] * 2)
    update = trueskill_wmt._Update(np.full(2, beta))
    update(means, variances, np.array([0, 2]), np.array([1, 3]), np.array([drawn] * 2))
    assert means[:2] == pytest.approx([value.mu for value in expected], abs=2e-6)
    assert np.sqrt(variances[2:]) == pytest.approx([value.sigma for value in expected], abs=2e-6)


def test_the_example_of_its_documentation() -> None:
    # reference_values.json, trueskill_default_1v1: trueskill.org (0.4.5), where tau is 1/12 and draws have 10 %.
    trueskill_wmt_draw = trueskill_wmt.DRAW
    try:
        trueskill_wmt.DRAW = 0.1
        update = trueskill_wmt._Update(np.array([25 / 6]))
    finally:
        trueskill_wmt.DRAW = trueskill_wmt_draw
    start = (25 / 3) ** 2 + (25 / 300) ** 2
    for drawn, wanted in ((False, (29.396, 7.171, 20.604, 7.171)), (True, (25, 6.458, 25, 6.458))):
        mu, variance = np.full(2, 25.0), np.full(2, start)
        update(mu, variance, np.array([0]), np.array([1]), np.array([drawn]))
        sigma = np.sqrt(variance)
        assert (mu[0], sigma[0], mu[1], sigma[1]) == pytest.approx(wanted, abs=0.001)


def slowly(wins: np.ndarray, ties: np.ndarray, n_runs: int, seed: int) -> np.ndarray:
    """WMT's procedure with the package, comparison by comparison; returns mu, shape (n_runs, n)."""
    luck, n = random.Random(seed), len(wins)
    games = {
        (a, b): [1] * int(wins[a, b]) + [-1] * int(wins[b, a]) + [0] * int(ties[a, b])
        for a, b in combinations(range(n), 2)
    }
    steps = sum(map(len, games.values())) + 1
    env = trueskill.TrueSkill(mu=0.0, sigma=0.5, beta=0.5 * steps / 40, tau=0.0, draw_probability=0.25)
    found = np.empty((n_runs, n))
    for run in range(n_runs):
        ratings = [env.create_rating() for _system in range(n)]
        for _step in range(steps):
            order = luck.sample(range(n), n)
            a = max(order, key=lambda k: ratings[k].sigma)
            others = [k for k in range(n) if k != a and games[min(a, k), max(a, k)]]
            b = luck.choices(others, [exp(-abs(ratings[a].mu - ratings[k].mu)) for k in others])[0]
            low, high = min(a, b), max(a, b)
            outcome = luck.choice(games[low, high])
            first, second = (low, high) if outcome >= 0 else (high, low)
            ratings[first], ratings[second] = trueskill.rate_1vs1(
                ratings[first], ratings[second], drawn=outcome == 0, env=env
            )
        found[run] = [one.mu for one in ratings]
    return found


def test_the_procedure_written_out_with_the_package() -> None:
    wins = np.array([[0, 12, 20], [8, 0, 15], [3, 6, 0]])
    ties = np.array([[0, 5, 2], [5, 0, 4], [2, 4, 0]])
    slow = slowly(wins, ties, 60, seed=1)
    fast = wmt_trueskill(wins, ties, n_runs=2000, rng=rng())
    assert (fast.n_comparisons, fast.n_steps) == (75, 76)
    error = slow.std(axis=0, ddof=1) / np.sqrt(len(slow))
    for k, skill in enumerate(fast.skills):
        assert skill.mu.value == pytest.approx(slow[:, k].mean(), abs=4 * error[k])
        assert skill.mu.se == pytest.approx(slow[:, k].std(ddof=1), rel=0.4)


def test_sets_of_comparisons_are_ranked_together_as_alone() -> None:
    # Sets differ in systems and steps, and one has systems that nothing links.
    tables = ([[0, 9], [4, 0]], [[0, 7, 2], [3, 0, 5], [1, 0, 0]], [[0, 2, 0], [1, 0, 0], [0, 0, 0]], np.zeros((2, 2)))
    ties = [np.zeros_like(table) for table in tables]
    ties[1] = np.array([[0, 1, 3], [1, 0, 0], [3, 0, 0]])
    alone = [wmt_trueskill(won, tied, rng=rng(n)) for n, (won, tied) in enumerate(zip(tables, ties, strict=True))]
    assert [ranked.n_steps for ranked in alone] == [14, 23, 4, 0]
    sets = [Comparisons(won, tied, rng(n)) for n, (won, tied) in enumerate(zip(tables, ties, strict=True))]
    assert ranked_together(sets) == alone


def test_rank_ranges_leave_out_the_outer_runs_rounded_up() -> None:
    mu = np.column_stack([np.where(np.arange(200) < 5, -1.0, 1.0), np.zeros(200), np.full(200, -2.0)])
    first, second, third = trueskill_wmt._skills(mu, 0.95)
    # 5 of 200 are left out on each side: with one more, the range is wider.
    assert (first.rank.low, first.rank.high, first.cluster) == (1, 1, 1)
    assert (second.rank.low, second.rank.high, second.cluster) == (2, 2, 2)
    assert (third.rank.value, third.cluster) == (3, 3)
    mu[5, 0] = -1.0
    first, second, third = trueskill_wmt._skills(mu, 0.95)
    assert (first.rank.high, second.rank.low, second.cluster, third.cluster) == (2, 1, 1, 2)


def test_clusters() -> None:
    assert clusters_of_ranges([1, 2, 3], [1, 2, 3]) == [1, 2, 3]
    assert clusters_of_ranges([1, 1, 2], [2, 3, 3]) == [1, 1, 1]
    # Only the range of the system just above the line counts, as in WMT's own program.
    assert clusters_of_ranges([1, 2, 3], [3, 2, 3]) == [1, 1, 2]
    assert clusters_of_ranges([], []) == []


def test_who_is_not_linked_is_not_placed() -> None:
    wins = np.zeros((6, 6))
    wins[0, 1] = wins[1, 2] = wins[2, 0] = wins[3, 4] = 5
    found = wmt_trueskill(wins, np.zeros((6, 6)), rng=rng())
    assert [one.mu.note for one in found.skills[3:]] == [APART, APART, NEVER]
    assert all(one.cluster for one in found.skills[:3])
    assert found.n_comparisons == 15


@pytest.mark.parametrize("n", [0, 1, 3])
def test_nothing_compared(n: int) -> None:
    found = wmt_trueskill(np.zeros((n, n)), np.zeros((n, n)), rng=rng())
    assert [one.mu.note for one in found.skills] == [NEVER] * n


def test_ties_everywhere_and_one_comparison() -> None:
    level = wmt_trueskill(np.zeros((3, 3)), 20 * (1 - np.eye(3)), rng=rng())
    assert [one.cluster for one in level.skills] == [1, 1, 1]
    assert [one.mu.value for one in level.skills] == pytest.approx([0, 0, 0], abs=0.01)
    single = wmt_trueskill([[0, 1], [0, 0]], NONE, rng=rng())
    assert single.n_steps == 2
    assert single.skills[0].mu.value > 0 > single.skills[1].mu.value


def test_a_cap_on_the_steps() -> None:
    found = wmt_trueskill([[0, 900], [300, 0]], NONE, most_steps=100, rng=rng())
    assert (found.n_comparisons, found.n_steps) == (1200, 100)


def test_wrong_input() -> None:
    for wins, ties, options in (
        ([[0, 1]], NONE, {}),
        (NONE, np.zeros((3, 3)), {}),
        (-np.ones((2, 2)), NONE, {}),
        (NONE, [[0, 1], [2, 0]], {}),
        (NONE, NONE, {"n_runs": 10}),
        (NONE, NONE, {"most_steps": 0}),
        (NONE, NONE, {"confidence": 1.0}),
        ([[0, np.nan], [0, 0]], NONE, {}),
    ):
        with pytest.raises(ValueError, match=r"[a-z]"):
            wmt_trueskill(wins, ties, rng=rng(), **options)


def test_pairs_within_are_all_pairs() -> None:
    groups = rng(2).integers(0, 6, 40)
    found = {frozenset((a, b)) for one, other in pairs_within(groups) for a, b in zip(one, other, strict=True)}
    assert found == {frozenset((a, b)) for a, b in combinations(range(40), 2) if groups[a] == groups[b]}
    assert sum(len(one) for one, _other in pairs_within(groups)) == len(found)


def test_work_grows_with_the_ratings_alone() -> None:
    def prepare(n: int) -> Callable[[], tuple[np.ndarray, np.ndarray]]:
        values, systems = rng(3).integers(1, 6, n).astype(float), np.tile(np.arange(5), n // 5)
        groups = np.repeat(np.arange(n // 5), 5)
        return lambda: pair_totals(values, groups, systems, 5)

    wins, ties = prepare(100_000)()
    assert wins.sum() + ties.sum() / 2 == 200_000
    assert ceil(wins[0, 1] + wins[1, 0] + ties[0, 1]) == 20_000
    assert_work_grows_with_data(prepare, 10_000)
