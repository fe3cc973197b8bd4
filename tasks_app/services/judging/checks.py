"""Consequences of screening, training, exam and controls. Answers are graded here, on the server.

Answers that decide (screening, training, exam) are graded when they are stored; the others as `grading` says.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Max

from tasks_app.check_settings import checks_of
from tasks_app.models import Assignment, ControlResult, Gold, Judgment, Rater, Study, Task
from tasks_app.selectors import screens
from tasks_app.selectors.check_results import score_of
from tasks_app.services.judging import assignments, sets
from tasks_app.services.judging.grading import WARN_AFTER, known_answers
from tasks_app.task_types.base import Graded

Purpose = Assignment.Purpose

# Purposes whose answers decide whether a rater takes part, or teach them: never changed, and graded at once.

# What the rater is shown after an answer, before the next unit.
FEEDBACK, EXAM, NOTICE = "feedback", "exam", "notice"


def grade(assignment: Assignment, study: Study, judgment: Judgment) -> list[Graded]:
    """Compare a stored answer with what is known about its unit, and write the results down."""
    known = [(row, answer) for row, answer in known_answers(assignment.unit_id) if row.kind != Gold.Kind.WORSE]
    if judgment.skip_reason or not known:
        return []
    kind = screens.frame_of(assignment.unit.task_id, study).kind
    screen = screens.screen_of(assignment, study)
    graded = kind.grade(screen, judgment.answer, [answer for _row, answer in known])
    ControlResult.objects.bulk_create(
        ControlResult(judgment=judgment, gold=row, passed=one.passed, detail={"given": list(one.given)})
        for (row, _answer), one in zip(known, graded, strict=True)
    )
    return list(graded)


def settle(assignment: Assignment, rater: Rater, judgment: Judgment) -> str:
    """Do what an answer that decides leads to; return what the rater is shown next, empty for the next unit.

    Under the claims lock, since a rater who does not pass gives their places back.
    """
    graded = grade(assignment, rater.study, judgment)
    if assignment.purpose == Purpose.SCREENING:
        _settle_screening(assignment, rater, judgment, graded)
        return ""
    if assignment.purpose == Purpose.EXAM:
        return _settle_exam(assignment, rater)
    return FEEDBACK


def _settle_screening(assignment: Assignment, rater: Rater, judgment: Judgment, graded: Iterable[Graded]) -> None:
    """End for whom the study is not: who cannot say has not been found unfit, and a mere question ends nothing."""
    if judgment.skip_reason:
        if Gold.objects.filter(unit=assignment.unit_id).exists():
            blameless = judgment.skip_reason in Judgment.Skip.BLAMELESS
            assignments.leave_early(rater, Rater.Outcome.WITHDRAWN if blameless else Rater.Outcome.SCREENED_OUT)
    elif not all(one.passed for one in graded):
        assignments.leave_early(rater, Rater.Outcome.SCREENED_OUT)


def step_after(assignment: Assignment, rater: Rater) -> str:
    """Return what a rater is shown after an answer that had been stored before, as when it was stored."""
    if assignment.purpose == Purpose.TRAINING:
        return FEEDBACK
    if assignment.purpose == Purpose.EXAM and not _open_exam(assignment, rater, attempt=assignment.attempt):
        return EXAM
    return ""


def _open_exam(assignment: Assignment, rater: Rater, *, attempt: int) -> bool:
    units = Assignment.objects.filter(
        rater=rater, unit__task=assignment.unit.task_id, purpose=Purpose.EXAM, attempt=attempt
    )
    return units.filter(state__in=Assignment.State.UNANSWERED).exists()


@dataclass(frozen=True, slots=True)
class ExamResult:
    """How an attempt at an exam of `asked` units went: `right` of `graded` ones, of which a `needed` share is asked."""

    attempt: int
    attempts: int
    right: int
    graded: int
    asked: int
    needed: float

    @property
    def is_enough(self) -> bool:
        """Whether at least half could be graded: nobody passes by skipping all but the easy ones."""
        return self.graded > 0 and 2 * self.graded >= self.asked

    @property
    def passed(self) -> bool:
        """Whether enough could be graded and the pass mark was reached."""
        return self.is_enough and self.right >= self.needed * self.graded - 1e-9

    @property
    def is_last(self) -> bool:
        """Whether there is no further attempt."""
        return self.attempt >= self.attempts


def exam_result(rater: Rater, task: Task) -> ExamResult | None:
    """Return how a rater's last whole attempt at the exam of a task went; None before there is one."""
    rows = Assignment.objects.filter(rater=rater, unit__task=task, purpose=Purpose.EXAM)
    unfinished = rows.filter(state__in=Assignment.State.UNANSWERED).values("attempt")
    last = rows.exclude(attempt__in=unfinished).aggregate(last=Max("attempt"))["last"]
    if last is None:
        return None
    checks = checks_of(task.checks)
    judgments = Judgment.objects.filter(assignment__in=rows.filter(attempt=last)).current()
    counted = judgments.exclude(skip_reason__in=Judgment.Skip.BLAMELESS)
    results = ControlResult.objects.filter(judgment__in=counted.filter(skip_reason=""))
    right = score_of(results.values_list("gold__unit", "judgment", "passed")).right
    asked = rows.filter(attempt=last).count()
    return ExamResult(last, checks.exam_attempts, right, counted.count(), asked, checks.exam_pass)


