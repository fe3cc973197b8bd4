"""Notify workers of work on projects. The rows decide: a notification that gets lost is sent again."""

from datetime import timedelta

from django.db.models import Exists, OuterRef
from django.db.models.functions import Now

from tasks_app.models import ProjectStep, ProjectWork
from tasks_app.services import broker

JOB = "tasks_app.jobs.work_on_project"

# Seconds after which work that is still waiting is notified of again, and until when such a notification counts.
AGAIN = 60


def notify_workers(*work_ids: int, expires: int | None = None) -> None:
    """Tell the workers about work on projects. Never raises: where the broker is away, they are told later."""
    broker.send(JOB, work_ids, expires=expires)


def notify_again() -> None:
    """Tell the workers about work that has been waiting for a while: nobody heard of it, or a process died."""
    waiting = ProjectStep.objects.filter(work=OuterRef("pk"), state=ProjectStep.State.WAITING)
    old = ProjectWork.objects.filter(Exists(waiting), created_at__lt=Now() - timedelta(seconds=AGAIN))
    if work_ids := list(old.values_list("pk", flat=True)):
        notify_workers(*work_ids, expires=AGAIN)
