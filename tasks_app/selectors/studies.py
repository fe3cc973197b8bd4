"""Reads for researchers' pages about a study."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, F, IntegerField, OuterRef, Prefetch, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from tasks_app.check_settings import COPIES
from tasks_app.models import Assignment, Booklet, Gold, Item, Output, Place, Rater, Study, System, Unit

ITEMS_ON_A_PAGE = 50


def with_progress(studies: QuerySet[Study]) -> QuerySet[Study]:
    """Add to each study of a list its places and how many have an answer, in the same query."""
    places = Place.objects.filter(unit__task__study=OuterRef("pk")).order_by().values("unit__task__study")
    answered = places.filter(Exists(_answers(OuterRef("pk"))))
    return studies.order_by("-created_at", "-id").annotate(
        places=_count(places),
        answered=_count(answered),
        n_raters=Count("raters", filter=~Q(raters__kind="sandbox")),
    )


def _answers(place: Any) -> QuerySet[Any]:
    return Assignment.objects.filter(place=place, state="submitted")


def _count(rows: QuerySet[Any]) -> Any:
    return Coalesce(Subquery(rows.annotate(n=Count("*")).values("n"), output_field=IntegerField()), Value(0))


@dataclass(frozen=True, slots=True)
class Contents:
    """What a study consists of, in numbers."""

    items: int
    outputs: int
    identical: int
    systems: Sequence[tuple[str, str, int]]
    units: int


def contents(study: Study) -> Contents:
    """Count items, outputs and units; `identical` outputs share the text of another system's for the same item."""
    outputs = Output.objects.filter(item__study=study, until=None).exclude(system__key=COPIES)
    return Contents(
        items=Item.objects.filter(study=study, until=None).count(),
        outputs=outputs.count(),
        identical=outputs.filter(
            Exists(
                Output.objects.filter(item=OuterRef("item"), digest=OuterRef("digest"), until=None)
                .exclude(pk=OuterRef("pk"))
                .exclude(system__key=COPIES)
            )
        ).count(),
        systems=list(
            System.objects.filter(study=study)
            .exclude(key=COPIES)
            .annotate(n=Count("outputs", filter=Q(outputs__until=None)))
            .order_by("id")
            .values_list("key", "kind", "n")
        ),
        units=Unit.objects.filter(task__study=study, until=None).exclude(gold__kind=Gold.Kind.WORSE).count(),
    )


def items_of(study: Study) -> QuerySet[Item]:
    """Return the items of a study with their outputs, without the degraded copies that the tool made."""
    outputs = Prefetch("outputs", Output.objects.exclude(system__key=COPIES).select_related("system"))
    return Item.objects.filter(study=study, until=None).prefetch_related(outputs).order_by("id")


def booklets_by_state(study: Study) -> dict[str, int]:
    """Count booklets by state."""
    rows = Booklet.objects.filter(task__study=study).values_list("state").annotate(n=Count("id")).order_by()
    return dict(rows)


def raters_of(study: Study) -> QuerySet[Rater]:
    """Return the raters of a study with what they have answered; no system is in sight."""
    return (
        Rater.objects.filter(study=study)
        .annotate(
            done=Count("assignments", filter=Q(assignments__state__in=("submitted", "surplus", "skipped"))),
            given=Count("assignments", filter=~Q(assignments__state__in=("expired", "returned"))),
        )
        .order_by(F("enrolled_at").desc(), "-id")
    )
