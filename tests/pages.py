"""Reading pages in tests: hidden fields and texts, as a browser would find them."""

import re
import uuid
from html.parser import HTMLParser

from django.http import HttpResponse
from django.test import Client

from tasks_app.management.simulated_raters import hidden_fields
from tasks_app.models import Study
from tasks_app.services.arrival import enrolment
from tasks_app.services.judging import assignments
from tasks_app.views.rater.pages import consent_text


def agree(study: Study) -> str:
    """Take part, by the service behind that page, without beginning; returns the rater's token."""
    return _enrolled(study).token


def join(study: Study) -> str:
    """Take part, read the instructions and begin, by the services behind those pages; returns the rater's token."""
    enrolled = _enrolled(study)
    assignments.start(rater=enrolled.rater)
    return enrolled.token


def _enrolled(study: Study) -> enrolment.Enrolled:
    text = consent_text(study, "")
    return enrolment.enrol(
        study_id=study.pk, nonce=uuid.uuid4().hex, consent_text_id=text.pk if text else None, address="127.0.0.1"
    )


def join_by_pages(browser: Client, study: Study) -> str:
    """Do the same by these pages."""
    path = f"/join/{study.link_code}/"
    page = browser.get(path)
    answer = browser.post(path, hidden(page))
    assert answer.status_code == 302, answer.content.decode()
    token = answer["Location"].strip("/").split("/")[1]
    page = browser.get(f"/r/{token}/instructions/")
    assert browser.post(f"/r/{token}/instructions/", hidden(page)).status_code == 302
    return token


def hidden(page: HttpResponse, form_id: str | None = None) -> dict[str, str]:
    """Return the hidden fields of a form on a page."""
    return hidden_fields(page.content.decode(), form_id)


def unit(browser: Client, token: str) -> dict[str, str]:
    """Open the next unit and return the hidden fields of its form."""
    page = browser.get(f"/r/{token}/judge/")
    assert page.status_code == 200, page.content.decode()
    return hidden(page, "answer")


# A token of 128 bits or more; of a form's, also the time and the signature behind it.
TOKEN = re.compile(r"(?<![\w-])[\w-]{22,}(?::\w{6}:[\w-]{43})?(?![\w-])")


def without_tokens(html: str) -> str:
    """Return a page without what was drawn, which may hold a word of three or four letters by chance."""
    return TOKEN.sub("", html)


def without_words(html: str) -> tuple[str, str]:
    """Return a page without the sentences that its scripts say, and these."""
    before, begins, rest = html.partition("<template data-words>")
    sentences, _ends, after = rest.partition("</template>") if begins else ("", "", "")
    return before + after, sentences


class _FormReader(HTMLParser):
    """Collects what a browser would post for one form of a page that nobody has touched; buttons are left out."""

    def __init__(self, form_id: str) -> None:
        super().__init__()
        self.form_id, self.inside, self.area, self.select = form_id, False, "", ""
        self.fields: dict[str, list[str]] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.inside = values.get("id") == self.form_id
        if not self.inside:
            return
        name = values.get("name", "")
        if tag == "input" and name and (values.get("type") not in {"checkbox", "radio"} or "checked" in values):
            self.fields.setdefault(name, []).append(values.get("value", ""))
        elif tag == "textarea":
            self.area = name
            self.fields.setdefault(name, []).append("")
        elif tag == "select":
            self.select = name
        elif tag == "option" and (self.select not in self.fields or "selected" in values):
            self.fields[self.select] = [values.get("value", "")]

    def handle_data(self, data: str) -> None:
        if self.area:
            self.fields[self.area][-1] += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self.inside = False
        if tag == "textarea" and self.area:
            self.fields[self.area][-1] = self.fields[self.area][-1].removeprefix("\n")
            self.area = ""


def fields_of(page: str, form_id: str) -> dict[str, list[str]]:
    """Return the fields that a browser would post for an untouched form, without its buttons."""
    reader = _FormReader(form_id)
    reader.feed(page)
    return reader.fields
