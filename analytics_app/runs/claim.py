"""Claim a part of a run for one worker, compute it and store it once, even if processes die on the way.

`attempt` is the fencing token: it grows with every claim, and the outcome of an earlier attempt is refused. Locks are
taken in one order: the part, then its run, then parts that wait for it. The run's row is locked last and only for the
merge, so that parts of one run can store their rows at the same time.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from threading import Event, Thread
from time import monotonic
from types import TracebackType

from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings as project
from django.db import DatabaseError, InterfaceError, OperationalError, connection, transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Coalesce, Now

from analytics_app.models import UNFINISHED, Run, RunPart, RunState
from analytics_app.runs import compute
from analytics_app.runs.store import SourceRunRemoved, Superseded, store

HEARTBEAT_SECONDS = 5
# A worker without a heartbeat for this time (twelve heartbeats) is treated as dead.
DEAD_AFTER = timedelta(seconds=60)
TRIES = 5
# A part that no worker has claimed this long after its notification is notified again.
RING_AFTER = timedelta(seconds=60)

# The database is unavailable, restarts or is too busy: the part is computed again.
DATABASE_AWAY = (OperationalError, InterfaceError)
# PostgreSQL's code for a full disk. Computing the part again would not help before somebody has made room.
DISK_FULL = "53100"

log = logging.getLogger(__name__)


def due() -> QuerySet[RunPart]:
    """Return the parts to work on: queued, or begun by a worker that has died."""
    dead = Q(state=RunPart.State.RUNNING, heartbeat__lt=Now() - DEAD_AFTER)
    return RunPart.objects.filter(Q(state=RunPart.State.QUEUED) | dead, run__state__in=UNFINISHED)


def unnotified() -> QuerySet[RunPart]:
    """Return the parts that are due and have no recent notification."""
    return due().filter(Q(rung_at=None) | Q(rung_at__lt=Now() - RING_AFTER))


def work(part_id: int, *, drawn: bool = True) -> bool:
    """Compute and store a part if it can be claimed, without charts unless `drawn`, and return whether it was.

    An error of the database puts the part back; an error in an analysis fails the run with a sentence.
    """
    part = claim(part_id)
    if part is None:
        return False
    if release_of(part.run.code_version) != release_of(project.EVALWEB_CODE_VERSION):
        fail(part, updated(part.run.code_version))
        return True
    began = monotonic()
    try:
        # Errors of COPY become Django's own errors here.
        with Heartbeat(part), connection.wrap_database_errors:
            outcome = compute.compute(part, drawn=drawn)
        if not connection.in_atomic_block and not connection.is_usable():
            connection.close()  # the database restarted meanwhile, and what was computed is still good
        store(part, outcome, seconds=monotonic() - began)
    except Superseded as reason:
        log.info("Part %s, attempt %s: %s", part.pk, part.attempt, reason)
    except SourceRunRemoved:
        release(part, "The run whose rows it could take over was removed.")
    except DATABASE_AWAY as error:
        if getattr(error.__cause__, "pgcode", None) == DISK_FULL:
            # The lines below the first quote the row.
            log.warning("Part %s found no room: %s", part.pk, str(error).partition("\n")[0])
            fail(part, no_room())
            return True
        log.warning("Part %s goes back, since the database did not do its share: %s", part.pk, error)
        release(part, "The database did not answer, or took too long.")
    except SoftTimeLimitExceeded:
        fail(part, too_long())
    except Exception as error:
        log.exception("Part %s failed", part.pk)
        fail(part, sentence_of(error))
    except BaseException:
        release(part, "The process that worked on it was ended.")
        raise
    return True


@transaction.atomic
def claim(part_id: int) -> RunPart | None:
    """Claim a part for this process; None if another process has it or it is not due."""
    part = due().filter(pk=part_id).select_for_update(of=("self",), skip_locked=True, no_key=True).first()
    if part is None:
        return None
    if part.attempt >= TRIES:
        _fail(part, part.error or died_each_time())
        return None
    RunPart.objects.filter(pk=part_id).update(
        state=RunPart.State.RUNNING, attempt=F("attempt") + 1, heartbeat=Now(), error=""
    )
    Run.objects.filter(pk=part.run_id, state=RunState.QUEUED).update(
        state=RunState.RUNNING, started=Coalesce("started", Now())
    )
    return RunPart.objects.select_related("run__study", "task", "criterion").get(pk=part_id)


class Heartbeat:
    """A thread that renews the heartbeat of a part, with its own database connection, until the block ends.

    It distinguishes a long computation from a dead worker. `lost` is true if another worker has claimed the part: the
    outcome of this one will be refused.
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
            while not self.lost and not self._ended.wait(HEARTBEAT_SECONDS):
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


