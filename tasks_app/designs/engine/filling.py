"""Choose the units of each booklet, given how many of each class it gets."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Protocol

from tasks_app.designs.engine.chairman import DeadEnd
from tasks_app.designs.engine.pool import Booklet, Pool
from tasks_app.designs.engine.spacing import Room

# Most exchanges that repair the booklets of one round: a fixed number, plus a number for each faulty booklet; and the
# partners tried for each exchange. Most rounds need none; in tight ones another draw helps more than more exchanges.
_EXCHANGES = 600
_EXCHANGES_EACH = 20
_PARTNERS = 60

# Units of different classes are exchanged with this many booklets before and after only: over more boundaries their
# classes would hardly keep to their shares.
_NEAR = 4

# Now and then an exchange that makes matters worse is made, to get out of places where none makes them better.
_WORSE = 0.02

# The share of exchanges between classes that ignore their effect on the balance of systems.
_CARELESS = 0.1


class Shares(Protocol):
    """The number of units of every class in each segment of a round, and those that may change places."""

    @property
    def counts(self) -> list[dict[int, int]]:
        """counts[s][c] is the number of units of class c in segment s."""

    def may_exchange(self, s: int, c: int, t: int, e: int) -> bool:
        """Return whether a unit of class c in segment s and one of class e in segment t may change places."""

    def stays_level(self, s: int, c: int, t: int, e: int) -> bool:
        """Return whether no boundary becomes less level when those two change places."""

    def exchange(self, s: int, c: int, t: int, e: int) -> None:
        """Let a unit of class c in segment s and one of class e in segment t change places."""


@dataclass(slots=True)
class _Round:
    """The booklet of each placed unit of a round, -1 for the others, and the placed units of each class."""

    where: array[int]
    held: dict[int, list[int]] = field(default_factory=dict)

    @classmethod
    def empty(cls, n_units: int) -> _Round:
        """Return a round in which no unit is placed yet."""
        return cls(array("q", [-1]) * n_units)


class Filling:
    """Fills booklets segment by segment.

    Where the booklet takes no unit of a class, one is put in all the same, and when the round is full units are
    exchanged between booklets until nothing is wrong (min-conflicts [1]_).

    References
    ----------
    .. [1] S. Minton et al. (1992). Minimizing conflicts: a heuristic repair method for constraint satisfaction
       and scheduling problems. Artificial Intelligence 58, 161-205.
    """

    def __init__(self, classes: Sequence[int], items: Sequence[int | None], rooms: Sequence[Room], rng: Random) -> None:
        self.classes, self.items, self.rng = classes, items, rng
        self.booklets = [Booklet(room) for room in rooms]
        self._round, self._before = _Round.empty(len(classes)), _Round.empty(len(classes))
        self._shares: Shares
        self._first = 0

    def fill_round(self, units: Sequence[int], booklets: Sequence[int], shares: Shares) -> None:
        """Put the units of a round into the booklets it has a segment in, so many of each class as the shares say.

        Where units of one class alone cannot be exchanged to an end, units of different classes are, as far as every
        class still keeps to its share; the shares follow. Raises DeadEnd where nothing helps.
        """
        self._before, self._round = self._round, _Round.empty(len(self.classes))
        self._shares, self._first = shares, booklets[0]
        pool = Pool(units, self.classes, self.items, self.rng)
        for booklet, counts in zip(booklets, shares.counts, strict=True):
            self._fill(booklet, counts, pool)
        self._repair(booklets)

    def _fill(self, b: int, counts: Mapping[int, int], pool: Pool) -> None:
        due_classes = [c for c, count in counts.items() for _ in range(count)]
        self.rng.shuffle(due_classes)
        for c in due_classes:
            unit = pool.take(c, self.booklets[b])
            self.booklets[b].add(unit, self.items[unit])
            self._round.where[unit] = b
            self._round.held.setdefault(c, []).append(unit)
        pool.next_booklet()

    def _repair(self, booklets: Sequence[int]) -> None:
        faulty = [b for b in booklets if self.booklets[b].faults]
        for _exchange in range(_EXCHANGES + _EXCHANGES_EACH * len(faulty)):
            if not faulty:
                return
            b = self.rng.choice(faulty)
            partner = self._exchange(b)
            if partner is not None:
                faulty = [f for f in faulty if f not in (b, partner)]
                faulty += [f for f in (b, partner) if self.booklets[f].faults]
        if faulty:
            raise DeadEnd

    def _exchange(self, b: int) -> int | None:
        """Exchange a unit of booklet b that is at fault for another of its round; returns where that was, if any."""
        booklet = self.booklets[b]
        guilty = [unit for unit in booklet.units if booklet.is_at_fault(unit, self.items[unit])]
        movable = [(unit, r) for unit in guilty for r in (self._round, self._before) if r.where[unit] == b]
        if not movable:
            return None
        unit, unit_round = self.rng.choice(movable)
        held = unit_round.held[self.classes[unit]]
        partners = [other for other in self.rng.sample(held, min(len(held), _PARTNERS)) if unit_round.where[other] != b]
        if unit_round is self._round:
            partners += self._strangers(b, unit)
        best: tuple[int, int, float, int] | None = None
        for other in partners:
            other_b = unit_round.where[other]
            before = booklet.faults + self.booklets[other_b].faults
            self._put(unit_round, unit, b, other, other_b)
            worse = booklet.faults + self.booklets[other_b].faults - before
            self._put(unit_round, unit, other_b, other, b)
            price = self._price(b, unit, other)
            gain = (worse + price // 2, price, self.rng.random(), other)
            if best is None or gain < best:
                best = gain
        if best is None or (best[0] > 0 and self.rng.random() >= _WORSE):
            return None
        other = best[3]
        other_b = unit_round.where[other]
        self._put(unit_round, unit, b, other, other_b)
        if self.classes[other] != self.classes[unit]:
            self._shares.exchange(*self._seat(b, unit), *self._seat(other_b, other))
        return other_b

    def _seat(self, b: int, unit: int) -> tuple[int, int]:
        """Return the segment and the class of a unit in booklet b, for the shares."""
        return b - self._first, self.classes[unit]

    def _price(self, b: int, unit: int, other: int) -> int:
        """Return the cost of an exchange: 0 within a class, 1 if systems stay level, else 2, as bad as one fault."""
        if self.classes[other] == self.classes[unit]:
            return 0
        if self.rng.random() < _CARELESS:
            return 1
        level = self._shares.stays_level(*self._seat(b, unit), *self._seat(self._round.where[other], other))
        return 1 if level else 2

    def _strangers(self, b: int, unit: int) -> list[int]:
        """Return units of other classes in booklets nearby that may change places with a unit of booklet b."""
        where = self._round.where
        first, last = self._first, self._first + len(self._shares.counts)
        others = [
            other
            for near in range(max(b - _NEAR, first), min(b + _NEAR + 1, last))
            for other in self.booklets[near].units
            if near != b and where[other] == near and self.classes[other] != self.classes[unit]
        ]
        others = self.rng.sample(others, min(len(others), _PARTNERS))
        seat = self._seat(b, unit)
        return [other for other in others if self._shares.may_exchange(*seat, *self._seat(where[other], other))]

    def _put(self, unit_round: _Round, unit: int, b: int, other: int, other_b: int) -> None:
        """Move a unit from booklet b to another booklet, and another unit from there to b."""
        for moved, source, target in ((unit, b, other_b), (other, other_b, b)):
            self.booklets[source].remove(moved, self.items[moved])
            self.booklets[target].add(moved, self.items[moved])
            unit_round.where[moved] = target
