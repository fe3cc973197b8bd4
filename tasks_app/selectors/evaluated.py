"""The evaluated texts of a study: items with known answers check raters, and no system is judged by them."""

from typing import TypeAlias

from django.db.models import Exists, OuterRef, Q, QuerySet

from tasks_app.models import Gold, Item, Output, Study, System
from tasks_app.settings.checks import COPIES

# A study, or the reference to one in a subquery.
OfStudy: TypeAlias = Study | OuterRef


def _is_known(item: str) -> Exists:
    """Return whether an item has known answers; degraded copies are of items that are evaluated."""
    known = Gold.objects.filter(unit__item=OuterRef(item), unit__until=None).exclude(kind=Gold.Kind.WORSE)
    return Exists(known)


def items(study: OfStudy) -> QuerySet[Item]:
    """Return the items of a study that are evaluated."""
    return Item.objects.filter(~_is_known("pk"), study=study, until=None)


def outputs(study: OfStudy) -> QuerySet[Output]:
    """Return the outputs of a study that are evaluated, without the degraded copies that the tool made."""
    every = Output.objects.filter(system__study=study, until=None)
    return every.exclude(system__key=COPIES).filter(~_is_known("item_id"))


def systems(study: OfStudy) -> QuerySet[System]:
    """Return the systems of a study that are evaluated, and those without any text."""
    own = Output.objects.filter(system=OuterRef("pk"), until=None)
    is_evaluated = Q(Exists(own.filter(~_is_known("item_id")))) | ~Exists(own)
    return System.objects.filter(is_evaluated, study=study).exclude(key=COPIES)
