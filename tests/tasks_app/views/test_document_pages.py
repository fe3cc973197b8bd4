"""The page of a document: which texts stand on it, in which order, and what becomes of what is sent."""

import json
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from tasks_app import studyfile
from tasks_app.forms import text_prefix
from tasks_app.management.simulated_raters import Visitor, quiet_pages
from tasks_app.management.transports import InProcess
from tasks_app.models import Assignment, Draft, Judgment, MarkAuthor, Rater, Rating, Study
from tasks_app.selectors import document_pages
from tasks_app.services.judging import assignments
from tasks_app.services.study import lifecycle
from tasks_app.task_types.base import Quality
from tests import invariants, pages
from tests.analytics_app.by_commands import write
from tests.tasks_app.documents_kit import document_folder, opened
from tests.tasks_app.statements import statements
from tests.tasks_app.studyfile.kit import problems_of
from tests.walk import arrive

pytestmark = pytest.mark.django_db

NO_ERROR = {"p1-none": "1", "p1-score": "90"}


def answers(n: int, answer: Mapping[str, str]) -> dict[str, str]:
    """Return the same answer to each text of a page of n."""
    prefixes = [f"{text_prefix(number)}-" if number > 1 else "" for number in range(1, n + 1)]
    return {f"{prefix}{name}": value for prefix in prefixes for name, value in answer.items()}


def shown(browser: Client, token: str) -> str:
    """Open the next page."""
    page: str = browser.get(f"/r/{token}/judge/").content.decode()
    return page


def send(browser: Client, token: str, form: Mapping[str, str], **fields: str) -> HttpResponse:
    """Send a page."""
    answer: HttpResponse = browser.post(f"/r/{token}/judge/", {**form, **fields})
    return answer


def headings(page: str) -> list[str]:
    """Return the headings of the texts on a page."""
    return re.findall(r'<h3 class="visually-hidden" id="[^"]*heading"><bdi>(.*?)</bdi>', page)


def texts(page: str) -> list[tuple[str, str]]:
    """Return the part and the system of each text on a page, by its words, in the order of the page."""
    return re.findall(r"Text (\d\.\d) of system (\d\d)", re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL))


def test_parts_are_rows_and_systems_columns_in_the_order_of_the_design(somebody: Client, tmp_path: Path) -> None:
    study = opened(document_folder(tmp_path / "s", documents=2, parts=2, systems=3), None)
    token = pages.join(study)
    orders = []
    for stage in ("Texts 1 to 6 of 12", "Texts 7 to 12 of 12"):
        page = shown(somebody, token)
        assert headings(page) == [f"Part {part}, Text {letter}" for part in (1, 2) for letter in "ABC"]
        on_page = texts(page)
        number = on_page[0][0][0]
        assert [part for part, _system in on_page] == [f"{number}.1"] * 3 + [f"{number}.2"] * 3
        systems = [system for _part, system in on_page]
        assert systems[:3] == systems[3:], "each column is one system"
        first = Assignment.objects.filter(unit__item__key=f"d{number}-1").order_by("order")
        assert systems[:3] == [unit.unit.key[-2:] for unit in first.select_related("unit")]
        orders.append(systems[:3])
        ids = re.findall(r'\bid="([^"]+)"', page)
        assert len(ids) == len(set(ids)), "an id stands twice on the page"
        assert stage in page
        assert not re.search(r"system\d\d\b", pages.without_tokens(page)), "the page names a system"
        assert send(somebody, token, pages.unit(somebody, token), **answers(6, NO_ERROR)).status_code == 302
    assert orders[0] != orders[1], "systems come in another order in the next document"
    assert Rater.objects.get().outcome == Rater.Outcome.COMPLETED
    assert Judgment.objects.count() == Rating.objects.count() == 12
    invariants.check(study)


def test_statements_do_not_grow_with_the_texts_of_a_page(somebody: Client, tmp_path: Path) -> None:
    counts = set()
    for parts, systems in ((2, 2), (6, 5)):
        folder = document_folder(tmp_path / f"{parts}", documents=3, parts=parts, systems=systems)
        study = opened(folder, None)
        token = pages.join(study)
        shown(somebody, token)
        with statements() as to_show:
            form = pages.unit(somebody, token)
        with statements() as to_store:
            sent = send(somebody, token, form, **answers(parts * systems, NO_ERROR))
        assert sent.status_code == 302
        assert Judgment.objects.filter(assignment__rater__study=study).count() == parts * systems
        counts.add((len(to_show), len(to_store)))
        Study.objects.filter(pk=study.pk).update(slug=f"documents-{parts}")
    assert counts == {(5, 6)}


