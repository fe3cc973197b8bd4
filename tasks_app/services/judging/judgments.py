"""Store answers: each exactly once, none lost, none changed.

Answers to all units that are judged take the same locks and run the same statements in the same order, whatever the
unit is for: no wait and no count tells a rater which units are checks (docs/decisions/0041).
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import asdict, dataclass, field
from typing import Any, TypeAlias
from uuid import UUID

from tasks_app.models import Assignment, Draft, Judgment, Rater
from tasks_app.selectors import screens
from tasks_app.services.database import atomically, lock_claims, rows
from tasks_app.services.judging import assignments, checks, grading, leases
from tasks_app.signals import judgment_submitted
from tasks_app.task_types.base import Value

Purpose, State = Assignment.Purpose, Assignment.State

# Changes of one answer: far more than anybody needs who corrects themselves, and too few to fill a disk with.
MOST_CHANGES = 20


class Conflict(Exception):
    """Another answer to this assignment is stored already, perhaps from a second tab; it is `stored`."""

    def __init__(self, stored: Judgment) -> None:
        super().__init__(stored)
        self.stored = stored


class Over(Exception):
    """The rater has stopped, or the study does not take answers to this assignment any more."""


class TooManyChanges(Exception):
    """The answer has been changed as often as it may be; the last one, `stored`, stays."""

    def __init__(self, stored: Judgment) -> None:
        super().__init__(stored)
        self.stored = stored


# Why an answer is not stored.
Refusal: TypeAlias = Conflict | TooManyChanges | Over
REFUSALS = (Conflict, TooManyChanges, Over)


class _NeedsClaims(Exception):
    """The place is not held any more: the same again under the claims lock."""


@dataclass(frozen=True, slots=True)
class Submission:
    """What a rater sent: the answer as given, the values in it, and how it came about."""

    uuid: UUID
    answer: Mapping[str, Any]
    values: tuple[Value, ...] = ()
    part_ids: tuple[int, ...] = ()
    criterion_ids: Mapping[str, int] = field(default_factory=dict)
    skip_reason: str = ""
    comment: str = ""
    seconds_active: float | None = None
    seconds_elapsed: float | None = None
    log: list[Any] = field(default_factory=list)
    replaces: int | None = None


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of a submission: `is_new` is False where it had been stored before.

    `step` says what the rater is shown before the next unit: feedback, exam, notice, or nothing. `ends` says that the
    rater's answers to checks end the study for them.
    """

    judgment: Judgment
    is_new: bool
    step: str = ""
    ends: bool = False


def submit(*, assignment: Assignment, rater: Rater, given: Submission) -> Receipt:
    """Store an answer, or a skip with its reason.

    The same submission sent again gets the first result, and waits for nobody. An answer to a unit that went to
    somebody else takes its place back if that is still free, else it is stored as surplus.

    Raises
    ------
    Conflict
        Where another answer is stored and `given.replaces` does not name it.
    TooManyChanges
        Where the stored answer has been changed `MOST_CHANGES` times.
    Over
        Where the rater has stopped.
    """
    known = Judgment.objects.filter(assignment=assignment.pk, submission=given.uuid).first()
    if known is not None:
        return Receipt(known, is_new=False, step=checks.step_after(assignment, rater))
    # Who skips, or does not pass, gives places back, which needs the claims lock from the start.
    claiming = bool(given.skip_reason) or assignment.purpose in Purpose.PRELIMINARY
    try:
        receipt = _submit(assignment=assignment, rater=rater, given=given, claiming=claiming)
    except _NeedsClaims:
        receipt = _submit(assignment=assignment, rater=rater, given=given, claiming=True)
    if receipt.ends:
        # In a transaction of its own: it gives places back, and the answer is stored whatever becomes of it.
        assignments.stop(rater=rater, outcome=Rater.Outcome.FAILED)
    return receipt


