"""The raters of a study with their work: sets, times, pay, checks, and progress."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cached_property
from typing import Any, cast

from django.db.models import DecimalField, OuterRef, Q, QuerySet, Subquery, Sum, Value
from django.db.models.functions import Coalesce

from tasks_app import pay
from tasks_app.models import Assignment, Payment, Rater, Study, Task, is_withdrawn
from tasks_app.models.statements import rows
from tasks_app.selectors import pay as pay_facts
from tasks_app.selectors.check_results import ENOUGH_TO_DOUBT, FEWER_THAN, CheckScore
from tasks_app.selectors.ledger import Entry, Ledger, ledger_of
from tasks_app.settings.checks import CheckSettings, checks_of

State, Outcome, Kind = Rater.State, Rater.Outcome, Payment.Kind


class Standing(StrEnum):
    """The present state of a rater."""

    AT_WORK = "at_work"  # holds units
    WAITING = "waiting"  # until a later task opens
    AWAY = "away"  # has gone without a word: their units are free for others
    FINISHED = "finished"
    LEFT = "left"  # stopped, or ended on the platform
    SENT_AWAY = "sent_away"  # screened out, failed the exam, stopped by a limit, or the study was full


# How many times as long as the median a rater takes who is pointed out, and the fewest raters who must have finished.
SLOW, ENOUGH_TIMES = 5, 5

_STANDINGS = {
    Outcome.COMPLETED: Standing.FINISHED,
    Outcome.WITHDRAWN: Standing.LEFT,
    Outcome.RETURNED: Standing.LEFT,
    Outcome.TIMED_OUT: Standing.LEFT,
    Outcome.SCREENED_OUT: Standing.SENT_AWAY,
    Outcome.FAILED: Standing.SENT_AWAY,
    Outcome.STOPPED: Standing.SENT_AWAY,
    Outcome.FULL: Standing.SENT_AWAY,
}

# Counts sets as selectors/pay.py does, and adds the columns that tell where a rater is. Imported answers have no set.
_SETS = """
WITH counts AS (
    SELECT a.rater_id, a.set_id,
           count(*) FILTER (WHERE a.purpose = 'main') AS main,
           count(*) FILTER (WHERE a.purpose = 'main' AND a.state = ANY(%(done)s)) AS judged,
           count(*) AS given,
           count(*) FILTER (WHERE a.state = ANY(%(done)s)) AS answered,
           count(*) FILTER (WHERE a.purpose IN ('training', 'exam')) AS practice,
           count(*) FILTER (WHERE a.purpose IN ('training', 'exam') AND NOT a.state = ANY(%(done)s)) AS practice_left,
           count(*) FILTER (WHERE a.purpose = 'screening' AND NOT a.state = ANY(%(done)s)) AS screening_left,
           count(*) FILTER (WHERE a.state = 'skipped') AS skipped,
           GREATEST(max(a.first_shown), max(a.renewed_at)) AS last_seen
    FROM tasks_app_rater r JOIN tasks_app_assignment a ON a.rater_id = r.id
    WHERE r.study_id = %(study)s
    GROUP BY a.rater_id, a.set_id),
never_shown AS (
    SELECT a.rater_id, a.set_id, count(*) AS n
    FROM tasks_app_rater r JOIN tasks_app_assignment a ON a.rater_id = r.id
    JOIN tasks_app_assignment o ON o.id = a.repeat_of_id
    WHERE r.study_id = %(study)s AND a.repeat_of_id IS NOT NULL AND o.state = 'skipped'
    GROUP BY a.rater_id, a.set_id)
SELECT c.rater_id, COALESCE(s.task_id, 0), c.main, c.judged, c.given - COALESCE(n.n, 0), c.answered, c.practice,
       c.practice_left, c.screening_left, c.skipped,
       COALESCE(s.state = 'open' AND s.lease_until > clock_timestamp()
                AND (s.opens_at IS NULL OR s.opens_at <= clock_timestamp()), false),
       COALESCE(s.state = 'open' AND s.opens_at > clock_timestamp(), false),
       c.last_seen