def test_nothing_is_lost_and_each_text_has_one_answer(somebody: Client, tmp_path: Path) -> None:
    study = opened(document_folder(tmp_path / "s"), None)
    token = pages.join(study)
    form = pages.unit(somebody, token)
    draft = {"form_token": form["t3-form_token"], "counter": 2, "answer": {"p1-score": "40", "comment": "later"}}
    assert somebody.post(f"/r/{token}/draft/", json.dumps(draft), content_type="application/json").status_code == 200
    fields = pages.fields_of(shown(somebody, token), "answer")
    assert (fields["t3-p1-score"], fields["t3-comment"], fields["p1-score"]) == (["40"], ["later"], [""])
    marks = [{"side": "output", "start": 0, "end": 4, "severity": "major", "category": None}]
    answered = answers(4, NO_ERROR) | {"t2-p1-none": "", "t2-p1-spans": json.dumps(marks), "t4-skip_reason": "other"}
    refused = send(somebody, token, form, **answered | {"t3-p1-score": ""})
    assert refused.status_code == 422
    summary = refused.content.decode().split("data-error-summary", 1)[1].split("</ul>")[0]
    assert "Part 2, Text A: Answer" in summary
    assert not Judgment.objects.exists()
    # A second press, and a second try after a lost reply.
    for _time in range(3):
        assert send(somebody, token, form, **answered).status_code == 302
    stored = Judgment.objects.order_by("assignment__order").select_related("assignment")
    assert Counter(judgment.assignment_id for judgment in stored) == Counter(
        Assignment.objects.values_list("pk", flat=True)
    )
    assert Counter(judgment.skip_reason for judgment in stored) == {"": 3, "other": 1}
    assert Rating.objects.filter(span_start=0, severity="major").count() == 1
    assert Rating.objects.filter(value=90).count() == 3
    assert not Draft.objects.exists()
    invariants.check(study)


def test_a_page_with_a_text_left_out_is_refused_whole(somebody: Client, tmp_path: Path) -> None:
    """What follows the gap would be lost without a word."""
    study = opened(document_folder(tmp_path / "s"), None)
    token = pages.join(study)
    form = pages.unit(somebody, token)
    gap = {name: value for name, value in form.items() if name != "t3-form_token"}
    assert send(somebody, token, gap, **answers(4, NO_ERROR)).status_code == 403
    assert not Judgment.objects.exists()
    assert send(somebody, token, form, **answers(4, NO_ERROR)).status_code == 302
    invariants.check(study)


