"""The raters of a study as a researcher sees them: by pseudonym, with how far they are; never with an answer."""

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Sum

from tasks_app.models import Identity, Rater, Study

ANSWERED = Q(assignments__state__in=("submitted", "surplus", "replaced"), assignments__purpose="main")


def raters_of(study: Study) -> "QuerySet[Rater]":
    """Return the raters who came by themselves, newest first, with counts, active seconds and whether an id is kept."""
    raters = Rater.objects.filter(study=study).exclude(kind=Rater.Kind.IMPORTED)
    return raters.annotate(
        n_answered=Count("assignments", filter=ANSWERED, distinct=True),
        n_given=Count("assignments", filter=Q(assignments__purpose="main"), distinct=True),
        seconds=Sum("assignments__judgments__seconds_active"),
        has_identity=Exists(Identity.objects.filter(rater=OuterRef("pk"))),
    ).order_by("-id")
