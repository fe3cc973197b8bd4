"""What a page of results reads of a run: counts by criterion, the rows to show, plots."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from django.contrib.postgres.aggregates import BoolOr
from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Count, F, Min, OuterRef, Q, QuerySet
from django.db.models.functions import JSONObject

from analytics_app.models import ResultRow, Run
from analytics_app.selectors.results import rows_of
from tasks_app.models import Study, System, Task

# Pairs in one table, of systems and of raters; more are in the file of results.
PAIRS_SHOWN, RATER_PAIRS_SHOWN = 45, 200

# Of more raters than these no page lists what an analysis found for each.
RATERS_SHOWN = 60

# Rows beyond which a page shows one criterion at a time: one comes to about 500 bytes, with what is drawn of it.
ROWS_SHOWN = 1_800


@dataclass(slots=True)
class Place:
    """What a run has for one criterion of a task ("" for the task as a whole): enough to say where it stands.

    `rows` are those that a page would show, `pairs` and `rater_pairs` the most that one statistic has.
    """

    task: str
    criterion: str
    rows: int = 0
    pairs: int = 0
    rater_pairs: int = 0
    by_system: bool = False
    analyses: set[str] = field(default_factory=set)

    @property
    def key(self) -> str:
        """Its name on the page and in addresses."""
        return f"{self.task}--{self.criterion or 'all'}"


def places_of(run: Run, *, systems: bool) -> list[Place]:
    """Return what a run has for each criterion, in the order of the document, in one query."""
    counted = (
        _readable(run, systems=systems)
        .exclude(analysis="funnel")
        .order_by()
        .values("task", "criterion", "analysis", "statistic")
        .annotate(
            n=Count("id"),
            of_pairs=Count("id", filter=Q(system_b__isnull=False)),
            whole=Count("id", filter=Q(system_b__isnull=False, basis="kept", slice=None, group=None, wave=None)),
            first=Min("order"),
            apart=BoolOr("by_system"),
        )
        .order_by("first")
    )
    found: dict[tuple[str, str], Place] = {}
    of_pairs: Counter[str] = Counter()
    of_raters: Counter[str] = Counter()
    for one in counted:
        place = (one["task"] or "", one["criterion"] or "")
        at = found.setdefault(place, Place(*place))
        at.rows += one["n"]
        at.pairs = max(at.pairs, one["whole"])
        of_pairs[at.key] += one["of_pairs"]
        if one["statistic"].endswith("_pair"):
            at.rater_pairs = max(at.rater_pairs, one["n"])
            of_raters[at.key] += one["n"]
        at.by_system = at.by_system or bool(one["apart"])
        at.analyses.add(one["analysis"])
    for at in found.values():
        at.rows -= of_pairs[at.key] if at.pairs > PAIRS_SHOWN else 0
        at.rows -= of_raters[at.key] if at.rater_pairs > RATER_PAIRS_SHOWN else 0
    return list(found.values())


def _readable(run: Run, *, systems: bool) -> QuerySet[ResultRow]:
    """Return the rows that pages show: of raters only those with something to say.

    A page of their own lists raters; where they are few, what other analyses say of each stands here too.
    """
    rows = rows_of(run, systems=systems).exclude(analysis="raters", note=None)
    if max((of.get("raters", 0) for of in run.facts.get("tasks", {}).values()), default=0) > RATERS_SHOWN:
        rows = rows.exclude(rater__isnull=False, note=None)
    return rows


def rows_for_page(run: Run, places: Sequence[Place], *, systems: bool) -> Sequence[ResultRow]:
    """Return the rows of some places and those of the funnel; of pairs none where they are too many."""
    wanted = Q(analysis="funnel")
    for at in places:
        here = Q(task=at.task or None, criterion=at.criterion or None)
        if at.pairs > PAIRS_SHOWN:
            here &= Q(system_b=None)
        if at.rater_pairs > RATER_PAIRS_SHOWN:
            here &= ~Q(statistic__endswith="_pair")
        wanted |= here
    return list(_readable(run, systems=systems).filter(wanted))


@dataclass(frozen=True, slots=True)
class Names:
    """What keys of tasks, criteria and systems stand for, tasks in their order; `designs` are those of the tasks."""

    tasks: dict[str, str] = field(default_factory=dict)
    criteria: dict[str, str] = field(default_factory=dict)
    designs: set[str] = field(default_factory=set)
    systems: dict[str, str] = field(default_factory=dict)


def names_of(study: Study) -> Names:
    """Return the titles of the tasks and the names of the criteria of a study, live ones before replaced ones."""
    asked = (
        Task.objects.filter(study=study)
        .annotate(called=ArraySubquery(_named(OuterRef("study")).values(pair=JSONObject(key="key", name="name"))))
        .order_by(F("until").desc(nulls_first=True), "order", "task_criteria__order")
        .values_list(
            "key", "title", "task_criteria__criterion__key", "task_criteria__criterion__name", "design", "called"
        )
    )
    names = Names()
    for task, title, criterion, name, design, called in asked:
        names.designs.add(design)
        names.tasks.setdefault(task, title or task)
        if criterion:
            names.criteria.setdefault(criterion, name)
        if not names.systems:
            names.systems.update(_told_apart([(one["key"], one["name"]) for one in called]))
    return names


def systems_called(study: Study) -> dict[str, str]:
    """Return what results call systems that have a name, by key."""
    return _told_apart(list(_named(study).values_list("key", "name")))


def _named(study: Study | OuterRef) -> QuerySet[System]:
    return System.objects.filter(study=study).exclude(name="").order_by("key")


def _told_apart(named: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Add the key to a name that several systems have."""
    times = Counter(name for _key, name in named)
    return {key: name if times[name] == 1 else f"{name} ({key})" for key, name in named}
