"""Ratings that are left out before any rule: what they were for, or why they do not count, and how many they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from analytics_app.ratings.conditions import was_current
from analytics_app.ratings.copying import rows

# A question that an answer gives twice, such as a repeated pair of adjectives (analytics_app.runs.compute).
WITHIN = "within"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The ratings that one reason leaves out. A rating has one reason: the first that holds, in the order of rows."""

    reason: str
    n_ratings: int
    n_raters: int
    n_texts: int


# The judgments that `reading._JUDGMENTS` does not take, each with the first reason that holds; of these alone ratings
# are looked up, since nearly all judgments count.
_LEFT_OUT = """
WITH own AS MATERIALIZED (
    SELECT j.id, a.rater_id, CASE
             WHEN a.rater_kind = 'sandbox' THEN '1 sandbox'
             WHEN j.version <> ALL(%(versions)s) THEN '2 version'
             WHEN a.purpose NOT IN ('main', 'screening', 'exit') THEN '3 ' || a.purpose
             WHEN a.state = 'withdrawn' THEN '4 withdrawn'
             WHEN a.state = 'returned' THEN '5 returned'
             WHEN NOT {current} THEN '6 revised'
             WHEN j.skip_reason <> '' THEN '7 skipped'
             WHEN a.state = 'surplus' AND NOT %(surplus)s THEN '8 surplus' END AS reason
      FROM tasks_app_judgment j
      JOIN tasks_app_assignment a ON a.id = j.assignment_id
      JOIN tasks_app_unit u ON u.id = a.unit_id
     WHERE u.task_id = ANY(%(tasks)s) AND j.id <= %(judgment_high)s)
SELECT own.reason, count(*), count(DISTINCT own.rater_id), count(DISTINCT COALESCE(-r.part_id, r.unit_id))
  FROM own JOIN tasks_app_rating r ON r.judgment_id = own.id AND r.id <= %(high)s
 WHERE own.reason IS NOT NULL
 GROUP BY own.reason ORDER BY own.reason
"""


def left_out(seen: Mapping[str, Any]) -> list[LeftOut]:
    """Count the ratings of a task that no run takes, reason by reason; none where all of them count."""
    return [LeftOut(reason[2:], *counts) for reason, *counts in rows(_LEFT_OUT.format(current=was_current()), **seen)]
