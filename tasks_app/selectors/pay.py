"""Read the work of raters (units given and answered), their times and their recorded pay, for whole studies.

Pay does not depend on answers or quality rules, so neither is read here.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, fields
from decimal import Decimal
from operator import attrgetter
from typing import NamedTuple

from tasks_app import pay
from tasks_app.models import Assignment, Gold, Rater, Study
from tasks_app.models.statements import rows
from tasks_app.selectors.routing import ON_REQUEST
from tasks_app.settings.checks import checks_of
from tasks_app.settings.study import StudySettings

# A longer gap between two signs of life counts as this many minutes: a page left open overnight is no work (decision
# 0032).
LONGEST_GAP_MINUTES = 30.0

# Full booklets come first in a plan, so the largest of this many gives the number of units of a full set. Texts that
# are sent on request come in sets of any size: a full set is then as large as the task says, and pay is in proportion.
BOOKLETS_SAMPLED = 50

# A rater who has not ended is owed the pay of a rater who stops now.
OUTCOME_IF_STOPPED_NOW = Rater.Outcome.WITHDRAWN


def offer_of(options: StudySettings) -> pay.Offer:
    """Return the pay that a study's settings promise."""
    return pay.Offer(
        options.amount, options.part_amount, options.part_by_time, options.expected_minutes, options.minimum_hourly
    )


class EarlyEnds(NamedTuple):
    """The ways in which a study may end for raters before their set begins: by a screening, by an exam."""

    screening: bool
    exam: bool


def early_ends_of(study: Study) -> EarlyEnds:
    """Return whether raters of a study may be screened out or fail an exam; one query."""
    known = Gold.objects.filter(unit__task__study=study, unit__task__until=None, unit__until=None)
    of_checks = known.filter(purpose__in=(Gold.Purpose.SCREENING, Gold.Purpose.EXAM)).order_by()
    kinds = {
        purpose
        for purpose, contents in of_checks.values_list("purpose", "unit__task__checks").distinct()
        if purpose == Gold.Purpose.SCREENING or checks_of(contents).exam != 0
    }
    return EarlyEnds(Gold.Purpose.SCREENING in kinds, Gold.Purpose.EXAM in kinds)


_FULL_SETS = """
SELECT t.id, t.since, t.until,
       CASE WHEN t.design = ANY(%(requested)s) THEN t.set_size
            ELSE LEAST(t.set_size, COALESCE(b.most, t.set_size)) END,
       ARRAY(SELECT g.group_id FROM tasks_app_taskgroup g WHERE g.task_id = t.id)
FROM tasks_app_task t CROSS JOIN LATERAL (
    SELECT max(places.n) AS most FROM (
        SELECT (SELECT count(*) FROM tasks_app_place p WHERE p.booklet_id = first.id) AS n
        FROM (SELECT id FROM tasks_app_booklet WHERE task_id = t.id ORDER BY number LIMIT %(looked)s) first) places) b
WHERE t.study_id = %(study)s AND t.stage = 'main'
"""


@dataclass(frozen=True, slots=True)
class FullSet:
    """The units to judge in a full set of a task, and the versions and groups of raters who are given it."""

    task: int
    since: int
    until: int | None
    units: int
    groups: frozenset[int]

    def is_for(self, version: int, group: int | None) -> bool:
        """Return whether raters of this version and group are given the task."""
        is_in_version = self.since <= max(1, version) and (self.until is None or self.until >= version)
        return is_in_version and self.is_for_group(group)

    def is_for_group(self, group: int | None) -> bool:
        """Return whether raters of this group are given the task, in the versions that have it."""
        return not self.groups or group in self.groups


def full_sets(study_id: int) -> list[FullSet]:
    """Read the full sets of all tasks; one query."""
    set_rows = rows(_FULL_SETS, {"study": study_id, "looked": BOOKLETS_SAMPLED, "requested": list(ON_REQUEST)})
    return [FullSet(task, since, until, units, frozenset(groups)) for task, since, until, units, groups in set_rows]


