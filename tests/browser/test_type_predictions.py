"""Judged predictions in a real browser: by keyboard alone, on a phone, and without scripts."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.kit import accessible, at, begin, fits, phone, send, without_script
from tests.servers import LiveSite

pytestmark = pytest.mark.exhaustive

OpenExample = Callable[..., str]


def test_screens_by_keyboard_alone(page: Page, open_example: OpenExample) -> None:
    begin(page, open_example("predictions"))
    for done in range(1, 10):
        expect(page.locator("[data-labels][data-complete=false]")).to_be_visible()
        boxes, options = page.locator("[data-main] input[type=checkbox]"), page.locator("[data-main] input")
        if boxes.count():
            # "I cannot tell" takes the place of predictions, and they of it.
            n = options.count()
            for key in ("1", "2", str(n - 1)):
                page.keyboard.press(key)
            expect(page.locator("[data-main] input:checked")).to_have_count(1)
            page.keyboard.press("2")
            expect(boxes.nth(1)).to_be_checked()
            expect(boxes.nth(n - 2)).not_to_be_checked()
        else:
            # The right option is asked for after "neither"; its options then have the digits.
            page.keyboard.press(str(options.count() - 2))
            expect(
                page.get_by_role("radiogroup", name="Which of these is right?").get_by_role("radio").first
            ).to_be_focused()
            page.keyboard.press("2")
            expect(page.locator("[data-after] input:checked")).to_have_count(1)
        if done == 1:
            accessible(page)
        page.keyboard.press("Control+Enter")
        if done < 9:
            at(page, done)
    expect(page.locator("[data-main]")).to_have_count(0)


def test_on_a_phone(browser: Browser, live_site: LiveSite, open_example: OpenExample) -> None:
    with phone(browser, live_site) as page:
        begin(page, open_example("predictions"))
        fits(page)
        for target in page.locator("[data-main] label").all():
            assert (target.bounding_box() or {"height": 0})["height"] >= 44
        page.get_by_text("I cannot tell").tap()
        if page.get_by_role("button", name="Send and go on").is_visible():
            page.get_by_role("button", name="Send and go on").tap()
        at(page, 1)


def test_without_a_script(browser: Browser, live_site: LiveSite, open_example: OpenExample) -> None:
    with without_script(browser, live_site) as page:
        begin(page, open_example("predictions"))
        send(page)
        expect(page.get_by_role("link", name="Answer “What does the guest want?”")).to_be_visible()
        none = page.get_by_text("None of them is right").or_(page.get_by_text("Neither is right"))
        none.or_(page.get_by_text("The prediction is wrong")).first.click()
        send(page)
        expect(page.get_by_role("link", name="Answer “Which of these is right?”")).to_be_visible()
        page.get_by_text("None of these", exact=True).click()
        send(page)
        at(page, 1)
