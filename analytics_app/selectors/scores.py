"""Scores of automatic metrics in a study."""

from typing import Any

from django.db.models import Count, Max, Q
from django.utils.translation import gettext_lazy as _

from analytics_app.models import MetricScore
from analytics_app.ratings.metric_directions import lower_is_better
from tasks_app.models import Study

# The better direction of a metric, by whether lower is better; None where its name does not say.
BETTER = {True: _("lower"), False: _("higher"), None: _("higher, unless the plan says lower")}


def metrics_of(study: Study) -> list[dict[str, Any]]:
    """Return the metrics of a study: numbers of scored texts and whole systems, and the better direction in words."""
    rows = MetricScore.objects.filter(study=study).values("metric").order_by("metric")
    counted = rows.annotate(
        texts=Count("item"), wholes=Count("id", filter=Q(item=None)), signature=Max("signature", filter=~Q(item=None))
    )
    return [{**row, "better": BETTER[lower_is_better(row["metric"])]} for row in counted]
