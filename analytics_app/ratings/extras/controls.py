"""Answers of raters to units with known answers."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from analytics_app.ratings.copying import copy
from analytics_app.ratings.extras.base import Extra, Loading, extra, rater_codes
from analytics_app.ratings.judgment_conditions import is_given
from analytics_app.ratings.table import Mask, Table


@extra
@dataclass(frozen=True, slots=True)
class Controls(Extra):
    """One entry per rater and unit with a known answer shown among the other units, with its last grade.

    Later changes are graded only if they precede the rater's next answer.

    `rater` is a code of the table's names, `judgment` the id of the answer, `order` its place in the rater's sequence.
    `passed` says that the answer agrees with all that is known. `attention` marks checks that are no judgment, such
    as "choose 3 here", `copy` comparisons of a text with its degraded copy.
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
        columns = copy(_CONTROLS.format(given=is_given()), loading.params, _TYPE)
        return cls(
            rater=rater_codes(loading.table.names, columns["rater"]),
            judgment=columns["judgment"],
            order=columns["order"],
            passed=columns["passed"].astype(bool),
            attention=columns["attention"].astype(bool),
            copy=columns["copy"].astype(bool),
        )

    @classmethod
    def empty(cls, table: Table) -> Self:
        """Return no check."""
        codes, flags = np.empty(0, dtype=np.int32), np.empty(0, dtype=bool)
        return cls(codes, np.empty(0, dtype=np.int64), codes, flags, flags, flags)


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
