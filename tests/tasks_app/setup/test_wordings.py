"""Wordings of a question in the set-up: added and removed by buttons, previewed one by one."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from tasks_app.models import Study
from tests.tasks_app.setup.test_steps import SLUG, save, url

ADD = "add:criteria.0.wordings"


def preview(browser: Client, wording: str = "") -> str:
    """Return the page of the first unit in a wording."""
    path = reverse("researcher:preview", args=[SLUG])
    return browser.get(f"{path}?wording={wording}" if wording else path).content.decode()


def test_a_wording_is_added_by_a_button_and_previewed(draft: Study, rosas_browser: Client) -> None:
    page = rosas_browser.get(url("questions")).content.decode()
    assert f'value="{ADD}"' in page
    assert "Add a wording" in page
    setup = save(rosas_browser, "questions", {"do": ADD})
    assert setup.document.value(("criteria", 0, "wordings")) == [{"key": "wording-2"}]
    # A wording that changes nothing is named as a problem beside it.
    page = rosas_browser.get(url("questions")).content.decode()
    assert "the same as in an earlier wording" in page
    words = {
        "criteria.0.wordings.0.question": "How badly does this text read?",
        "criteria.0.wordings.0.reversed": "1",
        "criteria.0.wordings.0.example": "An example of ours.",
        "criteria.0.wordings.0.shown_first": "Most get 3.",
    }
    setup = save(rosas_browser, "questions", words)
    assert setup.document.value(("criteria", 0, "wordings", 0, "reversed")) is True
    first, second = preview(rosas_browser), preview(rosas_browser, "1")
    assert "How well does this text read?" in first
    assert "How badly does this text read?" not in first
    for words_of_second in ("How badly does this text read?", "An example of ours.", "Most get 3."):
        assert words_of_second in second
    assert "How well does this text read?" not in second
    assert re.findall(r'href="\?wording=(\d)"', second) == ["0", "1"]
    # What a screen reader says of the question: its notes have ids that exist.
    for one in ("first", "example", "note"):
        assert re.search(rf'id="[^"]*fluency-{one}"', second), one
        assert re.search(rf'aria-describedby="[^"]*fluency-{one}[ "]', second), one
    setup = save(rosas_browser, "questions", {"do": "remove:criteria.0.wordings.0"})
    assert not setup.document.value(("criteria", 0, "wordings"))


@pytest.mark.parametrize("wording", ["7", "x", "-1", "99999999"])
def test_an_unknown_wording_is_the_first(draft: Study, rosas_browser: Client, wording: str) -> None:
    save(rosas_browser, "questions", {"do": ADD})
    assert "How well does this text read?" in preview(rosas_browser, wording)


def test_a_reversed_wording_stores_the_scale_of_the_question(draft: Study, rosas_browser: Client) -> None:
    save(rosas_browser, "questions", {"do": ADD})
    save(rosas_browser, "questions", {"criteria.0.wordings.0.reversed": "1"})
    path = reverse("researcher:preview", args=[SLUG])
    fields = re.findall(r'type="radio" name="([^"]+)"', preview(rosas_browser, "1"))
    answer = dict.fromkeys(fields, "1")
    page = rosas_browser.post(f"{path}?wording=1", answer).content.decode()
    assert "This answer would store these ratings" in page
    stored = re.sub(r"<[^>]+>|\s+", " ", page[page.index("This answer would store") :])
    assert re.search(r"fluency +1 +5\b", stored), stored[:600]
