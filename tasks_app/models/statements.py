"""Run statements that the ORM cannot express."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import connection


def rows(sql: str, params: Sequence[Any] | Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """Run one statement and return its rows."""
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        return list(cursor.fetchall())
