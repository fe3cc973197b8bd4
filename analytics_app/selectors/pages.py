"""Queries of pages about runs and results, each a single query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Count, F, IntegerField, Max, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Coalesce, JSONObject
from django.http import Http404

from analytics_app.models import UNFINISHED, AgreementPoint, Exclusion, ResultLift, ResultRow, Run, RunPart, RunState
from analytics_app.selectors.results import rows_of
from tasks_app.models import Criterion, Rater, Rating, Study, Task

# Runs in the list of a page.
RUNS_SHOWN = 50


def run_numbered(study: Study, number: int) -> Run:
    """Return a run of a study that somebody may see, or 404."""
    run = study.runs.filter(number=number).select_related("by", "plan").first()
    if run is None:
        raise Http404
    return run


def best_run(study: Study) -> Run | None:
    """Return the run to read first: the newest planned one that is done, else the newest done."""
    done = study.runs.filter(state=RunState.DONE).select_related("by", "plan")
    return done.order_by("-planned", "-number").first()


class Departure(NamedTuple):
    """What an owner did that readers of the results must know: what it was, when, by whom and why."""

    kind: str
    at: datetime
    who: str | None
    reason: str | None


LIFTED, REOPENED = "lifted", "reopened"


def departures_of(study: Study) -> Sequence[Departure]:
    """Return when results by system were shown early and when the study was opened again, the oldest first."""
    lifts = ResultLift.objects.filter(study=study).order_by().values_list(Value(LIFTED), "at", "by__username", "reason")
    opened = study.events.filter(verb="opened", before__state=Study.State.CLOSED).order_by()
    reopened = opened.values_list(Value(REOPENED), "at", "actor__username", KeyTextTransform("reason", "after"))
    return [Departure(*row) for row in lifts.union(reopened, all=True).order_by("at")]


# The monitor --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RunsNow:
    """The newest run that is done, the one under way and the newest of all, each None where there is none.

    `newer` counts the ratings that came since the run that is done.
    """

    done: Run | None
    under_way: Run | None
    failed: Run | None
    newer: int
    parts: int
    parts_done: int


def runs_now(study: Study) -> RunsNow:
    """Return what is to be said about the runs of a study, in one query."""
    runs = Run.objects.filter(study=study)
    newest = runs.order_by("-number").values("pk")
    since = (
        Rating.objects.filter(task__study=study, id__gt=OuterRef("high_water"))
        .exclude(rater__kind=Rater.Kind.SANDBOX)
        .order_by()
        .values("task__study")
        .annotate(n=Count("id"))
        .values("n")
    )
    found = (
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
    rows = list(found)
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


# Of fewer texts nobody can say whether raters agree.
LEAST_TEXTS = 2


def agreement_of(run: Run) -> Sequence[ResultRow]:
    """Return alpha of every criterion with its name as `criterion_name`; it tells no systems apart.

    `course` is how automatic runs computed it so far, oldest first: dicts of at, value, low, high and n_ratings.
    Where several tasks have one of that name, `task_name` says which task it is. What raters say of themselves is no
    matter of agreement: one unit is nothing to agree over.
    """
    task = Task.objects.filter(study=run.study_id, key=OuterRef("task")).order_by(F("until").desc(nulls_first=True))
    name = Criterion.objects.filter(study=run.study_id, key=OuterRef("criterion"), until=None).values("name")[:1]
    rows = rows_of(run, systems=False).filter(
        analysis="krippendorff", statistic="alpha", basis="kept", slice=None, group=None, wave=None
    )
    rows = rows.exclude(n_items__lt=LEAST_TEXTS)
    points = AgreementPoint.objects.filter(
        study=run.study_id, task=OuterRef("task"), criterion=Coalesce(OuterRef("criterion"), Value(""))
    ).order_by("run_number")
    columns = {column: column for column in ("at", "value", "low", "high", "n_ratings")}
    found = list(
        rows.annotate(
            criterion_name=Subquery(name),
            task_name=Subquery(task.values("title")[:1]),
            course=ArraySubquery(points.values(point=JSONObject(**columns))),
        )
    )
    tasks: dict[str | None, set[str | None]] = {}
    for row in found:
        tasks.setdefault(row.criterion_name, set()).add(row.task)
    for row in found:
        row.task_name = (row.task_name or row.task) if len(tasks[row.criterion_name]) > 1 else ""
    return found


# Raters and exclusions ------------------------------------------------------------------------------------


def exclusions_by_hand(study: Study, raters: Sequence[Rater]) -> dict[int, Exclusion]:
    """Return the exclusions that hold of some raters, by rater."""
    found = Exclusion.objects.filter(study=study, run=None, lifted_at=None, rater__in=raters).select_related("by")
    return {one.rater_id: one for one in found if one.rater_id is not None}


def means_of_raters(run: Run) -> QuerySet[ResultRow]:
    """Return the mean of each rater for each criterion, of the kept ratings."""
    return rows_of(run, systems=False).filter(
        analysis="raters", statistic="rater_mean", basis="kept", slice=None, group=None, wave=None
    )


def spread_of(run: Run, means: Sequence[ResultRow]) -> list[tuple[ResultRow, ResultRow | None]]:
    """Return means of raters with the standard deviations that belong to them."""
    spread = rows_of(run, systems=False).filter(
        analysis="raters", statistic="rater_sd", basis="kept", slice=None, rater__in={row.rater for row in means}
    )
    found = {(row.task, row.criterion, row.rater): row for row in spread}
    return [(row, found.get((row.task, row.criterion, row.rater))) for row in means]


def last_number(study: Study) -> int:
    """Return the number of the newest run, 0 where there is none."""
    return int(Run.objects.filter(study=study).aggregate(last=Max("number"))["last"] or 0)


def ratings_since(study: Study, run: Run) -> int:
    """Return how many ratings came after those a run saw, leaving out those of people who tried it out.

    Ratings are counted without joining each to its rater: all, less the few of people who tried it out.
    """
    ratings = Rating.objects.filter(id__gt=run.high_water)
    counted = Study.objects.filter(pk=study.pk).annotate(
        everything=_number(ratings.filter(task__study=OuterRef("pk")).values("task__study")),
        trials=_number(
            ratings.filter(rater__study=OuterRef("pk"), rater__kind=Rater.Kind.SANDBOX).values("rater__study")
        ),
    )
    everything, trials = counted.values_list("everything", "trials").get()
    return int(everything - trials)


def _number(rows: QuerySet[Any, Any]) -> Coalesce:
    counted = rows.order_by().annotate(n=Count("id")).values("n")
    return Coalesce(Subquery(counted, output_field=IntegerField()), Value(0))


def planned_number(study: Study) -> int | None:
    """Return the number of the first planned run of a study's version that is done, None where there is none."""
    planned = Run.objects.filter(study=study, version=study.current_version, planned=True, state=RunState.DONE)
    return planned.order_by("number").values_list("number", flat=True).first()


def mark_of(study: Study, number: int) -> int | None:
    """Return up to which rating a run saw them; None where it is gone."""
    return Run.objects.filter(study=study, number=number).values_list("high_water", flat=True).first()
