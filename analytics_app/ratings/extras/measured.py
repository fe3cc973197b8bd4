"""Outcomes of raters that were measured outside this program and uploaded, such as calories or test scores."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from analytics_app.ratings.copying import rows
from analytics_app.ratings.extras.base import Extra, Loading, extra, rater_codes
from analytics_app.ratings.extras.spans import excluded_ids
from analytics_app.ratings.reading import ids_of
from analytics_app.ratings.table import Coding, Floats, Mask, Table
from tasks_app.models import Study, Task
from tasks_app.services.waves import schedule


@extra
@dataclass(frozen=True, slots=True)
class Measured(Extra):
    """Columns of equal length, one entry per rater, wave and outcome.

    `rater` and `group` are codes of the table's names (group -1 for none), `outcome` is a code into `outcomes`, which
    are in alphabetical order. `kept` tells which raters no rule excluded from this task. `task` is the key of the task
    of this type with which the results of all outcomes stand: the first one of the last wave that every group is
    asked, else the first one of the last wave.
    """

    rater: NDArray[np.int32]
    group: NDArray[np.int32]
    wave: NDArray[np.int32]
    outcome: NDArray[np.int32]
    value: Floats
    kept: Mask
    outcomes: tuple[str, ...] = ()
    task: str = ""

    @classmethod
    def load(cls, loading: Loading) -> Self:
        """Read the outcomes that existed when the run was started."""
        study, names = loading.params["study"], loading.table.names
        high = loading.run.facts.get("outcomes", {}).get("high", 0)
        stored = rows(_OUTCOMES, study, high)
        outcomes = tuple(sorted({row[3] for row in stored}))
        groups = ids_of(rows("SELECT id FROM tasks_app_group WHERE study_id = %s ORDER BY id", study))
        ids = np.array([row[0] for row in stored], dtype=np.int64)
        excluded, _judgments = excluded_ids(loading.run, loading.params["tasks"])
        return cls(
            rater=rater_codes(names, ids),
            group=Coding(groups)(np.array([row[1] for row in stored], dtype=np.int64)),
            wave=np.array([row[2] for row in stored], dtype=np.int32),
            outcome=np.array([outcomes.index(row[3]) for row in stored], dtype=np.int32),
            value=np.array([row[4] for row in stored], dtype=np.float64),
            kept=~np.isin(ids, excluded),
            outcomes=outcomes,
            task=_task(loading) if stored else "",
        )

    @classmethod
    def empty(cls, table: Table) -> Self:
        """Return no outcome."""
        codes = np.empty(0, dtype=np.int32)
        return cls(codes, codes, codes, codes, np.empty(0), np.empty(0, dtype=bool))


def _task(loading: Loading) -> str:
    """Return the key of the task of this type with which the results of outcomes stand."""
    study = Study.objects.get(pk=loading.params["study"])
    own = Task.objects.filter(pk__in=loading.params["tasks"]).order_by("-pk")[0]
    tasks = Task.objects.filter(study=study, until=None, type=own.type).prefetch_related("task_groups")
    waves, stages = schedule.numbers(study), Task.Stage.values
    asked_last = sorted(
        tasks, key=lambda task: (-waves[task.key], bool(task.task_groups.all()), stages.index(task.stage), task.order)
    )
    return asked_last[0].key if asked_last else own.key


_OUTCOMES = """
SELECT o.rater_id, COALESCE(r.group_id, 0), o.wave, o.outcome, o.value
  FROM analytics_app_measuredoutcome o
  JOIN tasks_app_rater r ON r.id = o.rater_id
 WHERE o.study_id = %s AND o.id <= %s AND r.kind <> 'sandbox'
 ORDER BY o.outcome COLLATE "C", o.wave, o.rater_id
"""
