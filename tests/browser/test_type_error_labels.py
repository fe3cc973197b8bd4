"""Error labels in a real browser: choosing by mouse and keys, down the hierarchy, on a phone, without a script."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.kit import accessible, at, begin, fits, missing, phone, send, without_script
from tests.servers import LiveSite

OpenExample = Callable[..., str]
SIDE = "Which text has the problem?"


def label(page: Page, name: str) -> Locator:
    """Return the button of a label."""
    return page.locator(".error-label-list label").filter(has_text=name)


def ready(page: Page) -> None:
    """Wait for the script, which hides what is not asked yet."""
    expect(page.get_by_role("radiogroup", name=SIDE)).to_be_hidden()


@pytest.mark.exhaustive
def test_a_unit_by_mouse_with_the_meaning_of_a_label_and_a_draft(page: Page, open_example: OpenExample) -> None:
    begin(page, open_example("error_labels"))
    ready(page)
    expect(page.get_by_role("radio", checked=True)).to_have_count(0)
    send(page)
    missing(page, "Choose the first label that applies.")
    meaning = page.get_by_text("One of the two texts, or both, is not in the language")
    expect(meaning).to_be_hidden()
    page.get_by_text("What “Wrong language” means").locator("xpath=..").click()
    expect(meaning).to_be_visible()
    label(page, "Machine-translated").click()
    asked = page.get_by_role("radiogroup", name=SIDE)
    expect(asked).to_be_visible()
    expect(page.locator("[data-status]")).to_have_text("One more question: Which text has the problem?")
    accessible(page)
    send(page)
    missing(page, "Answer “Which text has the problem?”")
    asked.get_by_text("Both").click()
    page.get_by_role("checkbox", name="Personal data").check()
    expect(page.locator("[data-saved]")).to_have_text("Saved")
    page.reload()
    expect(asked.get_by_role("radio", name="Both")).to_be_checked()
    expect(page.get_by_role("checkbox", name="Personal data")).to_be_checked()
    # What was said about one label says nothing about another.
    label(page, "Wrong language").click()
    expect(asked.get_by_role("radio", checked=True)).to_have_count(0)
    label(page, "Valid translation").click()
    expect(asked).to_be_hidden()
    send(page)
    at(page, 1)


@pytest.mark.exhaustive
def test_a_unit_by_keyboard_alone(page: Page, open_example: OpenExample) -> None:
    begin(page, open_example("error_labels"))
    ready(page)
    page.keyboard.press("4")
    expect(page.get_by_role("radio", name="The source")).to_be_focused()
    page.keyboard.press("2")
    page.keyboard.press("9")
    expect(page.get_by_role("radio", name="The output")).to_be_checked()
    expect(page.get_by_role("checkbox", name="Inappropriate content")).to_be_checked()
    page.keyboard.press("9")
    expect(page.get_by_role("checkbox", name="Inappropriate content")).not_to_be_checked()
    page.keyboard.press("Control+Enter")
    at(page, 1)
    ready(page)
    page.keyboard.press("7")
    page.keyboard.press("Enter")
    at(page, 2)


@pytest.mark.exhaustive
def test_down_the_hierarchy_by_keys_and_back(page: Page, open_example: OpenExample) -> None:
    begin(page, open_example("error_labels", params={"ask": "in_order"}))
    ready(page)
    expect(page.get_by_role("button", name="Yes")).to_have_count(1)
    send(page)
    missing(page, "Answer “Is one of the texts in another language")
    page.keyboard.press("2")
    page.keyboard.press("2")
    expect(page.get_by_role("radiogroup", name="Is a text cut, torn or run together")).to_be_visible()
    page.keyboard.press("0")
    expect(page.get_by_role("radiogroup", name="Do the texts say different things")).to_be_visible()
    accessible(page)
    for _label in range(4):
        page.keyboard.press("2")
    page.keyboard.press("1")
    expect(page.get_by_text("Label: Free translation")).to_be_visible()
    expect(page.get_by_role("radio", name="Keep it")).to_be_focused()
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    at(page, 1)
    page.get_by_role("button", name="Yes").click()
    page.get_by_text("The source", exact=True).click()
    page.get_by_role("button", name="Undo the last answer").click()
    for _label in range(6):
        page.get_by_role("button", name="No", exact=True).click()
    expect(page.get_by_text("Label: Valid translation")).to_be_visible()
    send(page)
    at(page, 2)


@pytest.mark.exhaustive
def test_on_a_phone_by_touch(browser: Browser, live_site: LiveSite, open_example: OpenExample) -> None:
    with phone(browser, live_site) as page:
        begin(page, open_example("error_labels"))
        fits(page)
        for target in page.locator(".error-labels .choice, .error-labels .error-label-open summary").all():
            box = target.bounding_box()
            if box is not None:
                assert min(box["width"], box["height"]) >= 44
        label(page, "Free translation").tap()
        page.get_by_text("Keep it").tap()
        fits(page)
        accessible(page)
        page.get_by_role("button", name="Send and go on").tap()
        at(page, 1)


@pytest.mark.exhaustive
def test_without_a_script(browser: Browser, live_site: LiveSite, open_example: OpenExample) -> None:
    with without_script(browser, live_site) as page:
        begin(page, open_example("error_labels", params={"ask": "in_order"}))
        send(page)
        expect(page.get_by_role("link", name="Answer “Is one of the texts in another language")).to_be_visible()
        for group, said in (("Is one of the texts in another", "No"), ("Do the texts say different", "Yes")):
            page.get_by_role("radiogroup", name=group).get_by_role("radio", name=said).check()
        send(page)
        at(page, 1)
        begin(page, open_example("error_labels"))
        page.get_by_role("radio", name="Machine-translated").check()
        send(page)
        expect(page.get_by_role("link", name="Answer “Which text has the problem?”")).to_be_visible()
        expect(page.get_by_text("Only if you chose:").first).to_be_visible()
        page.get_by_role("radiogroup", name=SIDE).get_by_text("Both").click()
        send(page)
        at(page, 1)
