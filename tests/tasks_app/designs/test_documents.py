"""Whole documents, each in order, by one system or by all, as evenly as their lengths allow."""

from collections import Counter
from dataclasses import replace
from itertools import groupby
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks_app.designs import registry
from tasks_app.designs.balance import measure
from tasks_app.designs.base import PlanImpossible, PlanSettings, PlanUnit
from tasks_app.designs.engine.pieces import pack
from tests.tasks_app.designs import oracle
from tests.tasks_app.designs.unit_sets import crossed, documents

design = registry["documents"]()
Plan = list[tuple[PlanUnit, ...]]
LENGTHS = st.lists(st.integers(1, 5), min_size=1, max_size=8)


def draw(units: list[PlanUnit], set_size: int, seed: int = 1, *, all_systems: bool = False) -> Plan:
    return registry["documents"]({"all_systems": all_systems}).draw(units, PlanSettings(set_size, 10), Random(seed))


def pieces(booklet: tuple[PlanUnit, ...]) -> list[list[PlanUnit]]:
    """The documents of a booklet, each by one system, as they follow one another."""
    return [list(some) for _name, some in groupby(booklet, key=lambda unit: (unit.document, unit.systems))]


def check_whole(plan: Plan, units: list[PlanUnit]) -> None:
    """Every judgment is there, and every piece is the whole document in its order."""
    assert Counter(unit.key for booklet in plan for unit in booklet) == {unit.key: unit.k for unit in units}
    items = Counter((unit.document, unit.systems) for unit in units)
    for piece in (piece for booklet in plan for piece in pieces(booklet)):
        assert [unit.position for unit in piece] == list(range(items[piece[0].document, piece[0].systems]))


@given(lengths=LENGTHS, systems=st.integers(1, 5), k=st.integers(1, 3), set_size=st.integers(5, 15), seed=st.integers())
def test_a_document_comes_by_one_system_and_all_take_turns(
    lengths: list[int], systems: int, k: int, set_size: int, seed: int
) -> None:
    units = documents(lengths, systems, k)
    plan = draw(units, set_size, seed)
    check_whole(plan, units)
    shown: Counter[object] = Counter({one: 0 for unit in units for one in unit.systems})
    for b, booklet in enumerate(plan, start=1):
        read = pieces(booklet)
        assert len(booklet) <= set_size
        assert len({piece[0].document for piece in read}) == len(read)
        here: Counter[object] = Counter(piece[0].systems[0] for piece in read)
        shown.update(here)
        assert max(shown.values()) - min(shown.values()) <= 1
        assert max(here[one] for one in shown) - min(here[one] for one in shown) <= 1
        counts = [oracle.document_counts(plan[:b])[f"document {d}"] for d in range(len(lengths))]
        assert max(counts) - min(counts) <= 1
        assert oracle.unit_spread([unit for one in plan[:b] for unit in one], units) <= 1


@given(lengths=LENGTHS, systems=st.integers(1, 4), k=st.integers(1, 3), room=st.integers(0, 9), seed=st.integers())
def test_one_rater_may_read_a_document_by_all_systems(
    lengths: list[int], systems: int, k: int, room: int, seed: int
) -> None:
    units = documents(lengths, systems, k)
    plan = draw(units, systems * max(lengths) + room, seed, all_systems=True)
    check_whole(plan, units)
    first: Counter[tuple[str, ...]] = Counter({unit.systems: 0 for unit in units})
    for b, booklet in enumerate(plan, start=1):
        # One system of a document after the other, and nothing between them.
        read = [[piece[0].systems for piece in some] for _d, some in groupby(pieces(booklet), lambda p: p[0].document)]
        assert all(len(some) == systems == len(set(some)) for some in read)
        first.update(some[0] for some in read)
        assert max(first.values()) - min(first.values()) <= 1, "a system is read first too often"
        counts = [oracle.document_counts(plan[:b])[f"document {d}"] for d in range(len(lengths))]
        assert max(counts) - min(counts) <= 1


def test_two_documents_by_two_systems() -> None:
    """Worked out by hand: each of two sets has both documents, by different systems, and the second the other way."""
    plan = draw(documents([2, 2], 2, 1), 4)
    assert len(plan) == 2
    read = [{piece[0].document: piece[0].systems[0] for piece in pieces(booklet)} for booklet in plan]
    assert {one["document 0"] for one in read} == {one["document 1"] for one in read} == {"system 0", "system 1"}
    assert all(one["document 0"] != one["document 1"] for one in read)


