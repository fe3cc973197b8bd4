"""Grade answers to units with known answers without telling raters which units these are.

Every answer to a unit that is judged runs the statements of this module, whether or not anything is known about the
unit. It is graded as it stands when the rater answers another unit: a slip that is corrected at once does not count,
and what is changed later is stored but not graded. What too many wrong answers lead to is decided one answer later, so
that the grade is final by the time a rater can notice anything (docs/decisions/0041).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeAlias

from django.db.models import QuerySet
from django.db.models.functions import Now

from tasks_app.models import Assignment, ControlResult, Gold, Rater, RaterSet, Task, is_current, is_withdrawn
from tasks_app.models.statements import Prepared, rows
from tasks_app.selectors import screens
from tasks_app.selectors.check_results import CheckScore, score_of
from tasks_app.selectors.screens import RaterScreen
from tasks_app.services.judging import limits
from tasks_app.services.judging.leases import Locked
from tasks_app.services.study import degrading
from tasks_app.settings.checks import OnFailing, checks_of, has_limit
from tasks_app.task_types.base import GoldAnswer, Value

Purpose = Assignment.Purpose

# Answers between a failed check and the break at which it is mentioned, so that nobody learns which unit it was.
UNITS_BEFORE_A_WARNING = 3

# Keys of a rater's prefs: the number of answers after which they are warned, and the mark that they are to be ended.
WARN_AFTER, TO_BE_ENDED = "warn_after", "failed"


def known_answers(unit_id: int) -> list[tuple[Gold, GoldAnswer]]:
    """Return the known answers of a unit, each as its row and as a task type reads it."""
    rows_of_unit = Gold.objects.filter(unit=unit_id).select_related("criterion").order_by("id")
    return [
        (
            gold,
            GoldAnswer(gold.kind, gold.answer, gold.criterion.key if gold.criterion else None, None, gold.explanation),
        )
        for gold in rows_of_unit
    ]


class Known(NamedTuple):
    """A known answer as it is graded with: its row, as a task type reads it, and whether its results count."""

    gold: int
    answer: GoldAnswer
    counts: bool


@dataclass(frozen=True, slots=True)
class Counterpart:
    """The rater's answer to the degraded copy of a unit, or to its original: values by criterion id.

    `gold` is the known answer that compares the two, about the unit `gold_unit`; `counts` says that its result counts.
    """

    gold: int
    gold_unit: int
    counts: bool
    values: Mapping[int, float]


# A result of a check: of the assignment, in the task, about the unit, in the judgment, passed or not.
_Result: TypeAlias = tuple[int, int, int, int, bool]


@dataclass(frozen=True, slots=True)
class Standing:
    """The data with which an answer is graded: as it is under the rater's lock, before the answer is stored.

    `is_final` says that the rater has answered another unit since they first answered this one. `scores` counts the
    checks by task, this unit left out, `answered` all units the rater has answered, and `paces` what limits of pace are
    compared with, by task.
    """

    answered: int
    is_final: bool
    known: Sequence[Known]
    scores: Mapping[int, CheckScore]
    counterpart: Counterpart | None
    paces: Mapping[int, limits.Pace] = field(default_factory=dict)


_COUNTS = f"g.purpose IN ('control', 'attention') AND NOT {is_withdrawn('g.unit_id')}"
_VALUES = f"""(
    SELECT jsonb_agg(jsonb_build_array(r.criterion_id, r.value) ORDER BY r.id)
    FROM tasks_app_judgment j JOIN tasks_app_rating r ON r.judgment_id = j.id
    WHERE j.assignment_id = o.assignment AND {is_current("j")}
      AND r.span_side IS NULL AND r.value IS NOT NULL AND r.criterion_id IS NOT NULL)"""  # noqa: S608  constants

# All that the units of a page are graded with, in one row. The fifth column is about the degraded copies of the units,
# or their originals, with the answers as they stand now.
_STANDING = Prepared(
    "standing",
    f"""
