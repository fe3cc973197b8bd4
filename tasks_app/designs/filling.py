"""The number of raters that the sets of several tasks are enough for, by group."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

# Nobody is in a group where a study has none.
EVERYBODY = 0


@dataclass(frozen=True, slots=True)
class Sets:
    """The sets of one task: how many there are, the units of a full one and of one on average; groups it is for."""

    task: int
    booklets: int
    full: int
    mean: Fraction
    groups: tuple[int, ...] = ()

    def is_for(self, group: int) -> bool:
        """Return whether raters of a group are given the task."""
        return not self.groups or group in self.groups


def filled(shares: Mapping[int, int], tasks: Sequence[Sets]) -> dict[int, Fraction]:
    """Return the raters per group: groups fill in their shares, and one stops when one of its tasks is full."""
    by_group = dict.fromkeys(shares, Fraction(0))
    left = {sets.task: Fraction(sets.booklets) for sets in tasks}
    growing = {group for group in shares if any(sets.is_for(group) for sets in tasks)}
    while growing:
        needs = {sets.task: sum(shares[group] for group in growing if sets.is_for(group)) for sets in tasks}
        step = min(left[task] / need for task, need in needs.items() if need)
        for group in growing:
            by_group[group] += step * shares[group]
        left = {task: n - step * needs[task] for task, n in left.items()}
        growing -= {group for group in growing for sets in tasks if sets.is_for(group) and not left[sets.task]}
    return by_group


def full_sets(by_group: Mapping[int, Fraction], tasks: Sequence[Sets]) -> Fraction:
    """Return how many full sets of all their tasks the raters do together: a shorter set counts in proportion.

    `by_group` are the raters as `filled` returns them, `tasks` those that have sets.
    """
    total = Fraction(0)
    for group, n in by_group.items():
        of_group = [sets for sets in tasks if sets.is_for(group)]
        if full := sum(sets.full for sets in of_group):
            total += n * sum(sets.mean for sets in of_group) / full
    return total


def left_over(by_group: Mapping[int, Fraction], tasks: Sequence[Sets]) -> dict[int, int]:
    """Return the sets of each task that nobody gets once no group has room for a rater; tasks without any are left out.

    `by_group` are the raters as `filled` returns them.
    """
    raters_of_task = {sets.task: sum(n for group, n in by_group.items() if sets.is_for(group)) for sets in tasks}
    left = {sets.task: sets.booklets - round(raters_of_task[sets.task]) for sets in tasks}
    return {task: n for task, n in left.items() if n > 0}
