"""What erasing a rater's answers does to runs: exclusions that name them go, and runs made before say so."""

from __future__ import annotations

from collections.abc import Collection

from django.db.models import F, Q

from analytics_app.models import Exclusion, ResultRow, Run
from tasks_app.models import Judgment, Rater

# What stands for a rater in rows of results whose answers were erased.
NOBODY = "erased"


def forget(*, rater: Rater, judgments: Collection[int]) -> None:
    """Take a rater's answers out of what refers to them, in the transaction that erases them."""
    ids = list(judgments)
    named = Q(rater=rater) | Q(judgment__in=ids) | Q(rating__judgment__in=ids)
    Exclusion.objects.filter(named, study=rater.study_id).delete()
    seen = Judgment.objects.filter(pk__in=ids)
    for run in Run.objects.filter(study=rater.study_id):
        n = seen.filter(pk__lte=run.judgment_high_water).count()
        if n:
            Run.objects.filter(pk=run.pk).update(erased_since=F("erased_since") + n)
    ResultRow.objects.filter(run__study=rater.study_id, rater=rater.pseudonym).update(rater=NOBODY)