WITH first AS MATERIALIZED (
    SELECT j.id, j.assignment_id AS assignment FROM tasks_app_judgment j
    JOIN tasks_app_assignment a ON a.id = j.assignment_id
    WHERE a.rater_id = %(rater)s AND j.replaces_id IS NULL),
page AS MATERIALIZED (
    SELECT * FROM unnest(%(assignments)s::bigint[], %(units)s::bigint[], %(originals)s::bigint[], %(copied)s::bigint[])
        AS p(assignment, unit, original, copied)),
other AS (
    SELECT p.assignment AS about, a.id AS assignment, u.id AS gold_unit
    FROM tasks_app_assignment a JOIN tasks_app_unit u ON u.id = a.unit_id
    JOIN page p ON p.original = (u.features->>'degraded_of')::bigint
    WHERE a.rater_id = %(rater)s AND a.purpose = 'control'
    UNION ALL
    SELECT p.assignment, a.id, p.unit FROM tasks_app_assignment a JOIN page p ON p.copied = a.unit_id
    WHERE a.rater_id = %(rater)s AND a.purpose = 'main')
SELECT
  (SELECT count(*) FROM first),
  (SELECT COALESCE(jsonb_agg(f.assignment), '[]') FROM first f
   WHERE f.assignment = ANY(%(assignments)s) AND f.id < (
       SELECT max(l.id) FROM first l WHERE l.assignment <> f.assignment)),
  (SELECT COALESCE(
       jsonb_agg(jsonb_build_array(g.unit_id, g.id, g.kind, g.answer, c.key, {_COUNTS}) ORDER BY g.id), '[]')
   FROM tasks_app_gold g LEFT JOIN tasks_app_criterion c ON c.id = g.criterion_id
   WHERE g.unit_id = ANY(%(units)s) AND g.kind <> 'worse'),
  (SELECT COALESCE(jsonb_agg(jsonb_build_array(a.id, u.task_id, g.unit_id, j.id, r.passed)), '[]')
   FROM tasks_app_assignment a
   JOIN tasks_app_judgment j ON j.assignment_id = a.id
   JOIN tasks_app_controlresult r ON r.judgment_id = j.id
   JOIN tasks_app_gold g ON g.id = r.gold_id
   JOIN tasks_app_unit u ON u.id = g.unit_id
   WHERE a.rater_id = %(rater)s AND {_COUNTS}),
  (SELECT COALESCE(
       jsonb_agg(jsonb_build_array(o.about, g.id, g.unit_id, {_COUNTS}, {_VALUES}) ORDER BY o.assignment), '[]')
   FROM other o JOIN tasks_app_gold g ON g.kind = 'worse' AND g.unit_id = o.gold_unit
   WHERE EXISTS (SELECT 1 FROM tasks_app_judgment j
                 WHERE j.assignment_id = o.assignment AND j.skip_reason = '' AND {is_current("j")})),
  ({limits.PACES}),
  ({limits.TIMED})
""",  # noqa: S608  its parts are constants of the code
)


@dataclass(frozen=True, slots=True)
class Consequence:
    """The consequence of a rater's score in the checks of a task: a mark, and changes of their prefs."""

    marks: bool = False
    prefs: Mapping[str, object] | None = None

    @property
    def ends(self) -> bool:
        """Whether the rater is to be ended."""
        return outcome_decided(self.prefs or {}) is not None

    def then(self, later: Consequence) -> Consequence:
        """Return this consequence and that of a later answer as one."""
        return Consequence(self.marks or later.marks, {**(self.prefs or {}), **(later.prefs or {})})


def outcome_decided(prefs: Mapping[str, object]) -> str | None:
    """Return the outcome that a rater is to end with, as their prefs say; None for a rater without a decision."""
    if prefs.get(TO_BE_ENDED):
        return Rater.Outcome.FAILED
    return Rater.Outcome.STOPPED if prefs.get(limits.STOPPED) else None


