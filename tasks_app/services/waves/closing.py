"""Close waves that are over. Claims do the same, so that it holds without a worker."""

from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Now

from tasks_app.models import RaterSet, Study
from tasks_app.services.database import atomically, lock_claims
from tasks_app.services.judging import leases


def close_over() -> int:
    """Free the sets of waves that are over, in every study with waves; return the number of sets."""
    over = RaterSet.objects.filter(
        ~Q(opens_at=None) | ~Q(closes_at=None),
        rater__study=OuterRef("pk"),
        state=RaterSet.State.OPEN,
        lease_until__lt=Now(),
    )
    studies = Study.objects.filter(Exists(over)).order_by("pk")
    return sum(_close(study_id=pk) for pk in studies.values_list("pk", flat=True))


@atomically
def _close(*, study_id: int) -> int:
    lock_claims(study_id)
    return leases.free_expired(study_id)
