"""Iterate over the bytes of a PostgreSQL COPY at constant memory.

A thread reads what the server sends and puts it into a bounded queue; the iterator takes it out. A slow reader
therefore slows the server down, and memory does not grow.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from io import BufferedWriter, RawIOBase
from queue import Queue
from threading import Thread
from typing import TYPE_CHECKING, Any

from django.db import connection, transaction

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer as Buffer

CHUNK_BYTES = 64 * 1024
CHUNKS_WAITING = 16

# Long enough for slow connections, but no client holds a transaction open for ever.
LONGEST_EXPORT = "1h"

# Whole tables are read, so hash joins are right even without statistics. With nested loops, a study that was
# imported a minute ago took hours instead of seconds.
PLANNING = "SET LOCAL enable_nestloop = off"

# COPY writes text unchanged if quote and delimiter are characters that JSON always escapes.
RAW = "FORMAT csv, QUOTE E'\\x01', DELIMITER E'\\x02'"
CSV = "FORMAT csv"
# How COPY ends a row.
LINE_FEED = b"\n"


class ConnectionBusy(RuntimeError):
    """The connection is sending an export: exhaust or close the iterator before any other query."""


def copy_out(
    query: str, params: Mapping[str, Any], *, options: str, head: bytes = b"", line_end: bytes = LINE_FEED
) -> Generator[bytes, None, None]:
    """Yield the output of `COPY (query) TO STDOUT WITH (options)`, after `head`, with `line_end` after each row.

    It runs on the caller's connection, in its own transaction. The connection is busy from the first chunk until the
    generator is exhausted or closed; closing it early cancels the COPY and frees the connection.

    Raises
    ------
    django.db.DatabaseError
        While iterating, for errors of the server; earlier chunks are then incomplete.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL statement_timeout = '{LONGEST_EXPORT}'; {PLANNING}")
        statement = cursor.mogrify(query, dict(params)).decode()
        pump = _Pump(cursor.cursor, f"COPY ({statement}) TO STDOUT WITH ({options})", head, line_end)
        with connection.execute_wrapper(_refuse):
            pump.start()
            try:
                while (chunk := pump.chunks.get()) is not None:
                    yield chunk
                pump.join()
            finally:
                pump.stop(connection.connection.cancel)
        if pump.error is not None:
            with connection.wrap_database_errors:
                raise pump.error


def _refuse(*_args: Any) -> Any:
    raise ConnectionBusy("An export is being read from this connection. Read it to its end, or close it, first.")


class _Pump(Thread):
    """Reads a COPY into the queue `chunks`, which None ends; `error` is set if it ended early."""

    def __init__(self, cursor: Any, statement: str, head: bytes, line_end: bytes) -> None:
        super().__init__(name="evalweb-export", daemon=True)
        self.chunks: Queue[bytes | None] = Queue(CHUNKS_WAITING)
        self.error: BaseException | None = None
        self._cursor = cursor
        self._statement = statement
        self._pieces = _Pieces(self.chunks.put, head, line_end)

    def run(self) -> None:
        """Read until the COPY ends or fails."""
        try:
            # PostgreSQL sends each row in a separate message; the buffered writer gathers them faster than Python code.
            buffer = BufferedWriter(self._pieces, CHUNK_BYTES)
            self._cursor.copy_expert(self._statement, buffer)
            buffer.flush()
            self._pieces.finish()
        except BaseException as error:
            # All errors are passed to the reader, since nobody else sees errors of this thread.
            self.error = error
        finally:
            self._pieces.wanted = False
            self.chunks.put(None)

    def stop(self, cancel: Callable[[], None]) -> None:
        """Cancel the COPY if it still runs, and wait for the thread; the server's error about it is ignored."""
        if not self.is_alive():
            return
        self._pieces.wanted = False
        cancel()
        # The thread may still put one chunk and None: both fit into an empty queue.
        while not self.chunks.empty():
            self.chunks.get_nowait()
        self.join()
        self.error = None


class _Pieces(RawIOBase):
    """Passes on the output of a COPY, after `head`, with each row ended by `line_end`, until `wanted` is false.

    The head waits for the first rows, so that a statement that fails at once sends nothing.
    """

    def __init__(self, hand_on: Callable[[bytes], None], head: bytes, line_end: bytes) -> None:
        super().__init__()
        self.wanted = True
        self._hand_on = hand_on
        self._head = head
        self._line_end = line_end
        self._quoted = False

    def writable(self) -> bool:
        """Return True, as COPY writes to this file."""
        return True

    def write(self, data: Buffer, /) -> int:
        """Receive some rows, of which the first and the last may be incomplete."""
        piece = bytes(data)
        if self.wanted:
            output = piece if self._line_end == LINE_FEED else self._ended(piece)
            self._hand_on(self._head + output)
            self._head = b""
        return len(piece)

    def finish(self) -> None:
        """Pass on the head if there was no row."""
        if self.wanted and self._head:
            self._hand_on(self._head)

    def _ended(self, piece: bytes) -> bytes:
        """Replace line feeds outside quoted texts: every second part between quotes is quoted."""
        parts = piece.split(b'"')
        for number in range(self._quoted, len(parts), 2):
            parts[number] = parts[number].replace(LINE_FEED, self._line_end)
        self._quoted ^= len(parts) % 2 == 0
        return b'"'.join(parts)
