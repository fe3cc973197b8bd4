"""Insert many rows by COPY: a run may exclude 100,000 ratings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db import connection, models

# Rows that are made into text and sent at a time.
CHUNK = 1000

_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def copy_in(rows: Iterable[models.Model], columns: Sequence[str]) -> None:
    """Insert unsaved rows of one model; only `columns` (names of columns) are filled, the rest by the database.

    Constraints hold as with INSERT. The rows get no ids.
    """
    source = iter(rows)
    first = next(source, None)
    if first is None:
        return
    table = connection.ops.quote_name(first._meta.db_table)
    names = ", ".join(connection.ops.quote_name(name) for name in columns)
    fields = {one.column: one.attname for one in first._meta.concrete_fields}
    attributes = [fields[name] for name in columns]
    # Django translates what statements raise, but not what COPY does.
    with connection.cursor() as cursor, connection.wrap_database_errors:
        cursor.copy_expert(f"COPY {table} ({names}) FROM STDIN", _Text(_lines(first, source, attributes)))


def _lines(first: models.Model, rest: Iterator[models.Model], attributes: Sequence[str]) -> Iterator[str]:
    yield _line(first, attributes)
    for one in rest:
        yield _line(one, attributes)


def _line(row: models.Model, attributes: Sequence[str]) -> str:
    return "\t".join(_cell(getattr(row, name)) for name in attributes) + "\n"


def _cell(value: Any) -> str:
    if value is None:
        return "\\N"
    if isinstance(value, bool):
        return "t" if value else "f"
    if isinstance(value, (dict, list)):
        value = DjangoJSONEncoder(sort_keys=True, ensure_ascii=False).encode(value)
    return str(value).translate(_ESCAPES)


class _Text:
    """What COPY reads from: lines that are made while they are read."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines

    def read(self, _size: int = -1) -> str:
        """Return some lines, and nothing once there are no more."""
        return "".join(line for _number, line in zip(range(CHUNK), self._lines, strict=False))
