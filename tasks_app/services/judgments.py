"""Storing answers: each once, none lost, none changed."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from tasks_app.models import Assignment, Draft, Judgment, Place, Rater, Rating
from tasks_app.services import assignments, checks, leases
from tasks_app.services.database import atomically, lock_claims, share_submissions
from tasks_app.signals import judgment_submitted
from tasks_app.task_types.base import Value

HELD = (Assignment.State.RESERVED, Assignment.State.LIVE)
FINAL = (Assignment.Purpose.SCREENING, Assignment.Purpose.TRAINING, Assignment.Purpose.EXAM)
LOST = (Assignment.State.EXPIRED, Assignment.State.SKIPPED)


class Conflict(Exception):
    """Another answer to this assignment is stored already, perhaps from a second tab; it is `stored`."""

    def __init__(self, stored: Judgment) -> None:
        super().__init__(stored)
        self.stored = stored


class Over(Exception):
    """The rater has stopped, or the study does not take answers to this assignment any more."""


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

    `step` says what the rater is shown before the next unit: feedback, exam, notice, or nothing.
    """

    judgment: Judgment
    is_new: bool
    step: str = ""


def submit(*, assignment: Assignment, rater: Rater, given: Submission) -> Receipt:
    """Store an answer, or a skip with its reason.

    The same submission sent again gets the first result. An answer to a unit that went to somebody else takes its
    place back if that is still free, else it is stored as surplus.

    Raises
    ------
    Conflict
        Where another answer is stored and `given.replaces` does not name it.
    Over
        Where the rater has stopped.
    """
    # Who does not pass gives places back, which needs the claims lock from the start.
    claiming = bool(given.skip_reason) or assignment.purpose in checks.GRADED
    try:
        return _submit(assignment=assignment, rater=rater, given=given, claiming=claiming)
    except _NeedsClaims:
        return _submit(assignment=assignment, rater=rater, given=given, claiming=True)


@atomically
def _submit(*, assignment: Assignment, rater: Rater, given: Submission, claiming: bool) -> Receipt:
    if claiming:
        lock_claims(rater.study_id)
    if assignment.set_id is not None:
        leases.renew(assignment.set_id, leases.minutes_of(rater))
    share_submissions(rater.study_id)
    rows = Assignment.objects.select_for_update(of=("self",)).select_related("unit__task")
    locked = rows.get(pk=assignment.pk)
    # A unit that is still to be answered has no judgment; the states of all others tell that it may.
    stored = [] if locked.state in HELD else list(Judgment.objects.filter(assignment=locked).order_by("id"))
    for one in stored:
        if one.submission == given.uuid:
            return Receipt(one, is_new=False, step=checks.step_after(locked, rater))
    if stored and (given.replaces != stored[-1].pk or not _may_be_revised(locked, rater)):
        if stored[-1].answer == given.answer and stored[-1].skip_reason == given.skip_reason:
            return Receipt(stored[-1], is_new=False, step=checks.step_after(locked, rater))
        raise Conflict(stored[-1])
    graded = checks.concerns(locked)
    if not claiming and (locked.state in LOST or graded):
        raise _NeedsClaims
    state = _state_after(locked, given)
    judgment = _store(locked, rater, given, stored[-1] if stored else None)
    more = leases.finish(locked.pk, rater.pk, state)
    if given.skip_reason or locked.state in LOST:
        _settle_place(locked.place_id, state)
    if given.skip_reason:
        leases.drop_repeat(locked.pk)
    step = checks.settle(locked, rater, judgment) if graded else ""
    if not (stored or more) and rater.state != Rater.State.ENDED:
        # The end page then only reads what the server has confirmed.
        assignments.end(rater, Rater.Outcome.COMPLETED)
    judgment_submitted.send(sender=Judgment, judgment=judgment, rater=rater)
    if not step and rater.state != Rater.State.ENDED and checks.notice_due(rater):
        step = checks.NOTICE
    return Receipt(judgment, is_new=True, step=step)


def _may_be_revised(assignment: Assignment, rater: Rater) -> bool:
    """Say whether a stored answer may be changed: not after the end, never one that decides whether they take part."""
    kind = assignment.unit.task.kind
    may = rater.study.options.allow_back and kind.allows_back and assignment.purpose not in FINAL
    # Asked of the database: another tab may have ended it since the page was read.
    return may and not Rater.objects.filter(pk=rater.pk, state=Rater.State.ENDED).exists()


def _state_after(assignment: Assignment, given: Submission) -> str:
    """Decide what the assignment becomes.

    Raises
    ------
    Over
        For a unit that the rater gave back.
    """
    state = assignment.state
    if state in {Assignment.State.RETURNED, Assignment.State.WITHDRAWN}:
        raise Over
    if given.skip_reason:
        return Assignment.State.SKIPPED
    if state in LOST:
        return Assignment.State.SUBMITTED if _is_free(assignment.place_id) else Assignment.State.SURPLUS
    return state if state in {Assignment.State.SURPLUS, Assignment.State.REPLACED} else Assignment.State.SUBMITTED


def _is_free(place_id: int | None) -> bool:
    if place_id is None:
        return True
    held = Assignment.objects.filter(place_id=place_id, state__in=(*HELD, Assignment.State.SUBMITTED))
    return not held.exists()


def _settle_place(place_id: int | None, state: str) -> None:
    """Keep the state of the booklet right after a place was left or taken back, under the claims lock."""
    if place_id is None:
        return
    if state in {Assignment.State.SKIPPED, Assignment.State.SUBMITTED}:
        leases.settle([Place.objects.values_list("booklet_id", flat=True).get(pk=place_id)], None)


def _store(assignment: Assignment, rater: Rater, given: Submission, before: Judgment | None) -> Judgment:
    judgment = Judgment.objects.create(
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
    Rating.objects.bulk_create(_ratings(judgment, assignment, rater, given))
    return judgment


def _ratings(judgment: Judgment, assignment: Assignment, rater: Rater, given: Submission) -> Iterable[Rating]:
    for value in given.values:
        yield Rating(
            judgment=judgment,
            task_id=assignment.unit.task_id,
            rater=rater,
            unit_id=assignment.unit_id,
            part_id=None if value.part is None else given.part_ids[value.part],
            part_b_id=None if value.part_b is None else given.part_ids[value.part_b],
            criterion_id=None if value.criterion is None else given.criterion_ids[value.criterion],
            number=value.number,
            value=value.value,
            label=value.label,
            text=value.text,
            shown_value=value.shown_value,
            span_side=value.span_side,
            span_start=value.span_start,
            span_end=value.span_end,
            category=value.category,
            severity=value.severity,
        )


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
    if state not in (*HELD, Assignment.State.EXPIRED):
        raise Over
    Draft.objects.bulk_create([Draft(assignment=assignment, counter=0)], ignore_conflicts=True)
    newer = Draft.objects.filter(assignment=assignment, counter__lt=counter).update(counter=counter, answer=answer)
    newest = Draft.objects.values_list("counter", flat=True).get(assignment=assignment)
    return Saved(bool(newer), newest)
