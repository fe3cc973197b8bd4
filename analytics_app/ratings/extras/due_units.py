"""The units of a task that raters are to judge: without known answers, and not waiting to be sent."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from analytics_app.ratings.copying import rows
from analytics_app.ratings.extras.base import Extra, Loading, extra
from analytics_app.ratings.table import Coding, Table


@extra
@dataclass(frozen=True, slots=True)
class Wanted(Extra):
    """Codes of the units to be judged, ascending.

    The name of the class is part of the digests of stored results; another one would have all of them recomputed.
    """

    unit: NDArray[np.int32]

    @classmethod
    def load(cls, loading: Loading) -> Self:
        """Read the units to be judged."""
        ids = np.array([pk for (pk,) in rows(_UNITS, **loading.params)], dtype=np.int64)
        codes = Coding(loading.table.names.unit_ids)(ids)
        return cls(np.sort(codes[codes >= 0]))

    @classmethod
    def empty(cls, table: Table) -> Self:
        """Return no unit."""
        return cls(np.empty(0, dtype=np.int32))


_UNITS = """
SELECT u.id FROM tasks_app_unit u
 WHERE u.task_id = ANY(%(tasks)s) AND u.until IS NULL AND u.k > 0 AND u.id <> ALL(%(withdrawn)s)
   AND NOT EXISTS (SELECT 1 FROM tasks_app_gold g WHERE g.unit_id = u.id)
"""