@atomically
def _submit(*, assignment: Assignment, rater: Rater, given: Submission, claiming: bool) -> Receipt:
    if claiming:
        lock_claims(rater.study_id)
    taken = leases.take(assignment, rater)
    locked = copy(assignment)
    locked.state, locked.place_id = taken.state, taken.place_id
    # A unit that is still to be answered has no judgment; the states of all others tell that it may.
    stored = [] if locked.state in State.WAITING else list(Judgment.objects.filter(assignment=locked).order_by("id"))
    may_replace = may_change(locked, rater) and taken.rater_state != Rater.State.ENDED
    if (known := _stored_before(locked, rater, given, stored, may_replace=may_replace)) is not None:
        return known
    if not claiming and locked.state in State.LATE:
        raise _NeedsClaims
    graded = _grade(locked, rater, given, taken, is_new=not stored)
    state = _state_after(locked, given)
    judgment = _store(locked, given, stored[-1] if stored else None)
    more = _finish(judgment, rater, given, state, graded)
    if given.skip_reason or locked.state in State.LATE:
        leases.settle_place(locked.place_id)
    if given.skip_reason:
        leases.drop_repeat(locked.pk)
    step = checks.settle(locked, rater, judgment) if locked.purpose in Purpose.PRELIMINARY else ""
    ended = Rater.State.ENDED in (taken.rater_state, rater.state)
    if not (stored or more or ended):
        # The end page then only reads what the server has confirmed.
        assignments.end(rater, Rater.Outcome.COMPLETED)
        ended = True
    judgment_submitted.send(sender=Judgment, judgment=judgment, rater=rater)
    if ended:
        return Receipt(judgment, is_new=True, step=step)
    return Receipt(judgment, is_new=True, step=step or graded.step, ends=graded.consequence.ends)


def _stored_before(
    assignment: Assignment, rater: Rater, given: Submission, stored: Sequence[Judgment], *, may_replace: bool
) -> Receipt | None:
    """Return the first result where the submission, or the same answer, is stored; None where it is to be stored.

    Raises
    ------
    Conflict, TooManyChanges
        Where a stored answer may not be replaced by this one.
    """
    if not stored:
        return None
    last = stored[-1]
    same = [one for one in stored if one.submission == given.uuid]
    replaces = given.replaces == last.pk and may_replace
    if not same and not replaces and (last.answer, last.skip_reason) == (given.answer, given.skip_reason):
        same = [last]
    if same:
        return Receipt(same[0], is_new=False, step=checks.step_after(assignment, rater))
    if not replaces:
        raise Conflict(last)
    if len(stored) > MOST_CHANGES:
        raise TooManyChanges(last)
    return None


def may_change(assignment: Assignment, rater: Rater) -> bool:
    """Say whether the study, the task type and the purpose of a unit let a stored answer be changed before the end."""
    kind = screens.frame_of(assignment.unit.task_id, rater.study).kind
    return rater.study.options.allow_back and kind.allows_back and assignment.purpose not in Purpose.PRELIMINARY


@dataclass(frozen=True, slots=True)
class _Graded:
    """What is stored of the grading with an answer, and what the rater is shown because of it."""

    results: Sequence[grading.Result] = ()
    consequence: grading.Consequence = grading.NOTHING
    step: str = ""


def _grade(assignment: Assignment, rater: Rater, given: Submission, taken: leases.Taken, *, is_new: bool) -> _Graded:
    """Grade an answer to a unit that is judged, and decide what the checks before it lead to."""
    if assignment.purpose in Purpose.PRELIMINARY:
        return _Graded()
    standing = grading.standing_of(assignment, rater)
    results = (
        grading.results_of(assignment, rater.study, standing, given.answer, given.values, given.criterion_ids)
        if not given.skip_reason
        else []
    )
    scores = [(screens.frame_of(task, rater.study).task, score) for task, score in sorted(standing.scores.items())]
    consequence = (
        grading.consequence_of(scores, standing.answered, marked=taken.failed_checks) if is_new else grading.NOTHING
    )
    warn_after = taken.prefs.get(grading.WARN_AFTER)
    due = isinstance(warn_after, int) and standing.answered + is_new >= warn_after
    return _Graded(results, consequence, checks.NOTICE if due else "")


def _state_after(assignment: Assignment, given: Submission) -> str:
    """Decide what the assignment becomes.

    Raises
    ------
    Over
        For a unit that the rater gave back.
    """
    state = assignment.state
    if state in State.GIVEN_BACK:
        raise Over
    if given.skip_reason:
        return State.SKIPPED
    if state in State.LATE:
        return State.SUBMITTED if _is_free(assignment.place_id) else State.SURPLUS
    return state if state in {State.SURPLUS, State.REPLACED} else State.SUBMITTED


def _is_free(place_id: int | None) -> bool:
    """Say whether nobody holds a place; asked in the same way for units without one."""
    held = Assignment.objects.filter(place_id=place_id or 0, state__in=State.HOLDING)
    return not held.exists()


