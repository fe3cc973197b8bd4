"""The Likert scale in a real browser."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.about import AS_IT_IS
from tests.browser.conftest import STUDY
from tests.browser.kit import accessible, at, begin, fits, phone, send
from tests.servers import LiveSite

Open = Callable[..., str]


def chosen(page: Page) -> list[str]:
    """Return the labels of the chosen steps."""
    return [one.strip() for one in page.locator(".step:has(:checked) .step-word").all_inner_texts()]


def test_the_example_by_digits_and_a_draft_comes_back(page: Page, open_example: Open) -> None:
    begin(page, open_example("likert"))
    page.keyboard.press("5")
    page.keyboard.press("2")
    answer = chosen(page)
    # Each rater has the criteria in an order of their own.
    assert answer in (["very well", "in small part"], ["completely", "badly"])
    expect(page.locator("[data-saved]")).to_have_text("Saved")
    page.reload()
    assert chosen(page) == answer
    expect(page.locator("[data-settling]")).to_have_count(0)
    page.keyboard.press("Control+Enter")
    at(page, 1)
    assert chosen(page) == []


@pytest.mark.exhaustive
def test_one_question_at_a_time_side_by_side(page: Page, open_example: Open) -> None:
    begin(page, open_example("likert", {"layout": "together"}, criteria_mode="page", set_size=2))
    questions = page.get_by_role("radiogroup")
    expect(questions).to_have_count(1)
    first = questions.get_attribute("aria-labelledby")
    expect(page.locator(".question-letter:visible")).to_have_text("Text A:")
    accessible(page)
    for _question in range(6):
        page.keyboard.press("3")
    expect(page.locator("input[type=radio]:checked")).to_have_count(6)
    page.reload()
    expect(page.locator("input[type=radio]:checked")).to_have_count(6)
    assert page.get_by_role("radiogroup").get_attribute("aria-labelledby") == first
    send(page)
    at(page, 1)


@pytest.mark.exhaustive
def test_agreement_with_seven_worded_steps_on_a_phone(browser: Browser, live_site: LiveSite, tmp_path: Path) -> None:
    study = STUDY.format(slug="agreement", type="likert", layout="single, points: 7, agreement: true", size=2)
    study = re.sub("question: .*high: [a-z]+", 'question: "The text is like that."', study)
    (tmp_path / "study.yaml").write_text(study, encoding="utf-8")
    (tmp_path / "items.csv").write_text("item,system,output\na,x,هذا نص.\nb,x,نص آخر.\n", encoding="utf-8")
    live_site.manage("load_study", str(tmp_path), "--owner", "researcher")
    with phone(browser, live_site) as page:
        begin(page, live_site.manage("move_study", "agreement", "open", *AS_IT_IS).strip())
        fits(page)
        accessible(page)
        for group in page.get_by_role("radiogroup").all():
            group.get_by_text("Neither agree nor disagree").tap()
        send(page)
        at(page, 1)
