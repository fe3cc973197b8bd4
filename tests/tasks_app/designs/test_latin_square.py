"""The Latin square: items once a booklet, systems level in booklets, at places and over them, whatever is taken."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks_app.designs import registry
from tasks_app.designs.base import PlanImpossible, PlanSettings, PlanUnit
from tasks_app.designs.engine.crossing import crossed as is_crossed
from tasks_app.designs.engine.crossing import layers
from tasks_app.designs.engine.equitable import Colouring
from tasks_app.designs.engine.squares import matchings, williams
from tests.tasks_app.designs import oracle
from tests.tasks_app.designs.unit_sets import crossed, pairs, shared

design = registry["latin_square"]()
Plan = list[tuple[PlanUnit, ...]]


def draw(units: list[PlanUnit], set_size: int, seed: int = 1) -> Plan:
    return design.draw(units, PlanSettings(set_size, 10), Random(seed))


def check_square(plan: Plan, units: list[PlanUnit], set_size: int) -> None:
    """Everything that is promised of a full crossing, counted from scratch."""
    assert Counter(unit.key for booklet in plan for unit in booklet) == {unit.key: unit.k for unit in units}
    assert all(len(booklet) == set_size for booklet in plan[:-1])
    for booklet in plan:
        assert len({unit.item for unit in booklet}) == len(booklet)
        assert oracle.kin_spread(Counter(map(shown, booklet)), {key: Counter() for key in map(shown, units)}) <= 1
    for b, places in enumerate(oracle.prefixes(plan), start=1):
        assert oracle.unit_spread(places, units) <= 1
        assert oracle.spread(places, units, oracle.system_class) <= 1
        assert oracle.spread(places, units, lambda unit: [unit.item]) <= 1
        assert oracle.position_spread(plan[:b], units) <= 1


def shown(unit: PlanUnit) -> object:
    return oracle.system_class(unit)[0]


@given(
    items=st.integers(1, 12),
    systems=st.integers(1, 7),
    k=st.integers(1, 3),
    data=st.data(),
    seed=st.integers(0, 2**32),
)
def test_a_full_crossing_is_a_latin_square_in_every_prefix(
    items: int, systems: int, k: int, data: st.DataObject, seed: int
) -> None:
    set_size = data.draw(st.integers(1, items))
    units = crossed(items, systems, k)
    check_square(draw(units, set_size, seed), units, set_size)


def test_four_items_by_four_systems_are_one_square() -> None:
    """Worked out by hand: four raters; each item, each system and each place once a rater, and once a cell."""
    plan = draw(crossed(4, 4, 1), 4)
    square = [[unit.systems[0] for unit in booklet] for booklet in plan]
    everyone = {f"system {s}" for s in range(4)}
    assert len(square) == 4
    assert all(set(row) == everyone for row in square)
    assert all(set(column) == everyone for column in zip(*square, strict=True))
    # Each system follows each other exactly once (Williams): 4 rows of 3 neighbours are the 12 ordered pairs.
    assert set(Counter(pair for row in square for pair in pairwise(row)).values()) == {1}
    assert len({pair for row in square for pair in pairwise(row)}) == 12
    assert {(unit.item, unit.systems) for booklet in plan for unit in booklet} == {
        (unit.item, unit.systems) for unit in crossed(4, 4, 1)
    }


def test_the_square_of_four_is_that_of_williams() -> None:
    """The rows 0 1 3 2, 1 2 0 3, 2 3 1 0, 3 0 2 1: checked by hand to hold each neighbour once."""
    assert williams(4) == [(0, 1, 3, 2), (1, 2, 0, 3), (2, 3, 1, 0), (3, 0, 2, 1)]


@pytest.mark.parametrize("n", range(1, 12))
def test_systems_follow_each_other_equally_often(n: int) -> None:
    rows = williams(n)
    assert len(rows) == (n if n % 2 == 0 or n == 1 else 2 * n)
    for start in range(0, len(rows), n):
        assert all(len(set(column)) == n for column in zip(*rows[start : start + n], strict=True))
    neighbours = Counter(pair for row in rows for pair in pairwise(row))
    assert len(neighbours) == n * (n - 1)
    assert len(set(neighbours.values())) <= 1


def test_no_system_follows_itself_where_sets_hold_whole_blocks() -> None:
    for booklet in draw(crossed(24, 4, 3), 12):
        assert all(a.systems != b.systems for a, b in pairwise(booklet))


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=60), st.integers(0, 2**32))
def test_edges_are_coloured_with_as_many_colours_as_the_largest_degree(edges: list[tuple[int, int]], seed: int) -> None:
    largest = max(max(Counter(side).values()) for side in zip(*edges, strict=True))
    found = matchings(edges, largest, Random(seed))
    assert Counter((u, v) for (u, _colour), v in found.items()) == Counter(edges)
    assert max(Counter((v, colour) for (_u, colour), v in found.items()).values()) == 1
    assert all(0 <= colour < largest for _u, colour in found)


@given(st.integers(1, 9), st.integers(1, 5), st.integers(1, 7), st.integers(0, 2**32))
def test_layers_hold_all_items_and_no_booklet_one_twice(items: int, times: int, size: int, seed: int) -> None:
    size = min(size, items)
    found = layers(range(items), times, size, Random(seed))
    assert all(sorted(found[start : start + items]) == list(range(items)) for start in range(0, len(found), items))
    booklets = [found[start : start + size] for start in range(0, len(found), size)]
    assert all(len(set(booklet)) == len(booklet) for booklet in booklets)


def test_colours_missing_from_groups_stay_missing() -> None:
    colours, groups = [0, 0, 1, 0, 1, 1, 2], [0, 1, 1, 2, 2, 3, 3]
    found = Colouring(colours, groups, [0, 0, 0, 1, 1, 1, 1], Random(1)).level()
    assert sorted(zip(groups, found, strict=True)) == sorted(zip(groups, colours, strict=True))


@pytest.mark.parametrize("set_size", [5, 10, 30])
def test_comparisons_are_crossed_as_well(set_size: int) -> None:
    units = pairs(30, 5, 2)
    assert design.promised(units, PlanSettings(set_size, 10)) == design.margins
    check_square(draw(units, set_size), units, set_size)


def check_apart(plan: Plan, units: list[PlanUnit], set_size: int) -> None:
    """What is promised of anything else."""
    assert Counter(unit.key for booklet in plan for unit in booklet) == {unit.key: unit.k for unit in units if unit.k}
    for booklet in plan:
        assert len({unit.item for unit in booklet}) == len(booklet) <= set_size
    for places in oracle.prefixes(plan):
        assert oracle.unit_spread(places, units) <= 1
        assert all(abs(d) < 1 for d in oracle.deviations(places, units, oracle.system_class).values())


@pytest.mark.parametrize("set_size", [10, 20, 80])
def test_shared_outputs_keep_to_their_shares(set_size: int) -> None:
    units = shared(2)
    assert design.promised(units, PlanSettings(set_size, 1)) == ("unit", "system")
    check_apart(draw(units, set_size), units, set_size)


def test_an_item_without_an_output_shortens_a_set() -> None:
    units = crossed(10, 5, 2)[1:]
    plan = draw(units, 10)
    check_apart(plan, units, 10)
    assert sorted(Counter(map(len, plan)).items()) == [(9, 1), (10, 9)] or min(map(len, plan)) >= 9


def test_items_that_are_judged_more_often_make_squares_of_their_own() -> None:
    units = [replace(unit, k=3 if unit.item in {"item 0", "item 1", "item 2"} else 1) for unit in crossed(9, 3, 1)]
    assert design.promised(units, PlanSettings(6, 1)) == ("unit", "system", "system in a booklet", "item")
    plan = draw(units, 6)
    check_apart(plan, units, 6)
    # 27 units first, five sets; then three items twice over, in sets of three.
    assert [len(booklet) for booklet in plan] == [6, 6, 6, 6, 3, *[3] * 6]
    assert all(len({unit.systems for unit in booklet}) == 3 for booklet in plan[5:])


def test_units_that_are_judged_more_often_come_after_the_others() -> None:
    units = [replace(unit, k=2 if n % 7 == 0 else 1) for n, unit in enumerate(crossed(12, 5, 1))]
    plan = draw(units, 6)
    check_apart(plan, units, 6)
    assert len({unit.key for booklet in plan[:10] for unit in booklet}) == 60


def test_sets_larger_than_the_items_are_refused() -> None:
    with pytest.raises(PlanImpossible, match=r"only 5 items\. Choose a set size of 5\.") as refused:
        draw(crossed(5, 3, 1), 6)
    assert refused.value.nearest == {"set_size": 5}


def test_what_is_crossed() -> None:
    assert is_crossed(crossed(3, 2, 1))
    assert not is_crossed(crossed(3, 2, 1)[1:])
    assert is_crossed([replace(unit, item=None) for unit in crossed(3, 1, 1)])
    assert not is_crossed([replace(unit, item=None) for unit in crossed(3, 2, 1)])


def test_a_plan_that_broke_a_promise_would_not_leave_the_design(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tasks_app.designs.engine.equitable.Colouring.level", lambda self: self.colours)
    monkeypatch.setattr(
        "tasks_app.designs.engine.squares.Placing.orders", lambda _self, counts: [list(c.elements()) for c in counts]
    )
    with pytest.raises(RuntimeError, match=r"breaks its promises: uneven \['system"):
        draw(crossed(12, 4, 2), 6)
