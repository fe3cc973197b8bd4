"""A triangle in a real browser: mouse, keyboard alone, phone, no script, a draft that comes back."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.kit import accessible, at, begin, fits, missing, phone, press_until, send, without_script
from tests.pages import without_tokens
from tests.servers import LiveSite

OpenExample = Callable[..., str]

LONG = "The lift in the main hall is out of order until Friday, as the engineers told us. " * 12
ARABIC = "المصعد في القاعة الرئيسية (رقم 12) معطل حتى يوم الجمعة. "


def several(open_example: OpenExample, size: int = 3) -> str:
    """Open the example with several triads a judge."""
    return open_example("triangle", {"triads_per_judge": size}, set_size=size)


def nothing_tells_which_is_odd(page: Page) -> None:
    """Assert that the three texts stand in the same elements, and that no word speaks of systems or answers."""
    html = without_tokens(page.content())
    for word in ("neural", "rules", "editor", "AAB", "ABA", "BAA", "BBA", "BAB", "ABB", "arrangement", "correct"):
        assert word not in html, word
    cards = page.evaluate(
        """() => [...document.querySelectorAll(".triad > *")].map((card) => {
            const copy = card.cloneNode(true);
            for (const own of copy.querySelectorAll(".judged, .text-head")) own.textContent = "";
            copy.querySelector(".text").removeAttribute("aria-label");
            return copy.outerHTML;
        })"""
    )
    assert len(cards) == 3
    assert len(set(cards)) == 1


@pytest.mark.exhaustive
def test_a_triad_by_mouse_and_the_motive_is_asked_after_the_choice(page: Page, open_example: OpenExample) -> None:
    begin(page, several(open_example, 2))
    nothing_tells_which_is_odd(page)
    texts = page.locator(".judged").all_inner_texts()
    assert len(texts) == 3
    assert len(set(texts)) == 2
    boxes = [one.bounding_box() for one in page.locator(".triad .text-box").all()]
    sizes = {(round(box["width"]), round(box["height"]), round(box["y"])) for box in boxes if box}
    assert len(sizes) == 1, "the three texts do not look alike"
    motive = page.get_by_label("What made it different?")
    expect(motive).to_be_hidden()
    send(page)
    missing(page, "Choose one of the three texts.")
    missing(page, "Say how sure you are.")
    page.locator(".pick").nth(1).click()
    expect(motive).to_be_visible()
    page.get_by_text("Fairly sure").click()
    motive.fill("It is longer.")
    accessible(page)
    send(page)
    at(page, 1)
    expect(page.get_by_role("link", name="Back")).to_have_count(0)


@pytest.mark.exhaustive
def test_triads_by_keyboard_alone(page: Page, open_example: OpenExample) -> None:
    begin(page, several(open_example))
    press_until(page, lambda: page.evaluate("document.activeElement.type") == "radio")
    page.keyboard.press("3")
    expect(page.get_by_role("radio", name="Text C")).to_be_checked()
    page.keyboard.press("2")
    expect(page.get_by_role("radio", name="Not very sure")).to_be_checked()
    press_until(page, lambda: page.evaluate("document.activeElement.tagName") == "TEXTAREA")
    page.keyboard.type("One word in 2.")
    expect(page.get_by_role("radio", name="Not very sure")).to_be_checked()
    page.keyboard.press("Control+Enter")
    at(page, 1)
    page.keyboard.press("1")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    at(page, 2)


@pytest.mark.exhaustive
def test_triads_on_a_phone_with_long_and_right_to_left_texts(
    browser: Browser, live_site: LiveSite, open_example: OpenExample
) -> None:
    with phone(browser, live_site) as page:
        begin(page, several(open_example, 2))
        page.evaluate(
            "(words) => document.querySelectorAll('.judged').forEach((one, n) => { one.textContent = words[n]; })",
            [LONG, ARABIC, "x" * 300],
        )
        fits(page)
        accessible(page)
        for choice in (page.locator(".pick").nth(2), page.locator(".step").nth(0)):
            box = choice.bounding_box()
            assert box
            assert box["height"] >= 44
            choice.tap()
        expect(page.get_by_label("What made it different?")).to_be_visible()
        expect(page.locator("[data-saved]")).to_have_text("Saved")
        page.reload()
        expect(page.get_by_role("radio", name="Text C")).to_be_checked()
        expect(page.get_by_label("What made it different?")).to_be_visible()
        send(page)
        at(page, 1)


@pytest.mark.exhaustive
def test_a_triad_without_javascript(browser: Browser, live_site: LiveSite, open_example: OpenExample) -> None:
    with without_script(browser, live_site) as page:
        begin(page, several(open_example, 2))
        page.get_by_label("What made it different?").fill("The end.")
        send(page)
        expect(page.get_by_text("Choose one of the three texts.").first).to_be_visible()
        expect(page.get_by_label("What made it different?")).to_have_value("The end.")
        page.get_by_role("radio", name="Text B").check()
        page.get_by_role("radio", name="Certain").check()
        send(page)
        at(page, 1)


@pytest.mark.exhaustive
def test_questions_of_a_triad_one_at_a_time(page: Page, open_example: OpenExample) -> None:
    begin(page, open_example("triangle", criteria_mode="page"))
    expect(page.locator("[data-question]:visible")).to_have_count(1)
    page.locator(".pick").nth(0).click()
    expect(page.get_by_text("How sure are you?")).to_be_visible()
    page.get_by_text("I guessed").click()
    page.get_by_label("What made it different?").fill("A verb.")
    send(page)
    expect(page.get_by_role("heading", name="Thank you, you have finished")).to_be_visible()
