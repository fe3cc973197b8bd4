"""Read requests whole, within the limit of their address, before Django gets them.

A request that is refused is passed on without its body, with the status in `REFUSAL`; evalweb.bodies answers it with
the site's own page. No client can set that key, since headers are named HTTP_… there.
"""

import logging
import sys
import tempfile
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import IO, Any
from urllib.parse import unquote_to_bytes

from evalweb.front.pace import ClientGone, Pace
from tasks_app.uploads.request_sizes import MIB

log = logging.getLogger("evalweb.front")

REFUSAL = "evalweb.refusal"
Environ = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]


class Refused(Exception):
    """The body is not read any further; `status` says why."""

    def __init__(self, status: HTTPStatus) -> None:
        super().__init__(status)
        self.status = status


def environ_of(scope: dict[str, Any]) -> Environ:
    """Return the WSGI environment of an ASGI request, without its body."""
    server, client = scope.get("server") or ("", 0), scope.get("client") or ("", 0)
    environ: Environ = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(scope["raw_path"]).decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "SERVER_NAME": str(server[0]),
        "SERVER_PORT": str(server[1]),
        "REMOTE_ADDR": str(client[0]),
        "wsgi.version": (1, 0),
        # A proxy that ends TLS is believed by Django, and only where EVALWEB_HTTPS says that there is one.
        "wsgi.url_scheme": "http",
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }
    for name, value in scope["headers"]:
        key, text = name.decode("latin-1").upper().replace("-", "_"), value.decode("latin-1")
        if key not in {"CONTENT_TYPE", "CONTENT_LENGTH"}:
            key = f"HTTP_{key}"
        if key in environ:
            text = f"{environ[key]}{'; ' if key == 'HTTP_COOKIE' else ','}{text}"
        environ[key] = text
    return environ


def declared_length(environ: Environ) -> int | None:
    """Return the length that a request claims; None for a chunked body, which comes without one."""
    if "HTTP_TRANSFER_ENCODING" in environ:
        return None
    length = environ.get("CONTENT_LENGTH", "0")
    return int(length) if length.isascii() and length.isdecimal() else 0


async def read_body(receive: Receive, length: int | None, limit: int) -> IO[bytes]:
    """Read a body of at most `limit` bytes, in memory up to a mebibyte and else in a temporary file.

    Raises
    ------
    Refused
        413 before anything is read where the claimed length is too large, or once too much has come; 408 for a
        client that is too slow; 503 where the disk has no room for it.
    ClientGone
        Where the client left before the end: half a form is no answer.
    """
    if length is not None and length > limit:
        raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    body = tempfile.SpooledTemporaryFile(max_size=MIB)  # noqa: SIM115  closed by who answers the request
    try:
        await _fill(body, receive, limit)
    except BaseException:
        body.close()
        raise
    body.seek(0)
    return body


async def _fill(body: IO[bytes], receive: Receive, limit: int) -> None:
    pace, more = Pace(), True
    while more:
        try:
            async with pace.waiting():
                message = await receive()
        except TimeoutError:
            raise Refused(HTTPStatus.REQUEST_TIMEOUT) from None
        if message["type"] != "http.request":
            raise ClientGone
        chunk, more = message.get("body", b""), message.get("more_body", False)
        pace.moved += len(chunk)
        if pace.moved > limit:
            raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        try:
            body.write(chunk)
        except OSError as problem:
            log.error("A large request cannot be kept on the disk: %s", problem)
            raise Refused(HTTPStatus.SERVICE_UNAVAILABLE) from problem


async def discard_body(receive: Receive) -> None:
    """Read on after a refusal, for a while: a connection that is closed meanwhile takes the answer with it."""
    pace = Pace()
    while pace.moved < DISCARDED:
        async with pace.waiting():
            message = await receive()
        pace.moved += len(message.get("body", b""))
        if message["type"] != "http.request" or not message.get("more_body", False):
            return


# A file that is only somewhat too large should meet with an explanation, and not with a broken connection.
DISCARDED = 256 * MIB
