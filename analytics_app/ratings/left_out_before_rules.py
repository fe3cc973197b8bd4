"""Count the ratings of a task that are left out before any rule, by reason, such as revised answers and surplus."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from analytics_app.ratings.copying import rows
from analytics_app.ratings.judgment_conditions import was_current

# The reason for a question that was repeated on a screen, such as a pair of adjectives (analytics_app.runs.rules).
WITHIN = "within"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The ratings that one reason leaves out. A rating has one reason: the first that applies, in the order of rows."""

    reason: str
    n_ratings: int
    n_raters: int
    n_texts: int


# The judgments that analytics_app.ratings.reading does not read, each with the first reason that applies. Ratings are
# looked up only for these, since nearly all judgments count.
_LEFT_OUT = """
WITH own AS MATERIALIZED (
    SELECT j.id, a.rater_id, CASE
             WHEN a.rater_kind = 'sandbox' THEN '1 sandbox'
             WHEN a.rater_id = ANY(%(metrics)s::bigint[]) THEN '1 metric'
             WHEN j.version <> ALL(%(versions)s) THEN '2 version'
             WHEN a.purpose NOT IN ('main', 'screening', 'exit') THEN '3 ' || a.purpose
             WHEN a.state = 'withdrawn' THEN '4 withdrawn'
             WHEN a.state = 'returned' THEN '5 returned'
             WHEN NOT {current} THEN '6 revised'
             WHEN j.skip_reason <> '' THEN '7 skipped'
             WHEN a.unit_id = ANY(%(withdrawn)s) THEN '8 withdrawn_text'
             WHEN a.state = 'surplus' AND NOT %(surplus)s THEN '9 surplus'
             WHEN j.id = ANY(%(added)s::bigint[]) THEN 'a added' END AS reason
      FROM tasks_app_judgment j
      JOIN tasks_app_assignment a ON a.id = j.assignment_id
      JOIN tasks_app_unit u ON u.id = a.unit_id
     WHERE u.task_id = ANY(%(tasks)s) AND j.id <= %(judgment_high)s)
SELECT own.reason, count(*), count(DISTINCT own.rater_id), count(DISTINCT CASE WHEN r.part_b_id IS NULL
                                                                               THEN COALESCE(-r.part_id, r.unit_id)
                                                                               ELSE r.unit_id END)
  FROM own JOIN tasks_app_rating r ON r.judgment_id = own.id AND r.id <= %(high)s
 WHERE own.reason IS NOT NULL
 GROUP BY own.reason ORDER BY own.reason
"""


def left_out(params: Mapping[str, Any]) -> list[LeftOut]:
    """Return the counts of ratings of a task that every run leaves out, by reason; none if all ratings count."""
    reasons = rows(_LEFT_OUT.format(current=was_current()), **params)
    return [LeftOut(reason[2:], *numbers) for reason, *numbers in reasons]
