"""The page of the datasheet: what is proposed, what researchers write, and what they take back."""

from collections.abc import Iterator
from html.parser import HTMLParser
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client

from analytics_app.heds.answers import Answer
from analytics_app.heds.sheet import frozen_sheet, sheet_of
from analytics_app.models import Datasheet
from analytics_app.services import datasheet as services
from tasks_app.models import Criterion, Membership, Study
from tasks_app.services.study import lifecycle
from tests.builders import build_study

pytestmark = pytest.mark.django_db
ADDRESS = "/admin/studies/hidden-slug/datasheet/"
SECTION_3 = f"{ADDRESS}?version=3.0&section=3"


class Form(HTMLParser):
    """What a browser would send if nothing was touched."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.sent: dict[str, list[str]] = {}
        self.select = self.area = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: Any) -> None:
        about = dict(attributes)
        name, value = about.get("name") or "", about.get("value") or ""
        is_box = about.get("type") in {"checkbox", "radio"}
        if tag == "input" and name.startswith(("seen-", "text-", "option-")) and (not is_box or "checked" in about):
            self.sent.setdefault(name, []).append(value)
        elif tag == "select":
            self.select = name
        elif tag == "option" and "selected" in about and self.select.startswith("option-"):
            self.sent.setdefault(self.select, []).append(value)
        elif tag == "textarea":
            self.area = name
            self.sent[name] = [""]

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea":
            self.area = ""

    def handle_data(self, data: str) -> None:
        if self.area:
            # The first line break after the tag is none of the text.
            self.sent[self.area][0] += data.removeprefix("\n")


def form(browser: Client, address: str = SECTION_3) -> dict[str, list[str]]:
    """Return the fields that the untouched form of a part sends."""
    return Form(browser.get(address).content.decode()).sent


@pytest.fixture
def editors_browser(study: Study) -> Client:
    """An editor's browser."""
    editor = User.objects.create_user("edith", password="an editor's password", is_staff=True)
    Membership.objects.create(study=study, user=editor, role=Membership.Role.EDITOR)
    client = Client()
    client.force_login(editor)
    return client


def test_what_the_study_knows_stands_in_the_form_with_its_source(study: Study, rosas_browser: Client) -> None:
    page = rosas_browser.get(SECTION_3).content.decode()
    assert "Outputs evaluated per system" in page
    assert "Filled in from the texts." in page
    assert form(rosas_browser)["text-3.1.1"] == ["4"]
    assert form(rosas_browser)["option-3.2.2.2"] == ["1"]


def test_a_form_that_nobody_touched_stores_nothing(study: Study, rosas_browser: Client) -> None:
    for place in ("1", "2", "3", "4", "5"):
        address = f"{ADDRESS}?section={place}"
        answer = rosas_browser.post(address, form(rosas_browser, address), follow=True)
        assert "Nothing changed." in answer.content.decode()
    assert not [entry for entry in sheet_of(study).entries if entry.own]


def test_an_own_answer_replaces_the_studys_and_can_be_taken_back(study: Study, rosas_browser: Client) -> None:
    sent = form(rosas_browser)
    answer = rosas_browser.post(SECTION_3, {**sent, "text-3.1.1": "5"}, follow=True)
    page = answer.content.decode()
    assert "1 answer stored." in page
    assert "rosa wrote this on" in page
    assert "the study says:" in page
    assert form(rosas_browser)["text-3.1.1"] == ["5"]
    again = rosas_browser.post(f"{ADDRESS}take-back/?section=3", {"question": "3.1.1"}, follow=True)
    assert "own answer is used again" in again.content.decode()
    assert form(rosas_browser)["text-3.1.1"] == ["4"]


def test_the_answer_of_the_study_written_by_hand_stays_the_studys(study: Study, rosas_browser: Client) -> None:
    rosas_browser.post(SECTION_3, {**form(rosas_browser), "text-3.1.1": "5"})
    rosas_browser.post(SECTION_3, {**form(rosas_browser), "text-3.1.1": "4"})
    assert sheet_of(study).by_key()["3.1.1"].own is None


def test_two_who_write_at_once_lose_nothing(study: Study, rosas_browser: Client, editors_browser: Client) -> None:
    """Other questions are stored; the same one is shown with both answers, and stored on the second try."""
    rosas, ediths = form(rosas_browser), form(editors_browser)
    rosas_browser.post(SECTION_3, {**rosas, "text-3.3.8": "A library."})
    refused = editors_browser.post(SECTION_3, {**ediths, "text-3.3.8": "A laboratory.", "text-3.2.5": "Students."})
    page = refused.content.decode()
    assert refused.status_code == 422
    assert "Changed meanwhile by rosa: “A library.”" in page
    assert Datasheet.objects.get(study=study, version=None).answers.keys() == {"3.3.8"}
    sent = Form(page).sent
    assert (sent["text-3.3.8"], sent["text-3.2.5"]) == (["A laboratory."], ["Students."])
    assert editors_browser.post(SECTION_3, sent).status_code == 302
    answers = {key: entry.answer.text for key, entry in sheet_of(study).by_key().items() if entry.own}
    assert answers == {"3.3.8": "A laboratory.", "3.2.5": "Students."}


def test_two_who_write_different_answers_both_store_them(
    study: Study, rosas_browser: Client, editors_browser: Client
) -> None:
    rosas, ediths = form(rosas_browser), form(editors_browser)
    rosas_browser.post(SECTION_3, {**rosas, "text-3.3.8": "A library."})
    assert editors_browser.post(SECTION_3, {**ediths, "text-3.2.5": "Students."}).status_code == 302
    assert {key for key, entry in sheet_of(study).by_key().items() if entry.own} == {"3.3.8", "3.2.5"}


