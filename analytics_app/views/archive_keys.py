"""The public page "Keys of archives": the keys with which this site signs, and the verdicts of `manage.py verify`."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from analytics_app.archive import keys
from analytics_app.archive.keys import published
from analytics_app.archive.verdicts import Verdict
from tasks_app import languages

# Those who read papers about studies are shown English, as on researchers' pages.
LANGUAGE = "en"


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """Show the keys with their fingerprints and dates, and how an archive is verified with them."""
    ring = keys.site_ring()
    with languages.speaking(LANGUAGE):
        context = {
            "page_title": _("Keys of archives"),
            "site": _site(request),
            "keys": [] if ring is None else list(reversed(ring.keys)),
            "verdicts": list(Verdict),
        }
        return render(request, "public/archive_keys.html", context)


@require_safe
def file(request: HttpRequest) -> JsonResponse:
    """Return the keys for `manage.py verify --key` and other programs."""
    ring = keys.site_ring()
    response = JsonResponse(published([] if ring is None else ring.keys, _site(request)))
    response["Content-Disposition"] = 'inline; filename="keys.json"'
    return response


def _site(request: HttpRequest) -> str:
    """Return the address of this site, as its archives name it."""
    return keys.site_address() or request.get_host()
