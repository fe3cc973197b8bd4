"""Strengths from pairs and from rankings: R's numbers, choix, and statsmodels' GLM."""

from collections.abc import Callable
from itertools import combinations

import choix
import numpy as np
import pytest
import statsmodels.api as sm

from analytics_app.stats.ranking.bradley_terry import NO_TIES, bradley_terry
from analytics_app.stats.ranking.connected import all_linked, largest_linked
from analytics_app.stats.ranking.plackett_luce import TOO_MANY, plackett_luce
from analytics_app.stats.ranking.strengths import ALWAYS_ABOVE, ALWAYS_BELOW, APART, NEVER, NO_END, NOBODY, Strengths
from tests.work import assert_work_grows_with_data

PAIRS = list(combinations(range(4), 2))
WITH_TIES = [[12, 5, 3], [14, 4, 2], [15, 3, 2], [9, 8, 3], [11, 6, 3], [10, 7, 3]]
RANKINGS = [
    [0, 1, 2, 3],
    [1, 0, 2, 3],
    [0, 2, 1, 3],
    [3, 0, 1, 2],
    [1, 0, 3, 2],
    [0, 1, 3, 2],
    [2, 1, 0, 3],
    [0, 3, 1, 2],
]


def against(found: Strengths, reference: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the strengths of the others less that of one, with their standard errors."""
    values, errors = np.array([one.value for one in found.strengths]), found.errors
    others = [k for k in range(len(values)) if k != reference]
    spread = np.diag(errors) + errors[reference, reference] - 2 * errors[reference]
    return values[others] - values[reference], np.sqrt(spread[others])


def test_the_citations_of_stigler() -> None:
    # reference_values.json, bradley_terry_citations: R BradleyTerry2 1.1-2.
    wins = [[0, 730, 498, 221], [33, 0, 68, 17], [320, 813, 0, 142], [284, 276, 325, 0]]
    found = bradley_terry(PAIRS, [(wins[a][b], wins[b][a], 0) for a, b in PAIRS], 4)
    values, errors = against(found, 0)
    assert values == pytest.approx([-2.9490724968, -0.4795697698, 0.2689540558], abs=1e-7)
    assert errors == pytest.approx([0.10254533537, 0.06058872924, 0.07082996511], abs=1e-7)
    assert [one.value for one in found.ranks] == [2, 4, 3, 1]


def test_half_ties() -> None:
    # reference_values.json, bradley_terry_half_ties: R glm, binomial, ties split.
    values, errors = against(bradley_terry(PAIRS, WITH_TIES, 4), 3)
    assert values == pytest.approx([1.345642951673, 0.51308937868, 0.327098341332], abs=1e-6)
    assert errors == pytest.approx([0.361161040596, 0.333446851396, 0.332234136573], abs=1e-6)


def test_davidson() -> None:
    # reference_values.json, davidson_ties: R psychotools 0.7-2, btmodel(undecided=TRUE).
    found = bradley_terry(PAIRS, WITH_TIES, 4, ties="davidson")
    values, _errors = against(found, 3)
    assert values == pytest.approx([1.586047519, 0.6038104503, 0.3851005272], abs=1e-6)
    assert found.log_ties.value == pytest.approx(-1.0751922436, abs=1e-6)
    assert found.log_likelihood == pytest.approx(-109.244292784, abs=1e-6)


def test_points_and_errors_are_those_of_choix_and_statsmodels() -> None:
    n, draw = 8, np.random.default_rng(1)
    pairs = list(combinations(range(n), 2))
    counts = draw.integers(1, 40, (len(pairs), 3)).astype(float)
    counts[:, 2] = 0
    wins = np.zeros((n, n))
    for (a, b), (won, lost, _tied) in zip(pairs, counts, strict=True):
        wins[a, b], wins[b, a] = won, lost
    found = bradley_terry(pairs, counts, n)
    ours = np.array([one.value for one in found.strengths])
    assert ours == pytest.approx(choix.ilsr_pairwise_dense(wins), abs=1e-7)
    design = np.zeros((len(pairs), n))
    for row, (a, b) in enumerate(pairs):
        design[row, a], design[row, b] = 1, -1
    model = sm.GLM(counts[:, :2], design[:, 1:], family=sm.families.Binomial()).fit()
    values, errors = against(found, 0)
    assert values == pytest.approx(model.params, abs=1e-6)
    assert errors == pytest.approx(model.bse, abs=1e-6)


def test_resamples_are_solved_as_points_are() -> None:
    draw = np.random.default_rng(2)
    samples = draw.poisson(np.array(WITH_TIES) + 2, (40, 6, 3)).astype(float)
    for ties in ("half", "davidson"):
        found = bradley_terry(PAIRS, WITH_TIES, 4, ties=ties, resampled=samples, confidence=0.9)
        one_by_one = np.array(
            [[one.value for one in bradley_terry(PAIRS, sample, 4, ties=ties).strengths] for sample in samples]
        )
        low, high = np.quantile(one_by_one, [0.05, 0.95], axis=0)
        assert [one.low for one in found.strengths] == pytest.approx(low, abs=1e-6)
        assert [one.high for one in found.strengths] == pytest.approx(high, abs=1e-6)
        assert [one.se for one in found.strengths] == pytest.approx(one_by_one.std(axis=0, ddof=1), abs=1e-6)


def test_who_cannot_be_placed_and_why() -> None:
    # 0, 1 and 2 beat each other in a ring; 3 beats 0 only; 4 loses only; 5 meets nobody; 6 and 7 meet each other.
    pairs = [(0, 1), (1, 2), (0, 2), (0, 3), (1, 4), (6, 7)]
    counts = [[3, 1, 0], [2, 0, 0], [1, 2, 0], [0, 4, 0], [5, 0, 0], [2, 0, 0]]
    found = bradley_terry(pairs, counts, 8)
    notes = [one.note for one in found.strengths]
    assert notes == [None, None, None, ALWAYS_ABOVE, ALWAYS_BELOW, NEVER, APART, APART]
    assert sum(one.value for one in found.strengths[:3]) == pytest.approx(0)
    assert [one.value for one in found.ranks[3:]] == [None] * 5


def test_nobody_can_be_placed() -> None:
    found = bradley_terry([(0, 1), (1, 2)], [[3, 0, 0], [3, 0, 0]], 3)
    assert [one.note for one in found.strengths] == [NOBODY] * 3
    assert bradley_terry([], np.zeros((0, 3)), 2).strengths[0].note == NEVER
    # Ties link two systems, but Davidson's model has no maximum where one never lost.
    assert bradley_terry([(0, 1)], [[5, 0, 3]], 2).strengths[0].value > 0
    assert bradley_terry([(0, 1)], [[5, 0, 3]], 2, ties="davidson").strengths[0].note == NO_END


def test_no_ties_and_nothing_but_ties() -> None:
    without = bradley_terry([(0, 1)], [[5, 3, 0]], 2, ties="davidson")
    assert without.log_ties.note == NO_TIES
    assert without.strengths[0].value == pytest.approx(np.log(5 / 3) / 2)
    level = bradley_terry([(0, 1)], [[0, 0, 9]], 2)
    assert [one.value for one in level.strengths] == [0, 0]
    assert bradley_terry([(0, 1)], [[0, 0, 9]], 2, ties="davidson").strengths[0].note == NO_END


def test_resamples_without_a_maximum_are_counted() -> None:
    samples = np.array([[[3.0, 2.0, 0.0]]] * 49 + [[[2.0, 3.0, 0.0]]] * 50 + [[[5.0, 0.0, 0.0]]])
    found = bradley_terry([(0, 1)], [[3, 2, 0]], 2, resampled=samples)
    assert found.strengths[0].note == "1 of 100 resamples left the value undefined and are left out."
    assert (found.strengths[0].low, found.strengths[0].high) == pytest.approx((-np.log(1.5) / 2, np.log(1.5) / 2))
    none = bradley_terry([(0, 1)], [[3, 2, 0]], 2, resampled=samples[[0, 99]])
    assert none.strengths[0].low is None


def test_wrong_counts() -> None:
    for counts in ([[1, 2]], [[1, -1, 0]], [[1, float("nan"), 0]], [[1, 1, 1]] * 2):
        with pytest.raises(ValueError, match=r"[a-z]"):
            bradley_terry([(0, 1)], counts, 2)
    with pytest.raises(ValueError, match="two different"):
        bradley_terry([(1, 1)], [[1, 1, 1]], 2)


def test_links() -> None:
    ring = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]], dtype=float)
    assert all_linked(ring)
    assert not all_linked(np.triu(np.ones((3, 3)), 1))
    assert largest_linked(np.zeros((3, 3)), both_ways=False).tolist() == [False] * 3
    # Of two sets of a size the one with more comparisons.
    two = np.zeros((4, 4))
    two[0, 1] = two[1, 0] = 1
    two[2, 3] = two[3, 2] = 5
    assert largest_linked(two, both_ways=True).tolist() == [False, False, True, True]


# Rankings ---------------------------------------------------------------------------------------------


def ranked(rankings: list[list[int]], **options: object) -> Strengths:
    ranks = np.concatenate([np.arange(1.0, len(one) + 1) for one in rankings])
    codes = np.repeat(np.arange(len(rankings)), [len(one) for one in rankings])
    systems = np.concatenate(rankings)
    chosen = {"rng": np.random.default_rng(1), "items": codes} | options
    return plackett_luce(ranks, codes, systems, n_systems=int(systems.max()) + 1, **chosen)


def test_the_rank_ordered_logit_of_r() -> None:
    # reference_values.json, plackett_luce: R survival::coxph.
    found = ranked(RANKINGS)
    values, _errors = against(found, 3)
    assert values == pytest.approx([1.9358250507, 1.3198879639, -0.0214635493], abs=1e-7)
    assert found.log_likelihood == pytest.approx(-20.0677473, abs=1e-6)


def test_rankings_as_choix_has_them() -> None:
    draw = np.random.default_rng(4)
    rankings = [list(draw.permutation(6)[: draw.integers(2, 7)]) for _ranking in range(200)]
    found = ranked(rankings)
    assert [one.value for one in found.strengths] == pytest.approx(choix.ilsr_rankings(6, rankings), abs=1e-6)


def test_two_systems_are_bradley_and_terry() -> None:
    found = ranked([[0, 1]] * 6 + [[1, 0]] * 2)
    same = bradley_terry([(0, 1)], [[6, 2, 0]], 2)
    assert found.strengths[0].value == pytest.approx(same.strengths[0].value)
    assert found.strengths[0].se == pytest.approx(same.strengths[0].se)


def test_rankings_with_ties_count_as_pairs() -> None:
    ranks, codes, systems = [1, 2, 2, 1, 2, 1, 2], [0, 0, 0, 1, 1, 2, 2], [0, 1, 2, 1, 2, 2, 0]
    found = plackett_luce(ranks, codes, systems, codes, 3, rng=np.random.default_rng(1))
    # 0 before 1, 0 before 2, 1 ties 2; 1 before 2; 2 before 0.
    same = bradley_terry([(0, 1), (0, 2), (1, 2)], [[1, 0, 0], [1, 1, 0], [1, 0, 1]], 3)
    assert [one.note for one in found.strengths] == [one.note for one in same.strengths]
    level = plackett_luce([1, 1, 1, 1, 2, 2, 1], [0, 0, 0, 1, 1, 2, 2], systems, codes, 3, rng=np.random.default_rng(1))
    same = bradley_terry([(0, 1), (0, 2), (1, 2)], [[0, 0, 1], [1, 0, 1], [1, 0, 1]], 3)
    assert [one.value for one in level.strengths] == pytest.approx([one.value for one in same.strengths], abs=1e-6)


def test_intervals_over_items() -> None:
    found = ranked(RANKINGS, n_resamples=400)
    assert all(one.low < one.value < one.high for one in found.strengths)
    assert [one.value for one in found.ranks] == [1, 2, 4, 3]
    assert (found.ranks[0].low, found.ranks[0].high) == (1, 2)
    same = ranked(RANKINGS, items=np.repeat(0, 32), n_resamples=50)
    assert (same.strengths[0].low, same.ranks[0].low) == (None, None)


def test_rankings_that_place_nobody_or_not_all() -> None:
    assert [one.note for one in ranked([[0, 1, 2]] * 3).strengths] == [NOBODY] * 3
    some = ranked([[0, 1, 2], [1, 0, 2]])
    assert [one.note for one in some.strengths] == [None, None, ALWAYS_BELOW]
    assert [one.value for one in some.strengths[:2]] == pytest.approx([0, 0])
    empty = plackett_luce([], [], [], [], 2, rng=np.random.default_rng(1))
    assert [one.note for one in empty.strengths] == [NEVER] * 2
    assert plackett_luce([float("nan")], [0], [0], [0], 1, rng=np.random.default_rng(1)).strengths[0].note == NEVER


def test_a_system_twice_in_a_ranking_is_refused() -> None:
    with pytest.raises(ValueError, match="once"):
        plackett_luce([1, 2], [0, 0], [1, 1], [0, 0], 2, rng=np.random.default_rng(1))


def test_work_grows_with_the_places_alone() -> None:
    def prepare(n: int) -> Callable[[], object]:
        draw = np.random.default_rng(5)
        ranks = np.argsort(np.argsort(draw.gumbel(size=(n, 5)) - np.linspace(0, 1, 5)), axis=1) + 1.0
        codes, systems = np.repeat(np.arange(n), 5), np.tile(np.arange(5), n)
        return lambda: plackett_luce(ranks.ravel(), codes, systems, codes // 15, 5, n_resamples=20, rng=draw)

    assert all(one.low < one.value < one.high for one in prepare(2000)().strengths)
    # The search for strengths may take a step more or less.
    assert_work_grows_with_data(prepare, 2000, steps=3)


def test_too_many_sets_have_no_interval() -> None:
    draw = np.random.default_rng(6)
    rankings = [list(draw.permutation(30)[:4]) for _ranking in range(3000)]
    found = ranked(rankings, n_resamples=1000)
    assert found.note == TOO_MANY
    assert found.strengths[0].low is None
    assert found.strengths[0].se > 0
