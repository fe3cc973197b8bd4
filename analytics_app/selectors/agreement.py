"""The agreement of raters on each criterion, for the monitor."""

from collections.abc import Sequence

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import F, OuterRef, Subquery, Value
from django.db.models.functions import Coalesce, JSONObject

from analytics_app.models import AgreementPoint, ResultRow, Run
from analytics_app.selectors.results import rows_of
from tasks_app.models import Criterion, Task

# Agreement needs at least this many texts.
LEAST_TEXTS = 2


def agreement_of(run: Run) -> Sequence[ResultRow]:
    """Return alpha of every criterion with its name as `criterion_name`; it does not distinguish systems.

    `course` has the values of automatic runs so far, oldest first: dicts of at, value, low, high and n_ratings. If
    several tasks have a criterion of that name, `task_name` is the name of the task. Questions about raters themselves
    are left out: their single unit is no basis for agreement.
    """
    task = Task.objects.filter(study=run.study_id, key=OuterRef("task")).order_by(F("until").desc(nulls_first=True))
    name = Criterion.objects.filter(study=run.study_id, key=OuterRef("criterion"), until=None).values("name")[:1]
    rows = rows_of(run, systems=False).filter(
        analysis="krippendorff", statistic="alpha", basis="kept", slice=None, group=None, wave=None
    )
    rows = rows.exclude(n_items__lt=LEAST_TEXTS)
    points = AgreementPoint.objects.filter(
        study=run.study_id, task=OuterRef("task"), criterion=Coalesce(OuterRef("criterion"), Value(""))
    ).order_by("at", "run_number")
    columns = {column: column for column in ("at", "value", "low", "high", "n_ratings")}
    alphas = list(
        rows.annotate(
            criterion_name=Subquery(name),
            task_name=Subquery(task.values("title")[:1]),
            course=ArraySubquery(points.values(point=JSONObject(**columns))),
        )
    )
    tasks: dict[str | None, set[str | None]] = {}
    for row in alphas:
        tasks.setdefault(row.criterion_name, set()).add(row.task)
    for row in alphas:
        row.task_name = (row.task_name or row.task) if len(tasks[row.criterion_name]) > 1 else ""
    return alphas
