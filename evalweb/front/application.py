"""The application that gunicorn's event loop calls: read the request, answer it in a thread, send the response."""

import asyncio
import logging
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from typing import Any

from evalweb import memory
from evalweb.front.pace import ClientGone
from evalweb.front.requests import (
    REFUSAL,
    Environ,
    Receive,
    Refused,
    declared_length,
    discard_body,
    environ_of,
    read_body,
)
from evalweb.front.responses import FileBody, Head, Pieces, Send, Sender, joined
from tasks_app.uploads.request_sizes import ORDINARY

log = logging.getLogger("evalweb.front")

Wsgi = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]
# Returns how many bytes the request may have, or refuses it; called in a thread, for large requests only.
LimitOfLarge = Callable[[Environ], int]
FILE_THREADS = 2
# The type of requests with uploaded files.
WITH_FILES = "multipart/form-data"


class Front:
    """Serves a WSGI application from an event loop, with `threads` threads that only ever compute."""

    def __init__(self, application: Wsgi, limit_of_large: LimitOfLarge, *, threads: int) -> None:
        self.application, self.limit_of_large = application, limit_of_large
        self.threads = ThreadPoolExecutor(threads, thread_name_prefix="page")
        self.file_threads = ThreadPoolExecutor(FILE_THREADS, thread_name_prefix="file")

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """Answer one request; a request to change to WebSockets is refused."""
        if scope["type"] != "http":
            await send({"type": "websocket.close"})
            return
        try:
            await self._serve(scope, receive, send)
        except ClientGone:
            # What gunicorn takes for "the client has left": it closes the connection and logs no error.
            raise asyncio.CancelledError from None

    async def _serve(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        environ = environ_of(scope)
        refused = await self._take_body(environ, receive)
        await self._answer(environ, send)
        if refused:
            try:
                await discard_body(receive)
            except TimeoutError:
                raise ClientGone from None

    async def _take_body(self, environ: Environ, receive: Receive) -> bool:
        """Put the whole body into the environment, or the reason why it is refused. Return whether it is."""
        loop = asyncio.get_running_loop()
        length = declared_length(environ)
        if length == 0:
            environ["wsgi.input"] = BytesIO()
            return False
        try:
            limit = ORDINARY
            if length is None or length > ORDINARY:
                limit = await loop.run_in_executor(self.threads, self.limit_of_large, environ)
            body = await read_body(receive, length, limit)
        except Refused as refusal:
            environ |= {REFUSAL: refusal.status, "wsgi.input": BytesIO(), "CONTENT_LENGTH": "0"}
            return True
        length = body.seek(0, 2)
        body.seek(0)
        environ |= {"wsgi.input": body, "CONTENT_LENGTH": str(length)}
        return False

    async def _answer(self, environ: Environ, send: Send) -> None:
        loop = asyncio.get_running_loop()
        pieces = Pieces(loop)
        work = loop.run_in_executor(self.threads, self._compute, environ, pieces)
        try:
            begun: set[asyncio.Future[Any]] = {work, pieces.head}
            await asyncio.wait(begun, return_when=asyncio.FIRST_COMPLETED)
            if not pieces.head.done():
                await self._send_whole(environ, *work.result(), Sender(send))
            else:
                await self._send_pieces(pieces.head.result(), pieces, work, Sender(send))
        except (asyncio.CancelledError, ClientGone):
            if environ["REQUEST_METHOD"] in {"GET", "HEAD"}:
                work.cancel()  # an answer of a rater is stored even if nobody waits any more
            raise
        finally:
            pieces.abandon()

    def _compute(self, environ: Environ, pieces: Pieces) -> tuple[Head, bytes | FileBody]:
        """In a thread: return the response, or hand it over in pieces where it is computed while it is sent."""
        try:
            with environ["wsgi.input"]:
                head = Head()
                environ["wsgi.file_wrapper"] = FileBody
                response = self.application(environ, head.start)
                if isinstance(response, FileBody):
                    return head, response.in_memory_if_small()
                return head, self._compute_body(environ, head, response, pieces)
        finally:
            if environ.get("CONTENT_TYPE", "").startswith(WITH_FILES):
                memory.give_back()

    def _compute_body(self, environ: Environ, head: Head, response: Iterable[bytes], pieces: Pieces) -> bytes:
        try:
            if head.is_without_body(environ["REQUEST_METHOD"]):
                return b""
            if not getattr(response, "streaming", True):
                return b"".join(response)
            pieces.begin(head)
            for piece in response if head.is_compressed else joined(response):
                pieces.put(piece)
            pieces.put(None)
        except ClientGone:
            log.info("A download was given up by its client")
        finally:
            if hasattr(response, "close"):
                response.close()
        return b""

    async def _send_whole(self, environ: Environ, head: Head, body: bytes | FileBody, sender: Sender) -> None:
        if isinstance(body, bytes):
            head.add_length(body, environ["REQUEST_METHOD"])
            await sender.head(head)
            await sender.body(body)
            return
        try:
            await sender.head(head)
            if head.is_without_body(environ["REQUEST_METHOD"]):
                await sender.body(b"")
            else:
                await sender.file(body, self.file_threads)
        finally:
            body.close()

    async def _send_pieces(self, head: Head, pieces: Pieces, work: "asyncio.Future[Any]", sender: Sender) -> None:
        """Send pieces as they come. Where computing fails halfway, raise: the client must not take it for the whole."""
        await sender.head(head)
        while True:
            next_piece = asyncio.ensure_future(pieces.get())
            await asyncio.wait({next_piece, work}, return_when=asyncio.FIRST_COMPLETED)
            if not next_piece.done() and work.exception() is not None:
                next_piece.cancel()
                await work
            piece = await next_piece
            if piece is None:
                break
            await sender.body(piece, more=True)
        await work
        await sender.body(b"")
