"""A task on another site: the link that leads there, the events that the site reports, and the way back.

The site knows a task by its token alone. So nothing that it can fetch leads to the rater's own pages, whose addresses
are secret.
"""

import json
import re
from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from tasks_app import access
from tasks_app.models import Assignment
from tasks_app.selectors.screens import RaterScreen, frame_of
from tasks_app.services.judging import elsewhere
from tasks_app.services.judging.elsewhere import Reported
from tasks_app.task_types.errand import Errand
from tasks_app.texts import languages, plaintext
from tasks_app.views.rater.visit import Visit, message, rater_page

# The most bytes of a report.
LARGEST_REPORT = 4_096
EVENT = re.compile(r"[a-z][a-z0-9_]{0,39}")

# What a site is answered: status and, in English, the reason for its engineer.
ANSWERS: dict[Reported, tuple[int, str]] = {
    Reported.STORED: (201, ""),
    Reported.KNOWN: (200, ""),
    Reported.OVER: (410, "The task was answered or given back. Nothing was stored."),
    Reported.TOO_FAST: (429, f"More than {elsewhere.MOST_A_MINUTE} events in a minute. Nothing was stored."),
    Reported.TOO_MANY: (409, f"The task has {elsewhere.MOST_EVENTS} events. Only “done” is stored now."),
}


@rater_page("GET", "HEAD")
def go(visit: Visit, order: int) -> HttpResponse:
    """Send the rater to the task on the other site, with the token of the task in the address."""
    screen = RaterScreen(visit.rater, access.assignment_for_rater(visit.rater, order=order))
    if not screen.address_elsewhere:
        raise Http404
    # Browsers that look ahead with HEAD open nothing.
    address = elsewhere.open_task(screen=screen) if visit.request.method == "GET" else ""
    return HttpResponseRedirect(address) if address else visit.go_to("next")


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST", "OPTIONS"])
def report(request: HttpRequest, token: str) -> HttpResponse:
    """Store an event that the other site reports; opened in a browser, tell the rater how to go on.

    The token is all that a report needs: there is no cookie and no session that another page could use.
    """
    assignment = access.assignment_elsewhere(token)
    if request.method in {"GET", "HEAD"}:
        return _back(request, assignment)
    if request.method == "OPTIONS":
        response = HttpResponse(status=204)
        response.headers["Access-Control-Allow-Methods"] = "POST"
        response.headers["Access-Control-Allow-Headers"] = "Content-Type"
    else:
        response = _stored(request, assignment)
    return _for_pages_of_site(request, response, assignment)


def _stored(request: HttpRequest, assignment: Assignment) -> HttpResponse:
    read = _read(request)
    if isinstance(read, _Refusal):
        return JsonResponse({"stored": False, "error": read.reason}, status=read.status)
    event, detail = read
    reported = elsewhere.report(assignment=assignment, event=event, detail=detail)
    status, reason = ANSWERS[reported]
    response = JsonResponse({"stored": False, "error": reason} if reason else {"stored": True}, status=status)
    if reported == Reported.TOO_FAST:
        response.headers["Retry-After"] = "60"
    return response


@dataclass(frozen=True, slots=True)
class _Refusal:
    """A report that is not even read: the status of the response, and the reason."""

    status: int
    reason: str


def _read(request: HttpRequest) -> tuple[str, Any] | _Refusal:
    """Read the name and the detail of an event from the JSON of a request."""
    if (refusal := _refused_unread(request)) is not None:
        return refusal
    try:
        sent = json.loads(request.body)
    except (ValueError, RecursionError):
        return _Refusal(400, "This is not JSON.")
    if not isinstance(sent, dict) or not sent.keys() <= {"event", "detail"}:
        return _Refusal(400, "A report is an object with “event” and, if you like, “detail”.")
    event, detail = sent.get("event"), sent.get("detail")
    if not isinstance(event, str) or not EVENT.fullmatch(event):
        return _Refusal(400, "“event” is a name of small letters, digits and underscores, at most 40, a letter first.")
    problem = next(plaintext.problems_in_json(detail), None)
    return _Refusal(400, f"detail{problem[0]}: {problem[1]}") if problem else (event, detail)


def _refused_unread(request: HttpRequest) -> _Refusal | None:
    """Refuse a report that is no JSON or too large, by its headers, so that a large body is not read at all."""
    if request.content_type != "application/json":
        return _Refusal(415, "Send application/json.")
    length = request.headers.get("Content-Length", "")
    if not length.isdecimal():
        return _Refusal(411, "Send the Content-Length.")
    if int(length) > LARGEST_REPORT or len(request.body) > LARGEST_REPORT:
        return _Refusal(413, f"A report has at most {LARGEST_REPORT} bytes.")
    return None


def _for_pages_of_site(request: HttpRequest, response: HttpResponse, assignment: Assignment) -> HttpResponse:
    """Let pages of the sites that the task names read the response; reports of servers need no permission."""
    patch_vary_headers(response, ["Origin"])
    origin = request.headers.get("Origin", "")
    hosts = frame_of(assignment.unit.task_id, assignment.rater.study).kind.hosts_elsewhere
    if origin in {f"https://{host}" for host in hosts}:
        response.headers["Access-Control-Allow-Origin"] = origin
    return response


def _back(request: HttpRequest, assignment: Assignment) -> HttpResponse:
    """Tell a rater who comes back from the other site where to go on.

    It is no link: whoever runs the other site knows this address, and must not find the rater's pages by it.
    """
    rater = assignment.rater
    with languages.speaking(rater.language or rater.study.language):
        sentences = [
            _("Go back to the tab of the study, and answer the questions there."),
            _("If you have closed that tab, open your personal link again."),
        ]
        return message(request, _("You are back from the other site"), sentences)


def unfinished(errand: Errand, number: int, *, said: bool) -> str:
    """Return the sentence about a task that keeps the answers from being sent; empty where nothing does.

    `number` is that of the task for the rater. `said` says that the rater calls the task finished.
    """
    words = {"n": number}
    if not errand.opened:
        return _("Task %(n)s has not been opened. Open it first.") % words
    if errand.finished or (said and not errand.needs_report):
        return ""
    if errand.needs_report:
        return _("Task %(n)s is not finished. Open it again.") % words
    return _("Task %(n)s is not finished. Open it again, or say that you have finished it.") % words
