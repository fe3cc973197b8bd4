"""Results of raters on checks: known answers, exams and repeats. Systems are not named."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

from django.db import connection
from django.db.models import Exists, OuterRef, QuerySet
from django.utils.translation import gettext as _

from tasks_app.models import (
    Assignment,
    ControlResult,
    Gold,
    Judgment,
    Rater,
    RaterSet,
    Study,
    Task,
    WithdrawnUnit,
    is_current,
)
from tasks_app.selectors import pair_order
from tasks_app.settings.checks import CheckSettings, checks_of

Purpose = Assignment.Purpose

# A known answer is probably wrong itself if at least this many raters judged it, and most of them contradict it.
ENOUGH_TO_DOUBT = 5
FEWER_THAN = 0.5

# Comparing this many repeats with their first answers takes 30 CPU ms where a unit has ten values.
MANY_REPEATS = 500

# Functions of other apps that return the consequence of failed checks for the results of a study as a sentence.
_consequences: list[Callable[[Study], str]] = []


def register_consequence(function: Callable[[Study], str]) -> None:
    """Add a function that returns a sentence about a study, "" where there is none; the same one twice is one."""
    if function not in _consequences:
        _consequences.append(function)


def consequences_of(study: Study) -> list[str]:
    """Return the consequences of failed checks for the results of a study, as sentences."""
    return [sentence for function in _consequences if (sentence := function(study))]


@dataclass(frozen=True, slots=True)
class CheckScore:
    """The number of units with known answers that were answered, and the number of right answers."""

    right: int
    answered: int

    @property
    def share(self) -> float | None:
        """Share of right answers; None before the first."""
        return self.right / self.answered if self.answered else None


def score_of(results: Iterable[tuple[int, int, bool]]) -> CheckScore:
    """Count one rater's units from results (unit, judgment, passed).

    A unit is right where everything that is known about it was, in the last judgment that was compared with it.
    """
    units: dict[int, tuple[int, bool]] = {}
    for unit, judgment, passed in results:
        last, right = units.get(unit, (judgment, True))
        if judgment >= last:
            units[unit] = (judgment, passed and (right or judgment > last))
    return CheckScore(sum(right for _judgment, right in units.values()), len(units))


@dataclass(frozen=True, slots=True)
class KnownUnit:
    """A unit with a known answer, called by its item and its place among the item's units with known answers.

    `answers` are its known answers that are numbers, in words. Others are left out, since they may name a system.
    """

    name: str
    purpose: str
    kinds: tuple[str, ...]
    criteria: tuple[str, ...]
    score: CheckScore
    is_withdrawn: bool = False
    answers: tuple[str, ...] = ()

    @property
    def is_doubtful(self) -> bool:
        """Whether so many miss it that the known answer may be wrong."""
        share = self.score.share
        return (
            not self.is_withdrawn
            and share is not None
            and self.score.answered >= ENOUGH_TO_DOUBT
            and share < FEWER_THAN
        )


@dataclass(frozen=True, slots=True)
class Attempts:
    """The results of all attempts of one number at an exam."""

    number: int
    finished: int
    passed: int

    @property
    def share(self) -> float | None:
        """Share of finished attempts that were passed."""
        return self.passed / self.finished if self.finished else None


@dataclass(frozen=True, slots=True)
class RaterChecks:
    """The answers of one rater to the checks of a task."""

    pseudonym: str
    outcome: str
    is_marked: bool
    controls: CheckScore
    attention: CheckScore


@dataclass(frozen=True)
class TaskChecks:
    """Everything about the checks of one task. The values of repeats are read when they are first asked for."""

    task: Task
    settings: CheckSettings
    known: Sequence[KnownUnit]
    copies: int
    worse: CheckScore
    exam: Sequence[Attempts]
    raters: Sequence[RaterChecks]
    sets: int = 1

    @cached_property
    def repeats(self) -> CheckScore:
        """The number of values given to repeats, and how many of them equal the first ones; one query."""
        return repeats_of(self.task)

    @cached_property
    def has_many_repeats(self) -> bool:
        """Whether so many units may have been shown twice that a page is shown before they are compared; one query."""
        each = self.settings.repeats
        return bool(each) and RaterSet.objects.filter(task=self.task).count() * each > MANY_REPEATS

    @property
    def n_met(self) -> int:
        """The number of checks with a right answer that a rater meets in all sets."""
        settings, counts = self.settings, self.counts
        known = settings.controls_among(self.task.set_size, counts.get(Gold.Purpose.CONTROL, 0))
        return self.sets * (known + settings.attention_among(counts.get(Gold.Purpose.ATTENTION, 0)) + settings.degraded)

    @property
    def is_limited(self) -> bool:
        """Whether a rater can meet enough checks for the limit on failed checks to apply."""
        return self.n_met >= self.settings.limit_after

    @property
    def is_empty(self) -> bool:
        """Whether the task has no check of any kind."""
        settings = self.settings
        return not (self.known or self.copies or settings.repeats or settings.warm_up)

    @property
    def counts(self) -> dict[str, int]:
        """The number of units for each purpose, without withdrawn ones."""
        return Counter(known.purpose for known in self.known if not known.is_withdrawn)

    @property
    def doubtful(self) -> list[KnownUnit]:
        """Units with a known answer that may be wrong."""
        return [known for known in self.known if known.is_doubtful]


class _GoldRow(NamedTuple):
    """A known answer of a unit, with the keys of the unit and of its item."""

    unit: int
    key: str
    item: str | None
    purpose: str
    kind: str
    criterion: str | None
    answer: Any


# The graded answers by unit and rater, each with its unit, its judgment, and whether it was right.
_Results: TypeAlias = dict[int, dict[int, list[tuple[int, int, bool]]]]


def checks_of_study(study: Study) -> list[TaskChecks]:
    """Read the checks of every task that can have some: four queries, and more for an exam."""
    tasks = list(Task.objects.filter(study=study, until=None).exclude(stage=Task.Stage.EXIT).order_by("order", "id"))
    gold: dict[int, list[_GoldRow]] = {task.pk: [] for task in tasks}
    withdrawn = set()
    known = Gold.objects.filter(unit__task__in=gold, unit__until=None).order_by("unit_id", "id")
    is_withdrawn = Exists(WithdrawnUnit.objects.filter(unit=OuterRef("unit")))
    columns = ("unit_id", "unit__key", "unit__item__key", "purpose", "kind", "criterion__name", "answer")
    for task_id, of_withdrawn, *row in known.values_list("unit__task", is_withdrawn, *columns):
        gold[task_id].append(_GoldRow(*row))
        if of_withdrawn:
            withdrawn.add(row[0])
    results: _Results = {}
    for unit, rater, judgment, passed in _results(tasks).values_list(
        "gold__unit", "judgment__assignment__rater", "judgment", "passed"
    ):
        results.setdefault(unit, {}).setdefault(rater, []).append((unit, judgment, passed))
    raters = Rater.objects.in_bulk({rater for by_rater in results.values() for rater in by_rater})
    sets = study.options.sets_per_rater or 1
    return [_of_task(task, sets, gold[task.pk], results, withdrawn, raters) for task in tasks]


def _of_task(
    task: Task,
    sets: int,
    gold: Sequence[_GoldRow],
    results: _Results,
    withdrawn: Collection[int],
    raters: Mapping[int, Rater],
) -> TaskChecks:
    copies = {row.unit for row in gold if row.kind == Gold.Kind.WORSE}
    return TaskChecks(
        task=task,
        settings=checks_of(task.checks),
        known=_known([row for row in gold if row.unit not in copies], results, withdrawn),
        copies=len(copies),
        worse=_summed(
            score_of(results_of_copy) for unit in copies for results_of_copy in results.get(unit, {}).values()
        ),
        exam=_exam(task) if any(row.purpose == Gold.Purpose.EXAM for row in gold) else [],
        raters=_raters({row.unit: row.purpose for row in gold if row.unit not in withdrawn}, results, raters),
        sets=sets,
    )


def _results(tasks: Sequence[Task]) -> QuerySet[ControlResult]:
    """Return the results of all graded answers in some tasks, without those of people who only tried the study out."""
    rows = ControlResult.objects.filter(gold__unit__task__in=tasks)
    return rows.exclude(judgment__assignment__rater_kind=Rater.Kind.SANDBOX).order_by("judgment_id")


def _summed(scores: Iterable[CheckScore]) -> CheckScore:
    all_scores = list(scores)
    return CheckScore(sum(score.right for score in all_scores), sum(score.answered for score in all_scores))


def _known(gold: Sequence[_GoldRow], results: _Results, withdrawn: Collection[int]) -> list[KnownUnit]:
    by_unit: dict[int, list[_GoldRow]] = {}
    for row in gold:
        by_unit.setdefault(row.unit, []).append(row)
    of_item = Counter(rows[0].item for rows in by_unit.values())
    numbers: Counter[str | None] = Counter()
    known = []
    for unit, rows in by_unit.items():
        key, item = rows[0].key, rows[0].item
        numbers[item] += 1
        # The key of a unit may name a system; that of an item does not.
        name = key if item is None else f"{item} ({numbers[item]})" if of_item[item] > 1 else item
        score = _summed(score_of(results_of_rater) for results_of_rater in results.get(unit, {}).values())
        kinds = tuple(dict.fromkeys(row.kind for row in rows))
        criteria = tuple(dict.fromkeys(row.criterion or "" for row in rows))
        answers = tuple(dict.fromkeys(filter(None, (in_words(row.kind, row.answer) for row in rows))))
        known.append(KnownUnit(name, rows[0].purpose, kinds, criteria, score, unit in withdrawn, answers))
    return known


def in_words(kind: str, answer: Any) -> str:
    """Return a known answer that is a number, or a range or choice of numbers; "" for any other."""
    listed = answer if isinstance(answer, list) else [answer]
    if not listed or not all(isinstance(value, int | float) and not isinstance(value, bool) for value in listed):
        return ""
    numbers = [f"{value:g}" for value in listed]
    if kind == Gold.Kind.RANGE and len(numbers) == 2:
        return _("%(low)s to %(high)s") % {"low": numbers[0], "high": numbers[1]}
    return _(" or ").join(numbers)


def _raters(purposes: Mapping[int, str], results: _Results, raters: Mapping[int, Rater]) -> list[RaterChecks]:
    """Return the scores of every rater with an answer to a check of a task, in the order of pseudonyms."""
    by_unit: dict[int, dict[str, list[tuple[int, int, bool]]]] = {}
    for unit, by_rater in results.items():
        if purposes.get(unit) in Gold.Purpose.WATCHED:
            for rater, results_of_rater in by_rater.items():
                by_unit.setdefault(rater, {}).setdefault(purposes[unit], []).extend(results_of_rater)
    return [
        RaterChecks(
            pseudonym=rater.pseudonym,
            outcome=str(rater.get_outcome_display() if rater.outcome else rater.get_state_display()),
            is_marked=rater.failed_checks_at is not None,
            controls=score_of(by_unit[rater.pk].get(Gold.Purpose.CONTROL, ())),
            attention=score_of(by_unit[rater.pk].get(Gold.Purpose.ATTENTION, ())),
        )
        for rater in sorted((raters[pk] for pk in by_unit), key=lambda rater: rater.pseudonym)
    ]


def _exam(task: Task) -> list[Attempts]:
    """Count finished and passed attempts at the exam, by their number."""
    rows = Assignment.objects.filter(unit__task=task, purpose=Purpose.EXAM).exclude(rater_kind=Rater.Kind.SANDBOX)
    unfinished = set(rows.filter(state__in=Assignment.State.UNANSWERED).values_list("rater", "attempt"))
    results: dict[int, list[bool]] = {}
    exams = _results([task]).filter(judgment__assignment__purpose=Purpose.EXAM)
    for judgment, passed in exams.values_list("judgment", "passed"):
        results.setdefault(judgment, []).append(passed)
    right: Counter[tuple[int, int]] = Counter()
    graded: Counter[tuple[int, int]] = Counter()
    judgments = Judgment.objects.filter(assignment__in=rows).exclude(skip_reason__in=Judgment.Skip.BLAMELESS).current()
    for judgment, rater, attempt in judgments.values_list("pk", "assignment__rater", "assignment__attempt"):
        graded[rater, attempt] += 1
        right[rater, attempt] += all(results.get(judgment, [False]))
    needed = checks_of(task.checks).exam_pass
    finished = [attempt for attempt in graded if attempt not in unfinished]
    passed_attempts = [attempt for attempt in finished if right[attempt] >= needed * graded[attempt] - 1e-9]
    by_attempt = Counter(attempt for _rater, attempt in passed_attempts)
    return [
        Attempts(attempt, n, by_attempt[attempt])
        for attempt, n in sorted(Counter(attempt for _rater, attempt in finished).items())
    ]


# Every value of a repeat beside the same value of the unit that it repeats, both as they stand now. Each side is read
# once and then matched: looked up one by one, each of ten criteria would be compared with all ten.
_PAIRS = """
WITH pairs AS MATERIALIZED (
    SELECT j.id AS again, o.id AS first
    FROM tasks_app_assignment a
    JOIN tasks_app_unit u ON u.id = a.unit_id
    JOIN tasks_app_judgment j ON j.assignment_id = a.id
    JOIN tasks_app_judgment o ON o.assignment_id = a.repeat_of_id
    WHERE u.task_id = %s AND a.repeat_of_id IS NOT NULL AND a.rater_kind <> 'sandbox'
      AND {again_is_current}
      AND {first_is_current}),
