"""Count units, systems, items and positions of a plan, booklet by booklet."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Generic, TypeVar

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


class OpenUnits:
    """Counts units; the spread is over those not yet at their k."""

    def __init__(self, k_by_unit: Mapping[str, int]) -> None:
        self.k_by_unit = k_by_unit
        self.counts = dict.fromkeys(k_by_unit, 0)
        self.spread: list[int] = []
        self._having = Counter({0: sum(k > 0 for k in k_by_unit.values())})

    def add(self, keys: Iterable[str]) -> None:
        """Count one judgment of each unit."""
        counts, k_by_unit, having = self.counts, self.k_by_unit, self._having
        for key in keys:
            count, k = counts[key], k_by_unit[key]
            counts[key] = count + 1
            if count < k:
                take(having, count)
                having[count + 1] += count + 1 < k

    def close(self) -> None:
        """Note the spread after a booklet."""
        having = [count for count, n in self._having.items() if n]
        self.spread.append(max(having, default=0) - min(having, default=0))


class Margin(Generic[Member]):
    """Counts the members of one margin, such as systems.

    Members that are due equally often make a family. Their share is one number, so that after a booklet only the
    least and the most counted of each family need a look, however many members there are.
    """

    def __init__(self, members: Iterable[tuple[int, Sequence[Member]]]) -> None:
        """Take the k and the members of each unit."""
        times: dict[int, Counter[Member]] = {}
        for k, shown in members:
            times.setdefault(k, Counter()).update(shown)
        self._rounds = range(1, max(times, default=0) + 1)
        ends: dict[Member, Counter[int]] = {}
        for k, of_k in times.items():
            for member, n in of_k.items():
                ends.setdefault(member, Counter())[k] = n
        self.counts: dict[Member, int] = dict.fromkeys(ends, 0)
        self._due = {member: self._by_round(of_member) for member, of_member in ends.items()}
        self._sizes = [sum(due[r - 1] for due in self._due.values()) for r in self._rounds]
        self._families: dict[tuple[int, ...], Counter[int]] = {}
        for due in self._due.values():
            self._families.setdefault(due, Counter())[0] += 1
        self._family = {member: self._families[due] for member, due in self._due.items()}
        # How many are due up to the end of each round, to all members and to one: with one unit for hundreds of raters
        # there are as many rounds as booklets.
        self._ends = tuple(accumulate(self._sizes))
        self._due_before = {due: tuple(accumulate(due, initial=0)) for due in self._families}
        self._counted = 0
        self._spread: list[int] = []
        self._deviation: list[float] = []

    def _by_round(self, ends: Counter[int]) -> tuple[int, ...]:
        """Return the count of a member in each round, from the number of its units that end with each round."""
        return tuple(sum(n for k, n in ends.items() if k >= r) for r in self._rounds)

    def _share(self, due: tuple[int, ...]) -> float:
        """Return the share of all counts so far that is due to a member, from how often it is due in each round."""
        whole = bisect_right(self._ends, self._counted)
        share = float(self._due_before[due][whole])
        if whole < len(self._ends):
            left = self._counted - (self._ends[whole - 1] if whole else 0)
            share += due[whole] * left / self._sizes[whole]
        return share

    def add(self, times: Mapping[Member, int]) -> None:
        """Count each of these members so many times."""
        for member, n in times.items():
            count, having = self.counts[member], self._family[member]
            self.counts[member] = count + n
            self._counted += n
            take(having, count)
            having[count + n] += 1

    @property
    def due(self) -> Mapping[Member, tuple[int, ...]]:
        """The number of times that each member is due in every round."""
        return self._due

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
        """Return the spreads and deviations that have been noted."""
        return Trace(tuple(self._spread), tuple(self._deviation))


class Kin:
    """Members of which as many units are due in every round: only these are compared with each other."""

    def __init__(self, due: Mapping[Member, Hashable]) -> None:
        numbers: dict[Hashable, int] = {}
        self.number: dict[Hashable, int] = {
            member: numbers.setdefault(turns, len(numbers)) for member, turns in due.items()
        }
        self.members = Counter(self.number.values())

    def spread(self, counts: Mapping[Hashable, int]) -> int:
        """Return the largest difference between kin; members without a count have 0."""
        met: dict[int, list[int]] = {}
        for member, n in counts.items():
            if n:
                met.setdefault(self.number[member], []).append(n)
        return max(
            (
                max(kin_counts) - (min(kin_counts) if len(kin_counts) == self.members[kin] else 0)
                for kin, kin_counts in met.items()
            ),
            default=0,
        )


class Levels:
    """Counts of kin, apart at each spot of a plan, and the largest spread at any spot after each booklet."""

    def __init__(self, kin: Kin) -> None:
        self.kin = kin
        self.spread: list[int] = []
        self._counts: Counter[tuple[Hashable, Hashable]] = Counter()
        self._having: dict[tuple[Hashable, int], Counter[int]] = {}
        self._spread_at: dict[tuple[Hashable, int], int] = {}
        self._spreads: Counter[int] = Counter()

    def add(self, spot: Hashable, member: Hashable) -> None:
        """Count a member at a spot."""
        kin = self.kin.number[member]
        at = (spot, kin)
        having = self._having.get(at)
        if having is None:
            having = self._having[at] = Counter({0: self.kin.members[kin]})
            self._spread_at[at] = 0
            self._spreads[0] += 1
        count = self._counts[spot, member]
        self._counts[spot, member] = count + 1
        take(having, count)
        having[count + 1] += 1
        before, after = self._spread_at[at], max(having) - min(having)
        if after != before:
            self._spreads[before] -= 1
            self._spreads[after] += 1
            self._spread_at[at] = after

    def close(self) -> None:
        """Note the spread after a booklet."""
        self.spread.append(max((spread for spread, n in self._spreads.items() if n > 0), default=0))


class Pieces:
    """The number of times that documents, and systems in documents, are due in every round.

    A piece of a document holds each of its items once, and the same systems throughout.
    """

    def __init__(self, units: Sequence[PlanUnit]) -> None:
        rounds = max((unit.k for unit in units), default=0)
        self.documents = {unit.document: [0] * rounds for unit in units if unit.document is not None}
        self.systems = {unit.systems: [0] * rounds for unit in units}
        counts: Counter[tuple[int, str | None, tuple[str, ...], str | None]] = Counter()
        most: Counter[tuple[int, str | None, tuple[str, ...]]] = Counter()
        for unit in units:
            for turn in range(unit.k):
                counts[turn, unit.document, unit.systems, unit.item] += 1
                n = counts[turn, unit.document, unit.systems, unit.item]
                most[turn, unit.document, unit.systems] = max(n, most[turn, unit.document, unit.systems])
        for (turn, document, systems), n in most.items():
            if document is not None:
                self.documents[document][turn] += n
                self.systems[systems][turn] += n


def take(having: Counter[int], count: int) -> None:
    having[count] -= 1
    if not having[count]:
        del having[count]
