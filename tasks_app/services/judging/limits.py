"""Limits that act while a study collects: too many fast screens, too many skips, too few right checks.

They are compared with what a rater did at the end of their sets or, where a task says so, with every answer. Answers
that were given stay, are analysed and are paid: a limit only decides that a rater gets no further units. Skips because
a text is upsetting or something did not work never count.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from tasks_app.models import Judgment
from tasks_app.settings.checks import CheckSettings, StopWhen, checks_of

# The names in a rater's prefs: which limit was passed, and that an owner has said that none applies to the rater.
STOPPED, ALLOWED = "stopped", "allowed"


class Limit(StrEnum):
    """The limit that a rater passed."""

    FAST = "fast"
    SKIPS = "skips"
    CHECKS = "checks"


@dataclass(frozen=True, slots=True)
class Pace:
    """Pace of a rater in a task: units answered, units answered too fast, and skips that count."""

    answered: int = 0
    fast: int = 0
    skipped: int = 0

    def __add__(self, other: Pace) -> Pace:
        """Return the pace in the units of both."""
        return Pace(self.answered + other.answered, self.fast + other.fast, self.skipped + other.skipped)


@dataclass(frozen=True, slots=True)
class Passed:
    """A limit that a rater passed: `n` units of `of`."""

    limit: Limit
    n: int
    of: int

    def as_stored(self) -> dict[str, object]:
        """Return it as prefs and the log hold it."""
        return {"limit": str(self.limit), "n": self.n, "of": self.of}


_BLAMELESS = ", ".join(f"'{reason}'" for reason in sorted(Judgment.Skip.BLAMELESS))

# The units of a rater in tasks that have a limit, with the time of all changes of an answer: who returned to think
# again was not fast.
_UNITS = """
        SELECT a.id AS assignment, t.id AS task, (t.checks->>'fast_seconds')::float8 AS floor_of_task,
               sum(COALESCE(j.seconds_active, j.seconds_elapsed)) AS seconds,
               (array_agg(j.skip_reason ORDER BY j.id DESC))[1] AS reason
        FROM tasks_app_assignment a
        JOIN tasks_app_unit u ON u.id = a.unit_id
        JOIN tasks_app_task t ON t.id = u.task_id AND t.stage = 'main'
         AND (t.checks->>'fast_seconds' IS NOT NULL OR t.checks->>'skip_share' IS NOT NULL)
        JOIN tasks_app_judgment j ON j.assignment_id = a.id
        WHERE a.rater_id = %(rater)s AND {which} AND a.purpose NOT IN ('screening', 'training', 'exam')
        GROUP BY a.id, t.id
"""

# The units that are being answered are left out.
PACES = f"""
SELECT COALESCE(jsonb_agg(jsonb_build_array(of_task.task, of_task.answered, of_task.fast, of_task.skipped)), '[]')
FROM (
    SELECT task, count(*) FILTER (WHERE reason = '') AS answered,
           count(*) FILTER (WHERE reason = '' AND seconds < floor_of_task) AS fast,
           count(*) FILTER (WHERE reason NOT IN ('', {_BLAMELESS})) AS skipped
    FROM ({_UNITS.format(which="a.id <> ALL(%(assignments)s::bigint[])")}) of_unit
    GROUP BY task) of_task
"""  # noqa: S608  its parts are constants of the code

# The units that are being answered, where they were answered before.
TIMED = f"""
SELECT COALESCE(jsonb_agg(jsonb_build_array(of_unit.assignment, of_unit.task, of_unit.seconds, of_unit.reason)), '[]')
FROM ({_UNITS.format(which="a.id = ANY(%(assignments)s::bigint[])")}) of_unit
"""  # noqa: S608  its parts are constants of the code


def limits_pace(checks: CheckSettings) -> bool:
    """Return whether a task has a limit of pace."""
    return checks.fast_seconds is not None or checks.skip_share is not None


def paces(column: Any) -> dict[int, Pace]:
    """Read the column of `PACES`: paces by task."""
    listed = json.loads(column) if isinstance(column, str) else column
    return {task: Pace(answered, fast, skipped) for task, answered, fast, skipped in listed}


@dataclass(frozen=True, slots=True)
class Timed:
    """A unit that a rater has answered or skipped: its task, the time of all its answers, the reason of a skip."""

    task: int
    seconds: float | None
    reason: str

    def pace(self, checks: CheckSettings) -> Pace:
        """Return the pace of this unit alone."""
        is_fast = checks.fast_seconds is not None and self.seconds is not None and self.seconds < checks.fast_seconds
        is_skipped = bool(self.reason) and self.reason not in Judgment.Skip.BLAMELESS
        return Pace(int(not self.reason), int(is_fast and not self.reason), int(is_skipped))


def passed_in(checks: CheckSettings, pace: Pace) -> Passed | None:
    """Return the limit of pace that a rater has passed in a task; None before enough units, or where none is passed."""
    units = pace.answered + pace.skipped
    if units < checks.stop_after:
        return None
    if checks.fast_seconds is not None and pace.answered and pace.fast / pace.answered >= checks.fast_share:
        return Passed(Limit.FAST, pace.fast, pace.answered)
    if checks.skip_share is not None and pace.skipped and pace.skipped / units >= checks.skip_share:
        return Passed(Limit.SKIPS, pace.skipped, units)
    return None


def passed_now(tasks: Iterable[tuple[Mapping[str, Any], Pace]]) -> Passed | None:
    """Return the limit passed in one of some tasks, given as checks and pace, that stops at once."""
    for contents, pace in tasks:
        checks = checks_of(contents)
        if checks.stop_when == StopWhen.NOW and (passed := passed_in(checks, pace)) is not None:
            return passed
    return None


def limit_of(prefs: Mapping[str, Any]) -> str:
    """Return the limit that stopped a rater, as their prefs say."""
    stored = prefs.get(STOPPED) or {}
    return str(stored.get("limit", Limit.FAST))
