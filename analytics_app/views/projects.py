"""Results and data of a project: the main result of each study side by side, and one file with all ratings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from analytics_app.analyses import registry
from analytics_app.exports import ratings as ratings_export
from analytics_app.exports.begun import Begun
from analytics_app.selectors.projects import MainResult, side_by_side
from analytics_app.views.superuser_looks import VIEWED
from tasks_app import access
from tasks_app.models import Project, Study
from tasks_app.services import events
from tasks_app.views.researcher.frame import researcher_page
from tasks_app.views.researcher.projects.frame import project_page


@researcher_page
@require_safe
def results(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the main result of each study of a project, side by side; a superuser's look at others' is logged."""

    def context(project: Project) -> dict[str, Any]:
        table = side_by_side(list(access.studies_of_project(request.user, project).order_by("title", "pk")))
        looked_at = [one.study for one in table.results if one.scores and _role(one.study) is None]
        events.log_for_all(looked_at, request.user, VIEWED, about="results")
        return {
            "systems": table.systems,
            "rows": [_row(result, list(table.systems)) for result in table.results if result.scores],
            "hidden": [result.study for result in table.results if result.is_hidden],
            "without": [result.study for result in table.results if not (result.is_hidden or result.scores)],
        }

    return project_page(request, slug, "results", context)


def _row(result: MainResult, systems: list[str]) -> dict[str, Any]:
    """Return a row of the table: a cell for each system, None where the study does not have it."""
    analysis, statistic = result.score or ("", "")
    return {
        "study": result.study,
        "run": result.run,
        "criterion": result.criterion,
        "statistic": registry[analysis].statistics[statistic],
        "cells": [result.scores.get(key) for key in systems],
    }


@researcher_page
@require_safe
def data(request: HttpRequest, slug: str) -> HttpResponse:
    """What can be taken out of a project now, and of which studies it cannot."""

    def context(project: Project) -> dict[str, Any]:
        studies = list(access.studies_of_project(request.user, project).order_by("title", "pk"))
        exported = [study for study in studies if _may_export(study)]
        return {
            "exported": exported,
            "logged": [study for study in exported if study.state in Study.State.UNDER_WAY],
            "left_out": [study for study in studies if study not in exported],
            "reads_gold": any(access.reaches(_role(study), access.GOLD_READER) for study in studies),
        }

    return project_page(request, slug, "data", context)


def _role(study: Study) -> str | None:
    role: str | None = vars(study)["own_role"]
    return role


def _may_export(study: Study) -> bool:
    return ratings_export.may_export(study, _role(study))


@researcher_page
@require_safe
def ratings(request: HttpRequest, slug: str, format: str) -> HttpResponseBase:
    """All ratings of the studies that somebody may export now, in one file; written in the log of each study."""
    project = access.project_for_researcher(request.user, slug)
    studies = list(_exported(request, project))
    if format not in ratings_export.CONTENT_TYPES or not studies:
        raise Http404
    wanted: ratings_export.Format = "csv" if format == "csv" else "jsonl"
    for study in studies:
        after = {"state": study.state, "project": project.slug}
        events.log(study, request.user, "exported", about=f"ratings as {wanted}", after=after)
    return StreamingHttpResponse(
        Begun(ratings_export.stream_all(studies, format=wanted)),
        content_type=ratings_export.CONTENT_TYPES[wanted],
        headers={"Content-Disposition": f'attachment; filename="{project.slug}-ratings.{wanted}"'},
    )


def _exported(request: HttpRequest, project: Project) -> Iterator[Study]:
    studies = access.studies_of_project(request.user, project).order_by("slug")
    return (study for study in studies if _may_export(study))
