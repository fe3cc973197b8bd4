"""Results of earlier studies as assumptions for planning: rows of finished runs."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from django.db.models import Max, QuerySet

from analytics_app.models import ResultRow, Run, RunState
from tasks_app.models import Study

# The newest studies; nobody would look through a longer list.
MOST_STUDIES, MOST_PILOTS = 50, 200

SPREADS = ("sd_item", "sd_system_item", "sd_rater", "sd_rater_system", "sd_residual")
ALPHA = ("alpha",)

# Usual differences and standard deviations on scales of five steps, as shares of the range.
OF_THE_RANGE = {
    "difference": 0.075,
    "sd_item": 0.125,
    "sd_system_item": 0.1,
    "sd_rater": 0.125,
    "sd_rater_system": 0.05,
    "sd_residual": 0.2,
}


@dataclass(frozen=True, slots=True)
class Pilot:
    """Results of one run for one criterion (and level of measurement, if several): rows by statistic."""

    key: str
    slug: str
    study: str
    run: int
    task: str
    criterion: str
    level: str
    rows: dict[str, ResultRow] = field(default_factory=dict)

    def __str__(self) -> str:
        about = " / ".join(filter(None, (self.task, self.criterion, self.level)))
        return f"{self.study}, {about}"


def pilots(studies: QuerySet[Study], statistics: Iterable[str]) -> dict[str, Pilot]:
    """Return these statistics from the newest finished run of each study, by a key for forms."""
    newest = (
        Run.objects.filter(study__in=studies, state=RunState.DONE)
        .values("study")
        .annotate(newest=Max("number"), last=Max("pk"))
        .order_by("-last")[:MOST_STUDIES]
    )
    numbers = {row["study"]: row["newest"] for row in newest}
    runs = [
        run
        for run in Run.objects.filter(study__in=numbers, state=RunState.DONE).select_related("study").order_by("-pk")
        if numbers[run.study_id] == run.number
    ]
    rows = ResultRow.objects.filter(
        run__in=runs, statistic__in=list(statistics), basis="kept", slice=None, group=None, wave=None, by_system=False
    ).order_by("order")
    by_run = {run.pk: run for run in runs}
    pilots_by_key: dict[str, Pilot] = {}
    for row in sorted(rows, key=lambda result_row: -result_row.run_id):
        run, level = by_run[row.run_id], str((row.settings or {}).get("level", ""))
        about = (row.task or "", row.criterion or "", level)
        key = "/".join((run.study.slug, *about))
        if key not in pilots_by_key and len(pilots_by_key) == MOST_PILOTS:
            break
        pilot = pilots_by_key.setdefault(key, Pilot(key, run.study.slug, run.study.title, run.number, *about))
        pilot.rows.setdefault(row.statistic, row)
    return pilots_by_key


def systems_of(pilot: Pilot) -> int:
    """Return how many systems the results of an earlier study compare; 1 if its rows name none."""
    run = next((row.run_id for row in pilot.rows.values()), None)
    named = ResultRow.objects.filter(run=run, task=pilot.task, criterion=pilot.criterion, basis="kept")
    return max(1, named.exclude(system=None).order_by().values("system").distinct().count())