NOTHING = Consequence()


@dataclass(frozen=True, slots=True)
class Grade:
    """The results of grading that are stored with an answer, and whether the rater is to be told of failed checks."""

    results: Sequence[Mapping[str, object]] = ()
    consequence: Consequence = NOTHING
    notice_due: bool = False


class PageStanding:
    """The data with which the answers to a page are graded, read once, and brought up to date by each answer."""

    def __init__(self, screens_of_page: Sequence[RaterScreen]) -> None:
        """Read, in one statement, the values that the answers of a rater are graded with."""
        rater, units = screens_of_page[0].rater, [screen.assignment for screen in screens_of_page]
        is_copy = Purpose.CONTROL
        params = {
            "rater": rater.pk,
            "assignments": [unit.pk for unit in units],
            "units": [unit.unit_id for unit in units],
            # A repeat or a warm-up of a text is not compared with its copy.
            "originals": [unit.unit_id if unit.purpose == Purpose.MAIN else None for unit in units],
            "copied": [unit.unit.features.get("degraded_of") if unit.purpose == is_copy else None for unit in units],
        }
        answered, final, known, results, counterparts, paces, timed = _STANDING.rows(params)[0]
        self._answered = answered
        self._final = set(_read(final))
        self._known: dict[int, list[Known]] = {}
        for unit, pk, kind, answer, criterion, counts in _read(known):
            self._known.setdefault(unit, []).append(Known(pk, GoldAnswer(kind, answer, criterion), counts))
        self._results: list[_Result] = [tuple(result) for result in _read(results)]
        self._counterparts: dict[int, Counterpart] = {}
        for about, gold, unit, counts, values in _read(counterparts):
            self._counterparts.setdefault(about, Counterpart(gold, unit, counts, _by_criterion(values or ())))
        self._paces = limits.paces(paces)
        self._timed = {unit: limits.Timed(task, seconds, reason) for unit, task, seconds, reason in _read(timed)}
        self._new: list[int] = []

    def of(self, screen: RaterScreen, *, is_new: bool) -> Standing:
        """Return the data with which the answer to one unit is graded now; `is_new` where it had none before."""
        own = screen.assignment
        paces = dict(self._paces)
        for unit, timed in self._timed.items():
            if unit != own.pk:
                checks = checks_of(screens.frame_of(timed.task, screen.rater.study).task.checks)
                paces[timed.task] = paces.get(timed.task, limits.Pace()) + timed.pace(checks)
        return Standing(
            answered=self._answered + len(self._new),
            is_final=own.pk in self._final or (not is_new and bool(self._new)),
            known=self._known.get(own.unit_id, ()),
            scores=_scores(result[1:] for result in self._results if result[0] != own.pk),
            counterpart=self._counterparts.get(own.pk),
            paces=paces,
        )

    def add(self, screen: RaterScreen, grade: Grade, seconds: float | None, reason: str, *, is_new: bool) -> None:
        """Take note of an answer to one unit of the page, which those after it are graded with."""
        unit, task = screen.assignment.pk, screen.frame.task
        if is_new:
            self._new.append(unit)
        # Above all that are stored, in the order of the page.
        judgment = _AFTER_ALL + len(self._results)
        for result in grade.results:
            about = self._unit_of(screen, int(str(result["gold_id"])))
            if about is not None:
                self._results.append((unit, task.pk, about, judgment, bool(result["passed"])))
        if task.stage == Task.Stage.MAIN and limits.limits_pace(checks_of(task.checks)):
            before = self._timed.get(unit)
            spent_before = None if before is None else before.seconds
            known = [spent for spent in (spent_before, seconds) if spent is not None]
            self._timed[unit] = limits.Timed(task.pk, sum(known) if known else None, reason)

    def _unit_of(self, screen: RaterScreen, gold: int) -> int | None:
        """Return the unit that a result of a known answer counts for; None where it does not count."""
        for known in self._known.get(screen.assignment.unit_id, ()):
            if known.gold == gold:
                return screen.assignment.unit_id if known.counts else None
        counterpart = self._counterparts[screen.assignment.pk]
        return counterpart.gold_unit if counterpart.counts else None


