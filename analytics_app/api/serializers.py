"""The answers about ratings, runs and results. The columns of exports describe the streamed ones.

`initial` is the value of a field in the example of an answer. Fields stand in the order of the answer.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, cast

from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.serializers import BooleanField, CharField, ChoiceField, DateTimeField, DictField, IntegerField

from analytics_app.exports import ratings
from analytics_app.exports.columns import RATINGS, RESULTS, Column, Kind
from analytics_app.models import Run
from analytics_app.results import COLUMNS
from analytics_app.selectors.runs import progress
from tasks_app.api.pages import Page, PageParams
from tasks_app.api.serializers import EXAMPLES, AddressField, Fields, NameParams
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
    Kind.WHOLE: IntegerField,
    Kind.NUMBER: serializers.FloatField,
    Kind.WORD: CharField,
    Kind.TEXT: CharField,
    Kind.TIME: DateTimeField,
    Kind.JSON: DictField,
    Kind.YES_NO: BooleanField,
}


RATING: dict[str, Any] = dict.fromkeys(ratings.COLUMNS) | {
    "judgment": 1204,
    "task": "main",
    "unit": "i7/north",
    "rater": "r-k3m9xq2",
    "item": "i7",
    "system": "north",
    "criterion": "fluency",
    "value": 4,
    "arrangement": {"parts": [0], "criteria": ["fluency"]},
    "seconds": 8.4,
    "submitted_at": "2026-03-10T09:14:03.120000Z",
    "position": 12,
    "purpose": "main",
    "wave": 1,
    "version": 1,
    "state": "submitted",
    "rating": 2408,
    "feature_domain": "news",
}

RATINGS_CSV = (
    ",".join([*ratings.COLUMNS, "feature_domain"])
    + '\r\n1204,main,i7/north,r-k3m9xq2,i7,north,,,fluency,4,,,,"{""parts"": [0]}"'
    + "," * 11
    + "8.4,,,2026-03-10T09:14:03.120000Z,12,main,,1,,,1,submitted,,,2408,news\r\n"
)

RESULT: dict[str, Any] = dict.fromkeys(COLUMNS) | {
    "analysis": "systems",
    "statistic": "mean",
    "task": "main",
    "criterion": "fluency",
    "system": "north",
    "value": 3.91,
    "low": 3.78,
    "high": 4.03,
    "n_ratings": 300,
    "n_items": 100,
    "n_raters": 31,
    "basis": "kept",
    "planned": True,
}

RESULTS_CSV = ",".join(COLUMNS) + "\r\nsystems,mean,main,fluency,north" + "," * 9 + "3.91,3.78,4.03\r\n"


def _row(name: str, columns: Sequence[Column], example: Mapping[str, Any]) -> type[Fields]:
    """Return the description of rows with these columns; columns that do not apply are null."""
    fields = {
        column.name: _FIELDS[column.kind](
            initial=example[column.name], allow_null=column.kind != Kind.YES_NO, help_text=cast("str", column.doc)
        )
        for column in columns
    }
    return cast("type[Fields]", type(name, (Fields,), {"__doc__": "", **fields}))


RatingRow = _row("RatingRow", RATINGS, RATING)
ResultRow = _row("ResultRow", RESULTS, RESULT)


def table(columns: Sequence[Column]) -> str:
    """Return the columns as a list in Markdown."""
    return "\n".join(f"- `{column.name}` ({column.kind}): {column.doc}" for column in columns)


class RatingParams(NameParams):
    """Which ratings."""

    criterion = CharField(required=False, help_text="Key of a criterion.")
    purpose = serializers.ListField(
        child=ChoiceField(Assignment.Purpose.choices),
        required=False,
        help_text="Purpose of the judgment, such as main; may be given several times. Without it, answers to checks "
        "(training, exam, control, attention) are left out.",
    )
    checks = BooleanField(required=False, initial=False, help_text="With answers to checks, where no purpose is given.")


class FileParams(RatingParams):
    """Which ratings go into a file."""

    since_id = IntegerField(
        required=False, min_value=0, help_text="Only ratings with a greater number in the column `rating`."
    )


class ListingParams(RatingParams, PageParams):
    """Which ratings, and which page of them."""


class RatingPage(Page):
    """A page of ratings."""

    results = RatingRow(many=True, help_text="Rows in long form; one column more for each feature of the items.")


class StartRun(Fields):
    """The body of a request that starts a run: its settings."""

    settings = DictField(
        required=False,
        help_text="Settings instead of the study's plan, as in the part `analysis` of a study file. Such a run is "
        "exploratory.",
    )


class RunEntry(Fields):
    """A run in a listing."""

    number = IntegerField(initial=3, help_text="Its number in the study.")
    state = ChoiceField(Run.State.choices, initial="done", help_text="queued, running, done, failed or cancelled.")
    planned = BooleanField(initial=True, help_text="Whether it was planned before opening; otherwise exploratory.")
    trigger = ChoiceField(Run.Trigger.choices, initial="closing", help_text="What started it.")
    version = IntegerField(initial=1, help_text="Version of the study it is about.")
    n_seen = IntegerField(initial=600, help_text="Ratings it sees.")
    finished = DateTimeField(
        initial=datetime(2026, 3, 20, 17, 30, 9, tzinfo=UTC), allow_null=True, help_text="When it ended."
    )
    error = CharField(initial="", help_text="Why it failed; empty otherwise.")
    created = DateTimeField(
        source="created_at", initial=datetime(2026, 3, 20, 17, 30, 1, tzinfo=UTC), help_text="When it was started."
    )
    by = CharField(
        source="by.username",
        initial="rosa",
        allow_null=True,
        help_text="Login of who started it; null where it started by itself.",
    )
    url = AddressField(
        "api_results:run",
        "study.slug",
        "number",
        initial=f"{EXAMPLES}studies/summaries-2026/runs/3/",
        help_text="Its own address.",
    )
    results = AddressField(
        "api_results:run_results",
        "study.slug",
        "number",
        initial=f"{EXAMPLES}studies/summaries-2026/runs/3/results/",
        help_text="Address of its results, once it is done.",
    )


class Repeatable(Fields):
    """Everything that makes a run repeatable."""

    seed = IntegerField(initial=20261121, help_text="Seed of everything drawn.")
    high_water = IntegerField(initial=2408, help_text="Number of the last rating it sees.")
    digest = CharField(
        initial="4be0a3c4d6a1b3d0f1f0f1b9b53d9f3f0c7f0f6d4a6b3f2f8a1f5f1d7c9e0b2a",
        help_text="SHA-256 of what its results depend on: equal digests, equal results.",
    )
    code_version = CharField(initial="0.1.0", help_text="What computed it.")
    settings = DictField(
        initial={"correction": "holm", "confidence": 0.95, "rules": [{"rule": "manual"}], "analyses": "all"},
        help_text="The plan it follows, with every default filled in.",
    )
    facts = DictField(initial={"tasks": {"main": {"kept": 600}}}, help_text="What it found out on the way.")


class Progress(Fields):
    """How far a run is."""

    done = IntegerField(initial=2, help_text="Parts that are done.")
    running = IntegerField(initial=0, help_text="Parts under way.")
    total = IntegerField(initial=2, help_text="Parts in all.")

    def to_representation(self, run: Run) -> dict[str, Any]:
        """Return the counts of the parts of a run."""
        return super().to_representation(progress(run))


class RunDetail(RunEntry, Repeatable):
    """A run with everything that makes it repeatable."""

    progress = Progress(source="*", help_text="How far it is.")


class RunPage(Page):
    """A page of runs."""

    results = RunEntry(many=True, help_text="Runs, the newest first.")


class DocumentRun(Repeatable):
    """The run of a results document."""

    number = IntegerField(initial=3, help_text="Its number in the study.")
    state = CharField(initial="done", help_text="done.")
    planned = BooleanField(initial=True, help_text="Whether it was planned before opening; otherwise exploratory.")
    trigger = CharField(initial="closing", help_text="What started it.")
    created = DateTimeField(initial=datetime(2026, 3, 20, 17, 30, 1, tzinfo=UTC), help_text="When it was started.")
    finished = DateTimeField(initial=datetime(2026, 3, 20, 17, 30, 9, tzinfo=UTC), help_text="When it ended.")
    n_seen = IntegerField(initial=600, help_text="Ratings it saw.")


class ResultsDocument(Fields):
    """A results document: tidy rows, so that any number is found by its name."""

    evalweb = IntegerField(initial=1, help_text="Version of this format.")
    study = CharField(initial="summaries-2026", help_text="Slug of the study.")
    version = IntegerField(initial=1, help_text="Version of the study.")
    systems_hidden = BooleanField(
        initial=False, help_text="Whether rows that tell systems apart are left out because the study is not closed."
    )
    run = DocumentRun(help_text="The run.")
    rows = ResultRow(many=True, help_text="The numbers.")


class TableEntry(Fields):
    """A table of the results pages, as the texts of three files."""

    section = CharField(initial="main--fluency", help_text="Task and criterion, or `run`.")
    key = CharField(initial="systems", help_text="Name of the table in its section, the same for every run.")
    title = CharField(initial="Systems: Fluency", help_text="Its title.")
    latex = CharField(initial="\\begin{table}…", help_text="In LaTeX, for the package booktabs.")
    markdown = CharField(initial="| System | Mean |…", help_text="In Markdown.")
    csv = CharField(initial="System,Mean…", help_text="In CSV, with unrounded numbers.")


class PlotEntry(Fields):
    """A plot of the results pages."""

    key = CharField(initial="main/fluency/means", help_text="Its name in the run.")
    title = CharField(initial="North leads in fluency", help_text="Its title.")
    svg = CharField(initial="<svg…", help_text="The drawing, with its title.")


class MethodsSection(Fields):
    """The methods section of a run."""

    study = CharField(initial="summaries-2026", help_text="Slug of the study.")
    run = IntegerField(initial=3, help_text="Number of the run.")
    markdown = CharField(
        initial="**Raters.** 31 raters enrolled and 29 finished.", help_text="The text, citing authors and years."
    )
    latex = CharField(
        initial="\\paragraph{Raters}\n31 raters enrolled and 29 finished.",
        help_text="The text for a paper that loads natbib.",
    )
    bibtex = CharField(initial="@article{likert-1932,\n  …\n}", help_text="The references that the text cites.")


class TablesAndPlots(Fields):
    """The tables and plots of a run."""

    study = CharField(initial="summaries-2026", help_text="Slug of the study.")
    run = IntegerField(initial=3, help_text="Number of the run.")
    systems_hidden = BooleanField(
        initial=False, help_text="Whether what tells systems apart is left out because the study is not closed."
    )
    tables = TableEntry(many=True, help_text="The tables, in the order of the page.")
    plots = PlotEntry(many=True, help_text="The plots, in the order of the page.")
