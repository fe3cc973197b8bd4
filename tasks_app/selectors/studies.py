"""Queries of the pages of a study."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import (
    Aggregate,
    Count,
    Exists,
    F,
    IntegerField,
    OuterRef,
    Prefetch,
    Q,
    QuerySet,
    Subquery,
    Sum,
    Value,
)
from django.db.models.functions import Coalesce

from tasks_app.models import (
    Booklet,
    Gold,
    Item,
    Membership,
    Output,
    Rater,
    RaterSet,
    SetupRow,
    Study,
    System,
    Task,
    Unit,
)
from tasks_app.selectors import evaluated
from tasks_app.settings.checks import COPIES

# A page of texts has about so many outputs, all those of an item together.
OUTPUTS_ON_A_PAGE = 50


def with_progress(studies: QuerySet[Study]) -> QuerySet[Study]:
    """Add to each study its numbers of places, of answered places and of raters.

    Each is a sub-query: joined, the places would be counted once for every rater. Places and answers are sums over the
    counts of booklets and sets, which triggers keep.
    """
    booklets = Booklet.objects.filter(task__study=OuterRef("pk")).order_by().values("task__study")
    sets = RaterSet.objects.filter(task__study=OuterRef("pk")).order_by().values("task__study")
    people = Rater.objects.exclude(kind=Rater.Kind.SANDBOX).exclude(Rater.METRICS)
    raters = people.filter(study=OuterRef("pk")).order_by().values("study")
    return studies.order_by("-created_at", "-id").annotate(
        places=number_of(booklets, Sum("n_places")),
        answered=number_of(sets, Sum("n_answered")),
        n_raters=number_of(raters, Count("id")),
    )


@dataclass(frozen=True, slots=True)
class StudyFilters:
    """The filters of a list of studies; an empty filter matches every study.

    `whose` is "mine" or "shared", `project` the slug of a project.
    """

    words: str = ""
    state: str = ""
    task_type: str = ""
    whose: str = ""
    project: str = ""


def matching(studies: QuerySet[Study], user_id: int, filters: StudyFilters) -> QuerySet[Study]:
    """Return the studies that match the filters, each with the researcher's own role."""
    roles = Membership.objects.filter(study=OuterRef("pk"), user_id=user_id)
    matches = studies.annotate(own_role=Subquery(roles.values("role")[:1]))
    for word in filters.words.replace("\0", "").split():
        matches = matches.filter(Q(title__icontains=word) | Q(slug__icontains=word) | Q(public_title__icontains=word))
    if filters.state:
        matches = matches.filter(state=filters.state)
    if filters.task_type:
        tasks = Task.objects.filter(study=OuterRef("pk"), until=None, type=filters.task_type)
        # A draft may have been set up so far only, without a row of its own for any task.
        matches = matches.filter(Q(Exists(tasks)) | Q(setup__given__tasks__contains=[{"type": filters.task_type}]))
    if filters.project:
        matches = matches.filter(project__slug=filters.project)
    if filters.whose == "mine":
        matches = matches.filter(own_role=Membership.Role.OWNER)
    elif filters.whose == "shared":
        matches = matches.exclude(own_role=Membership.Role.OWNER)
    return matches


def with_types(studies: QuerySet[Study]) -> QuerySet[Study]:
    """Fetch with studies the types of their tasks: `live_tasks`, and for drafts `given_tasks` as they are set up."""
    tasks = Prefetch("tasks", Task.objects.filter(until=None).only("study_id", "type"), to_attr="live_tasks")
    return studies.annotate(given_tasks=F("setup__given__tasks")).prefetch_related(tasks)


def with_gaps(studies: QuerySet[Study]) -> QuerySet[Study]:
    """Add the columns that show the gaps of drafts: `given_consent` and `given_pay`, and whether there are texts."""
    # Sorted as their index is: to find that there is none, the database would read all rows of all set-ups otherwise.
    rows = SetupRow.objects.filter(setup=OuterRef("setup__pk"), table="items").order_by("setup", "table", "number")
    return studies.annotate(
        given_consent=F("setup__given__consent"),
        given_pay=F("setup__given__pay__amount"),
        given_texts=Subquery(rows.values("pk")[:1]),
    )


