"""Comprehension in a real browser: the text alone, then the questions; drafts, keyboard, phone, no script."""

import html
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.kit import accessible, at, begin, fits, missing, phone, send, without_script
from tests.servers import LiveSite

OpenExample = Callable[..., str]

SURE, WHY = "How sure are you of your answers?", "What made it hard?"
ARABIC = "تفتح العيادة أبوابها من الثامنة حتى السادسة (رقم 12). " * 12


def read(page: Page) -> None:
    """Press the button below the text."""
    page.get_by_role("button", name="I have read it").click()


def answer_all(page: Page) -> None:
    """Answer the questions of the item, whichever it is."""
    for group in page.locator("[data-question]:not([data-after] *) fieldset").all():
        group.get_by_role("radio").last.check()
    for field in page.locator("[data-question] input[type=text]").all():
        field.fill("seven")


def test_the_text_comes_alone_and_goes_when_the_questions_come(page: Page, open_example: OpenExample) -> None:
    begin(page, open_example("comprehension"))
    expect(page.locator(".judged")).to_be_visible()
    expect(page.locator("[data-asked]")).to_be_hidden()
    expect(page.get_by_role("button", name="Send and go on")).to_be_hidden()
    source = html.unescape(page.content())
    assert "correct" not in source
    read(page)
    expect(page.locator(".judged")).to_be_hidden()
    expect(page.get_by_role("radiogroup", name=SURE)).to_be_visible()
    expect(page.get_by_role("radio", checked=True)).to_have_count(0)
    expect(page.get_by_role("radiogroup", name=WHY)).to_be_hidden()
    accessible(page)
    send(page)
    missing(page, f"Answer “{SURE}”")
    answer_all(page)
    page.get_by_label("Not sure").check()
    expect(page.get_by_role("radiogroup", name=WHY)).to_be_visible()
    send(page)
    missing(page, f"Answer “{WHY}”")
    expect(page.locator("[data-saved]")).to_have_text("Saved")
    page.reload()
    expect(page.locator(".judged")).to_be_hidden()
    page.get_by_role("radiogroup", name=WHY).get_by_label("The notice").check()
    send(page)
    at(page, 1)


@pytest.mark.exhaustive
def test_a_reload_goes_on_with_the_reading_time(page: Page, open_example: OpenExample) -> None:
    begin(page, open_example("comprehension", {"text_stays": True}))
    expect(page.locator("[data-asked]")).to_be_hidden()
    page.evaluate(
        "document.querySelector('[data-seconds]').value = '60';"
        "document.querySelector('[data-seconds]').dispatchEvent(new Event('change', {bubbles: true}))"
    )
    page.reload()
    expect(page.locator("[data-asked]")).to_be_hidden()
    read(page)
    expect(page.locator(".judged")).to_be_visible()
    assert 60 < float(page.locator("[data-seconds]").input_value()) < 120
    answer_all(page)
    page.get_by_label("Very sure").check()
    send(page)
    at(page, 1)


@pytest.mark.exhaustive
def test_by_keyboard_alone(page: Page, open_example: OpenExample) -> None:
    begin(page, open_example("comprehension", {"only_if": []}, criteria=["sureness"]))
    expect(page.locator("[data-send]:not([data-settling])")).to_have_count(1)
    page.keyboard.press("Enter")  # at the start it says that the text was read
    expect(page.get_by_role("radiogroup", name=SURE)).to_be_visible()
    for _question in range(3):
        if page.evaluate("document.activeElement.type") == "text":
            page.keyboard.type("seven")
            page.keyboard.press("Enter")
        else:
            page.keyboard.press("2")
    page.keyboard.press("3")
    expect(page.get_by_label("Very sure")).to_be_checked()
    page.keyboard.press("Control+Enter")
    at(page, 1)


@pytest.mark.exhaustive
def test_on_a_phone_with_long_and_right_to_left_texts(
    browser: Browser, live_site: LiveSite, open_example: OpenExample
) -> None:
    with phone(browser, live_site) as page:
        begin(page, open_example("comprehension", {"text_stays": True}))
        page.evaluate("(text) => { document.querySelector('.judged').textContent = text; }", ARABIC)
        fits(page)
        accessible(page)
        read(page)
        fits(page)
        accessible(page)


@pytest.mark.exhaustive
def test_without_a_script_questions_are_the_next_page(
    browser: Browser, live_site: LiveSite, open_example: OpenExample
) -> None:
    with without_script(browser, live_site) as page:
        begin(page, open_example("comprehension"))
        expect(page.locator(".judged")).to_be_visible()
        expect(page.locator("[data-question]").first).to_be_hidden()
        expect(page.get_by_role("button", name="Send and go on")).to_be_hidden()
        read(page)
        expect(page.locator(".judged")).to_be_hidden()
        expect(page.get_by_text(f"Answer this only if your answer to “{SURE}” is: Not sure.")).to_be_visible()
        answer_all(page)
        page.get_by_label("Very sure").check()
        send(page)
        at(page, 1)
