"""Batches from a file come as they are, k times over, or it is said which unit is amiss."""

from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks_app.designs import draw_booklets, registry
from tasks_app.designs.base import Batch, Design, PlanImpossible, PlanSettings, PlanUnit
from tests.tasks_app.designs import oracle
from tests.tasks_app.designs.unit_sets import crossed

design = registry["batches"]()
Plan = list[tuple[PlanUnit, ...]]


def batches(*listed: list[str]) -> tuple[Batch, ...]:
    return tuple(Batch(str(number), tuple(units)) for number, units in enumerate(listed))


def draw(
    units: list[PlanUnit],
    batches: tuple[Batch, ...],
    size: int = 20,
    spacing: int = 1,
    seed: int = 1,
    design: Design = design,
) -> Plan:
    return design.draw(units, PlanSettings(size, spacing, batches), Random(seed))


def keys(plan: Plan) -> list[list[str]]:
    return [[unit.key for unit in booklet] for booklet in plan]


def test_all_batches_come_once_then_again_in_the_order_of_the_file() -> None:
    units = crossed(2, 2, 2)
    listed = [["1-1", "0-0", "1-0"], ["0-1"]]
    assert keys(draw(units, batches(*listed))) == listed + listed


def test_units_wanted_more_often_come_back_without_the_others() -> None:
    units = [replace(unit, k={"0-0": 3, "1-1": 2}.get(unit.key, 1)) for unit in crossed(2, 2, 1)]
    plan = draw(units, batches(["0-0", "0-1"], ["1-1", "1-0"]))
    assert keys(plan) == [["0-0", "0-1"], ["1-1", "1-0"], ["0-0"], ["1-1"], ["0-0"]]


@given(
    items=st.integers(1, 6),
    systems=st.integers(1, 4),
    k=st.integers(1, 3),
    size=st.integers(1, 9),
    spacing=st.integers(0, 5),
    seed=st.integers(),
)
def test_units_shuffled_keep_the_spacing_or_the_widest_is_named(
    items: int, systems: int, k: int, size: int, spacing: int, seed: int
) -> None:
    units = crossed(items, systems, k)
    names = Random(seed).sample([unit.key for unit in units], len(units))
    listed = [names[start : start + size] for start in range(0, len(names), size)]
    shuffling = registry["batches"]({"order": "random"})
    try:
        plan = draw(units, batches(*listed), size, spacing, seed, shuffling)
    except PlanImpossible as impossible:
        widest = impossible.nearest["spacing"]
        with pytest.raises(PlanImpossible):
            draw(units, batches(*listed), size, widest + 1, seed, shuffling)
        plan, spacing = draw(units, batches(*listed), size, widest, seed, shuffling), widest
    assert [sorted(one) for one in keys(plan)] == [sorted(one) for one in listed] * k
    assert all(gap >= spacing for booklet in plan for gap in oracle.gaps(booklet))


@pytest.mark.parametrize(
    ("listed", "said"),
    [
        ([], r"no batches yet. Add batches \(step Raters"),
        ([["0-0", "0-1"], ["1-0"]], "“1-1” is in no batch; 1 units are not"),
        ([["0-0", "0-1"], ["1-0", "0-1", "1-1"]], "“0-1” is in two batches"),
    ],
)
def test_batches_that_do_not_hold_every_unit_once_are_refused(listed: list[list[str]], said: str) -> None:
    with pytest.raises(PlanImpossible, match=said):
        draw(crossed(2, 2, 1), batches(*listed))


def test_a_batch_larger_than_a_set_is_refused_with_its_size() -> None:
    listed = [["0-0", "0-1", "1-0"], ["1-1"]]
    with pytest.raises(PlanImpossible, match=r"“0” has 3 units.*Choose a set size of 3") as refused:
        draw(crossed(2, 2, 1), batches(*listed), size=2)
    assert refused.value.nearest == {"set_size": 3}
    assert keys(draw(crossed(2, 2, 1), batches(*listed), size=3)) == listed


@pytest.mark.parametrize("mode", ["rater", "block"])
def test_a_batch_names_texts_where_criteria_are_asked_apart(mode: str) -> None:
    units = [replace(u, key=f"{u.key}@{c}", criterion=c) for u in crossed(2, 2, 2) for c in ("fluency", "content")]
    # The answer to one of them is known, so it is not judged: the other criterion is, all the same.
    units = [unit for unit in units if unit.key != "0-0@fluency"]
    settings = PlanSettings(6, 1, batches(["0-0", "0-1", "1-0"], ["1-1"]))
    plan = draw_booklets(design, units, settings, mode, Random(1))
    assert Counter(unit.key for booklet in plan for unit in booklet) == {unit.key: 2 for unit in units}
    assert {frozenset(unit.base for unit in booklet) for booklet in plan} <= {
        frozenset({"0-0", "0-1", "1-0"}),
        frozenset({"0-1", "1-0"}),
        frozenset({"1-1"}),
    }


def test_nothing_is_promised() -> None:
    assert design.margins == design.promised(crossed(2, 2, 1), PlanSettings(2, 1)) == ()
    assert design.keeps_order
