"""Comparisons with raters and items random: figures of R, properties, limits, and designs that lack a term."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t as student

from analytics_app.stats.mixed import blocks
from analytics_app.stats.mixed import crossed as module
from analytics_app.stats.mixed.crossed import CrossedComparison, compare_crossed
from analytics_app.stats.mixed.robust import compare_crossed_robust
from tests.stats import crossed_sets
from tests.stats.crossed_sets import Ratings
from tests.work import assert_work_grows_with_data

NAN = float("nan")


def compared(given: Ratings, pairs: list[tuple[int, int]] | None = None) -> CrossedComparison:
    n = int(given.systems.max()) + 1
    return compare_crossed(
        given.values,
        given.systems,
        given.items,
        given.raters,
        n_systems=n,
        pairs=[(a, b) for a in range(n) for b in range(a + 1, n)] if pairs is None else pairs,
        confidence=0.95,
        clusters=given.documents,
    )


# lmerTest 3.1.3 on lme4 1.1.31, `lmer(value ~ system + ..., control = lmerControl("bobyqa", list(rhoend = 1e-9)))`:
# standard deviations, then estimate, standard error, degrees of freedom and p of the first mean and of the pairs.
ORACLES: dict[str, tuple[dict[str, float], list[tuple[float, float, float, float | None]]]] = {
    "penicillin": (
        {"item": 0.846704, "rater": 1.931560, "residual": 0.549923},
        [(22.9722222, 0.80857, 5.487, None)],
    ),
    "three_systems": (
        {
            "item": 0.793415858, "system_item": 0, "rater": 0.758317283, "rater_system": 0.252954305,
            "residual": 0.653124017,
        },
        [
            (2.98478152, 0.53539827, 7.59262177, None),
            (-0.542970659, 0.269567834, 6.10710927, 0.089789855),
            (0.185738127, 0.270601817, 6.19020369, 0.517340295),
            (0.728708786, 0.264981512, 5.71621428, 0.0350004431),
        ],
    ),
    "documents": (
        {
            "item": 0, "system_item": 0.800722527, "rater": 0.0616619268, "rater_system": 0.582625242,
            "cluster": 0.753860570, "cluster_system": 0.317590581, "residual": 0.588980552,
        },
        [(3.13697846, 0.543955578, 6.85300483, None), (-0.354793149, 0.553232431, 6.06075388, 0.544795457)],
    ),
    "one_judgment_each": (
        {"item": 0, "rater": 0.392217227, "rater_system": 0.229738204, "residual": 1.32799266},
        [(3.23560004, 0.435298856, 6.9460701, None), (-0.173163718, 0.562012191, 4.68876682, 0.77120954)],
    ),
    "one_system_each": (
        {"item": 0.647157876, "system_item": 0.837755988, "rater": 0.696058397, "residual": 0.547049490},
        [(3.31963919, 0.591588427, 5.4184682, None), (-0.162411415, 0.737596602, 4.71118699, 0.834943806)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", list(ORACLES))
def test_figures_of_lmertest(name: str) -> None:
    found = compared(getattr(crossed_sets, name)())
    deviations, contrasts = ORACLES[name]
    assert {term: one.value for term, one in found.sd.items()} == pytest.approx(deviations, abs=1e-4)
    assert found.method == "mixed model"
    assert found.zero == tuple(term for term in module.TERMS if deviations.get(term) == 0)
    shown = [found.means[0], *(pair.difference for pair in found.pairs)]
    for one, (value, se, df, p) in zip(shown, contrasts, strict=True):
        assert one.value == pytest.approx(value, abs=1e-6)
        assert (one.se, one.df) == pytest.approx((se, df), rel=1e-4)
        assert one.p == (None if p is None else pytest.approx(p, rel=1e-4))
        assert one.high is not None
        assert one.value is not None
        assert one.high - one.value == pytest.approx(student.ppf(0.975, df) * se, rel=1e-3)


def test_balanced_ratings_are_an_analysis_of_variance() -> None:
    rng = np.random.default_rng(4)
    rater, system, item = np.indices((6, 2, 30))
    values = rng.normal(size=(1, 1, 30)) + rng.normal(size=(6, 1, 1)) + rng.normal(size=(6, 2, 30))
    values = values + 0.5 * rng.normal(size=(6, 2, 1)) + 0.5 * rng.normal(size=(1, 2, 30))
    found = compared(Ratings(values.ravel(), system.ravel(), item.ravel(), rater.ravel()))
    assert found.zero == ()
    (pair,) = found.pairs
    # Mean squares of differences of the two systems by raters, by items, and of the rest, to which sums belong as well.
    differences, sums = values[:, 0] - values[:, 1], values[:, 0] + values[:, 1]
    mean = differences.mean()
    by_rater, by_item = differences.mean(axis=1), differences.mean(axis=0)
    rest = [
        table - table.mean(axis=1, keepdims=True) - table.mean(axis=0) + table.mean() for table in (differences, sums)
    ]
    squares = np.array([30 * by_rater.var(ddof=1), 6 * by_item.var(ddof=1), -(np.square(rest)).sum() / 290])
    variance = squares.sum() / 180
    assert pair.difference.value == pytest.approx(mean)
    assert pair.difference.se == pytest.approx(variance**0.5, rel=1e-5)
    assert pair.difference.df == pytest.approx(squares.sum() ** 2 / (squares**2 / [5, 29, 290]).sum(), rel=1e-4)


def test_names_units_and_origin_do_not_matter() -> None:
    given = crossed_sets.documents()
    assert given.documents is not None
    plain = compared(given)
    rng = np.random.default_rng(9)
    order = rng.permutation(given.values.size)
    other = replace(
        given,
        values=1000 + 7 * given.values,
        systems=1 - given.systems,
        items=3 * rng.permutation(12)[given.items],
        raters=rng.permutation(5)[given.raters],
        documents=rng.permutation(5)[given.documents],
    ).only(order)
    moved = compared(other)
    one, two = plain.pairs[0].difference, moved.pairs[0].difference
    assert one.value is not None
    assert one.se is not None
    assert (two.value, two.se, two.df, two.p) == pytest.approx((-7 * one.value, 7 * one.se, one.df, one.p), rel=1e-4)
    assert plain.means[0].value is not None
    assert moved.means[1].value == pytest.approx(1000 + 7 * plain.means[0].value)
    assert moved.zero == plain.zero
    assert {term: (sd.value or 0) / 7 for term, sd in moved.sd.items()} == pytest.approx(
        {term: sd.value for term, sd in plain.sd.items()}, abs=1e-4
    )


def test_turned_pairs_have_the_other_sign_and_nothing_else() -> None:
    found = compared(crossed_sets.three_systems(), [(0, 2), (2, 0)])
    one, two = (pair.difference for pair in found.pairs)
    assert one.value is not None
    assert one.low is not None
    assert (two.value, two.high, two.p, two.df) == pytest.approx((-one.value, -one.low, one.p, one.df))
    assert found.pairs[0].effect_size == -(found.pairs[1].effect_size or 0)


def test_effect_sizes_are_in_units_of_a_single_rating() -> None:
    found = compared(crossed_sets.three_systems())
    spread = sum((sd.value or 0) ** 2 for sd in found.sd.values()) ** 0.5
    assert found.pairs[2].difference.value is not None
    assert found.pairs[2].effect_size == pytest.approx(found.pairs[2].difference.value / spread)


def few_raters(values: list[list[list[int]]]) -> Ratings:
    """Return ratings of a list by rater, system and item."""
    table = np.array(values, dtype=float)
    rater, system, item = np.indices(table.shape)
    return Ratings(table.ravel(), system.ravel(), item.ravel(), rater.ravel())


# Three raters whose differences between the systems are the same on average.
ALIKE = few_raters(
    [
        [[4, 2, 5, 3, 1, 4, 3, 5, 2, 3], [2, 2, 3, 4, 1, 2, 3, 3, 1, 2]],
        [[5, 3, 4, 2, 2, 3, 4, 4, 3, 3], [3, 1, 4, 3, 2, 2, 2, 3, 2, 2]],
        [[3, 2, 4, 4, 1, 3, 2, 5, 1, 3], [2, 1, 2, 3, 1, 2, 1, 4, 1, 2]],
    ]
)


def test_degrees_of_freedom_are_cautious_where_few_raters_seem_to_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    found = compared(ALIKE)
    assert "rater_system" in found.zero
    # Three times (3 - 1) raters x (2 - 1) systems.
    assert found.pairs[0].difference.df == 6
    assert "at most 6: with only 3 raters" in found.df_rule
    monkeypatch.setattr(module, "ENOUGH", 3)
    plain = compared(ALIKE)
    # 10 items less 1: with the variance at 0, the rest of the uncertainty is that of items.
    assert plain.pairs[0].difference.df == pytest.approx(9)
    assert plain.df_rule == "Degrees of freedom by Satterthwaite's method."


def test_terms_that_a_design_cannot_tell_apart_are_left_out() -> None:
    assert compared(crossed_sets.documents()).left_out == {}
    assert compared(crossed_sets.one_judgment_each()).left_out == {
        "system_item": "There is one rating for each of the systems by item, so they cannot be told from the residual."
    }
    assert compared(crossed_sets.one_system_each()).left_out == {
        "rater_system": "The raters by system form the same groups as the raters, so the two cannot be told apart."
    }
    given = crossed_sets.three_systems()
    one_rater = compared(given.only(given.raters == 0))
    assert one_rater.left_out["rater"] == "There is only one of the raters, so they cannot vary."
    assert set(one_rater.left_out) == {"rater", "rater_system", "system_item"}
    pair_of_raters = compared(given.only(given.raters == given.systems))
    assert pair_of_raters.left_out["rater"] == (
        "No system has two of the raters, so they cannot be told from the systems."
    )


def test_documents_that_are_single_items_add_nothing() -> None:
    given = crossed_sets.three_systems()
    as_documents = compared(replace(given, documents=given.items))
    assert set(as_documents.left_out) == {"cluster", "cluster_system"}
    assert as_documents.pairs[0].difference.se == pytest.approx(compared(given).pairs[0].difference.se, rel=1e-5)


def test_beyond_the_limits_the_robust_method_takes_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_ENTRIES", 215)
    found = compared(crossed_sets.three_systems())
    # 18 texts (6 items of 3 systems) by 12 raters of systems.
    assert found.method == "two-way robust"
    assert found.note == (
        "There are more texts and raters than the mixed model takes. The two-way robust method takes its place."
    )
    monkeypatch.setattr(module, "MOST_ENTRIES", 216)
    assert compared(crossed_sets.three_systems()).method == "mixed model"
    monkeypatch.setattr(module, "MOST_COLUMNS", 11)
    assert compared(crossed_sets.three_systems()).method == "two-way robust"
    monkeypatch.setattr(module, "MOST_COLUMNS", 12)
    monkeypatch.setattr(module, "MOST_WORK", 18 * 12**2 - 1)
    assert compared(crossed_sets.three_systems()).method == "two-way robust"


@pytest.mark.parametrize("limits", [
    {"_FEW_CELLS": 0, "_ENOUGH_CELLS": 0, "_DENSE": 0}, {"_FEW_CELLS": 0, "_ENOUGH_CELLS": 0, "_DENSE": 2},
    {"_FEW_CELLS": 10**9, "_SPARSE": 2}, {"_FEW_CELLS": 12},
])  # fmt: skip
def test_how_ratings_are_summed_up_changes_no_figure(limits: dict[str, float], monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    rater, system, item = (codes.ravel() for codes in np.indices((4, 3, 30)))
    values = rng.normal(size=30)[item] + rng.normal(size=(4, 3))[rater, system] + rng.normal(size=item.size)
    with_gaps = Ratings(values, system, item, rater).only(rng.random(item.size) > 0.1)
    sets = [with_gaps, crossed_sets.documents(), crossed_sets.one_system_each()]
    monkeypatch.setattr(blocks, "_FEW_CELLS", 10**9)
    plain = [compared(given) for given in sets]
    for name, limit in limits.items():
        monkeypatch.setattr(blocks, name, limit)
    for given, expected in zip(sets, plain, strict=True):
        found = compared(given)
        assert found.method == "mixed model"
        assert found.zero == expected.zero
        for one, other in zip(found.pairs, expected.pairs, strict=True):
            figures = (one.difference.value, one.difference.se, one.difference.df)
            assert figures == pytest.approx(
                (other.difference.value, other.difference.se, other.difference.df), rel=1e-7
            )


def test_a_million_ratings_are_within_the_limits() -> None:
    rng = np.random.default_rng(1)
    item, system, rater = (codes.ravel() for codes in np.indices((33_334, 3, 10)))
    values = 3 + rng.normal(0, 0.9, 33_334)[item] + rng.normal(0, 0.3, 10)[rater]
    values += rng.normal(0, 0.3, (10, 3))[rater, system]
    values = np.clip(np.round(values + rng.normal(0, 0.9, item.size)), 1, 5)
    found = compared(Ratings(values, system, item, rater), [(0, 1)])
    assert found.method == "mixed model"
    # In balanced data a difference of means is that of plain means, with an error that is mostly the raters'.
    assert found.pairs[0].difference.value == pytest.approx(values[system == 0].mean() - values[system == 1].mean())
    assert found.sd["rater_system"].value == pytest.approx(0.3, rel=0.3)
    assert found.pairs[0].difference.df == pytest.approx(18, rel=0.01)


def test_raters_who_always_agree_leave_no_residual() -> None:
    given = crossed_sets.three_systems()
    agreed = replace(given, values=given.items * 1.0 + np.array([0, 1, 0, 0, 2, 0])[given.items] * given.systems)
    found = compared(agreed)
    assert found.method == "two-way robust"
    assert "could not be estimated" in (found.note or "")
    assert found.pairs[0].difference.value == pytest.approx(-0.5)


def test_nothing_rated_and_nothing_varies() -> None:
    nothing = compare_crossed([NAN], [0], [0], [0], n_systems=2, pairs=[(0, 1)], confidence=0.95)
    assert nothing.note == nothing.pairs[0].difference.note == nothing.means[1].note == "Nothing was rated."
    same = compare_crossed(
        [3, 4, 3, 4, 4], [0, 1, 0, 1, 2], [0, 0, 1, 1, 1], [0, 1, 1, 0, 0],
        n_systems=4, pairs=[(0, 1), (1, 2), (0, 3)], confidence=0.95,
    )  # fmt: skip
    assert [(pair.difference.value, pair.difference.p, pair.difference.se) for pair in same.pairs] == [
        (-1, None, None), (0, 1, None), (None, None, None)
    ]  # fmt: skip
    assert same.pairs[0].difference.note == "All ratings of a system are the same, so there is no interval."
    assert same.means[3].note == "Nothing was rated."


def test_systems_without_ratings_and_ratings_without_values() -> None:
    given = crossed_sets.three_systems()
    more = compare_crossed(
        [*given.values, NAN], [*given.systems, 3], [*given.items, 0], [*given.raters, 0],
        n_systems=4, pairs=[(0, 1), (0, 3)], confidence=0.95,
    )  # fmt: skip
    assert more.pairs[0].difference.p == compared(given).pairs[0].difference.p
    assert more.pairs[1].difference.note == more.means[3].note == "Nothing was rated."
    counted = more.pairs[0].difference
    assert (counted.n_ratings, counted.n_items, counted.n_raters) == (43, 6, 4)


@pytest.mark.parametrize("compare", [compare_crossed, compare_crossed_robust])
@pytest.mark.parametrize("unit", [2.0**-900, 1e-170, 1e-90, 1e-9, 1e80, 1e95])
def test_the_unit_of_the_values_changes_nothing_else(compare: Callable[..., CrossedComparison], unit: float) -> None:
    given = crossed_sets.three_systems()
    codes = (given.systems, given.items, given.raters)
    more = {"n_systems": 3, "pairs": [(0, 1), (1, 2)], "confidence": 0.95}
    usual, found = (compare(given.values * times, *codes, **more) for times in (1.0, unit))
    assert (found.method, found.zero, found.note) == (usual.method, usual.zero, usual.note)
    assert found.sd.keys() == usual.sd.keys()
    assert _numbers(found, unit) == pytest.approx(_numbers(usual, 1.0), rel=1e-6)


def _numbers(found: CrossedComparison, unit: float) -> list[float]:
    """Return the numbers of all estimates, in a unit, and what has none; -1 stands for a number that there is not."""
    estimates = [*found.means, *(pair.difference for pair in found.pairs), *found.sd.values()]
    in_unit = [(one.value, one.low, one.high, one.se) for one in estimates]
    without = [(one.df, one.p) for one in estimates] + [(pair.effect_size,) for pair in found.pairs]
    rows = [[None if number is None else number / unit for number in row] for row in in_unit]
    return [-1.0 if number is None else number for row in [*rows, *without] for number in row]


def test_wrong_arguments() -> None:
    with pytest.raises(ValueError, match="two different systems"):
        compare_crossed([1, 2], [0, 1], [0, 0], [0, 0], n_systems=2, pairs=[(1, 1)], confidence=0.95)
    with pytest.raises(ValueError, match="Codes are below 2"):
        compare_crossed([1, 2], [0, 2], [0, 0], [0, 0], n_systems=2, pairs=[(0, 1)], confidence=0.95)
    with pytest.raises(ValueError, match="confidence"):
        compare_crossed([1, 2], [0, 1], [0, 0], [0, 0], n_systems=2, pairs=[(0, 1)], confidence=1.0)


def test_the_work_grows_with_the_data() -> None:
    def prepare(n: int) -> Callable[[], object]:
        rng = np.random.default_rng(2)
        rater, system, item = (codes.ravel() for codes in np.indices((4, 2, n)))
        values = rng.normal(size=n)[item] + 0.3 * rng.normal(size=(4, 2))[rater, system] + rng.normal(size=item.size)
        return lambda: compared(Ratings(values, system, item, rater))

    assert_work_grows_with_data(prepare, 200, steps=2.5)
