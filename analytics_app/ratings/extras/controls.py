"""Answers of raters to units with known answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from analytics_app.ratings.conditions import is_given
from analytics_app.ratings.copying import copy
from analytics_app.ratings.extras.base import Extra, Loading
from analytics_app.ratings.extras.codes import rater_codes
from analytics_app.ratings.extras.registry import extra
from analytics_app.ratings.table import Mask, Table


@extra
@dataclass(frozen=True, slots=True)
class Controls(Extra):
    """One entry for every unit with a known answer that a rater was given among the others, as it was graded last.

    Only changes that are made before the rater's next answer are graded.

    `rater` is a code of the table's names, `judgment` the id of the answer, `order` its place in the rater's way.
    `passed` says that everything known about the unit was met. `attention` marks checks that are no judgment, such
    as "choose 3 here", `copy` a text beside its degraded copy.
    """

    rater: NDArray[np.int32]
    judgment: NDArray[np.int64]
    order: NDArray[np.int32]
    passed: Mask
    attention: Mask
    copy: Mask

    def __len__(self) -> int:
        return len(self.rater)

    @classmethod
    def load(cls, loading: Loading) -> Self:
        """Read the results of the answers that a run counts."""
        found = copy(_CONTROLS.format(given=is_given()), loading.seen, _TYPE)
        return cls(
            rater=rater_codes(loading.table.names, found["rater"]),
            judgment=found["judgment"],
            order=found["order"],
            passed=found["passed"].astype(bool),
            attention=found["attention"].astype(bool),
            copy=found["copy"].astype(bool),
        )

    @classmethod
    def empty(cls, table: Table) -> Self:
        """Return no check."""
        none, no = np.empty(0, dtype=np.int32), np.empty(0, dtype=bool)
        return cls(none, np.empty(0, dtype=np.int64), none, no, no, no)


_TYPE = {
    "rater": np.int64,
    "judgment": np.int64,
    "order": np.int32,
    "passed": np.int32,
    "attention": np.int32,
    "copy": np.int32,
}

# A unit that was answered several times counts as it was graded last; later changes have no result.
_CONTROLS = """
SELECT rater_id, judgment, "order", passed::int, attention::int, copy::int FROM (
    SELECT a.rater_id, j.id AS judgment, a."order", bool_and(c.passed) AS passed,
           bool_or(g.purpose = 'attention') AS attention, bool_or(g.kind = 'worse') AS copy,
           row_number() OVER (PARTITION BY a.rater_id, g.unit_id ORDER BY j.id DESC) AS newest
      FROM tasks_app_gold g
      JOIN tasks_app_unit u ON u.id = g.unit_id
      JOIN tasks_app_controlresult c ON c.gold_id = g.id
      JOIN tasks_app_judgment j ON j.id = c.judgment_id
      JOIN tasks_app_assignment a ON a.id = j.assignment_id
     WHERE u.task_id = ANY(%(tasks)s) AND g.purpose IN ('control', 'attention') AND {given}
     GROUP BY a.rater_id, g.unit_id, j.id, a."order") answered
 WHERE newest = 1
 ORDER BY rater_id, "order", judgment
"""
