"""Keep units of one item apart within a booklet."""

import heapq
from collections import deque
from collections.abc import Sequence
from random import Random
from typing import NamedTuple

# Draws of random positions before the order is built greedily; most booklets need one.
_DRAWS = 30


class Room(NamedTuple):
    """The number of times that one item fits into a booklet, and the number of items that may occur as often."""

    most: int
    items: int


def room(size: int, spacing: int) -> Room:
    """Return the room for items in `size` places when units of one item stand `spacing` places apart.

    An item that comes m times covers (m - 1) * spacing + 1 places from its first to its last unit, and c such items
    need (m - 1) * spacing + c. Nothing more is needed: the greedy order below succeeds on every such booklet.
    """
    spacing = max(spacing, 1)
    most = 1 + (size - 1) // spacing
    return Room(most, size - (most - 1) * spacing)


def spaced_order(items: Sequence[int | None], spacing: int, rng: Random) -> list[int] | None:
    """Return a random order of the indices of `items` with equal items `spacing` apart; None if there is none.

    None stands for no item: such places are free. Random positions are drawn for the items that come more than once;
    where they keep colliding, the order is built item by item, most often first.
    """
    places: dict[int, list[int]] = {}
    for index, item in enumerate(items):
        if item is not None:
            places.setdefault(item, []).append(index)
    repeated = [indices for indices in places.values() if len(indices) > 1]
    if not repeated or spacing <= 1:
        order = list(range(len(items)))
        rng.shuffle(order)
        return order
    for _ in range(_DRAWS):
        drawn = _random_order(len(items), repeated, spacing, rng)
        if drawn is not None:
            return drawn
    return _greedy_order(items, spacing, rng)


def smallest_gap(items: Sequence[object | None]) -> int | None:
    """Return the least distance between two equal items; None if no item occurs twice."""
    last: dict[object, int] = {}
    smallest: int | None = None
    for index, item in enumerate(items):
        if item is None:
            continue
        if item in last and (smallest is None or index - last[item] < smallest):
            smallest = index - last[item]
        last[item] = index
    return smallest


def _random_order(size: int, repeated: list[list[int]], spacing: int, rng: Random) -> list[int] | None:
    order: list[int | None] = [None] * size
    repeated = [rng.sample(indices, len(indices)) for indices in rng.sample(repeated, len(repeated))]
    for indices in sorted(repeated, key=len, reverse=True):
        free = size - (len(indices) - 1) * (spacing - 1)
        if free < len(indices):
            return None
        slots = sorted(rng.sample(range(free), len(indices)))
        for step, (slot, index) in enumerate(zip(slots, indices, strict=True)):
            place = slot + step * (spacing - 1)
            if order[place] is not None:
                return None
            order[place] = index
    placed = set(order)
    unplaced = [index for index in range(size) if index not in placed]
    rng.shuffle(unplaced)
    return [unplaced.pop() if index is None else index for index in order]


def _greedy_order(items: Sequence[int | None], spacing: int, rng: Random) -> list[int] | None:
    groups: dict[object, list[int]] = {}
    for index, item in enumerate(items):
        groups.setdefault(("free", index) if item is None else item, []).append(index)
    for indices in groups.values():
        rng.shuffle(indices)
    ready = [(-len(indices), rng.random(), indices) for indices in groups.values()]
    heapq.heapify(ready)
    resting: deque[tuple[int, list[int]]] = deque()
    order: list[int] = []
    for place in range(len(items)):
        if resting and resting[0][0] <= place:
            _, indices = resting.popleft()
            heapq.heappush(ready, (-len(indices), rng.random(), indices))
        if not ready:
            return None
        indices = heapq.heappop(ready)[2]
        order.append(indices.pop())
        if indices:
            resting.append((place + spacing, indices))
    # Built front to back the frequent items come early; half of the booklets are turned round.
    return order[::-1] if rng.random() < 0.5 else order