again AS MATERIALIZED (
    SELECT p.again AS pair, COALESCE({part}, 0) AS part, COALESCE({part_b}, 0) AS part_b,
           COALESCE(r.criterion_id, 0) AS criterion, r.number, r.value, {label} AS label
    FROM pairs p JOIN tasks_app_rating r ON r.judgment_id = p.again WHERE r.span_side IS NULL AND r.text IS NULL),
first AS MATERIALIZED (
    SELECT p.again AS pair, COALESCE({part}, 0) AS part, COALESCE({part_b}, 0) AS part_b,
           COALESCE(r.criterion_id, 0) AS criterion, r.number, r.value, {label} AS label
    FROM pairs p JOIN tasks_app_rating r ON r.judgment_id = p.first WHERE r.span_side IS NULL)
SELECT count(*), count(*) FILTER (WHERE again.value IS NOT DISTINCT FROM first.value
                                    AND again.label IS NOT DISTINCT FROM first.label)
FROM again JOIN first USING (pair, part, part_b, criterion, number)
"""


def repeats_of(task: Task) -> CheckScore:
    """Count values given to repeats, and how many of them are exactly the first ones; marks and texts do not count."""
    with connection.cursor() as cursor:
        statement = _PAIRS.format(
            again_is_current=is_current("j"),
            first_is_current=is_current("o"),
            part=pair_order.part("r"),
            part_b=pair_order.part_b("r"),
            label=pair_order.label("r"),
        )
        cursor.execute(statement, [task.pk])
        answered, n_same = cursor.fetchone()
    return CheckScore(n_same, answered)
