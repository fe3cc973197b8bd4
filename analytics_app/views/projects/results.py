"""Results of a project: systems, agreement and labels of its studies side by side, as a page and as files."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from analytics_app.analyses import registry
from analytics_app.exports import tables as files
from analytics_app.models import Run
from analytics_app.selectors.project_labels import AnnotationsSideBySide, annotations_side_by_side
from analytics_app.selectors.projects import MainResult, SideBySide, side_by_side
from analytics_app.show.table import Table
from analytics_app.views.projects import tables
from analytics_app.views.projects.roles import role_in
from analytics_app.views.superuser_looks import VIEWED
from tasks_app import access
from tasks_app.models import Project, Study
from tasks_app.selectors.studies import with_progress
from tasks_app.services import events
from tasks_app.views.downloads import attachment
from tasks_app.views.researcher.frame import researcher_page
from tasks_app.views.researcher.projects.frame import project_page

# The most lines of a table on the page; the files have all.
LINES = 100


@researcher_page("GET")
def results(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the results of a project's studies side by side; a superuser's look at others' studies is logged."""

    def context(project: Project) -> dict[str, Any]:
        studies = _studies(request, project)
        systems, annotations = side_by_side(studies), _annotations(request, studies)
        shown = _shown(systems, annotations)
        _note_look(request, shown)
        return {
            "systems": systems.systems,
            "rows": [_row(result, list(systems.systems)) for result in systems.results if result.scores],
            "hidden": [result.study for result in systems.results if result.is_hidden],
            "without": [study for study in studies if study not in shown],
            "agreement": tables.agreement_table(annotations, _progress(studies), most=LINES),
            "raters": tables.raters_table(annotations, most=LINES),
            "part": annotations.part,
            "parts": [(part, tables.part_in_words(part)) for part in annotations.parts],
        }

    return project_page(request, slug, "results", context)


@researcher_page("GET")
def table(request: HttpRequest, slug: str, key: str, format: files.Format) -> HttpResponse:
    """Return a table of the results as a file, without results that are hidden on the page."""
    project = access.project_for_researcher(request.user, slug)
    studies = _studies(request, project)
    result_table, runs = _table(request, studies, key)
    shown = [study for study, _run in runs]
    if format not in files.CONTENT_TYPES or not result_table.rows:
        raise Http404
    _note_look(request, shown)
    content = files.write(
        result_table,
        format=format,
        title=_("%(table)s of %(project)s") % {"table": result_table.caption, "project": project.name},
        label=f"tab:{project.slug}-{key}",
        origin=_origin(project, runs),
    )
    name = f"{project.slug}-{key}.{format}"
    return attachment(name, content, files.CONTENT_TYPES[format])


def _studies(request: HttpRequest, project: Project) -> list[Study]:
    studies = access.studies_of_project(request.user, project)
    return list(with_progress(studies).order_by("title", "pk"))


def _annotations(request: HttpRequest, studies: Sequence[Study]) -> AnnotationsSideBySide:
    return annotations_side_by_side(studies, request.GET.get("part", ""))


def _table(request: HttpRequest, studies: Sequence[Study], key: str) -> tuple[Table, list[tuple[Study, Run]]]:
    """Return a table by its key, and the studies and runs of its numbers."""
    if key == "systems":
        systems = side_by_side(studies)
        return tables.systems_table(systems), [
            (result.study, result.run) for result in systems.results if result.run and result.score
        ]
    annotations = _annotations(request, studies)
    runs = [(result.study, result.run) for result in annotations.results if result.run and not result.is_empty]
    if key == "agreement":
        return tables.agreement_table(annotations, _progress(studies)), runs
    if key == "raters":
        return tables.raters_table(annotations), runs
    raise Http404


def _progress(studies: Iterable[Study]) -> dict[int, float | None]:
    """Return the answered share of the places of each study; None without places, as for imported ratings."""
    numbers = {study.pk: vars(study) for study in studies}  # columns that the query adds
    return {key: counts["answered"] / counts["places"] if counts["places"] else None for key, counts in numbers.items()}


def _shown(systems: SideBySide, annotations: AnnotationsSideBySide) -> list[Study]:
    """Return the studies that have visible results."""
    scored = {result.study.pk for result in systems.results if result.scores}
    return [result.study for result in annotations.results if result.study.pk in scored or not result.is_empty]


def _note_look(request: HttpRequest, studies: Sequence[Study]) -> None:
    looked_at = [study for study in studies if role_in(study) is None]
    events.log_for_all(looked_at, request.user, VIEWED, about="results")


def _origin(project: Project, runs: Iterable[tuple[Study, Run]]) -> str:
    """Return the origin of a table in words: studies, runs and version of evalweb."""
    named = [f"study {study.slug} run {run.number}" for study, run in runs]
    return f"Project {project.slug}, {', '.join(named)}, evalweb {settings.EVALWEB_CODE_VERSION or '-'}"


def _row(result: MainResult, systems: list[str]) -> dict[str, Any]:
    """Return a row of the table: a cell for each system, None if the study does not have it."""
    analysis, statistic = result.score or ("", "")
    return {
        "study": result.study,
        "run": result.run,
        "criterion": result.criterion,
        "statistic": registry[analysis].statistics[statistic],
        "cells": [result.scores.get(key) for key in systems],
    }
