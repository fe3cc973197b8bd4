"""Booklets that are being filled, and the units of a round that are in none yet."""

import heapq
from collections.abc import Sequence
from random import Random

from tasks_app.designs.engine.spacing import Room


class Booklet:
    """The units gathered so far, and their faults."""

    __slots__ = ("_full", "_over", "_times", "_twice", "room", "units")

    def __init__(self, room: Room) -> None:
        self.room = room
        self.units: dict[int, int] = {}  # how often each is here
        self._times: dict[int, int] = {}  # how often each item is here
        self._full = 0
        self._over = 0
        self._twice = 0

    @property
    def faults(self) -> int:
        """Units that stand here twice, and units that are more than there is room for of their item."""
        return self._twice + self._over + max(self._full - self.room.items, 0)

    def add(self, unit: int, item: int | None) -> None:
        """Put a unit in."""
        self._twice += unit in self.units
        self.units[unit] = self.units.get(unit, 0) + 1
        if item is not None:
            times = self._times[item] = self._times.get(item, 0) + 1
            self._full += times == self.room.most
            self._over += times > self.room.most

    def remove(self, unit: int, item: int | None) -> None:
        """Take a unit out."""
        self.units[unit] -= 1
        if not self.units[unit]:
            del self.units[unit]
        self._twice -= unit in self.units
        if item is not None:
            times = self._times[item]
            self._full -= times == self.room.most
            self._over -= times > self.room.most
            self._times[item] -= 1

    def takes(self, unit: int, item: int | None) -> bool:
        """Return whether the unit may come in without a fault."""
        if unit in self.units:
            return False
        if item is None:
            return True
        times = self._times.get(item, 0) + 1
        return times < self.room.most or (times == self.room.most and self._full < self.room.items)

    def is_at_fault(self, unit: int, item: int | None) -> bool:
        """Return whether there would be fewer faults without this unit."""
        if self.units[unit] > 1:
            return True
        if item is None:
            return False
        times = self._times[item]
        return times > self.room.most or (times == self.room.most and self._full > self.room.items)


class Pool:
    """The units of a round that are still to be placed.

    They are taken class by class; within a class the item with most units left in the round comes first, so that no
    item is left over for the last booklets. Ties are drawn. Items are queued, not units: many units of one item cost
    no more than one.
    """

    def __init__(self, units: Sequence[int], classes: Sequence[int], items: Sequence[int | None], rng: Random) -> None:
        self.items, self.rng = items, rng
        self._left: dict[int, int] = {}
        self._units: dict[int, dict[int, list[int]]] = {}  # by class and item
        self._queues: dict[int, list[tuple[int, float, int]]] = {}
        self._aside: dict[int, list[int]] = {}
        drawn = rng.sample(units, len(units))
        for unit in drawn:
            item = self._item(unit)
            self._left[item] = self._left.get(item, 0) + 1
            self._units.setdefault(classes[unit], {}).setdefault(item, []).append(unit)
        for unit in drawn:
            c, item = classes[unit], self._item(unit)
            if self._units[c][item][0] == unit:
                self._queues.setdefault(c, []).append((-self._left[item], rng.random(), item))
        for queue in self._queues.values():
            heapq.heapify(queue)

    def _item(self, unit: int) -> int:
        """Return the item of a unit; a unit of no item is an item of its own."""
        item = self.items[unit]
        return -1 - unit if item is None else item

    def take(self, c: int, booklet: Booklet) -> int:
        """Return a unit of class c for the booklet: one that it takes without a fault or, where there is none, any."""
        queue, aside = self._queues[c], self._aside.setdefault(c, [])
        while queue:
            urgency, tie, item = heapq.heappop(queue)
            if urgency != -self._left[item]:
                # Units of the item have gone to other classes since: less urgent than it was, so it queues again.
                heapq.heappush(queue, (-self._left[item], tie, item))
                continue
            units = self._units[c][item]
            index = _new_to(booklet, units)
            if index is None or not booklet.takes(units[index], self.items[units[index]]):
                aside.append(item)
                continue
            self._left[item] -= 1
            unit = units.pop(index)
            if units:
                heapq.heappush(queue, (-self._left[item], self.rng.random(), item))
            else:
                del self._units[c][item]
            return unit
        return self._take_any(c, aside, booklet)

    def _take_any(self, c: int, aside: list[int], booklet: Booklet) -> int:
        of_class = self._units[c]
        candidates = ((item, _new_to(booklet, of_class[item])) for item in aside)
        item, index = next(((item, index) for item, index in candidates if index is not None), (aside[0], -1))
        self._left[item] -= 1
        unit = of_class[item].pop(index)
        if not of_class[item]:
            del of_class[item]
            aside.remove(item)
        return unit

    def next_booklet(self) -> None:
        """Queue again the items that the last booklet did not take."""
        for c, aside in self._aside.items():
            for item in aside:
                heapq.heappush(self._queues[c], (-self._left[item], self.rng.random(), item))
        self._aside = {}


def _new_to(booklet: Booklet, units: Sequence[int]) -> int | None:
    """Return the index of the last of the units that is not in the booklet."""
    last = len(units) - 1
    if last >= 0 and units[last] not in booklet.units:
        return last
    return next((i for i in range(len(units) - 1, -1, -1) if units[i] not in booklet.units), None)
