"""Store answers: each exactly once, none lost, none changed.

Answers to all units that are judged take the same locks and run the same statements in the same order, whatever the
unit is for: no wait and no count tells a rater which units are checks (docs/decisions/0041).
"""

import json
from collections.abc import Container, Iterator, Mapping, Sequence
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
    timing: Mapping[str, Any] | None = None

    @property
    def seconds(self) -> float | None:
        """The time that the answer took: the active time, where the browser measured it."""
        return self.seconds_elapsed if self.seconds_active is None else self.seconds_active


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
    """Store a page under the locks of its rater and all its units; all new answers go into one statement."""
    rater = page[0].screen.rater
    if claiming:
        lock_claims(rater.study_id)
    locked = leases.lock_to_answer([answered.screen.assignment for answered in page], rater)
    stored = _stored_answers(page, locked)
    results = [_known(*of_text) for of_text in zip(page, locked, stored, strict=True)]
    is_new = [number for number, result in enumerate(results) if result is None]
    if not claiming and any(locked[number].state in State.LATE for number in is_new):
        raise _NeedsClaims
    new = _graded([(page[number], locked[number], stored[number]) for number in is_new])
    receipts = iter(_store_new(new) if new else ())
    return [next(receipts) if result is None else result for result in results]


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


@dataclass(frozen=True, slots=True)
class _New:
    """An answer that is to be stored: its judgment and its consequences.

    `is_late` says that the unit's place was not held any more, `is_change` that an earlier answer is replaced.
    """

    screen: RaterScreen
    judgment: Judgment
    values: Sequence[Value]
    state: str
    grade: grading.Grade
    place: int | None
    is_late: bool
    is_change: bool
    # Whether the rater had ended before, and whether earlier answers on the page end the rater.
    had_ended: bool
    ends_before: bool


def _graded(texts: Sequence[tuple[Answered, leases.Locked, Sequence[Judgment]]]) -> list[_New]:
    """Return the answers of a page with their grades, each graded as if those before it had been stored alone."""
    judged = [answered.screen for answered, _at, _before in texts if not _decides(answered.screen)]
    standing = grading.PageStanding(judged) if judged else None
    taken = _taken([at.place_id for _answered, at, _before in texts if at.state in State.LATE])
    new: list[_New] = []
    so_far = grading.NOTHING
    for answered, at, before in texts:
        screen, submission = answered.screen, answered.submission
        values = () if submission.skip_reason else screen.values(submission.answer)
        grade = grading.Grade()
        if standing is not None and not _decides(screen):
            answer = None if submission.skip_reason else submission.answer
            # What the answers before on this page have led to stands in no row that was locked.
            prefs = {**at.prefs, **(so_far.prefs or {})}
            now = replace(at, prefs=prefs, failed_checks=at.failed_checks or so_far.marks)
            own = standing.of(screen, is_new=not before)
            grade = grading.grade(screen, own, now, answer, values, is_new=not before)
            standing.add(screen, grade, submission.seconds, submission.skip_reason, is_new=not before)
        new.append(
            _New(
                screen=screen,
                judgment=_judgment_of(screen.assignment, submission, before[-1] if before else None),
                values=values,
                state=_state_after(at, submission, taken),
                grade=grade,
                place=at.place_id,
                is_late=at.state in State.LATE,
                is_change=bool(before),
                had_ended=at.rater_state == Rater.State.ENDED,
                ends_before=so_far.ends,
            )
        )
        so_far = so_far.then(grade.consequence)
        if at.place_id is not None and new[-1].state in State.HOLDING:
            taken.add(at.place_id)
    return new


def _decides(screen: RaterScreen) -> bool:
    """Return whether an answer decides how it goes on: those to screening, training and exam, which are not graded."""
    return screen.assignment.purpose in Purpose.PRELIMINARY


def _store_new(new: Sequence[_New]) -> list[Receipt]:
    """Store answers and their consequences, and return their receipts."""
    rater = new[0].screen.rater
    has_more = _store(new)
    _give_places_back(new)
    last = next((one for one in reversed(new) if not one.is_change), None)
    steps = [between_units.settle(one.screen, one.judgment) if _decides(one.screen) else None for one in new]
    had_ended = new[0].had_ended or rater.state == Rater.State.ENDED
    ends_now = last is not None and not (has_more or had_ended or last.ends_before)
    if ends_now:
        # The end page then only reads what the server has confirmed.
        assignments.end(rater, Rater.Outcome.COMPLETED)
    receipts = []
    for one, step in zip(new, steps, strict=True):
        ended = had_ended or (ends_now and one is last)
        judgment_submitted.send(sender=Judgment, judgment=one.judgment, rater=rater)
        if step is None and one.grade.notice_due and not ended:
            step = Step(between_units.NOTICE)  # noqa: PLW2901
        ends = one.grade.consequence.ends and not ended
        receipts.append(Receipt(one.judgment, is_new=True, step=step, ends=ends))
    return receipts


def _give_places_back(new: Sequence[_New]) -> None:
    """Settle the places of units that were skipped or answered late, and drop the repeats of skipped units."""
    skipped = [one.screen.assignment.pk for one in new if one.judgment.skip_reason]
    unsettled = [one.place for one in new if one.judgment.skip_reason or one.is_late]
    if unsettled:
        leases.settle_places(unsettled)
    if skipped:
        leases.drop_repeats(skipped)


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


def _state_after(locked: leases.Locked, submission: Submission, taken: Container[int | None]) -> str:
    """Decide the next state of the assignment; `taken` holds the places of late units that somebody has."""
    state = locked.state
    if submission.skip_reason:
        return State.SKIPPED
    if state in State.LATE:
        return State.SURPLUS if locked.place_id in taken else State.SUBMITTED
    return state if state in {State.SURPLUS, State.REPLACED} else State.SUBMITTED


