"""Texts with a set time: the time that raters had, and lapses."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from analytics_app.ratings.copying import rows
from analytics_app.ratings.extras.base import Extra, Loading, extra, rater_codes
from analytics_app.ratings.judgment_conditions import was_current
from analytics_app.ratings.table import Floats, Table


@extra
@dataclass(frozen=True, slots=True)
class SetTimes(Extra):
    """One entry for each rater and system with answers within a set time, skips and lapses among them.

    `rater` is a code of the table's names, `system` one into `systems`. `n` counts answers, `lapsed` those for which
    the time was over, `more` those for which the rater had chosen more time; `seconds` is the sum of the seconds for
    which texts were shown. An answer about texts of several systems counts for each of them, and once in the entry of
    the rater whose system is -1.
    """

    rater: NDArray[np.int32]
    system: NDArray[np.int32]
    n: NDArray[np.int64]
    lapsed: NDArray[np.int64]
    more: NDArray[np.int64]
    seconds: Floats
    systems: tuple[str, ...]

    @classmethod
    def load(cls, loading: Loading) -> Self:
        """Read the answers that were there at the run's marks."""
        read = rows(_SET_TIMES.format(current=was_current()), **loading.params)
        columns = list(zip(*read, strict=True)) if read else [()] * 6
        systems = sorted({system for system in columns[1] if system is not None})
        place = {system: code for code, system in enumerate(systems)}
        return cls(
            rater=rater_codes(loading.table.names, np.array(columns[0], dtype=np.int64)),
            system=np.array([place.get(system, -1) for system in columns[1]], dtype=np.int32),
            n=np.array(columns[2], dtype=np.int64),
            lapsed=np.array(columns[3], dtype=np.int64),
            more=np.array(columns[4], dtype=np.int64),
            seconds=np.array(columns[5], dtype=np.float64),
            systems=tuple(systems),
        )

    @classmethod
    def empty(cls, table: Table) -> Self:
        """Return no answer."""
        codes, counts = np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int64)
        return cls(codes, codes, counts, counts, counts, np.empty(0), ())


# In the order of raters and systems, since the digits of a sum depend on its order.
_SET_TIMES = """
WITH answers AS MATERIALIZED (
    SELECT j.id, a.rater_id, a.unit_id, (j.timing->>'lapsed')::boolean AS lapsed,
           j.timing->>'choice' <> 'usual' AS more, (j.timing->>'shown')::float8 AS shown
      FROM tasks_app_assignment a
      JOIN tasks_app_unit u ON u.id = a.unit_id
      JOIN tasks_app_judgment j ON j.assignment_id = a.id
     WHERE u.task_id = ANY(%(tasks)s) AND j.id <= %(judgment_high)s AND j.timing IS NOT NULL
       AND a.purpose = 'main' AND a.rater_kind <> 'sandbox' AND j.version = ANY(%(versions)s)
       AND a.unit_id <> ALL(%(withdrawn)s) AND a.state NOT IN ('withdrawn', 'returned')
       AND (%(surplus)s OR a.state <> 'surplus') AND {current}),
seen AS (
    SELECT id, rater_id, NULL AS system, lapsed, more, shown FROM answers
     UNION ALL
    SELECT DISTINCT n.id, n.rater_id, sy.key, n.lapsed, n.more, n.shown
      FROM answers n
      JOIN tasks_app_part p ON p.unit_id = n.unit_id
      JOIN tasks_app_partoutput po ON po.part_id = p.id
      JOIN tasks_app_output o ON o.id = po.output_id
      JOIN tasks_app_system sy ON sy.id = o.system_id)
SELECT rater_id, system, count(*), count(*) FILTER (WHERE lapsed), count(*) FILTER (WHERE more),
       sum(shown ORDER BY id)
  FROM seen GROUP BY rater_id, system ORDER BY rater_id, system COLLATE "C"
"""
