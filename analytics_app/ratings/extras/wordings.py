"""The wording of its question in which each judgment was made, in experiments with wordings."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from analytics_app.ratings.copying import copy, rows
from analytics_app.ratings.extras.base import Extra, Loading, extra
from analytics_app.ratings.table import Coding, Table


@extra
@dataclass(frozen=True, slots=True)
class Wordings(Extra):
    """The wording of each criterion in each judgment: codes into `names`, -1 where a judgment has none.

    `code` has shape (n_judgments, n_criteria), in the order of the table's judgments and of `table.names.criteria`.
    """

    code: NDArray[np.int16]
    names: tuple[str, ...]

    @classmethod
    def load(cls, loading: Loading) -> Self:
        """Read the wordings drawn for the screens of the counted judgments."""
        table = loading.table
        criteria = list(dict.fromkeys(table.names.criteria))
        names = tuple(name for (name,) in rows(_NAMES, **loading.params))
        params = {**loading.params, "keys": criteria, "names": list(names)}
        columns = copy(_WORDINGS, params, {"judgment": np.int64, "criterion": np.int32, "wording": np.int32})
        code = np.full((len(table.judgments.id), len(table.names.criteria)), -1, dtype=np.int16)
        place = Coding(table.judgments.id)(columns["judgment"])
        own = np.array([table.names.criterion_code(key) for key in criteria] or [0], dtype=np.int64)
        here = place >= 0
        code[place[here], own[columns["criterion"][here] - 1]] = columns["wording"][here] - 1
        return cls(code, names)

    @classmethod
    def empty(cls, table: Table) -> Self:
        """Return no wording."""
        return cls(np.full((len(table.judgments.id), len(table.names.criteria)), -1, dtype=np.int16), ())


_DRAWN = """
  FROM tasks_app_judgment j
  JOIN tasks_app_assignment a ON a.id = j.assignment_id
  JOIN tasks_app_unit u ON u.id = a.unit_id
 CROSS JOIN LATERAL jsonb_each_text(
       CASE WHEN jsonb_typeof(a.arrangement->'wordings') = 'object' THEN a.arrangement->'wordings' ELSE '{}' END
       ) w (criterion, wording)
 WHERE u.task_id = ANY(%(tasks)s) AND j.id <= %(judgment_high)s
"""

_NAMES = f'SELECT DISTINCT w.wording COLLATE "C" {_DRAWN} ORDER BY 1'

_WORDINGS = f"""
SELECT j.id, array_position(%(keys)s::text[], w.criterion), array_position(%(names)s::text[], w.wording)
{_DRAWN} AND w.criterion = ANY(%(keys)s) AND w.wording = ANY(%(names)s)
"""
