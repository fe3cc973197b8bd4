"""Refusals of the API: a status, a code for programs (`error`) and a sentence for people (`detail`)."""

import math
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.utils.translation import gettext_lazy as _
from rest_framework import exceptions, status
from rest_framework.response import Response


class BadToken(exceptions.AuthenticationFailed):
    """The token is none of ours, was revoked or has expired; which of these is nobody's business."""

    default_detail = _("This token is not valid: it is wrong, was revoked or has expired. Make a new one.")
    default_code = "bad_token"


class NoToken(exceptions.NotAuthenticated):
    """No token came with the request."""

    default_detail = _("Send a token: “Authorization: Bearer ewt_…”. Make one under Data → API of a study.")
    default_code = "no_token"


class ScopeMissing(exceptions.PermissionDenied):
    """The token may do less than this."""

    default_code = "scope_missing"

    def __init__(self, scope: str) -> None:
        super().__init__(_("This token lacks the scope %(scope)s. Make one that has it.") % {"scope": scope})


class RoleMissing(exceptions.PermissionDenied):
    """The person may see the study and not change it."""

    default_detail = _("Only editors and owners of the study may do this. Ask an owner to make you an editor.")
    default_code = "role_missing"


class UnderWay(exceptions.PermissionDenied):
    """The study is open, and the person is no owner of it."""

    default_detail = _(
        "The study is not closed yet, so only its owners can export answers. Ask an owner, or wait until it is closed."
    )
    default_code = "under_way"


class NotFound(exceptions.NotFound):
    """There is nothing at the address, or nothing this person may see."""

    default_detail = _("There is nothing at this address, or nothing that you may see.")


class BadRequest(exceptions.ValidationError):
    """The request cannot be understood as it is."""

    default_code = "bad_request"


class TooLarge(exceptions.APIException):
    """The body is larger than anything that is asked for here."""

    status_code = status.HTTP_413_REQUEST_ENTITY_TOO_LARGE
    default_code = "too_large"


class Unprocessable(exceptions.APIException):
    """The request is understood and cannot be done."""

    status_code = status.HTTP_422_UNPROCESSABLE_ENTITY
    default_code = "unprocessable"


class Busy(exceptions.APIException):
    """The server is busy; the same request can succeed a little later."""

    status_code = status.HTTP_503_SERVICE_UNAVAILABLE
    default_code = "busy"
    wait = 10  # seconds; becomes the header Retry-After


class Conflict(exceptions.APIException):
    """The request does not fit the state things are in."""

    status_code = status.HTTP_409_CONFLICT
    default_code = "conflict"


def handle(exception: Exception, _context: dict[str, Any]) -> Response | None:
    """Answer for an exception of a view: named in settings.REST_FRAMEWORK. None leaves it to the server's own pages."""
    if isinstance(exception, Http404):
        exception = NotFound()
    elif isinstance(exception, PermissionDenied):
        exception = exceptions.PermissionDenied()
    if not isinstance(exception, exceptions.APIException):
        return None
    headers = {}
    if challenge := getattr(exception, "auth_header", ""):
        headers["WWW-Authenticate"] = challenge
    if wait := getattr(exception, "wait", None):
        headers["Retry-After"] = str(math.ceil(wait))
    body = {"error": _code(exception), "detail": _sentence(exception.detail)}
    return Response(body, status=exception.status_code, headers=headers)


def _code(exception: exceptions.APIException) -> str:
    if isinstance(exception, exceptions.ValidationError):
        return BadRequest.default_code
    return str(exception.get_codes())


def _sentence(detail: Any) -> str:
    """Return the problems of several fields as one text."""
    if isinstance(detail, dict):
        return " ".join(
            _sentence(inner) if name == "non_field_errors" else f"{name}: {_sentence(inner)}"
            for name, inner in detail.items()
        )
    return " ".join(map(_sentence, detail)) if isinstance(detail, list | tuple) else str(detail)