def _taken(places: Sequence[int | None]) -> set[int | None]:
    """Return those of some places that somebody holds; asked in the same way for units without one."""
    if not places:
        return set()
    held = Assignment.objects.filter(place__in=[place or 0 for place in places], state__in=State.HOLDING)
    return set(held.values_list("place_id", flat=True))


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
        timing=submission.timing,
        version=assignment.version,
    )


# Judgments and everything that follows from them, in one statement of one shape: their ratings, how they compare with
# known answers, what becomes of the units, their drafts and the rater. Returns their ids and times, and whether the
# rater has anything left to answer.
_STORE = Prepared(
    "store_judgments",
    """
WITH sent AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset(%(sent)s::jsonb) AS s(
        number integer, assignment bigint, submission uuid, replaces bigint, answer jsonb, skip_reason text,
        comment text, seconds_active float8, seconds_elapsed float8, log jsonb, timing jsonb, version integer,
        task bigint, unit bigint, state text, given jsonb, results jsonb)),
judged AS (
    INSERT INTO tasks_app_judgment (assignment_id, submission, replaces_id, answer, skip_reason, comment,
        seconds_active, seconds_elapsed, log, timing, version, elsewhere)
    SELECT assignment, submission, replaces, answer, skip_reason, comment, seconds_active, seconds_elapsed, log,
        timing, version, (
            SELECT jsonb_build_object('events', a.elsewhere_events, 'answered',
                       round(extract(epoch FROM clock_timestamp() - a.elsewhere_opened_at), 1))
            FROM tasks_app_assignment a WHERE a.id = assignment AND a.elsewhere_opened_at IS NOT NULL)
    FROM sent ORDER BY number
    RETURNING id, assignment_id, submitted_at),
rated AS (
    INSERT INTO tasks_app_rating (judgment_id, task_id, rater_id, unit_id, part_id, part_b_id, criterion_id, number,
        value, label, text, shown_value, span_side, span_start, span_end, category, severity, mark_origin, mark_of,
        mark_reason)
    SELECT judged.id, s.task, %(rater)s::bigint, s.unit, v.*
    FROM sent s JOIN judged ON judged.assignment_id = s.assignment, jsonb_to_recordset(s.given) AS v(
        part_id bigint, part_b_id bigint, criterion_id bigint, number integer, value double precision, label text,
        text text, shown_value double precision, span_side text, span_start integer, span_end integer, category text,
        severity text, mark_origin text, mark_of integer, mark_reason text)),
compared AS (
    INSERT INTO tasks_app_controlresult (judgment_id, gold_id, passed, detail)
    SELECT judged.id, r.*
    FROM sent s JOIN judged ON judged.assignment_id = s.assignment, jsonb_to_recordset(s.results) AS r(
        gold_id bigint, passed boolean, detail jsonb)),
written AS (
    UPDATE tasks_app_assignment a SET state = (SELECT s.state FROM sent s WHERE s.assignment = a.id)
    WHERE a.id = ANY(%(assignments)s::bigint[])),
dropped AS (DELETE FROM tasks_app_draft WHERE assignment_id = ANY(%(assignments)s)),
marked AS (
    UPDATE tasks_app_rater SET prefs = prefs || %(prefs)s::jsonb,
        failed_checks_at = CASE WHEN %(marks)s::boolean THEN COALESCE(failed_checks_at, now()) ELSE failed_checks_at END
    WHERE id = %(rater)s AND (%(marks)s OR %(prefs)s::jsonb <> '{}'))
SELECT id, assignment_id, submitted_at, EXISTS (
    SELECT 1 FROM tasks_app_assignment a WHERE a.rater_id = %(rater)s AND a.id <> ALL(%(assignments)s)
    AND a.state IN ('reserved', 'live', 'expired'))
FROM judged
""",
)


def _store(new: Sequence[_New]) -> bool:
    """Store judgments and their consequences; return whether the rater has anything left to answer."""
    rater = new[0].screen.rater
    prefs: dict[str, object] = {}
    for one in new:
        prefs |= one.grade.consequence.prefs or {}
    params = {
        "sent": json.dumps([_row(number, one) for number, one in enumerate(new)]),
        "assignments": [one.screen.assignment.pk for one in new],
        "rater": rater.pk,
        "prefs": json.dumps(prefs),
        "marks": any(one.grade.consequence.marks for one in new),
    }
    rater.prefs = {**rater.prefs, **prefs}
    stored = {assignment: (pk, at, has_more) for pk, assignment, at, has_more in _STORE.rows(params)}
    has_more = False
    for one in new:
        judgment = one.judgment
        judgment.pk, judgment.submitted_at, has_more = stored[judgment.assignment_id]
        judgment._state.adding = False
    return bool(has_more)


def _row(number: int, new: _New) -> dict[str, object]:
    """Return a judgment with its ratings and results, as `_STORE` reads it."""
    judgment, unit = new.judgment, new.screen.assignment
    return {
        "number": number,
        "assignment": unit.pk,
        "submission": str(judgment.submission),
        "replaces": judgment.replaces_id,
        "answer": judgment.answer,
        "skip_reason": judgment.skip_reason,
        "comment": judgment.comment,
        "seconds_active": judgment.seconds_active,
        "seconds_elapsed": judgment.seconds_elapsed,
        "log": judgment.log,
        "timing": judgment.timing,
        "version": judgment.version,
        "task": unit.unit.task_id,
        "unit": unit.unit_id,
        "state": new.state,
        "given": list(_ratings(new.screen, new.values)),
        "results": new.grade.results,
    }


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
