"""Evidence of a study for quality rules, as far as its settings tell."""

from django.db.models import Prefetch

from analytics_app.quality.base import Evidence
from analytics_app.selectors.questions import is_marked
from tasks_app.models import Assignment, Gold, Judgment, Study, Task, TaskCriterion
from tasks_app.selectors.screens import criterion_of
from tasks_app.settings.checks import checks_of

# The number of imported judgments that are searched for times: an import has a column of times or none.
LOOKED_AT = 100


def evidence_of(study: Study) -> set[Evidence]:
    """Return the kinds of evidence in the current tasks of a study, or in its imported judgments."""
    evidence = _of_tasks(study)
    gold = Gold.objects.filter(unit__task__study=study, unit__until=None, purpose__in=Gold.Purpose.WATCHED)
    if gold.exists():
        evidence.add(Evidence.KNOWN_ANSWERS)
    if study.opened_at is not None:
        evidence |= {Evidence.MINUTES, Evidence.TIMES}
        return evidence | ({Evidence.SKIPS} if study.options.allow_skip else set())
    judgments = Judgment.objects.filter(assignment__rater__study=study).order_by()
    if any(seconds is not None for seconds in judgments.values_list("seconds_active", flat=True)[:LOOKED_AT]):
        evidence.add(Evidence.TIMES)
    if Assignment.objects.filter(rater__study=study, purpose=Assignment.Purpose.REPEAT).exists():
        evidence.add(Evidence.REPEATS)
    return evidence | {Evidence.SKIPS}


def _of_tasks(study: Study) -> set[Evidence]:
    with_criteria = Prefetch("task_criteria", TaskCriterion.objects.select_related("criterion"))
    tasks = Task.objects.filter(study=study, until=None).prefetch_related(with_criteria)
    evidence, ranges = set(), []
    for task in tasks:
        criteria = [row.criterion for row in task.task_criteria.all()]
        ranges += [
            task.kind.scale_of(criterion_of(criterion)) for criterion in criteria if not is_marked(task, criterion)
        ]
        checks = checks_of(task.checks)
        if checks.repeats or task.kind.params.get("repeated_share"):
            evidence.add(Evidence.REPEATS)
        if checks.degraded:
            evidence.add(Evidence.KNOWN_ANSWERS)
    scales = [scale for scale in ranges if scale is not None]
    if scales:
        evidence.add(Evidence.SCALE)
        if all(not step or (high - low) / step >= 2 for low, high, step in scales):
            evidence.add(Evidence.POSITIONS)
    return evidence
