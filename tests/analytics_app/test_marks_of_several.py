"""Marks of two people given beforehand: agreement before and after worked out by hand, and the archive of it."""

import json
import zipfile
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from tasks_app.models import Assignment, Prefill, Rating, Study, Task
from tasks_app.selectors.earlier_marks import Outline, earlier_marks, outline_of
from tasks_app.setup.reannotating import kind_in_draft
from tests.analytics_app.by_commands import analysed, load, one, write
from tests.analytics_app.test_archive import empty_all_tables
from tests.round_trip import exported, rows
from tests.undrawn import undrawn

pytestmark = pytest.mark.django_db

TEXT = "one two three four"
ITEMS = [{"item": f"i{n}", "system": "A", "output": f"{TEXT} {n}", "source": "eins zwei"} for n in range(1, 4)]
ONE, TWO, THREE = (0, 3), (4, 7), (8, 13)
# What each of two people marked in each text; the third text comes with marks of the first alone.
LISTS = {
    ("i1", "e1"): [ONE, TWO], ("i1", "e2"): [ONE], ("i2", "e1"): [], ("i2", "e2"): [THREE], ("i3", "e1"): [TWO],
}  # fmt: skip
# Whose marks each rater was given, and what they left: a place, and which given mark it was (0: their own).
LEFT: dict[tuple[str, str, str], list[tuple[tuple[int, int], int]]] = {
    ("r1", "i1", "e1"): [(ONE, 1)], ("r2", "i1", "e2"): [(ONE, 1)],
    ("r1", "i2", "e2"): [(THREE, 1)], ("r2", "i2", "e1"): [(THREE, 0)],
    ("r1", "i3", "e1"): [], ("r2", "i3", "e1"): [(TWO, 1), (THREE, 0)],
}  # fmt: skip


def prefill() -> list[dict[str, object]]:
    """The rows of prefill.csv."""
    return [
        {"task": "main", "unit": f"{item}/A", "part": 1, "given_by": name,
         "payload": json.dumps([{"start": start, "end": end, "severity": "minor"} for start, end in marks])}
        for (item, name), marks in LISTS.items()
    ]  # fmt: skip


def ratings() -> list[dict[str, Any]]:
    """The ratings of both raters, or that a text has no errors."""
    made = []
    for (rater, item, name), marks in LEFT.items():
        about = {
            "rater": rater, "item": item, "system": "A", "seconds": 10, "judgment": f"{rater}/{item}",
            "arrangement": json.dumps({"given_by": [name]}),
        }  # fmt: skip
        made += [
            {**about, "criterion": "errors", "severity": "minor", "span_side": "output", "span_start": start,
             "span_end": end, "mark_origin": "kept" if of else "own", "mark_of": of or ""}
            for (start, end), of in marks
        ] or [{**about, "label": "none"}]  # fmt: skip
    return made


@pytest.fixture
def slug(tmp_path: Path) -> str:
    """Load the study."""
    write(tmp_path / "prefill.csv", prefill())
    params = {"scheme": "esa", "score": "no", "given_marks": "edit"}
    return load(tmp_path, {"type": "error_spans", "params": params, "k": 2}, ITEMS, ratings())


def test_what_became_of_the_marks_of_each_person_and_agreement_before_and_after(slug: str, tmp_path: Path) -> None:
    with undrawn():
        found = analysed(tmp_path, {"analysis": "given_marks"})
    # Given: two and one in the first text, none and one in the second, one and one in the third; four stay.
    shares = [one(found, f"given_{fate}", system="A")["value"] for fate in ("kept", "changed", "removed")]
    assert shares == pytest.approx([4 / 6, 0, 2 / 6])
    assert one(found, "marks_before")["value"] == pytest.approx(6 / 6)
    assert one(found, "marks_added")["value"] == pytest.approx(2 / 6), "also where nobody had marked anything"
    assert one(found, "given_kept_of_rater", rater="r1")["n_ratings"] == 4
    # The first two texts count: 2 and 2 marks before, one of them shared; after, the same two of both.
    before, after = one(found, "f1_exact_before"), one(found, "f1_exact_after")
    assert (before["value"], before["n_items"], before["n_raters"]) == (pytest.approx(0.5), 2, 2)
    assert (after["value"], after["n_items"], after["n_raters"]) == (1, 2, 2)
    assert "given the same marks" not in (after["note"] or "")


def test_the_study_file_and_the_archive_hold_whose_marks_they_are(slug: str, tmp_path: Path) -> None:
    study = Study.objects.get(slug=slug)
    assert {row["given_by"] for row in rows(exported(study)) if row["item"] == "i1"} == {"e1", "e2"}
    (tmp_path / "plan.yaml").write_text("n_resamples: 100\nanalyses: [{analysis: given_marks}]\n", encoding="utf-8")
    with undrawn():
        call_command("analyse", slug, "--plan", str(tmp_path / "plan.yaml"), stdout=StringIO(), stderr=StringIO())
    copy = tmp_path / "copy"
    call_command("export_study", slug, str(copy), stdout=StringIO())
    with (copy / "prefill.csv").open(encoding="utf-8") as file:
        assert file.readline().strip() == "unit,part,payload,given_by,task"
    path = tmp_path / "archive.zip"
    call_command("archive", slug, str(path), stdout=StringIO())
    with zipfile.ZipFile(path) as archive:
        assert b'"given_by":"e2"' in archive.read("rows/prefill.jsonl")
    empty_all_tables()
    out = StringIO()
    with pytest.raises(SystemExit):
        call_command("verify", str(path), stdout=out)
    assert out.getvalue().startswith("archive.zip: recomputed, unsigned: "), out.getvalue()
    assert Prefill.objects.filter(given_by="e1").count() == 3
    assert Rating.objects.filter(mark_origin="own").count() == 2
    assert Assignment.objects.filter(arrangement__given_by=["e2"]).count() == 2


def test_imported_marks_are_given_on_in_the_words_of_the_task(tmp_path: Path) -> None:
    about = {"item": "i1", "system": "A", "criterion": "errors", "span_side": "output", "severity": "Major"}
    kind = {**about, "category": "Accuracy/Mistranslation"}
    marks = [
        {**kind, "rater": "r1", "judgment": "r1", "span_start": 0, "span_end": 3},
        {**kind, "rater": "r2", "judgment": "r2", "span_start": 0, "span_end": 7},
        {**kind, "rater": "r2", "judgment": "r2", "span_start": 4, "span_end": 13},
        {"rater": "r1", "item": "i2", "system": "A", "label": "none", "judgment": "r1/i2"},
    ]  # fmt: skip
    load(tmp_path, {"type": "error_spans", "params": {"scheme": "mqm"}, "k": 2}, ITEMS, marks)
    task = Task.objects.get(study__slug="small")
    found = earlier_marks(task, kind_in_draft(task))
    lists = {text.unit: list(text.lists.values()) for text in found.texts}
    known = {"start": 0, "end": 3, "severity": "major", "category": "accuracy/mistranslation"}
    assert lists == {"i1/A": [[known]], "i2/A": [[]]}
    assert found.unfit == ("Marks may not overlap. Remove one of the two.",), "nobody could leave these as they are"
    assert [text.unit for text in found.without] == ["i3/A"]
    assert outline_of(task) == Outline(raters=2, judged=2, without=1, judgments=3)
