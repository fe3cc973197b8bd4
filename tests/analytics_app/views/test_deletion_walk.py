"""A study with answers is closed, paid, archived and deleted by the buttons of its pages."""

from html import unescape
from html.parser import HTMLParser
from typing import Any

import pytest
from django.test import Client

from analytics_app.models import Run
from analytics_app.runs import start
from tasks_app.models import DeletedStudy, Judgment, Study
from tests.analytics_app.views.reading import text
from tests.tasks_app.services.test_pay import work

pytestmark = pytest.mark.django_db


class Forms(HTMLParser):
    """The forms and links of a page: fields that are filled in, and the words of buttons and links."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.forms: list[dict[str, Any]] = []
        self.links: dict[str, str] = {}
        self._form: dict[str, Any] | None = None
        self._words: tuple[str, dict[str, str]] | None = None
        self._heard = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._form = {"action": values.get("action", ""), "fields": {}, "buttons": {}}
            self.forms.append(self._form)
        elif tag == "input" and self._form is not None and values.get("type") == "hidden":
            self._form["fields"][values["name"]] = values.get("value", "")
        elif tag in {"button", "a"}:
            self._words, self._heard = (tag, values), ""

    def handle_data(self, data: str) -> None:
        self._heard += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._form = None
        if self._words is None or tag != self._words[0]:
            return
        words, values = " ".join(self._heard.split()), self._words[1]
        if tag == "a":
            self.links.setdefault(words, values.get("href", ""))
        elif self._form is not None:
            self._form["buttons"][words] = values
        self._words = None


class Owner:
    """An owner who follows links and presses buttons by their words; each page has to have them."""

    def __init__(self, browser: Client, address: str) -> None:
        self.browser = browser
        self.open(address)

    def open(self, address: str) -> str:
        """Open a page, and return what it says."""
        self._take(self.browser.get(address, follow=True))
        return self.said

    def _take(self, answer: Any) -> None:
        assert answer.status_code == 200, answer.status_code
        self.address = answer.request["PATH_INFO"]
        self.page = answer.content.decode()
        self.said = unescape(text(self.page))

    def follow(self, words: str) -> None:
        """Follow a link."""
        self.open(unescape(Forms(self.page).links[words]))

    def press(self, words: str, **typed: str) -> None:
        """Press a button whose words begin so, with what is typed into the fields of its form."""
        for form in Forms(self.page).forms:
            for label, button in form["buttons"].items():
                if label.startswith(words):
                    own = {button["name"]: button.get("value", "")} if "name" in button else {}
                    address = unescape(form["action"]) or self.address
                    self._take(self.browser.post(address, {**form["fields"], **own, **typed}, follow=True))
                    return
        raise AssertionError(f"{self.address} has no button “{words}”")


def test_a_study_with_answers_is_deleted_by_its_buttons(study: Study, rosas_browser: Client) -> None:
    for _rater in range(2):
        work(study)
    begun = work(study, 1)
    title, number = study.title, study.pk
    owner = Owner(rosas_browser, f"/admin/studies/{study.slug}/delete/")
    assert "Raters take part in it. Close the study first." in owner.said

    owner.follow("Recruit")
    owner.press("Close")
    assert "Close this study?" in owner.said
    owner.press("Close the study")
    start.compute_here(run=Run.objects.get(study=study))  # a worker's work

    owner.open(f"/admin/studies/{study.slug}/delete/")
    assert "1 rater has begun and not ended. End them on their own page, from Monitor" in owner.said
    owner.open(f"/admin/studies/{study.slug}/raters/")
    owner.follow(begun.pseudonym)
    owner.press("End as returned")

    said = owner.open(f"/admin/studies/{study.slug}/delete/")
    assert "6.75 EUR are still to be paid. Pay your raters, then mark it as paid on Pay." in said
    assert "There is no archive with all answers of the closed study." in said
    owner.follow("Pay")
    owner.press("Mark as paid")
    assert "6.75 EUR" in owner.said
    owner.press("Mark as paid")
    assert "Marked as paid." in owner.said

    owner.open(f"/admin/studies/{study.slug}/delete/")
    assert "still to be paid" not in owner.said
    owner.follow("Data")
    archive = Forms(owner.page).links["Download the archive of run 1"]
    answer = rosas_browser.get(archive)
    assert answer.getvalue()[:2] == b"PK"

    said = owner.open(f"/admin/studies/{study.slug}/delete/")
    assert "To do first" not in said
    assert f"Type this title to delete the study: {title}" in said
    owner.press("Delete the study", name=title)
    assert f"“{title}” is deleted." in owner.said
    assert not Judgment.objects.exists()
    assert DeletedStudy.objects.get(number=number).n_judgments == 9
    assert title in owner.open("/admin/deleted-studies/")
