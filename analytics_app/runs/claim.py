"""Claim a part of a run for one worker, compute it and store it once, even if processes die on the way.

`attempt` is the fencing token: it grows with every claim, and what an earlier attempt brings is refused. Locks are
taken in one order: the part, then its run, then parts that wait for it. The run's row is locked last and for the merge
alone, so that parts of one run store their rows beside each other.
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
from analytics_app.runs.store import Gone, Superseded, store

HEARTBEAT_SECONDS = 5
# A worker that has been silent for twelve heartbeats is taken for dead.
DEAD_AFTER = timedelta(seconds=60)
TRIES = 5
# Who was told of a part and has not come by then is told again.
RING_AFTER = timedelta(seconds=60)

# The database is away, restarts or is too busy: the work is good and is done again.
DATABASE_AWAY = (OperationalError, InterfaceError)

log = logging.getLogger(__name__)


def due() -> QuerySet[RunPart]:
    """Return the parts that somebody should work on: queued, or begun by a worker that has died."""
    dead = Q(state=RunPart.State.RUNNING, heartbeat__lt=Now() - DEAD_AFTER)
    return RunPart.objects.filter(Q(state=RunPart.State.QUEUED) | dead, run__state__in=UNFINISHED)


def unheard() -> QuerySet[RunPart]:
    """Return the parts that are due and that nobody was told of lately."""
    return due().filter(Q(rung_at=None) | Q(rung_at__lt=Now() - RING_AFTER))


def work(part_id: int) -> bool:
    """Compute and store a part if it is to be had; returns whether it was.

    What goes wrong with the database puts the part back; what goes wrong in an analysis fails the run with a sentence.
    """
    part = claim(part_id)
    if part is None:
        return False
    if release_of(part.run.code_version) != release_of(project.EVALWEB_CODE_VERSION):
        fail(part, updated(part.run.code_version))
        return True
    began = monotonic()
    try:
        # What a COPY raises becomes Django's own errors here.
        with Heartbeat(part), connection.wrap_database_errors:
            outcome = compute.compute(part)
        if not connection.in_atomic_block and not connection.is_usable():
            connection.close()  # the database restarted meanwhile, and what was computed is still good
        store(part, outcome, seconds=monotonic() - began)
    except Superseded as reason:
        log.info("Part %s, attempt %s: %s", part.pk, part.attempt, reason)
    except Gone:
        release(part, "The run whose rows it could take over was removed.")
    except DATABASE_AWAY as error:
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
    """Take a part for this process; None where somebody else has it, or nothing is to be done about it."""
    found = due().filter(pk=part_id).select_for_update(of=("self",), skip_locked=True, no_key=True).first()
    if found is None:
        return None
    if found.attempt >= TRIES:
        _fail(found, found.error or died_each_time())
        return None
    RunPart.objects.filter(pk=part_id).update(
        state=RunPart.State.RUNNING, attempt=F("attempt") + 1, heartbeat=Now(), error=""
    )
    Run.objects.filter(pk=found.run_id, state=RunState.QUEUED).update(
        state=RunState.RUNNING, started=Coalesce("started", Now())
    )
    return RunPart.objects.select_related("run__study", "task", "criterion").get(pk=part_id)


class Heartbeat:
    """Renews the heartbeat of a part from a thread with a database connection of its own, until the block ends.

    It tells a long computation from a dead worker. `lost` says that another worker has claimed the part: what is
    computed here will be refused.
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
    """Put a part back if it is still this attempt's; where that fails its heartbeat ends and has the same effect."""
    try:
        _forget_broken_connection()
        RunPart.objects.filter(pk=part.pk, attempt=part.attempt, state=RunPart.State.RUNNING).update(
            state=RunPart.State.QUEUED, error=f"It was begun {part.attempt} times. {why}", rung_at=Now()
        )
    except DatabaseError as error:
        log.warning("Part %s could not be put back; it is taken for dead later: %s", part.pk, error)


def fail(part: RunPart, sentence: str) -> None:
    """Fail a part and with it its run, if the part is still this attempt's."""
    try:
        _forget_broken_connection()
        with transaction.atomic():
            mine = RunPart.objects.filter(pk=part.pk, attempt=part.attempt, state=RunPart.State.RUNNING)
            found = mine.select_for_update(of=("self",), no_key=True).first()
            if found is not None:
                _fail(found, sentence)
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
    """Return the release out of what is stored with a run, which may name the exact code after it."""
    return code_version.partition("+")[0]


def name_of(part: RunPart) -> str:
    """Say which part of a run it is."""
    name = f"{RunPart.Kind(part.kind).label} of the task {part.task.key}"
    return f"{name}, criterion {part.criterion.key}" if part.criterion is not None else name


# Sentences --------------------------------------------------------------------------------------------


def sentence_of(error: Exception) -> str:
    """Say what an analysis raised. What the database says is left out: it quotes rows."""
    kind = type(error).__name__
    if isinstance(error, MemoryError):
        return "There was not enough memory for it. Give the worker more, or analyse fewer criteria in one task."
    if isinstance(error, DatabaseError) or not str(error):
        return f"It stopped with {kind}. The worker's log says where. Please report this."
    return f"It stopped with {kind}: {error}"


def died_each_time() -> str:
    """Say why a part is not begun once more."""
    return (
        f"This part was begun {TRIES} times and its worker died each time, probably for want of memory. "
        "Give the worker more memory, then start a new run."
    )


def updated(code_version: str) -> str:
    """Say that an update came between: numbers of two releases do not belong into one run."""
    return (
        f"The run was started by evalweb {release_of(code_version)}, and this worker is evalweb "
        f"{release_of(project.EVALWEB_CODE_VERSION)}. See that all processes run the same, then start a new run."
    )


def too_long() -> str:
    """Say that a part met the limit of EVALWEB_TASK_SECONDS."""
    return (
        "It took longer than EVALWEB_TASK_SECONDS allows. Raise that for the worker, or lower the number of bootstrap "
        "samples, then start a new run."
    )
