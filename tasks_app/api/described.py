"""Declare the answers of the API for its schema: a sentence for each field, an example for each answer."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse
from rest_framework import serializers

from tasks_app.api.pages import PageParams
from tasks_app.models import Assignment, Judgment, Membership, Study, System

Fields = serializers.Serializer[Any]

SLUG = OpenApiParameter("slug", str, OpenApiParameter.PATH, description="The study's slug.")


class Error(Fields):
    """A refusal."""

    error = serializers.CharField(help_text="A word for programs, such as not_found.")
    detail = serializers.CharField(help_text="A sentence for people: what is wrong and what to do.")


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


class JudgmentParams(PageParams):
    """Parameters of the listing of judgments."""

    task = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="Key of a task; may be given several times."
    )
    rater = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="Pseudonym of a rater; may be given several times."
    )
    since = serializers.DateTimeField(required=False, help_text="Only what was stored at this time or later.")


class StudyParams(PageParams):
    """Parameters of the listing of studies."""

    state = serializers.ChoiceField(Study.State.choices, required=False, help_text="Only studies in this state.")


class StudyEntry(Fields):
    """A study in a listing."""

    slug = serializers.CharField(help_text="Its name in addresses.")
    title = serializers.CharField(help_text="What its researchers call it.")
    public_title = serializers.CharField(help_text="What raters read.")
    state = serializers.ChoiceField(Study.State.choices, help_text="draft, open, paused or closed.")
    role = serializers.ChoiceField(
        Membership.Role.choices, allow_null=True, help_text="What you may do in it; null for a superuser from outside."
    )
    language = serializers.CharField(help_text="Language tag of its texts.")
    timezone = serializers.CharField(help_text="Time zone it takes place in.")
    version = serializers.IntegerField(help_text="Its current version; 0 before it was opened.")
    created_at = serializers.DateTimeField(help_text="When it was made.")
    opened_at = serializers.DateTimeField(allow_null=True, help_text="When it was first opened.")
    closed_at = serializers.DateTimeField(allow_null=True, help_text="When it was last closed.")
    url = serializers.URLField(help_text="Its own address.")


class CriterionEntry(Fields):
    """A criterion, adjective pair or question."""

    key = serializers.CharField(help_text="Its name in files.")
    kind = serializers.CharField(help_text="criterion, pair or question.")
    name = serializers.CharField(help_text="What raters read as its name.")
    definition = serializers.CharField(help_text="What it means.")
    question = serializers.CharField(help_text="The question as it is asked.")
    ends = serializers.DictField(help_text="Words at the ends and steps of the scale: low, high, labels, anchors.")


class TaskEntry(Fields):
    """A task."""

    key = serializers.CharField(help_text="Its name in files.")
    title = serializers.CharField(help_text="What raters read as its title.")
    type = serializers.CharField(help_text="Its task type, such as likert.")
    params = serializers.DictField(help_text="Parameters of the task type that differ from its defaults.")
    design = serializers.CharField(help_text="How booklets are drawn.")
    k = serializers.IntegerField(help_text="Judgments wanted for each unit.")
    set_size = serializers.IntegerField(help_text="Units one rater takes at a time.")
    criteria = serializers.ListField(child=serializers.CharField(), help_text="Keys of its criteria, in order.")


class SystemEntry(Fields):
    """A system."""

    key = serializers.CharField(help_text="Its name in files.")
    name = serializers.CharField(help_text="What people call it; may be empty.")
    kind = serializers.ChoiceField(System.Kind.choices, help_text="machine, human, reference, source or degraded.")


class Counts(Fields):
    """How much of everything a study has."""

    items = serializers.IntegerField(help_text="Items.")
    outputs = serializers.IntegerField(help_text="Outputs of all systems.")
    units = serializers.IntegerField(help_text="Units of all tasks.")
    places = serializers.IntegerField(help_text="Judgments that are wanted.")
    answered = serializers.IntegerField(help_text="Places with an answer.")
    raters = serializers.IntegerField(help_text="Raters, whatever became of them.")
    judgments = serializers.IntegerField(help_text="Judgments stored, revised ones included.")


class StudyDetail(StudyEntry):
    """A study with what it is made of."""

    tasks = TaskEntry(many=True, help_text="Its tasks, in order.")
    criteria = CriterionEntry(many=True, help_text="What raters are asked.")
    systems = SystemEntry(many=True, help_text="What produced the outputs.")
    counts = Counts(help_text="How much there is of everything.")


class JudgmentEntry(Fields):
    """A judgment: the answer to one assignment, as given."""

    judgment = serializers.IntegerField(help_text="Its number.")
    task = serializers.CharField(help_text="Key of the task.")
    unit = serializers.CharField(help_text="Key of the unit.")
    rater = serializers.CharField(help_text="Pseudonym of the rater.")
    purpose = serializers.ChoiceField(Assignment.Purpose.choices, help_text="Only main judgments enter results.")
    state = serializers.ChoiceField(Assignment.State.choices, help_text="submitted, surplus or skipped.")
    wave = serializers.IntegerField(help_text="Wave of a study with several.")
    position = serializers.IntegerField(help_text="Position of the unit in the rater's sequence, from 1.")
    arrangement = serializers.DictField(help_text="What was drawn for the screen: order of texts and of criteria.")
    answer = serializers.DictField(help_text="What the form held, by the names of its fields on the screen.")
    skip_reason = serializers.ChoiceField(
        Judgment.Skip.choices, allow_null=True, help_text="Why it was skipped; null for an answer."
    )
    comment = serializers.CharField(help_text="What the rater wrote in the comment box.")
    seconds_active = serializers.FloatField(allow_null=True, help_text="Seconds the page was in use.")
    seconds_elapsed = serializers.FloatField(allow_null=True, help_text="Seconds from showing to sending.")
    version = serializers.IntegerField(help_text="Version of the study that was judged.")
    submitted_at = serializers.DateTimeField(help_text="When it was stored.")


class StudyPage(Fields):
    """A page of studies."""

    next = serializers.URLField(allow_null=True, help_text="Address of the next page; null on the last.")
    results = StudyEntry(many=True, help_text="Studies, the newest first.")


class JudgmentPage(Fields):
    """A page of judgments."""

    next = serializers.URLField(allow_null=True, help_text="Address of the next page; null on the last.")
    results = JudgmentEntry(many=True, help_text="Judgments, the oldest first.")
