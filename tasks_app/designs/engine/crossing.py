"""Deal a full crossing of items and systems to booklets as a Latin square."""

from collections import Counter
from collections.abc import Sequence
from random import Random

from tasks_app.designs.base import Plan, PlanUnit
from tasks_app.designs.engine.equitable import Colouring
from tasks_app.designs.engine.squares import Placing


def n_items(units: Sequence[PlanUnit]) -> int:
    """Count the items; a unit of no item is an item of its own."""
    return len({_item(unit) for unit in units})


def crossed(units: Sequence[PlanUnit]) -> bool:
    """Return whether every item has exactly one unit of each class; a unit of no item is an item of its own."""
    classes = {unit.systems for unit in units}
    cells = {(_item(unit), unit.systems) for unit in units}
    return len(cells) == len(units) == len({_item(unit) for unit in units}) * len(classes)


def layers(items: Sequence[int], times: int, size: int, rng: Random) -> list[int]:
    """Return every item so many times, all once before any comes again, and none twice in a booklet of `size` places.

    `size` is at most the number of items. Each layer has an order of its own.
    """
    sequence: list[int] = []
    for _layer in range(times):
        begun = len(sequence) % size
        recent = set(sequence[len(sequence) - begun :])
        order = rng.sample(items, len(items))
        head = [item for item in order if item not in recent][: size - begun]
        first = set(head)
        sequence += [*head, *(item for item in order if item not in first)]
    return sequence


class Crossing:
    """The units of a full crossing by item and class, and the draws made with them.

    The items are laid in layers, each holding every item once, and cut into booklets. Which class of an item comes
    in which of its layers is an equitable colouring; at which place a class stands in a booklet follows Latin squares.
    """

    def __init__(self, units: Sequence[PlanUnit], size: int, rng: Random) -> None:
        self.size, self.rng = size, rng
        classes = {systems: c for c, systems in enumerate(sorted({unit.systems for unit in units}))}
        items = {item: i for i, item in enumerate(dict.fromkeys(map(_item, units)))}
        self.classes, self.items = len(classes), len(items)
        self._unit = {(items[_item(unit)], classes[unit.systems]): unit for unit in units}

    def draw(self, rounds: int) -> Plan:
        """Return booklets that hold every unit `rounds` times."""
        laid = layers(range(self.items), rounds * self.classes, self.size, self.rng)
        booklets = [place // self.size for place in range(len(laid))]
        round_of = self.items * self.classes
        groups = [place // round_of * self.items + item for place, item in enumerate(laid)]
        colours = Colouring(self._begin(groups), groups, booklets, self.rng).level()
        counts = [Counter(dict.fromkeys(range(self.classes), 0)) for _ in range(booklets[-1] + 1)]
        held: list[dict[int, list[int]]] = [{} for _ in counts]
        for item, booklet, c in zip(laid, booklets, colours, strict=True):
            counts[booklet][c] += 1
            held[booklet].setdefault(c, []).append(item)
        orders = Placing(self.classes, self.size, self.rng).orders(counts)
        return [self._booklet(items, order) for items, order in zip(held, orders, strict=True)]

    def _begin(self, groups: Sequence[int]) -> list[int]:
        """Return classes at random, each once in a group."""
        left: dict[int, list[int]] = {}
        for group in groups:
            if group not in left:
                left[group] = self.rng.sample(range(self.classes), self.classes)
        return [left[group].pop() for group in groups]

    def _booklet(self, items: dict[int, list[int]], order: Sequence[int]) -> tuple[PlanUnit, ...]:
        for of_class in items.values():
            self.rng.shuffle(of_class)
        return tuple(self._unit[items[c].pop(), c] for c in order)


def _item(unit: PlanUnit) -> tuple[str | None, str]:
    return (unit.item, "") if unit.item is not None else (None, unit.key)
