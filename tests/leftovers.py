"""Rows that tests took back, which PostgreSQL keeps until somebody clears them away.

A test's rows are rolled back, not removed: later tests read through the rows of all tests before them, and PostgreSQL
plans for tables as large as they are on disk. After some thousand tests each query took three times as long.
So a file of tests leaves no table behind with many such rows.

What a transactional test stored is deleted after it. Django would truncate every table, which makes a new file for each
of them and for each of their indexes, and would then store anew what the apps brought along.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import psycopg2
import pytest
from django.db import connection
from django.db.backends.base.creation import TEST_DATABASE_PREFIX
from django.test import TransactionTestCase

from evalweb.local_services.postgres import SUPERUSER

MANY = 500
LEFT = "SELECT relname FROM pg_stat_user_tables WHERE n_dead_tup > %s ORDER BY relname"
# A table counts as never looked at again: PostgreSQL expects few rows where it has counted none, and goes on to do so.
FORGET = "SELECT pg_clear_relation_stats('public', %s)"
# No trigger runs meanwhile: those of foreign keys would ask for an order, and others keep answers from being deleted.
DELETE = """
SET session_replication_role = replica;
DO $$ DECLARE name text; BEGIN
  FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public'
      AND tablename NOT IN ('django_migrations', 'django_content_type', 'auth_permission') LOOP
    EXECUTE format('DELETE FROM %I', name);
  END LOOP;
END $$
"""


def pytest_configure() -> None:
    """Delete rows where Django would truncate tables."""
    TransactionTestCase._fixture_teardown = delete_rows


def delete_rows(_case: TransactionTestCase) -> None:
    """Delete what a transactional test has stored."""
    with own_cursor(user=SUPERUSER) as cursor:
        cursor.execute(DELETE)


@contextmanager
def own_cursor(**other: str) -> Iterator[Any]:
    """Open a connection of its own, since Django's is refused where a browser runs.

    Roles of a run have one password (tests/servers.py).
    """
    usual = connection.settings_dict
    named = {"host": usual["HOST"], "port": usual["PORT"], "user": usual["USER"], "password": usual["PASSWORD"]}
    with closing(psycopg2.connect(**named | other, dbname=usual["NAME"])) as own:
        own.autocommit = True
        with own.cursor() as cursor:
            yield cursor


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Clear away what a file has left in the test database, when its fixtures have ended."""
    ends = nextitem is not None and nextitem.path != item.path
    if ends and connection.settings_dict["NAME"].startswith(TEST_DATABASE_PREFIX):
        clear_away()


def clear_away(at_least: int = MANY) -> None:
    """Remove what is left of rows that were taken back from tables that have many of them."""
    with own_cursor() as cursor:
        cursor.execute(LEFT, [at_least])
        names = [name for (name,) in cursor.fetchall()]
        if names:
            cursor.execute(f"VACUUM {', '.join(names)}")
        for name in names:
            cursor.execute(FORGET, [name])
