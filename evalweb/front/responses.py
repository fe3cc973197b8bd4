"""Pass responses from a thread to the event loop, which sends them at the client's pace."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import IO, Any

from evalweb.front.pace import ClientGone, Pace

PIECE = 64 * 1024
# Pieces of a response that wait for a slow client while its thread computes on.
WAITING_PIECES = 16

Send = Callable[[dict[str, Any]], Awaitable[None]]


@dataclass
class Head:
    """Status and headers of a response, as the application starts it."""

    status: int = 500
    headers: list[tuple[bytes, bytes]] = field(default_factory=list)

    def start(self, status: str, headers: list[tuple[str, str]], _exc_info: object = None) -> Callable[[bytes], None]:
        """Store status and headers; the `start_response` of WSGI."""
        self.status = int(status.split(" ", 1)[0])
        self.headers = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers]
        return _no_write

    def add_length(self, body: bytes, method: str) -> None:
        """State the length of a whole body, where the application has not."""
        if not self.is_without_body(method) and not any(name == b"content-length" for name, _value in self.headers):
            self.headers.append((b"content-length", str(len(body)).encode()))

    @property
    def is_compressed(self) -> bool:
        """Whether the body is compressed; the pieces of such a body are joined before they are compressed."""
        return any(name == b"content-encoding" for name, _value in self.headers)

    def is_without_body(self, method: str) -> bool:
        """Return whether HTTP allows this response no body."""
        return method == "HEAD" or self.status in {204, 304}


def _no_write(_data: bytes) -> None:
    raise NotImplementedError("No response is written by the callable of start_response.")


class FileBody:
    """An open file that is the body: the `wsgi.file_wrapper`, which Django uses for files it sends."""

    def __init__(self, file: IO[bytes], _block_size: int = 0) -> None:
        self.file, self.start = file, b""

    def __iter__(self) -> Iterator[bytes]:
        yield self.start
        while piece := self.file.read(PIECE):
            yield piece

    def in_memory_if_small(self) -> "bytes | FileBody":
        """Return the content of a small file, which is then closed, else the body as it is."""
        start = self.file.read(PIECE)
        if len(start) < PIECE:
            self.close()
            return start
        self.start = start
        return self

    def close(self) -> None:
        """Close the file."""
        self.file.close()


class Pieces:
    """The pieces of a response that is computed while it is sent, from a thread to the event loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.head: asyncio.Future[Head] = loop.create_future()
        self._pieces: asyncio.Queue[bytes | None] = asyncio.Queue(WAITING_PIECES)
        self._abandoned = False

    def begin(self, head: Head) -> None:
        """In the thread: hand over the head."""
        self.loop.call_soon_threadsafe(self.head.set_result, head)

    def put(self, piece: bytes | None) -> None:
        """In the thread: hand over a piece, or None for the end; ClientGone once nobody reads."""
        if not self._abandoned:
            asyncio.run_coroutine_threadsafe(self._pieces.put(piece), self.loop).result()
        if self._abandoned:
            raise ClientGone

    async def get(self) -> bytes | None:
        """In the event loop: return the next piece, or None at the end."""
        return await self._pieces.get()

    def abandon(self) -> None:
        """In the event loop: tell the thread that nobody reads any more, and free it where it waits."""
        self._abandoned = True
        while not self._pieces.empty():
            self._pieces.get_nowait()


def joined(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Join small pieces, such as the rows of a table, to pieces worth a change of thread; the first goes at once."""
    waiting: list[bytes] = []
    size, least = 0, 1
    for piece in pieces:
        waiting.append(piece)
        size += len(piece)
        if size >= least:
            yield b"".join(waiting)
            waiting, size, least = [], 0, PIECE
    if waiting:
        yield b"".join(waiting)


class Sender:
    """One response on its way to the client."""

    def __init__(self, send: Send) -> None:
        self._send, self._pace = send, Pace()

    async def head(self, head: Head) -> None:
        """Send status and headers."""
        await self._send({"type": "http.response.start", "status": head.status, "headers": head.headers})

    async def body(self, body: bytes, *, more: bool = False) -> None:
        """Send bytes, a piece at a time; ClientGone where the client does not take them in time."""
        for start in range(0, max(1, len(body)), PIECE):
            last = start + PIECE >= len(body) and not more
            piece = body[start : start + PIECE]
            try:
                async with self._pace.waiting():
                    await self._send({"type": "http.response.body", "body": piece, "more_body": not last})
            except TimeoutError:
                raise ClientGone from None
            self._pace.moved += len(piece)

    async def file(self, body: FileBody, readers: Executor) -> None:
        """Send a file, read in threads of their own: a slow client of a film must not hold one of Django's."""
        loop, pieces = asyncio.get_running_loop(), iter(body)
        while (piece := await loop.run_in_executor(readers, next, pieces, None)) is not None:
            await self.body(piece, more=True)
        await self.body(b"")
