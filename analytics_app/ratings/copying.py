"""Reading from PostgreSQL: few rows as tuples, many as one structured array from its binary COPY format."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from django.db import connection
from numpy.typing import NDArray

# The header of a binary COPY without extensions, and the two bytes after the last row.
HEADER_BYTES, END = 19, b"\xff\xff"

# Bytes gathered before they become an array.
BUFFER = 4 << 20


def rows(sql: str, *params: Any, **named: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, named or list(params))
        return list(cursor.fetchall())


def copy(sql: str, params: Mapping[str, Any], types: Mapping[str, type]) -> NDArray[Any]:
    """Run a SELECT of fixed-width columns that are never null as a binary COPY; returns a structured array."""
    collector = Collector(types)
    with connection.cursor() as cursor:
        query = cursor.mogrify(sql, dict(params)).decode() if params else sql
        # Django does not convert errors of a COPY by itself, and callers retry on Django's errors.
        with connection.wrap_database_errors:
            cursor.copy_expert(f"COPY ({query}) TO STDOUT (FORMAT binary)", collector)
    return collector.array()


class Collector:
    """File that a COPY writes to; converts buffers of whole rows into arrays, so that memory holds no second copy."""

    def __init__(self, types: Mapping[str, type]) -> None:
        wire: list[tuple[str, str]] = [("fields", ">i2")]
        for name, kind in types.items():
            wire += [(f"{name} length", ">i4"), (name, np.dtype(kind).newbyteorder(">").str)]
        self._wire = np.dtype(wire)
        self._native = np.dtype([(name, np.dtype(kind)) for name, kind in types.items()])
        self._buffer = bytearray()
        self._skip = HEADER_BYTES
        self._arrays: list[NDArray[Any]] = []

    def write(self, data: bytes) -> int:
        """Receive bytes from the server."""
        self._buffer += data
        if len(self._buffer) >= BUFFER:
            self._convert()
        return len(data)

    def _convert(self) -> None:
        rows, n_bytes_left = divmod(len(self._buffer) - self._skip, self._wire.itemsize)
        # The two bytes that end the data are not a row.
        if rows <= 0:
            return
        raw = np.frombuffer(self._buffer, dtype=self._wire, count=rows, offset=self._skip)
        native = np.empty(rows, dtype=self._native)
        for name in self._native.names or ():
            native[name] = raw[name]
        self._check(raw)
        self._arrays.append(native)
        del raw
        self._buffer = self._buffer[len(self._buffer) - n_bytes_left :]
        self._skip = 0

    def _check(self, raw: NDArray[Any]) -> None:
        if np.any(raw["fields"] != len(self._native.names or ())):
            raise ValueError("A row of a binary COPY has an unexpected length: a column is null or of no fixed width.")

    def array(self) -> NDArray[Any]:
        """Return all rows. Raises ValueError if the data are incomplete."""
        self._convert()
        if bytes(self._buffer[self._skip :]) != END:
            raise ValueError("A binary COPY broke off, or a column in it is null or not of fixed width.")
        return np.concatenate(self._arrays) if self._arrays else np.empty(0, dtype=self._native)