def full_set_sizes(rater: Rater, sets: Collection[FullSet]) -> dict[int, int]:
    """Return the number of units to judge in a full set of each of a rater's tasks."""
    return {work.task: work.units for work in sets if work.is_for(rater.version, rater.group_id)}


# The repeat of a skipped unit is never shown, so it is not counted as asked. Such repeats are counted apart, so that
# the unit that is repeated is looked up for repeats alone.
_SETS = """
WITH counts AS (
    SELECT a.rater_id, a.set_id,
           count(*) FILTER (WHERE a.purpose = 'main') AS main,
           count(*) FILTER (WHERE a.purpose = 'main' AND a.state = ANY(%(paid)s)) AS judged,
           count(*) AS given,
           count(*) FILTER (WHERE a.state = ANY(%(paid)s)) AS answered
    FROM tasks_app_rater r JOIN tasks_app_assignment a ON a.rater_id = r.id
    WHERE r.study_id = %(study)s AND (%(rater)s::bigint IS NULL OR r.id = %(rater)s)
    GROUP BY a.rater_id, a.set_id),
never_shown AS (
    SELECT a.set_id, count(*) AS n
    FROM tasks_app_rater r JOIN tasks_app_assignment a ON a.rater_id = r.id
    JOIN tasks_app_assignment o ON o.id = a.repeat_of_id
    WHERE r.study_id = %(study)s AND (%(rater)s::bigint IS NULL OR r.id = %(rater)s)
      AND a.repeat_of_id IS NOT NULL AND o.state = 'skipped'
    GROUP BY a.set_id)
SELECT c.rater_id, s.task_id, c.main, c.judged, c.given - COALESCE(n.n, 0), c.answered
FROM counts c JOIN tasks_app_raterset s ON s.id = c.set_id LEFT JOIN never_shown n ON n.set_id = c.set_id
"""


def sets_of(study_id: int, rater_id: int | None = None) -> dict[int, list[pay.SetWork]]:
    """Count the units of every set of all raters, or of one rater; one query."""
    by_rater: dict[int, list[pay.SetWork]] = {}
    for rater, *counts in rows(_SETS, {"study": study_id, "rater": rater_id, "paid": list(Assignment.State.PAID)}):
        by_rater.setdefault(rater, []).append(pay.SetWork(*counts))
    return by_rater


# Signs of life by wave: consent, the instructions read, every unit shown, every answer, the end. Time between two waves
# is not working time. Signs are put together by spans that are as long as the longest gap that counts in full: only
# gaps between two spans can be longer, so that only the first and the last sign of each span have to be sorted.
_TIMES = """
WITH people AS MATERIALIZED (
    SELECT r.id, r.enrolled_at, r.instructed_at,
           CASE WHEN r.outcome IN ('completed', 'screened_out', 'failed', 'withdrawn', 'stopped') THEN r.ended_at
           END AS ended_at
    FROM tasks_app_rater r
    WHERE r.study_id = %(study)s AND (%(raters)s::bigint[] IS NULL OR r.id = ANY(%(raters)s))),
worked AS MATERIALIZED (
    SELECT a.rater_id AS rater, a.wave, min(a.first_shown) AS first_shown, max(a.first_shown) AS last_shown,
           count(a.first_shown) AS n_shown, min(j.submitted_at) AS first_answered, max(j.submitted_at) AS last_answered,
           count(j.submitted_at) AS n_answered, sum(j.seconds_active) / 60 AS active
    FROM people r JOIN tasks_app_assignment a ON a.rater_id = r.id
    LEFT JOIN tasks_app_judgment j ON j.assignment_id = a.id
    GROUP BY a.rater_id, a.wave, date_bin(%(gap)s * interval '1 minute', a.first_shown, 'epoch'),
             date_bin(%(gap)s * interval '1 minute', j.submitted_at, 'epoch')),
spans AS (
    SELECT id AS rater, 1 AS wave, at AS first, at AS last, 1 AS n, NULL::float8 AS active
    FROM people CROSS JOIN LATERAL (VALUES (enrolled_at), (instructed_at)) moment (at) WHERE at IS NOT NULL
    UNION ALL
    SELECT id, COALESCE(latest.wave, 1), ended_at, ended_at, 1, NULL
    FROM people LEFT JOIN (SELECT rater, max(wave) AS wave FROM worked WHERE n_shown > 0 GROUP BY rater) latest
         ON latest.rater = id
    WHERE ended_at IS NOT NULL
    UNION ALL
    SELECT rater, wave, first_shown, last_shown, n_shown, NULL FROM worked WHERE n_shown > 0
    UNION ALL
    SELECT rater, wave, first_answered, last_answered, n_answered, active FROM worked WHERE n_answered > 0),
later AS (
    SELECT rater, wave, first, last, n, active,
           first - max(last) OVER (PARTITION BY rater, wave ORDER BY first, last
                                   ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS gap
    FROM spans),
waves AS (
    SELECT rater, max(last) - min(first) AS elapsed, sum(n) AS n, sum(active) AS active,
           sum(gap - %(gap)s * interval '1 minute') FILTER (WHERE gap > %(gap)s * interval '1 minute') AS beyond
    FROM later GROUP BY rater, wave)
SELECT rater, EXTRACT(EPOCH FROM sum(elapsed) - COALESCE(sum(beyond), interval '0'))::float8 / 60,
       EXTRACT(EPOCH FROM sum(elapsed))::float8 / 60, sum(active)
FROM waves GROUP BY rater HAVING max(n) > 1
"""


