"""End raters who left without a word when a study is closed, so that they are paid for their work."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from tasks_app.models import Rater, RaterSet, Study
from tasks_app.services import events
from tasks_app.services.judging import assignments


def absent(study: Study) -> QuerySet[Rater]:
    """Raters of a closed study who have not ended, whose leases are over, and who are waiting for no later wave."""
    if study.state != Study.State.CLOSED:
        return Rater.objects.none()
    sets = RaterSet.objects.filter(rater=OuterRef("pk"))
    held = sets.filter(
        Q(lease_until__gt=Now(), state=RaterSet.State.OPEN) | Q(opens_at__gt=Now()) | Q(closes_at__gt=Now())
    )
    raters = Rater.objects.filter(study=study, kind__in=Rater.Kind.COUNTED, erased_at=None)
    return raters.exclude(state=Rater.State.ENDED).filter(~Exists(held)).order_by("pk")


def end_absent(*, study: Study, by: events.Actor) -> int:
    """End them as if they had stopped: each in a transaction of its own, with the pay for what was done."""
    found = list(absent(study).select_related("study"))
    for rater in found:
        assignments.stop(rater=rater)
    if found:
        events.log(study, by, "absent raters ended", after={"raters": len(found)})
    return len(found)
