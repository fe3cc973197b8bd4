"""Background jobs of this app. A job may arrive twice or never without harm."""

from __future__ import annotations

import logging

from celery import shared_task
from django.db import DatabaseError

from tasks_app.services import erasure
from tasks_app.services.waves import closing, reminders

log = logging.getLogger(__name__)


@shared_task(name="tasks_app.jobs.upkeep")
def upkeep() -> None:
    """Close what has closed, write down and send the messages that are due, and remove ids that are kept no longer."""
    for chore in (closing.close_over, reminders.fill, reminders.send_due, erasure.remove_old_identities):
        try:
            chore()
        except DatabaseError as error:
            log.warning("%s failed and will be tried again: %s", chore.__name__, error)
