"""Store answers: each exactly once, none lost, none changed.

Answers to all units that are judged take the same locks and run the same statements in the same order, whatever the
unit is for: no wait and no count tells a rater which units are checks (docs/decisions/0041).
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import Any, TypeAlias
from uuid import UUID

from tasks_app.hooks.signals import judgment_submitted
from tasks_app.models import Assignment, Judgment, Rater
from tasks_app.models.statements import Prepared, PreparedQuery
from tasks_app.selectors.screens import RaterScreen
from tasks_app.services.database import atomically, lock_claims
from tasks_app.services.judging import assignments, between_units, grading, leases
from tasks_app.services.judging.between_units import Step
from tasks_app.services.judging.drafts import Over
from tasks_app.task_types.base import Value

Purpose, State = Assignment.Purpose, Assignment.State

# Changes of one answer: far more than anybody needs who corrects themselves, and too few to fill a disk with.
MOST_CHANGES = 20


class Conflict(Exception):
    """Another answer to this assignment is stored already, perhaps from a second tab; it is `stored`."""

    def __init__(self, stored: Judgment) -> None:
        super().__init__(stored)
        self.stored = stored


class TooManyChanges(Exception):
    """The answer has been changed as often as it may be; the last one, `stored`, stays."""

    def __init__(self, stored: Judgment) -> None:
        super().__init__(stored)
        self.stored = stored


# Why an answer is not stored.
Refusal: TypeAlias = Conflict | TooManyChanges | Over


class _NeedsClaims(Exception):
    """The place is not held any more: the same again under the claims lock."""


@dataclass(frozen=True, slots=True)
class Submission:
    """A submission of a rater: the cleaned answer of the task type's form, or a skip, with its circumstances."""

    uuid: UUID
    answer: Mapping[str, Any]
    skip_reason: str = ""
    comment: str = ""
    seconds_active: float | None = None
    seconds_elapsed: float | None = None
    log: list[Any] = field(default_factory=list)
    replaces: int | None = None


@dataclass(frozen=True, slots=True)
class Receipt:
    """The outcome of a submission: `is_new` is False where it had been stored before.

    `step` is the page that the rater is shown before the next unit, if any. `ends` says that the rater's answers
    so far end the study for them.
    """

    judgment: Judgment
    is_new: bool
    step: Step | None = None
    ends: bool = False


@dataclass(frozen=True, slots=True)
class Answered:
    """One text of a page that a rater has sent: the screen, and the answer."""

    screen: RaterScreen
    submission: Submission


# What becomes of one text of a page that was sent.
Result: TypeAlias = Receipt | Refusal


def submit(*, screen: RaterScreen, submission: Submission) -> Receipt:
    """Store an answer to one text, or a skip with its reason: a page of one text.

    Raises
    ------
    Conflict, TooManyChanges, Over
        Where it is not stored.
    """
    (result,) = submit_page(page=[Answered(screen, submission)])
    if not isinstance(result, Receipt):
        raise result
    return result


def submit_page(*, page: Sequence[Answered]) -> list[Result]:
    """Store the answers to all texts of a rater's page, or skips with their reasons, in one transaction.

    The same submissions sent again get the first results, and wait for nobody. An answer to a unit that went to
    somebody else takes its place back if that is still free, else it is stored as surplus. An answer that cannot be
    stored keeps no other one from being stored: in its place there is the refusal,

    - Conflict where another answer is stored and `submission.replaces` does not name it,
    - TooManyChanges where the stored answer has been changed `MOST_CHANGES` times,
    - Over where the rater has stopped.
    """
    rater = page[0].screen.rater
    results = _stored_whole(page) or _store_once(page)
    receipts = [result for result in results if isinstance(result, Receipt)]
    # Further transactions: the answers are stored whatever becomes of these, and sent again they lead here again.
    if any(receipt.ends for receipt in receipts):
        assignments.stop(rater=rater, outcome=grading.outcome_decided(rater.prefs) or Rater.Outcome.FAILED)
    step = step_of(results)
    if step is not None and step.kind != between_units.NOTICE:
        between_units.keep_step(rater=rater, step=step)
    return results


def step_of(results: Sequence[Result]) -> Step | None:
    """Return the page that the rater is shown after a page, before the next one, if any."""
    steps = [result.step for result in results if isinstance(result, Receipt) and result.step is not None]
    return steps[-1] if steps else None


