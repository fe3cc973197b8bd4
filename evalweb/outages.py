"""Errors that mean that nothing can be stored for now, so that the request may be tried again."""

import psycopg2
from django.db import DatabaseError, InterfaceError, OperationalError

from evalweb.local_services.processes import FULL_DISK


def is_outage(error: BaseException | None) -> bool:
    """Return whether an error came from a database that is away, and not from the statement, or from a full disk.

    Where PostgreSQL crashes while it answers, psycopg2 raises its general DatabaseError without an SQLSTATE, which
    Django passes on as a bare DatabaseError. Django raises that class itself as well, with another cause or none.
    """
    if isinstance(error, OperationalError | InterfaceError):
        return True
    if isinstance(error, OSError) and error.errno in FULL_DISK:
        return True
    cause = getattr(error, "__cause__", None)
    return type(error) is DatabaseError and isinstance(cause, psycopg2.DatabaseError) and cause.pgcode is None
