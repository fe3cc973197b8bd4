"""A screen in two parts, without scripts: the text of comprehension first, and its questions on a page of their own."""

import re

import pytest
from django.conf import settings
from django.test import Client

from tasks_app import studyfile
from tasks_app.models import Draft, Judgment
from tasks_app.services.study import lifecycle
from tests import pages

pytestmark = pytest.mark.django_db

SHEET = "css/task_types/comprehension_no_script.css"
BUTTON = 'name="read_on" value="1">I have read it</button>'


def without_scripts(browser: Client, token: str) -> str:
    """Return what a browser without scripts shows of the next page: with what stands in its noscript."""
    page = browser.get(f"/r/{token}/judge/").content.decode()
    return re.sub(r"</?noscript>", "", page)


def test_the_text_is_a_page_of_its_own_and_its_questions_are_the_next(somebody: Client) -> None:
    study = studyfile.load(settings.BASE_DIR / "examples" / "comprehension", owner=None)
    lifecycle.move(study_id=study.pk, action="open", by=None)
    token = pages.join(study)
    first = without_scripts(somebody, token)
    assert SHEET in first
    assert " data-read>" not in first
    assert BUTTON in first
    # The button sends the form, but no answer: what was written beside it is kept, and nothing is stored.
    form = pages.unit(somebody, token)
    answer = somebody.post(f"/r/{token}/judge/", {**form, "read_on": "1", "comment": "Well written."})
    assert (answer.status_code, answer["Location"]) == (302, f"/r/{token}/judge/")
    assert Judgment.objects.count() == 0
    assert Draft.objects.get().answer == {"read": "1", "comment": "Well written."}
    second = without_scripts(somebody, token)
    assert " data-read>" in second
    assert BUTTON not in second
    assert "Well written." in second
    # Pressed again in another tab, it changes nothing.
    assert somebody.post(f"/r/{token}/judge/", {**form, "read_on": "1"}).status_code == 302
    # The answers to the questions are stored as always; how long the text was read is not known.
    form = pages.unit(somebody, token)
    refused = somebody.post(f"/r/{token}/judge/", form)
    assert refused.status_code == 422
    names = set(re.findall(r'name="(p1-q\d|p1-c-\w+)"', second))
    values = {name: re.findall(rf'name="{name}"[^>]* value="([^"]*)"', second) for name in names}
    given = {name: options[-1] or "seven" for name, options in values.items()}
    stored = somebody.post(f"/r/{token}/judge/", {**form, **given, "p1-c-sureness": values["p1-c-sureness"][-1]})
    assert stored.status_code == 302, stored.content.decode()
    judgment = Judgment.objects.get()
    assert judgment.answer["read"] == "1"
    assert not judgment.ratings.filter(criterion__key="reading-seconds").exists()
    assert " data-read>" not in without_scripts(somebody, token)


def test_a_button_of_a_type_that_has_none_is_an_answer(somebody: Client) -> None:
    study = studyfile.load(settings.BASE_DIR / "examples" / "labels", owner=None)
    lifecycle.move(study_id=study.pk, action="open", by=None)
    token = pages.join(study)
    form = pages.unit(somebody, token)
    assert somebody.post(f"/r/{token}/judge/", {**form, "read_on": "1"}).status_code == 422
    assert Draft.objects.count() == 0
