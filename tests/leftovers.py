"""Rows that tests took back, which PostgreSQL keeps until somebody clears them away.

A test's rows are rolled back, not removed: later tests read through the rows of all tests before them, and PostgreSQL
plans for tables as large as they are on disk. After some thousand tests each query took three times as long.
So a file of tests leaves no table behind with many such rows.
"""

from contextlib import closing

import psycopg2
import pytest
from django.db import connection
from django.db.backends.base.creation import TEST_DATABASE_PREFIX

MANY = 500
LEFT = "SELECT relname FROM pg_stat_user_tables WHERE n_dead_tup > %s ORDER BY relname"
# A table counts as never looked at again: PostgreSQL expects few rows where it has counted none, and goes on to do so.
FORGET = "SELECT pg_clear_relation_stats('public', %s)"


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Clear away what a file has left in the test database, when its fixtures have ended."""
    ends = nextitem is not None and nextitem.path != item.path
    if ends and connection.settings_dict["NAME"].startswith(TEST_DATABASE_PREFIX):
        clear_away()


def clear_away(at_least: int = MANY) -> None:
    """Remove what is left of rows that were taken back from tables that have many of them.

    By a connection of its own, since Django's is refused where a browser runs.
    """
    usual = connection.settings_dict
    with closing(
        psycopg2.connect(
            host=usual["HOST"], port=usual["PORT"], user=usual["USER"], password=usual["PASSWORD"], dbname=usual["NAME"]
        )
    ) as own:
        own.autocommit = True
        with own.cursor() as cursor:
            cursor.execute(LEFT, [at_least])
            names = [name for (name,) in cursor.fetchall()]
            if names:
                cursor.execute(f"VACUUM {', '.join(names)}")
            for name in names:
                cursor.execute(FORGET, [name])
