"""Queries about runs: lists and progress."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Q, QuerySet

from analytics_app.models import Run, RunPart, RunState
from analytics_app.selectors.workers import WorkerStatus, workers
from tasks_app.models import Study

__all__ = ["RunProgress", "WorkerStatus", "progress", "runs_of", "workers"]


@dataclass(frozen=True, slots=True)
class RunProgress:
    """Number of parts of a run that are done, running, and in total; `since` is when it started, or was queued."""

    done: int
    total: int
    running: int
    state: str
    since: datetime

    @property
    def share(self) -> float:
        """Return the share of parts that are done, 0 to 1."""
        return self.done / self.total if self.total else float(self.state == RunState.DONE)


def runs_of(study: Study) -> QuerySet[Run]:
    """Return the runs of a study, newest first."""
    return study.runs.select_related("by", "plan").order_by("-number")


def progress(run: Run) -> RunProgress:
    """Count the parts of a run in one query."""
    counted = RunPart.objects.filter(run=run).aggregate(
        total=Count("id"),
        done=Count("id", filter=Q(state=RunPart.State.DONE)),
        running=Count("id", filter=Q(state=RunPart.State.RUNNING)),
    )
    return RunProgress(**counted, state=run.state, since=run.started or run.created_at)
