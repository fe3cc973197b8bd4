"""Transactions of services: one for each write, retried after a conflict, with locks in one order.

Every transaction takes its locks in the order of `LOCK_ORDER`, from the study inwards, so that nobody waits in a
circle. It may leave out any of them, and holds what it takes to its end:

1. *claims*, an advisory lock of the study: whoever gives out or frees places, so that two raters never race for one;
2. *submissions*, an advisory lock of the study: shared by everybody who stores judgments, exclusive for a run while it
   reads which ratings exist (a bare max(id) would miss rows of open transactions) and for erasure;
3. *rater*: the row of the rater, so that all that one rater does happens one after the other;
4. *set*: the rows of the rater's sets, by number;
5. *assignment*: the rows of their assignments.

docs/decisions/0011 gives the reasons.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import ParamSpec, TypeVar

from django.db import NotSupportedError, OperationalError, connection, transaction

from tasks_app.models.statements import OUTDATED

CLAIMS, SUBMISSIONS = 1, 2

# Lock of a worker that works on a large set-up; it is taken by itself and held beyond transactions.
SETUP_WORKS = 3

# Lock of a worker that imports a file, in the same way; and one import at a time into a study, to the end of its
# transaction.
IMPORT_WORKS, IMPORTS = 4, 5

# Lock of a worker that computes scores of metrics, in the same way as that of a set-up.
SCORE_WORKS = 6

LOCK_ORDER = ("claims", "submissions", "rater", "set", "assignment")

TRIES = 3

# Serialisation failure and deadlock: the other transaction won, and the same work may succeed now.
COLLISIONS = ("40001", "40P01")

# A prepared statement that is outdated ends its transaction, too, and is prepared anew in the next.
WORTH_ANOTHER_TRY = COLLISIONS + OUTDATED

# The statement timeout ended a query, or an operator did.
CANCELLED = "57014"

P = ParamSpec("P")
R = TypeVar("R")


def atomically(function: Callable[P, R]) -> Callable[P, R]:
    """Run a service in one transaction, up to three times where it collides with another or a plan is outdated."""
    return retried(transaction.atomic(function))


def retried(function: Callable[P, R]) -> Callable[P, R]:
    """Run a service, one transaction or a single statement, up to three times: see `WORTH_ANOTHER_TRY`."""

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        for attempt in range(1, TRIES + 1):
            try:
                return function(*args, **kwargs)
            except (OperationalError, NotSupportedError) as error:
                nested = connection.in_atomic_block
                if nested or attempt == TRIES or getattr(error.__cause__, "pgcode", None) not in WORTH_ANOTHER_TRY:
                    raise
        raise AssertionError("unreachable: the last try returns or raises")

    return run


def released_early(function: Callable[P, R]) -> Callable[P, R]:
    """Run a service `atomically`, and give its locks back before its rows are on the disk.

    It returns once the disk has. For a lock that many wait for: they need not wait for each other's disk, and one write
    to the disk serves several (docs/decisions/0142). Within another transaction, that one decides.
    """
    in_outer_transaction = atomically(function)

    @retried
    def run_unhurried(*args: P.args, **kwargs: P.kwargs) -> R:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET LOCAL synchronous_commit = 'off'")
            return function(*args, **kwargs)

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        if connection.in_atomic_block:
            return in_outer_transaction(*args, **kwargs)
        result = run_unhurried(*args, **kwargs)
        _wait_for_disk()
        return result

    return run


def _wait_for_disk() -> None:
    """Wait until the disk has everything that was committed so far: a commit that writes waits for all before it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_logical_emit_message(true, 'evalweb', '')")


@contextmanager
def erasing() -> Iterator[None]:
    """Let the statements of the block delete from append-only tables, and change them: their triggers allow it then.

    An error in the block ends the transaction, and with it the setting.
    """
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL evalweb.erasing = 'on'")
        yield
        cursor.execute("SET LOCAL evalweb.erasing = 'off'")


def is_timeout(error: Exception) -> bool:
    """Return whether a query took longer than the statement timeout allows: trying again would not help."""
    return getattr(error.__cause__, "pgcode", None) == CANCELLED


def lock_claims(study_id: int) -> None:
    """Wait until nobody else gives out or frees places of this study."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [CLAIMS, study_id])


def share_submissions(study_id: int) -> None:
    """Announce that this transaction adds judgments; many may, a run that reads its high-water mark waits."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock_shared(%s, %s)", [SUBMISSIONS, study_id])


def lock_submissions(study_id: int) -> None:
    """Wait until every transaction that adds judgments has ended, and let none begin.

    Take it in a savepoint that is rolled back as soon as the marks are read: that releases it.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [SUBMISSIONS, study_id])


def expect_many_rows() -> None:
    """Plan the rest of the transaction for tables that grow while it writes.

    Triggers and foreign keys keep their plans as long as a connection lives. One that was made when a table had a
    single page reads the whole table for every new row, which takes too long with a thousand items.
    """
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute("DISCARD PLANS")


@contextmanager
def held_alone(kind: int, number: int) -> Iterator[bool]:
    """Hold the lock of a piece of background work for this process; False where another process holds it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s, %s)", [kind, number])
        is_mine = bool(cursor.fetchone()[0])
    try:
        yield is_mine
    finally:
        if is_mine:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s, %s)", [kind, number])


def is_free(kind: int, number: int) -> bool:
    """Return whether no process holds the lock of a piece of background work; held until the transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s, %s)", [kind, number])
        return bool(cursor.fetchone()[0])