@cache
def _known_submissions(n: int) -> PreparedQuery[Judgment]:
    """Return the query for the judgments of n submissions, of assignment_0 by submission_0 and so on."""
    assignments = {f"assignment_{place}": -1 - place for place in range(n)}
    submissions = {f"submission_{place}": UUID(int=place) for place in range(n)}
    return PreparedQuery(
        f"known_submissions_{n}",
        lambda **values: Judgment.objects.filter(
            assignment__in=[values[name] for name in assignments], submission__in=[values[name] for name in submissions]
        ),
        **assignments,
        **submissions,
    )


def _stored_whole(page: Sequence[Answered]) -> list[Result] | None:
    """Return the results of a page if all of its submissions are stored already; else None."""
    keys = [(answered.screen.assignment.pk, answered.submission.uuid) for answered in page]
    values: dict[str, object] = {}
    for place, (assignment, uuid) in enumerate(keys):
        values |= {f"assignment_{place}": assignment, f"submission_{place}": uuid}
    judgments = _known_submissions(len(page)).fetch(**values)
    stored = {(judgment.assignment_id, judgment.submission): judgment for judgment in judgments}
    if not all(key in stored for key in keys):
        return None
    return [_receipt_again(answered.screen, stored[key]) for answered, key in zip(page, keys, strict=True)]


def _receipt_again(screen: RaterScreen, judgment: Judgment) -> Receipt:
    """Return the receipt of a judgment that had been stored before."""
    return Receipt(judgment, is_new=False, step=between_units.step_after(screen.assignment, screen.rater))


def _store_once(page: Sequence[Answered]) -> list[Result]:
    """Store a page; under the claims lock only where places may have to be given back or taken back."""
    # Whoever skips, or does not pass, gives places back.
    claiming = any(
        answered.submission.skip_reason or answered.screen.assignment.purpose in Purpose.PRELIMINARY
        for answered in page
    )
    try:
        return _submit(page=page, claiming=claiming)
    except _NeedsClaims:
        return _submit(page=page, claiming=True)


@atomically
def _submit(*, page: Sequence[Answered], claiming: bool) -> list[Result]:
    """Store a page under the locks of its rater and all its units: first the known submissions, then the new ones."""
    rater = page[0].screen.rater
    if claiming:
        lock_claims(rater.study_id)
    locked = leases.lock_to_answer([answered.screen.assignment for answered in page], rater)
    stored = _stored_answers(page, locked)
    known = [_known(*of_text) for of_text in zip(page, locked, stored, strict=True)]
    is_late = any(result is None and at.state in State.LATE for result, at in zip(known, locked, strict=True))
    if is_late and not claiming:
        raise _NeedsClaims
    results: list[Result] = []
    so_far = grading.NOTHING
    for answered, at, before, result in zip(page, locked, stored, known, strict=True):
        if result is None:
            # What the answers before on this page have led to stands in no row that was locked.
            now = replace(
                at, prefs={**at.prefs, **(so_far.prefs or {})}, failed_checks=at.failed_checks or so_far.marks
            )
            result, consequence = _store_new(answered, now, before, ends=so_far.ends)  # noqa: PLW2901
            so_far = so_far.then(consequence)
        results.append(result)
    return results


def _stored_answers(page: Sequence[Answered], locked: Sequence[leases.Locked]) -> list[list[Judgment]]:
    """Return the judgments of each unit of a page, oldest first; a unit that is still to be answered has none."""
    answered_before = [
        answered.screen.assignment.pk
        for answered, at in zip(page, locked, strict=True)
        if at.state not in State.WAITING
    ]
    judgments = Judgment.objects.filter(assignment__in=answered_before).order_by("id") if answered_before else ()
    of_unit: dict[int, list[Judgment]] = {}
    for judgment in judgments:
        of_unit.setdefault(judgment.assignment_id, []).append(judgment)
    return [of_unit.get(answered.screen.assignment.pk, []) for answered in page]


