"""The progress of a worker with a large file, and the outcome."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from tasks_app import access
from tasks_app.hooks.sections import Json
from tasks_app.hooks.tabs import all_tabs
from tasks_app.importing import background, uploads
from tasks_app.models import ImportWork, Study
from tasks_app.services.background import Busy, refusal_of
from tasks_app.views.researcher.frame import researcher_page, study_page
from tasks_app.views.researcher.importing.uploading import EDITOR
from tasks_app.views.researcher.parts import part, wants_part

# The page of each kind of import, to which whoever wants to change something goes back.
PAGES = {
    ImportWork.Kind.TABLE: "researcher:one_table",
    ImportWork.Kind.FORMAT: "researcher:of_format",
    ImportWork.Kind.RATINGS: "researcher:import",
}

# In the address of such a page: the file is read as the last import read it.
AGAIN = "again"


def hand_over(
    request: HttpRequest, study: Study, kind: str, given: Mapping[str, Json], *, only_check: bool
) -> HttpResponse:
    """Have a worker import an upload, and lead to the page that shows how far it is."""
    try:
        background.ask(study=study, kind=kind, given=given, only_check=only_check, by=request.user)
    except Busy as busy:
        messages.warning(request, str(busy))
    return redirect("researcher:import_progress", study.slug)


def under_way(study: Study) -> bool:
    """Return whether a worker is importing into a study, or will."""
    return background.WORK.under_way().filter(study=study).exists()


def given_before(request: HttpRequest, study: Study, kind: str, token: str) -> Mapping[str, Any] | None:
    """Return how the last import read a file, where the address asks for that; else None."""
    if AGAIN not in request.GET:
        return None
    work = ImportWork.objects.filter(study=study, kind=kind, given__file=token).first()
    return None if work is None else work.given


@researcher_page("GET")
def import_progress(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the progress of the import of a large file, and the outcome."""
    study = access.study_for_researcher(request.user, slug, EDITOR)
    work = ImportWork.objects.filter(study=study).select_related("by").first()
    if wants_part(request):
        if work is None:
            raise Http404
        return part(request, "_import_live", {"study": study, "work": work})
    if work is None:
        return redirect("researcher:import", slug)
    return study_page(
        request, slug, "data", lambda _study: _context(study, work), template="import_progress", role=EDITOR,
        title=_("Import of a large file"),
    )  # fmt: skip


def _context(study: Study, work: ImportWork) -> dict[str, Any]:
    token, page = work.given["file"], reverse(PAGES[ImportWork.Kind(work.kind)], args=[study.slug])
    is_there = uploads.find(study, token) is not None
    tab = "data" if work.kind == ImportWork.Kind.RATINGS else "results"
    return {
        "work": work,
        "refusal": refusal_of(work),
        "again": f"{page}?{urlencode({'file': token, AGAIN: 1})}" if is_there else "",
        "another": page,
        "next": reverse(next(known.url_name for known in all_tabs() if known.slug == tab), args=[study.slug]),
    }
