"""The number of raters a study takes until one of its tasks is full, by group, and their pay in total."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from tasks_app.designs.filling import EVERYBODY, Sets, filled, full_sets, left_over
from tasks_app.models import Group, Study, Task
from tasks_app.pay import pay_for


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
    return Takers(by_group, {group.pk: str(group) for group in groups}, left_over(by_group, tasks))


def paid_in_all(takers: Takers, tasks: Sequence[Sets], amount: Decimal) -> Decimal:
    """Return the total pay of all raters who finish; shorter sets are paid in proportion."""
    return pay_for(full_sets(takers.by_group, tasks), amount)