def _known(answered: Answered, locked: leases.Locked, stored: Sequence[Judgment]) -> Result | None:
    """Return the receipt of an answer that is stored already or cannot be stored; None where it is to be stored."""
    may_replace = answered.screen.may_change and locked.rater_state != Rater.State.ENDED
    try:
        judgment = _stored_before(answered.submission, stored, may_replace=may_replace)
    except (Conflict, TooManyChanges) as refusal:
        return refusal
    if judgment is not None:
        return _receipt_again(answered.screen, judgment)
    return Over() if locked.state in State.OVER else None


def _store_new(
    answered: Answered, locked: leases.Locked, stored: Sequence[Judgment], *, ends: bool
) -> tuple[Receipt, grading.Consequence]:
    """Store one answer and its consequence; `ends` tells that earlier answers on its page end the rater."""
    screen, submission = answered.screen, answered.submission
    assignment, rater = screen.assignment, screen.rater
    decides = assignment.purpose in Purpose.PRELIMINARY
    values = () if submission.skip_reason else screen.values(submission.answer)
    answer = None if submission.skip_reason else submission.answer
    grade = grading.Grade() if decides else grading.grade(screen, locked, answer, values, is_new=not stored)
    state = _state_after(locked, submission)
    judgment = _judgment_of(assignment, submission, stored[-1] if stored else None)
    has_more = _store(screen, judgment, values, state, grade)
    if submission.skip_reason or locked.state in State.LATE:
        leases.settle_place(locked.place_id)
    if submission.skip_reason:
        leases.drop_repeat(assignment.pk)
    step = between_units.settle(screen, judgment) if decides else None
    ended = Rater.State.ENDED in (locked.rater_state, rater.state)
    if not (stored or has_more or ended or ends):
        # The end page then only reads what the server has confirmed.
        assignments.end(rater, Rater.Outcome.COMPLETED)
        ended = True
    judgment_submitted.send(sender=Judgment, judgment=judgment, rater=rater)
    if step is None and grade.notice_due and not ended:
        step = Step(between_units.NOTICE)
    receipt = Receipt(judgment, is_new=True, step=step, ends=grade.consequence.ends and not ended)
    return receipt, grade.consequence


def _stored_before(submission: Submission, stored: Sequence[Judgment], *, may_replace: bool) -> Judgment | None:
    """Return the judgment where the submission, or the same answer, is stored; None where it is to be stored.

    Raises
    ------
    Conflict, TooManyChanges
        Where a stored answer may not be replaced by this one.
    """
    if not stored:
        return None
    last = stored[-1]
    same = next((judgment for judgment in stored if judgment.submission == submission.uuid), None)
    replaces = submission.replaces == last.pk and may_replace
    has_same_answer = (last.answer, last.skip_reason) == (submission.answer, submission.skip_reason)
    if same is None and not replaces and has_same_answer:
        same = last
    if same is not None:
        return same
    if not replaces:
        raise Conflict(last)
    if len(stored) > MOST_CHANGES:
        raise TooManyChanges(last)
    return None


def _state_after(locked: leases.Locked, submission: Submission) -> str:
    """Decide the next state of the assignment."""
    state = locked.state
    if submission.skip_reason:
        return State.SKIPPED
    if state in State.LATE:
        return State.SUBMITTED if _is_free(locked.place_id) else State.SURPLUS
    return state if state in {State.SURPLUS, State.REPLACED} else State.SUBMITTED


def _is_free(place_id: int | None) -> bool:
    """Return whether nobody holds a place; asked in the same way for units without one."""
    held = Assignment.objects.filter(place_id=place_id or 0, state__in=State.HOLDING)
    return not held.exists()


def _judgment_of(assignment: Assignment, submission: Submission, before: Judgment | None) -> Judgment:
    """Return the judgment that a submission makes, not stored yet."""
    return Judgment(
        assignment=assignment,
        submission=submission.uuid,
        replaces=before,
        answer=submission.answer,
        skip_reason=submission.skip_reason,
        comment=submission.comment,
        seconds_active=submission.seconds_active,
        seconds_elapsed=submission.seconds_elapsed,
        log=submission.log,
        version=assignment.version,
    )


