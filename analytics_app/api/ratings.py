"""Ratings for scripts: whole files, streamed, and pages of objects."""

from dataclasses import replace
from typing import Any

from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from analytics_app.api.files import file_answer
from analytics_app.api.serializers import RATING, RATINGS_CSV, FileParams, ListingParams, RatingPage, RatingRow, table
from analytics_app.exports import columns, ratings
from tasks_app.api.base import ApiView, marks_of
from tasks_app.api.described import SLUG, answers, refusals
from tasks_app.api.errors import BadRequest
from tasks_app.api.pages import page_of
from tasks_app.api.serializers import EXAMPLES
from tasks_app.services.study import tokens

TAG = "Judgments and ratings"

ABOUT = (
    "The ratings of the study in long form, one row a rating. A rating of a text that several systems produced alike "
    "gives one row for each of them; such rows share `rating`. A judgment without a rating gives one row whose label "
    "is `skip` or `none`. While the study is open or paused only its owners may take them out, which is logged.\n\n"
    f"{table((*columns.RATINGS, *columns.OPEN_ENDED))}"
)


class _File(ApiView):
    """Ratings as one file."""

    scope = tokens.READ_JUDGMENTS
    Params = FileParams
    format: ratings.Format

    def send(self, request: Request, slug: str) -> HttpResponseBase:
        """Answer with the file, read from the database while it is sent."""
        study = self.study_to_export(request, slug, f"ratings.{self.format}")
        try:
            chunks = ratings.stream(study, format=self.format, until=marks_of(study), **asked_for(self.given))
        except ratings.UnknownName as unknown:
            raise BadRequest(str(unknown)) from unknown
        answer = file_answer(request, chunks, ratings.CONTENT_TYPES[self.format])
        answer.headers["Content-Disposition"] = f'attachment; filename="{slug}-ratings.{self.format}"'
        return answer


class RatingsCsv(_File):
    """Ratings as CSV."""

    format = "csv"

    @extend_schema(
        operation_id="ratings_csv",
        summary="Ratings as CSV",
        description=f"{ABOUT}\n\nUTF-8, comma-separated (RFC 4180). A text that a spreadsheet would take for a formula "
        "has one apostrophe in front; JSON Lines have texts as they are.",
        tags=[TAG],
        parameters=[SLUG, FileParams],
        responses={
            (200, "text/csv"): OpenApiResponse(
                OpenApiTypes.STR,
                "The file, streamed.",
                [OpenApiExample("Two lines", value=RATINGS_CSV, media_type="text/csv", response_only=True)],
            ),
            **refusals(),
        },
    )
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        """Answer with the file."""
        return self.send(request, slug)


class RatingsJsonLines(_File):
    """Ratings as JSON Lines."""

    format = "jsonl"

    @extend_schema(
        operation_id="ratings_jsonl",
        summary="Ratings as JSON Lines",
        description=f"{ABOUT}\n\nOne JSON object a line; what does not apply is null, and texts are as they are.",
        tags=[TAG],
        parameters=[SLUG, FileParams],
        responses={
            (200, "application/jsonl"): OpenApiResponse(
                RatingRow,
                "The file, streamed: a line for each row.",
                [OpenApiExample("A line", value=RATING, media_type="application/jsonl", response_only=True)],
            ),
            **refusals(),
        },
    )
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        """Answer with the file."""
        return self.send(request, slug)


class Ratings(ApiView):
    """Ratings in pages."""

    scope = tokens.READ_JUDGMENTS
    Params = ListingParams

    @extend_schema(
        operation_id="ratings",
        summary="List ratings",
        description=f"{ABOUT}\n\nA page has `page_size` ratings, and a row for each system that one is about.",
        tags=[TAG],
        parameters=[SLUG, ListingParams],
        responses=answers(
            RatingPage,
            "A page of ratings.",
            next=f"{EXAMPLES}studies/summaries-2026/ratings/?cursor=r2408",
            results=[RATING],
        )
        | refusals(),
    )
    def get(self, request: Request, slug: str) -> Response:
        """Answer with a page."""
        study = self.study_to_export(request, slug, "ratings", pages=True)
        try:
            selection = replace(ratings.select(study, **asked_for(self.given)), until=marks_of(study))
            page = ratings.page(selection, self.given.get("cursor", ""), self.given["page_size"])
        except ValueError as error:
            raise BadRequest(str(error)) from error
        return Response(page_of(request, page.rows, page.next))


def asked_for(given: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of a request as those of an export."""
    names = {
        "task": "tasks", "rater": "raters", "criterion": "criterion", "purpose": "include", "since_id": "since_id",
        "checks": "checks",
    }  # fmt: skip
    return {ours: given[name] for name, ours in names.items() if given.get(name) not in (None, [])}
