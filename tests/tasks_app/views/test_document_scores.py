"""The score of a whole document: who is asked for it and where, and what is stored, exported and analysed."""

import csv
import json
from contextlib import suppress
from io import StringIO
from pathlib import Path
from random import Random

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from analytics_app.exports.ratings import stream
from tasks_app import studyfile
from tasks_app.management.simulated_raters import Visitor, quiet_pages
from tasks_app.management.transports import InProcess
from tasks_app.models import Assignment, Judgment, Rating, Unit
from tasks_app.selectors import document_pages, screens
from tasks_app.services.study import lifecycle
from tasks_app.task_types.base import Quality
from tests import invariants, pages
from tests.analytics_app.by_commands import write
from tests.tasks_app.documents_kit import document_folder, opened
from tests.tasks_app.studyfile.kit import problems_of
from tests.tasks_app.views.test_document_pages import NO_ERROR, answers, send, shown

pytestmark = pytest.mark.django_db

CRITERION = "document_score"


def asked(page: str) -> list[str]:
    """Return the fields of a page that ask for the score of a document."""
    return sorted(name for name in pages.fields_of(page, "answer") if name.endswith(f"p1-{CRITERION}"))


@pytest.mark.parametrize(("kind", "own"), [("error_spans", NO_ERROR), ("slider", {"p1-fluency": "50"})])
def test_each_system_gets_one_score_stored_with_its_last_text(
    somebody: Client, tmp_path: Path, kind: str, own: dict[str, str]
) -> None:
    study = opened(document_folder(tmp_path / "s", kind, documents=2, parts=2, systems=2, score_document=True), None)
    token = pages.join(study)
    page = shown(somebody, token)
    assert asked(page) == [f"t3-p1-{CRITERION}", f"t4-p1-{CRITERION}"], "with the texts of the last row"
    for letter in "AB":
        assert f"<bdi>The whole document, Text {letter}</bdi>" in page
    form = pages.unit(somebody, token)
    refused = send(somebody, token, form, **answers(4, own))
    assert refused.status_code == 422
    assert not Judgment.objects.exists()
    scores = {f"t3-p1-{CRITERION}": "30", f"t4-p1-{CRITERION}": "60"}
    draft = {"form_token": form["t3-form_token"], "counter": 2, "answer": {f"p1-{CRITERION}": "30"}}
    assert somebody.post(f"/r/{token}/draft/", json.dumps(draft), content_type="application/json").status_code == 200
    assert pages.fields_of(shown(somebody, token), "answer")[f"t3-p1-{CRITERION}"] == ["30"]
    assert send(somebody, token, form, **answers(4, own), **scores).status_code == 302
    stored = Rating.objects.filter(criterion__key=CRITERION).order_by("judgment__assignment__order")
    assert sorted(stored.values_list("value", "judgment__assignment__unit__item__key")) == [
        (30, "d1-2") if page.count("Text 1.1") else (30, "d2-2"),
        (60, "d1-2") if page.count("Text 1.1") else (60, "d2-2"),
    ]
    assert stored.values("judgment__assignment__unit__parts__part_outputs__output__system").distinct().count() == 2
    invariants.check(study)


def test_simulated_raters_give_the_scores_and_exports_and_results_have_them(tmp_path: Path, rosa: User) -> None:
    folder = document_folder(
        tmp_path / "s", documents=3, parts=2, systems=2, task={"k": 3}, score_document=True, scheme="esa"
    )
    study = opened(folder, rosa)
    with quiet_pages():
        for number in range(3):
            visitor = Visitor(study, InProcess(), Quality.CAREFUL, Random(number))
            assert visitor.arrive()
            assert visitor.judge()
    exported = b"".join(stream(study, format="csv")).decode()
    rows = [row for row in csv.DictReader(StringIO(exported)) if row["criterion"] == CRITERION]
    assert len(rows) == 3 * 3 * 2
    assert {row["item"] for row in rows} == {"d1-2", "d2-2", "d3-2"}
    assert {row["document"] for row in rows} == {"d1", "d2", "d3"}
    lifecycle.move(study_id=study.pk, action="close", by=rosa)
    (tmp_path / "plan.yaml").write_text("{n_resamples: 100, analyses: [{analysis: systems}]}", encoding="utf-8")
    result = tmp_path / "results.json"
    said = {"json": str(result), "plan": str(tmp_path / "plan.yaml"), "stdout": StringIO(), "stderr": StringIO()}
    call_command("analyse", study.slug, **said)
    means = [
        row
        for row in json.loads(result.read_text())["rows"]
        if row["statistic"] == "mean" and row["criterion"] == CRITERION and row["system"] and row["basis"] == "kept"
    ]
    assert {row["system"]: (row["n_ratings"], row["n_items"]) for row in means} == {
        "system01": (9, 3),
        "system02": (9, 3),
    }


