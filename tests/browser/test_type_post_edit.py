"""Post-editing in a real browser: by mouse, by keyboard alone, by touch, without JavaScript, with a draft."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.kit import accessible, at, back, begin, fits, phone, press_until, send, without_script
from tests.servers import LiveSite

OpenExample = Callable[..., str]


def area(page: Page) -> Locator:
    """Return the text area that is shown."""
    return page.locator("textarea.post-edit-text:visible")


def counted(page: Page) -> tuple[int, float]:
    """Return the keys and seconds that the page would send now."""
    keys, seconds = page.evaluate(
        "() => { const data = new FormData(document.querySelector('form[data-answer]'));"
        " return [Number(data.get('keystrokes')), Number(data.get('seconds'))]; }"
    )
    return keys, seconds


@pytest.mark.exhaustive
def test_by_mouse_a_suggestion_is_chosen_and_edited(page: Page, open_example: OpenExample) -> None:
    begin(page, open_example("post_edit", set_size=2))
    assert page.locator("form[data-answer] input:checked").count() == 0
    expect(area(page)).to_have_count(0)
    send(page)
    expect(page.locator("[data-error]:visible")).to_have_text(["Choose the suggestion that you want to edit."])
    page.get_by_text("Edit suggestion B").click()
    start = area(page).input_value()
    assert (
        start
        == page.locator(".text", has=page.get_by_role("heading", name="Suggestion B")).locator(".judged").text_content()
    )
    send(page)
    expect(page.locator("[data-error]:visible")).to_have_text(["Edit the text, or tick “It needs no change”."])
    expect(area(page)).to_be_focused()
    page.keyboard.press("Control+End")
    page.keyboard.type(" Really.")
    expect(page.locator("[data-count]:visible")).to_have_text("Words added: 1. Words removed: 0.")
    expect(page.locator("[data-shown]:visible ins")).to_contain_text("Really.")
    expect(page.locator(".post-edit-tick")).to_be_hidden()
    accessible(page)
    page.get_by_role("button", name="Back to the suggestion").click()
    expect(area(page)).to_have_value(start)
    page.get_by_role("button", name="Bring my text back").click()
    expect(area(page)).to_have_value(f"{start} Really.")
    page.get_by_role("button", name="Back to the suggestion").click()
    page.keyboard.press("Control+z")
    expect(area(page)).to_have_value(f"{start} Really.")
    page.get_by_text("Edit suggestion A").click()
    page.locator(".post-edit-tick").click()
    page.get_by_text("Edit suggestion B").click()
    expect(area(page)).to_have_value(f"{start} Really.")
    expect(page.locator("[data-unchanged]")).not_to_be_checked()
    send(page)
    at(page, 1)
    back(page)
    expect(area(page)).to_have_value(f"{start} Really.")
    expect(page.locator("[data-shown]:visible ins")).to_contain_text("Really.")


@pytest.mark.exhaustive
def test_by_keyboard_alone_with_what_it_took(page: Page, open_example: OpenExample) -> None:
    begin(page, open_example("post_edit", set_size=1))
    expect(area(page)).to_have_count(0)
    press_until(page, lambda: page.evaluate("document.activeElement.name") == "choice")
    page.keyboard.press("2")
    expect(area(page)).to_be_focused()
    assert counted(page)[0] == 0
    page.keyboard.press("Control+End")
    page.keyboard.press("Backspace")
    page.keyboard.press("Shift")
    page.keyboard.type("!?")
    keys, seconds = counted(page)
    assert keys == 4  # End, Backspace and two signs; Ctrl and Shift alone are none
    assert 0 <= seconds < 60
    typed = area(page).input_value()
    expect(page.locator("[data-saved]")).to_have_text("Saved")
    page.reload()
    expect(area(page)).to_have_value(typed)
    expect(page.locator("[data-count]:visible")).to_have_count(1)
    assert counted(page)[0] == 4
    press_until(page, lambda: page.evaluate("document.activeElement.tagName") == "TEXTAREA")
    page.keyboard.press("1")
    assert area(page).input_value() != typed
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("heading", name="Thank you, you have finished")).to_be_visible()


@pytest.mark.exhaustive
def test_by_touch_on_a_phone_with_one_suggestion(
    browser: Browser, live_site: LiveSite, open_example: OpenExample
) -> None:
    with phone(browser, live_site) as page:
        begin(page, open_example("post_edit", params={"suggestions": 1}, set_size=1))
        accessible(page)
        fits(page)
        send(page)
        expect(page.locator("[data-error]:visible")).to_have_text("Edit the text, or tick “It needs no change”.")
        area(page).tap()
        area(page).fill("word " * 200)
        tall = area(page).evaluate("one => [one.scrollHeight, one.clientHeight]")
        assert tall[0] <= tall[1] + 2, "the area does not grow with its text"
        fits(page)
        page.get_by_role("button", name="Back to the suggestion").tap()
        page.locator(".post-edit-tick").tap()
        accessible(page)
        send(page)
        expect(page.get_by_role("heading", name="Thank you, you have finished")).to_be_visible()


@pytest.mark.exhaustive
def test_without_javascript(browser: Browser, live_site: LiveSite, open_example: OpenExample) -> None:
    with without_script(browser, live_site) as page:
        begin(page, open_example("post_edit", set_size=1))
        expect(area(page)).to_have_count(2)
        page.get_by_label("Edit suggestion A").check()
        send(page)
        expect(page.get_by_text("Edit the text, or tick “It needs no change”.").first).to_be_visible()
        expect(page.get_by_label("Edit suggestion A")).to_be_checked()
        page.get_by_label("Your text, from suggestion A").fill("  A new text,\nin two lines. ")
        page.get_by_label("It needs no change").check()
        send(page)
        expect(page.get_by_text("but the text is changed").first).to_be_visible()
        expect(area(page).first).to_have_value("  A new text,\nin two lines. ")
        page.get_by_label("It needs no change").uncheck()
        send(page)
        expect(page.get_by_role("heading", name="Thank you, you have finished")).to_be_visible()


@pytest.mark.exhaustive
def test_two_windows_with_two_texts_show_what_each_changed(page: Page, open_example: OpenExample) -> None:
    begin(page, open_example("post_edit", params={"suggestions": 1}, set_size=2))
    second = page.context.new_page()
    second.goto(page.url)
    for window, more in ((page, " First."), (second, " Second.")):
        expect(window.locator("[data-count]")).to_have_text("No changes yet.")
        area(window).press("Control+End")
        window.keyboard.type(more)
    send(page)
    at(page, 1)
    send(second)
    expect(second.get_by_text("+ “First.”")).to_be_visible()
    expect(second.get_by_text("+ “Second.”")).to_be_visible()
    second.get_by_role("link", name="Keep the stored answer").click()
    at(second, 1)
