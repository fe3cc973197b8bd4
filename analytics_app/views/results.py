"""The Results pages: the latest run, any other run, its raters, plots and files."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from analytics_app import access as own
from analytics_app import charts
from analytics_app.exports import results as results_export
from analytics_app.models import UNFINISHED, Run, RunState
from analytics_app.selectors import pages
from analytics_app.selectors.results import plots_of, systems_shown
from analytics_app.selectors.runs import progress, runs_of
from analytics_app.selectors.sections import ROWS_SHOWN, CriterionRows, ResultNames, names_of, places_of, rows_for_page
from analytics_app.selectors.workers import workers
from analytics_app.services import routing
from analytics_app.views import run_words, words
from analytics_app.views.parts import part, wants_part
from analytics_app.views.sections import in_order, raters_table, sections_of
from analytics_app.views.superuser_looks import note_look
from tasks_app.models import Study
from tasks_app.selectors.routing import ON_REQUEST
from tasks_app.views.researcher.frame import researcher_page, study_page

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
        "departures": departures,
    }


def _progress(found: Run) -> dict[str, Any]:
    """Return how far a run is; workers are asked for only while somebody waits for them."""
    waiting = found.state in UNFINISHED
    return {"waiting": waiting, "run_progress": progress(found), "workers": workers() if waiting else None}


def _run(request: HttpRequest, study: Study, found: Run) -> dict[str, Any]:
    frame = _frame(study)
    planned = next((one for one in frame["runs"] if one.planned and one.state == RunState.DONE), None)
    frame |= {
        "run": found,
        "standing": run_words.standing(found, study),
        "provenance": run_words.provenance(found, study),
        "planned_run": None if found.planned else planned,
    }
    if found.state != RunState.DONE:
        return frame | _progress(found)
    names = names_of(study)
    simulated, raters = run_words.simulated(found)
    return (
        frame
        | _later(study, found)
        | _found(found, names, request.GET.get("section", ""), systems=frame["shown"])
        | {
            "settings": list(words.settings_in_words(found.settings)),
            "sources": list(words.sources(found.settings)),
            "taken_over": run_words.taken_over(found),
            "simulated": simulated,
            "raters": raters,
            "shared_texts": run_words.shared_texts(found),
            "offers": routing.offers(found) if names.designs & set(ON_REQUEST) else [],
        }
    )


def _found(found: Run, names: ResultNames, wanted: str, *, systems: bool) -> dict[str, Any]:
    """Return what a run found, criterion by criterion; the wanted one alone, else the first, where it is much."""
    primary = str(found.settings.get("primary") or "")
    places = in_order(places_of(found, systems=systems), primary, list(names.criteria))
    one_only = len(places) > 1 and sum(at.rows for at in places) > ROWS_SHOWN
    open_ones: list[CriterionRows] = places
    if one_only:
        open_ones = [at for at in places if at.key == wanted] or places[:1]
    rows = rows_for_page(found, open_ones, systems=systems)
    plots = plots_of(found, systems=systems)
    if one_only:
        plots = plots.filter(task=open_ones[0].task, criterion=open_ones[0].criterion)
    for row in rows:
        row.system, row.system_b = (names.systems.get(one or "", one) for one in (row.system, row.system_b))
    by_task = sections_of(
        rows,
        list(plots),
        places=places,
        criteria=names.criteria,
        primary=primary,
        limit=round(1 - float(found.settings.get("confidence", 0.95)), 9),
    )
    return {
        "funnels": run_words.funnels(rows, names.tasks),
        "tasks": [(names.tasks.get(task, task), sections) for task, sections in by_task.items()],
        "one_only": one_only,
    }


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


@researcher_page
@require_safe
def plot(request: HttpRequest, slug: str, number: int, pk: int) -> HttpResponse:
    """A plot as a file of its own, with its title; one that tells systems apart only where these are shown."""
    study, role, found = _done_run(request, slug, number)
    shown = get_object_or_404(plots_of(found, systems=systems_shown(study)), pk=pk)
    if not shown.svg:
        raise Http404
    subtitle = f"{charts.subtitle(shown.spec)} {run_words.provenance(found, study)}"
    note_look(request, study, role, f"plot {shown.key} of run {number}")
    drawing = charts.standing_alone(shown.svg, title=shown.title, subtitle=subtitle)
    name = f"{study.slug}-run-{number}-{shown.key.replace('/', '-')}.svg"
    return HttpResponse(drawing, content_type="image/svg+xml", headers=_file(name))


@researcher_page
@require_safe
def download(request: HttpRequest, slug: str, number: int, format: str) -> HttpResponseBase:
    """Every number of a run that may be seen, as JSON or CSV."""
    study, role, found = _done_run(request, slug, number)
    wanted: results_export.Format = "csv" if format == "csv" else "json"
    note_look(request, study, role, f"results of run {number} as {wanted}")
    return StreamingHttpResponse(
        results_export.stream(found, format=wanted, systems=systems_shown(study)),
        content_type=results_export.CONTENT_TYPES[wanted],
        headers=_file(results_export.file_name(study, found, wanted)),
    )


def _done_run(request: HttpRequest, slug: str, number: int) -> tuple[Study, str | None, Run]:
    """Return a run that is done, with its study and somebody's role in it: of others there is nothing to take away."""
    study, role, found = own.run_for_researcher(request.user, slug, number)
    if found.state != RunState.DONE:
        raise Http404
    return study, role, found


def _file(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}"'}
