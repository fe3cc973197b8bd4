"""Render parts of pages: live parts that follow the study, and parts that follow a form while it is filled in.

For the first a script asks for the same page with ?live and gets an answer only if it has changed. For the second htmx
sends the form, and puts each part of the answer in its place (static/js/core/live_form.js).
"""

import hashlib
from contextlib import AbstractContextManager, nullcontext
from typing import Any, cast

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.cache import get_conditional_response, patch_vary_headers

from tasks_app.models import Study


def in_zone_of(study: object) -> AbstractContextManager[object]:
    """Let templates write every time in the zone of a study; in that of the server where the page has no study."""
    return timezone.override(study.timezone) if isinstance(study, Study) else nullcontext()


def wants_part(request: HttpRequest) -> bool:
    """Return whether the live part of a page is asked for, rather than the page."""
    return "live" in request.GET


def part(request: HttpRequest, template: str, context: dict[str, Any]) -> HttpResponse:
    """Render the live part of a page, or answer 304 where the browser has it already.

    It must hold no form: a form's token differs each time, and the part would never be the same.
    """
    with in_zone_of(context.get("study")):
        html = render_to_string(f"researcher/{template}.html", context, request)
    # A weak tag: the part is sent compressed or not.
    tag = f'W/"{hashlib.sha256(html.encode()).hexdigest()[:32]}"'
    response = HttpResponse(html, headers={"ETag": tag})
    patch_vary_headers(response, ["Accept-Encoding"])
    return cast("HttpResponse", get_conditional_response(request, etag=tag, response=response))


def wants_changes(request: HttpRequest) -> bool:
    """Return whether htmx asks for the changes on a page, rather than for the page."""
    return "HX-Request" in request.headers and "HX-History-Restore-Request" not in request.headers


def changes(request: HttpRequest, template: str, context: dict[str, Any], *, is_answer: bool) -> HttpResponse:
    """Render the part of a page that changes while its form is filled in.

    `is_answer` says that it answers the form, so that the script takes the mark off the old answer.
    """
    with in_zone_of(context.get("study")):
        response = HttpResponse(render_to_string(f"researcher/{template}.html", context, request))
    if is_answer:
        response["HX-Trigger"] = "live-answered"
    patch_vary_headers(response, ["HX-Request"])
    return response
