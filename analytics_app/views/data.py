"""The Data page: download ratings and results, with a description of their columns."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.views.decorators.http import require_safe

from analytics_app.exports import columns
from analytics_app.exports import ratings as ratings_export
from analytics_app.exports.begun import Begun
from analytics_app.exports.size import rows_of_file
from analytics_app.selectors import pages
from analytics_app.selectors.results import systems_shown
from analytics_app.services.uploads.outcomes import Outcomes
from analytics_app.services.uploads.personal_texts import PersonalTexts
from analytics_app.views.archive import MOST_RATINGS, run_to_archive
from tasks_app import access
from tasks_app.models import Study
from tasks_app.selectors.personal_texts import tasks_with_texts
from tasks_app.services import events
from tasks_app.views.downloads import streamed
from tasks_app.views.researcher.frame import researcher_page, study_page


@researcher_page
@require_safe
def data(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the files that can be downloaded, and their formats."""

    def context(study: Study) -> dict[str, Any]:
        _study, role = access.study_and_role(request.user, slug)
        return {
            "run": pages.best_run(study),
            "rows": rows_of_file(study),
            "may_export": ratings_export.may_export(study, role),
            "shown": systems_shown(study),
            "has_outcomes": Outcomes.has_values(study),
            "shows_personal_texts": bool(tasks_with_texts(study)),
            "has_personal_texts": PersonalTexts.has_values(study),
            "archived_run": run_to_archive(study),
            "most_ratings": MOST_RATINGS,
            "rating_columns": [*columns.RATINGS, columns.FEATURES],
            "result_columns": columns.RESULTS,
            "address": request.build_absolute_uri(reverse("public:home")).rstrip("/"),
        }

    return study_page(request, slug, "data", context)


@researcher_page
@require_safe
def ratings(request: HttpRequest, slug: str, format: str) -> HttpResponseBase:
    """Stream all ratings as a file; the study's log records it."""
    study, role = access.study_and_role(request.user, slug)
    if format not in ratings_export.CONTENT_TYPES or not ratings_export.may_export(study, role):
        raise Http404
    file_format: ratings_export.Format = "csv" if format == "csv" else "jsonl"
    events.log(study, request.user, "exported", about=f"ratings as {file_format}", after={"state": study.state})
    return streamed(
        f"{study.slug}-ratings.{file_format}",
        Begun(ratings_export.stream(study, format=file_format)),
        ratings_export.CONTENT_TYPES[file_format],
    )
