"""The raters of a study as researchers see them: by pseudonym, with progress, without answers."""

from django.db.models import Count, Exists, OuterRef, QuerySet, Subquery, Sum

from tasks_app.models import Assignment, Identity, Judgment, Rater, Study
from tasks_app.selectors.studies import number_of


def raters_of(study: Study) -> "QuerySet[Rater]":
    """Return the raters who came by themselves, newest first, with counts, active seconds and whether an id is kept."""
    raters = Rater.objects.filter(study=study).exclude(kind=Rater.Kind.IMPORTED)
    main = Assignment.objects.filter(rater=OuterRef("pk"), purpose="main").order_by().values("rater")
    judgments = Judgment.objects.filter(assignment__rater=OuterRef("pk")).order_by().values("assignment__rater")
    # Sub-queries are worked out for the raters of a page alone, a join for all of them.
    return raters.annotate(
        n_answered=number_of(main.filter(state__in=Assignment.State.RATED), Count("id")),
        n_given=number_of(main, Count("id")),
        seconds=Subquery(judgments.annotate(n=Sum("seconds_active")).values("n")),
        has_identity=Exists(Identity.objects.filter(rater=OuterRef("pk"))),
    ).order_by("-id")
