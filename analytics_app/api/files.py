"""Send files in chunks: the beginning is computed before the status is sent, so that early failures are refused."""

from collections.abc import Generator

from django.http import StreamingHttpResponse
from rest_framework.request import Request

from analytics_app.exports.prefetched import Prefetched


def file_answer(request: Request, pieces: Generator[bytes, None, None], kind: str) -> StreamingHttpResponse:
    """Answer with a file of a content type; to HEAD without it, and without a length, which nobody knows."""
    if request.method == "HEAD":
        return StreamingHttpResponse((), content_type=kind)
    return StreamingHttpResponse(Prefetched(pieces), content_type=kind)
