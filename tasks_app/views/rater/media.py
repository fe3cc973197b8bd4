"""Images, audio and video for raters: private files, streamed, of the rater's own units only."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from typing import BinaryIO

from django.core.files import File
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotModified, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from tasks_app import access
from tasks_app.models import Media
from tasks_app.services.study import cleaned

log = logging.getLogger(__name__)

PIECE = 64 * 1024  # bytes read at a time

# The name is the hash of the content: whoever has a file never needs to ask again.
CACHING = "private, max-age=31536000, immutable"

_RANGE = re.compile(r"bytes=([0-9]*)-([0-9]*)")


class Unsatisfiable(ValueError):
    """The bytes asked for are not in the file."""


class Slice:
    """Some bytes of an open file, piece by piece; the file is closed with the answer."""

    def __init__(self, file: File[bytes] | BinaryIO, start: int, length: int) -> None:
        self.file = file
        self.bytes_left = length
        file.seek(start)

    def __iter__(self) -> Iterator[bytes]:
        while self.bytes_left > 0 and (piece := self.file.read(min(PIECE, self.bytes_left))):
            self.bytes_left -= len(piece)
            yield piece

    def close(self) -> None:
        """Close the file."""
        self.file.close()


def part_of(header: str, size: int) -> tuple[int, int] | None:
    """Return first byte and length of the part that a Range header asks for; None where all is to be sent.

    Players ask for one range. Several at once, another unit or nonsense is answered with everything, as RFC 9110
    allows. Raises Unsatisfiable where the range begins after the end.
    """
    match = _RANGE.fullmatch(header.strip())
    if match is None or match.group() == "bytes=-":
        return None
    first, last = match.groups()
    # No file has so many bytes, and Python refuses to read longer numbers.
    if max(len(first), len(last)) > 18:
        raise Unsatisfiable(header)
    if not first:
        length = min(int(last), size)
        if length == 0:
            raise Unsatisfiable(header)
        return size - length, length
    start = int(first)
    end = min(int(last), size - 1) if last else size - 1
    if last and int(last) < start:
        return None
    if start >= size:
        raise Unsatisfiable(header)
    return start, end - start + 1


@require_safe
def media(request: HttpRequest, token: str, name: str) -> HttpResponseBase:
    """Send a file that is shown with one of the rater's units, whole or the part a player asks for."""
    return send(request, access.media_for_rater(access.rater_for_token(token), name))


def send(request: HttpRequest, row: Media) -> HttpResponseBase:
    """Send a file without metadata, whole or the part that was asked for; one that cannot be cleaned is not found."""
    row = _cleaned(row)
    # Who has seen the file as it was stored does not have its copy yet.
    tag = f'"{row.sha256}"' if row.clean_file == row.file else f'"{row.sha256}-clean"'
    if request.headers.get("If-None-Match") == tag:
        return _with_headers(HttpResponseNotModified(), row.kind, tag)
    header = request.headers.get("Range", "")
    if request.headers.get("If-Range", tag) != tag:
        header = ""
    try:
        part = part_of(header, row.clean_bytes)
    except Unsatisfiable:
        answer: HttpResponseBase = HttpResponse(status=416)
        answer.headers["Content-Range"] = f"bytes */{row.clean_bytes}"
        return _with_headers(answer, row.kind, tag)
    start, length = part or (0, row.clean_bytes)
    if request.method == "HEAD":
        answer = HttpResponse()
    else:
        try:
            opened = row.clean_file.open("rb")
        except FileNotFoundError as error:
            raise _lost(row) from error
        answer = StreamingHttpResponse(Slice(opened, start, length))
    if part is not None:
        answer.status_code = 206
        answer.headers["Content-Range"] = f"bytes {start}-{start + length - 1}/{row.clean_bytes}"
    answer.headers["Content-Length"] = str(length)
    return _with_headers(answer, row.kind, tag)


def _cleaned(row: Media) -> Media:
    """Return a file that can be sent."""
    try:
        row = cleaned.for_raters(row)
    except FileNotFoundError as error:
        raise _lost(row) from error
    if row.refusal:
        log.error("A media file is not sent, since it could not be cleaned (%s): %s", row.refusal, row.file.name)
        raise Http404
    return row


def _lost(row: Media) -> Http404:
    log.exception("A media file that the database knows is not in storage: %s", row.file.name)
    return Http404()


def _with_headers(answer: HttpResponseBase, kind: str, tag: str) -> HttpResponseBase:
    answer.headers["Content-Type"] = kind
    answer.headers["Content-Disposition"] = "inline"
    answer.headers["X-Content-Type-Options"] = "nosniff"
    answer.headers["Cross-Origin-Resource-Policy"] = "same-origin"
    answer.headers["Accept-Ranges"] = "bytes"
    answer.headers["Cache-Control"] = CACHING
    answer.headers["ETag"] = tag
    return answer
