"""The independent design keeps what it promises in every prefix of its booklets, or says what would work."""

from collections import Counter
from random import Random

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tasks_app.designs import registry
from tasks_app.designs.base import PlanImpossible, PlanSettings, PlanUnit
from tasks_app.designs.engine.chairman import DeadEnd
from tests.tasks_app.designs import oracle
from tests.tasks_app.designs.unit_sets import apart, crossed, pairs, shared, unit_sets

design = registry["independent"]()


def draw(units: list[PlanUnit], set_size: int, spacing: int, seed: int) -> list[tuple[PlanUnit, ...]]:
    return design.draw(units, PlanSettings(set_size, spacing), Random(seed))


def drawn(units: list[PlanUnit], set_size: int, spacing: int, seed: int) -> list[tuple[PlanUnit, ...]] | PlanImpossible:
    try:
        return draw(units, set_size, spacing, seed)
    except PlanImpossible as impossible:
        return impossible


def check(plan: list[tuple[PlanUnit, ...]], units: list[PlanUnit], set_size: int, spacing: int) -> None:
    """Everything that is promised of every plan."""
    assert Counter(unit.key for booklet in plan for unit in booklet) == Counter({u.key: u.k for u in units if u.k})
    for booklet in plan:
        assert 1 <= len(booklet) <= set_size
        assert len({unit.key for unit in booklet}) == len(booklet)
        assert all(gap >= spacing for gap in oracle.gaps(booklet))
    if len({unit.k for unit in units}) == 1:
        assert all(len(booklet) == set_size for booklet in plan[:-1])
    if "position" in design.promised(units, PlanSettings(set_size, spacing)):
        assert all(oracle.position_spread(plan[:b], units) <= 1 for b in range(1, len(plan) + 1))
    classes = {shown for unit in units for shown in oracle.system_class(unit)}
    disjoint = sum(map(len, classes)) == len({system for unit in units for system in oracle.systems(unit)})
    for places in oracle.prefixes(plan):
        assert oracle.unit_spread(places, units) <= 1
        assert all(abs(d) < 1 for d in oracle.deviations(places, units, oracle.system_class).values())
        if disjoint:
            assert oracle.spread(places, units, oracle.systems) <= 1


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(units=unit_sets(), set_size=st.integers(1, 14), spacing=st.integers(0, 8), seed=st.integers(0, 2**32))
def test_every_prefix_is_balanced_or_the_nearest_settings_are(
    units: list[PlanUnit], set_size: int, spacing: int, seed: int
) -> None:
    assume(any(unit.k for unit in units))
    outcome = drawn(units, set_size, spacing, seed)
    if isinstance(outcome, list):
        check(outcome, units, set_size, spacing)
        return
    # A set of one place works whatever the rest, so that some advice can always be given.
    assert "set_size" in outcome.nearest or set_size == 1
    for name, value in outcome.nearest.items():
        assert str(value) in str(outcome)
        nearest = {"set_size": set_size, "spacing": spacing, name: value}
        check(draw(units, nearest["set_size"], nearest["spacing"], seed + 1), units, **nearest)


@given(units=unit_sets(), set_size=st.integers(1, 14), seed=st.integers(0, 2**32))
def test_without_spacing_only_too_few_units_are_refused(units: list[PlanUnit], set_size: int, seed: int) -> None:
    assume(len({unit.k for unit in units}) == 1)
    assume(1 <= set_size <= sum(unit.k > 0 for unit in units))
    check(draw(units, set_size, 1, seed), units, set_size, 1)


