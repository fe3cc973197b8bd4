"""Departures from the design: views of results by system before the study closed, and reopenings."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from django.db.models import Value
from django.db.models.fields.json import KeyTextTransform

from analytics_app.models import ResultLift
from tasks_app.models import Study


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
