"""Exporting the ratings of a study and importing them into a copy of it changes nothing."""

import csv
import io
import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.core.management import call_command

from analytics_app.exports import ratings as export
from tasks_app import importing
from tasks_app.models import Assignment, Judgment, Rater, Rating, Study
from tasks_app.selectors.screens import RaterScreen
from tasks_app.services.judging import judgments
from tasks_app.services.study import lifecycle
from tests import walk
from tests.tasks_app.importing import kit
from tests.walk import next_for

# The numbers of rows, which are new in a copy, as the rows that refer to them are.
NUMBERS = ("judgment", "repeat_of", "rating")

GROUPS = "tasks:\n=>groups:\n  - key: experts\ntasks:\n"

pytestmark = pytest.mark.django_db


def judged(tmp_path: Path) -> Study:
    """A closed study with everything an export can hold of Likert ratings: skips, surplus, a revision, a repeat."""
    draft = kit.study(tmp_path, groups=GROUPS, k="k: 2=>k: 4")
    study = lifecycle.move(study_id=draft.pk, action="open", by=None)
    rng = Random(5)
    for name in ("plain", "'=1+1", "+49"):
        rater = walk.arrive(study, Rater.Kind.SIMULATED if name == "plain" else Rater.Kind.REAL)
        Rater.objects.filter(pk=rater.pk).update(pseudonym=name)
        for number in range(3):
            assignment = next_for(rater=rater)
            given = walk.answer(study, assignment, rng)
            if number == 1 and name == "+49":
                given = judgments.Submission(given.uuid, {}, skip_reason="cannot_judge")
            receipt = judgments.submit(screen=RaterScreen(rater, assignment), submission=given)
            if number == 2:
                revised = walk.answer(study, assignment, rng, replaces=receipt.judgment.pk)
                judgments.submit(screen=RaterScreen(rater, assignment), submission=revised)
    first = Assignment.objects.filter(state="submitted").order_by("id").first()
    again = Assignment.objects.create(
        rater=first.rater, rater_kind=first.rater_kind, unit=first.unit, purpose="repeat", repeat_of=first, order=9,
        version=1, state="submitted", arrangement={"parts": [0], "criteria": ["style", "fluency"]},
    )  # fmt: skip
    judgments.submit(screen=RaterScreen(first.rater, again), submission=walk.answer(study, again, rng))
    late = Assignment.objects.filter(rater__pseudonym="plain", state="submitted").order_by("id").last()
    Assignment.objects.filter(pk=late.pk).update(state="surplus")
    Rater.objects.filter(pseudonym="plain").update(group=study.groups.get())
    return lifecycle.move(study_id=study.pk, action="close", by=None)


def exported(study: Study, format: str) -> bytes:
    """Return the export of a study."""
    return b"".join(export.stream(study, format=format))


def rows(content: bytes, format: str) -> list[dict[str, Any]]:
    """Return the rows of an export, with the numbers of rows told by where they were met first."""
    if format == "csv":
        found: list[dict[str, Any]] = list(csv.DictReader(io.StringIO(content.decode(), newline="")))
    else:
        found = [json.loads(line) for line in content.decode().splitlines()]
    met: dict[str, dict[Any, int]] = {"judgment": {}, "rating": {}}
    for row in found:
        for name in NUMBERS:
            if row[name] not in (None, ""):
                known = met["rating" if name == "rating" else "judgment"]
                row[name] = known.setdefault(row[name], len(known))
    return found


@pytest.mark.parametrize("format", ["csv", pytest.param("jsonl", marks=pytest.mark.exhaustive)])
def test_a_copy_with_imported_ratings_exports_the_same(tmp_path: Path, format: str) -> None:
    study = judged(tmp_path)
    content = exported(study, format)
    before = rows(content, format)
    assert Counter(row["state"] for row in before) == {"submitted": 18, "surplus": 2, "skipped": 1}
    assert len({row["rating"] for row in before}) < len(before), "a text that two systems share has a row for each"
    copy = kit.study(tmp_path, slug="copy", groups=GROUPS)
    done = kit.bring(copy, tmp_path, content, name=f"ratings.{format}")
    # Revisions are not exported, so only current answers are counted.
    assert done.counts["judgments"] == Judgment.objects.filter(
        assignment__rater__study=study, replaced_by=None
    ).count() == 10  # fmt: skip
    assert done.counts["ratings"] == Rating.objects.filter(judgment__replaced_by=None, rater__study=copy).count() == 18
    assert rows(exported(copy, format), format) == before
    (again,) = Assignment.objects.filter(rater__study=copy, purpose="repeat")
    assert (again.repeat_of.rater_id, again.repeat_of.unit_id) == (again.rater_id, again.unit_id)
    assert again.arrangement == {"parts": [0], "criteria": ["style", "fluency"]}


@pytest.mark.exhaustive
def test_the_export_of_a_copy_is_a_file_of_the_same_study(tmp_path: Path) -> None:
    content = exported(judged(tmp_path), "csv")
    copy = kit.study(tmp_path, slug="copy", groups=GROUPS)
    kit.bring(copy, tmp_path, content)
    third = kit.study(tmp_path, slug="third", groups=GROUPS)
    kit.bring(third, tmp_path, exported(copy, "csv"), name="ratings.csv.gz")
    assert rows(exported(third, "csv"), "csv") == rows(content, "csv")


def test_what_an_export_says_beside_the_ratings_is_not_used(tmp_path: Path) -> None:
    content = exported(judged(tmp_path), "csv")
    table = list(csv.reader(io.StringIO(content.decode(), newline="")))
    column = table[0].index("excluded_by")
    for row in table[1:]:
        row[column] = "burn_in"
    text = io.StringIO(newline="")
    csv.writer(text).writerows(table)
    copy = kit.study(tmp_path, slug="copy", groups=GROUPS)
    notes = kit.bring(copy, tmp_path, text.getvalue()).notes
    assert notes[0] == (
        "Not used: excluded_by, feature_domain. They belong to the study's items, or are worked out anew."
    )


def test_every_column_of_an_export_is_known() -> None:
    assert set(export.COLUMNS) <= {column.name for column in importing.RATINGS.columns}
    assert importing.RATINGS.column("feature_domain") is not None


PLAN = """\
n_resamples: 100
n_permutations: 99
rules: [{rule: burn_in, n: 1}]
analyses: [{analysis: systems}, {analysis: krippendorff}, {analysis: correlation}]
"""


@pytest.mark.exhaustive
def test_the_results_of_a_copy_are_those_of_the_study(tmp_path: Path) -> None:
    study = judged(tmp_path)
    copy = kit.study(tmp_path, slug="copy", groups=GROUPS)
    kit.bring(copy, tmp_path, exported(study, "csv"))
    plan = tmp_path / "plan.yaml"
    plan.write_text(PLAN, encoding="utf-8")
    found = []
    for slug in (study.slug, copy.slug):
        document = tmp_path / f"{slug}.json"
        quiet = {"stdout": io.StringIO(), "stderr": io.StringIO()}
        call_command("analyse", slug, "--plan", str(plan), "--json", str(document), **quiet)
        found.append(json.loads(document.read_text())["rows"])
    assert {row["analysis"] for row in found[0]} >= {"systems", "krippendorff", "funnel"}
    # No export holds the answers that were revised: the copy never had them to leave out.
    revised = {("stored", None), ("left_out", "revised")}
    here, there = ([row for row in rows if (row["statistic"], row["label"]) not in revised] for rows in found)
    assert here == there
    assert {row["label"] for row in here if row["statistic"] == "left_out"} >= {"repeat"}
