"""The heartbeat of a worker during a part, which tells long computations from dead workers."""

from __future__ import annotations

import logging
from threading import Event, Thread
from types import TracebackType

from django.db import DatabaseError, InterfaceError, connection
from django.db.models.functions import Now

from analytics_app.models import RunPart

EVERY_SECONDS = 5

log = logging.getLogger(__name__)


class Heartbeat:
    """Renews the heartbeat of a part from a thread with a database connection of its own, until the block ends.

    `lost` tells that the part has become somebody else's: what is computed here will be refused.
    """

    def __init__(self, part: RunPart) -> None:
        self.lost = False
        self._mine = RunPart.objects.filter(pk=part.pk, attempt=part.attempt, state=RunPart.State.RUNNING)
        self._part_id = part.pk
        self._ended = Event()
        self._thread = Thread(target=self._run, name=f"heartbeat of part {part.pk}", daemon=True)

    def __enter__(self) -> Heartbeat:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, place: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        try:
            while not self.lost and not self._ended.wait(EVERY_SECONDS):
                self._renew()
        finally:
            connection.close()

    def _renew(self) -> None:
        try:
            self.lost = not self._mine.update(heartbeat=Now())
        except (DatabaseError, InterfaceError) as error:
            log.warning("The heartbeat of part %s could not be renewed: %s", self._part_id, error)
            connection.close()
        if self.lost:
            log.warning("Part %s has gone to somebody else; what is computed here will be refused", self._part_id)