def _settle_exam(assignment: Assignment, rater: Rater) -> str:
    if _open_exam(assignment, rater, attempt=assignment.attempt):
        return ""
    task = assignment.unit.task
    result = exam_result(rater, task)
    if result is None or result.passed:
        return EXAM
    if not result.is_last:
        _another_attempt(assignment, rater, task, result.attempt + 1)
        return EXAM
    # Who could not be shown most of the exam has not failed it.
    assignments.leave_early(rater, Rater.Outcome.FAILED if result.is_enough else Rater.Outcome.WITHDRAWN)
    return ""


def _another_attempt(assignment: Assignment, rater: Rater, task: Task, attempt: int) -> None:
    """Give a rater the exam once more, in the places that were kept free for it behind the attempt before."""
    before = Assignment.objects.filter(rater=rater, unit__task=task, purpose=Purpose.EXAM)
    judged = Assignment.objects.filter(rater=rater, unit__task=task, purpose=Purpose.MAIN)
    criteria = {one or "" for one in judged.values_list("unit__features__criterion", flat=True)} - {""}
    pool = sets.known_units(task).of(Purpose.EXAM, criteria)
    units = sets.exam_units(pool, checks_of(task.checks).exam, attempt)
    planned = [sets.Planned(Purpose.EXAM, unit, attempt=attempt) for unit in units]
    sets.draw_arrangements(rater, task, planned)
    last = before.aggregate(last=Max("order"))["last"] or assignment.order
    own = {name: value for name, value in assignment.arrangement.items() if name not in planned[0].arrangement}
    Assignment.objects.bulk_create(
        Assignment(
            rater=rater,
            rater_kind=rater.kind,
            set_id=assignment.set_id,
            unit_id=one.unit,
            purpose=Purpose.EXAM,
            attempt=attempt,
            order=last + number,
            arrangement={**one.arrangement, **own},
            wave=assignment.wave,
            version=assignment.version,
        )
        for number, one in enumerate(planned, start=1)
    )


def _answered(rater: Rater) -> int:
    return Judgment.objects.filter(assignment__rater=rater, replaces=None).count()


def notice_due(rater: Rater) -> bool:
    """Say whether the break has come at which a rater is told about failed checks."""
    after = rater.prefs.get(WARN_AFTER)
    return isinstance(after, int) and _answered(rater) >= after


def notice_seen(*, rater: Rater) -> None:
    """Write down that a rater was told."""
    prefs = {name: value for name, value in rater.prefs.items() if name != WARN_AFTER}
    rater.prefs = {**prefs, "warned": True}
    Rater.objects.filter(pk=rater.pk).update(prefs=rater.prefs)