def _store(assignment: Assignment, given: Submission, before: Judgment | None) -> Judgment:
    return Judgment.objects.create(
        assignment=assignment,
        submission=given.uuid,
        replaces=before,
        answer=given.answer,
        skip_reason=given.skip_reason,
        comment=given.comment,
        seconds_active=given.seconds_active,
        seconds_elapsed=given.seconds_elapsed,
        log=given.log,
        version=assignment.version,
    )


# Everything that follows from a judgment, in one statement of one shape: its ratings, how they compare with known
# answers, what becomes of the unit, its draft and the rater. Returns whether the rater has anything left to answer.
_FINISH = """
WITH rated AS (
    INSERT INTO tasks_app_rating (judgment_id, task_id, rater_id, unit_id, part_id, part_b_id, criterion_id, number,
        value, label, text, shown_value, span_side, span_start, span_end, category, severity)
    SELECT %(judgment)s, %(task)s, %(rater)s, %(unit)s, v.* FROM jsonb_to_recordset(%(values)s::jsonb) AS v(
        part_id bigint, part_b_id bigint, criterion_id bigint, number integer, value double precision, label text,
        text text, shown_value double precision, span_side text, span_start integer, span_end integer, category text,
        severity text)),
compared AS (
    INSERT INTO tasks_app_controlresult (judgment_id, gold_id, passed, detail)
    SELECT %(judgment)s, r.* FROM jsonb_to_recordset(%(results)s::jsonb) AS r(
        gold_id bigint, passed boolean, detail jsonb)),
written AS (UPDATE tasks_app_assignment SET state = %(state)s WHERE id = %(assignment)s),
dropped AS (DELETE FROM tasks_app_draft WHERE assignment_id = %(assignment)s),
marked AS (
    UPDATE tasks_app_rater SET failed_checks_at = COALESCE(failed_checks_at, now()), prefs = prefs || %(prefs)s::jsonb
    WHERE id = %(rater)s AND %(marks)s)
SELECT EXISTS (SELECT 1 FROM tasks_app_assignment WHERE rater_id = %(rater)s AND id <> %(assignment)s
               AND state IN ('reserved', 'live', 'expired'))
"""


def _finish(judgment: Judgment, rater: Rater, given: Submission, state: str, graded: _Graded) -> bool:
    """Write down what follows from a judgment; say whether the rater has anything left to answer."""
    assignment = judgment.assignment
    prefs = dict(graded.consequence.prefs or {})
    params = {
        "judgment": judgment.pk,
        "task": assignment.unit.task_id,
        "rater": rater.pk,
        "unit": assignment.unit_id,
        "assignment": assignment.pk,
        "state": state,
        "values": json.dumps(list(_ratings(given))),
        "results": json.dumps([one.as_json() for one in graded.results]),
        "prefs": json.dumps(prefs),
        "marks": graded.consequence.marks,
    }
    rater.prefs = {**rater.prefs, **prefs}
    return bool(rows(_FINISH, params)[0][0])


def _ratings(given: Submission) -> Iterator[dict[str, object]]:
    """Turn values into rows of ratings, with the ids of what they are about."""
    for value in given.values:
        yield {
            "part_id": None if value.part is None else given.part_ids[value.part],
            "part_b_id": None if value.part_b is None else given.part_ids[value.part_b],
            "criterion_id": None if value.criterion is None else given.criterion_ids[value.criterion],
            **asdict(value),
        }


@dataclass(frozen=True, slots=True)
class Saved:
    """Whether a draft was kept, and the counter of the newest."""

    saved: bool
    counter: int


@atomically
def save_draft(*, assignment: Assignment, rater: Rater, counter: int, answer: Mapping[str, Any]) -> Saved:
    """Keep an answer on its way and lengthen the lease; an older draft never overwrites a newer.

    Raises
    ------
    Over
        Where the assignment has been answered or given back, so that there is nothing to draft.
    """
    if assignment.set_id is not None:
        leases.renew(assignment.set_id, leases.minutes_of(rater))
    state = Assignment.objects.select_for_update().values_list("state", flat=True).get(pk=assignment.pk)
    if state not in State.UNANSWERED:
        raise Over
    Draft.objects.bulk_create([Draft(assignment=assignment, counter=0)], ignore_conflicts=True)
    newer = Draft.objects.filter(assignment=assignment, counter__lt=counter).update(counter=counter, answer=answer)
    newest = Draft.objects.values_list("counter", flat=True).get(assignment=assignment)
    return Saved(bool(newer), newest)
