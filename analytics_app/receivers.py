"""What happens in tasks_app that starts a run. Nothing is received on a rater's request."""

from __future__ import annotations

from typing import Any

from django.dispatch import receiver

from analytics_app.models import RunTrigger
from analytics_app.services import upkeep
from tasks_app.models import Study
from tasks_app.signals import study_moved


@receiver(study_moved, dispatch_uid="analytics_app.analyse_when_closed")
def analyse_when_closed(*, study: Study, action: str, **_rest: Any) -> None:
    """Start the closing run in the transaction that closes a study; workers are told when it is committed."""
    if action == "close":
        upkeep.start_by_itself(study_id=study.pk, trigger=RunTrigger.CLOSING, if_due=False)
