"""The public page "Keys of archives": the keys with which this site signs, and the verdicts of `manage.py verify`."""

import logging
from collections.abc import Sequence

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from analytics_app.archive import keys
from analytics_app.archive.keys import published
from analytics_app.archive.verdicts import Verdict
from tasks_app.texts import languages

# Those who read papers about studies are shown English, as on researchers' pages.
LANGUAGE = "en"

log = logging.getLogger(__name__)


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """Show the keys with their fingerprints and dates, and how an archive is verified with them."""
    public_keys = _public_keys()
    with languages.speaking(LANGUAGE):
        context = {
            "page_title": _("Keys of archives"),
            "site": _site(request),
            "keys": list(reversed(public_keys or ())),
            "keys_are_damaged": public_keys is None,
            "verdicts": list(Verdict),
        }
        return render(request, "public/archive_keys.html", context, status=503 if public_keys is None else 200)


@require_safe
def file(request: HttpRequest) -> JsonResponse:
    """Return the keys for `manage.py verify --key` and other programs; status 503 while they are damaged."""
    public_keys = _public_keys()
    if public_keys is None:
        return JsonResponse({"detail": "The keys of this site are damaged."}, status=503)
    response = JsonResponse(published(public_keys, _site(request)))
    response["Content-Disposition"] = 'inline; filename="keys.json"'
    return response


def _public_keys() -> Sequence[keys.PublicKey] | None:
    """Return the keys of this site, oldest first; None where they are damaged, which its log then says."""
    try:
        ring = keys.site_ring()
    except keys.BadKeys as problem:
        log.error("%s", problem)
        return None
    return () if ring is None else ring.keys


def _site(request: HttpRequest) -> str:
    """Return the address of this site, as its archives name it."""
    return keys.site_address() or request.get_host()
