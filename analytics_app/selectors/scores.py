"""Scores of automatic metrics in a study."""

from typing import Any

from django.db.models import Count, Q

from analytics_app.models import MetricScore
from tasks_app.models import Study


def metrics_of(study: Study) -> list[dict[str, Any]]:
    """Return the metrics of a study with their numbers of scored texts and scored whole systems."""
    rows = MetricScore.objects.filter(study=study).values("metric").order_by("metric")
    return [dict(row) for row in rows.annotate(texts=Count("item"), wholes=Count("id", filter=Q(item=None)))]
