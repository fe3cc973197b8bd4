"""Judgments of experts on texts that were sent to them from this task (docs/routing.md)."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from analytics_app.ratings.copying import copy, rows
from analytics_app.ratings.extras.base import Extra, Loading, extra, rater_codes
from analytics_app.ratings.judgment_conditions import counts
from analytics_app.ratings.table import Coding, Table
from tasks_app.models import Task
from tasks_app.selectors import routing


@extra
@dataclass(frozen=True, slots=True)
class Experts(Extra):
    """Labels by experts as columns of equal length: the part of this task, the rater and the criterion.

    `part`, `rater` and `criterion` are codes of the table's names, `label` a code into `labels`. Where several options
    may be chosen, there is one entry for each. Answers excluded by hand, and answers asked again, are left out.
    """

    part: NDArray[np.int32]
    rater: NDArray[np.int32]
    criterion: NDArray[np.int32]
    label: NDArray[np.int32]
    labels: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.part)

    @classmethod
    def load(cls, loading: Loading) -> Self:
        """Read the answers of the tasks to which texts of this task are sent, as of the run's marks."""
        names, run = loading.table.names, loading.run
        keys = Task.objects.filter(pk__in=loading.params["tasks"]).values_list("key", flat=True)
        tasks = [task.pk for key in set(keys) for task in routing.receiving(run.study_id, key)]
        if not tasks:
            return cls.empty(loading.table)
        params: dict[str, Any] = {
            **loading.params,
            "experts": tasks,
            "replaced": list(run.facts.get("replaced", ())),
            "by_hand": list(run.facts.get("manual_exclusions", ())) if run.heeds_exclusions else [],
        }
        counted = _COUNTED.format(current=counts())
        labels = tuple(word for (word,) in rows(_WORDS.format(counted=counted), **params))
        columns = copy(_GIVEN.format(counted=counted), {**params, "words": list(labels)}, _TYPE)
        part = Coding(names.part_ids)(columns["part"])
        columns, part = columns[part >= 0], part[part >= 0]
        order = np.lexsort((columns["label"], columns["criterion"], columns["rater"], part))
        columns, part = columns[order], part[order]
        return cls(
            part=part,
            rater=rater_codes(names, columns["rater"]),
            criterion=names.criterion_codes(columns["criterion"]),
            label=columns["label"] - np.int32(1),
            labels=labels,
        )

    @classmethod
    def empty(cls, table: Table) -> Self:
        """Return data without labels."""
        codes = np.empty(0, dtype=np.int32)
        return cls(codes, codes, codes, codes)


_TYPE: dict[str, type] = {"part": np.int64, "rater": np.int64, "criterion": np.int64, "label": np.int32}

# The answers of experts that count.
_COUNTED = """
  FROM tasks_app_rating r
  JOIN tasks_app_judgment j ON j.id = r.judgment_id
  JOIN tasks_app_assignment a ON a.id = j.assignment_id
 WHERE r.task_id = ANY(%(experts)s) AND r.id <= %(high)s AND r.label IS NOT NULL AND a.purpose = 'main'
   AND {current}
   AND j.id <> ALL(%(replaced)s::bigint[])
   AND NOT EXISTS (SELECT 1 FROM analytics_app_exclusion e
                    WHERE e.id = ANY(%(by_hand)s::bigint[])
                      AND (e.rater_id = a.rater_id OR e.judgment_id = j.id OR e.rating_id = r.id))
"""

_WORDS = 'SELECT DISTINCT r.label COLLATE "C" {counted} ORDER BY 1'

# Parts of both tasks that show the same outputs.
_GIVEN = """
WITH given AS MATERIALIZED (SELECT r.part_id, a.rater_id, r.criterion_id, r.label {counted})
SELECT DISTINCT p.id, g.rater_id, COALESCE(g.criterion_id, 0), w.code::int
  FROM given g
  JOIN unnest(%(words)s::text[]) WITH ORDINALITY w (label, code) ON w.label = g.label
  JOIN tasks_app_partoutput theirs ON theirs.part_id = g.part_id
  JOIN tasks_app_partoutput ours ON ours.output_id = theirs.output_id
  JOIN tasks_app_part p ON p.id = ours.part_id
  JOIN tasks_app_unit u ON u.id = p.unit_id
 WHERE u.task_id = ANY(%(tasks)s)
"""