def test_a_long_document_goes_on_over_several_pages(
    somebody: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(document_pages, "MOST_OF_A_DOCUMENT", 5)
    folder = document_folder(tmp_path / "s", parts=3, context_before=1, context_shows="translations")
    token = pages.join(opened(folder, None))
    first = shown(somebody, token)
    assert headings(first) == ["Part 1, Text A", "Part 1, Text B", "Part 2, Text A", "Part 2, Text B"]
    assert "Before this text" not in first, "the parts before stand above"
    assert send(somebody, token, pages.unit(somebody, token), **answers(4, NO_ERROR)).status_code == 302
    second = shown(somebody, token)
    assert headings(second) == ["Part 1, Text A", "Part 1, Text B"]
    before, own = texts(second)[:2], texts(second)[-2:]
    assert "Quelle 1.2." in second
    assert {part for part, _system in own} == {"1.3"}
    assert [part for part, _system in before] == ["1.2", "1.3"]


def test_checks_do_not_divide_a_document(tmp_path: Path) -> None:
    """A unit of another document, a repeat and a degraded copy among the texts of a document stand on later pages."""
    study = opened(document_folder(tmp_path / "s", documents=2, parts=2, systems=2), None)
    rater = arrive(study)
    units = list(Assignment.objects.filter(rater=rater).select_related("unit", "set").order_by("order"))
    own, (check, *_others) = units[:4], units[4:]
    repeat = Assignment(unit=own[0].unit, set_id=own[0].set_id, purpose="repeat", order=2)
    waiting = [own[0], check, own[1], repeat, *own[2:]]
    page = assignments.page_of(waiting, study)
    assert {unit.pk for unit in page} == {unit.pk for unit in own}
    assert assignments.page_of([repeat, *units[4:]], study) == [repeat]
    practice = Assignment(unit=own[0].unit, set_id=own[0].set_id, purpose="training", order=1)
    assert assignments.page_of([practice, *own], study) == [practice]


@pytest.mark.parametrize("systems", [1, 2])
def test_no_column_shows_which_text_is_a_check(somebody: Client, tmp_path: Path, systems: int) -> None:
    """The system of a check, such as that of planted marks, may have no other text on the page."""
    folder = document_folder(tmp_path / "s", parts=3, systems=systems, task={"checks": {"controls": 1}})
    rows = (folder / "items.csv").read_text(encoding="utf-8")
    (folder / "items.csv").write_text(rows.replace("d1-2,system01", "d1-2,planted"), encoding="utf-8")
    controls = [
        {"task": "main", "unit": f"d1-2/{system}", "purpose": "control", "kind": "span", "answer": "[]"}
        for system in ("planted", "system02")[:systems]
    ]
    write(folder / "controls.csv", controls)
    token = pages.join(opened(folder, None))
    page = shown(somebody, token)
    assert Assignment.objects.filter(purpose="control").count() == 1
    columns = [heading.partition(", ")[2] for heading in headings(page)]
    assert set(columns) == ({""} if systems == 1 else {"Text A", "Text B"})
    assert send(somebody, token, pages.unit(somebody, token), **answers(len(columns), NO_ERROR)).status_code == 302


@pytest.mark.parametrize("controls", [1, 2])
def test_a_check_stands_in_a_row_as_full_as_the_others_or_alone(
    somebody: Client, tmp_path: Path, controls: int
) -> None:
    """A text without those of the other systems beside it would be known for a check."""
    folder = document_folder(tmp_path / "s", parts=3, task={"checks": {"controls": controls}})
    of_part = {"task": "main", "purpose": "control", "kind": "span", "answer": "[]"}
    write(folder / "controls.csv", [of_part | {"unit": f"d1-2/{system}"} for system in ("system01", "system02")])
    study = opened(folder, None)
    token = pages.join(study)
    assert Assignment.objects.filter(purpose="control").count() == controls
    parts = Counter(heading.partition(", ")[0] for heading in headings(shown(somebody, token)))
    assert parts == dict.fromkeys(["Part 1", "Part 2", *(["Part 3"] if controls == 2 else [])], 2)
    sizes = [parts.total(), 1] if controls == 1 else [6]
    for n in sizes:
        assert send(somebody, token, pages.unit(somebody, token), **answers(n, NO_ERROR)).status_code == 302
    assert Rater.objects.get().outcome == Rater.Outcome.COMPLETED
    invariants.check(study)


def test_no_false_marks_are_planted_where_raters_would_see_which_texts_have_them(
    somebody: Client, rosas_browser: Client, rosa: User, tmp_path: Path
) -> None:
    """A text with a planted mark would stand in its row without those of the other systems."""
    study = opened(document_folder(tmp_path / "s"), rosa)
    token = pages.join(study)
    assert send(somebody, token, pages.unit(somebody, token), **answers(4, NO_ERROR)).status_code == 302
    lifecycle.move(study_id=study.pk, action="close", by=rosa)
    path = f"/admin/studies/{study.slug}/data/marks/reannotate/"
    form = {"task": "main", "k": "1", "planted": "1"}
    refused = rosas_browser.post(path, form, follow=True).content.decode()
    assert "A text with a planted mark would stand there without those of the other systems" in refused
    assert not MarkAuthor.objects.exists()
    rosas_browser.post(path, form | {"planted": "0"})
    assert MarkAuthor.objects.get().origin == study


@pytest.mark.parametrize("kind", ["error_spans", "slider", "likert", "labels", "pairwise"])
def test_raters_answer_documents_of_every_type_that_has_them(kind: str, tmp_path: Path) -> None:
    study = opened(document_folder(tmp_path / "s", kind, documents=2, parts=2, systems=3), None)
    with quiet_pages():
        visitor = Visitor(study, InProcess(), Quality.CAREFUL, Random(1))
        assert visitor.arrive()
        assert visitor.judge()
    assert visitor.events["answered"] == 12 == Judgment.objects.count()
    assert len(set(Judgment.objects.values_list("assignment__unit", flat=True))) == 12
    assert Rater.objects.get().outcome == Rater.Outcome.COMPLETED
    invariants.check(study)


@pytest.mark.parametrize("kind", ["slider", "likert", "labels", "pairwise"])
def test_each_question_stands_once_and_its_name_with_each_text(kind: str, somebody: Client, tmp_path: Path) -> None:
    """Screen readers hear the whole question with each text; a page of one text shows it."""
    folder = document_folder(tmp_path / "s", kind, documents=2, parts=2, systems=3)
    question = "Does it read like a text that a person wrote?"
    fluency = yaml.safe_load((folder / "study.yaml").read_text(encoding="utf-8"))
    fluency["criteria"][0] |= {"name": "Fluency", "question": question, "definition": "In any style."}
    (folder / "study.yaml").write_text(yaml.safe_dump(fluency), encoding="utf-8")
    study = opened(folder, None)
    token = pages.join(study)
    page = shown(somebody, token)
    assert page.count(f'<span dir="auto">{question}</span>') == 1
    in_cells = f'<span dir="auto">Fluency</span><span class="visually-hidden" dir="auto">: {question}</span>'
    assert page.count(in_cells) == 6
    Assignment.objects.filter(rater__study=study).exclude(order=1).update(state=Assignment.State.RETURNED)
    alone = shown(somebody, token)
    assert "data-document" not in alone
    assert in_cells not in alone
    assert alone.count(f'<span dir="auto">{question}</span>') == 1


def test_identical_texts_of_two_systems_have_a_place_in_each_column(somebody: Client, tmp_path: Path) -> None:
    folder = document_folder(tmp_path / "s")
    rows = (folder / "items.csv").read_text(encoding="utf-8")
    (folder / "items.csv").write_text(rows.replace("of system 02", "of system 01"), encoding="utf-8")
    study, loaded = studyfile.load_with_notes(folder, owner=None)
    assert [note for note in loaded.notes if note.endswith("; each is shown and rated by itself.")]
    lifecycle.move(study_id=study.pk, action="open", by=None)
    assert len(texts(shown(somebody, pages.join(study)))) == 4


def test_a_single_text_of_a_document_stands_as_ever(somebody: Client, tmp_path: Path) -> None:
    folder = document_folder(tmp_path / "s", documents=2, parts=1, systems=1)
    page = shown(somebody, pages.join(opened(folder, None)))
    assert "data-document" not in page
    assert "Text 1 of 2" in page


@pytest.mark.parametrize(
    ("kind", "task", "params", "sentence"),
    [
        ("slider", {"design": "independent", "design_params": {}}, {}, "Only the design “Whole documents”"),
        ("likert", {"criteria_mode": "page"}, {}, "shows all questions about a text at once"),
        ("slider", {}, {"layout": "together"}, "shows its systems side by side already"),
        ("labels", {}, {"texts_per_page": 2}, "however many texts it has"),
        ("error_spans", {}, {"mark_source": "yes"}, "not clear which one an error in the source is of"),
        ("slider", {}, {"page": "screen", "show_others": True}, "Only the page of a document has other systems"),
    ],
)
def test_what_does_not_go_with_documents_is_refused(
    kind: str, task: dict[str, Any], params: dict[str, Any], sentence: str, tmp_path: Path
) -> None:
    problems = problems_of(document_folder(tmp_path / "s", kind, task=task, **params))
    assert len(problems) == 1
    assert sentence in problems[0]


def test_the_preview_shows_the_table(rosas_browser: Client, rosa: User, tmp_path: Path) -> None:
    study = studyfile.load(document_folder(tmp_path / "s", documents=2, parts=2, systems=3), owner=rosa)
    path = reverse("researcher:preview", args=[study.slug])
    page = rosas_browser.get(path, {"unit": "8"}).content.decode()
    assert headings(page) == [f"Part {part}, Text {letter}" for part in (1, 2) for letter in "ABC"]
    assert {part for part, _system in texts(page)} == {"2.1", "2.2"}
    assert "unit=1" in page
    tried = rosas_browser.post(f"{path}?unit=8", answers(6, NO_ERROR))
    assert tried.status_code == 200
    assert "This answer would store these ratings." in tried.content.decode()


def test_the_preview_shows_one_system_where_a_rater_gets_one(rosas_browser: Client, rosa: User, tmp_path: Path) -> None:
    folder = document_folder(tmp_path / "s", documents=2, parts=2, systems=3, task={"design_params": {}})
    study = studyfile.load(folder, owner=rosa)
    page = rosas_browser.get(reverse("researcher:preview", args=[study.slug])).content.decode()
    assert len({system for _part, system in texts(page)}) == 1
    assert [part for part, _system in texts(page)] == ["1.1", "1.2"]