@dataclass(frozen=True, slots=True)
class Minutes:
    """The minutes of a rater from consent to the end: `paid` with long gaps shortened, `elapsed` with them in full.

    `active` is the active time on screens, as measured by the browser; None if it measured none.
    """

    paid: float = 0.0
    elapsed: float = 0.0
    active: float | None = None


def minutes_of(study: Study, raters: Collection[int] | None = None) -> dict[int, Minutes]:
    """Measure the times of all raters, or of some, by the server's clock; one query."""
    rater_ids = None if raters is None else list(raters)
    times = rows(_TIMES, {"study": study.pk, "raters": rater_ids, "gap": LONGEST_GAP_MINUTES})
    return {rater: Minutes(paid, elapsed, active) for rater, paid, elapsed, active in times}


# A process remembers the times of this many raters who have ended: measuring 700 raters with 100,000 answers takes a
# quarter of a second. Events that change a time also change the key: a late answer, another set, erasure.
_MOST_REMEMBERED = 50_000
_remembered_minutes: dict[tuple[object, ...], Minutes] = {}


def _minutes_remembered(
    study: Study, raters: Collection[Rater], sets: Mapping[int, list[pay.SetWork]]
) -> dict[int, Minutes]:
    """Measure the times of raters; those of raters who have ended are measured once and remembered.

    A rater who is ending now has no `ended_at` in memory yet. Their times are not remembered, since that transaction
    may be rolled back.
    """
    keys = {
        rater.pk: (rater.pk, rater.outcome, rater.ended_at, rater.erased_at, *_in_order(sets.get(rater.pk, ())))
        for rater in raters
        if rater.state == Rater.State.ENDED and rater.ended_at is not None
    }
    minutes = {pk: remembered for pk, key in keys.items() if (remembered := _remembered_minutes.get(key)) is not None}
    missing = [rater.pk for rater in raters if rater.pk not in minutes]
    if missing:
        measured = minutes_of(study, missing)
        if len(_remembered_minutes) > _MOST_REMEMBERED:
            _remembered_minutes.clear()
        _remembered_minutes.update({keys[pk]: measured.get(pk, Minutes()) for pk in missing if pk in keys})
        minutes |= measured
    return minutes


# A sort key with all fields. `dataclasses.astuple` copies every value, which takes ten times as long.
_SET_KEY = attrgetter(*(field.name for field in fields(pay.SetWork)))


def _in_order(sets: Iterable[pay.SetWork]) -> list[pay.SetWork]:
    return sorted(sets, key=_SET_KEY)


