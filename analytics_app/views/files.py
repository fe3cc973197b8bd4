"""Downloads of a run: its numbers, its tables and its plots."""

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404

from analytics_app import access as own
from analytics_app.charts import pictures
from analytics_app.exports import results as results_export
from analytics_app.exports import tables
from analytics_app.models import Run, RunState
from analytics_app.selectors.results import plots_of, systems_shown
from analytics_app.views import one_page, run_files
from analytics_app.views.superuser_looks import note_look
from tasks_app.models import Membership, Study
from tasks_app.views.downloads import attachment, streamed
from tasks_app.views.researcher.frame import researcher_page


@researcher_page("GET")
def plot(request: HttpRequest, slug: str, number: int, pk: int, format: pictures.Format) -> HttpResponse:
    """Return a plot as a file with its title; 404 for a plot of systems while these are hidden."""
    study, role, run = done_run(request, slug, number)
    chart = get_object_or_404(plots_of(run, systems=systems_shown(study)).exclude(svg=""), pk=pk)
    note_look(request, study, role, f"plot {chart.key} of run {number}")
    return attachment(
        f"{study.slug}-run-{number}-{run_files.plot_name(chart)}.{format}",
        run_files.plot_file(study, run, chart, format),
        pictures.CONTENT_TYPES[format],
    )


@researcher_page("GET")
def forest(request: HttpRequest, slug: str, number: int, format: pictures.Format) -> HttpResponse:
    """Return the forest plot of all criteria as a file."""
    study, role, run = done_run(request, slug, number)
    summary = one_page.read_summary(study, run, systems=systems_shown(study)).summary
    content = one_page.forest_file(study, run, summary, format)
    if content is None:
        raise Http404
    note_look(request, study, role, f"forest of run {number}")
    return attachment(f"{study.slug}-run-{number}-forest.{format}", content, pictures.CONTENT_TYPES[format])


@researcher_page("GET")
def summary(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Return the one-page summary of a run as PDF."""
    study, role, run = done_run(request, slug, number)
    note_look(request, study, role, f"summary of run {number} as pdf")
    return attachment(
        f"{study.slug}-run-{number}-summary.pdf",
        one_page.one_page(study, run, systems=systems_shown(study)),
        pictures.CONTENT_TYPES["pdf"],
    )


@researcher_page("GET")
def table(request: HttpRequest, slug: str, number: int, section: str, key: str, format: tables.Format) -> HttpResponse:
    """Return a table of a results page as a file; rows of systems only if the page shows them."""
    study, role, run = done_run(request, slug, number)
    named = run_files.one_table(study, run, section, key, systems=systems_shown(study))
    if named is None:
        raise Http404
    note_look(request, study, role, f"table {named.name} of run {number}")
    return attachment(
        f"{study.slug}-run-{number}-{named.name}.{format}",
        run_files.table_file(study, run, named, format),
        tables.CONTENT_TYPES[format],
    )


@researcher_page("GET")
def download(request: HttpRequest, slug: str, number: int, format: results_export.Format) -> HttpResponseBase:
    """Return every visible number of a run as JSON or CSV."""
    study, role, run = done_run(request, slug, number)
    note_look(request, study, role, f"results of run {number} as {format}")
    return streamed(
        results_export.file_name(study, run, format),
        results_export.stream(run, format=format, systems=systems_shown(study)),
        results_export.CONTENT_TYPES[format],
    )


def done_run(
    request: HttpRequest, slug: str, number: int, role: str = Membership.Role.VIEWER
) -> tuple[Study, str | None, Run]:
    """Return a run that is done, with its study and the user's role. Raises Http404 for other runs."""
    study, own_role, run = own.run_for_researcher(request.user, slug, number, role)
    if run.state != RunState.DONE:
        raise Http404
    return study, own_role, run