@pytest.mark.parametrize(
    ("units", "set_size", "spacing"),
    [
        pytest.param(crossed(10, 9, 2), 20, 10, id="every booklet holds every item exactly twice"),
        pytest.param(crossed(10, 9, 3), 10, 10, id="every booklet holds every item exactly once"),
        pytest.param(crossed(6, 5, 5), 20, 3, id="booklets as large as two thirds of the units"),
        pytest.param(crossed(30, 1, 5), 20, 10, id="one system"),
        pytest.param(crossed(4, 4, 3), 16, 4, id="one booklet a round"),
        pytest.param(pairs(12, 5, 2), 20, 10, id="all pairs"),
        pytest.param(apart(6, 4), 2, 2, id="no two units show the same system"),
    ],
)
@pytest.mark.parametrize("seed", range(3))
def test_tight_settings_that_can_be_kept_are_kept(
    units: list[PlanUnit], set_size: int, spacing: int, seed: int
) -> None:
    check(draw(units, set_size, spacing, seed), units, set_size, spacing)


@pytest.mark.parametrize(
    ("units", "set_size", "spacing"),
    [
        pytest.param(crossed(20, 4, 3), 20, 10, id="sets as large as there are items"),
        pytest.param(crossed(21, 4, 1), 20, 20, id="no item twice in a set"),
        pytest.param(crossed(40, 5, 2), 20, 10, id="more items than a set holds"),
        pytest.param(crossed(6, 4, 3), 5, 1, id="spacing asks for nothing"),
        pytest.param(crossed(4, 4, 3), 16, 1, id="every unit in every set"),
        pytest.param(pairs(24, 4, 2), 20, 10, id="pairs"),
        pytest.param([unit for n in range(4) for unit in crossed(40, 4, 3)[n::20]], 7, 10, id="one text an item"),
        pytest.param(apart(6, 4), 4, 1, id="no two units show the same system"),
    ],
)
@pytest.mark.parametrize("seed", range(2))
def test_every_place_has_every_system_equally_often(
    units: list[PlanUnit], set_size: int, spacing: int, seed: int
) -> None:
    assert design.promised(units, PlanSettings(set_size, spacing)) == design.margins
    check(draw(units, set_size, spacing, seed), units, set_size, spacing)


def test_where_items_leave_no_such_order_places_are_measured_only() -> None:
    """Of ten items, two outputs each to a set: then the order of a set is all but given."""
    assert design.promised(crossed(10, 9, 2), PlanSettings(20, 10)) == ("unit", "system")
    assert design.promised(crossed(10, 9, 2), PlanSettings(20, 1)) == design.margins
    assert design.promised(crossed(10, 9, 2)[1:], PlanSettings(20, 1)) == ("unit", "system")


def test_where_no_draw_keeps_the_places_a_latin_square_does(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*given: object) -> None:
        raise DeadEnd

    monkeypatch.setattr("tasks_app.designs.engine.drawing.Filling.fill_round", none)
    units = crossed(12, 3, 2)
    check(draw(units, 8, 5, 1), units, 8, 5)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("set_size", [20, 45])
@pytest.mark.parametrize("seed", range(2))
def test_systems_are_within_one_where_a_third_of_the_outputs_is_shared(k: int, set_size: int, seed: int) -> None:
    units = shared(k)
    plan = draw(units, set_size, 10, seed)
    check(plan, units, set_size, 10)
    assert max(oracle.spread(places, units, oracle.systems) for places in oracle.prefixes(plan)) <= 1


@pytest.mark.parametrize("set_size", [7, 20])
def test_systems_are_within_one_where_each_is_compared_with_each(set_size: int) -> None:
    units = pairs(30, 6, 2)
    plan = draw(units, set_size, 5, 1)
    assert max(oracle.spread(places, units, oracle.systems) for places in oracle.prefixes(plan)) <= 1


def test_some_units_may_be_judged_more_often() -> None:
    units = [
        PlanUnit(unit.key, 5 if n % 10 == 0 else 1, unit.item, None, 0, unit.shape)
        for n, unit in enumerate(crossed(40, 5, 1))
    ]
    plan = draw(units, 15, 5, 1)
    check(plan, units, 15, 5)
    first_time = [unit.key for unit in [unit for booklet in plan for unit in booklet][:195]]
    assert len(set(first_time)) == 195


