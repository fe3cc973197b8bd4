"""Outcomes of raters that were measured elsewhere."""

from collections.abc import Iterator
from typing import Any

from django.db.models import Count

from analytics_app.models import MeasuredOutcome
from tasks_app.models import Study


def outcomes_of(study: Study) -> list[dict[str, Any]]:
    """Return each outcome and wave of a study with its numbers of values."""
    rows = MeasuredOutcome.objects.filter(study=study).values("outcome", "wave").order_by("outcome", "wave")
    return [dict(row) for row in rows.annotate(values=Count("id"))]


def values_of(study: Study) -> Iterator[tuple[str, str, int, str, float]]:
    """Yield pseudonym, group, wave, outcome and value of everything that was uploaded."""
    stored = MeasuredOutcome.objects.filter(study=study).select_related("rater__group")
    for row in stored.order_by("rater__pseudonym", "wave", "outcome"):
        group = row.rater.group.key if row.rater.group is not None else ""
        yield row.rater.pseudonym, group, row.wave, row.outcome, row.value
