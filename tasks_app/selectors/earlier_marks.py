"""Marks that raters of a study left in its texts, as another study can give them to its raters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

from django.db.models import Count, QuerySet
from django.utils.translation import gettext as _

from tasks_app.models import Assignment, Judgment, MarkAuthor, PartOutput, Rater, Rating, Study, Task, Unit
from tasks_app.models.raters import METRIC
from tasks_app.task_types import TaskType
from tasks_app.task_types.error_spans import ErrorSpans
from tasks_app.task_types.error_spans.scoring import as_key

# A mark as prefill.csv holds it.
Mark: TypeAlias = Mapping[str, Any]

# An output by the keys of its item and system, and its variant.
OutputKey: TypeAlias = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A text of a unit, with the marks of each rater who judged it, by the rater's id; `part` counts from 0.

    `outputs` are those that the text stands for. A rater who found no error has an empty list.
    """

    unit: str
    part: int
    text: str
    source: str
    outputs: tuple[OutputKey, ...]
    lists: Mapping[int, Sequence[Mark]]


@dataclass(frozen=True)
class EarlierMarks:
    """The marks of a task: the texts with marks of somebody, and those without, which cannot be given on.

    `unfit` are the reasons why some raters' marks of a text cannot be given to others as they are.
    """

    task: Task
    texts: tuple[MarkedText, ...]
    without: tuple[MarkedText, ...] = ()
    unfit: tuple[str, ...] = field(default=())

    @cached_property
    def raters(self) -> list[int]:
        """The ids of the raters who made the marks that can be given."""
        return sorted({rater for text in self.texts for rater in text.lists})

    @cached_property
    def error_free(self) -> list[MarkedText]:
        """The texts, each alone on its screen, in which nobody marked an error."""
        parts = Counter(text.unit for text in (*self.texts, *self.without))
        return [text for text in self.texts if parts[text.unit] == 1 and not any(text.lists.values())]


def marking_tasks(study: Study) -> list[Task]:
    """Return the tasks of a study in which raters mark errors in texts."""
    return [
        task
        for task in Task.objects.filter(study=study, stage=Task.Stage.MAIN, until=None).order_by("order", "id")
        if isinstance(task.kind, ErrorSpans)
    ]


def reannotations_of(study: Study) -> list[Study]:
    """Return the studies in which texts come with marks of a study, oldest first."""
    ids = MarkAuthor.objects.filter(origin=study).order_by().values("study")
    return list(Study.objects.filter(pk__in=ids).order_by("pk"))


@dataclass(frozen=True, slots=True)
class Outline:
    """How many raters, units and judgments of a task there are, and how many units without a judgment."""

    raters: int
    judged: int
    without: int
    judgments: int


def outline_of(task: Task) -> Outline:
    """Count the judgments of a task with marks that can be given, in two queries."""
    counts = _judged(task).aggregate(
        raters=Count("assignment__rater", distinct=True),
        judged=Count("assignment__unit", distinct=True),
        judgments=Count("pk"),
    )
    units = _units(task).count()
    return Outline(counts["raters"], counts["judged"], units - counts["judged"], counts["judgments"])


def _units(task: Task) -> QuerySet[Unit]:
    """Return the units of a task that count in its results."""
    return Unit.objects.filter(task=task, until=None, gold=None, withdrawn=None)


def _judged(task: Task) -> QuerySet[Judgment]:
    """Return the current answers of people to units that count, without those of raters who tried the study out."""
    return (
        Judgment.objects.current()
        .filter(assignment__unit__in=_units(task), assignment__purpose=Assignment.Purpose.MAIN, skip_reason="")
        .exclude(assignment__rater_kind=Rater.Kind.SANDBOX)
        .exclude(assignment__rater__kind=Rater.Kind.IMPORTED, assignment__rater__pseudonym__startswith=METRIC)
    )


def earlier_marks(task: Task, kind: ErrorSpans) -> EarlierMarks:
    """Return the marks of a task's raters, in four queries; `kind` is the type of the task that they are given in.

    Current answers to main units count as they were given, the first of a rater to a unit: no quality rule decides.
    """
    units = dict(_units(task).values_list("pk", "key"))
    answers: dict[int, dict[int, int]] = {}
    judged = _judged(task).order_by("pk").values_list("pk", "assignment__unit", "assignment__rater")
    for judgment, unit, rater in judged:
        answers.setdefault(unit, {}).setdefault(rater, judgment)
    marks = _marks({judgment for of_unit in answers.values() for judgment in of_unit.values()}, kind)
    texts: list[MarkedText] = []
    unfit: list[str] = []
    for (unit, part), (part_id, text, source, outputs) in _parts(units).items():
        lists: dict[int, Sequence[Mark]] = {}
        for rater, judgment in answers.get(unit, {}).items():
            given = marks.get((judgment, part_id), [])
            problem = _problem(kind, given, text, source)
            if problem is None:
                lists[rater] = given
            else:
                unfit.append(problem)
        texts.append(MarkedText(units[unit], part, text, source, tuple(outputs), lists))
    return EarlierMarks(
        task,
        tuple(text for text in texts if text.lists),
        tuple(text for text in texts if not text.lists),
        tuple(unfit),
    )


def _problem(kind: TaskType, marks: Sequence[Mark], text: str, source: str) -> str | None:
    """Return the reason why a text cannot come with these marks, or None."""
    if any(mark["start"] is None for mark in marks):
        return _("Some of its marks have no place in the text.")
    return kind.prefill_problem(marks, text, source)


def _marks(judgments: set[int], kind: ErrorSpans) -> dict[tuple[int, int], list[Mark]]:
    """Read the marks of answers, by judgment and part, in the order of the text.

    Imported severities and categories may be spelt otherwise than the keys of the task: Accuracy/Mistranslation.
    """
    scheme = kind.told_apart(source=True)
    keys = {as_key(key): key for key in (*scheme.severity_keys, *scheme.categories)}
    found: dict[tuple[int, int], list[Mark]] = {}
    ratings = Rating.objects.filter(judgment__in=judgments, part__isnull=False).exclude(
        span_side=None, severity=None, category=None
    )
    columns = ("judgment", "part", "span_side", "span_start", "span_end", "severity", "category")
    for judgment, part, side, start, end, severity, category in ratings.order_by("pk").values_list(*columns):
        mark: dict[str, Any] = {"start": start, "end": end}
        further = {
            name: keys.get(as_key(word), word)
            for name, word in (("severity", severity), ("category", category))
            if word
        }
        further |= {"side": side} if side != "output" else {}
        found.setdefault((judgment, part), []).append({**mark, **further})
    return found


def _parts(units: Mapping[int, str]) -> dict[tuple[int, int], tuple[int, str, str, list[OutputKey]]]:
    """Read the texts of units by unit and number of the part: its id, its words, its source and its outputs."""
    rows = PartOutput.objects.filter(part__unit__in=units).order_by("part__unit", "part__number", "id")
    columns = (
        "part__unit", "part__number", "part", "output__text", "part__unit__item__source", "output__item__key",
        "output__system__key", "output__variant",
    )  # fmt: skip
    parts: dict[tuple[int, int], tuple[int, str, str, list[OutputKey]]] = {}
    for unit, number, part, text, source, item, system, variant in rows.values_list(*columns):
        outputs = parts.setdefault((unit, number), (part, text, source or "", []))[3]
        outputs.append((item, system, variant))
    return parts
