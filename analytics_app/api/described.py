"""Declare the answers of the API for its schema; rows of ratings and results come from the declared columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers

from analytics_app.exports.columns import RATINGS, RESULTS, Column, Kind
from analytics_app.models import Run
from tasks_app.api.described import Fields
from tasks_app.api.pages import PageParams
from tasks_app.models import Assignment

NUMBER = OpenApiParameter("number", int, OpenApiParameter.PATH, description="The run's number, from 1 in each study.")
KEY = OpenApiParameter(
    "Idempotency-Key",
    str,
    OpenApiParameter.HEADER,
    description="Any word of yours, at most 200 characters. Sent again with the same body within two days, the request "
    "gets the first answer and starts nothing.",
)

_FIELDS: dict[Kind, type[serializers.Field[Any, Any, Any, Any]]] = {
    Kind.WHOLE: serializers.IntegerField,
    Kind.NUMBER: serializers.FloatField,
    Kind.WORD: serializers.CharField,
    Kind.TEXT: serializers.CharField,
    Kind.TIME: serializers.DateTimeField,
    Kind.JSON: serializers.DictField,
    Kind.YES_NO: serializers.BooleanField,
}


def _row(name: str, columns: Sequence[Column]) -> type[Fields]:
    """Return the description of rows with these columns; whatever does not apply is null."""
    fields = {
        one.name: _FIELDS[one.kind](allow_null=one.kind != Kind.YES_NO, help_text=cast("str", one.doc))
        for one in columns
    }
    return cast("type[Fields]", type(name, (Fields,), {"__doc__": "", **fields}))


RatingRow = _row("RatingRow", RATINGS)
ResultRow = _row("ResultRow", RESULTS)


def table(columns: Sequence[Column]) -> str:
    """Return the columns as a list in Markdown."""
    return "\n".join(f"- `{one.name}` ({one.kind}): {one.doc}" for one in columns)


class RatingParams(Fields):
    """Which ratings."""

    task = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="Key of a task; may be given several times."
    )
    rater = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="Pseudonym of a rater; may be given several times."
    )
    criterion = serializers.CharField(required=False, help_text="Key of a criterion.")
    purpose = serializers.ListField(
        child=serializers.ChoiceField(Assignment.Purpose.choices),
        required=False,
        help_text="Purpose of the judgment, such as main; may be given several times.",
    )


class FileParams(RatingParams):
    """Which ratings go into a file."""

    since_id = serializers.IntegerField(
        required=False, min_value=0, help_text="Only ratings with a greater number in the column `rating`."
    )


class ListingParams(RatingParams, PageParams):
    """Which ratings, and which page of them."""


class RatingPage(Fields):
    """A page of ratings."""

    next = serializers.URLField(allow_null=True, help_text="Address of the next page; null on the last.")
    results = RatingRow(many=True, help_text="Rows in long form; one column more for each feature of the items.")


class StartRun(Fields):
    """What to compute."""

    settings = serializers.DictField(
        required=False,
        help_text="Settings instead of the study's plan, as in the part `analysis` of a study file. Such a run is "
        "exploratory.",
    )


class RunEntry(Fields):
    """A run in a listing."""

    number = serializers.IntegerField(help_text="Its number in the study.")
    state = serializers.ChoiceField(Run.State.choices, help_text="queued, running, done, failed or cancelled.")
    planned = serializers.BooleanField(help_text="Whether it was planned before opening; otherwise exploratory.")
    trigger = serializers.ChoiceField(Run.Trigger.choices, help_text="What started it.")
    version = serializers.IntegerField(help_text="Version of the study it is about.")
    n_seen = serializers.IntegerField(help_text="Ratings it sees.")
    created = serializers.DateTimeField(help_text="When it was started.")
    finished = serializers.DateTimeField(allow_null=True, help_text="When it ended.")
    by = serializers.CharField(allow_null=True, help_text="Login of who started it; null where it started by itself.")
    error = serializers.CharField(help_text="Why it failed; empty otherwise.")
    url = serializers.URLField(help_text="Its own address.")
    results = serializers.URLField(help_text="Address of its results, once it is done.")


class Progress(Fields):
    """How far a run is."""

    done = serializers.IntegerField(help_text="Parts that are done.")
    running = serializers.IntegerField(help_text="Parts under way.")
    total = serializers.IntegerField(help_text="Parts in all.")


class RunDetail(RunEntry):
    """A run with everything that makes it repeatable."""

    progress = Progress(help_text="How far it is.")
    seed = serializers.IntegerField(help_text="Seed of everything drawn.")
    high_water = serializers.IntegerField(help_text="Number of the last rating it sees.")
    digest = serializers.CharField(help_text="SHA-256 of what its results depend on: equal digests, equal results.")
    code_version = serializers.CharField(help_text="What computed it.")
    settings = serializers.DictField(help_text="The plan it follows, with every default filled in.")
    facts = serializers.DictField(help_text="What it found out on the way.")


class RunPage(Fields):
    """A page of runs."""

    next = serializers.URLField(allow_null=True, help_text="Address of the next page; null on the last.")
    results = RunEntry(many=True, help_text="Runs, the newest first.")


class DocumentRun(Fields):
    """The run of a results document."""

    number = serializers.IntegerField(help_text="Its number in the study.")
    state = serializers.CharField(help_text="done.")
    planned = serializers.BooleanField(help_text="Whether it was planned before opening; otherwise exploratory.")
    trigger = serializers.CharField(help_text="What started it.")
    created = serializers.DateTimeField(help_text="When it was started.")
    finished = serializers.DateTimeField(help_text="When it ended.")
    seed = serializers.IntegerField(help_text="Seed of everything drawn.")
    high_water = serializers.IntegerField(help_text="Number of the last rating it saw.")
    n_seen = serializers.IntegerField(help_text="Ratings it saw.")
    digest = serializers.CharField(help_text="SHA-256 of what its results depend on.")
    code_version = serializers.CharField(help_text="What computed it.")
    settings = serializers.DictField(help_text="The plan it followed, with every default filled in.")
    facts = serializers.DictField(help_text="What it found out on the way.")


class ResultsDocument(Fields):
    """A results document: tidy rows, so that any number is found by its name."""

    evalweb = serializers.IntegerField(help_text="Version of this format.")
    study = serializers.CharField(help_text="Slug of the study.")
    version = serializers.IntegerField(help_text="Version of the study.")
    systems_hidden = serializers.BooleanField(
        help_text="Whether rows that tell systems apart are left out because the study is not closed."
    )
    run = DocumentRun(help_text="The run.")
    rows = ResultRow(many=True, help_text="The numbers.")
