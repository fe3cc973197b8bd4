"""Limit the size of requests by address, and accept files only where a view does."""

from http import HTTPStatus
from importlib import import_module
from io import BytesIO
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user
from django.core.exceptions import BadRequest
from django.core.files.uploadhandler import FileUploadHandler
from django.core.handlers.wsgi import WSGIRequest
from django.db import Error as DatabaseError
from django.db import close_old_connections
from django.http import HttpRequest, HttpResponse
from django.urls import Resolver404, resolve

from evalweb import views
from evalweb.front.requests import REFUSAL, Environ, Refused
from evalweb.middleware import GetResponse
from tasks_app.uploads.request_sizes import ORDINARY, largest_upload


class BodyMiddleware:
    """Refuse bodies that are too large before reading them, and files for views that accept none.

    It stands above CsrfViewMiddleware, which reads forms. Under gunicorn the front has held the limits already, and
    only its refusals are answered here; the limits hold again for any other server.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Pass the request on: only a view that was found has limits."""
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: Any, args: object, kwargs: object) -> HttpResponse | None:
        """Answer for a body that was or is refused; else let the view run."""
        upload = largest_upload(view)
        most = upload or ORDINARY
        if (status := request.META.get(REFUSAL)) is not None:
            return views.refused(request, status, most)
        if upload is None:
            request.upload_handlers = [NoFiles(request)]
        length = request.META.get("CONTENT_LENGTH") or "0"
        if not length.isdecimal() or int(length) <= ORDINARY:
            return None
        if int(length) > most:
            return views.refused(request, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, most)
        return None if request.user.is_authenticated else views.refused(request, HTTPStatus.FORBIDDEN, most)


class NoFiles(FileUploadHandler):
    """The only upload handler of a view that accepts no files."""

    def new_file(self, *_args: Any, **_kwargs: Any) -> None:
        """Refuse the request at the head of the file."""
        raise BadRequest("This address accepts no files")

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Take nothing."""

    def file_complete(self, file_size: int) -> None:
        """Keep nothing."""


def limit_of_large(environ: Environ) -> int:
    """Return the most bytes that a request above ORDINARY, or of unknown length, may have.

    Raises
    ------
    Refused
        403 where only people who are signed in may send files and nobody is; 503 where the database cannot say.
    """
    request = WSGIRequest({**environ, "wsgi.input": BytesIO(), "CONTENT_LENGTH": "0"})
    try:
        upload = largest_upload(resolve(request.path_info).func)
    except Resolver404:
        return ORDINARY
    if upload is None:
        return ORDINARY
    if not _is_signed_in(request):
        raise Refused(HTTPStatus.FORBIDDEN)
    return upload


def _is_signed_in(request: WSGIRequest) -> bool:
    engine = import_module(settings.SESSION_ENGINE)
    close_old_connections()
    try:
        request.session = engine.SessionStore(request.COOKIES.get(settings.SESSION_COOKIE_NAME))
        return get_user(request).is_authenticated
    except DatabaseError as error:
        raise Refused(HTTPStatus.SERVICE_UNAVAILABLE) from error
    finally:
        close_old_connections()
