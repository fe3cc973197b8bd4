"""Some units get more judgments: a share of every combination of systems, whole items at a time."""

from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks_app.designs.base import PlanUnit
from tasks_app.designs.engine.more_judgments import with_more
from tests.tasks_app.designs.unit_sets import crossed, pairs, shared


def drawn(units: list[PlanUnit], share: float, seed: int = 1) -> list[PlanUnit]:
    return [unit for unit in with_more(units, 7, share, Random(seed)) if unit.k == 7]


@given(items=st.integers(1, 40), systems=st.integers(1, 5), share=st.floats(0, 1), seed=st.integers(0, 2**32))
def test_whole_items_are_drawn_and_every_combination_has_its_share(
    items: int, systems: int, share: float, seed: int
) -> None:
    for units in (crossed(items, systems, 2), pairs(items, systems + 1, 2)):
        more = drawn(units, share, seed)
        assert all(abs(n - share * items) <= 1 for n in Counter(unit.systems for unit in more).values())
        per_item = Counter(unit.item for unit in more)
        assert set(per_item.values()) <= {len(units) // items}
        assert abs(len(per_item) - share * items) <= 1


@pytest.mark.parametrize("share", [0.0, 0.1, 0.25, 1 / 3, 0.5, 0.9, 1.0])
def test_one_text_an_item_is_drawn_evenly_over_systems(share: float) -> None:
    units = [PlanUnit(f"u{i}", 3, f"i{i}", None, 0, ((f"s{i % 3}",),)) for i in range(61)]
    more = Counter(unit.systems for unit in drawn(units, share))
    due = Counter(unit.systems for unit in units)
    assert all(abs(more[one] - share * n) < 1 for one, n in due.items())
    assert sum(more.values()) == pytest.approx(61 * share, abs=1)


@pytest.mark.parametrize("seed", range(5))
def test_published_outputs_that_systems_share_keep_to_their_share(seed: int) -> None:
    units = shared(3)
    more = drawn(units, 0.2, seed)
    counts, due = Counter(unit.systems for unit in more), Counter(unit.systems for unit in units)
    assert max(abs(counts[one] - 0.2 * n) for one, n in due.items()) < 1
    items = {unit.item for unit in more}
    assert len(more) == sum(unit.item in items for unit in units)


def test_criteria_asked_apart_are_drawn_together() -> None:
    units = [
        replace(unit, key=f"{unit.key}@{name}", criterion=name)
        for unit in crossed(10, 2, 1)
        for name in ("fluency", "style")
    ]
    more = Counter(unit.item for unit in drawn(units, 0.3))
    assert sorted(more.values()) == [4, 4, 4]


def test_documents_are_drawn_whole_where_the_design_wants_them() -> None:
    units = [replace(unit, document=f"d{i // 8}") for i, unit in enumerate(crossed(20, 2, 1))]
    more = {unit.key for unit in with_more(units, 7, 0.4, Random(1), by_document=True) if unit.k == 7}
    by_document = Counter(unit.document for unit in units if unit.key in more)
    assert list(by_document.values()) == [8, 8]


def test_the_same_seed_draws_the_same_units() -> None:
    units = crossed(30, 2, 1)
    assert drawn(units, 0.5, 4) == drawn(units, 0.5, 4)
    assert drawn(units, 0.5, 4) != drawn(units, 0.5, 5)
