"""Take comparisons in turns, so that those due equally often stay level within booklets and over them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from tasks_app.designs.engine.chairman import DeadEnd, chairmen
from tasks_app.designs.engine.comparison_order import Comparison, is_complete, level_order, renamed
from tasks_app.designs.engine.drawing import Deal, Drawing
from tasks_app.designs.engine.rounds import Segment


def families(due: Sequence[tuple[int, ...]]) -> list[int]:
    """Return the family of each comparison: comparisons that are due equally often in every round are one family."""
    numbers: dict[tuple[int, ...], int] = {}
    return [numbers.setdefault(times, len(numbers)) for times in due]


@dataclass(frozen=True, slots=True)
class Fixed:
    """The number of units of every comparison in each segment; none changes places with another."""

    counts: list[dict[int, int]]

    def may_exchange(self, s: int, c: int, t: int, e: int) -> bool:
        """Return False: a booklet would hold one comparison more often than its share."""
        return False

    def stays_level(self, s: int, c: int, t: int, e: int) -> bool:
        """Return True: nothing is moved."""
        return True

    def exchange(self, s: int, c: int, t: int, e: int) -> None:
        """Raise ValueError, since no exchange is possible."""
        raise ValueError("Comparisons keep their places.")


class Turns:
    """Deals the places of a plan to comparisons, round by round.

    Which family of equals has a place follows from the chairman assignment, so that every comparison stays less than
    one from its share; within a family comparisons take turns in one order, through all rounds. So in whatever stretch
    of the plan, a booklet or all from the first on, equals differ by one at most. The order is one in which systems
    are level; where a booklet ends and no turn is begun, systems change their names in it, so that raters do not get
    the same comparisons again and again.
    """

    def __init__(self, comparisons: Sequence[Comparison], due: Sequence[tuple[int, ...]], rng: Random) -> None:
        self.comparisons, self.rng = comparisons, rng
        self.family = families(due)
        self._complete = is_complete(comparisons) and len(set(due)) == 1
        self._order = level_order(comparisons, rng)
        self._turns: dict[int, list[int]] = {}
        self._next: Counter[int] = Counter()
        self._booklet = -1
        self._line_up()

    def deal(self, sizes: Sequence[int], cuts: Sequence[Segment], limits: Mapping[int, int] | None) -> Fixed:
        """Return the counts of each segment of a round, from the sizes of comparisons in it. Raises DeadEnd."""
        sequence = chairmen(sizes, self.rng, head=cuts[0].length, limits=limits)
        counts: list[dict[int, int]] = []
        start = 0
        for booklet, length in cuts:
            if booklet != self._booklet:
                self._begin(booklet)
            dealt = Counter(self._take(self.family[c]) for c in sequence[start : start + length])
            counts.append(dict(dealt))
            start += length
        if limits is not None and any(n > limits.get(c, 0) for c, n in counts[0].items()):
            raise DeadEnd
        return Fixed(counts)

    def _begin(self, booklet: int) -> None:
        self._booklet = booklet
        if self._complete and not any(self._next[family] % len(turn) for family, turn in self._turns.items()):
            self._order = renamed(self._order, self.comparisons, self.rng)
            self._line_up()

    def _line_up(self) -> None:
        """Let comparisons take turns in the present order."""
        self._turns = {}
        for c in self._order:
            self._turns.setdefault(self.family[c], []).append(c)
        self._next = Counter()

    def _take(self, family: int) -> int:
        turn = self._turns[family]
        chosen = turn[self._next[family] % len(turn)]
        self._next[family] += 1
        return chosen


class TurnTaking(Drawing):
    """A drawing in which classes take turns through the whole plan."""

    def dealer(self, rng: Random) -> Deal:
        """Begin the turns of a draw."""
        sizes = [self.sizes(of_round) for of_round in self.rounds]
        due = [tuple(of_round[c] for of_round in sizes) for c in range(len(self.signatures))]
        return Turns(self.signatures, due, rng).deal