FROM counts c LEFT JOIN tasks_app_raterset s ON s.id = c.set_id
LEFT JOIN never_shown n ON n.rater_id = c.rater_id AND n.set_id IS NOT DISTINCT FROM c.set_id
"""

# For each unit with a known answer that is not withdrawn, its last compared judgment; it is right if all known answers
# were given. Counted by rater and task, and by unit.
_CONTROLS = f"""
SELECT rater_id, task_id, unit_id, count(*) FILTER (WHERE passed), count(*) FROM (
    SELECT DISTINCT ON (a.rater_id, a.unit_id) a.rater_id, a.unit_id, u.task_id, bool_and(c.passed) AS passed
    FROM tasks_app_task t JOIN tasks_app_unit u ON u.task_id = t.id JOIN tasks_app_gold g ON g.unit_id = u.id
    JOIN tasks_app_controlresult c ON c.gold_id = g.id JOIN tasks_app_judgment j ON j.id = c.judgment_id
    JOIN tasks_app_assignment a ON a.id = j.assignment_id
    WHERE t.study_id = %(study)s AND a.purpose IN ('control', 'attention') AND a.rater_kind <> 'sandbox'
      AND NOT {is_withdrawn("u.id")}
    GROUP BY a.rater_id, a.unit_id, u.task_id, j.id ORDER BY a.rater_id, a.unit_id, j.id DESC) answered
GROUP BY GROUPING SETS ((rater_id, task_id), (unit_id))
"""  # noqa: S608  its parts are constants of the code


@dataclass(frozen=True, slots=True)
class SetProgress:
    """One set of a rater: its counts, and whether it is being worked on or opens later."""

    work: pay.SetWork
    practice: int
    practice_left: int
    screening_left: int
    skipped: int
    is_live: bool
    is_later: bool
    last_seen: datetime | None


@dataclass(frozen=True)
class RaterWork:
    """One rater with their work."""

    rater: Rater
    sets: Sequence[SetProgress]
    controls: CheckScore
    below: bool
    entry: Entry
    is_slow: bool = False

    @cached_property
    def standing(self) -> Standing:
        """The present state of the rater."""
        if self.rater.outcome:
            return _STANDINGS[Outcome(self.rater.outcome)]
        if any(rater_set.is_live for rater_set in self.sets):
            return Standing.AT_WORK
        return Standing.WAITING if any(rater_set.is_later for rater_set in self.sets) else Standing.AWAY

    @property
    def given(self) -> int:
        """Units to judge that the rater was given."""
        return sum(rater_set.work.main for rater_set in self.sets)

    @property
    def judged(self) -> int:
        """Units that the rater has judged or skipped, of those to judge."""
        return sum(rater_set.work.judged for rater_set in self.sets)

    @property
    def skipped(self) -> int:
        """Units that the rater has skipped."""
        return sum(rater_set.skipped for rater_set in self.sets)

    @property
    def last_seen(self) -> datetime:
        """The time of the rater's last sign of life."""
        rater: Rater = self.rater
        signs: list[datetime | None] = [rater.enrolled_at, rater.instructed_at, rater.ended_at]
        return max(sign for sign in (*signs, *(rater_set.last_seen for rater_set in self.sets)) if sign is not None)

    @property
    def is_counted(self) -> bool:
        """Whether the rater came to judge: neither imported nor trying the study out."""
        return self.rater.kind in Rater.Kind.COUNTED


@dataclass(frozen=True)
class Fieldwork:
    """All raters of a study, newest first, with sums over them."""

    raters: Sequence[RaterWork]
    ledger: Ledger
    doubtful: int  # units whose known answer most of enough raters contradict

    @cached_property
    def counted(self) -> Sequence[RaterWork]:
        """Raters who came to judge."""
        return [work for work in self.raters if work.is_counted]

    @cached_property
    def below(self) -> Sequence[RaterWork]:
        """Raters with too few right answers to units with known answers."""
        return [work for work in self.counted if work.below]

    @cached_property
    def stopped(self) -> Sequence[RaterWork]:
        """Raters who were stopped by a limit."""
        return [work for work in self.counted if work.rater.outcome == Outcome.STOPPED]

    @property
    def trains(self) -> bool:
        """Whether raters practise, or pass a test, before they judge."""
        return any(rater_set.practice for work in self.counted for rater_set in work.sets)

    def standing(self, *standings: Standing) -> int:
        """Count raters who stand so."""
        return sum(work.standing in standings for work in self.counted)


