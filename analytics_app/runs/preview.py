"""Preview the quality rules of a run that nobody has started: the ratings they would exclude now. Nothing is stored."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from django.conf import settings as project
from django.db.models import Max

from analytics_app.models import ResultRow, Run, RunPart
from analytics_app.runs import rules, withdrawn
from analytics_app.runs.start import before_rules
from tasks_app.models import Judgment, Rating, Study, Task, Unit

# A preview is computed in the request, at each change of a form: it reads all ratings, units and texts of the study.
MOST_RATINGS, MOST_UNITS = 20_000, 20_000


def is_too_large(study: Study) -> bool:
    """Return whether a study has too many ratings or units for a preview, counting no further than the limit."""
    ratings = Rating.objects.filter(task__study=study).order_by()[: MOST_RATINGS + 1]
    units = Unit.objects.filter(task__study=study).order_by()[: MOST_UNITS + 1]
    return ratings.count() > MOST_RATINGS or units.count() > MOST_UNITS


def preview(study: Study, document: Mapping[str, Any]) -> list[ResultRow]:
    """Return the rows of the funnel of each task, unsaved, as a run with these settings would have them.

    Unlike a run, it takes no lock: an answer that is being stored may be missing.
    """
    run = Run(
        study=study,
        version=study.current_version,
        settings=dict(document),
        seed=study.seed,
        code_version=project.EVALWEB_CODE_VERSION,
        high_water=Rating.objects.aggregate(last=Max("id"))["last"] or 0,
        judgment_high_water=Judgment.objects.aggregate(last=Max("id"))["last"] or 0,
    )
    run.facts = before_rules(run) | withdrawn.facts_of(study)
    tasks = Task.objects.filter(study=study, until=None).order_by("order", "id")
    return [ResultRow(**asdict(row)) for task in tasks for row in rules.apply(RunPart(run=run, task=task)).rows()]
