"""Answers to the same questions in other tasks of the study, such as one and two weeks earlier."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from analytics_app.ratings.copying import copy, rows
from analytics_app.ratings.extras.base import Extra, Loading, extra, rater_codes
from analytics_app.ratings.judgment_conditions import counts
from analytics_app.ratings.reading import ids_of
from analytics_app.ratings.table import Coding, Floats, Mask, Table
from tasks_app.models import Task


@extra
@dataclass(frozen=True, slots=True)
class SameQuestions(Extra):
    """Answers to questions of this task that other tasks of its type ask too; the columns are of equal length.

    `tasks` are the keys of those tasks and of this one, in the order in which a rater comes to them; `here` is the
    place of this one. `task` is a code into `tasks`, `rater`, `criterion` and `group` are codes of the table's names.
    `kept` marks the answers that the rules of their own task kept; all rules are applied before a task is analysed.
    """

    rater: NDArray[np.int32]
    criterion: NDArray[np.int32]
    group: NDArray[np.int32]
    wave: NDArray[np.int32]
    task: NDArray[np.int32]
    value: Floats
    kept: Mask
    tasks: tuple[str, ...] = ()
    here: int = 0

    @classmethod
    def load(cls, loading: Loading) -> Self:
        """Read the answers in those tasks that the run counts."""
        own_params, names = loading.params, loading.table.names
        tasks_of_study = [_Task(*row) for row in rows(_TASKS, own_params["study"])]
        own = next(task for task in reversed(tasks_of_study) if task.id in own_params["tasks"])
        asking = [
            task for task in tasks_of_study if task.type == own.type and (task.key == own.key or task.asks & own.asks)
        ]
        # The latest version of a task determines its place.
        tasks = tuple(task.key for task in sorted({task.key: task for task in asking}.values(), key=_place))
        others = [(task.id, tasks.index(task.key)) for task in asking if task.key != own.key]
        criterion_ids = sorted({number for task in asking for number in task.criteria})
        params = {
            **own_params,
            "tasks": [number for number, _code in others],
            "criteria": criterion_ids,
            "run": loading.run.pk,
        }
        raw = copy(_ANSWERS.format(counts=counts()), params, _TYPE)
        raw = raw[np.argsort(raw["id"], kind="stable")]
        groups = ids_of(rows("SELECT id FROM tasks_app_group WHERE study_id = %s ORDER BY id", own_params["study"]))
        codes = np.array([code for _number, code in others] or [-1], dtype=np.int32)
        return cls(
            rater=rater_codes(names, raw["rater"]),
            criterion=names.criterion_codes(raw["criterion"]),
            group=Coding(groups)(raw["group"]),
            wave=raw["wave"],
            task=codes[Coding(ids_of(others))(raw["task"])],
            value=raw["value"],
            kept=_kept(raw, copy(_REMOVED, params, _REMOVED_TYPE)),
            tasks=tasks,
            here=tasks.index(own.key),
        )

    @classmethod
    def empty(cls, table: Table) -> Self:
        """Return data without answers of other tasks."""
        codes = np.empty(0, dtype=np.int32)
        return cls(codes, codes, codes, codes, codes, np.empty(0), np.empty(0, dtype=bool), ("",), 0)


@dataclass(frozen=True, slots=True)
class _Task:
    """A task of the study, the ids of its criteria, and their keys, which are the same in every version."""

    id: int
    key: str
    type: str
    stage: str
    days: int | None
    order: int
    criteria: Sequence[int]
    keys: Sequence[str]

    @property
    def asks(self) -> frozenset[str]:
        """Return the keys of the task's criteria."""
        return frozenset(self.keys)


def _place(task: _Task) -> tuple[Any, ...]:
    """Return the sort key: the day on which a task opens, its stage, its place; tasks at the end come last."""
    is_last = task.stage == Task.Stage.EXIT and task.days is None
    opens = 0 if task.stage == Task.Stage.SCREENING else task.days or 0
    return is_last, opens, Task.Stage.values.index(task.stage), task.order, task.id


def _kept(raw: NDArray[Any], removed: NDArray[Any]) -> Mask:
    """Return a mask of the answers that no rule of their own task removed; an id of 0 means none."""
    removed_rows = np.zeros(len(raw), dtype=bool)
    for column in ("judgment", "id"):
        removed_rows |= np.isin(raw[column], removed[column][removed[column] > 0])
    pair = np.int64(2) ** 31
    raters = removed[removed["rater"] > 0]
    removed_rows |= np.isin(raw["rater"] * pair + raw["task"], raters["rater"] * pair + raters["task"])
    return ~removed_rows


# Ids of tasks are those of their rows: each version has its own rows, with the same keys.
_TASKS = """
SELECT t.id, t.key, t.type, t.stage, t.opens_after_days, t."order", array_agg(c.id), array_agg(c.key)
  FROM tasks_app_task t
  JOIN tasks_app_taskcriterion tc ON tc.task_id = t.id
  JOIN tasks_app_criterion c ON c.id = tc.criterion_id
 WHERE t.study_id = %s
 GROUP BY t.id
 ORDER BY t.id
"""

_TYPE: dict[str, type] = {
    "id": np.int64,
    "judgment": np.int64,
    "rater": np.int64,
    "task": np.int64,
    "criterion": np.int64,
    "wave": np.int32,
    "group": np.int64,
    "value": np.float64,
}

_ANSWERS = """
SELECT r.id, j.id, a.rater_id, u.task_id, r.criterion_id, a.wave, COALESCE(ra.group_id, 0), r.value
  FROM tasks_app_rating r
  JOIN tasks_app_judgment j ON j.id = r.judgment_id
  JOIN tasks_app_assignment a ON a.id = j.assignment_id
  JOIN tasks_app_unit u ON u.id = a.unit_id
  JOIN tasks_app_rater ra ON ra.id = a.rater_id
 WHERE r.task_id = ANY(%(tasks)s) AND r.criterion_id = ANY(%(criteria)s) AND r.id <= %(high)s
   AND r.value IS NOT NULL AND r.number = 1 AND a.purpose IN ('main', 'screening', 'exit') AND {counts}
"""

_REMOVED_TYPE: dict[str, type] = {"task": np.int64, "rater": np.int64, "judgment": np.int64, "id": np.int64}

# Exclusions name a task by one of its rows; raters of a task are excluded from all of them.
_REMOVED = """
SELECT t.id, COALESCE(e.rater_id, 0), COALESCE(e.judgment_id, 0), COALESCE(e.rating_id, 0)
  FROM analytics_app_exclusion e
  JOIN tasks_app_task named ON named.id = e.task_id
  JOIN tasks_app_task t ON t.study_id = named.study_id AND t.key = named.key
 WHERE e.run_id = %(run)s AND t.id = ANY(%(tasks)s)
"""