def waiting(studies: QuerySet[Study]) -> QuerySet[Study]:
    """Return the studies that wait for a researcher: paused ones, and open ones in which every place is answered."""
    under_way = with_progress(studies.filter(state__in=(Study.State.OPEN, Study.State.PAUSED)))
    return under_way.filter(Q(state=Study.State.PAUSED) | Q(places__gt=0, answered__gte=F("places")))


def number_of(rows: QuerySet[Any], counted: Aggregate) -> Coalesce:
    """Return a number of grouped rows as a sub-query, 0 where there are none."""
    return Coalesce(Subquery(rows.annotate(n=counted).values("n"), output_field=IntegerField()), Value(0))


@dataclass(frozen=True, slots=True)
class Contents:
    """The evaluated content of a study, in numbers; `checks` counts the items with known answers."""

    items: int
    outputs: int
    identical: int
    systems: Sequence[tuple[str, str, int]]
    units: int
    checks: int


def contents(study: Study) -> Contents:
    """Count items, outputs and units in three queries; `identical` outputs share the text of another of their item."""
    outputs = evaluated.outputs(study)
    twins = outputs.order_by().values("item", "digest").annotate(n=Count("id")).filter(n__gt=1)
    units = Unit.objects.filter(task__study=OuterRef("pk"), until=None).exclude(gold__kind=Gold.Kind.WORSE)
    counted = (
        Study.objects.filter(pk=study.pk)
        .annotate(
            n_items=number_of(evaluated.items(study).order_by().values("study"), Count("id")),
            n_all=number_of(Item.objects.filter(study=OuterRef("pk"), until=None).values("study"), Count("id")),
            n_units=number_of(units.order_by().values("task__study"), Count("id")),
        )
        .values("n_items", "n_all", "n_units")
        .get()
    )
    own = Output.objects.filter(system=OuterRef("pk"), until=None)
    of_system = evaluated.outputs(study).filter(system=OuterRef("pk")).order_by().values("system")
    counted_systems = (
        System.objects.filter(study=study)
        .exclude(key=COPIES)
        .annotate(n=number_of(of_system, Count("id")), has_texts=Exists(own))
        .order_by("id")
        .values_list("key", "kind", "n", "has_texts")
    )
    # Those with evaluated texts, and those without any, as `evaluated.systems` has them.
    systems = [(key, kind, n) for key, kind, n, has_texts in counted_systems if n or not has_texts]
    return Contents(
        items=counted["n_items"],
        outputs=sum(n for _key, _kind, n in systems),
        identical=twins.aggregate(total=Coalesce(Sum("n"), 0))["total"],
        systems=systems,
        units=counted["n_units"],
        checks=counted["n_all"] - counted["n_items"],
    )


def items_of(study: Study, words: str = "") -> QuerySet[Item]:
    """Return the items of a study with their outputs, without the degraded copies that the tool made.

    With `words`, only items whose name, source or an output contains them, whatever the case.
    """
    own = Output.objects.exclude(system__key=COPIES)
    items = Item.objects.filter(study=study, until=None).order_by("id")
    if words:
        shown = own.filter(item=OuterRef("pk"), until=None, text__icontains=words)
        items = items.filter(Q(key__icontains=words) | Q(source__icontains=words) | Exists(shown))
    return items.prefetch_related(Prefetch("outputs", own.select_related("system", "media", "captions")))


def booklets_by_state(study: Study) -> dict[str, int]:
    """Count booklets by state, and under "kept" those that are reserved for invited people."""
    rows = Booklet.objects.filter(task__study=study).values_list("state").order_by()
    counts = list(rows.annotate(n=Count("id"), kept=Count("invitation")))
    return {**{state: n for state, n, _kept in counts}, **({"kept": sum(row[2] for row in counts)} if counts else {})}
