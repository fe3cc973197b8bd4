"""The evaluated texts of a study: items with known answers check raters, and no system is judged by them."""

from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from tasks_app.models import Gold, Item, Output, Study, System
from tasks_app.settings.checks import COPIES


def _known(study: Study) -> QuerySet[Gold, Any]:
    """Return the items of a study with known answers; degraded copies are of items that are evaluated.

    They depend on no row of another table, so that the database finds these few once; asked for each text, it would
    look up all units of 100,000 texts.
    """
    known = Gold.objects.filter(unit__task__study=study, unit__item__isnull=False, unit__until=None)
    return known.exclude(kind=Gold.Kind.WORSE).values("unit__item")


def items(study: Study) -> QuerySet[Item]:
    """Return the items of a study that are evaluated."""
    return Item.objects.filter(~Q(pk__in=_known(study)), study=study, until=None)


def outputs(study: Study) -> QuerySet[Output]:
    """Return the outputs of a study that are evaluated, without the degraded copies that the tool made."""
    every = Output.objects.filter(system__study=study, until=None)
    return every.exclude(system__key=COPIES).filter(~Q(item__in=_known(study)))


def systems(study: Study) -> QuerySet[System]:
    """Return the systems of a study that are evaluated, and those without any text."""
    own = Output.objects.filter(system=OuterRef("pk"), until=None)
    is_evaluated = Q(Exists(own.filter(~Q(item__in=_known(study))))) | ~Exists(own)
    return System.objects.filter(is_evaluated, study=study).exclude(key=COPIES)
