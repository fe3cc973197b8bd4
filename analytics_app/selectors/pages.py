"""Queries of pages about runs and results, each a single query."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Count, F, IntegerField, Max, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Coalesce, JSONObject
from django.http import Http404

from analytics_app.models import (
    UNFINISHED,
    AgreementPoint,
    Exclusion,
    MeasuredOutcome,
    MetricScore,
    ResultLift,
    ResultRow,
    Run,
    RunPart,
    RunState,
)
from analytics_app.ratings import WITHDRAWN
from analytics_app.selectors.results import rows_of
from tasks_app.models import Assignment, Criterion, Rater, Rating, Study, Task, Withdrawal

# Ratings that a run analyses: of raters who did not only try the study out, and no answers to checks and repeats.
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


class Departure(NamedTuple):
    """An action of an owner that readers of the results must know: its kind, its time, its author and its reason."""

    kind: str
    at: datetime
    who: str | None
    reason: str | None


LIFTED, REOPENED = "lifted", "reopened"


def departures_of(study: Study) -> Sequence[Departure]:
    """Return early views of results by system and reopenings of the study, the oldest first."""
    lifts = ResultLift.objects.filter(study=study).order_by().values_list(Value(LIFTED), "at", "by__username", "reason")
    opened = study.events.filter(verb="opened", before__state=Study.State.CLOSED).order_by()
    reopened = opened.values_list(Value(REOPENED), "at", "actor__username", KeyTextTransform("reason", "after"))
    return [Departure(*row) for row in lifts.union(reopened, all=True).order_by("at")]


# The monitor --------------------------------------------------------------------------------------------


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


# Raters and exclusions ------------------------------------------------------------------------------------


def exclusions_by_hand(study: Study, raters: Sequence[Rater]) -> dict[int, Exclusion]:
    """Return the current manual exclusions of raters, by rater."""
    exclusions = Exclusion.objects.filter(study=study, run=None, lifted_at=None, rater__in=raters).select_related("by")
    return {exclusion.rater_id: exclusion for exclusion in exclusions if exclusion.rater_id is not None}


def raters_left_out(run: Run | None, raters: Sequence[Rater]) -> dict[int, Exclusion]:
    """Return the first exclusion of each rater whom a rule of a run left out with all ratings of a task, by rater."""
    if run is None:
        return {}
    exclusions = Exclusion.objects.filter(run=run, rater__in=raters, judgment=None, rating=None).exclude(rule="manual")
    return {exclusion.rater_id: exclusion for exclusion in exclusions.order_by("-pk") if exclusion.rater_id is not None}


def means_of_raters(run: Run) -> QuerySet[ResultRow]:
    """Return the mean of each rater for each criterion, of the kept ratings."""
    return rows_of(run, systems=False).filter(
        analysis="raters", statistic="rater_mean", basis="kept", slice=None, group=None, wave=None
    )


def spread_of(run: Run, means: Sequence[ResultRow]) -> list[tuple[ResultRow, ResultRow | None]]:
    """Return the means of raters, each with its standard deviation."""
    spread = rows_of(run, systems=False).filter(
        analysis="raters", statistic="rater_sd", basis="kept", slice=None, rater__in={row.rater for row in means}
    )
    by_rater = {(row.task, row.criterion, row.rater): row for row in spread}
    return [(row, by_rater.get((row.task, row.criterion, row.rater))) for row in means]


def last_number(study: Study) -> int:
    """Return the number of the newest run, 0 if there is none."""
    return int(Run.objects.filter(study=study).aggregate(last=Max("number"))["last"] or 0)


@dataclass(frozen=True, slots=True)
class Beside:
    """The data that a run uses beside ratings: exclusions by hand, scores, outcomes, withdrawals of texts."""

    excluded: frozenset[int]
    scores: tuple[int | None, int]
    outcomes: tuple[int | None, int]
    withdrawn: frozenset[int]


@dataclass(frozen=True, slots=True)
class Since:
    """The changes since a run beside the ratings: in exclusions, scores, outcomes and withdrawals of texts."""

    excluded: int = 0
    lifted: int = 0
    scores: bool = False
    outcomes: bool = False
    withdrawn: bool = False

    def __bool__(self) -> bool:
        """Return whether anything has changed."""
        return bool(self.excluded or self.lifted or self.scores or self.outcomes or self.withdrawn)


def since(run: Run, now: Beside) -> Since:
    """Return the changes beside the ratings since a run; exclusions only if one of its rules heeds them."""
    used = frozenset(run.facts.get("manual_exclusions", ()))
    excluded, lifted = (len(now.excluded - used), len(used - now.excluded)) if run.heeds_exclusions else (0, 0)

    def differs(name: str, there: tuple[int | None, int]) -> bool:
        known = run.facts.get(name, {"high": None, "n": 0})
        return (known["high"], known["n"]) != there

    withdrawn = frozenset(run.facts.get(WITHDRAWN, {}).get("withdrawals", ())) != now.withdrawn
    return Since(excluded, lifted, differs("scores", now.scores), differs("outcomes", now.outcomes), withdrawn)


def after(study: Study, run: Run) -> tuple[int, Beside]:
    """Return the number of ratings since those a run saw, and the data a run would take into account beside; one query.

    Ratings are counted without joining each to its rater: all ratings, less the few that no run analyses.
    """
    own = OuterRef("pk")
    ratings = Rating.objects.filter(id__gt=run.high_water)
    by_hand = Exclusion.objects.filter(study=own, run=None, lifted_at=None)
    scores, outcomes = (model.objects.filter(study=own).order_by() for model in (MetricScore, MeasuredOutcome))
    counted = Study.objects.filter(pk=study.pk).annotate(
        everything=_number(ratings.filter(task__study=own).values("task__study")),
        beside=_number(ratings.filter(~ANALYSED, rater__study=own).values("rater__study")),
        by_hand=ArraySubquery(by_hand.order_by().values("pk")),
        n_scores=_number(scores.values("study")),
        high_score=Subquery(scores.order_by("-pk").values("pk")[:1]),
        n_outcomes=_number(outcomes.values("study")),
        high_outcome=Subquery(outcomes.order_by("-pk").values("pk")[:1]),
        withdrawn=ArraySubquery(Withdrawal.objects.filter(Withdrawal.IN_FORCE, study=own).order_by().values("pk")),
    )
    names = ("everything", "beside", "by_hand", "high_score", "n_scores", "high_outcome", "n_outcomes", "withdrawn")
    total, not_analysed, excluded, high_score, n_scores, high_outcome, n_outcomes, withdrawn = counted.values_list(
        *names
    ).get()
    beside = Beside(frozenset(excluded), (high_score, n_scores), (high_outcome, n_outcomes), frozenset(withdrawn))
    return int(total - not_analysed), beside


def _number(rows: QuerySet[Any, Any]) -> Coalesce:
    counted = rows.order_by().annotate(n=Count("id")).values("n")
    return Coalesce(Subquery(counted, output_field=IntegerField()), Value(0))


def planned_number(study: Study) -> int | None:
    """Return the number of the first planned run of a study's version that is done, None if there is none."""
    planned = Run.objects.filter(study=study, version=study.current_version, planned=True, state=RunState.DONE)
    return planned.order_by("number").values_list("number", flat=True).first()


def mark_of(study: Study, number: int) -> int | None:
    """Return the id of the last rating that a run saw; None if the run no longer exists."""
    return Run.objects.filter(study=study, number=number).values_list("high_water", flat=True).first()
