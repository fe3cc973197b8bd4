"""The datasheet as a file: what stands in it, and that the public form's JSON comes back as it was."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client

from analytics_app.heds.answers import Answer
from analytics_app.heds.formats import latex, markdown, public_form
from analytics_app.heds.questions import CRITERIA_FIELD, Version, questions
from analytics_app.heds.sheet import sheet_of
from analytics_app.models import Datasheet
from analytics_app.services import datasheet
from tasks_app.models import Study
from tests.builders import build_study

pytestmark = pytest.mark.django_db
HOSTILE = r"100 % of {all} \input{x} $x_1^2$ & # ~ <b> `c` | *d* “e” – é"


def written(*arguments: str) -> str:
    """Return the file that the command writes."""
    out = StringIO()
    call_command("heds", "hidden-slug", *arguments, stdout=out)
    return out.getvalue()


@pytest.fixture
def answered(study: Study, rosa: User) -> Study:
    """Rosa's study with an own answer of each kind."""
    given = {
        "1.1.1": Answer("https://example.org/paper", (1,)),
        "2.3": Answer("", (9, 17)),
        "3.2.5": Answer(f"{HOSTILE}\n\nTwo paragraphs."),
        "4.1.1~fluency": Answer("", (2,)),
        "4.3.1.2~fluency": Answer("Fluency"),
    }
    datasheet.answer(study=study, given=given, displayed={}, by=rosa)
    return study


def test_markdown_has_every_question_of_its_version(answered: Study) -> None:
    three, two = written(), written("--version", "2.0")
    for question in questions().values():
        assert f"**{question.number} {question.words}**" in three
        assert (f"**{question.number_2} {question.words}**" in two) == bool(question.number_2)
    assert "> Data-to-text; End-to-end generation" in three
    assert "## 4. Quality criteria: fluency" in three.replace("Fluency", "fluency")
    assert r"> 100 % of \{all\} \\input\{x\}" in three


def test_latex_is_balanced_and_nothing_in_an_answer_is_a_command(answered: Study) -> None:
    """Braces pair up, and every command is one of the writer's own."""
    text = latex.write(sheet_of(answered), Version.TWO)
    depth = 0
    escaped = text.replace("\\\\", "").replace(r"\{", "").replace(r"\}", "")
    for char in escaped:
        depth += (char == "{") - (char == "}")
        assert depth >= 0
    assert depth == 0
    assert r"\textbackslash{}input\{x\}" in text
    assert text.count(r"\begin{document}") == text.count(r"\end{document}") == 1
    assert text.count(r"\question{") == len(sheet_of(answered).of(Version.TWO))
    body = text.partition(r"\begin{document}")[2]
    assert body.count("$") == body.count(r"\$")


def test_the_json_has_the_fields_of_the_public_form(answered: Study) -> None:
    document = json.loads(written("--format", "json"))
    paper = "heds-paper_and_resources-paper-link"
    assert document[f"{paper}-1"]["data"] == {"": True}
    assert document[f"{paper}-1"]["text"][""].startswith("1. ")
    assert document[f"{paper}-2"] == {"data": {"": False}, "control": {}, "text": {"": ""}, "number": "1.1.1"}
    text = {"data": {"": "https://example.org/paper"}, "control": {}, "number": None}
    assert document[f"{paper}-other_text"] == text
    number = document["heds-sample_evaluators_design-sample-number_of_system_outputs"]
    assert number == {"data": {"": "4"}, "control": {}, "number": "3.1.1"}
    name = next(iter(sheet_of(answered).names.values()))
    assert document[CRITERIA_FIELD]["control"] == {name: True}
    assert document["heds-criteria-criterion-criteria-quality_type-2"]["data"] == {name: True}
    fields = sum(len(question.options) + 1 for question in questions().values()) + 1
    assert len(document) == fields


