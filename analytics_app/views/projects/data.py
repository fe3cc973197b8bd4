"""Data of a project: one file with all ratings."""

from collections.abc import Iterator
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from analytics_app.exports import ratings as ratings_export
from analytics_app.exports.prefetched import Prefetched
from analytics_app.views.projects.roles import role_in
from tasks_app import access
from tasks_app.models import Project, Study
from tasks_app.selectors.judgments import may_export
from tasks_app.services import events
from tasks_app.views.downloads import streamed
from tasks_app.views.researcher.frame import researcher_page
from tasks_app.views.researcher.projects.frame import project_page


@researcher_page("GET")
def data(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the downloads of a project, and the studies without downloads."""

    def context(project: Project) -> dict[str, Any]:
        studies = list(access.studies_of_project(request.user, project).order_by("title", "pk"))
        exported = [study for study in studies if _may_export(study)]
        return {
            "exported": exported,
            "logged": [study for study in exported if study.state in Study.State.UNDER_WAY],
            "left_out": [study for study in studies if study not in exported],
            "reads_gold": any(access.reaches(role_in(study), access.GOLD_READER) for study in studies),
        }

    return project_page(request, slug, "data", context)


def _may_export(study: Study) -> bool:
    return may_export(study, role_in(study))


@researcher_page("GET")
def ratings(request: HttpRequest, slug: str, format: str) -> HttpResponseBase:
    """Stream the ratings of the studies that the user may export as one file; the log of each study records it."""
    project = access.project_for_researcher(request.user, slug)
    studies = list(_exported(request, project))
    if format not in ratings_export.CONTENT_TYPES or not studies:
        raise Http404
    file_format: ratings_export.Format = "csv" if format == "csv" else "jsonl"
    for study in studies:
        after = {"state": study.state, "project": project.slug}
        events.log(study, request.user, "exported", about=f"ratings as {file_format}", after=after)
    return streamed(
        f"{project.slug}-ratings.{file_format}",
        Prefetched(ratings_export.stream_all(studies, format=file_format, checks=bool(request.GET.get("checks")))),
        ratings_export.CONTENT_TYPES[file_format],
    )


def _exported(request: HttpRequest, project: Project) -> Iterator[Study]:
    studies = access.studies_of_project(request.user, project).order_by("slug")
    return (study for study in studies if _may_export(study))
