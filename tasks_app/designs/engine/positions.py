"""Choose the position of each unit in its booklet, so that every class stands at every position equally often."""

from collections.abc import Sequence
from random import Random

from tasks_app.designs.engine.squares import matchings


def placed(booklets: Sequence[Sequence[int]], classes: Sequence[int], rng: Random) -> list[list[int]]:
    """Put the units of every booklet in order; `classes` has that of each unit.

    All booklets but the last are of one size, and classes are within one of each other in every prefix of them. Then
    every *turn*, as many booklets as there are classes, holds each class as often as a booklet has places, and the
    graph of its booklets and classes falls into one matching a place: each place goes through all classes in a turn.
    """
    size = max(map(len, booklets), default=0)
    several = len({classes[unit] for booklet in booklets for unit in booklet})
    starts = range(0, len(booklets), several or 1)
    return [order for start in starts for order in _turn(booklets[start : start + several], classes, size, rng)]


def _turn(booklets: Sequence[Sequence[int]], classes: Sequence[int], size: int, rng: Random) -> list[list[int]]:
    """Return orders in which each class is at most once at each position."""
    edges = [(b, classes[unit]) for b, booklet in enumerate(booklets) for unit in booklet]
    matching = matchings(edges, size, rng)
    # Where the last booklet is shorter, the places that it fills come first.
    last = len(booklets) - 1
    colours = sorted(rng.sample(range(size), size), key=lambda colour: (last, colour) not in matching)
    orders: list[list[int]] = []
    for b, booklet in enumerate(booklets):
        left: dict[int, list[int]] = {}
        for unit in rng.sample(booklet, len(booklet)):
            left.setdefault(classes[unit], []).append(unit)
        orders.append([left[matching[b, colour]].pop() for colour in colours if (b, colour) in matching])
    return orders
