"""Addresses that fail in every way a page can, for tests of what stands around all pages."""

import errno

import psycopg2
from django.contrib import admin
from django.core.exceptions import BadRequest, PermissionDenied
from django.db import DatabaseError, InterfaceError, OperationalError, connection
from django.http import HttpRequest, HttpResponse
from django.urls import path

handler400 = "evalweb.views.bad_request"
handler403 = "evalweb.views.permission_denied"
handler404 = "evalweb.views.page_not_found"
handler500 = "evalweb.views.server_error"


def fine(request: HttpRequest, token: str = "") -> HttpResponse:
    """Answer."""
    return HttpResponse("fine")


def kept(request: HttpRequest) -> HttpResponse:
    """Answer with something a browser may keep."""
    return HttpResponse("kept", headers={"Cache-Control": "private, max-age=60"})


def broken(request: HttpRequest, token: str = "") -> HttpResponse:
    """Fail with a message that quotes what a rater wrote."""
    raise ValueError(f"cannot read the answer {request.POST.get('answer')!r} of {token}")


def refused(request: HttpRequest, token: str = "") -> HttpResponse:
    """Fail in the database, which quotes the value in its message."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT %s::int", [request.POST["answer"]])
    return HttpResponse("never")


def lost(request: HttpRequest) -> HttpResponse:
    """Fail as a view does whose database restarts."""
    raise OperationalError("server closed the connection unexpectedly")


def closed(request: HttpRequest) -> HttpResponse:
    """Fail as a view does whose connection was closed under it."""
    raise InterfaceError("connection already closed")


def crashed(request: HttpRequest) -> HttpResponse:
    """Fail as a view does whose database crashed in the middle of an answer."""
    raise DatabaseError("error with status PGRES_TUPLES_OK and no message from the libpq") from psycopg2.DatabaseError()


def full(request: HttpRequest) -> HttpResponse:
    """Fail as a view does that has no room for a file."""
    raise OSError(errno.ENOSPC, "No space left on device")


def unsaved(request: HttpRequest) -> HttpResponse:
    """Fail with a DatabaseError that Django raises itself."""
    raise DatabaseError("Save with update_fields did not affect any rows.")


def forbidden(request: HttpRequest) -> HttpResponse:
    """Refuse."""
    raise PermissionDenied


def senseless(request: HttpRequest) -> HttpResponse:
    """Refuse what makes no sense."""
    raise BadRequest("no")


urlpatterns = [
    path("fine/", fine),
    path("kept/", kept),
    path("lost/", lost),
    path("closed/", closed),
    path("crashed/", crashed),
    path("full/", full),
    path("unsaved/", unsaved),
    path("forbidden/", forbidden),
    path("senseless/", senseless),
    path("api/lost/", lost),
    path("r/<secret:token>/fine/", fine),
    path("r/<secret:token>/broken/", broken),
    path("r/<secret:token>/refused/", refused),
    path("join/<secret:token>/", fine),
    path("results/<secret:token>/", fine),
    path("admin/results/<int:number>/", fine),
    path("admin/", admin.site.urls),
]