# Numbers that no judgment has as its id yet.
_AFTER_ALL = 2**62


def grade(
    screen: RaterScreen,
    standing: Standing,
    locked: Locked,
    answer: Mapping[str, Any] | None,
    values: Sequence[Value],
    *,
    is_new: bool,
) -> Grade:
    """Grade an answer to a judged unit, and decide the consequence of the checks before it.

    `answer` is None where the unit is skipped; `is_new` is False where a stored answer is changed.
    """
    results = [] if answer is None else _grade(screen, standing, answer, values)
    consequence = NOTHING
    # What is decided once stays: answers that follow on the same page change nothing about it.
    if is_new and outcome_decided(locked.prefs) is None:
        frames = [
            (screens.frame_of(task, screen.rater.study), standing.scores[task]) for task in sorted(standing.scores)
        ]
        scores = [(frame.task, score) for frame, score in frames]
        consequence = consequence_of(scores, standing.answered, marked=locked.failed_checks)
        if not locked.prefs.get(limits.ALLOWED):
            consequence = _with_limits(consequence, screen, standing.paces)
    warn_after = locked.prefs.get(WARN_AFTER)
    notice_due = isinstance(warn_after, int) and standing.answered + is_new >= warn_after
    return Grade(results, consequence, notice_due)


def _with_limits(consequence: Consequence, screen: RaterScreen, paces: Mapping[int, limits.Pace]) -> Consequence:
    """Add the limit that stops a rater at once, if one is passed."""
    study = screen.rater.study
    passed = limits.passed_now((screens.frame_of(task, study).task.checks, paces[task]) for task in sorted(paces))
    if passed is None or consequence.ends:
        return consequence
    return replace(consequence, prefs={**(consequence.prefs or {}), limits.STOPPED: passed.as_stored()})


def _read(value: Any) -> Any:
    """Parse a JSON value that the database driver returned as text."""
    return json.loads(value) if isinstance(value, str) else value


def _scores(results: Iterable[tuple[int, int, int, bool]]) -> dict[int, CheckScore]:
    """Count results (task, unit, judgment, passed) of a rater by task."""
    by_task: dict[int, list[tuple[int, int, bool]]] = {}
    for task, unit, judgment, passed in results:
        by_task.setdefault(task, []).append((unit, judgment, passed))
    return {task: score_of(results_of_task) for task, results_of_task in by_task.items()}


def _by_criterion(values: Sequence[tuple[int, float]]) -> dict[int, float]:
    return {criterion: float(value) for criterion, value in values}


def _grade(
    screen: RaterScreen, standing: Standing, answer: Mapping[str, Any], values: Sequence[Value]
) -> list[dict[str, object]]:
    """Compare an answer with the known answers of its unit; an answer that is final already gets no further result.

    Everything is computed for units without known answers too.
    """
    frame, criterion_ids = screen.frame, screen.frame.criterion_ids
    graded = frame.kind.grade(screen.shown, answer, [known.answer for known in standing.known])
    results = [
        _result(known.gold, result.passed, result.given) for known, result in zip(standing.known, graded, strict=True)
    ]
    scaled = degrading.scaled(frame.kind, frame.criteria)
    comparable = {criterion_ids[key] for key in scaled if key in criterion_ids}
    own = {
        criterion_ids[value.criterion]: float(value.value)
        for value in values
        if value.criterion is not None and value.value is not None and value.span_side is None
    }
    if standing.counterpart is not None:
        is_copy = screen.assignment.purpose == Purpose.CONTROL
        results += _compare_with_copy(standing.counterpart, own, comparable, is_copy=is_copy)
    return [] if standing.is_final else results