def release(part: RunPart, why: str) -> None:
    """Put a part back if it is still this attempt's; if that fails, the end of its heartbeat has the same effect."""
    try:
        _forget_broken_connection()
        RunPart.objects.filter(pk=part.pk, attempt=part.attempt, state=RunPart.State.RUNNING).update(
            state=RunPart.State.QUEUED, error=f"It was begun {part.attempt} times. {why}", rung_at=Now()
        )
    except DatabaseError as error:
        log.warning("Part %s could not be put back; it is taken for dead later: %s", part.pk, error)


def fail(part: RunPart, sentence: str) -> None:
    """Fail a part and its run, if the part is still this attempt's."""
    try:
        _forget_broken_connection()
        with transaction.atomic():
            claimed = RunPart.objects.filter(pk=part.pk, attempt=part.attempt, state=RunPart.State.RUNNING)
            current = claimed.select_for_update(of=("self",), no_key=True).first()
            if current is not None:
                _fail(current, sentence)
    except DatabaseError as error:
        log.warning("That part %s failed could not be stored; it is taken for dead later: %s", part.pk, error)


def _fail(part: RunPart, sentence: str) -> None:
    RunPart.objects.filter(pk=part.pk).update(state=RunPart.State.FAILED, error=sentence)
    Run.objects.filter(pk=part.run_id, state__in=UNFINISHED).update(
        state=RunState.FAILED, finished=Now(), error=f"{name_of(part)}: {sentence}"
    )


def _forget_broken_connection() -> None:
    if not connection.in_atomic_block:
        connection.close_if_unusable_or_obsolete()


def release_of(code_version: str) -> str:
    """Return the release from the code version of a run, which may have the exact commit after it."""
    return code_version.partition("+")[0]


def name_of(part: RunPart) -> str:
    """Return the name of a part of a run."""
    name = f"{RunPart.Kind(part.kind).label} of the task “{part.task}”"
    return f"{name}, criterion {part.criterion.key}" if part.criterion is not None else name


# Sentences --------------------------------------------------------------------------------------------


def sentence_of(error: Exception) -> str:
    """Return a sentence about an error in an analysis, without messages of the database, which quote rows."""
    kind = type(error).__name__
    if isinstance(error, MemoryError):
        return "There was not enough memory for it. Give the worker more, or analyse fewer criteria in one task."
    if isinstance(error, DatabaseError) or not str(error):
        return f"It stopped with {kind}. The worker's log says where. Please report this."
    return f"It stopped with {kind}: {error}"


def died_each_time() -> str:
    """Return the sentence about a part that lost its worker at every attempt."""
    return (
        f"This part was begun {TRIES} times and its worker died each time, probably for want of memory. "
        "Give the worker more memory, then start a new run."
    )


def updated(code_version: str) -> str:
    """Return the sentence about an update during a run, since its numbers must be from one release."""
    return (
        f"The run was started by evalweb {release_of(code_version)}, and this worker is evalweb "
        f"{release_of(project.EVALWEB_CODE_VERSION)}. See that all processes run the same, then start a new run."
    )


def no_room() -> str:
    """Return the sentence about rows for which the database had no room."""
    return (
        "The disk of the database is full, so nothing of this part was stored. Make room there, then start a new run."
    )


def too_long() -> str:
    """Return the sentence about a part that reached the limit of EVALWEB_TASK_SECONDS."""
    return (
        "It took longer than EVALWEB_TASK_SECONDS allows. Raise that for the worker, or lower the number of bootstrap "
        "samples, then start a new run."
    )
