"""How even a plan is, measured from its booklets alone.

A design checks with it what it promises before it returns, and the plan report shows it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from tasks_app.designs._spacing import smallest_gap
from tasks_app.designs.base import PlanUnit

Member = TypeVar("Member", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Trace:
    """One margin after each booklet.

    `spread` is the largest difference between the counts of two members that are due equally often. `deviation`
    is the largest distance of a count from its share of all that is counted so far; round r gives every unit with
    k >= r its r-th judgment, and the share is taken round by round. A deviation below one is a spread of at most
    one, with members that are due equally often the same thing.
    """

    spread: tuple[int, ...]
    deviation: tuple[float, ...]

    @property
    def worst_spread(self) -> int:
        """The largest spread in any prefix."""
        return max(self.spread, default=0)

    @property
    def worst_deviation(self) -> float:
        """The largest deviation in any prefix."""
        return max(self.deviation, default=0.0)


@dataclass(frozen=True, slots=True)
class Balance:
    """What a plan keeps.

    `unit_spread` is, after each booklet, the difference between the most and the least often drawn of the units that
    are not yet at their k. A *system class* is all units that show the same systems. `smallest_spacing` is None where
    no booklet holds two units of one item.
    """

    sizes: tuple[int, ...]
    unit_spread: tuple[int, ...]
    system_class: Trace
    system: Trace
    smallest_spacing: int | None
    unit_totals: Mapping[str, int]
    system_totals: Mapping[str, int]
    missing: int  # judgments wanted and not drawn
    beyond_k: int  # judgments drawn and not wanted
    repeated: int  # places of a booklet whose unit stands in it already

    @property
    def worst_unit_spread(self) -> int:
        """The largest unit spread in any prefix."""
        return max(self.unit_spread, default=0)

    @property
    def complete(self) -> bool:
        """Whether every unit comes exactly k times and never twice in a booklet."""
        return not (self.missing or self.beyond_k or self.repeated)


def measure(booklets: Sequence[Sequence[PlanUnit]], units: Sequence[PlanUnit]) -> Balance:
    """Measure a plan in every prefix 1..b of its booklets. Raises ValueError where a booklet holds an unknown unit."""
    wanted = {unit.key: unit.k for unit in units}
    shown = {unit.key: unit.systems for unit in units}
    open_units = _OpenUnits(wanted)
    classes = _Margin({unit.key: (unit.systems,) for unit in units}, wanted)
    systems = _Margin(shown, wanted)
    gaps: list[int] = []
    for booklet in booklets:
        for unit in booklet:
            if unit.key not in wanted:
                raise ValueError(f"The plan holds {unit.key!r}, which is none of the units.")
            open_units.add(unit.key)
            classes.add(unit.key)
            systems.add(unit.key)
        open_units.close()
        classes.close()
        systems.close()
        gap = smallest_gap([unit.item for unit in booklet])
        if gap is not None:
            gaps.append(gap)
    totals = open_units.counts
    return Balance(
        sizes=tuple(map(len, booklets)),
        unit_spread=tuple(open_units.spread),
        system_class=classes.trace(),
        system=systems.trace(),
        smallest_spacing=min(gaps, default=None),
        unit_totals=totals,
        system_totals=systems.counts,
        missing=sum(max(k - totals[key], 0) for key, k in wanted.items()),
        beyond_k=sum(max(totals[key] - k, 0) for key, k in wanted.items()),
        repeated=sum(len(booklet) - len({unit.key for unit in booklet}) for booklet in booklets),
    )


def column_spread(
    booklets: Sequence[Sequence[tuple[PlanUnit, Mapping[str, Sequence[int]]]]],
) -> tuple[int, ...]:
    """After each booklet, how unevenly systems stand in the columns of a side-by-side screen.

    Each place is a unit and its arrangement, whose "parts" says which part, by canonical index, each column shows.
    Units of one shape are counted together; the spread is the largest difference between the counts of one system in
    two columns, over all shapes and systems. An arrangement with fewer than two parts counts nothing. Raises
    ValueError where the parts are not those of the unit.
    """
    counts: dict[tuple[tuple[tuple[str, ...], ...], str], list[int]] = {}
    spreads: Counter[int] = Counter()
    trace: list[int] = []
    for booklet in booklets:
        for unit, arrangement in booklet:
            parts = arrangement.get("parts", ())
            if len(parts) < 2:
                continue
            if sorted(parts) != list(range(len(unit.shape))):
                raise ValueError(f"{list(parts)} is no order of the {len(unit.shape)} parts of {unit.key!r}.")
            for column, part in enumerate(parts):
                for system in unit.shape[part]:
                    columns = counts.setdefault((unit.shape, system), [0] * len(parts))
                    spreads[max(columns) - min(columns)] -= 1
                    columns[column] += 1
                    spreads[max(columns) - min(columns)] += 1
        trace.append(max((spread for spread, n in spreads.items() if n > 0), default=0))
    return tuple(trace)


class _OpenUnits:
    """Counts units; the spread is over those not yet at their k."""

    def __init__(self, wanted: Mapping[str, int]) -> None:
        self.wanted = wanted
        self.counts = dict.fromkeys(wanted, 0)
        self.spread: list[int] = []
        self._having = Counter({0: sum(k > 0 for k in wanted.values())})

    def add(self, key: str) -> None:
        """Count one judgment of a unit."""
        count = self.counts[key]
        self.counts[key] += 1
        if count < self.wanted[key]:
            _take(self._having, count)
            self._having[count + 1] += count + 1 < self.wanted[key]

    def close(self) -> None:
        """Note the spread after a booklet."""
        having = [count for count, n in self._having.items() if n]
        self.spread.append(max(having, default=0) - min(having, default=0))


class _Margin(Generic[Member]):
    """Counts the members of one margin, such as systems.

    Members that are due equally often make a family. Their share is one number, so that after a booklet only the
    least and the most counted of each family need a look, however many members there are.
    """

    def __init__(self, members: Mapping[str, Sequence[Member]], wanted: Mapping[str, int]) -> None:
        self.members = members
        self._rounds = range(1, max(wanted.values(), default=0) + 1)
        ends: dict[Member, Counter[int]] = {}
        for key, shown in members.items():
            for member in shown:
                ends.setdefault(member, Counter())[wanted[key]] += 1
        self.counts: dict[Member, int] = dict.fromkeys(ends, 0)
        self._due = {member: self._by_round(of_member) for member, of_member in ends.items()}
        self._sizes = [sum(due[r - 1] for due in self._due.values()) for r in self._rounds]
        self._families: dict[tuple[int, ...], Counter[int]] = {}
        for due in self._due.values():
            self._families.setdefault(due, Counter())[0] += 1
        self._counted = 0
        self._spread: list[int] = []
        self._deviation: list[float] = []

    def _by_round(self, ends: Counter[int]) -> tuple[int, ...]:
        """How often a member comes in each round, from how many of its units end with which round."""
        return tuple(sum(n for k, n in ends.items() if k >= r) for r in self._rounds)

    def _share(self, due: Sequence[int]) -> float:
        """What a member due so often should have of all that is counted so far."""
        share, left = 0.0, self._counted
        for size, n in zip(self._sizes, due, strict=True):
            part = min(left, size)
            share += n if part == size else n * part / size
            left -= part
        return share

    def add(self, key: str) -> None:
        """Count one judgment of a unit for each member it belongs to."""
        for member in self.members[key]:
            count = self.counts[member]
            self.counts[member] += 1
            self._counted += 1
            having = self._families[self._due[member]]
            _take(having, count)
            having[count + 1] += 1

    def close(self) -> None:
        """Note the spread and the deviation after a booklet."""
        spread, deviation = 0, 0.0
        for due, having in self._families.items():
            least, most, share = min(having), max(having), self._share(due)
            spread = max(spread, most - least)
            deviation = max(deviation, most - share, share - least)
        self._spread.append(spread)
        self._deviation.append(deviation)

    def trace(self) -> Trace:
        """What has been noted."""
        return Trace(tuple(self._spread), tuple(self._deviation))


def _take(having: Counter[int], count: int) -> None:
    having[count] -= 1
    if not having[count]:
        del having[count]
