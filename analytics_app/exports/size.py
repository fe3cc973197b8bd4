"""The number of rows of the file of ratings of a study, without answers to checks, for the page that offers it."""

from collections.abc import Sequence
from typing import NamedTuple

from analytics_app.exports.ratings import WITHOUT_CHECKS
from tasks_app.models import Study, is_current, statements


class Answers(NamedTuple):
    """The number of judgments of a rater, including revised ones, and the last id: neither ever decreases."""

    n: int
    last: int


_ANSWERS = """
SELECT ra.id, count(*), max(j.id)
  FROM tasks_app_rater ra
  JOIN tasks_app_assignment a ON a.rater_id = ra.id
  JOIN tasks_app_judgment j ON j.assignment_id = a.id
 WHERE ra.study_id = %(study)s AND ra.kind <> 'sandbox'
 GROUP BY ra.id
"""

# A rating of a text that several systems share has a row for each, or for each pair of them; a judgment without a
# rating has one row.
_ROWS = """
WITH current AS MATERIALIZED (
    SELECT a.rater_id, j.id, a.unit_id
      FROM tasks_app_judgment j
      JOIN tasks_app_assignment a ON a.id = j.assignment_id
     WHERE a.rater_id = ANY(%(raters)s)
       AND a.purpose = ANY(%(purposes)s)
       AND {current}),
shared AS MATERIALIZED (
    SELECT po.part_id, count(*) AS n
      FROM tasks_app_partoutput po
      JOIN tasks_app_part p ON p.id = po.part_id
     WHERE p.unit_id IN (SELECT unit_id FROM current)
     GROUP BY po.part_id HAVING count(*) > 1)
SELECT current.rater_id,
       sum(CASE WHEN r.id IS NULL THEN 1 ELSE COALESCE(s.n, 1) * COALESCE(sb.n, 1) END)::bigint
  FROM current
  LEFT JOIN tasks_app_rating r ON r.judgment_id = current.id
  LEFT JOIN shared s ON s.part_id = r.part_id
  LEFT JOIN shared sb ON sb.part_id = r.part_b_id
 GROUP BY current.rater_id
"""

# The rows of each rater, as this process last counted them. At a million ratings counting takes more than a second, so
# only raters who have answered since are counted again (decision 0045).
_counted: dict[int, tuple[Answers, int]] = {}
# Beyond so many raters the process forgets all of them and begins anew.
MOST_REMEMBERED = 100_000


# Judgments that a page waits to have counted: these take a tenth to a third of a second.
MOST_AT_ONCE = 20_000


def rows_of_file(study: Study) -> int:
    """Return the number of rows of the file of ratings without answers to checks, and without its header."""
    return _Raters(study).rows()


def rows_if_quick(study: Study) -> int | None:
    """Return the same number, or None where more judgments would have to be counted than a page waits for."""
    raters = _Raters(study)
    return raters.rows() if raters.n_to_count <= MOST_AT_ONCE else None


class _Raters:
    """The raters of a study: some have rows that this process has counted, others have answered since."""

    def __init__(self, study: Study) -> None:
        rows = statements.rows(_ANSWERS, {"study": study.pk})
        self._answers = {rater: Answers(n, last) for rater, n, last in rows}
        known = {rater: _counted.get(rater) for rater in self._answers}
        self._same = {
            rater: counted for rater, counted in known.items() if counted and counted[0] == self._answers[rater]
        }

    @property
    def _changed(self) -> list[int]:
        return [rater for rater in self._answers if rater not in self._same]

    @property
    def n_to_count(self) -> int:
        """The number of judgments that have to be counted."""
        return sum(self._answers[rater].n for rater in self._changed)

    def rows(self) -> int:
        """Return the rows of all raters, after counting those that are not known."""
        changed, answers = self._changed, self._answers
        fresh = {rater: (answers[rater], rows) for rater, rows in _count(changed)} if changed else {}
        if len(_counted) + len(fresh) > MOST_REMEMBERED:
            _counted.clear()
        _counted.update(fresh)
        return sum(rows for _answers, rows in (*self._same.values(), *fresh.values()))


def _count(raters: Sequence[int]) -> list[tuple[int, int]]:
    params = {"raters": list(raters), "purposes": list(WITHOUT_CHECKS)}
    counted = {int(rater): int(rows) for rater, rows in statements.rows(_ROWS.format(current=is_current("j")), params)}
    # Raters who have answered checks alone have no row.
    return [(rater, counted.get(rater, 0)) for rater in raters]