def test_items_of_no_document_are_documents_of_one() -> None:
    units = crossed(9, 3, 2)
    plan = draw(units, 6)
    assert [len(booklet) for booklet in plan] == [6] * 9
    assert all(len({unit.item for unit in booklet}) == 6 for booklet in plan)
    assert design.promised([*units, *documents([2], 3, 2)], PlanSettings(6, 1)) == ("unit", "document")


@pytest.mark.parametrize(("all_systems", "needed"), [(False, 7), (True, 21)])
def test_a_document_longer_than_a_set_is_refused_with_its_length(all_systems: bool, needed: int) -> None:
    units = documents([2, 7, 3], 3, 2)
    with pytest.raises(
        PlanImpossible, match=f"“document 1”.* {needed} units.*Choose a set size of {needed}"
    ) as refused:
        draw(units, 6, all_systems=all_systems)
    assert refused.value.nearest == {"set_size": needed}
    check_whole(draw(units, needed, all_systems=all_systems), units)


def test_a_text_shared_in_a_part_of_a_document_is_refused_by_name() -> None:
    units = documents([3], 2, 1)[2:]
    units.append(PlanUnit("both", 1, "item 0.2", "document 0", 2, (("system 0", "system 1"),)))
    with pytest.raises(PlanImpossible, match=r"“item 0.2” a text is shared by system 0, system 1.*keep_identical"):
        draw(units, 10)


def test_documents_whose_texts_are_all_shared_are_not() -> None:
    units = [PlanUnit(str(i), 1, str(i), "d", i, (("a", "b"),)) for i in range(3)]
    assert draw(units, 5) == [tuple(units)]


def test_a_document_is_judged_as_often_throughout() -> None:
    units = documents([2, 2], 2, 1)
    with pytest.raises(PlanImpossible, match=r"and 2 for “0\.0-0”, .* judged as a whole"):
        draw([replace(unit, k=2) if unit.key == "0.0-0" else unit for unit in units], 4)
    more = [replace(unit, k=3) if unit.document == "document 1" else unit for unit in units]
    plan = draw(more, 4)
    check_whole(plan, more)
    assert oracle.document_counts(plan) == {"document 0": 2, "document 1": 6}


def test_what_is_missing_of_a_document_is_left_out_of_it() -> None:
    units = [unit for unit in documents([3, 3, 2], 3, 2) if unit.key != "1.1-2"]
    plan = draw(units, 6)
    assert measure(plan, units).complete
    short = [piece for booklet in plan for piece in pieces(booklet) if piece[0].document == "document 1"]
    assert sorted([unit.position for unit in piece] for piece in short) == [[0, 1, 2]] * 4 + [[0, 2]] * 2


def test_variants_of_one_system_are_read_one_a_set() -> None:
    units = [PlanUnit(f"{i}{v}", 1, f"i{i}", "d", i, (("a",),)) for i in range(2) for v in "xy"]
    assert [[unit.key for unit in booklet] for booklet in draw(units, 9)] in (
        [["0x", "1x"], ["0y", "1y"]],
        [["0y", "1y"], ["0x", "1x"]],
    )


def test_packing_closes_a_booklet_only_where_nothing_fits() -> None:
    packed = pack([[0, 1, 2, 3]], [3, 3, 2, 2], 5, Random(1))
    assert [sum([3, 3, 2, 2][d] for d in some) for some in packed] == [5, 5]
    # The next layer goes on in the same booklet, but not with a document that is in it.
    assert sorted(map(len, pack([[0, 1], [0, 1]], [1, 1], 3, Random(1)))) == [2, 2]


def test_the_order_is_the_point() -> None:
    assert design.keeps_order
    assert design.by_document
    assert not registry["independent"].keeps_order


def test_systems_are_nearer_by_unit_than_documents_alone_make_them(monkeypatch: pytest.MonkeyPatch) -> None:
    units = documents([8, 12, 10, 5, 15] * 4, 5, 2)
    leaning = measure(draw(units, 20), units)
    monkeypatch.setattr("tasks_app.designs.engine.equitable.Colouring.lean", lambda self, _weights: self.colours)
    by_document = measure(draw(units, 20), units)
    assert leaning.system.worst_spread < by_document.system.worst_spread
    assert max(leaning.document_system_spread) == max(by_document.document_system_spread) == 1
