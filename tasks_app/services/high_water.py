"""The highest id below which every row is committed: ids are drawn in one order and committed in another."""

from dataclasses import dataclass

from django.db import OperationalError, connection, transaction

from tasks_app.models.statements import rows
from tasks_app.services.database import lock_submissions

# Raters of the study wait as long as this lock is waited for: behind an import, which may take minutes, not at all.
PATIENCE = "1s"
LOCK_NOT_AVAILABLE = "55P03"


class Busy(Exception):
    """A long transaction stores many ratings, so that the present ratings cannot be told now."""


@dataclass(frozen=True, slots=True)
class Marks:
    """Numbers of a rating and of a judgment: every later addition has greater ones, and none below is missing."""

    rating: int
    judgment: int


def marks_of(study_id: int) -> Marks:
    """Read the greatest ids of all studies under the study's lock, and give the lock back at once.

    A transaction lock lives to the end of the transaction, or of the savepoint that is rolled back.

    Raises
    ------
    Busy
        Where an import holds the submissions lock.
    """
    try:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute(f"SET LOCAL lock_timeout = '{PATIENCE}'")
            lock_submissions(study_id)
            ((rating, judgment),) = rows(
                "SELECT COALESCE((SELECT max(id) FROM tasks_app_rating), 0),"
                " COALESCE((SELECT max(id) FROM tasks_app_judgment), 0)",
                [],
            )
            transaction.set_rollback(True)
    except OperationalError as error:
        if getattr(error.__cause__, "pgcode", None) == LOCK_NOT_AVAILABLE:
            raise Busy from error
        raise
    return Marks(int(rating), int(judgment))
