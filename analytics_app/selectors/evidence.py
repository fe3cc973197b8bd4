"""What a study has for quality rules to look at, as far as its settings say."""

from __future__ import annotations

from django.db.models import Prefetch

from analytics_app.quality.base import Evidence
from analytics_app.selectors.questions import is_marked
from tasks_app.check_settings import checks_of
from tasks_app.models import Assignment, Gold, Judgment, Study, Task, TaskCriterion
from tasks_app.selectors.screens import criterion_of

# Imported judgments that are looked at for times: an import has them in a column or not at all.
LOOKED_AT = 100


def evidence_of(study: Study) -> set[Evidence]:
    """Return what the current tasks of a study, or its imported judgments, have for rules to look at."""
    found = _of_tasks(study)
    gold = Gold.objects.filter(unit__task__study=study, unit__until=None, purpose__in=Gold.Purpose.WATCHED)
    if gold.exists():
        found.add(Evidence.KNOWN_ANSWERS)
    if study.opened_at is not None:
        found |= {Evidence.MINUTES, Evidence.TIMES}
        return found | ({Evidence.SKIPS} if study.options.allow_skip else set())
    judgments = Judgment.objects.filter(assignment__rater__study=study).order_by()
    if any(seconds is not None for seconds in judgments.values_list("seconds_active", flat=True)[:LOOKED_AT]):
        found.add(Evidence.TIMES)
    if Assignment.objects.filter(rater__study=study, purpose=Assignment.Purpose.REPEAT).exists():
        found.add(Evidence.REPEATS)
    return found | {Evidence.SKIPS}


def _of_tasks(study: Study) -> set[Evidence]:
    asked = Prefetch("task_criteria", TaskCriterion.objects.select_related("criterion"))
    tasks = Task.objects.filter(study=study, until=None).prefetch_related(asked)
    found, ranges = set(), []
    for task in tasks:
        criteria = [one.criterion for one in task.task_criteria.all()]
        ranges += [task.kind.scale_of(criterion_of(one)) for one in criteria if not is_marked(task, one)]
        checks = checks_of(task.checks)
        if checks.repeats or task.kind.params.get("repeated_share"):
            found.add(Evidence.REPEATS)
        if checks.degraded:
            found.add(Evidence.KNOWN_ANSWERS)
    scales = [one for one in ranges if one is not None]
    if scales:
        found.add(Evidence.SCALE)
        if all(not step or (high - low) / step >= 2 for low, high, step in scales):
            found.add(Evidence.POSITIONS)
    return found
