"""Background jobs of this app. A job may arrive twice or never without harm."""

import logging

from celery import shared_task
from django.db import DatabaseError, InterfaceError

from tasks_app.importing.background import WORK as IMPORT
from tasks_app.projects import notifying, work
from tasks_app.services import erasure
from tasks_app.services.study import cleaned, removing
from tasks_app.services.waves import closing, reminders
from tasks_app.setup.background import WORK as SETUP

# A connection that was closed is reported as an InterfaceError, which Django does not derive from DatabaseError.
DATABASE_ERRORS = (DatabaseError, InterfaceError)

log = logging.getLogger(__name__)


@shared_task(name="tasks_app.jobs.upkeep")
def upkeep() -> None:
    """Close tasks and studies that are over, send due messages, remove old ids and rehearsals, and clean files."""
    chores = (
        closing.close_over,
        reminders.fill,
        reminders.send_due,
        erasure.remove_old_identities,
        notifying.notify_again,
        SETUP.notify_again,
        IMPORT.notify_again,
        cleaned.clean_earlier,
        removing.delete_old_rehearsals,
    )
    for chore in chores:
        try:
            chore()
        except DATABASE_ERRORS as error:
            log.warning("%s failed and will be tried again: %s", chore.__qualname__, error)


@shared_task(name=notifying.JOB)
def work_on_project(work_id: int) -> None:
    """Process the remaining studies of a project action."""
    try:
        work.work_off(work_id)
    except DATABASE_ERRORS as error:
        log.warning("Work %s on a project stopped; workers will be notified of it again: %s", work_id, error)


@shared_task(name=SETUP.job)
def work_on_setup(work_id: int) -> None:
    """Check the whole set-up of a draft, or store its texts, unless another process is doing that."""
    try:
        SETUP.work(work_id)
    except DATABASE_ERRORS as error:
        log.warning("Work %s on a set-up stopped; workers will be notified of it again: %s", work_id, error)


@shared_task(name=IMPORT.job)
def work_on_import(work_id: int) -> None:
    """Read, check and store a large file of ratings, unless another process is doing that."""
    try:
        IMPORT.work(work_id)
    except DATABASE_ERRORS as error:
        log.warning("Import %s stopped; workers will be notified of it again: %s", work_id, error)
