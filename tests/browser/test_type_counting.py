"""Counting in a real browser: facts and numbers by keyboard alone, on a phone, and without scripts."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.kit import accessible, at, begin, fits, phone, send, without_script
from tests.servers import LiveSite

pytestmark = pytest.mark.exhaustive

OpenExample = Callable[..., str]
ADDED = "How many facts does the text add?"


def test_a_screen_by_keyboard_alone(page: Page, open_example: OpenExample) -> None:
    begin(page, open_example("counting"))
    facts = page.locator("[data-labels]")
    expect(page.locator("[data-labels][data-complete=false]").first).to_be_visible()
    for _fact in range(facts.count()):
        page.keyboard.press("1")
    expect(page.get_by_role("radio", name="Mentioned", checked=True)).to_have_count(facts.count())
    page.keyboard.type("12")
    expect(page.get_by_label(ADDED)).to_have_value("12")
    accessible(page)
    page.keyboard.press("Control+Enter")
    at(page, 1)


def test_digits_reach_a_number_that_has_no_focus(page: Page, open_example: OpenExample) -> None:
    begin(page, open_example("counting", params={"per_fact": []}, criteria=["added"]))
    expect(page.get_by_label(ADDED)).to_be_visible()
    page.keyboard.type("21")
    send(page)
    expect(page.get_by_role("link", name=f"{ADDED}: give a whole number from 0 to 20, in digits.")).to_be_visible()
    page.get_by_label(ADDED).fill("0")
    send(page)
    at(page, 1)


def test_on_a_phone(browser: Browser, live_site: LiveSite, open_example: OpenExample) -> None:
    with phone(browser, live_site) as page:
        begin(page, open_example("counting"))
        fits(page)
        for target in page.locator("[data-main] label").all():
            assert (target.bounding_box() or {"height": 0})["height"] >= 44
        for answers in page.get_by_role("radiogroup").all():
            answers.get_by_text("Contradicted").tap()
        page.get_by_label(ADDED).fill("٣")
        page.get_by_role("button", name="Send and go on").tap()
        at(page, 1)


def test_without_a_script(browser: Browser, live_site: LiveSite, open_example: OpenExample) -> None:
    with without_script(browser, live_site) as page:
        begin(page, open_example("counting"))
        send(page)
        expect(page.get_by_role("link", name=f"Answer “{ADDED}”")).to_be_visible()
        for answers in page.get_by_role("radiogroup").all():
            answers.get_by_text("Not mentioned").click()
        page.get_by_label(ADDED).fill("0")
        send(page)
        at(page, 1)
