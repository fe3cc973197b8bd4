"""Every design of the registry keeps the margins it declares, in every prefix, and says what would work where not."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tasks_app.designs import draw_booklets, registry
from tasks_app.designs.balance import measure
from tasks_app.designs.base import Batch, Design, PlanImpossible, PlanSettings, PlanUnit
from tests.tasks_app.designs.unit_sets import crossed, documents, unit_sets

DESIGNS = pytest.mark.parametrize("name", registry)
Plan = list[tuple[PlanUnit, ...]]


def design_called(name: str, **given: str) -> Design:
    """A design with its defaults, and a word for what has none."""
    fields = registry[name].Settings.base_fields
    needed = {setting: "word" for setting, field in fields.items() if field.required and field.initial is None}
    return registry[name](needed | given)


def batched(units: list[PlanUnit], wanted: PlanSettings) -> PlanSettings:
    """Settings with batches of three units, for the design that needs some."""
    bases = list(dict.fromkeys(unit.base for unit in units))
    batches = [Batch(str(start), tuple(bases[start : start + 3])) for start in range(0, len(bases), 3)]
    return replace(wanted, batches=tuple(batches))


def drawn(name: str, units: list[PlanUnit], wanted: PlanSettings, seed: int) -> Plan:
    return design_called(name).draw(units, batched(units, wanted), Random(seed))


def drawn_or_refused(name: str, units: list[PlanUnit], wanted: PlanSettings, seed: int) -> Plan | PlanImpossible:
    try:
        return drawn(name, units, wanted, seed)
    except PlanImpossible as impossible:
        return impossible


def check(name: str, plan: Plan, units: list[PlanUnit], wanted: PlanSettings) -> None:
    """What the design promises of these units, and what every design does."""
    design = design_called(name)
    balance = measure(plan, units)
    assert balance.complete
    assert all(1 <= size <= wanted.set_size for size in balance.sizes)
    promised = design.promised(units, wanted)
    assert set(promised) <= set(design.margins)
    for margin in promised:
        assert max(balance.spread(margin)) <= 1, margin
    if not design.keeps_order and balance.smallest_spacing is not None:
        assert balance.smallest_spacing >= wanted.spacing


def spread_over_documents(units: list[PlanUnit], size: int) -> list[PlanUnit]:
    """Units whose items are those of documents of `size` items."""
    numbers = {item: n for n, item in enumerate(dict.fromkeys(unit.item for unit in units))}
    return [
        replace(unit, document=f"d{numbers[unit.item] // size}", position=numbers[unit.item] % size)
        if unit.item is not None
        else unit
        for unit in units
    ]


@DESIGNS
@settings(suppress_health_check=[HealthCheck.too_slow])
@given(
    units=unit_sets(),
    size=st.integers(0, 3),
    set_size=st.integers(1, 14),
    spacing=st.integers(0, 6),
    seed=st.integers(0, 2**32),
)
def test_margins_hold_in_every_prefix_or_the_nearest_settings_work(
    name: str, units: list[PlanUnit], size: int, set_size: int, spacing: int, seed: int
) -> None:
    assume(any(unit.k for unit in units))
    units = spread_over_documents(units, size) if size else units
    wanted = PlanSettings(set_size, spacing)
    outcome = drawn_or_refused(name, units, wanted, seed)
    if isinstance(outcome, list):
        check(name, outcome, units, wanted)
        assert drawn(name, units, wanted, seed) == outcome
        return
    for setting, value in outcome.nearest.items():
        assert str(value) in str(outcome)
        nearest = replace(wanted, **{setting: value})
        check(name, drawn(name, units, nearest, seed + 1), units, nearest)


@DESIGNS
@settings(suppress_health_check=[HealthCheck.too_slow])
@given(
    lengths=st.lists(st.integers(1, 4), min_size=1, max_size=6),
    systems=st.integers(1, 5),
    k=st.integers(1, 3),
    set_size=st.integers(4, 12),
    seed=st.integers(0, 2**32),
)
def test_all_margins_hold_where_every_item_has_every_system(
    name: str, lengths: list[int], systems: int, k: int, set_size: int, seed: int
) -> None:
    units = documents(lengths, systems, k)
    wanted = PlanSettings(set_size, 1)
    assert design_called(name).promised(units, wanted) == registry[name].margins
    outcome = drawn_or_refused(name, units, wanted, seed)
    if isinstance(outcome, PlanImpossible):
        wanted = PlanSettings(outcome.nearest["set_size"], 1)
        outcome = drawn(name, units, wanted, seed)
    check(name, outcome, units, wanted)


@DESIGNS
def test_another_seed_gives_another_plan(name: str) -> None:
    units = documents([3, 2, 4, 3, 1], 3, 2)
    design = design_called(name, **({"order": "random"} if name == "batches" else {}))
    plans = [design.draw(units, batched(units, PlanSettings(6, 1)), Random(seed)) for seed in (1, 1, 2)]
    assert plans[0] == plans[1] != plans[2]


@DESIGNS
@pytest.mark.parametrize("mode", ["rater", "block"])
def test_criteria_can_be_asked_apart(name: str, mode: str) -> None:
    base = [replace(unit, document=f"d{unit.item}") for unit in crossed(6, 3, 2)]
    units = [replace(unit, key=f"{unit.key}@{key}", criterion=key) for unit in base for key in ("fluency", "content")]
    plan = draw_booklets(design_called(name), units, batched(units, PlanSettings(6, 1)), mode, Random(1))
    assert Counter(unit.key for booklet in plan for unit in booklet) == {unit.key: 2 for unit in units}
    assert all(len({unit.key for unit in booklet}) == len(booklet) <= 6 for booklet in plan)
    criteria = [[unit.criterion for unit in booklet] for booklet in plan]
    changes = [sum(a != b for a, b in pairwise(one)) for one in criteria]
    assert set(changes) == ({0} if mode == "rater" else {1})


@DESIGNS
def test_what_a_design_declares_can_be_measured(name: str) -> None:
    balance = measure([], [])
    assert all(balance.spread(margin) == () for margin in registry[name].margins)
    with pytest.raises(ValueError, match="'luck'"):
        balance.spread("luck")
