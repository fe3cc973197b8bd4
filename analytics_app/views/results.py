"""The Results pages: the best run, any other run and its raters."""

from collections.abc import Sequence
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from analytics_app import access as own
from analytics_app.models import UNFINISHED, Run, RunState
from analytics_app.selectors.departures import LIFTED, departures_of
from analytics_app.selectors.newer_data import changes_since, data_after
from analytics_app.selectors.rater_means import means_of_raters, spread_of
from analytics_app.selectors.reductions import reductions
from analytics_app.selectors.runs import RUNS_SHOWN, best_of, best_run, progress, run_numbered, runs_now, runs_of
from analytics_app.selectors.sections import names_of
from analytics_app.selectors.workers import workers
from analytics_app.services import routing
from analytics_app.services.follow_up import follow_ups
from analytics_app.services.main_study import kept_pairs
from analytics_app.views import run_words, standing
from analytics_app.views.rater_means import raters_table
from analytics_app.views.run_contents import contents
from analytics_app.views.superuser_looks import note_look
from tasks_app.models import Study
from tasks_app.selectors.routing import ON_REQUEST
from tasks_app.views.researcher.frame import researcher_page, study_page
from tasks_app.views.researcher.parts import part, wants_part

RATERS_ON_A_PAGE = 200


@researcher_page("GET")
def results(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the newest planned run, else the newest that is done, else the newest, and the list of all runs."""

    def context(study: Study) -> dict[str, Any]:
        # If no run is done, the page shows the progress of the newest run, or the reason why it failed.
        frame = _frame(study)
        listed: Sequence[Run] = frame["runs"]
        run = best_of(listed) if not frame["more_runs"] else best_run(study)
        run = run or next(iter(listed), None)
        return _run(request, study, run, frame) if run is not None else frame | {"run": None}

    return study_page(request, slug, "results", context)


@researcher_page("GET")
def run(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show the progress or the results of one run."""
    if wants_part(request):
        study, role, run = own.run_for_researcher(request.user, slug, number)
        note_look(request, study, role, f"run {number}", often=True)
        return part(request, "_run_live", {"study": study, "run": run, **_progress(run)})
    title = _("Run %(number)s") % {"number": number}

    def context(study: Study) -> dict[str, Any]:
        frame = _frame(study)
        listed = next((run for run in frame["runs"] if run.number == number), None)
        return _run(request, study, listed or run_numbered(study, number), frame)

    return study_page(request, slug, "results", context, title=title)


def _frame(study: Study) -> dict[str, Any]:
    """Return the context of every results page: the list of runs, and early views of hidden results."""
    listed, departures = list(runs_of(study)[:RUNS_SHOWN]), departures_of(study)
    return {
        "runs": listed,
        "more_runs": len(listed) == RUNS_SHOWN,
        "shown": study.state not in Study.State.UNDER_WAY or any(departure.kind == LIFTED for departure in departures),
        "departures": [run_words.departure_in_words(departure, study) for departure in departures],
    }


def _progress(run: Run) -> dict[str, Any]:
    """Return the progress of a run, with the state of workers while the run is unfinished."""
    waiting = run.state in UNFINISHED
    return {"waiting": waiting, "run_progress": progress(run), "workers": workers() if waiting else None}


def _run(request: HttpRequest, study: Study, run: Run, frame: dict[str, Any]) -> dict[str, Any]:
    planned = next(
        (listed_run for listed_run in frame["runs"] if listed_run.planned and listed_run.state == RunState.DONE), None
    )
    frame = frame | {"run": run, "planned_run": None if run.planned else planned}
    if run.state != RunState.DONE:
        return frame | _progress(run) | {"standing": standing.standing(run, study)}
    names = names_of(study)
    offers = routing.offers(run) if names.designs & set(ON_REQUEST) else []
    section = request.GET.get("section", "")
    return (
        frame
        | _later(study, run)
        | contents(study, run, names, section, systems=frame["shown"])
        | {"offers": offers, "reductions": reductions(run, names), "kept_pairs": kept_pairs(run, names)}
        | {"follow_ups": follow_ups(run, names)}
    )


def _later(study: Study, run: Run) -> dict[str, Any]:
    """Return the changes since a run, in sentences: ratings, exclusions, scores; and the run that has them all."""
    later, beside = data_after(study, run)
    changed = changes_since(run, beside)
    if not later and not changed:
        return {"later": 0, "since": []}
    now = runs_now(study)
    has_all = now.done is not None and now.done.pk != run.pk and not now.newer and not changes_since(now.done, beside)
    return {
        "later": later,
        "since": run_words.since_in_words(changed),
        "later_run": now.done if has_all else None,
        "under_way": now.under_way,
    }


@researcher_page("GET")
def raters(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show each rater's use of the scale, criterion by criterion."""

    def context(study: Study) -> dict[str, Any]:
        run = run_numbered(study, number)
        page = Paginator(means_of_raters(run), RATERS_ON_A_PAGE).get_page(request.GET.get("page"))
        rows = spread_of(run, list(page))
        return {"run": run, "page": page, "table": raters_table(rows, names_of(study).criteria)}

    title = _("Raters of run %(number)s") % {"number": number}
    return study_page(request, slug, "results", context, template="run_raters", title=title)
