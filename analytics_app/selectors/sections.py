"""Queries of results pages: counts by criterion, the rows to show, names."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from django.contrib.postgres.aggregates import BoolOr
from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Count, F, Func, IntegerField, Min, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import JSONObject

from analytics_app.analyses import only_drawn
from analytics_app.models import ResultRow, Run
from analytics_app.selectors.carefulness import FAST_SCREENS, QUALITY
from analytics_app.selectors.results import plots_of, rows_of
from tasks_app import task_types
from tasks_app.models import Study, System, Task

# The most pairs of systems, and of raters, in one table; more are in the results document only.
PAIRS_SHOWN, RATER_PAIRS_SHOWN = 45, 200

# The most rows of a statistic shown only in charts that are listed as numbers behind a plot.
BEHIND_A_PLOT = 150

# With more raters than this, pages do not list results by rater.
RATERS_SHOWN = 60


@dataclass(slots=True)
class CriterionRows:
    """Counts of a run's rows for one criterion of a task ("" for the whole task), for the layout of pages.

    `rows` counts the rows that a page would show, `pairs` and `rater_pairs` the most of one statistic. `drawn` is the
    size of the drawings of the whole run in bytes.
    """

    task: str
    criterion: str
    rows: int = 0
    pairs: int = 0
    rater_pairs: int = 0
    by_system: bool = False
    drawn: int = 0
    analyses: set[str] = field(default_factory=set)

    @property
    def key(self) -> str:
        """Return the name of the place on pages and in addresses."""
        return f"{self.task}--{self.criterion or 'all'}"


def places_of(run: Run, *, systems: bool) -> list[CriterionRows]:
    """Return the counts of a run for each criterion, in the order of the document, in one query."""
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
            drawn=_drawn(run, systems=systems),
        )
        .order_by("first")
    )
    places: dict[tuple[str, str], CriterionRows] = {}
    of_pairs: Counter[str] = Counter()
    of_raters: Counter[str] = Counter()
    for count in counted:
        place = (count["task"] or "", count["criterion"] or "")
        at = places.setdefault(place, CriterionRows(*place))
        at.rows += min(count["n"], BEHIND_A_PLOT) if count["statistic"] in only_drawn() else count["n"]
        at.drawn = count["drawn"] or 0
        at.pairs = max(at.pairs, count["whole"])
        of_pairs[at.key] += count["of_pairs"]
        if count["statistic"].endswith("_pair"):
            at.rater_pairs = max(at.rater_pairs, count["n"])
            of_raters[at.key] += count["n"]
        at.by_system = at.by_system or bool(count["apart"])
        at.analyses.add(count["analysis"])
    for at in places.values():
        at.rows -= of_pairs[at.key] if at.pairs > PAIRS_SHOWN else 0
        at.rows -= of_raters[at.key] if at.rater_pairs > RATER_PAIRS_SHOWN else 0
    return list(places.values())


def _drawn(run: Run, *, systems: bool) -> Subquery:
    """Return a query for the size of a run's drawings in bytes, which does not read them."""
    octets = partial(Func, function="OCTET_LENGTH", output_field=IntegerField())
    plots = plots_of(run, systems=systems).order_by().values("run")
    return Subquery(plots.annotate(size=Sum(octets("svg") + octets("narrow"))).values("size"))


def _readable(run: Run, *, systems: bool) -> QuerySet[ResultRow]:
    """Return the rows that pages show in tables or charts: results by rater only if they have a note.

    The page of raters lists the others; with few raters, results by rater of other analyses are shown here too.
    """
    rows = rows_of(run, systems=systems).exclude(analysis="raters", note=None)
    if max((counts.get("raters", 0) for counts in run.facts.get("tasks", {}).values()), default=0) > RATERS_SHOWN:
        rows = rows.exclude(rater__isnull=False, note=None)
    return rows


def rows_for_page(run: Run, places: Sequence[CriterionRows], *, systems: bool) -> Sequence[ResultRow]:
    """Return the rows of some places and those of the funnel, without pairs if there are too many."""
    condition = Q(analysis="funnel")
    for place in places:
        of_place = Q(task=place.task or None, criterion=place.criterion or None)
        if place.pairs > PAIRS_SHOWN:
            of_place &= Q(system_b=None)
        if place.rater_pairs > RATER_PAIRS_SHOWN:
            of_place &= ~Q(statistic__endswith="_pair")
        condition |= of_place
    return list(_readable(run, systems=systems).filter(condition).exclude(statistic__in=only_drawn()))