def raters_of(study: Study) -> QuerySet[Rater]:
    """Return all raters of a study, newest first, with their booked pay."""
    payments = Payment.objects.filter(rater=OuterRef("pk")).order_by().values("rater")

    def booked(condition: Q) -> Coalesce:
        total = payments.filter(condition).annotate(n=Sum("amount")).values("n")
        return Coalesce(Subquery(total), Value(pay.NOTHING), output_field=DecimalField())

    return (
        Rater.objects.filter(study=study)
        .annotate(
            earned=booked(Q(kind__in=(Kind.FULL, Kind.PART))),
            bonus=booked(Q(kind=Kind.BONUS)),
            withheld=booked(Q(kind=Kind.WITHHELD)),
        )
        .order_by("-id")
    )


def fieldwork_with(study: Study, tasks: Iterable[Task]) -> Fieldwork:
    """Read the raters of a study with their work in five queries; `tasks` are those of the study as they are now."""
    return fieldwork_of(study, pay_facts.full_sets(study.pk), {task.pk: checks_of(task.checks) for task in tasks})


def fieldwork_of(
    study: Study,
    full_sets: Collection[pay_facts.FullSet],
    limits: Mapping[int, CheckSettings],
    *,
    annotations: Mapping[str, Any] | None = None,
) -> Fieldwork:
    """Read the raters of a study with their work in four queries; `limits` are the checks of its tasks.

    `annotations` are expressions that are read with each rater, as attributes of these names.
    """
    raters: list[Any] = list(raters_of(study).annotate(**(annotations or {})))
    sets = _sets(study)
    controls, doubtful = _controls(study)
    works = {rater: [rater_set.work for rater_set in rater_sets] for rater, rater_sets in sets.items()}
    payable = [rater for rater in raters if rater.kind in Rater.Kind.COUNTED]
    facts = pay_facts.facts_from(study, payable, full_sets, works)
    booked = {
        rater.pk: pay_facts.PaymentSums(earned=rater.earned, bonus=rater.bonus, withheld=rater.withheld)
        for rater in payable
    }
    ledger = ledger_of(study, raters, facts, booked)
    return Fieldwork(
        raters=[
            RaterWork(
                rater=rater,
                sets=sets.get(rater.pk, ()),
                controls=_sum(controls.get(rater.pk, {}).values()),
                below=any(
                    score.answered >= limits[task].limit_after and (score.share or 0.0) < limits[task].fail_below
                    for task, score in controls.get(rater.pk, {}).items()
                    if task in limits
                ),
                entry=entry,
                is_slow=_is_slow(entry, ledger),
            )
            for rater, entry in zip(raters, ledger.entries, strict=True)
        ],
        ledger=ledger,
        doubtful=doubtful,
    )


def _is_slow(entry: Entry, ledger: Ledger) -> bool:
    """Return whether a rater who has finished took many times as long as enough others."""
    times = ledger.times
    if times is None or times.n < ENOUGH_TIMES:
        return False
    is_timed = entry.rater.kind == Rater.Kind.REAL and entry.rater.outcome == Outcome.COMPLETED
    return is_timed and ledger.for_a_set(entry) >= SLOW * times.median


def _sets(study: Study) -> dict[int, list[SetProgress]]:
    by_rater: dict[int, list[SetProgress]] = {}
    for rater, *columns in rows(_SETS, {"study": study.pk, "done": list(Assignment.State.DONE)}):
        by_rater.setdefault(cast("int", rater), []).append(_set_progress(*columns))
    return by_rater


def _set_progress(task: int, main: int, judged: int, asked: int, answered: int, *columns: Any) -> SetProgress:
    return SetProgress(pay.SetWork(task, main, judged, asked, answered), *columns)


def _controls(study: Study) -> tuple[dict[int, dict[int, CheckScore]], int]:
    """Return scores by rater and task, and how many known answers most of enough raters contradict."""
    by_rater: dict[int, dict[int, CheckScore]] = {}
    by_unit: list[CheckScore] = []
    for rater, task, unit, right, answered in rows(_CONTROLS, {"study": study.pk}):
        score = CheckScore(right, answered)
        if unit is None:
            by_rater.setdefault(rater, {})[task] = score
        else:
            by_unit.append(score)
    doubted = (score for score in by_unit if score.answered >= ENOUGH_TO_DOUBT)
    return by_rater, sum((score.share or 0.0) < FEWER_THAN for score in doubted)


def _sum(scores: Iterable[CheckScore]) -> CheckScore:
    listed = list(scores)
    return CheckScore(sum(score.right for score in listed), sum(score.answered for score in listed))
