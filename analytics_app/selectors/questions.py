"""The questions of a study for quality rules and analyses, and the analyses that a run computes for them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from analytics_app import analyses
from analytics_app.analyses import Analysis, Common, Question, QuestionCriterion
from analytics_app.models import Run
from analytics_app.plan import ALL, as_meant
from analytics_app.quality.base import Asking, Scope
from analytics_app.ratings import Mask, Names, Table
from tasks_app.models import Criterion, Study, Task, TaskCriterion
from tasks_app.selectors.screens import criterion_of
from tasks_app.task_types.base import Scale

# The most steps of a numeric scale that are listed as its domain.
MOST_STEPS = 21


def chosen(settings: Mapping[str, Any], question: Question | None) -> Iterator[Analysis]:
    """Yield the analyses of a run that fit a question, made with their settings: those it names, or all."""
    entries = as_meant(settings)["analyses"]
    for entry in [{"analysis": name} for name in analyses.registry] if entries == ALL else entries:
        analysis = analyses.registry[entry["analysis"]]
        if question is None or analysis.fits(question):
            own = {name: value for name, value in entry.items() if name != "analysis"}
            yield _made(analysis, json.dumps(own, sort_keys=True))


@lru_cache(maxsize=512)
def _made(analysis: type[Analysis], settings: str) -> Analysis:
    """Make an analysis with settings as JSON, equal ones only once: every part of a run asks for its analyses."""
    return analysis(json.loads(settings))


def analyses_that_fit(study: Study) -> set[str]:
    """Return the names of the analyses that fit a question of a study."""
    of_tasks: dict[Task, list[Criterion]] = {}
    rows = TaskCriterion.objects.filter(task__study=study, task__until=None).select_related("task", "criterion")
    for row in rows.order_by("task__order", "order"):
        of_tasks.setdefault(row.task, []).append(row.criterion)
    questions = []
    for task, criteria in of_tasks.items():
        whole = question_of(task, None, whole=True, criteria=criteria)
        questions.append(whole)
        questions += [
            replace(whole, whole=False, scale=criterion.scale, criterion=criterion.key) for criterion in whole.criteria
        ]
    return {
        name for name, analysis in analyses.registry.items() if any(analysis.fits(question) for question in questions)
    }


def question_of(
    task: Task, criterion: Criterion | None, *, whole: bool = False, criteria: Sequence[Criterion] | None = None
) -> Question:
    """Return the question of a task for analyses: on one criterion, or `whole` on all of its criteria.

    `criteria` are those of the task, if they have been read already.
    """
    answered = _asked(task, criterion)
    asked_criteria: tuple[QuestionCriterion, ...] = ()
    if whole:
        if criteria is None:
            criteria = list(Criterion.objects.filter(task_criteria__task=task).order_by("task_criteria__order"))
        asked_criteria = tuple(_asked(task, member) for member in criteria)
    return Question(
        task=task.key,
        task_type=task.type,
        scale=answered.scale,
        criterion=criterion.key if criterion is not None else None,
        domain=answered.domain,
        limits=answered.limits,
        by_document=task.design == "documents",
        whole=whole,
        criteria=asked_criteria,
        params=task.kind.params,
        labels=answered.labels,
        wordings=answered.wordings,
    )


def _asked(task: Task, criterion: Criterion | None) -> QuestionCriterion:
    """Return a criterion with its scale; its code is not known before ratings are read."""
    kind = task.kind
    declared = criterion_of(criterion) if criterion is not None else None
    answered = kind.outcome_of(declared) or next(
        (outcome for outcome in kind.outcomes if outcome.column == "value"), None
    )
    scale = answered.scale if answered is not None else Scale.NOMINAL
    range_ = kind.scale_of(declared)
    domain: tuple[float, ...] = ()
    if range_ is not None and scale is not Scale.INTERVAL:
        low, high, step = range_
        n = round((high - low) / step) + 1
        domain = tuple((low + step * np.arange(n)).tolist()) if n <= MOST_STEPS else ()
    labels = kind.labels_of(declared)
    if labels is None and declared is not None and answered is not None and answered.column == "label":
        labels = tuple(declared.labels)
    return QuestionCriterion(
        key=criterion.key if criterion is not None else "",
        name=criterion.name if criterion is not None else "",
        scale=scale,
        code=-1,
        domain=domain,
        limits=(range_[0], range_[1]) if range_ is not None else None,
        labels=tuple(labels or ()),
        wordings=() if declared is None else declared.wording_keys,
    )


def is_marked(task: Task, criterion: Criterion) -> bool:
    """Return whether a criterion is answered by marking spans, which are not compared as single ratings."""
    outcome = task.kind.outcome_of(criterion_of(criterion))
    return outcome is not None and outcome.per == "span"


def with_codes(question: Question, names: Names) -> Question:
    """Return a question with the codes that its criteria have in a table."""
    return replace(
        question,
        criteria=tuple(replace(criterion, code=names.criterion_code(criterion.key)) for criterion in question.criteria),
    )


def asking_of(task: Task, table: Table) -> Asking:
    """Return the questions of a task for quality rules."""
    kind = task.kind
    scales, marked = [], set()
    for criterion in Criterion.objects.filter(task_criteria__task=task).order_by("task_criteria__order"):
        if is_marked(task, criterion):
            marked.add(table.names.criterion_code(criterion.key))
            continue
        range_ = kind.scale_of(criterion_of(criterion))
        if range_ is not None:
            scales.append(Scope(criterion.key, table.names.criterion_code(criterion.key), *range_))
    return Asking(task.key, kind.params, tuple(scales), frozenset(marked))


def common_of(run: Run) -> Common:
    """Return the settings of a run's plan for every analysis."""
    settings = as_meant(run.settings)
    pairs = settings["comparisons"]
    return Common(
        confidence=settings["confidence"],
        n_resamples=settings["n_resamples"],
        intervals=settings["intervals"],
        n_permutations=settings["n_permutations"],
        correction=settings["correction"],
        pairs=None if pairs == ALL else tuple((a, b) for a, b in pairs),
        ddof=settings["ddof"],
        constant=settings["constant"],
        seed=run.seed,
        generalise_to=settings["generalise_to"],
        over_raters=settings["over_raters"],
        scope_named="generalise_to" in run.settings,
    )


def repeated_answers(task: Task, table: Table) -> Mask:
    """Return a mask of repeated answers to one question within a judgment, such as a repeated adjective pair.

    A repeat is used only for raters' agreement with themselves. Several spans and labels are no repeats.
    """
    if any(outcome.per == "span" for outcome in task.kind.outcomes):
        return np.zeros(len(table), dtype=bool)
    again: Mask = (table.number > 1) & ~np.isnan(table.value)
    return again


def criteria_called(task: Task) -> dict[str, str]:
    """Return the names of the criteria of a task, by key."""
    return dict(Criterion.objects.filter(task_criteria__task=task).values_list("key", "name"))
