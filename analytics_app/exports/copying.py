"""From a COPY in PostgreSQL to an iterator of bytes, at constant memory.

A thread reads what the server sends and puts it into a bounded queue; whoever iterates takes it out. A slow reader
therefore slows the server down, and nothing piles up here.
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

# A slow line may take its time, and still nobody holds a transaction open for ever.
LONGEST_EXPORT = "1h"

# A whole table is read, so hash joins are right however little the planner knows. Without this, a study that was
# imported a minute ago, before statistics were gathered, took hours instead of seconds.
PLANNING = "SET LOCAL enable_nestloop = off"

# How COPY writes text as it is: a quote and a delimiter that JSON always escapes.
RAW = "FORMAT csv, QUOTE E'\\x01', DELIMITER E'\\x02'"
CSV = "FORMAT csv"
# How COPY ends a row.
LINE_FEED = b"\n"


class ConnectionBusy(RuntimeError):
    """The connection is sending an export: exhaust or close the iterator before asking the database anything else."""


def copy_out(
    query: str, params: Mapping[str, Any], *, options: str, head: bytes = b"", line_end: bytes = LINE_FEED
) -> Generator[bytes, None, None]:
    """Yield what `COPY (query) TO STDOUT WITH (options)` writes, after `head`, with each row ended by `line_end`.

    It runs on the connection of whoever iterates, in a transaction of its own, so it sees what they see. The
    connection is busy from the first chunk until the generator is exhausted or closed; closing it early cancels the
    COPY, and the connection is as good as before.

    Raises
    ------
    django.db.DatabaseError
        While iterating, for whatever the server reports; what came before is incomplete then.
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
    """Reads a COPY into the queue `chunks`; None ends it, and `error` says why it ended early."""

    def __init__(self, cursor: Any, statement: str, head: bytes, line_end: bytes) -> None:
        super().__init__(name="evalweb-export", daemon=True)
        self.chunks: Queue[bytes | None] = Queue(CHUNKS_WAITING)
        self.error: BaseException | None = None
        self._cursor = cursor
        self._statement = statement
        self._pieces = _Pieces(self.chunks.put, head, line_end)

    def run(self) -> None:
        """Read until the COPY ends, one way or the other."""
        try:
            # PostgreSQL sends each row in a message of its own; gathering them is left to what is not Python.
            gathered = BufferedWriter(self._pieces, CHUNK_BYTES)
            self._cursor.copy_expert(self._statement, gathered)
            gathered.flush()
            self._pieces.finish()
        except BaseException as error:
            # Whatever it is, the reader must hear of it, and nobody else would.
            self.error = error
        finally:
            self._pieces.wanted = False
            self.chunks.put(None)

    def stop(self, cancel: Callable[[], None]) -> None:
        """End the COPY if it still runs, and wait for the thread. The server's complaint is no error then."""
        if not self.is_alive():
            return
        self._pieces.wanted = False
        cancel()
        # One chunk may still be on its way, and the None after it: both fit into an empty queue.
        while not self.chunks.empty():
            self.chunks.get_nowait()
        self.join()
        self.error = None


class _Pieces(RawIOBase):
    """Hands on what a COPY writes, after `head`, with each row ended by `line_end`; nothing once it is not `wanted`.

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
        """Say that it can be written to."""
        return True

    def write(self, data: Buffer, /) -> int:
        """Take some rows, of which the first and the last may be incomplete."""
        piece = bytes(data)
        if self.wanted:
            ended = piece if self._line_end == LINE_FEED else self._ended(piece)
            self._hand_on(self._head + ended)
            self._head = b""
        return len(piece)

    def finish(self) -> None:
        """Hand on the head where no row came."""
        if self.wanted and self._head:
            self._hand_on(self._head)

    def _ended(self, piece: bytes) -> bytes:
        """Replace line feeds between quoted texts, never within: every second part between quotes is one."""
        parts = piece.split(b'"')
        for number in range(self._quoted, len(parts), 2):
            parts[number] = parts[number].replace(LINE_FEED, self._line_end)
        self._quoted ^= len(parts) % 2 == 0
        return b'"'.join(parts)
