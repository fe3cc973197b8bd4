"""Cut rounds of units into booklets."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from tasks_app.designs.engine.spacing import Room, room


class Segment(NamedTuple):
    """The part of a booklet that comes from one round."""

    booklet: int
    length: int


def cut(rounds: Sequence[int], set_size: int) -> list[list[Segment]]:
    """Return the segments of each round, from the number of units in each (never more than in the round before).

    A booklet that ends one round and begins the next holds no unit twice, and every unit of a round is in the round
    before, so at most as many places as that one has units: where set_size is more, the booklet is shorter.
    """
    segments: list[list[Segment]] = [[] for _ in rounds]
    booklet = begun = 0
    for r, size in enumerate(rounds):
        left = size - begun
        begun = 0
        while left:
            n_units = min(left, set_size)
            segments[r].append(Segment(booklet, n_units))
            left -= n_units
            if not left and r + 1 < len(rounds):
                begun = min(set_size - n_units, (size - n_units) * rounds[r + 1] // size)
                if begun:
                    segments[r + 1].append(Segment(booklet, begun))
            booklet += 1
    return segments


def booklet_sizes(segments: Iterable[Sequence[Segment]]) -> list[int]:
    """Return the number of places of each booklet."""
    sizes: Counter[int] = Counter()
    for of_round in segments:
        for booklet, length in of_round:
            sizes[booklet] += length
    return [sizes[booklet] for booklet in range(len(sizes))]


def may_fit(loads: Sequence[Mapping[int, int]], segments: Sequence[Sequence[Segment]], spacing: int) -> bool:
    """Return whether the units of each item have room in the booklets, as far as counting tells.

    loads[r] says how many units of each item are in round r. What is refused here is impossible; what is let through is
    possible as a rule, for the balance of systems leaves much to choose from.
    """
    sizes = booklet_sizes(segments)
    rooms = [room(size, spacing) for size in sizes]
    cuts = [[(length, rooms[booklet]) for booklet, length in of_round] for of_round in segments]
    everything: Counter[int] = Counter()
    for of_round in loads:
        everything.update(of_round)
    return _has_room(everything, list(zip(sizes, rooms, strict=True))) and all(map(_has_room, loads, cuts))


def _has_room(loads: Mapping[int, int], cuts: Sequence[tuple[int, Room]]) -> bool:
    usual = sum(min(length, fits.most - 1) for length, fits in cuts)
    over = [load - usual for load in loads.values() if load > usual]
    # Once more than usual in each booklet, and that only for so many items.
    once_more = [fits.items for length, fits in cuts if length >= fits.most]
    return max(over, default=0) <= len(once_more) and sum(over) <= sum(once_more)
