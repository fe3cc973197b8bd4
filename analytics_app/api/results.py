"""Results documents for scripts: the rows of a run."""

from __future__ import annotations

from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiResponse, extend_schema
from rest_framework.request import Request

from analytics_app.api import described, examples
from analytics_app.api.files import file_answer
from analytics_app.exports import columns, results
from analytics_app.models import Run, RunState
from analytics_app.selectors.pages import best_run, run_numbered
from tasks_app.api import examples as common
from tasks_app.api.base import ApiView
from tasks_app.api.described import SLUG, refusals
from tasks_app.api.errors import Conflict
from tasks_app.models import Study
from tasks_app.services.study import tokens

TAG = "Results"

ABOUT = (
    "Tidy rows, so that any number is found by its name. While the study is open or paused, and nobody has lifted the "
    "hiding, rows that tell systems apart are left out.\n\n"
    f"{described.table(columns.RESULTS)}"
)
OF_BEST = "Of the newest planned run that is done, else of the newest run that is done."
OF_ONE = "Of one run, which must be done."

JSON_ANSWER = OpenApiResponse(described.ResultsDocument, "The document.", [common.answer(examples.DOCUMENT)])
CSV_ANSWER = OpenApiResponse(
    OpenApiTypes.STR,
    "The rows.",
    [OpenApiExample("Two lines", value=examples.RESULTS_CSV, media_type="text/csv", response_only=True)],
)


class _Document(ApiView):
    """A results document."""

    scope = tokens.READ_RESULTS
    format: results.Format = "json"

    def send(self, request: Request, slug: str, number: int | None = None) -> HttpResponseBase:
        """Answer with the document of a run, without a number of the one to read first."""
        study, _role = self.study(request, slug, "results")
        run = _finished(study, number)
        answer = file_answer(request, results.stream(run, format=self.format), results.CONTENT_TYPES[self.format])
        if self.format == "csv":
            name = results.file_name(study, run, self.format)
            answer.headers["Content-Disposition"] = f'attachment; filename="{name}"'
        return answer


def _finished(study: Study, number: int | None) -> Run:
    """Return a run that has results. Raises Conflict where there is none yet."""
    run = best_run(study) if number is None else run_numbered(study, number)
    if run is None:
        raise Conflict(_("There is no finished run yet. Start one, and ask again when it is done."))
    if run.state != RunState.DONE:
        raise Conflict(
            _("Run %(number)d is %(state)s; only a run that is done has results.")
            % {"number": run.number, "state": run.get_state_display()}
        )
    run.study = study
    return run


class Results(_Document):
    """The results of a study."""

    @extend_schema(
        operation_id="results",
        summary="Results",
        description=f"{OF_BEST} {ABOUT}",
        tags=[TAG],
        parameters=[SLUG],
        responses={200: JSON_ANSWER, **refusals(409)},
    )
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        """Answer with the document."""
        return self.send(request, slug)


class ResultsCsv(_Document):
    """The results of a study as CSV."""

    format = "csv"

    @extend_schema(
        operation_id="results_csv",
        summary="Results as CSV",
        description=f"{OF_BEST} {ABOUT}",
        tags=[TAG],
        parameters=[SLUG],
        responses={(200, "text/csv"): CSV_ANSWER, **refusals(409)},
    )
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        """Answer with the rows."""
        return self.send(request, slug)


class RunResults(_Document):
    """The results of one run."""

    @extend_schema(
        operation_id="run_results",
        summary="Results of a run",
        description=f"{OF_ONE} {ABOUT}",
        tags=[TAG],
        parameters=[SLUG, described.NUMBER],
        responses={200: JSON_ANSWER, **refusals(409)},
    )
    def get(self, request: Request, slug: str, number: int) -> HttpResponseBase:
        """Answer with the document."""
        return self.send(request, slug, number)


class RunResultsCsv(_Document):
    """The results of one run as CSV."""

    format = "csv"

    @extend_schema(
        operation_id="run_results_csv",
        summary="Results of a run as CSV",
        description=f"{OF_ONE} {ABOUT}",
        tags=[TAG],
        parameters=[SLUG, described.NUMBER],
        responses={(200, "text/csv"): CSV_ANSWER, **refusals(409)},
    )
    def get(self, request: Request, slug: str, number: int) -> HttpResponseBase:
        """Answer with the rows."""
        return self.send(request, slug, number)
