"""Compress pages, JSON and tables with gzip for clients that accept it.

docs/decisions/0125-answers-are-compressed.md has the measurements, and why pages with secrets are compressed.
"""

import re
import zlib
from collections.abc import Iterable, Iterator

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers
from django.utils.text import compress_string

from evalweb.front.responses import joined
from evalweb.middleware import GetResponse

# Below, an answer fits into the packet of its headers, and compressing saves nothing.
LEAST_BYTES = 500
# Tables are long and compress less: above this level they cost up to three times the CPU for a tenth of their size.
LEVEL_OF_STREAMS = 4
# Added to pages that cookies may have shaped, so that their exact length tells less about them.
MOST_RANDOM_BYTES = 100
GZIP = 16 + zlib.MAX_WBITS

# Images, films, zip, Parquet and workbooks are compressed already.
COMPRESSIBLE = re.compile(
    r"text/(?!event-stream)|application/(json|jsonl|x-ndjson|yaml|xml|javascript|[^;]+\+(json|xml|yaml))\b|image/svg\+xml"
)
WITHOUT_BODY_OR_PARTIAL = frozenset({204, 206, 304})


class CompressionMiddleware:
    """Compress the responses of views: whole, or while they are streamed.

    It stands below WhiteNoise, which sends static files from its own compressed copies, and below the log, which counts
    the time. It stands above all other middleware, which add headers to the answer or replace it.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Compress the response if its type, its size and the client allow it."""
        response: HttpResponseBase = self.get_response(request)
        if not _may_be_compressed(response):
            return response
        patch_vary_headers(response, ["Accept-Encoding"])
        if accepts_gzip(request.headers.get("Accept-Encoding", "")) and not _is_asked_by_another_site(request):
            _compress(response, with_padding=bool(request.COOKIES))
        return response


def accepts_gzip(header: str) -> bool:
    """Return whether an Accept-Encoding header allows gzip; a weight of 0 forbids it (RFC 9110, 12.5.3)."""
    weights = {}
    for part in header.lower().split(","):
        coding, _semicolon, weight = part.partition(";")
        weights[coding.strip()] = not re.fullmatch(r"\s*q\s*=\s*0(\.0*)?\s*", weight)
    return weights.get("gzip", weights.get("x-gzip", weights.get("*", False)))


def compressed(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Compress pieces as they come: the first at once, then 64 KiB at a time, each readable on arrival."""
    compressor = zlib.compressobj(LEVEL_OF_STREAMS, wbits=GZIP)
    for piece in joined(pieces):
        yield compressor.compress(piece) + compressor.flush(zlib.Z_SYNC_FLUSH)
    yield compressor.flush()


def _may_be_compressed(response: HttpResponseBase) -> bool:
    """Return whether a response is worth compressing and allows it."""
    headers = response.headers
    return (
        response.status_code not in WITHOUT_BODY_OR_PARTIAL
        and "Content-Encoding" not in headers
        and "Content-Range" not in headers
        and "no-transform" not in headers.get("Cache-Control", "")
        and COMPRESSIBLE.match(headers.get("Content-Type", "").lower()) is not None
        and (response.streaming or len(response.content) >= LEAST_BYTES)  # type: ignore[attr-defined]
    )


def _is_asked_by_another_site(request: HttpRequest) -> bool:
    """Return whether a page of another site makes a browser ask for something with cookies of this site.

    Such a page could choose a part of the answer, see the length on its way, and so guess another part (BREACH).
    """
    return bool(request.COOKIES) and request.headers.get("Sec-Fetch-Site") in {"cross-site", "same-site"}


def _compress(response: HttpResponseBase, *, with_padding: bool) -> None:
    if response.streaming:
        response.streaming_content = compressed(response.streaming_content)  # type: ignore[attr-defined]
        del response.headers["Content-Length"]
    else:
        padding = MOST_RANDOM_BYTES if with_padding else None
        response.content = compress_string(response.content, max_random_bytes=padding)  # type: ignore[attr-defined]
        response.headers["Content-Length"] = str(len(response.content))  # type: ignore[attr-defined]
    response.headers["Content-Encoding"] = "gzip"
    # The bytes differ from those that the view has named: the tag is a weak one (RFC 9110, 8.8.1).
    tag = response.headers.get("ETag", "")
    if tag.startswith('"'):
        response.headers["ETag"] = f"W/{tag}"
