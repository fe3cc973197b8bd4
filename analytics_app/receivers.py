"""Signals of tasks_app that start a run, make one outdated, or freeze the datasheet.

Nothing starts within a rater's request.
"""

from typing import Any

from django.dispatch import receiver

from analytics_app.models import RunTrigger
from analytics_app.runs import upkeep
from analytics_app.services import datasheet, deleting, erasing, extending
from tasks_app.hooks.signals import deletion_asked, extension_asked, rater_erased, study_moved
from tasks_app.models import Rater, Study
from tasks_app.services.study.deleting import Dependents


@receiver(rater_erased, dispatch_uid="analytics_app.forget_erased")
def forget_erased(*, rater: Rater, judgments: list[int], **_rest: Any) -> None:
    """Let go of answers that are about to be erased."""
    erasing.forget(rater=rater, judgments=judgments)


@receiver(study_moved, dispatch_uid="analytics_app.freeze_datasheet")
def freeze_datasheet(*, study: Study, action: str, **_rest: Any) -> None:
    """Store the current datasheet when a version is opened for the first time."""
    if action == "open":
        datasheet.freeze(study)


@receiver(study_moved, dispatch_uid="analytics_app.analyse_when_closed")
def analyse_when_closed(*, study: Study, action: str, **_rest: Any) -> None:
    """Start the closing run in the transaction that closes a study; workers are notified after the commit."""
    if action == "close":
        upkeep.start_by_itself(study_id=study.pk, trigger=RunTrigger.CLOSING, if_due=False)


@receiver(deletion_asked, dispatch_uid="analytics_app.before_deletion")
def before_deletion(*, study: Study, **_rest: Any) -> Dependents:
    """Say which runs and links to results a study has that may be deleted."""
    return deleting.dependents(study)


@receiver(extension_asked, dispatch_uid="analytics_app.meaning_of_extension")
def meaning_of_extension(*, study: Study, most: int, **_rest: Any) -> str:
    """Say whether judgments at added places count in the planned run."""
    return extending.meaning(study, most)
