"""The consequences of screening, training and exam, and the pages between two units: feedback, exam result, notice.

Answers to screening, training and exam are graded when they are stored; the others as `grading` says. A page between
two units waits in the rater's prefs until they have gone on from it, so that a lost response, a reload or another
device brings them back to it.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Max

from tasks_app.models import Assignment, ControlResult, Gold, Judgment, Rater, Task
from tasks_app.selectors.check_results import score_of
from tasks_app.selectors.screens import RaterScreen
from tasks_app.services.database import atomically
from tasks_app.services.judging import assignments, sets, suggestions
from tasks_app.services.judging.grading import WARN_AFTER, known_answers
from tasks_app.settings.checks import checks_of
from tasks_app.task_types.base import Graded

Purpose = Assignment.Purpose

# The pages that a rater is shown after an answer, before the next unit.
FEEDBACK, EXAM, NOTICE = "feedback", "exam", "notice"

# The name under which such a page waits in a rater's prefs.
WAITING = "step"


@dataclass(frozen=True, slots=True)
class Step:
    """A page between two units. `number` is the order of the unit for feedback, for an exam which of the rater's."""

    kind: str
    number: int = 0


def settle(screen: RaterScreen, judgment: Judgment) -> Step | None:
    """Grade an answer to screening, training or exam, and apply its consequences; return the page to show next.

    Under the claims lock, since a rater who does not pass gives their places back.
    """
    graded = _grade(screen, judgment)
    assignment, rater = screen.assignment, screen.rater
    if assignment.purpose == Purpose.SCREENING:
        _settle_screening(assignment, rater, judgment, graded)
        return None
    if assignment.purpose == Purpose.EXAM:
        return _settle_exam(assignment, rater)
    return Step(FEEDBACK, assignment.order)


def _grade(screen: RaterScreen, judgment: Judgment) -> list[Graded]:
    """Compare a stored answer with the known answers of its unit, and store the results."""
    known = [
        (gold, answer) for gold, answer in known_answers(screen.assignment.unit_id) if gold.kind != Gold.Kind.WORSE
    ]
    if judgment.skip_reason or not known:
        return []
    graded = screen.kind.grade(screen.shown, judgment.answer, [answer for _gold, answer in known])
    ControlResult.objects.bulk_create(
        ControlResult(judgment=judgment, gold=gold, passed=result.passed, detail={"given": list(result.given)})
        for (gold, _answer), result in zip(known, graded, strict=True)
    )
    return list(graded)


def _settle_screening(assignment: Assignment, rater: Rater, judgment: Judgment, graded: Iterable[Graded]) -> None:
    """End a rater who does not fit the study.

    A rater who skips for a blameless reason withdraws; skipping a question without a known answer ends nothing.
    """
    if judgment.skip_reason:
        if Gold.objects.filter(unit=assignment.unit_id).exists():
            blameless = judgment.skip_reason in Judgment.Skip.BLAMELESS
            assignments.leave_early(rater, Rater.Outcome.WITHDRAWN if blameless else Rater.Outcome.SCREENED_OUT)
    elif not all(result.passed for result in graded):
        assignments.leave_early(rater, Rater.Outcome.SCREENED_OUT)


def step_after(assignment: Assignment, rater: Rater) -> Step | None:
    """Return the page that follows an answer which had been stored before: the same as when it was stored."""
    if assignment.purpose == Purpose.TRAINING:
        return Step(FEEDBACK, assignment.order)
    if assignment.purpose == Purpose.EXAM and not _is_exam_open(assignment, rater):
        return _exam_step(assignment, rater)
    return None


def _exam_step(assignment: Assignment, rater: Rater) -> Step:
    return Step(EXAM, exam_number(rater, assignment.unit.task_id))


def _is_exam_open(assignment: Assignment, rater: Rater) -> bool:
    """Return whether units of the same attempt at an exam are still to be answered."""
    units = Assignment.objects.filter(
        rater=rater, unit__task=assignment.unit.task_id, purpose=Purpose.EXAM, attempt=assignment.attempt
    )
    return units.filter(state__in=Assignment.State.UNANSWERED).exists()


@dataclass(frozen=True, slots=True)
class ExamResult:
    """The result of an attempt at an exam of `asked` units: `right` of `graded` ones, a share of `needed` to pass.

    With `explained`, raters who did not pass may see which units were right, and why.
    """

    attempt: int
    attempts: int
    right: int
    graded: int
    asked: int
    needed: float
    explained: bool = False

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
    """Return the result of a rater's last whole attempt at the exam of a task; None before there is one."""
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
    n_asked = rows.filter(attempt=last).count()
    return ExamResult(
        last, checks.exam_attempts, right, counted.count(), n_asked, checks.exam_pass, checks.exam_feedback
    )


def failed_exam(rater: Rater) -> tuple[int, ExamResult] | None:
    """Return the number and the result of the exam that ended a rater; None for a rater who did not end by one."""
    if rater.outcome != Rater.Outcome.FAILED:
        return None
    tasks = Task.objects.in_bulk(exams := _exams(rater))
    for number, task_id in enumerate(exams, start=1):
        result = exam_result(rater, tasks[task_id])
        if result is not None and not result.passed:
            return number, result
    return None


