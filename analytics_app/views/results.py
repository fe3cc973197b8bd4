"""The Results pages: the latest run, any other run and its raters."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from analytics_app import access as own
from analytics_app.models import UNFINISHED, Run, RunState
from analytics_app.selectors import pages
from analytics_app.selectors.reductions import reductions
from analytics_app.selectors.runs import progress, runs_of
from analytics_app.selectors.sections import names_of
from analytics_app.selectors.workers import workers
from analytics_app.services import routing
from analytics_app.services.main_study import kept_pairs
from analytics_app.views import run_words
from analytics_app.views.run_contents import contents
from analytics_app.views.sections import raters_table
from analytics_app.views.superuser_looks import note_look
from tasks_app.models import Study
from tasks_app.selectors.routing import ON_REQUEST
from tasks_app.views.researcher.frame import researcher_page, study_page
from tasks_app.views.researcher.parts import part, wants_part

RATERS_ON_A_PAGE = 200


@researcher_page
@require_safe
def results(request: HttpRequest, slug: str) -> HttpResponse:
    """The newest planned run, else the newest that is done, else the newest, and the list of all runs."""

    def context(study: Study) -> dict[str, Any]:
        # Where none is done, how far the newest is, or why it failed, is what one comes to see.
        found = pages.best_run(study) or runs_of(study).select_related("plan").first()
        return _run(request, study, found) if found is not None else _frame(study) | {"run": None}

    return study_page(request, slug, "results", context)


@researcher_page
@require_safe
def run(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """One run: how far it is, or what it found."""
    if wants_part(request):
        study, role, found = own.run_for_researcher(request.user, slug, number)
        note_look(request, study, role, f"run {number}", often=True)
        return part(request, "_run_live", {"study": study, "run": found, **_progress(found)})
    title = _("Run %(number)s") % {"number": number}
    return study_page(
        request, slug, "results", lambda study: _run(request, study, pages.run_numbered(study, number)), title=title
    )


def _frame(study: Study) -> dict[str, Any]:
    """Return what stands on every page of results: the list of runs, and what was hidden and is shown."""
    listed, departures = list(runs_of(study)[: pages.RUNS_SHOWN]), pages.departures_of(study)
    return {
        "runs": listed,
        "more_runs": len(listed) == pages.RUNS_SHOWN,
        "shown": study.state not in Study.State.UNDER_WAY or any(one.kind == pages.LIFTED for one in departures),
        "departures": [run_words.departure_in_words(one, study) for one in departures],
    }


def _progress(found: Run) -> dict[str, Any]:
    """Return how far a run is; workers are asked for only while somebody waits for them."""
    waiting = found.state in UNFINISHED
    return {"waiting": waiting, "run_progress": progress(found), "workers": workers() if waiting else None}


def _run(request: HttpRequest, study: Study, found: Run) -> dict[str, Any]:
    frame = _frame(study)
    planned = next((one for one in frame["runs"] if one.planned and one.state == RunState.DONE), None)
    frame |= {"run": found, "planned_run": None if found.planned else planned}
    if found.state != RunState.DONE:
        return frame | _progress(found) | {"standing": run_words.standing(found, study)}
    names = names_of(study)
    offers = routing.offers(found) if names.designs & set(ON_REQUEST) else []
    wanted = request.GET.get("section", "")
    return (
        frame
        | _later(study, found)
        | contents(study, found, names, wanted, systems=frame["shown"])
        | {"offers": offers, "reductions": reductions(found, names), "kept_pairs": kept_pairs(found, names)}
    )


def _later(study: Study, found: Run) -> dict[str, Any]:
    """Return how many ratings came after a run, and the run that has them or is about to."""
    later = pages.ratings_since(study, found)
    if not later:
        return {"later": 0}
    now = pages.runs_now(study)
    has_them = now.done is not None and now.done.pk != found.pk and not now.newer
    return {"later": later, "later_run": now.done if has_them else None, "under_way": now.under_way}


@researcher_page
@require_safe
def raters(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """How each rater used the scale, criterion by criterion."""

    def context(study: Study) -> dict[str, Any]:
        found = pages.run_numbered(study, number)
        page = Paginator(pages.means_of_raters(found), RATERS_ON_A_PAGE).get_page(request.GET.get("page"))
        rows = pages.spread_of(found, list(page))
        return {"run": found, "page": page, "table": raters_table(rows, names_of(study).criteria)}

    title = _("Raters of run %(number)s") % {"number": number}
    return study_page(request, slug, "results", context, template="run_raters", title=title)
