"""Background jobs: each takes ids and calls one service. A job may be delivered twice, or never, without harm."""

import logging

from celery import Task, shared_task
from django.db import DatabaseError, InterfaceError

from analytics_app.runs import claim, upkeep
from analytics_app.services import reopening
from analytics_app.services.computing.background import WORK as SCORES

log = logging.getLogger(__name__)


@shared_task(name="analytics_app.jobs.compute_part")
def compute_part(part_id: int) -> None:
    """Compute a part of a run, unless another process has claimed it."""
    try:
        claim.work(part_id)
    except DatabaseError as error:
        log.warning("Part %s could not be started; workers will be notified of it again: %s", part_id, error)


@shared_task(name="analytics_app.jobs.ring_again")
def ring_again() -> None:
    """Do the upkeep of runs, one task after the other: a task that fails does not stop the next."""
    for chore in (
        upkeep.ring_again,
        upkeep.start_again,
        upkeep.start_due,
        upkeep.clear_superseded,
        reopening.reopen_due,
        SCORES.notify_again,
    ):
        try:
            chore()
        except DatabaseError as error:
            log.warning("%s failed and will be tried again: %s", chore.__qualname__, error)


@shared_task(name=SCORES.job)
def compute_scores(work_id: int) -> None:
    """Compute metrics of a study's texts, unless another process is doing that."""
    try:
        SCORES.work(work_id)
    except (DatabaseError, InterfaceError) as error:
        log.warning("Scores %s stopped; workers will be notified of them again: %s", work_id, error)


@shared_task(name="analytics_app.jobs.beat_of_queue", bind=True)
def beat_of_queue(self: Task[..., None], queue: str) -> None:
    """Record that a worker has responded on a queue."""
    upkeep.note_beat(queue=queue, host=self.request.hostname or "")
