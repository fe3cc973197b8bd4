"""A study in which everything occurs that an export has to deal with, and ways to read a file back."""

import csv
import io
import json
import re
import uuid
from collections.abc import Iterator
from typing import Any

from django.contrib.auth.models import User

from analytics_app.exports import ratings
from analytics_app.models import Run
from tasks_app.models import Assignment, Criterion, Item, Output, PartOutput, Rating, Study, System
from tasks_app.services.study import lifecycle
from tests.analytics_app.builders import build_run
from tests.analytics_app.filling import Filler
from tests.builders import build_study
from tests.once import study_made_once

# A feature's name that is longer than PostgreSQL lets the name of a column be, with all that needs quoting.
LONG_NAME = 'a "long", name of ünï' + "x" * 80


def build_rated(rosa: User) -> Study:
    """Make a closed study: two raters, two criteria; gamma-mt wrote what alpha-mt wrote for item i0."""
    study = build_study(rosa, slug="rated", items=2, criteria=("fluency", "content"), opened=False)
    Item.objects.filter(study=study, key="i0").update(features={"domain": "news", LONG_NAME: "=1+1"})
    shown = PartOutput.objects.get(output__item__key="i0", output__system__key="alpha-mt")
    alike = Output.objects.create(
        item=shown.output.item,
        system=System.objects.create(study=study, key="gamma-mt"),
        text=shown.output.text,
        digest=shown.output.digest,
    )
    PartOutput.objects.create(part=shown.part, output=alike)
    study = lifecycle.move(study_id=study.pk, action="open", by=rosa)
    filler = Filler(study)
    for rater in ("R-0001", "R-0002"):
        for number, (item, system) in enumerate([("i0", "alpha-mt"), ("i0", "beta-mt"), ("i1", "alpha-mt")]):
            filler.judge(rater, item, system, {"fluency": 1 + number, "content": 5 - number})
    filler.judge("R-0001", "i1", "beta-mt", {}, skip_reason="cannot_judge", state="skipped")
    filler.judge("R-0002", "i1", "beta-mt", {})
    return lifecycle.move(study_id=study.pk, action="close", by=rosa)


rated_once, rated = study_made_once("rated", build_rated)


def as_csv(study: Study, **wanted: Any) -> list[dict[str, str]]:
    """Read an export as CSV."""
    text = b"".join(ratings.stream(study, format="csv", **wanted)).decode()
    return list(csv.DictReader(io.StringIO(text, newline="")))


def as_json(study: Study, **wanted: Any) -> list[dict[str, Any]]:
    """Read an export as JSON Lines."""
    text = b"".join(ratings.stream(study, format="jsonl", **wanted)).decode()
    return [json.loads(line) for line in text.splitlines()]


def plain(cell: str) -> str:
    """Undo what makes a text safe for spreadsheets, as an import does."""
    return cell[1:] if re.match(r"'+[=+\-@\t\r]", cell) else cell


def stored_run(study: Study, *given: Any, **columns: Any) -> Run:
    """Make a run with rows and read it back, so that its times are times."""
    return Run.objects.get(pk=build_run(study, *given, **columns).pk)


def rate(study: Study, **columns: Any) -> Rating:
    """Store a judgment of a new rater with one rating of any columns."""
    filler = Filler(study)
    judgment = filler.judge(f"R-{uuid.uuid4().hex[:6]}", "i0", "beta-mt", {})
    assignment = judgment.assignment
    return Rating.objects.create(
        judgment=judgment,
        task=filler.task,
        rater=assignment.rater,
        unit=assignment.unit,
        part=filler.parts["i0", "beta-mt"],
        criterion=Criterion.objects.get(study=study, key="fluency"),
        **columns,
    )


def assignments(study: Study) -> Iterator[Assignment]:
    """The assignments of a study, in their order."""
    yield from Assignment.objects.filter(rater__study=study).order_by("id")