def _compare_with_copy(
    other: Counterpart, own: Mapping[int, float], comparable: set[int], *, is_copy: bool
) -> list[dict[str, object]]:
    """Compare the answers to a text and its degraded copy: the copy passes with a lower mean over shared criteria."""
    shared = sorted(own.keys() & other.values.keys() & comparable)
    if not shared:
        return []
    own_mean, other_mean = (sum(values[pk] for pk in shared) / len(shared) for values in (own, other.values))
    copy, text = (own_mean, other_mean) if is_copy else (other_mean, own_mean)
    return [_result(other.gold, copy < text, (copy, text))]


def _result(gold_id: int, passed: bool, given: Sequence[float | str]) -> dict[str, object]:
    """Return a row of control results: how an answer compares with one known answer."""
    return {"gold_id": gold_id, "passed": passed, "detail": {"given": list(given)}}


def consequence_of(scores: Iterable[tuple[Task, CheckScore]], answered: int, *, marked: bool) -> Consequence:
    """Return the consequence of the checks that are final, with the answer after them; `marked`: marked before.

    `answered` counts the units before this one.
    """
    failed = {checks_of(task.checks).on_failing for task, score in scores if fails(task, score)}
    if OnFailing.END in failed:
        return Consequence(True, {TO_BE_ENDED: True})
    if OnFailing.WARN in failed and not marked:
        return Consequence(True, {WARN_AFTER: answered + UNITS_BEFORE_A_WARNING})
    return Consequence(bool(failed))


def fails(task: Task, score: CheckScore) -> bool:
    """Return whether enough checks were answered and too few of them right."""
    checks = checks_of(task.checks)
    return score.answered >= checks.limit_after and (score.share or 0.0) < checks.fail_below


def check_score(rater: Rater, task: Task) -> CheckScore:
    """Count a rater's answers to controls and attention checks of a task, each as last graded.

    Skips and checks that are withdrawn do not count.
    """
    results = _results_of(rater).filter(gold__unit__task=task)
    return score_of(results.values_list("gold__unit", "judgment", "passed"))


def _results_of(rater: Rater) -> QuerySet[ControlResult]:
    """Return the results of a rater's controls and attention checks, without those that are withdrawn."""
    results = ControlResult.objects.filter(judgment__assignment__rater=rater, gold__purpose__in=Gold.Purpose.WATCHED)
    return results.filter(gold__unit__withdrawn=None)


def mark_at_end(rater: Rater) -> None:
    """Mark a rater who ends with too few right answers: their last answer is final now, with none after it."""
    results = _results_of(rater)
    scores = _scores(results.values_list("gold__unit__task", "gold__unit", "judgment", "passed"))
    if any(fails(task, scores[task.pk]) for task in Task.objects.filter(pk__in=scores)):
        Rater.objects.filter(pk=rater.pk, failed_checks_at=None).update(failed_checks_at=Now())


def passed_at_end(rater: Rater) -> limits.Passed | None:
    """Return the limit passed by a rater who has answered everything; None if an owner has allowed the rater."""
    if rater.prefs.get(limits.ALLOWED):
        return None
    sets = RaterSet.objects.filter(rater=rater, task__stage=Task.Stage.MAIN)
    tasks = Task.objects.filter(pk__in=sets.values("task")).order_by("order", "id")
    limited = [(task, checks) for task in tasks if has_limit(checks := checks_of(task.checks))]
    if not limited:
        return None
    paces = limits.paces(rows(limits.PACES, {"rater": rater.pk, "assignments": [0]})[0][0])
    for task, checks in limited:
        if task.pk in paces and (passed := limits.passed_in(checks, paces[task.pk])) is not None:
            return passed
        if checks.on_failing == OnFailing.STOP:
            score = check_score(rater, task)
            if fails(task, score):
                return limits.Passed(limits.Limit.CHECKS, score.answered - score.right, score.answered)
    return None