# A judgment and everything that follows from it, in one statement of one shape: its ratings, how they compare with
# known answers, what becomes of the unit, its draft and the rater. Returns its id and time, and whether the rater has
# anything left to answer.
_STORE = Prepared(
    "store_judgment",
    """
WITH judged AS (
    INSERT INTO tasks_app_judgment (assignment_id, submission, replaces_id, answer, skip_reason, comment,
        seconds_active, seconds_elapsed, log, version)
    VALUES (%(assignment)s::bigint, %(submission)s::uuid, %(replaces)s::bigint, %(answer)s::jsonb, %(skip_reason)s,
        %(comment)s, %(seconds_active)s::float8, %(seconds_elapsed)s::float8, %(log)s::jsonb, %(version)s::integer)
    RETURNING id, submitted_at),
rated AS (
    INSERT INTO tasks_app_rating (judgment_id, task_id, rater_id, unit_id, part_id, part_b_id, criterion_id, number,
        value, label, text, shown_value, span_side, span_start, span_end, category, severity, mark_origin, mark_of,
        mark_reason)
    SELECT judged.id, %(task)s::bigint, %(rater)s::bigint, %(unit)s::bigint, v.*
    FROM judged, jsonb_to_recordset(%(values)s::jsonb) AS v(
        part_id bigint, part_b_id bigint, criterion_id bigint, number integer, value double precision, label text,
        text text, shown_value double precision, span_side text, span_start integer, span_end integer, category text,
        severity text, mark_origin text, mark_of integer, mark_reason text)),
compared AS (
    INSERT INTO tasks_app_controlresult (judgment_id, gold_id, passed, detail)
    SELECT judged.id, r.* FROM judged, jsonb_to_recordset(%(results)s::jsonb) AS r(
        gold_id bigint, passed boolean, detail jsonb)),
written AS (UPDATE tasks_app_assignment SET state = %(state)s WHERE id = %(assignment)s),
dropped AS (DELETE FROM tasks_app_draft WHERE assignment_id = %(assignment)s),
marked AS (
    UPDATE tasks_app_rater SET prefs = prefs || %(prefs)s::jsonb,
        failed_checks_at = CASE WHEN %(marks)s::boolean THEN COALESCE(failed_checks_at, now()) ELSE failed_checks_at END
    WHERE id = %(rater)s AND (%(marks)s OR %(prefs)s::jsonb <> '{}'))
SELECT id, submitted_at, EXISTS (
    SELECT 1 FROM tasks_app_assignment a WHERE a.rater_id = %(rater)s AND a.id <> %(assignment)s
    AND a.state IN ('reserved', 'live', 'expired'))
FROM judged
""",
)


def _store(screen: RaterScreen, judgment: Judgment, values: Sequence[Value], state: str, grade: grading.Grade) -> bool:
    """Store a judgment and its consequences; return whether the rater has anything left to answer."""
    assignment, rater = screen.assignment, screen.rater
    prefs = dict(grade.consequence.prefs or {})
    params = {
        "submission": str(judgment.submission),
        "replaces": judgment.replaces_id,
        "answer": json.dumps(judgment.answer),
        "skip_reason": judgment.skip_reason,
        "comment": judgment.comment,
        "seconds_active": judgment.seconds_active,
        "seconds_elapsed": judgment.seconds_elapsed,
        "log": json.dumps(judgment.log),
        "version": judgment.version,
        "task": assignment.unit.task_id,
        "rater": rater.pk,
        "unit": assignment.unit_id,
        "assignment": assignment.pk,
        "state": state,
        "values": json.dumps(list(_ratings(screen, values))),
        "results": json.dumps(grade.results),
        "prefs": json.dumps(prefs),
        "marks": grade.consequence.marks,
    }
    rater.prefs = {**rater.prefs, **prefs}
    ((judgment.pk, judgment.submitted_at, has_more),) = _STORE.rows(params)
    judgment._state.adding = False
    return bool(has_more)


# The columns of a rating that a value has by the same name. `asdict` copies each value in depth.
_OF_VALUE = tuple(column.name for column in fields(Value))


def _ratings(screen: RaterScreen, values: Sequence[Value]) -> Iterator[dict[str, object]]:
    """Turn values into rows of ratings, with the ids of the parts and criteria that they are about."""
    for value in values:
        part_ids, criterion_ids = screen.material.part_ids, screen.frame.criterion_ids
        yield {
            "part_id": None if value.part is None else part_ids[value.part],
            "part_b_id": None if value.part_b is None else part_ids[value.part_b],
            "criterion_id": None if value.criterion is None else criterion_ids[value.criterion],
            **{name: getattr(value, name) for name in _OF_VALUE},
        }
