"""Error pages. Those for a failing server render without database, session or user."""

import sys
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.translation import gettext as _

from evalweb.outages import is_outage
from tasks_app.studyfile.files.limits import megabytes

RETRY_AFTER_SECONDS = 5
# The name under which addresses of raters are included.
RATERS = "rater"
FORM = "application/x-www-form-urlencoded"
# The field of Django's token against forged forms.
TOKEN = "csrfmiddlewaretoken"  # noqa: S105  a name
SAME_ORIGIN = "same-origin"
# Statuses with a page of their own; others look like 400 with another sentence.
OWN_PAGES = frozenset({400, 403, 404, 500, 503})

# The words a program can tell problems apart by; those of the API itself are more specific.
ERRORS = {
    400: "bad_request",
    403: "forbidden",
    404: "not_found",
    408: "too_slow",
    413: "too_large",
    500: "server_error",
    503: "unavailable",
}


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer a request that makes no sense."""
    return _problem(request, 400, _("This request could not be understood."), with_request=False)


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer somebody who may not do this."""
    return _problem(request, 403, _("You may not do this."))


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer a form that was not sent from our page, or that lost its sign-in."""
    return _problem(request, 403, _("This form has expired. Load the page again and send it once more."))


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer for an address that leads nowhere, or nowhere this person may go."""
    return _problem(request, 404, _("There is nothing at this address."))


def refused(request: HttpRequest, status: int, most: int) -> HttpResponse:
    """Answer for a body that the server does not take: of more than `most` bytes, too slow, or from a stranger."""
    if status == HTTPStatus.FORBIDDEN:
        return csrf_failure(request)
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        return service_unavailable(request)
    sentences = {
        HTTPStatus.REQUEST_TIMEOUT: _("This took too long to arrive. Check the connection, then send it once more."),
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE: _("This page accepts at most %(most)s. Nothing was stored.")
        % {"most": megabytes(most)},
    }
    return _problem(request, status, sentences[HTTPStatus(status)], with_request=False)


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer for an exception nobody handled; 503 where it was the database, met outside of a view."""
    if is_outage(sys.exception()):
        return service_unavailable(request)
    return _problem(request, 500, _("Something went wrong here."), with_request=False)


def service_unavailable(request: HttpRequest) -> HttpResponse:
    """Answer while the database is away or too busy: 503, and when to try again.

    The page of a rater sends the same request again by itself.
    """
    response = _problem(
        request,
        503,
        _("The server cannot store anything at the moment. It will be back soon; please try again."),
        with_request=False,
        is_for_rater=_is_of_rater(request),
        **_to_send_again(request),
    )
    response.headers["Retry-After"] = str(RETRY_AFTER_SECONDS)
    return response


def _is_of_rater(request: HttpRequest) -> bool:
    """Return whether the address is one of raters; their answers are kept on their device until they are stored."""
    match = request.resolver_match
    return match is not None and match.app_name == RATERS


def _to_send_again(request: HttpRequest) -> dict[str, Any]:
    """Return the address and the fields of a request of a rater that the page may send again; nothing for others.

    Forms of raters carry signed tokens, so that sent twice they are stored once. A form with a token against forgery
    belongs to somebody who is signed in, or is about to: its fields may be a password. A form that another site sent
    must not be sent again from here, where the browser adds cookies to it.
    """
    if not _is_of_rater(request):
        return {}
    again: dict[str, Any] = {"address": request.get_full_path(), "seconds": RETRY_AFTER_SECONDS}
    if request.method in {"GET", "HEAD"}:
        return again
    from_elsewhere = request.headers.get("Sec-Fetch-Site", SAME_ORIGIN) != SAME_ORIGIN
    if request.method != "POST" or request.content_type != FORM or from_elsewhere or TOKEN in request.POST:
        return {}
    return again | {"fields": [(name, value) for name, values in request.POST.lists() for value in values]}


def _problem(
    request: HttpRequest, status: int, sentence: str, *, with_request: bool = True, **context: Any
) -> HttpResponse:
    """Return the page of this status, or the sentence as JSON where a program asks.

    Without the request no context processor runs, and so nothing asks the database who is signed in.
    """
    if request.path_info.startswith("/api/") or not request.accepts("text/html"):
        return JsonResponse({"error": ERRORS[status], "detail": sentence}, status=status)
    template, context = f"{status if status in OWN_PAGES else 400}.html", {"detail": sentence, **context}
    if with_request:
        return render(request, template, context, status=status)
    return HttpResponse(render_to_string(template, context), status=status)
