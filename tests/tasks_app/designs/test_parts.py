"""The parts of the independent design: spacing, shares of classes, rounds."""

from collections import Counter
from itertools import permutations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks_app.designs.engine.chairman import DeadEnd, chairmen
from tasks_app.designs.engine.rounds import Segment, booklet_sizes, cut
from tasks_app.designs.engine.shares import RoundShares
from tasks_app.designs.engine.spacing import _greedy_order, room, smallest_gap, spaced_order

ITEMS = st.lists(st.none() | st.integers(0, 3), min_size=1, max_size=7)


def spaced(items: list[int | None], spacing: int) -> bool:
    return all(
        b - a >= spacing
        for a, one in enumerate(items)
        for b, other in enumerate(items)
        if a < b and one is not None and one == other
    )


@given(items=ITEMS, spacing=st.integers(0, 5), seed=st.integers(0, 2**32))
def test_an_order_is_found_exactly_where_there_is_one(items: list[int | None], spacing: int, seed: int) -> None:
    order = spaced_order(items, spacing, Random(seed))
    possible = any(spaced(list(other), spacing) for other in permutations(items))
    assert (order is not None) == possible
    if order is not None:
        assert sorted(order) == list(range(len(items)))
        assert spaced([items[index] for index in order], spacing)


@given(items=ITEMS, spacing=st.integers(0, 5))
def test_room_is_exactly_what_fits(items: list[int | None], spacing: int) -> None:
    most, at_most = room(len(items), spacing)
    times = Counter(item for item in items if item is not None)
    fits = max(times.values(), default=0) <= most and sum(n == most for n in times.values()) <= at_most
    assert fits == any(spaced(list(other), spacing) for other in permutations(items))


def test_where_positions_at_random_collide_an_order_is_built_from_either_end() -> None:
    assert spaced_order([0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 5, Random(1)) is None  # four times 5 apart: 16 places
    items = [0, 0, 0, 1, 2, 3, 4, 5, 6, 7]
    places = set()
    for seed in range(20):
        order = _greedy_order(items, 4, Random(seed))
        assert order is not None
        places.add(tuple(place for place, index in enumerate(order) if items[index] == 0))
    # As early as can be but for the last, or as late as can be but for the first.
    assert places <= {(0, 4, 8), (0, 4, 9), (1, 5, 9), (0, 5, 9)}
    assert {second for _first, second, _third in places} == {4, 5}


def test_smallest_gap_is_between_neighbours_of_one_item() -> None:
    assert smallest_gap(["a", None, "b", "a", None, "b", "a"]) == 3
    assert smallest_gap(["a", None, None]) is None


@given(sizes=st.lists(st.integers(0, 12), min_size=1, max_size=12), seed=st.integers(0, 2**32))
def test_chairmen_stay_within_the_bound_of_tijdeman(sizes: list[int], seed: int) -> None:
    sequence = chairmen(sizes, Random(seed))
    assert Counter(sequence) == Counter({c: n for c, n in enumerate(sizes) if n})
    classes, total = sum(map(bool, sizes)), sum(sizes)
    bound = 1 - 1 / (2 * classes - 2) if classes > 1 else 0
    for places in range(total + 1):
        counts = Counter(sequence[:places])
        assert all(abs(counts[c] - places * n / total) <= bound + 1e-9 for c, n in enumerate(sizes) if n)


def test_chairmen_keep_to_limits_or_say_that_they_cannot() -> None:
    free = [chairmen([5, 5], Random(seed))[:5].count(0) for seed in range(20)]
    limited = [chairmen([5, 5], Random(seed), head=5, limits={0: 2, 1: 5})[:5].count(0) for seed in range(20)]
    assert set(free) == {2, 3}
    assert set(limited) == {2}
    with pytest.raises(DeadEnd):
        chairmen([5, 5], Random(1), head=4, limits={0: 0, 1: 5})


def test_shares_of_classes_that_overlap_are_levelled() -> None:
    signatures = [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)]
    sizes = [9, 7, 8, 4, 3, 5, 6]
    shares = RoundShares(sizes, [6] * 7, signatures, Random(3), limits=None, overlap=True)
    assert not shares.uneven
    due = [sum(n for n, shown in zip(sizes, signatures, strict=True) if x in shown) for x in range(3)]
    shown = Counter[int]()
    for counts in shares.counts[:-1]:
        assert sum(counts.values()) == 6
        for c, n in counts.items():
            shown.update(dict.fromkeys(signatures[c], n))
        assert all(abs(shown[x] - shown.total() * due[x] / sum(due)) < 1 for x in range(3))


def test_levelling_keeps_to_the_limits_of_the_first_segment() -> None:
    signatures = [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)]
    sizes = [9, 7, 8, 4, 3, 5, 6]
    limits = {0: 1, 1: 1, 2: 2, 3: 0, 4: 1, 5: 1, 6: 1}
    drawn = 0
    for seed in range(200):
        try:
            shares = RoundShares(sizes, [6] * 7, signatures, Random(seed), limits=limits, overlap=True)
        except DeadEnd:
            continue
        drawn += 1
        assert all(n <= limits[c] for c, n in shares.counts[0].items())
    assert drawn > 5


def test_booklets_go_over_the_end_of_a_round() -> None:
    assert cut([5, 5], 3) == [[Segment(0, 3), Segment(1, 2)], [Segment(1, 1), Segment(2, 3), Segment(3, 1)]]
    assert booklet_sizes(cut([5, 5], 3)) == [3, 3, 3, 1]
    assert booklet_sizes(cut([5, 5], 5)) == [5, 5]


def test_a_booklet_is_shorter_where_too_few_units_go_on() -> None:
    # Of 20 units 4 go on: the last 5 of the first round and 3 of these, not all, for one of them may be among the 5.
    assert booklet_sizes(cut([20, 4], 15)) == [15, 8, 1]
    assert booklet_sizes(cut([20, 2, 2], 10)) == [10, 10, 2, 2]
