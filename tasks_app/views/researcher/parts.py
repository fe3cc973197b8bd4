"""Live parts of pages: a script asks for the same page with ?live and gets an answer only if it has changed."""

from __future__ import annotations

import hashlib
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.template.loader import render_to_string


def wants_part(request: HttpRequest) -> bool:
    """Say whether the live part of a page is asked for, rather than the page."""
    return "live" in request.GET


def part(request: HttpRequest, template: str, context: dict[str, Any]) -> HttpResponse:
    """Render the live part of a page, or answer 304 where the browser has it already.

    It must hold no form: a form's token differs each time, and the part would never be the same.
    """
    html = render_to_string(f"researcher/{template}.html", context, request)
    tag = f'"{hashlib.sha256(html.encode()).hexdigest()[:32]}"'
    if request.headers.get("If-None-Match") == tag:
        return HttpResponseNotModified(headers={"ETag": tag})
    return HttpResponse(html, headers={"ETag": tag})
