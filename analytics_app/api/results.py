"""Results documents for scripts: the rows of a run."""

from typing import Any

from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiResponse, extend_schema, extend_schema_view
from rest_framework.request import Request
from rest_framework.response import Response

from analytics_app.api.files import file_answer
from analytics_app.api.serializers import NUMBER, RESULTS_CSV, MethodsSection, ResultsDocument, TablesAndPlots, table
from analytics_app.exports import columns, results
from analytics_app.methods_text import formats as methods_formats
from analytics_app.models import Run, RunState
from analytics_app.selectors.results import systems_shown
from analytics_app.selectors.runs import best_run, run_numbered
from analytics_app.views import methods, run_files
from tasks_app.api.base import ApiView
from tasks_app.api.described import SLUG, answers, refusals
from tasks_app.api.errors import Conflict
from tasks_app.models import Study
from tasks_app.services.study import tokens

TAG = "Results"

ABOUT = (
    "Tidy rows, so that any number is found by its name. While the study is open or paused, and nobody has lifted the "
    "hiding, rows that tell systems apart are left out.\n\n"
    f"{table(columns.RESULTS)}"
)
OF_BEST = "Of the newest planned run that is done, else of the newest run that is done."
OF_ONE = "Of one run, which must be done."

JSON_ANSWER = answers(ResultsDocument, "The document.")
CSV_ANSWER = {
    (200, "text/csv"): OpenApiResponse(
        OpenApiTypes.STR,
        "The rows.",
        [OpenApiExample("Two lines", value=RESULTS_CSV, media_type="text/csv", response_only=True)],
    )
}


class _Document(ApiView):
    """A results document."""

    scope = tokens.READ_RESULTS
    format: results.Format = "json"

    def get(self, request: Request, slug: str, number: int | None = None) -> HttpResponseBase:
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
    return run


def _described(name: str, summary: str, description: str, answer: dict[Any, OpenApiResponse], *parameters: Any) -> Any:
    """Describe an address of results in the schema."""
    return extend_schema_view(
        get=extend_schema(
            operation_id=name,
            summary=summary,
            description=f"{description} {ABOUT}",
            tags=[TAG],
            parameters=[SLUG, *parameters],
            responses=answer | refusals(409),
        )
    )


@_described("results", "Results", OF_BEST, JSON_ANSWER)
class Results(_Document):
    """The results of a study."""


@_described("results_csv", "Results as CSV", OF_BEST, CSV_ANSWER)
class ResultsCsv(_Document):
    """The results of a study as CSV."""

    format = "csv"


@_described("run_results", "Results of a run", OF_ONE, JSON_ANSWER, NUMBER)
class RunResults(_Document):
    """The results of one run."""


@_described("run_results_csv", "Results of a run as CSV", OF_ONE, CSV_ANSWER, NUMBER)
class RunResultsCsv(_Document):
    """The results of one run as CSV."""

    format = "csv"


@extend_schema_view(
    get=extend_schema(
        operation_id="run_tables",
        summary="Tables and plots of a run",
        description=(
            "Every table of the pages of results as LaTeX, Markdown and CSV, and every plot as SVG, of one run, which "
            "must be done. While the study is open or paused, and nobody has lifted the hiding, those that tell "
            "systems apart are left out."
        ),
        tags=[TAG],
        parameters=[SLUG, NUMBER],
        responses=answers(TablesAndPlots, "The tables and plots.") | refusals(409),
    )
)
class RunTables(ApiView):
    """The tables and plots of one run."""

    scope = tokens.READ_RESULTS

    def get(self, request: Request, slug: str, number: int) -> Response:
        """Answer with the tables and plots of a run."""
        study, _role = self.study(request, slug, "tables")
        return Response(run_files.document(study, _finished(study, number), systems=systems_shown(study)))


@extend_schema_view(
    get=extend_schema(
        operation_id="run_methods",
        summary="Methods section of a run",
        description=(
            "How texts were judged and analysed, in sentences with the numbers of one run, which must be done, and "
            "the references that they cite. While results by system are hidden, systems are counted and not named."
        ),
        tags=[TAG],
        parameters=[SLUG, NUMBER],
        responses=answers(MethodsSection, "The text and its references.") | refusals(409),
    )
)
class RunMethods(ApiView):
    """The methods section of one run."""

    scope = tokens.READ_RESULTS

    def get(self, request: Request, slug: str, number: int) -> Response:
        """Answer with the methods section of a run."""
        study, _role = self.study(request, slug, "methods")
        run = _finished(study, number)
        text = methods.text_of(study, run)
        return Response(
            {
                "study": study.slug,
                "run": run.number,
                "markdown": methods_formats.in_format(text, "md"),
                "latex": methods_formats.in_format(text, "tex"),
                "bibtex": methods_formats.in_format(text, "bib"),
            }
        )
