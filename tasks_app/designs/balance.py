"""Measure how balanced a plan is, from its booklets alone.

A design checks with it what it promises before it returns, and the plan report shows it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from typing import Any

from tasks_app.designs.base import PlanUnit
from tasks_app.designs.engine.counting import Kin, Levels, Margin, OpenUnits, Pieces, Trace
from tasks_app.designs.engine.spacing import smallest_gap

__all__ = ["Balance", "Evenness", "Pair", "Trace", "measure", "measure_evenness"]

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Evenness:
    """Measures of a plan that follow from its units, their systems and their places, and are cheap to count.

    `unit_spread` is, after each booklet, the difference between the most and the least often drawn of the units that
    are not yet at their k. A *system class* is all units that show the same systems; classes are compared with those
    of which as many units are due in every round, at each place of the booklets so far (`position_spread`).
    `smallest_spacing` is None where no booklet holds two units of one item.
    """

    sizes: tuple[int, ...]
    unit_spread: tuple[int, ...]
    system_class: Trace
    system: Trace
    position_spread: tuple[int, ...]
    smallest_spacing: int | None
    unit_totals: Mapping[str, int]
    system_totals: Mapping[str, int]
    missing: int  # judgments due and not drawn
    beyond_k: int  # judgments drawn and not due
    repeated: int  # places of a booklet whose unit stands in it already

    @property
    def worst_unit_spread(self) -> int:
        """The largest unit spread in any prefix."""
        return max(self.unit_spread, default=0)

    @property
    def complete(self) -> bool:
        """Whether every unit comes exactly k times and never twice in a booklet."""
        return not (self.missing or self.beyond_k or self.repeated)


@dataclass(frozen=True, slots=True)
class Balance(Evenness):
    """Measures of how balanced a plan is: its evenness, and that of items, pairs, documents and single booklets.

    Classes are compared in each booklet alone, too (`booklet_spread`). A document counts once for every booklet that
    holds some of it and is compared with those due as often, and so are systems where they are counted by document
    (`document_system_spread`). `position_totals` has the systems shown at each place, `pair` those that meet on a
    screen.
    """

    item: Trace
    pair: Trace
    document_spread: tuple[int, ...]
    document_system_spread: tuple[int, ...]
    booklet_spread: tuple[int, ...]
    item_totals: Mapping[str, int]
    pair_totals: Mapping[Pair, int]
    document_totals: Mapping[str, int]  # booklets that hold some of it
    position_totals: tuple[Mapping[str, int], ...]

    def spread(self, margin: str) -> tuple[int, ...]:
        """Return the spread of a margin, as a design names it, after each booklet. Raises ValueError for other names.

        A promise about systems is one about their classes; a margin "in a booklet" is that of each booklet alone.
        """
        traces = {
            "unit": self.unit_spread,
            "system": self.system_class.spread,
            "comparison": self.system_class.spread,
            "system in a booklet": self.booklet_spread,
            "comparison in a booklet": self.booklet_spread,
            "position": self.position_spread,
            "item": self.item.spread,
            "document": self.document_spread,
            "system by document": self.document_system_spread,
            "pair": self.pair.spread,
        }
        if margin not in traces:
            raise ValueError(f"Nothing measures the margin {margin!r}; there are: {', '.join(traces)}.")
        return traces[margin]


def measure(booklets: Sequence[Sequence[PlanUnit]], units: Sequence[PlanUnit]) -> Balance:
    """Measure a plan in every prefix 1..b of its booklets. Raises ValueError where a booklet holds an unknown unit."""
    evenness, counting, kin = _Evenness(units), _Besides(units), _kin_of(units)
    inside: list[int] = []
    for booklet in booklets:
        evenness.add(booklet)
        counting.add(booklet)
        inside.append(kin.spread(Counter(unit.systems for unit in booklet)))
    return Balance(
        **evenness.measured(booklets),
        item=counting.items.trace(),
        pair=counting.pairs.trace(),
        document_spread=tuple(counting.documents.spread),
        document_system_spread=tuple(counting.by_system.spread),
        booklet_spread=tuple(inside),
        item_totals=counting.items.counts,
        pair_totals=counting.pairs.counts,
        document_totals=counting.met,
        position_totals=tuple(counting.at),
    )


def measure_evenness(booklets: Sequence[Sequence[PlanUnit]], units: Sequence[PlanUnit]) -> Evenness:
    """Measure as `measure` does, in a fraction of its time, without items, pairs, documents and single booklets."""
    evenness = _Evenness(units)
    for booklet in booklets:
        evenness.add(booklet)
    return Evenness(**evenness.measured(booklets))


def _classes_of(units: Sequence[PlanUnit]) -> Margin[tuple[str, ...]]:
    return Margin((unit.k, (unit.systems,)) for unit in units)


def _kin_of(units: Sequence[PlanUnit]) -> Kin:
    """Return which classes are compared with each other."""
    return Kin(_classes_of(units).due)


class _Evenness:
    """The counts that `Evenness` is made of, booklet by booklet."""

    def __init__(self, units: Sequence[PlanUnit]) -> None:
        self.k_by_unit = {unit.key: unit.k for unit in units}
        self.units = OpenUnits(self.k_by_unit)
        self.classes = _classes_of(units)
        self.systems = Margin((unit.k, unit.systems) for unit in units)
        self.places = Levels(Kin(self.classes.due))
        self.gaps: list[int] = []

    def add(self, booklet: Sequence[PlanUnit]) -> None:
        """Count a booklet."""
        for unit in booklet:
            if unit.key not in self.k_by_unit:
                raise ValueError(f"The plan holds {unit.key!r}, which is none of the units.")
        shown = [unit.systems for unit in booklet]
        self.units.add(unit.key for unit in booklet)
        self.classes.add(Counter(shown))
        self.systems.add(Counter(chain.from_iterable(shown)))
        for place, systems in enumerate(shown):
            self.places.add(place, systems)
        for counted in (self.units, self.classes, self.systems, self.places):
            counted.close()
        gap = smallest_gap([unit.item for unit in booklet])
        if gap is not None:
            self.gaps.append(gap)

    def measured(self, booklets: Sequence[Sequence[PlanUnit]]) -> dict[str, Any]:
        """Return the fields of `Evenness`."""
        totals = self.units.counts
        return {
            "sizes": tuple(map(len, booklets)),
            "unit_spread": tuple(self.units.spread),
            "system_class": self.classes.trace(),
            "system": self.systems.trace(),
            "position_spread": tuple(self.places.spread),
            "smallest_spacing": min(self.gaps, default=None),
            "unit_totals": totals,
            "system_totals": self.systems.counts,
            "missing": sum(max(k - totals[key], 0) for key, k in self.k_by_unit.items()),
            "beyond_k": sum(max(totals[key] - k, 0) for key, k in self.k_by_unit.items()),
            "repeated": sum(len(booklet) - len({unit.key for unit in booklet}) for booklet in booklets),
        }


class _Besides:
    """Every other count of a plan, booklet by booklet."""

    def __init__(self, units: Sequence[PlanUnit]) -> None:
        self.items = Margin((unit.k, () if unit.item is None else (unit.item,)) for unit in units)
        self.pairs = Margin((unit.k, _pairs(unit)) for unit in units)
        pieces = Pieces(units)
        self.documents = Levels(Kin({document: tuple(due) for document, due in pieces.documents.items()}))
        self.by_system = Levels(Kin({systems: tuple(due) for systems, due in pieces.systems.items()}))
        self.met: dict[str, int] = {unit.document: 0 for unit in units if unit.document is not None}
        self.at: list[Counter[str]] = []

    def add(self, booklet: Sequence[PlanUnit]) -> None:
        """Count a booklet."""
        self.at += [Counter() for _ in range(len(booklet) - len(self.at))]
        for place, unit in enumerate(booklet):
            self.at[place].update(unit.systems)
        self.items.add(Counter(unit.item for unit in booklet if unit.item is not None))
        self.pairs.add(Counter(chain.from_iterable(map(_pairs, booklet))))
        self._count_documents(booklet)
        for counted in (self.items, self.pairs, self.documents, self.by_system):
            counted.close()

    def _count_documents(self, booklet: Sequence[PlanUnit]) -> None:
        shown = {(unit.document, unit.systems) for unit in booklet if unit.document is not None}
        for document in {document for document, _systems in shown}:
            self.documents.add(None, document)
            self.met[document] += 1
        for _document, systems in shown:
            self.by_system.add(None, systems)


def _pairs(unit: PlanUnit) -> tuple[Pair, ...]:
    """Return the pairs of systems that meet on a screen; systems that share a text do not meet."""
    if len(unit.shape) < 2:
        return ()
    met = {
        (min(a, b), max(a, b)) for first, second in combinations(unit.shape, 2) for a in first for b in second if a != b
    }
    return tuple(sorted(met))
