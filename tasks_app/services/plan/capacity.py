"""The number of raters a study takes until one of its tasks is full, by group, and their pay in total."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from tasks_app.models import Group, Study, Task

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


@dataclass(frozen=True, slots=True)
class Takers:
    """Raters by group until every group is full, each with one set of every task, and the sets of tasks left over."""

    by_group: Mapping[int, Fraction]
    names: Mapping[int, str]
    sets_left_over: Mapping[int, int]

    @property
    def raters(self) -> int:
        """Raters in all."""
        return round(sum(self.by_group.values()))

    @property
    def groups(self) -> list[tuple[str, int]]:
        """The name and the raters of every group; nothing where a study has none."""
        return [(self.names[group], round(n)) for group, n in self.by_group.items() if group != EVERYBODY]


def groups_of_tasks(tasks: Iterable[Task]) -> dict[int, tuple[int, ...]]:
    """Return the groups of those of these tasks that only some raters are given, as far as they were read with them."""
    groups = {task.pk: tuple(sorted(task_group.group_id for task_group in task.task_groups.all())) for task in tasks}
    return {task: of_task for task, of_task in groups.items() if of_task}


def takers_of(study: Study, tasks: Sequence[Sets]) -> Takers:
    """Fill the groups in their shares, as blocks do: who finds one of their tasks full is turned away."""
    groups = list(Group.objects.filter(study=study).order_by("id"))
    shares = {group.pk: group.share for group in groups} or {EVERYBODY: 1}
    by_group = filled(shares, tasks)
    taken = {sets.task: sum(n for group, n in by_group.items() if sets.is_for(group)) for sets in tasks}
    left = {sets.task: sets.booklets - round(taken[sets.task]) for sets in tasks}
    return Takers(by_group, {group.pk: str(group) for group in groups}, {task: n for task, n in left.items() if n > 0})


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


def paid_in_all(takers: Takers, tasks: Sequence[Sets], amount: Decimal) -> Decimal:
    """Return the total pay of all raters who finish; shorter sets are paid in proportion."""
    total = Fraction(0)
    for group, n in takers.by_group.items():
        sets_of_group = [sets for sets in tasks if sets.is_for(group)]
        size = sum(sets.full for sets in sets_of_group)
        if size:
            total += n * sum(sets.mean for sets in sets_of_group) / size
    return (amount * total.numerator / total.denominator).quantize(Decimal("0.01"))
