"""Screens between two units: feedback, the result of an exam, a notice about failed checks.

Kept with the rater until they have gone on, so that a lost answer of the server, a reload or another device brings
them back to it.
"""

from dataclasses import dataclass

from tasks_app.models import Assignment, Rater, Task
from tasks_app.services.database import atomically
from tasks_app.services.judging import checks, judgments

# Under which name of a rater's prefs the step waits.
WAITING = "step"


@dataclass(frozen=True, slots=True)
class Step:
    """A page between two units. `number` is the unit's number in training, of an exam which one it is."""

    kind: str
    number: int = 0


def submit(*, assignment: Assignment, rater: Rater, given: judgments.Submission) -> Step | None:
    """Store an answer, and say what the rater is shown before the next unit.

    Raises
    ------
    judgments.Conflict, judgments.TooManyChanges, judgments.Over
        As `judgments.submit` does.
    """
    receipt = judgments.submit(assignment=assignment, rater=rater, given=given)
    if receipt.step == checks.FEEDBACK:
        step = Step(receipt.step, assignment.order)
    elif receipt.step == checks.EXAM:
        step = Step(receipt.step, exam_number(rater, assignment.unit.task_id))
    else:
        return Step(receipt.step) if receipt.step else None
    # Not in the transaction of the answer, which is stored whatever becomes of this: sent again, it comes here again.
    _keep(rater=rater, step=step)
    return step


def due(rater: Rater) -> Step | None:
    """Return what a rater has to be shown before they go on; one query at most, and mostly none."""
    if rater.state == Rater.State.ENDED:
        return None
    match rater.prefs.get(WAITING):
        case [str(kind), int(number)]:
            return Step(kind, number)
    return Step(checks.NOTICE) if checks.notice_due(rater) else None


@atomically
def go_on(*, rater: Rater, step: Step) -> None:
    """Write down that a rater was shown a step."""
    fresh = Rater.objects.select_for_update().get(pk=rater.pk)
    if step.kind == checks.NOTICE:
        checks.notice_seen(rater=fresh)
    elif fresh.prefs.get(WAITING) == [step.kind, step.number]:
        prefs = {name: value for name, value in fresh.prefs.items() if name != WAITING}
        Rater.objects.filter(pk=rater.pk).update(prefs=prefs)


@atomically
def _keep(*, rater: Rater, step: Step) -> None:
    fresh = Rater.objects.select_for_update().get(pk=rater.pk)
    rater.prefs = {**fresh.prefs, WAITING: [step.kind, step.number]}
    Rater.objects.filter(pk=rater.pk).update(prefs=rater.prefs)


def exam_number(rater: Rater, task_id: int) -> int:
    """Number the exams of a rater, so that an address need not name a task."""
    return 1 + _exams(rater).index(task_id)


def exam_of(rater: Rater, number: int) -> Task | None:
    """Return the task whose exam has a number; None where the rater has no such exam."""
    tasks = _exams(rater)
    return Task.objects.get(pk=tasks[number - 1]) if 0 < number <= len(tasks) else None


def _exams(rater: Rater) -> list[int]:
    units = Assignment.objects.filter(rater=rater, purpose=Assignment.Purpose.EXAM).order_by("order")
    return list(dict.fromkeys(units.values_list("unit__task", flat=True)))
