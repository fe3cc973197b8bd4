"""What is taken away from a run: its numbers, its tables and its plots, as files."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from analytics_app import access as own
from analytics_app.charts import pictures
from analytics_app.exports import results as results_export
from analytics_app.exports import tables
from analytics_app.models import Run, RunState
from analytics_app.selectors.results import plots_of, systems_shown
from analytics_app.views import one_page, taken
from analytics_app.views.superuser_looks import note_look
from tasks_app.models import Membership, Study
from tasks_app.views.researcher.frame import researcher_page


@researcher_page
@require_safe
def plot(request: HttpRequest, slug: str, number: int, pk: int, format: pictures.Format) -> HttpResponse:
    """A plot as a file of its own, with its title; one that tells systems apart only where these are shown."""
    study, role, found = done_run(request, slug, number)
    shown = get_object_or_404(plots_of(found, systems=systems_shown(study)).exclude(svg=""), pk=pk)
    note_look(request, study, role, f"plot {shown.key} of run {number}")
    return HttpResponse(
        taken.plot_file(study, found, shown, format),
        content_type=pictures.CONTENT_TYPES[format],
        headers=as_file(f"{study.slug}-run-{number}-{taken.plot_name(shown)}.{format}"),
    )


@researcher_page
@require_safe
def forest(request: HttpRequest, slug: str, number: int, format: pictures.Format) -> HttpResponse:
    """Return the forest plot of all criteria as a file."""
    study, role, found = done_run(request, slug, number)
    summary = one_page.read_summary(study, found, systems=systems_shown(study)).summary
    drawn = one_page.forest_file(study, found, summary, format)
    if drawn is None:
        raise Http404
    note_look(request, study, role, f"forest of run {number}")
    return HttpResponse(
        drawn,
        content_type=pictures.CONTENT_TYPES[format],
        headers=as_file(f"{study.slug}-run-{number}-forest.{format}"),
    )


@researcher_page
@require_safe
def summary(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Return the one-page summary of a run as PDF."""
    study, role, found = done_run(request, slug, number)
    note_look(request, study, role, f"summary of run {number} as pdf")
    return HttpResponse(
        one_page.one_page(study, found, systems=systems_shown(study)),
        content_type=pictures.CONTENT_TYPES["pdf"],
        headers=as_file(f"{study.slug}-run-{number}-summary.pdf"),
    )


@researcher_page
@require_safe
def table(request: HttpRequest, slug: str, number: int, section: str, key: str, format: tables.Format) -> HttpResponse:
    """A table of a page of results as a file; what tells systems apart only where the page shows it."""
    study, role, found = done_run(request, slug, number)
    named = taken.one_table(study, found, section, key, systems=systems_shown(study))
    if named is None:
        raise Http404
    note_look(request, study, role, f"table {named.name} of run {number}")
    return HttpResponse(
        taken.table_file(study, found, named, format),
        content_type=tables.CONTENT_TYPES[format],
        headers=as_file(f"{study.slug}-run-{number}-{named.name}.{format}"),
    )


@researcher_page
@require_safe
def download(request: HttpRequest, slug: str, number: int, format: results_export.Format) -> HttpResponseBase:
    """Every number of a run that may be seen, as JSON or CSV."""
    study, role, found = done_run(request, slug, number)
    note_look(request, study, role, f"results of run {number} as {format}")
    return StreamingHttpResponse(
        results_export.stream(found, format=format, systems=systems_shown(study)),
        content_type=results_export.CONTENT_TYPES[format],
        headers=as_file(results_export.file_name(study, found, format)),
    )


def done_run(
    request: HttpRequest, slug: str, number: int, role: str = Membership.Role.VIEWER
) -> tuple[Study, str | None, Run]:
    """Return a run that is done, with its study and somebody's role in it: of others there is nothing to take away."""
    study, own_role, found = own.run_for_researcher(request.user, slug, number, role)
    if found.state != RunState.DONE:
        raise Http404
    return study, own_role, found


def as_file(name: str) -> dict[str, str]:
    """Return the header of a file that is downloaded by a name."""
    return {"Content-Disposition": f'attachment; filename="{name}"'}
