"""Reads of the links to results, and of the log of their use."""

from django.db.models import CharField, OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Cast, Concat, Now

from analytics_app.models import ResultsLink
from tasks_app.models import Event, Study

# What the log calls a link, before its number, and the verb for its use.
LINK = "results link "
USED = "viewed by link"


def links(study: Study) -> QuerySet[ResultsLink]:
    """Return the links to results of a study, the newest first, each with `used_at`: when its last use was logged."""
    about = Concat(Value(LINK), Cast(OuterRef("pk"), CharField()))
    used = Event.objects.filter(study=study, verb=USED, object=about).order_by("-at").values("at")[:1]
    return (
        ResultsLink.objects.filter(run__study=study)
        .select_related("run", "made_by")
        .annotate(used_at=Subquery(used), now=Now())
        .order_by("-pk")
    )