def test_a_file_goes_out_and_comes_back_the_same(answered: Study, tmp_path: Path) -> None:
    """Nothing changes in the study it came from; another study like it takes over every answer."""
    first = written("--format", "json")
    file = tmp_path / "sheet.json"
    file.write_text(first, encoding="utf-8")
    stored = Datasheet.objects.values("answers", "criterion_answers").get(version=None)
    assert written("--import", str(file)).strip() == "0 answers stored."
    assert Datasheet.objects.values("answers", "criterion_answers").get(version=None) == stored
    build_study(None, slug="other", systems=("gamma-mt",))
    call_command("heds", "other", "--import", str(file), stdout=StringIO())
    out = StringIO()
    call_command("heds", "other", "--format", "json", stdout=out)
    assert out.getvalue() == first


def changed(study: Study, field: str, value: Any) -> bytes:
    """Return the study's own file with one field changed."""
    return json.dumps({**public_form.document(sheet_of(study)), field: value}).encode()


ETHICS = "heds-ethics-impact_assessments"


@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [
        (ETHICS, {"data": {"": 3}}, "must be a text"),
        (ETHICS, {"data": "text"}, "must be an object with “data”"),
        ("heds-ethics-personal_data-1", {"data": {"": "yes"}}, "must be true or false"),
        (CRITERIA_FIELD, {"data": {}, "control": {"Beauty": True}}, "the study has no criterion “Beauty”"),
        (ETHICS, {"data": {"": "a\0b"}}, "cannot be stored"),
    ],
    ids=["number", "no data", "no boolean", "criterion", "characters"],
)
def test_a_file_with_problems_is_refused_whole(
    answered: Study, rosa: User, field: str, value: Any, problem: str
) -> None:
    """Each problem names the field; nothing is stored."""
    content = changed(answered, field, value)
    before = Datasheet.objects.values("answers", "criterion_answers").get(version=None)
    with pytest.raises(public_form.BadFile, match=problem) as refused:
        datasheet.import_file(study=answered, content=content, by=rosa)
    assert field in str(refused.value)
    assert Datasheet.objects.values("answers", "criterion_answers").get(version=None) == before


def test_both_options_of_one_are_a_problem(answered: Study, rosa: User) -> None:
    document = public_form.document(sheet_of(answered))
    for number in (1, 2):
        document[f"heds-ethics-personal_data-{number}"]["data"][""] = True
    with pytest.raises(public_form.BadFile, match="heds-ethics-personal_data: Choose one option only"):
        datasheet.import_file(study=answered, content=json.dumps(document).encode(), by=rosa)


@pytest.mark.parametrize("content", [b"", b"[1]", b"\xff\xfe", b'{"a": 1', b"[" * 100_000], ids=list("abcde"))
def test_what_is_no_datasheet_is_refused(answered: Study, rosa: User, content: bytes) -> None:
    with pytest.raises(public_form.BadFile):
        datasheet.import_file(study=answered, content=content, by=rosa)


def test_fields_that_nobody_asks_are_reported_and_not_stored(answered: Study, rosas_browser: Client) -> None:
    content = changed(answered, "heds-colour", {"data": {"": "blue"}})
    file = StringIO(content.decode())
    file.name = "sheet.json"
    answer = rosas_browser.post("/admin/studies/hidden-slug/datasheet/import/", {"file": file}, follow=True)
    assert "no question has such a field: heds-colour" in answer.content.decode()


@pytest.mark.parametrize(("format", "start"), [("markdown", b"# Human"), ("latex", b"\\documentclass"), ("json", b"{")])
def test_the_page_offers_the_files(answered: Study, rosas_browser: Client, format: str, start: bytes) -> None:
    answer = rosas_browser.get(f"/admin/studies/hidden-slug/datasheet/heds.{format}?version=2.0")
    assert answer.content.startswith(start)
    assert "attachment" in answer["Content-Disposition"]
    assert rosas_browser.get("/admin/studies/hidden-slug/datasheet/heds.docx").status_code == 404


def test_the_command_names_a_file_that_is_not_there(answered: Study, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="No such file"):
        written("--import", str(tmp_path / "none.json"))


def test_markdown_of_both_versions_differs_in_numbers_alone(answered: Study) -> None:
    assert "4.3.12.1" in markdown.write(sheet_of(answered), Version.THREE)
    assert "4.3.12.1" not in markdown.write(sheet_of(answered), Version.TWO)