def exam_answers(rater: Rater, task: Task, attempt: int) -> list[tuple[Assignment, Judgment]]:
    """Return the units of an attempt at an exam in their order, each with the answer to it."""
    units = Assignment.objects.filter(rater=rater, unit__task=task, purpose=Purpose.EXAM, attempt=attempt)
    current = Judgment.objects.filter(assignment__in=units).current()
    by_unit = {judgment.assignment_id: judgment for judgment in current}
    in_order = units.select_related("unit", "set").order_by("order")
    return [(assignment, by_unit[assignment.pk]) for assignment in in_order if assignment.pk in by_unit]


def _settle_exam(assignment: Assignment, rater: Rater) -> Step | None:
    """Pass the rater after the last unit of an attempt, give them another attempt, or end them."""
    if _is_exam_open(assignment, rater):
        return None
    task = assignment.unit.task
    result = exam_result(rater, task)
    if result is not None and not result.passed:
        if result.is_last:
            # A rater who skipped most of the exam for blameless reasons has not failed it.
            assignments.leave_early(rater, Rater.Outcome.FAILED if result.is_enough else Rater.Outcome.WITHDRAWN)
            return None
        _another_attempt(assignment, rater, task, result.attempt + 1)
    return _exam_step(assignment, rater)


def _another_attempt(assignment: Assignment, rater: Rater, task: Task, attempt: int) -> None:
    """Give a rater the exam again, under the order numbers kept free for it behind the attempt before."""
    before = Assignment.objects.filter(rater=rater, unit__task=task, purpose=Purpose.EXAM)
    judged = Assignment.objects.filter(rater=rater, unit__task=task, purpose=Purpose.MAIN)
    criteria = {key or "" for key in judged.values_list("unit__features__criterion", flat=True)} - {""}
    pool = sets.known_units(task).of(Purpose.EXAM, criteria)
    units = sets.exam_units(pool, checks_of(task.checks).exam, attempt)
    planned = [sets.Planned(Purpose.EXAM, unit, attempt=attempt) for unit in units]
    if not planned:
        return  # all units of the exam were withdrawn meanwhile: there is none to pass
    sets.draw_arrangements(rater, task, planned)
    suggestions.choose(rater, task, planned)
    last = before.aggregate(last=Max("order"))["last"] or assignment.order
    of_unit = {name for unit in planned for name in unit.arrangement}
    of_rater = {name: value for name, value in assignment.arrangement.items() if name not in of_unit}
    Assignment.objects.bulk_create(
        Assignment(
            rater=rater,
            rater_kind=rater.kind,
            set_id=assignment.set_id,
            unit_id=unit.unit,
            purpose=Purpose.EXAM,
            attempt=attempt,
            order=last + number,
            arrangement={**unit.arrangement, **of_rater},
            wave=assignment.wave,
            version=assignment.version,
        )
        for number, unit in enumerate(planned, start=1)
    )


def notice_due(rater: Rater) -> bool:
    """Return whether a rater has answered enough units since a failed check to be told about it."""
    after = rater.prefs.get(WARN_AFTER)
    answered = Judgment.objects.filter(assignment__rater=rater, replaces=None)
    return isinstance(after, int) and answered.count() >= after


def notice_seen(*, rater: Rater) -> None:
    """Store that a rater was told about failed checks."""
    prefs = {name: value for name, value in rater.prefs.items() if name != WARN_AFTER}
    rater.prefs = {**prefs, "warned": True}
    Rater.objects.filter(pk=rater.pk).update(prefs=rater.prefs)


def step_due(rater: Rater) -> Step | None:
    """Return the page that a rater has to see before they go on; one query at most, and mostly none."""
    if rater.state == Rater.State.ENDED:
        return None
    match rater.prefs.get(WAITING):
        case [str(kind), int(number)]:
            return Step(kind, number)
    return Step(NOTICE) if notice_due(rater) else None


@atomically
def go_on(*, rater: Rater, step: Step) -> None:
    """Store that a rater has gone on from a page between two units."""
    fresh = Rater.objects.select_for_update().get(pk=rater.pk)
    if step.kind == NOTICE:
        notice_seen(rater=fresh)
    elif fresh.prefs.get(WAITING) == [step.kind, step.number]:
        prefs = {name: value for name, value in fresh.prefs.items() if name != WAITING}
        Rater.objects.filter(pk=rater.pk).update(prefs=prefs)


@atomically
def keep_step(*, rater: Rater, step: Step) -> None:
    """Keep a page between two units until the rater has gone on from it."""
    fresh = Rater.objects.select_for_update().get(pk=rater.pk)
    rater.prefs = {**fresh.prefs, WAITING: [step.kind, step.number]}
    Rater.objects.filter(pk=rater.pk).update(prefs=rater.prefs)


def exam_number(rater: Rater, task_id: int) -> int:
    """Number the exams of a rater, so that an address need not name a task."""
    return 1 + _exams(rater).index(task_id)


def exam_of(rater: Rater, number: int) -> Task | None:
    """Return the task with the exam of this number; None if the rater has no such exam."""
    tasks = _exams(rater)
    return Task.objects.get(pk=tasks[number - 1]) if 0 < number <= len(tasks) else None


def _exams(rater: Rater) -> list[int]:
    units = Assignment.objects.filter(rater=rater, purpose=Assignment.Purpose.EXAM).order_by("order")
    return list(dict.fromkeys(units.values_list("unit__task", flat=True)))
