"""Several texts on one page in a real browser: keyboard alone, no script, phone, drafts of each text."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.kit import accessible, come, fits, phone, press_until, send, without_script
from tests.servers import LiveSite

OpenExample = Callable[..., str]
THREE = {
    "texts_per_page": 3,
    "item_options": [],
    "none_of_these": [],
    "none_text": [],
    "order": "fixed",
    "ordered": [],
    "details": [],
}


def begin(page: Page, link: str, texts: str) -> None:
    """Come to the first page, and wait for these texts."""
    come(page, link)
    on_page(page, texts)


def on_page(page: Page, texts: str) -> None:
    """Wait for a page of these texts, as the bar on top says, and until its scripts run."""
    expect(page.locator(".top-progress")).to_contain_text(f"Texts {texts} of ")
    page.wait_for_load_state()


def text(number: int) -> str:
    """Return the selector of the n-th text on the page."""
    return f"[data-text] >> nth={number - 1}"


def test_pages_by_keyboard_alone(page: Page, open_example: OpenExample) -> None:
    begin(page, open_example("labels", params=THREE, criteria=["tone"]), "1 to 3")
    expect(page.locator("[data-labels][data-complete=false]")).to_have_count(3)
    page.keyboard.press("1")
    expect(page.locator("#id_t2-p1-tone_0")).to_be_focused()
    press_until(page, lambda: page.evaluate("document.activeElement.id") == "id_t3-p1-tone_0")
    # Digits act where the focus is, although the question about the second text is still open.
    page.keyboard.press("2")
    expect(page.locator("#id_t3-p1-tone_1")).to_be_checked()
    page.keyboard.press("Control+Enter")
    expect(page.locator(".foot-note")).to_have_text("1 question left")
    second = "document.activeElement.closest('[data-text]')?.dataset.text === 't2-'"
    to_skip = f"document.activeElement.textContent.trim() === 'Skip this text' && {second}"
    press_until(page, lambda: page.evaluate(to_skip))
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(page.locator(f"{text(2)} >> select")).to_have_value("cannot_judge")
    expect(page.locator(".foot-note")).to_have_text("")
    expect(page.locator("[data-saved]")).to_have_text("Saved")
    accessible(page)
    page.reload()
    expect(page.locator("#id_t3-p1-tone_1")).to_be_checked()
    expect(page.locator(f"{text(2)} >> select")).to_have_value("cannot_judge")
    expect(page.locator("[data-settling]")).to_have_count(0)
    page.keyboard.press("Control+Enter")
    on_page(page, "4 to 6")
    page.get_by_role("link", name="Back").click()
    expect(page.get_by_text("You have answered this already")).to_be_visible()


@pytest.mark.exhaustive
def test_drafts_of_all_texts_outlive_a_lost_connection(page: Page, open_example: OpenExample) -> None:
    begin(page, open_example("likert", params={"texts_per_page": 2, "layout": "single"}), "1 to 2")
    page.route("**/draft/", lambda route: route.abort())
    for group in page.get_by_role("radiogroup").all():
        group.locator("label").nth(1).click()
    comment = page.locator(text(2)).get_by_text("Comment to the researchers (optional)")
    comment.click()
    page.get_by_label("Comment to the researchers", exact=True).last.fill("Of the second")
    expect(page.locator("[data-saved]")).to_contain_text("Offline")
    page.reload()
    n = page.get_by_role("radiogroup").count()
    expect(page.locator("input[type=radio]:checked")).to_have_count(n)
    expect(page.locator("#t2-answer-comment")).to_have_value("Of the second")
    expect(page.locator("#answer-comment")).to_have_value("")
    send(page)
    on_page(page, "3 to 4")
    expect(page.locator("input[type=radio]:checked")).to_have_count(0)


@pytest.mark.exhaustive
def test_pages_without_a_script(browser: Browser, live_site: LiveSite, open_example: OpenExample) -> None:
    with without_script(browser, live_site) as page:
        begin(page, open_example("labels", params=THREE, criteria=["tone"]), "1 to 3")
        page.locator("#id_p1-tone_0").check()
        page.locator(f"{text(2)} >> summary", has_text="Skip this text").click()
        page.locator(f"{text(2)} >> select").select_option("upsetting")
        send(page)
        summary = page.locator(".error-summary")
        expect(summary.get_by_role("link")).to_have_text([re.compile(r"Text 3 of \d+: Answer “Is the text civil\?”")])
        summary.get_by_role("link").click()
        expect(page.locator(f"{text(2)} >> select")).to_have_value("upsetting")
        page.locator("#id_t3-p1-tone_1").check()
        send(page)
        on_page(page, "4 to 6")


@pytest.mark.exhaustive
def test_sliders_of_several_texts_on_a_phone(browser: Browser, live_site: LiveSite, open_example: OpenExample) -> None:
    with phone(browser, live_site) as page:
        begin(page, open_example("slider", params={"texts_per_page": 2, "layout": "single"}), "1 to 2")
        fits(page)
        accessible(page)
        sliders = page.get_by_role("slider")
        for slider in sliders.all():
            slider.focus()
            page.keyboard.press("End")
        expect(page.locator("input[type=number]").first).to_have_value("100")
        expect(page.locator(".slider-value[data-unset]")).to_have_count(0)
        send(page)
        on_page(page, "3 to 4")
