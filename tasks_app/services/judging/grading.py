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
from typing import Any

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


@dataclass(frozen=True, slots=True)
class Counterpart:
    """The rater's answer to the degraded copy of a unit, or to its original: values by criterion id."""

    gold: int
    values: Mapping[int, float]


@dataclass(frozen=True, slots=True)
class Standing:
    """The data with which an answer is graded: read under the rater's lock, before the answer is stored.

    `is_final` says that the rater has answered another unit since they first answered this one. `scores` counts the
    checks by task, this unit left out, `answered` all units the rater has answered, and `paces` what limits of pace are
    compared with, by task.
    """

    answered: int
    is_final: bool
    known: Sequence[tuple[int, GoldAnswer]]
    scores: Mapping[int, CheckScore]
    counterpart: Counterpart | None
    paces: Mapping[int, limits.Pace] = field(default_factory=dict)


# The last column but one is about the degraded copy of the unit, or its original, with the answer as it stands now.
_STANDING = Prepared(
    "standing",
    f"""
SELECT
  (SELECT count(*) FROM tasks_app_judgment j JOIN tasks_app_assignment a ON a.id = j.assignment_id
   WHERE a.rater_id = %(rater)s AND j.replaces_id IS NULL),
  EXISTS (SELECT 1 FROM tasks_app_judgment j JOIN tasks_app_assignment a ON a.id = j.assignment_id
          WHERE a.rater_id = %(rater)s AND a.id <> %(assignment)s AND j.replaces_id IS NULL
            AND j.id > (SELECT min(o.id) FROM tasks_app_judgment o WHERE o.assignment_id = %(assignment)s)),
  (SELECT COALESCE(jsonb_agg(jsonb_build_array(g.id, g.kind, g.answer, c.key) ORDER BY g.id), '[]')
   FROM tasks_app_gold g LEFT JOIN tasks_app_criterion c ON c.id = g.criterion_id
   WHERE g.unit_id = %(unit)s AND g.kind <> 'worse'),
  (SELECT COALESCE(jsonb_agg(jsonb_build_array(u.task_id, g.unit_id, j.id, r.passed)), '[]')
   FROM tasks_app_assignment a
   JOIN tasks_app_judgment j ON j.assignment_id = a.id
   JOIN tasks_app_controlresult r ON r.judgment_id = j.id
   JOIN tasks_app_gold g ON g.id = r.gold_id AND g.purpose IN ('control', 'attention')
   JOIN tasks_app_unit u ON u.id = g.unit_id
   WHERE a.rater_id = %(rater)s AND a.id <> %(assignment)s AND NOT {is_withdrawn("g.unit_id")}),
  (SELECT jsonb_build_object('gold', g.id, 'values', (
       SELECT jsonb_agg(jsonb_build_array(r.criterion_id, r.value) ORDER BY r.id) FROM tasks_app_rating r
       WHERE r.judgment_id = j.id AND r.span_side IS NULL AND r.value IS NOT NULL AND r.criterion_id IS NOT NULL))
   FROM tasks_app_assignment a
   JOIN tasks_app_unit u ON u.id = a.unit_id
   JOIN tasks_app_judgment j ON j.assignment_id = a.id
   JOIN tasks_app_gold g ON g.kind = 'worse'
    AND g.unit_id = CASE WHEN a.purpose = 'control' THEN u.id ELSE %(unit)s END
   WHERE a.rater_id = %(rater)s
     AND (a.purpose = 'control' AND (u.features->>'degraded_of')::bigint = %(original)s
          OR a.purpose = 'main' AND u.id = %(copied)s)
     AND j.skip_reason = '' AND {is_current("j")}
   ORDER BY a.id LIMIT 1),
  ({limits.PACES})
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


def grade(
    screen: RaterScreen, locked: Locked, answer: Mapping[str, Any] | None, values: Sequence[Value], *, is_new: bool
) -> Grade:
    """Grade an answer to a judged unit, and decide the consequence of the checks before it.

    `answer` is None where the unit is skipped; `is_new` is False where a stored answer is changed.
    """
    standing = _standing_of(screen.assignment, screen.rater)
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


def _standing_of(assignment: Assignment, rater: Rater) -> Standing:
    """Read, in one statement, the values that an answer of a rater is graded with."""
    unit = assignment.unit
    params = {
        "rater": rater.pk,
        "assignment": assignment.pk,
        "unit": unit.pk,
        # A repeat or a warm-up of a text is not compared with its copy.
        "original": unit.pk if assignment.purpose == Purpose.MAIN else None,
        "copied": unit.features.get("degraded_of") if assignment.purpose == Purpose.CONTROL else None,
    }
    answered, is_final, known, results, counterpart, paces = _STANDING.rows(params)[0]
    other = _read(counterpart)
    return Standing(
        answered=answered,
        is_final=is_final,
        known=[(pk, GoldAnswer(kind, answer, criterion)) for pk, kind, answer, criterion in _read(known)],
        scores=_scores(_read(results)),
        counterpart=None if other is None else Counterpart(other["gold"], _by_criterion(other["values"] or ())),
        paces=limits.paces(paces),
    )


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
    graded = frame.kind.grade(screen.shown, answer, [known for _gold, known in standing.known])
    results = [
        _result(gold, result.passed, result.given)
        for (gold, _known), result in zip(standing.known, graded, strict=True)
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
    paces = limits.paces(rows(limits.PACES, {"rater": rater.pk, "assignment": 0})[0][0])
    for task, checks in limited:
        if task.pk in paces and (passed := limits.passed_in(checks, paces[task.pk])) is not None:
            return passed
        if checks.on_failing == OnFailing.STOP:
            score = check_score(rater, task)
            if fails(task, score):
                return limits.Passed(limits.Limit.CHECKS, score.answered - score.right, score.answered)
    return None