def test_a_seed_gives_one_plan_and_another_seed_another() -> None:
    units = shared(2)
    assert draw(units, 20, 10, 7) == draw(units, 20, 10, 7)
    assert draw(units, 20, 10, 7) != draw(units, 20, 10, 8)


def test_a_refusal_is_the_same_for_the_same_seed() -> None:
    said = []
    for _again in range(2):
        with pytest.raises(PlanImpossible) as refused:
            draw(crossed(5, 9, 2), 20, 10, 3)
        said.append((str(refused.value), refused.value.nearest))
    assert said[0] == said[1]


def test_order_inside_booklets_has_nothing_to_do_with_the_system() -> None:
    units = crossed(60, 4, 10)
    plan = draw(units, 20, 5, 1)
    places: dict[tuple[str, ...], list[int]] = {}
    for booklet in plan:
        for place, unit in enumerate(booklet):
            places.setdefault(unit.systems, []).append(place)
    # 600 places each, uniform over 0..19: the mean has a standard error of 0.24.
    for of_system in places.values():
        assert sum(of_system) / len(of_system) == pytest.approx(9.5, abs=0.9)
    first = Counter(booklet[0].systems for booklet in plan)
    assert all(count >= 15 for count in first.values()), first


def test_items_are_spread_over_the_booklets() -> None:
    """With 20 items of five outputs, 20 units at random are of 14 items; each item twice would be allowed."""
    for booklet in draw(crossed(20, 5, 1), 20, 10, 1):
        assert len({unit.item for unit in booklet}) >= 18


def test_too_large_a_set_is_refused_with_the_largest_that_works() -> None:
    with pytest.raises(PlanImpossible, match=r"only 12 units need a judgment\..*Choose a set size of 12") as refused:
        draw(crossed(12, 1, 3), 20, 10, 1)
    assert refused.value.nearest == {"set_size": 12}


@pytest.mark.parametrize("items", range(3, 9))
def test_too_wide_a_spacing_is_refused_with_the_widest_that_works(items: int) -> None:
    units = crossed(items, 9, 2)
    with pytest.raises(PlanImpossible, match="cannot stand 10 apart in sets of 20") as refused:
        draw(units, 20, 10, 1)
    # So many items fill 20 places at most so far apart, and a set of as many holds each once.
    assert refused.value.nearest == {"spacing": items, "set_size": items}


def test_nothing_to_judge_is_refused() -> None:
    for units in ([], crossed(3, 3, 0)):
        with pytest.raises(PlanImpossible, match="Add items"):
            draw(units, 1, 1, 1)


def test_what_only_a_caller_can_get_wrong_is_an_error() -> None:
    with pytest.raises(ValueError, match="same key: 0-0"):
        draw(crossed(2, 1, 1) + crossed(1, 1, 1), 1, 1, 1)
    with pytest.raises(ValueError, match="at least one place"):
        draw(crossed(2, 1, 1), 0, 1, 1)


def test_the_design_says_what_it_balances() -> None:
    assert design.margins == ("unit", "system", "position")
    assert str(design.label) == "Independent sets"
    assert design.Settings({}).is_valid()


def test_a_plan_that_broke_a_promise_would_not_leave_the_design(monkeypatch: pytest.MonkeyPatch) -> None:
    """The plan is measured from outside: an order that ignores the spacing is noticed, and one that is uneven."""
    monkeypatch.setattr("tasks_app.designs.engine.drawing.placed", lambda booklets, *rest: booklets)
    monkeypatch.setattr("tasks_app.designs.engine.drawing.spaced_order", lambda items, spacing, rng: range(len(items)))
    with pytest.raises(RuntimeError, match="breaks its promises"):
        draw(crossed(10, 9, 2), 20, 10, 1)
    with pytest.raises(RuntimeError, match="position spread"):
        draw(crossed(10, 3, 2), 5, 1, 1)