def rows_of_summary(run: Run, statistics: Mapping[str, Collection[str]], *, systems: bool) -> list[ResultRow]:
    """Return the rows on kept ratings for the summary of a run, in one query; `statistics` are by analysis.

    Rows of single raters are only those of how many of their screens were too fast to have been read.
    """
    condition = Q()
    for analysis, names in statistics.items():
        condition |= Q(analysis=analysis, statistic__in=sorted(names))
    of_speed = Q(analysis=QUALITY, statistic=FAST_SCREENS, slice=None)
    rows = rows_of(run, systems=systems).filter(condition & Q(rater=None) | of_speed, basis="kept")
    return list(rows.only(*SUMMARY_COLUMNS))


# The columns of rows that the summary reads.
SUMMARY_COLUMNS = (
    "analysis", "statistic", "task", "criterion", "system", "system_b", "label", "group", "wave", "slice", "metric",
    "metric_b", "value", "low", "high", "se", "p", "p_adjusted", "n_ratings", "n_items", "n_raters", "basis",
    "settings", "note", "rater",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ResultNames:
    """Names of tasks (in their order), criteria and systems by their keys; `designs` are those of the tasks.

    `types` are the types of the tasks, by key, `scales` the ends of their scales if all criteria have the same, and
    `labels` the names of labels with short keys, by task and criterion.
    """

    tasks: dict[str, str] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    scales: dict[str, tuple[float, float]] = field(default_factory=dict)
    criteria: dict[str, str] = field(default_factory=dict)
    designs: set[str] = field(default_factory=set)
    systems: dict[str, str] = field(default_factory=dict)
    labels: dict[str, Mapping[str, Mapping[str, str]]] = field(default_factory=dict)

    def put_into(self, rows: Iterable[ResultRow]) -> None:
        """Replace the keys of systems and labels by their names."""
        for row in rows:
            row.system, row.system_b = (self.systems.get(key or "", key) for key in (row.system, row.system_b))
            if row.analysis in WITH_LABELS and row.label:
                row.label = label_called(row.label, self.labels.get(row.task or "", {}).get(row.criterion or "", {}))


def labels_called(kind: task_types.TaskType) -> dict[str, dict[str, str]]:
    """Return the names of labels that have short keys, by criterion; a name that looks like a pair is left out."""
    return {
        criterion: {key: name for key, name in names.items() if LABELS_APART not in name}
        for criterion, names in kind.label_names().items()
    }


def label_called(label: str, names: Mapping[str, str]) -> str:
    """Return the name of a label, or the names of a pair of labels."""
    return LABELS_APART.join(names.get(key, key) for key in label.split(LABELS_APART))


# Analyses whose rows are about labels that raters gave, and the separator of two labels.
WITH_LABELS = frozenset({"error_labels", "joint_labels", "distribution", "labels"})
LABELS_APART = " / "


def names_of(study: Study) -> ResultNames:
    """Return the titles of the tasks and the names of the criteria of a study, live ones before replaced ones."""
    rows = (
        Task.objects.filter(study=study)
        .annotate(called=ArraySubquery(_named(OuterRef("study")).values(pair=JSONObject(key="key", name="name"))))
        .order_by(F("until").desc(nulls_first=True), "order", "task_criteria__order")
        .values_list(
            "key",
            "title",
            "type",
            "task_criteria__criterion__key",
            "task_criteria__criterion__name",
            "design",
            "called",
            "params",
            "order",
        )
    )
    names = ResultNames()
    numbered: list[tuple[str, str, str, int]] = []
    for task, title, task_type, criterion, name, design, called, params, order in rows:
        names.designs.add(design)
        if task not in names.tasks:
            names.tasks[task] = title
            numbered.append((task, title, task_type, order))
            names.types[task] = task_type
            kind = task_types.kind_of(task_type, params)
            names.labels[task] = labels_called(kind)
            if (scale := kind.scale_of()) is not None:
                names.scales[task] = scale[:2]
        if criterion:
            names.criteria.setdefault(criterion, name)
        if not names.systems:
            names.systems.update(_told_apart([(system["key"], system["name"]) for system in called]))
    names.tasks.update(task_types.names_of(numbered))
    return names


def systems_called(study: Study) -> dict[str, str]:
    """Return the names of systems that have a name, by key."""
    return _told_apart(list(_named(study).values_list("key", "name")))


def _named(study: Study | OuterRef) -> QuerySet[System]:
    return System.objects.filter(study=study).exclude(name="").order_by("key")


def _told_apart(named: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return the names by key, with the key added to names that several systems share."""
    times = Counter(name for _key, name in named)
    return {key: name if times[name] == 1 else f"{name} ({key})" for key, name in named}
