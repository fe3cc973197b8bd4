"""Checks among the units of a set: at random but balanced places, far enough apart, and nothing of the set lost."""

from collections import Counter
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tasks_app.designs.weaving import (
    ATTENTION,
    CONTROL,
    DEGRADED,
    MAIN,
    REPEAT,
    Extras,
    Slot,
    room_for_repeats,
    share_out,
    weave,
)

items_of = st.lists(st.one_of(st.none(), st.integers(0, 8)), min_size=1, max_size=24)
seeds = st.text("abcdef0123456789", min_size=1, max_size=6)


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[int | None], Extras, int, str, int]:
    items = draw(items_of)
    n = len(items)
    extras = Extras(
        controls=draw(st.integers(0, n + 2)),
        attention=draw(st.integers(0, 3)),
        repeats=draw(st.integers(0, 5)),
        degraded=draw(st.integers(0, 5)),
        degradable=tuple(sorted(draw(st.sets(st.integers(0, n - 1))))),
        systems=tuple((f"s{number % 3}",) for number in range(n)) if draw(st.booleans()) else (),
        used={REPEAT: {"s1": 2}, DEGRADED: {"s0": 1}},
    )
    return items, extras, draw(st.integers(0, 12)), draw(seeds), draw(st.integers(0, 400))


def distances(woven: list[Slot], items: list[int | None]) -> list[int]:
    """How far every copy stands from its unit and from any unit of its item, in units to judge."""
    found = []
    mains = 0
    for slot in woven:
        mains += slot.kind == MAIN
        if slot.kind not in {REPEAT, DEGRADED}:
            continue
        item = items[slot.index]
        same = [one for one in range(len(items)) if one == slot.index or (item is not None and items[one] == item)]
        found += [mains - one if one < mains else one + 1 - mains for one in same]
    return found


@given(cases())
def test_nothing_is_lost_and_the_units_keep_their_order(case: Any) -> None:
    items, extras, spacing, seed, turn = case
    woven = weave(items, extras, spacing, seed=seed, turn=turn)
    assert [slot.index for slot in woven if slot.kind == MAIN] == list(range(len(items)))
    assert sorted(slot.index for slot in woven if slot.kind == CONTROL) == list(range(extras.controls))
    assert sorted(slot.index for slot in woven if slot.kind == ATTENTION) == list(range(extras.attention))
    assert sum(slot.kind == REPEAT for slot in woven) <= extras.repeats
    assert {slot.index for slot in woven if slot.kind == DEGRADED} <= set(extras.degradable)
    assert woven == weave(items, extras, spacing, seed=seed, turn=turn), "the same seed and turn give another set"


@given(cases())
def test_copies_come_after_their_unit_and_far_from_every_unit_of_its_item(case: Any) -> None:
    items, extras, spacing, seed, turn = case
    woven = weave(items, extras, spacing, seed=seed, turn=turn)
    for position, slot in enumerate(woven):
        if slot.kind in {REPEAT, DEGRADED}:
            assert Slot(MAIN, slot.index) in woven[:position]
    assert all(distance >= max(1, spacing) for distance in distances(woven, items))
    copies = [slot.index for slot in woven if slot.kind in {REPEAT, DEGRADED}]
    shown = [items[index] if items[index] is not None else f"unit {index}" for index in copies]
    assert len(shown) == len(set(shown)), "an item comes a third time"


@given(st.integers(1, 24), st.integers(1, 12), st.integers(0, 3))
def test_as_many_repeats_as_there_is_room_for(size: int, spacing: int, over: int) -> None:
    room = room_for_repeats(size, spacing)
    woven = weave(list(range(size)), Extras(repeats=room + over), spacing, seed="7", turn=3)
    assert sum(slot.kind == REPEAT for slot in woven) == room


@given(st.integers(1, 30), st.integers(1, 6), seeds, st.integers(0, 50))
def test_a_control_stands_once_at_every_place_of_its_stretch(n: int, controls: int, seed: str, first: int) -> None:
    """Over as many consecutive turns as a stretch has places."""
    for number in range(controls):
        start, end = number * n // controls, (number + 1) * n // controls
        length = max(1, end - start)
        stood = []
        for turn in range(first, first + length):
            woven = weave(list(range(n)), Extras(controls=controls), 1, seed=seed, turn=turn)
            where = woven.index(Slot(CONTROL, number))
            stood.append(sum(slot.kind == MAIN for slot in woven[:where]))
        assert sorted(stood) == list(range(start, start + length))


@given(st.integers(2, 4), st.integers(1, 4), st.sampled_from([REPEAT, DEGRADED]), st.integers(0, 99))
def test_copies_are_of_every_system_equally_often(n_systems: int, wanted: int, kind: str, first: int) -> None:
    """To within one after every set, where each set has room for a copy of each system."""
    systems = tuple((f"s{number % n_systems}",) for number in range(20))
    used: Counter[str] = Counter({system: 0 for (system,) in systems})
    for turn in range(first, first + 12):
        extras = Extras(
            repeats=wanted if kind == REPEAT else 0,
            degraded=wanted if kind == DEGRADED else 0,
            degradable=tuple(range(20)),
            systems=systems,
            used={kind: used},
        )
        woven = weave(list(range(20)), extras, 10, seed="s", turn=turn)
        copies = [slot.index for slot in woven if slot.kind == kind]
        assert len(copies) == wanted
        used.update(systems[index][0] for index in copies)
        assert max(used.values()) - min(used.values()) <= 1


def test_repeats_are_spread_over_the_places_of_a_set_in_the_long_run() -> None:
    """Of 1,100 sets of 20 with two repeats at least 10 later, each of the 11 places with room is repeated 200 times."""
    woven = [weave(list(range(20)), Extras(repeats=2), 10, seed="5", turn=turn) for turn in range(1100)]
    originals = Counter(slot.index for one in woven for slot in one if slot.kind == REPEAT)
    assert sum(originals.values()) == 2200
    assert originals == dict.fromkeys(range(11), 200)


@given(st.integers(0, 20), st.integers(1, 6), st.integers(0, 30))
def test_what_is_shared_out_over_blocks_is_even(total: int, parts: int, first: int) -> None:
    turns = [share_out(total, parts, turn) for turn in range(first, first + parts)]
    assert all(sum(shares) == total and max(shares) - min(shares) <= 1 for shares in turns)
    assert {sum(shares[part] for shares in turns) for part in range(parts)} == {total}
