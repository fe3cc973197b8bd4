"""Count the screens that every two systems share, from the units of a plan alone, since each gets its k."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from tasks_app.designs.base import PlanUnit

# A table of more systems by systems cannot be read; the file has all pairs.
MOST_BESIDE = 30


@dataclass(frozen=True, slots=True)
class Meetings:
    """Screens and judgments that each two systems have in common; a pair that is not counted has none.

    Where each criterion has screens of its own, those of one criterion are counted.
    """

    systems: tuple[str, ...]
    screens: Counter[tuple[str, str]]
    judgments: Counter[tuple[str, str]]

    @property
    def least(self) -> int:
        """Screens of the pair that meets least often."""
        n_pairs = len(self.systems) * (len(self.systems) - 1) // 2
        return min(self.screens.values(), default=0) if len(self.screens) == n_pairs else 0

    @property
    def most(self) -> int:
        """Screens of the pair that meets most often."""
        return max(self.screens.values(), default=0)

    @property
    def fits_a_table(self) -> bool:
        """Whether a table of systems by systems can be read."""
        return len(self.systems) <= MOST_BESIDE

    @property
    def table(self) -> list[tuple[str, list[int]]]:
        """Every system but the first, with its screens in common with each of those before it."""
        return [
            (system, [self.screens[other, system] for other in self.systems[:number]])
            for number, system in enumerate(self.systems)
            if number
        ]

    def rows(self) -> Iterator[tuple[str, str, int, int]]:
        """Yield every two systems with their screens and judgments in common."""
        for pair in combinations(self.systems, 2):
            yield *pair, self.screens[pair], self.judgments[pair]


def meetings_of(units: Sequence[PlanUnit]) -> Meetings | None:
    """Count the meetings of systems; None where no two systems are on one screen.

    Systems that share a text do not meet there.
    """
    screens: Counter[tuple[str, str]] = Counter()
    judgments: Counter[tuple[str, str]] = Counter()
    systems: set[str] = set()
    for unit in units:
        systems.update(unit.systems)
        if unit.criterion != units[0].criterion:
            continue
        met = {(min(a, b), max(a, b)) for first, second in combinations(unit.shape, 2) for a in first for b in second}
        for pair in met:
            if pair[0] != pair[1]:
                screens[pair] += 1
                judgments[pair] += unit.k
    return Meetings(tuple(sorted(systems)), screens, judgments) if screens else None
