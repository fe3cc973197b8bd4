"""The raters of a study as researchers see them: by pseudonym, with progress, without answers."""

from typing import Any

from django.db.models import Count, Exists, IntegerField, OuterRef, QuerySet, Subquery, Sum, Value
from django.db.models.functions import Coalesce

from tasks_app.models import Assignment, Identity, Judgment, Rater, Study


def raters_of(study: Study) -> "QuerySet[Rater]":
    """Return the raters who came by themselves, newest first, with counts, active seconds and whether an id is kept."""
    raters = Rater.objects.filter(study=study).exclude(kind=Rater.Kind.IMPORTED)
    main = Assignment.objects.filter(rater=OuterRef("pk"), purpose="main").order_by().values("rater")
    judgments = Judgment.objects.filter(assignment__rater=OuterRef("pk")).order_by().values("assignment__rater")
    # Sub-queries are worked out for the raters of a page alone, a join for all of them.
    return raters.annotate(
        n_answered=_number(main.filter(state__in=Assignment.State.RATED)),
        n_given=_number(main),
        seconds=Subquery(judgments.annotate(n=Sum("seconds_active")).values("n")),
        has_identity=Exists(Identity.objects.filter(rater=OuterRef("pk"))),
    ).order_by("-id")


def _number(rows: "QuerySet[Assignment, Any]") -> Coalesce:
    return Coalesce(Subquery(rows.annotate(n=Count("id")).values("n"), output_field=IntegerField()), Value(0))
