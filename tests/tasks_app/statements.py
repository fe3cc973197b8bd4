"""Recording what is asked of the database: statements with their placeholders, and the locks held after each."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection

from tasks_app.services.database import CLAIMS, LOCK_ORDER, SUBMISSIONS

EXECUTE = re.compile(r"^EXECUTE (\w+)")

# Only tests have them: each runs in a transaction, in which those of the product are savepoints.
SAVEPOINTS = re.compile(r"^(RELEASE |ROLLBACK TO )?SAVEPOINT")

Execute = Callable[[str, Any, bool, dict[str, Any]], Any]


def _written(sql: str) -> str:
    """Return the text of a statement, also of one that was prepared and is executed by its name."""
    if (match := EXECUTE.match(sql)) is None:
        return sql
    with connection.connection.cursor() as cursor:
        cursor.execute("SELECT statement FROM pg_prepared_statements WHERE name = %s", [match[1]])
        return re.sub(r"^PREPARE \w+ AS\s+", "", cursor.fetchone()[0])


@contextmanager
def statements() -> Iterator[list[str]]:
    """Collect the statements of this connection as they were written, with placeholders in place of values."""
    sent: list[str] = []

    def record(execute: Execute, sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        if not SAVEPOINTS.match(sql):
            sent.append(re.sub(r"\s+", " ", _written(sql)).strip())
        return execute(sql, params, many, context)

    with connection.execute_wrapper(record):
        yield sent


# Locks of this connection's transaction by level. A row lock shows as the lock of its table, which lasts as long.
_HELD = """
SELECT virtualtransaction, CASE
    WHEN locktype = 'advisory' AND classid = %s THEN 'claims'
    WHEN locktype = 'advisory' AND classid = %s THEN 'submissions'
    ELSE CASE relation::regclass::text WHEN 'tasks_app_rater' THEN 'rater' WHEN 'tasks_app_raterset' THEN 'set'
         WHEN 'tasks_app_assignment' THEN 'assignment' END END
FROM pg_locks WHERE pid = pg_backend_pid() AND granted
 AND (locktype = 'advisory' OR locktype = 'relation' AND mode IN ('RowShareLock', 'RowExclusiveLock'))
"""


class Locks:
    """The locks that were taken, by transaction: for each the levels in the order in which they came."""

    def __init__(self) -> None:
        self.taken: dict[str, list[str]] = {}
        self.out_of_order: list[tuple[list[str], str]] = []
        self._looking = False

    def after(self, execute: Execute, sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        """Run a statement and write down what it has locked. Nobody waits for rows that it has only just inserted."""
        result = execute(sql, params, many, context)
        if self._looking or not connection.in_atomic_block:
            return result
        self._looking = True
        with connection.cursor() as cursor:
            cursor.execute(_HELD, [CLAIMS, SUBMISSIONS])
            held = cursor.fetchall()
        self._looking = False
        for transaction in {row[0] for row in held}:
            before = self.taken.setdefault(transaction, [])
            new = sorted({row[1] for row in held if row[1] is not None} - set(before), key=LOCK_ORDER.index)
            late = [one for one in new if before and LOCK_ORDER.index(one) < max(map(LOCK_ORDER.index, before))]
            if late and not sql.lstrip().startswith("INSERT"):
                self.out_of_order.append(([*before, *new], re.sub(r"\s+", " ", sql)[:200]))
            before += new
        return result


@contextmanager
def locks() -> Iterator[Locks]:
    """Record the locks that transactions of this connection take."""
    found = Locks()
    with connection.execute_wrapper(found.after):
        yield found
