"""The order, out of six, in which each triangle was shown."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from analytics_app.ratings.copying import copy
from analytics_app.ratings.extras.base import Extra, Loading, extra
from analytics_app.ratings.table import Coding, Table

# The odd text (first, second or third) is by the second system, then by the first.
ORDERS = ("BAA", "ABA", "AAB", "ABB", "BAB", "BBA")


@extra
@dataclass(frozen=True, slots=True)
class Orders(Extra):
    """The order of each of the table's judgments, a code into ORDERS; -1 where none was stored, as often in imports."""

    order: NDArray[np.int32]

    @classmethod
    def load(cls, loading: Loading) -> Self:
        """Read the orders drawn for the screens of the counted judgments."""
        judgments = loading.table.judgments
        order = np.full(len(judgments.id), -1, dtype=np.int32)
        columns = copy(_ORDERS, {**loading.params, "orders": list(ORDERS)}, {"judgment": np.int64, "order": np.int32})
        place = Coding(judgments.id)(columns["judgment"])
        order[place[place >= 0]] = columns["order"][place >= 0] - 1
        return cls(order)

    @classmethod
    def empty(cls, table: Table) -> Self:
        """Return no order."""
        return cls(np.full(len(table.judgments.id), -1, dtype=np.int32))


_ORDERS = """
SELECT j.id, array_position(%(orders)s::text[], a.arrangement->>'order')
  FROM tasks_app_judgment j
  JOIN tasks_app_assignment a ON a.id = j.assignment_id
  JOIN tasks_app_unit u ON u.id = a.unit_id
 WHERE u.task_id = ANY(%(tasks)s) AND j.id <= %(judgment_high)s AND a.arrangement->>'order' = ANY(%(orders)s)
"""
