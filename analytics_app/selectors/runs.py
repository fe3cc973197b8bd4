"""Queries about the runs of a study: one by its number, the best, the newest, lists and progress."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, IntegerField, Max, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce
from django.http import Http404

from analytics_app.models import UNFINISHED, Run, RunPart, RunState
from tasks_app.models import Assignment, Rater, Rating, Study

# Ratings that a run analyses: of raters who did not only try the study out, and no answers to checks and repeats. Those
# of automatic metrics are among them, since a run compares them with people.
ANALYSED = Q(judgment__assignment__purpose__in=Assignment.Purpose.ANALYSED) & ~Q(
    judgment__assignment__rater_kind=Rater.Kind.SANDBOX
)

# The most runs in the list of a page.
RUNS_SHOWN = 50


def run_numbered(study: Study, number: int) -> Run:
    """Return a run of a study by its number, or raise 404."""
    run = study.runs.filter(number=number).select_related("by", "plan").first()
    if run is None:
        raise Http404
    return run


def best_run(study: Study) -> Run | None:
    """Return the best run: the newest planned run that is done, else the newest that is done."""
    done = study.runs.filter(state=RunState.DONE).select_related("by", "plan")
    return done.order_by("-planned", "-number").first()


def best_of(runs: Iterable[Run]) -> Run | None:
    """Return the best of these runs, as `best_run` does."""
    done = (run for run in runs if run.state == RunState.DONE)
    return max(done, key=lambda run: (run.planned, run.number), default=None)


def last_number(study: Study) -> int:
    """Return the number of the newest run, 0 if there is none."""
    return int(Run.objects.filter(study=study).aggregate(last=Max("number"))["last"] or 0)


def planned_number(study: Study) -> int | None:
    """Return the number of the first planned run of a study's version that is done, None if there is none."""
    planned = Run.objects.filter(study=study, version=study.current_version, planned=True, state=RunState.DONE)
    return planned.order_by("number").values_list("number", flat=True).first()


def mark_of(study: Study, number: int) -> int | None:
    """Return the id of the last rating that a run saw; None if the run no longer exists."""
    return Run.objects.filter(study=study, number=number).values_list("high_water", flat=True).first()


@dataclass(frozen=True, slots=True)
class RunsNow:
    """The newest run that is done, the run under way, and the newest run if it failed; each None if there is none.

    `newer` counts the ratings to analyse since the run that is done.
    """

    done: Run | None
    under_way: Run | None
    failed: Run | None
    newer: int
    parts: int
    parts_done: int


def runs_now(study: Study) -> RunsNow:
    """Return the state of the runs of a study, in one query."""
    runs = Run.objects.filter(study=study)
    newest = runs.order_by("-number").values("pk")
    since = (
        Rating.objects.filter(task__study=study, id__gt=OuterRef("high_water"))
        .filter(ANALYSED)
        .order_by()
        .values("task__study")
        .annotate(n=Count("id"))
        .values("n")
    )
    selected_runs = (
        runs.filter(
            Q(pk=Subquery(newest.filter(state=RunState.DONE)[:1]))
            | Q(pk=Subquery(newest.filter(state__in=UNFINISHED)[:1]))
            | Q(pk=Subquery(newest[:1]))
        )
        .annotate(
            n_parts=Count("parts"),
            n_done=Count("parts", filter=Q(parts__state=RunPart.State.DONE)),
            newer=Coalesce(Subquery(since, output_field=IntegerField()), Value(0)),
        )
        .order_by("-number")
    )
    rows = list(selected_runs)
    done = next((run for run in rows if run.state == RunState.DONE), None)
    under_way = next((run for run in rows if run.state in UNFINISHED), None)
    return RunsNow(
        done=done,
        under_way=under_way,
        failed=rows[0] if rows and rows[0].state == RunState.FAILED else None,
        newer=done.newer if done is not None else 0,
        parts=under_way.n_parts if under_way is not None else 0,
        parts_done=under_way.n_done if under_way is not None else 0,
    )


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