_PAYMENT_SUMS = """
SELECT p.rater_id,
       COALESCE(sum(p.amount) FILTER (WHERE p.kind IN ('full', 'part')), 0),
       COALESCE(sum(p.amount) FILTER (WHERE p.kind = 'bonus'), 0),
       COALESCE(sum(p.amount) FILTER (WHERE p.kind = 'withheld'), 0),
       COALESCE(sum(CASE WHEN p.kind = 'withheld' THEN -p.amount ELSE p.amount END)
                FILTER (WHERE p.settled_at IS NULL AND (%(last)s::bigint IS NULL OR p.id <= %(last)s)), 0),
       COALESCE(sum(CASE WHEN p.kind = 'withheld' THEN -p.amount ELSE p.amount END)
                FILTER (WHERE p.settled_at IS NOT NULL), 0),
       bool_or(p.kind IN ('full', 'part') AND p.settled_at IS NOT NULL), max(p.id),
       bool_or(p.settled_at IS NULL AND (%(last)s::bigint IS NULL OR p.id <= %(last)s))
FROM tasks_app_payment p JOIN tasks_app_rater r ON r.id = p.rater_id
WHERE r.study_id = %(study)s AND (%(rater)s::bigint IS NULL OR r.id = %(rater)s) GROUP BY p.rater_id
"""


@dataclass(frozen=True, slots=True)
class PaymentSums:
    """The sums of a rater's payments: `open` is still to be paid, `settled` was paid; `last` is the newest id."""

    earned: Decimal = pay.NOTHING
    bonus: Decimal = pay.NOTHING
    withheld: Decimal = pay.NOTHING
    open: Decimal = pay.NOTHING
    settled: Decimal = pay.NOTHING
    base_settled: bool = False
    last: int = 0
    has_open: bool = False

    @property
    def total(self) -> Decimal:
        """The total pay of the rater."""
        return self.earned + self.bonus - self.withheld


def payment_sums(study_id: int, rater_id: int | None = None, last: int | None = None) -> dict[int, PaymentSums]:
    """Add up the payments of every rater, or of one rater; `open` counts payments up to id `last`. One query."""
    sums_of_raters = rows(_PAYMENT_SUMS, {"study": study_id, "rater": rater_id, "last": last})
    return {rater: PaymentSums(*sums) for rater, *sums in sums_of_raters}


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts about a study's raters, by rater: sets with their units, times, and pay that is due."""

    sets: Mapping[int, list[pay.SetWork]]
    minutes: Mapping[int, Minutes]
    dues: Mapping[int, Decimal]

    def due(self, rater_id: int) -> Decimal:
        """Return the pay that a rater is owed without bonuses, or would be if they stopped now."""
        return self.dues.get(rater_id, pay.NOTHING)


def facts_of(study: Study, raters: Collection[Rater], *, timed: bool = True) -> Facts:
    """Read the facts about these raters; three queries for any number of raters.

    Times are left out where `timed` is false and the pay does not depend on them.
    """
    single_rater = next(iter(raters)).pk if len(raters) == 1 else None
    return facts_from(study, raters, full_sets(study.pk), sets_of(study.pk, single_rater), timed=timed)


def facts_from(
    study: Study,
    raters: Collection[Rater],
    full_sizes: Collection[FullSet],
    sets: Mapping[int, list[pay.SetWork]],
    *,
    timed: bool = True,
) -> Facts:
    """Return the facts about raters with sets that are already read; one query, for times that are not remembered."""
    offer = offer_of(study.options)
    minutes = _minutes_remembered(study, raters, sets) if timed or offer.part_by_time else {}
    dues = {
        rater.pk: pay.due(
            offer,
            rater.outcome or OUTCOME_IF_STOPPED_NOW,
            pay.work_of(sets.get(rater.pk, ()), full_set_sizes(rater, full_sizes)),
            minutes.get(rater.pk, Minutes()).paid,
        )
        for rater in raters
    }
    return Facts(sets, minutes, dues)