def test_an_answer_that_the_question_does_not_take_is_named_and_kept_on_the_page(
    study: Study, rosas_browser: Client
) -> None:
    sent = {**form(rosas_browser), "text-3.2.1": "many", "text-3.3.8": "A library."}
    answer = rosas_browser.post(SECTION_3, sent)
    assert answer.status_code == 422
    assert "Enter a whole number, or N/A." in answer.content.decode()
    kept = Form(answer.content.decode()).sent
    assert (kept["text-3.2.1"], kept["text-3.3.8"]) == (["many"], ["A library."])
    assert not Datasheet.objects.filter(study=study, version=None).exists()


def test_criteria_come_one_after_the_other(rosa: User, rosas_browser: Client) -> None:
    study = build_study(rosa, slug="draft", criteria=("fluency", "clarity"), opened=False)
    Criterion.objects.filter(study=study).update(heds={"4.1.1": "goodness", "4.1.2": "form"})
    address = "/admin/studies/draft/datasheet/?version=2.0&section=4&criterion=fluency"
    sent = form(rosas_browser, address)
    assert sent["option-4.1.1~fluency"] == ["2"]
    assert "text-4.3.1.2~fluency" not in sent
    rosas_browser.post(address, {**sent, "option-4.2.1~fluency": "2"})
    assert sheet_of(study).by_key()["4.2.1~fluency"].words == "Subjective"


def missing(browser: Client, address: str) -> Iterator[str]:
    yield from (line for line in browser.get(address).content.decode().splitlines() if " missing<span" in line)


def test_what_is_missing_is_listed_with_links(study: Study, rosas_browser: Client) -> None:
    page = rosas_browser.get(ADDRESS).content.decode()
    assert "questions answered." in page
    assert "section=5#q-5-4" in page.replace("&amp;", "&")
    assert len(list(missing(rosas_browser, ADDRESS))) == 5
    rosas_browser.post(f"{ADDRESS}?section=5", {**form(rosas_browser, f"{ADDRESS}?section=5"), "text-5.4": "None."})
    assert "section=5#q-5-4" not in rosas_browser.get(ADDRESS).content.decode().replace("&amp;", "&")


def test_viewers_read(study: Study) -> None:
    viewer = User.objects.create_user("vera", password="a viewer's password", is_staff=True)
    Membership.objects.create(study=study, user=viewer, role=Membership.Role.VIEWER)
    browser = Client()
    browser.force_login(viewer)
    page = browser.get(SECTION_3).content.decode()
    assert "Outputs evaluated per system" in page
    assert "Save this section" not in page
    assert not Form(page).sent
    assert browser.post(SECTION_3, {}).status_code == 404


@pytest.mark.exhaustive
@pytest.mark.parametrize("place", ["1", "3", "4"])
def test_a_page_takes_few_queries(
    study: Study, rosas_browser: Client, django_assert_max_num_queries: Any, place: str
) -> None:
    rosas_browser.get(ADDRESS)
    with django_assert_max_num_queries(15):
        rosas_browser.get(f"{ADDRESS}?section={place}")


def test_opening_freezes_every_answer_and_the_page_lists_what_changed(rosa: User, client: Client) -> None:
    """A pause and another opening freeze nothing again."""
    call_command("load_study", "examples/checked", owner="rosa", stdout=StringIO())
    study = Study.objects.get(slug="example-checked")
    services.answer(study=study, given={"5.4": Answer("A form for the ethics board.")}, displayed={}, by=rosa)
    before = {entry.key: entry.answer for entry in sheet_of(study).entries if entry.answer}
    for action in ("open", "pause", "open"):
        lifecycle.move(study_id=study.pk, action=action, by=rosa)
    study.refresh_from_db()
    stored = Datasheet.objects.get(study=study, version=1)
    kept = {number: Answer.of(one) for number, one in stored.answers.items()}
    kept |= {
        f"{number}~{key}": Answer.of(one)
        for key, rows in stored.criterion_answers.items()
        for number, one in rows.items()
    }
    # That the design is frozen is known from then on.
    assert kept.pop("3.3.1").text.startswith("The design and the analysis plan were frozen on")
    assert kept == before

    client.force_login(rosa)
    address = f"/admin/studies/{study.slug}/datasheet/"
    assert "No answer has changed since then." in client.get(address).content.decode()
    services.answer(study=study, given={"5.4": Answer("None.")}, displayed={}, by=rosa)
    page = client.get(address).content.decode()
    assert "1 answer has changed since then:" in page
    assert stored.digest in page
    then, now = (client.get(f"{address}heds.markdown{query}").content.decode() for query in ("?frozen=1", ""))
    assert "A form for the ethics board." in then
    assert "A form for the ethics board." not in now
    assert frozen_sheet(sheet_of(study)).version == 1


def test_without_an_opening_nothing_is_frozen(study: Study, editors_browser: Client) -> None:
    Datasheet.objects.filter(study=study).delete()
    assert frozen_sheet(sheet_of(study)) is None
    assert editors_browser.get(f"{ADDRESS}heds.json?frozen=1").status_code == 404


def test_a_choice_that_the_study_proposes_can_be_cleared(study: Study, editors_browser: Client) -> None:
    """By the button "No answer", which stands before the options."""
    sent = form(editors_browser)
    key = next(entry.key for entry in sheet_of(study).entries if entry.question.kind == "one" and entry.answer.options)
    section = key.partition("~")[0][0]
    assert section == "3"
    editors_browser.post(SECTION_3, {**sent, f"option-{key}": [""], f"text-{key}": [""]})
    entry = sheet_of(study).by_key()[key]
    assert entry.own is not None
    assert not entry.answer
