"""Working times of raters, and the time that the study expects."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from analytics_app.ratings.copying import copy, rows
from analytics_app.ratings.extras.base import Extra, Loading, extra, rater_codes
from analytics_app.ratings.table import Coding, Floats, Table
from tasks_app.models import Rater, Study
from tasks_app.selectors.pay import full_set_sizes, full_sets


@extra
@dataclass(frozen=True, slots=True)
class Times(Extra):
    """Working times in a task; the columns about raters have an entry for each of the table's raters.

    `active` are seconds of work (gaps capped at 60 s), `elapsed` seconds with a unit on the screen (breaks taken
    off), both over everything that was judged in the task, revisions, controls and repeats included; NaN unknown.
    `pause` is the longest time between two answers, NaN with fewer than two. `answered` counts units to judge that
    were answered, `per_unit` is what a unit should take by the study's minutes for a set, NaN for imported raters.
    `seconds` is aligned with the table's judgments: active seconds of all versions of an answer, NaN unknown.
    """

    active: Floats
    elapsed: Floats
    pause: Floats
    answered: NDArray[np.int64]
    per_unit: Floats
    seconds: Floats

    @classmethod
    def load(cls, loading: Loading) -> Self:
        """Read the times of all answers that were there at the run's marks."""
        table, names = loading.table, loading.table.names
        n = len(names.raters)
        columns = copy(_TIMES, loading.params, _TYPE)
        # Sorted, since the digits of a sum depend on its order.
        columns = columns[np.argsort(columns["judgment"], kind="stable")]
        rater = rater_codes(names, columns["rater"])
        columns, rater = columns[rater >= 0], rater[rater >= 0]
        order = np.lexsort((columns["at"], rater))
        gaps = np.where(rater[order][1:] == rater[order][:-1], np.diff(columns["at"][order]), -1.0)
        pause = np.full(n, -1.0)
        np.maximum.at(pause, rater[order][1:], gaps)
        place = Coding(table.judgments.id)(columns["judgment"])
        seconds = np.full(len(table.judgments.id), np.nan)
        seconds[place[place >= 0]] = columns["active"][place >= 0]
        return cls(
            active=_sums(rater, columns["active"], n),
            elapsed=_sums(rater, columns["elapsed"], n),
            pause=np.where(pause < 0, np.nan, pause),
            answered=np.bincount(rater[columns["main"] > 0], minlength=n),
            per_unit=_per_unit(loading),
            seconds=seconds,
        )

    @classmethod
    def empty(cls, table: Table) -> Self:
        """Return no time."""
        unknown = np.full(len(table.names.raters), np.nan)
        counts = np.zeros(len(table.names.raters), dtype=np.int64)
        return cls(unknown, unknown, unknown, counts, unknown, np.full(len(table.judgments.id), np.nan))


def _sums(rater: NDArray[np.int32], seconds: Floats, n: int) -> Floats:
    """Return the sum of each rater's times; NaN if one of them is unknown."""
    unknown = np.bincount(rater, weights=np.isnan(seconds), minlength=n)
    n_answers = np.bincount(rater, minlength=n)
    sums = np.bincount(rater, weights=np.nan_to_num(seconds), minlength=n)
    return np.where((n_answers > 0) & (unknown == 0), sums, np.nan)


def _per_unit(loading: Loading) -> Floats:
    """Return the seconds that a unit should take each rater: the minutes for a set over the units of a full one."""
    names = loading.table.names
    study = Study.objects.get(pk=loading.params["study"])
    full = full_sets(study.pk)
    tasks = set(loading.params["tasks"])
    seconds = np.full(len(names.raters), np.nan)
    kinds = rows("SELECT id, version, group_id, kind FROM tasks_app_rater WHERE study_id = %s", study.pk)
    codes = rater_codes(names, np.array([row[0] for row in kinds], dtype=np.int64))
    # Computed once per version and group, which are few.
    seconds_of: dict[tuple[int, int | None], float] = {}
    for (_pk, version, group, kind), code in zip(kinds, codes.tolist(), strict=True):
        if kind == Rater.Kind.IMPORTED or code < 0:
            continue
        if (version, group) not in seconds_of:
            units = full_set_sizes(Rater(version=version, group_id=group), full)
            # Tasks before or after judging do not count towards the minutes.
            n_units = sum(units.values()) if tasks & set(units) else 0
            seconds_of[version, group] = study.options.expected_minutes * 60 / n_units if n_units else np.nan
        seconds[code] = seconds_of[version, group]
    return seconds


_TYPE = {
    "rater": np.int64,
    "judgment": np.int64,
    "main": np.int32,
    "active": np.float64,
    "elapsed": np.float64,
    "at": np.float64,
}

# An answer that was changed took as long as all of its versions together.
_TIMES = """
SELECT rater_id, judgment, main, active, elapsed, at FROM (
    SELECT a.rater_id, max(j.id) AS judgment,
           (a.purpose = 'main' AND (array_agg(j.skip_reason ORDER BY j.id DESC))[1] = '')::int AS main,
           CASE WHEN bool_and(j.seconds_active IS NOT NULL) THEN sum(j.seconds_active) ELSE 'NaN' END AS active,
           CASE WHEN bool_and(j.seconds_elapsed IS NOT NULL) THEN sum(j.seconds_elapsed) ELSE 'NaN' END AS elapsed,
           EXTRACT(epoch FROM max(j.submitted_at))::float8 AS at
      FROM tasks_app_assignment a
      JOIN tasks_app_unit u ON u.id = a.unit_id
      JOIN tasks_app_judgment j ON j.assignment_id = a.id
     WHERE u.task_id = ANY(%(tasks)s) AND j.id <= %(judgment_high)s AND j.version = ANY(%(versions)s)
       AND a.purpose IN ('main', 'control', 'attention', 'repeat') AND a.rater_kind <> 'sandbox'
       AND a.rater_id <> ALL(%(metrics)s::bigint[])
       AND a.state NOT IN ('withdrawn', 'returned') AND (%(surplus)s OR a.state <> 'surplus')
       AND j.id <> ALL(%(added)s::bigint[])
     GROUP BY a.id) answers
"""
