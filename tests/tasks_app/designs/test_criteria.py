"""Criteria that are not asked together: one a rater, or all units on one, then the next."""

from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from tasks_app.designs import draw_booklets, registry
from tasks_app.designs.base import PlanImpossible, PlanSettings, PlanUnit
from tests.tasks_app.designs import oracle
from tests.tasks_app.designs.unit_sets import crossed

design = registry["independent"]()
KEYS = ("fluency", "content", "style")


def asked_apart(units: list[PlanUnit], n: int) -> list[PlanUnit]:
    """Every unit once for each of n criteria."""
    return [replace(unit, key=f"{unit.key}@{key}", criterion=key) for unit in units for key in KEYS[:n]]


def draw(units: list[PlanUnit], size: int, spacing: int, mode: str, seed: int = 1) -> list[tuple[PlanUnit, ...]]:
    return draw_booklets(design, units, PlanSettings(size, spacing), mode, Random(seed))


def _drawn(units: list[PlanUnit], size: int, mode: str, seed: int) -> list[tuple[PlanUnit, ...]]:
    """Draw a plan, or give the example up where the design has none."""
    try:
        return draw(units, size, 1, mode, seed)
    except PlanImpossible:
        reject()


def every_place_once(plan: list[tuple[PlanUnit, ...]], units: list[PlanUnit]) -> None:
    assert Counter(unit.key for booklet in plan for unit in booklet) == Counter({unit.key: unit.k for unit in units})


@given(st.integers(1, 6), st.integers(1, 4), st.integers(1, 4), st.integers(1, 3), st.integers(1, 12), st.integers())
def test_one_criterion_a_rater(items: int, systems: int, k: int, n: int, size: int, seed: int) -> None:
    units = asked_apart(crossed(items, systems, k), n)
    plan = _drawn(units, size, "rater", seed)
    every_place_once(plan, units)
    for booklet in plan:
        assert len({unit.criterion for unit in booklet}) == 1
        assert len({unit.key for unit in booklet}) == len(booklet) <= size
    seen: Counter[str] = Counter(dict.fromkeys(KEYS[:n], 0))
    for booklet in plan:
        seen[booklet[0].criterion] += 1
        assert max(seen.values()) - min(seen.values()) <= 1
    for key in KEYS[:n]:
        own = [unit for unit in units if unit.criterion == key]
        for places in oracle.prefixes([booklet for booklet in plan if booklet[0].criterion == key]):
            assert oracle.unit_spread(places, own) <= 1


@given(st.integers(1, 6), st.integers(1, 4), st.integers(1, 4), st.integers(2, 3), st.integers(3, 12), st.integers())
def test_blocks_of_criteria(items: int, systems: int, k: int, n: int, size: int, seed: int) -> None:
    units = asked_apart(crossed(items, systems, k), n)
    plan = _drawn(units, size, "block", seed)
    every_place_once(plan, units)
    first: Counter[tuple[int, str]] = Counter()
    for booklet in plan:
        assert len(booklet) <= size
        per_block = len(booklet) // n
        blocks = [booklet[start : start + per_block] for start in range(0, len(booklet), per_block)]
        assert len(blocks) == n
        assert all(len({unit.criterion for unit in block}) == 1 for block in blocks)
        assert len({tuple(unit.base for unit in block) for block in blocks}) == 1, "other texts on another criterion"
        first.update((place, block[0].criterion) for place, block in enumerate(blocks))
        counts = [first[place, key] for place in range(n) for key in KEYS[:n]]
        assert max(counts) - min(counts) <= 1, "a criterion comes first more often than another"


@pytest.mark.parametrize("left_out", KEYS[:2])
def test_a_text_that_is_judged_on_one_criterion_only_has_its_places(left_out: str) -> None:
    units = [unit for unit in asked_apart(crossed(4, 2, 2), 2) if unit.criterion != left_out or unit.item != "item 1"]
    assert len(units) == 14
    every_place_once(draw(units, 8, 1, "block"), units)


def test_what_would_work_is_said_in_the_settings_of_the_task() -> None:
    units = asked_apart(crossed(2, 3, 1), 2)
    with pytest.raises(PlanImpossible) as refused:
        draw(units, 12, 9, "block")
    nearest = refused.value.nearest["set_size"]
    every_place_once(draw(units, nearest, 9, "block"), units)


@pytest.mark.parametrize("mode", ["together", "page"])
def test_criteria_on_one_screen_leave_the_design_as_it_is(mode: str) -> None:
    units = crossed(4, 3, 2)
    assert draw(units, 6, 2, mode) == design.draw(units, PlanSettings(6, 2), Random(1))
