"""Measure how balanced a plan is, from its booklets alone.

A design checks with it what it promises before it returns, and the plan report shows it.
"""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from tasks_app.designs.base import PlanUnit
from tasks_app.designs.engine.counting import Kin, Levels, Margin, OpenUnits, Pieces, Trace
from tasks_app.designs.engine.spacing import smallest_gap

__all__ = ["Balance", "Pair", "Trace", "measure"]

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Balance:
    """Measures of how balanced a plan is.

    `unit_spread` is, after each booklet, the difference between the most and the least often drawn of the units that
    are not yet at their k. A *system class* is all units that show the same systems; classes are compared with those
    of which as many units are due in every round, in each booklet alone (`booklet_spread`) and at each place of the
    booklets so far (`position_spread`).

    A document counts once for every booklet that holds some of it and is compared with those due as often, and so are
    systems where they are counted by document (`document_system_spread`). `position_totals` has the systems shown at
    each place, `pair` those that meet on a screen. `smallest_spacing` is None where no booklet holds two units of one
    item.
    """

    sizes: tuple[int, ...]
    unit_spread: tuple[int, ...]
    system_class: Trace
    system: Trace
    item: Trace
    pair: Trace
    document_spread: tuple[int, ...]
    document_system_spread: tuple[int, ...]
    position_spread: tuple[int, ...]
    booklet_spread: tuple[int, ...]
    smallest_spacing: int | None
    unit_totals: Mapping[str, int]
    system_totals: Mapping[str, int]
    item_totals: Mapping[str, int]
    pair_totals: Mapping[Pair, int]
    document_totals: Mapping[str, int]  # booklets that hold some of it
    position_totals: tuple[Mapping[str, int], ...]
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
    counting = _Counting(units)
    for booklet in booklets:
        counting.add(booklet)
    k_by_unit, totals = counting.k_by_unit, counting.units.counts
    return Balance(
        sizes=tuple(map(len, booklets)),
        unit_spread=tuple(counting.units.spread),
        system_class=counting.classes.trace(),
        system=counting.systems.trace(),
        item=counting.items.trace(),
        pair=counting.pairs.trace(),
        document_spread=tuple(counting.documents.spread),
        document_system_spread=tuple(counting.by_system.spread),
        position_spread=tuple(counting.places.spread),
        booklet_spread=tuple(counting.inside),
        smallest_spacing=min(counting.gaps, default=None),
        unit_totals=totals,
        system_totals=counting.systems.counts,
        item_totals=counting.items.counts,
        pair_totals=counting.pairs.counts,
        document_totals=counting.met,
        position_totals=tuple(counting.at),
        missing=sum(max(k - totals[key], 0) for key, k in k_by_unit.items()),
        beyond_k=sum(max(totals[key] - k, 0) for key, k in k_by_unit.items()),
        repeated=sum(len(booklet) - len({unit.key for unit in booklet}) for booklet in booklets),
    )


class _Counting:
    """Every count of a plan, booklet by booklet."""

    def __init__(self, units: Sequence[PlanUnit]) -> None:
        self.k_by_unit = {unit.key: unit.k for unit in units}
        self.units = OpenUnits(self.k_by_unit)
        self.classes = Margin({unit.key: (unit.systems,) for unit in units}, self.k_by_unit)
        self.systems = Margin({unit.key: unit.systems for unit in units}, self.k_by_unit)
        self.items = Margin({unit.key: () if unit.item is None else (unit.item,) for unit in units}, self.k_by_unit)
        self.pairs = Margin({unit.key: _pairs(unit) for unit in units}, self.k_by_unit)
        self._margins = (self.classes, self.systems, self.items, self.pairs)
        kin = Kin(self.classes.due)
        self.places, self._kin = Levels(kin), kin
        pieces = Pieces(units)
        self.documents = Levels(Kin({document: tuple(due) for document, due in pieces.documents.items()}))
        self.by_system = Levels(Kin({systems: tuple(due) for systems, due in pieces.systems.items()}))
        self.met: dict[str, int] = {unit.document: 0 for unit in units if unit.document is not None}
        self.at: list[Counter[str]] = []
        self.inside: list[int] = []
        self.gaps: list[int] = []

    def add(self, booklet: Sequence[PlanUnit]) -> None:
        """Count a booklet."""
        counts: Counter[Hashable] = Counter()
        self.at += [Counter() for _ in range(len(booklet) - len(self.at))]
        for place, unit in enumerate(booklet):
            if unit.key not in self.k_by_unit:
                raise ValueError(f"The plan holds {unit.key!r}, which is none of the units.")
            self.units.add(unit.key)
            for margin in self._margins:
                margin.add(unit.key)
            self.places.add(place, unit.systems)
            self.at[place].update(unit.systems)
            counts[unit.systems] += 1
        self._count_documents(booklet)
        for level in (self.units, *self._margins, self.places, self.documents, self.by_system):
            level.close()
        self.inside.append(self._kin.spread(counts))
        gap = smallest_gap([unit.item for unit in booklet])
        if gap is not None:
            self.gaps.append(gap)

    def _count_documents(self, booklet: Sequence[PlanUnit]) -> None:
        shown = {(unit.document, unit.systems) for unit in booklet if unit.document is not None}
        for document in {document for document, _systems in shown}:
            self.documents.add(None, document)
            self.met[document] += 1
        for _document, systems in shown:
            self.by_system.add(None, systems)


def _pairs(unit: PlanUnit) -> tuple[Pair, ...]:
    """Return the pairs of systems that meet on a screen; systems that share a text do not meet."""
    met = {
        (min(a, b), max(a, b)) for first, second in combinations(unit.shape, 2) for a in first for b in second if a != b
    }
    return tuple(sorted(met))
