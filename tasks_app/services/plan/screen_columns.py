"""Count the positions of systems on screens with several texts, over a plan."""

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

from tasks_app.designs.base import PlanUnit


class Columns:
    """Counts of systems by column; texts are compared within units of one shape and criterion.

    `worst` is the largest difference after any booklet: between two columns in which a text stood or, where a text
    stands in several columns at once, as in a triangle, between two orders of the screen.
    """

    def __init__(self) -> None:
        self.worst = 0
        self._systems: dict[str, Counter[int]] = {}
        self._counts: dict[Hashable, Counter[Hashable]] = {}
        self._possible: dict[Hashable, int] = {}
        self._touched: set[Hashable] = set()
        self.width = 0

    def add(self, unit: PlanUnit, arrangement: Mapping[str, Any]) -> None:
        """Count one screen; with a single column nothing is beside anything."""
        parts: Sequence[int] = arrangement.get("parts", ())
        if len(parts) < 2:
            return
        self.width = max(self.width, len(parts))
        for column, part in enumerate(parts):
            for system in unit.shape[part]:
                self._systems.setdefault(system, Counter())[column] += 1
        alike = (unit.shape, unit.criterion)
        order = arrangement.get("order")
        if order is not None:
            self._count(("order", alike), str(order), 6)
            return
        for column, part in enumerate(parts):
            self._count((part, alike), column, len(parts))

    def _count(self, counted: Hashable, position: Hashable, possible: int) -> None:
        self._counts.setdefault(counted, Counter())[position] += 1
        self._possible[counted] = possible
        self._touched.add(counted)

    def close(self) -> None:
        """Note the difference after a booklet: only the counts that it changed can have become wider."""
        for counted in self._touched:
            counts = self._counts[counted]
            least = min(counts.values()) if len(counts) == self._possible[counted] else 0
            self.worst = max(self.worst, max(counts.values()) - least)
        self._touched.clear()

    def of_system(self, system: str) -> tuple[int, ...]:
        """The number of times that a system stood in each column, from the first; empty with one column only."""
        return tuple(self._systems.get(system, Counter())[column] for column in range(self.width))


def columns_of(booklets: Sequence[Sequence[PlanUnit]], arrangements: Sequence[Mapping[str, Any]]) -> Columns:
    """Count a plan; arrangements are those of all places, booklet by booklet."""
    columns = Columns()
    following: Iterator[Mapping[str, Any]] = iter(arrangements)
    for booklet in booklets:
        for unit in booklet:
            columns.add(unit, next(following))
        columns.close()
    return columns
