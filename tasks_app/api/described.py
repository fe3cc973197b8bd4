"""Describe the answers of the API in its schema, refusals included."""

from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse
from rest_framework import serializers

from tasks_app.api.pages import Page
from tasks_app.api.serializers import Fields, example_of

SLUG = OpenApiParameter("slug", str, OpenApiParameter.PATH, description="The study's slug.")


class Error(Fields):
    """A refusal."""

    error = serializers.CharField(help_text="A word for programs, such as not_found.")
    detail = serializers.CharField(help_text="A sentence for people: what is wrong and what to do.")


def answers(entry: type[Fields], description: str, *, code: int = 200, **changes: object) -> dict[int, OpenApiResponse]:
    """Describe the successful answer of an address; `changes` are the values that differ from the example."""
    name = "A page" if issubclass(entry, Page) else "An answer"
    example = OpenApiExample(name, value={**example_of(entry), **changes}, response_only=True)
    return {code: OpenApiResponse(entry, description, [example])}


def refusals(*statuses: int) -> dict[int, OpenApiResponse]:
    """Describe the refusals an address may answer with: these, and those that every address knows."""
    return {status: REFUSALS[status] for status in sorted({400, 401, 403, 404, 503, *statuses})}


def _refusal(description: str, error: str, detail: str) -> OpenApiResponse:
    example = OpenApiExample(error, value={"error": error, "detail": detail}, response_only=True)
    return OpenApiResponse(Error, description=description, examples=[example])


REFUSALS = {
    400: _refusal(
        "A parameter is unknown or cannot be used.",
        "bad_request",
        "There is no parameter “rator” here; there are: cursor, page_size, task, rater.",
    ),
    401: _refusal(
        "No token, or none that is valid.",
        "bad_token",
        "This token is not valid: it is wrong, was revoked or has expired. Make a new one.",
    ),
    403: _refusal(
        "The token, or the person, may not do this.",
        "scope_missing",
        "This token lacks the scope read:judgments. Make one that has it.",
    ),
    404: _refusal(
        "Nothing is there, or nothing that this person may see.",
        "not_found",
        "There is nothing at this address, or nothing that you may see.",
    ),
    409: _refusal(
        "The request does not fit the state things are in.",
        "conflict",
        "There is no finished run yet. Start one, and ask again when it is done.",
    ),
    413: _refusal(
        "The body is too large.", "too_large", "The body is larger than a megabyte. Send the settings alone."
    ),
    422: _refusal(
        "The request is understood and cannot be done.",
        "unprocessable",
        "This Idempotency-Key was used for another request. Send a new key.",
    ),
    503: _refusal("Busy; the header Retry-After says when to try again.", "busy", "Try again in a few seconds."),
}
