"""Sentences by which services report the progress of long work."""

import logging
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any

from django.db import DatabaseError, InterfaceError, connection, models

# Is called with a sentence that says what is being done, each time that this changes.
Tell = Callable[[str], None]

# Seconds between two sentences that are written down.
TELL_EVERY = 1.0

log = logging.getLogger(__name__)


def tell_nobody(_sentence: str) -> None:
    """Say nothing."""


class Progress:
    """Writes the progress of background work into its row, through a connection of its own, at most once a second.

    Nobody else sees what the transaction of the work writes before it ends. The row has the columns `progress`,
    `asked_at` and `state`; it is written only as long as it is the same request, and under way.
    """

    def __init__(self, row: Any) -> None:
        model: type[models.Model] = type(row)
        self._table = model._meta.db_table
        self._row = row
        self._connection = connection.copy()
        self._next = 0.0

    def __enter__(self) -> "Progress":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, place: TracebackType | None
    ) -> None:
        self._connection.close()

    def tell(self, sentence: str) -> None:
        """Write down a sentence; where that fails, the work goes on."""
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + TELL_EVERY
        try:
            with self._connection.cursor() as cursor:
                cursor.execute(
                    f"UPDATE {self._table} SET progress = %s WHERE id = %s AND asked_at = %s AND state = %s",  # noqa: S608
                    [sentence[:200], self._row.pk, self._row.asked_at, self._row.State.WORKING.value],
                )
        except (DatabaseError, InterfaceError) as error:
            log.warning("The progress of %s %s could not be written: %s", self._table, self._row.pk, error)
            self._connection.close()
