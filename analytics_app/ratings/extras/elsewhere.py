"""Tasks on another site: the events that the sites reported, and the seconds that raters spent there."""

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
class Elsewhere(Extra):
    """One entry for each rater, system and kind of event, and one for each rater and system with the kind -1.

    `rater` is a code of the table's names, `system` one into `systems`, `kind` one into `kinds`. In an entry whose kind
    is -1, `n` counts the tasks that were opened, skipped ones among them, `finished` those that the site reported as
    finished, `timed` those with any event, and `seconds` is the sum of their seconds from the opening to the report
    that the task is finished, else to the last event. In other entries `n` counts events. A task that is an output of
    several systems counts for each of them, and once in the entries of the rater whose system is -1.
    """

    rater: NDArray[np.int32]
    system: NDArray[np.int32]
    kind: NDArray[np.int32]
    n: NDArray[np.int64]
    finished: NDArray[np.int64]
    timed: NDArray[np.int64]
    seconds: Floats
    systems: tuple[str, ...]
    kinds: tuple[str, ...]

    @classmethod
    def load(cls, loading: Loading) -> Self:
        """Read the answers that were there at the run's marks."""
        read = rows(_ELSEWHERE.format(current=was_current()), **loading.params)
        columns = list(zip(*read, strict=True)) if read else [()] * 7
        systems, kinds = (sorted({name for name in columns[place] if name is not None}) for place in (1, 2))
        of_system, of_kind = ({name: code for code, name in enumerate(names)} for names in (systems, kinds))
        return cls(
            rater=rater_codes(loading.table.names, np.array(columns[0], dtype=np.int64)),
            system=np.array([of_system.get(name, -1) for name in columns[1]], dtype=np.int32),
            kind=np.array([of_kind.get(name, -1) for name in columns[2]], dtype=np.int32),
            n=np.array(columns[3], dtype=np.int64),
            finished=np.array(columns[4], dtype=np.int64),
            timed=np.array(columns[5], dtype=np.int64),
            seconds=np.array(columns[6], dtype=np.float64),
            systems=tuple(systems),
            kinds=tuple(kinds),
        )

    @classmethod
    def empty(cls, table: Table) -> Self:
        """Return no task."""
        codes, counts = np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int64)
        return cls(codes, codes, codes, counts, counts, counts, np.empty(0), (), ())


# In the order of raters, systems and kinds, since the digits of a sum depend on its order.
_ELSEWHERE = """
WITH answers AS MATERIALIZED (
    SELECT j.id, a.rater_id, a.unit_id, j.elsewhere->'events' AS events
      FROM tasks_app_assignment a
      JOIN tasks_app_unit u ON u.id = a.unit_id
      JOIN tasks_app_judgment j ON j.assignment_id = a.id
     WHERE u.task_id = ANY(%(tasks)s) AND j.id <= %(judgment_high)s AND j.elsewhere IS NOT NULL
       AND a.purpose = 'main' AND a.rater_kind <> 'sandbox' AND j.version = ANY(%(versions)s)
       AND a.unit_id <> ALL(%(withdrawn)s) AND a.state NOT IN ('withdrawn', 'returned')
       AND (%(surplus)s OR a.state <> 'surplus') AND {current}),
seen AS (
    SELECT id, rater_id, NULL AS system, events FROM answers
     UNION ALL
    SELECT DISTINCT n.id, n.rater_id, sy.key, n.events
      FROM answers n
      JOIN tasks_app_part p ON p.unit_id = n.unit_id
      JOIN tasks_app_partoutput po ON po.part_id = p.id
      JOIN tasks_app_output o ON o.id = po.output_id
      JOIN tasks_app_system sy ON sy.id = o.system_id),
timed AS (
    SELECT s.id, s.rater_id, s.system,
           (SELECT min((e->>'at')::float8) FROM jsonb_array_elements(s.events) e WHERE e->>'event' = 'done') AS done,
           (SELECT max((e->>'at')::float8) FROM jsonb_array_elements(s.events) e) AS last
      FROM seen s),
counted AS (
    SELECT rater_id, system, NULL AS kind, count(*) AS n, count(done) AS finished, count(last) AS timed,
           COALESCE(sum(COALESCE(done, last) ORDER BY id), 0) AS seconds
      FROM timed GROUP BY rater_id, system
     UNION ALL
    SELECT s.rater_id, s.system, e->>'event', count(*), 0, 0, 0
      FROM seen s, jsonb_array_elements(s.events) e GROUP BY s.rater_id, s.system, e->>'event')
SELECT rater_id, system, kind, n, finished, timed, seconds
  FROM counted ORDER BY rater_id, system COLLATE "C", kind COLLATE "C"
"""