def test_a_score_is_imported_with_the_text_that_asks_for_it_only(tmp_path: Path) -> None:
    """Otherwise a document could have two scores by one rater, and count as two documents."""
    study = studyfile.load(document_folder(tmp_path / "s", "slider", systems=1, score_document=True), owner=None)
    about = {"rater": "r1", "system": "system01", "value": 40}
    own = [{**about, "item": item, "criterion": "fluency"} for item in ("d1-1", "d1-2")]
    said = StringIO()
    for item in ("d1-1", "d1-2"):
        table = write(tmp_path / "ratings.csv", [*own, {**about, "item": item, "criterion": CRITERION}])
        with suppress(CommandError):
            call_command("import_ratings", study.slug, str(table), stdout=StringIO(), stderr=said)
    assert "belongs to the last text that the system has in it; “d1-1/system01” is another one." in said.getvalue()
    assert Rating.objects.count() == 3
    assert Rating.objects.get(criterion__key=CRITERION).unit.key == "d1-2/system01"


def test_the_last_text_without_a_known_answer_is_the_one_that_asks(tmp_path: Path) -> None:
    folder = document_folder(tmp_path / "s", parts=3, score_document=True, task={"checks": {"controls": 1}})
    of_last = {"task": "main", "purpose": "control", "kind": "span", "answer": "[]"}
    write(folder / "controls.csv", [of_last | {"unit": f"d1-3/{system}"} for system in ("system01", "system02")])
    study = studyfile.load(folder, owner=None)
    ends = Unit.objects.filter(task__study=study, features__has_key=screens.ENDS_DOCUMENT)
    assert set(ends.values_list("key", flat=True)) == {"d1-2/system01", "d1-2/system02"}


def test_a_repeat_does_not_ask_about_the_document(tmp_path: Path) -> None:
    """It stands on a page of its own, without the document."""
    study = opened(document_folder(tmp_path / "s", score_document=True), None)
    pages.join(study)
    last = Assignment.objects.select_related("unit").filter(unit__features__has_key=screens.ENDS_DOCUMENT).first()
    assert last is not None
    assert CRITERION in {criterion.key for criterion in screens.screen_of(last, study).criteria}
    last.purpose = Assignment.Purpose.REPEAT
    assert CRITERION not in {criterion.key for criterion in screens.screen_of(last, study).criteria}


def test_a_long_document_is_scored_on_its_last_page(
    somebody: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(document_pages, "MOST_OF_A_DOCUMENT", 5)
    token = pages.join(opened(document_folder(tmp_path / "s", parts=3, score_document=True), None))
    assert not asked(shown(somebody, token))
    assert send(somebody, token, pages.unit(somebody, token), **answers(4, NO_ERROR)).status_code == 302
    assert asked(shown(somebody, token)) == [f"p1-{CRITERION}", f"t2-p1-{CRITERION}"]


def test_the_preview_asks_for_it(rosas_browser: Client, rosa: User, tmp_path: Path) -> None:
    study = studyfile.load(document_folder(tmp_path / "s", score_document=True), owner=rosa)
    page = rosas_browser.get(reverse("researcher:preview", args=[study.slug])).content.decode()
    assert len(asked(page)) == 2
    words = "How good is the document as a whole?"
    assert page.count(f'<span dir="auto">{words}</span>') == 1, "once above the table"
    assert page.count(f'<span class="visually-hidden" dir="auto">: {words}</span>') == 2, "in the name of each field"


@pytest.mark.parametrize(
    ("task", "params", "sentence"),
    [
        ({}, {"page": "screen"}, "Only on the page of a document do raters see the whole document"),
        ({"criteria_mode": "rater", "criteria": ["fluency", "adequacy"]}, {}, "is asked once"),
    ],
)
def test_where_nobody_could_give_it_it_is_refused(
    task: dict[str, object], params: dict[str, object], sentence: str, tmp_path: Path
) -> None:
    folder = document_folder(tmp_path / "s", "slider", task=task, **{"score_document": True, **params})
    criterion = "- {key: adequacy, name: Adequacy}\n"
    text = (folder / "study.yaml").read_text(encoding="utf-8")
    (folder / "study.yaml").write_text(text.replace("criteria:\n", f"criteria:\n{criterion}", 1), encoding="utf-8")
    problems = [problem for problem in problems_of(folder) if sentence in problem]
    assert len(problems) == 1
