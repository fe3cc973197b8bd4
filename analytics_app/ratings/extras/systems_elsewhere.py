"""Ratings of systems in the other tasks of the study, for analyses across tasks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from analytics_app.ratings.copying import copy
from analytics_app.ratings.extras.base import Extra, Loading, extra
from analytics_app.ratings.reading import load
from analytics_app.ratings.table import Floats, Mask, Table
from tasks_app.models import Criterion, Task
from tasks_app.selectors.screens import criterion_of
from tasks_app.task_types.base import ORDERED_SCALES


@dataclass(frozen=True, slots=True)
class Rated:
    """A criterion that a task has rated on a scale of numbers; `low_is_good` where the least is the best."""

    task: str
    criterion: str
    scale: str
    low_is_good: bool


@extra
@dataclass(frozen=True, slots=True)
class SystemsElsewhere(Extra):
    """Ratings by system in every other task, for the first task of a study that rates systems; empty for the others.

    The columns are of equal length, an entry for each output that a rating counts for. `question` is a code into
    `rated`; `rater`, `system` and `item` are codes of the table's names, which are those of the study. `screen` is the
    judgment. `kept` says which ratings the rules of their own task kept: they are all applied before a whole task is
    analysed. `titles` are the names of all tasks by key, `called` the names of all criteria.
    """

    question: NDArray[np.int32]
    rater: NDArray[np.int32]
    system: NDArray[np.int32]
    item: NDArray[np.int32]
    screen: NDArray[np.int64]
    value: Floats
    kept: Mask
    rated: tuple[Rated, ...] = ()
    titles: Mapping[str, str] = field(default_factory=dict)
    called: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def load(cls, loading: Loading) -> Self:
        """Read the ratings that the run counts in those tasks."""
        study = loading.run.study_id
        tasks = list(Task.objects.filter(study=study, until=None).order_by("order", "id"))
        criteria_by_task = {task: criteria for task in tasks if (criteria := _rated(task))}
        first = next(iter(criteria_by_task), None)
        if first is None or first.pk not in loading.params["tasks"]:
            return cls.empty(loading.table)
        rated: list[Rated] = []
        columns: list[dict[str, NDArray[Any]]] = []
        for task, criteria in criteria_by_task.items():
            if task != first:
                columns.append(_columns(loading, task, criteria, len(rated)))
                rated += criteria
        if not columns:
            return cls.empty(loading.table)
        called = Criterion.objects.filter(study=study, until=None).values_list("key", "name")
        return cls(
            **{name: np.concatenate([of_task[name] for of_task in columns]) for name in columns[0]},
            rated=tuple(rated),
            titles=Task.names(tasks),
            called={key: name or key for key, name in called},
        )

    @classmethod
    def empty(cls, table: Table) -> Self:
        """Return no rating of another task."""
        codes = np.empty(0, dtype=np.int32)
        return cls(codes, codes, codes, codes, np.empty(0, dtype=np.int64), np.empty(0), np.empty(0, dtype=bool))


def _rated(task: Task) -> list[Rated]:
    """Return the criteria that a task has rated on a scale of numbers."""
    kind, rated = task.kind, []
    for criterion in Criterion.objects.filter(task_criteria__task=task).order_by("task_criteria__order"):
        outcome = kind.outcome_of(criterion_of(criterion))
        if (
            outcome is not None
            and outcome.column == "value"
            and outcome.per != "span"
            and outcome.scale in ORDERED_SCALES
        ):
            rated.append(Rated(task.key, criterion.key, outcome.scale.value, outcome.low_is_good))
    return rated


def _columns(loading: Loading, task: Task, criteria: Sequence[Rated], begin: int) -> dict[str, NDArray[Any]]:
    """Return the ratings of a task by system; its first criterion has the code `begin`."""
    table = load(loading.run, task.key)
    code = np.full(len(table.names.criteria) + 1, -1, dtype=np.int32)
    for number, rated in enumerate(criteria, start=begin):
        code[table.names.criterion_code(rated.criterion)] = number
    question = code[table.criterion]
    row, system, item = table.by_system()
    # A question that an answer gives twice, such as a repeated adjective pair, counts once.
    counts = (question[row] >= 0) & ~np.isnan(table.value[row]) & (table.number[row] == 1)
    row, system, item = row[counts], system[counts], item[counts]
    return {
        "question": question[row],
        "rater": table.rater[row],
        "system": system.astype(np.int32),
        "item": item.astype(np.int32),
        "screen": table.judgments.id[table.judgment[row]],
        "value": table.value[row],
        "kept": _kept(loading, task, table)[row],
    }


def _kept(loading: Loading, task: Task, table: Table) -> Mask:
    """Return which ratings of a task its own rules kept. No row has the id 0, which stands for none."""
    removed = copy(_REMOVED, {"run": loading.run.pk, "study": loading.run.study_id, "task": task.key}, _REMOVED_TYPE)
    ids = {"rater": table.names.rater_ids[table.rater], "judgment": table.judgments.id[table.judgment], "id": table.id}
    mask = np.ones(len(table), dtype=bool)
    for column, values in ids.items():
        mask &= ~np.isin(values, removed[column])
    return mask


_REMOVED_TYPE: dict[str, type] = {"rater": np.int64, "judgment": np.int64, "id": np.int64}

_REMOVED = """
SELECT COALESCE(e.rater_id, 0), COALESCE(e.judgment_id, 0), COALESCE(e.rating_id, 0)
  FROM analytics_app_exclusion e
  JOIN tasks_app_task t ON t.id = e.task_id
 WHERE e.run_id = %(run)s AND t.study_id = %(study)s AND t.key = %(task)s
"""
