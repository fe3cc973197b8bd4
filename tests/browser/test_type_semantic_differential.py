"""A semantic differential in a real browser: by mouse, by keyboard alone, by touch, without JavaScript, mirrored."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.kit import accessible, at, begin, fits, missing, phone, press_until, send, without_script
from tests.servers import LiveSite

OpenExample = Callable[..., str]


def pairs(page: Page) -> Locator:
    """Return the pairs of the unit."""
    return page.get_by_role("radiogroup")


def words(pair: Locator) -> list[str]:
    """Return the two words of a pair in their order."""
    return [text.strip() for text in pair.locator(".pair-word").all_inner_texts()]


@pytest.mark.exhaustive
def test_a_whole_unit_by_mouse(page: Page, open_example: OpenExample) -> None:
    begin(page, open_example("semantic_differential"))
    accessible(page)
    expect(pairs(page)).to_have_count(12)  # nine pairs, and three of them again
    for pair in pairs(page).all()[:-1]:
        pair.locator("label").nth(2).click()
    send(page)
    first, last = words(pairs(page).last)
    missing(page, f"Choose a circle between “{first}” and “{last}”.")
    accessible(page)
    before = [words(pair) for pair in pairs(page).all()]
    pairs(page).last.get_by_role("radio").last.check(force=True)
    expect(page.locator("[data-saved]")).to_have_text("Saved")
    page.reload()
    expect(page.locator("[data-question] input:checked")).to_have_count(12)
    send(page)
    at(page, 1)
    expect(pairs(page)).to_have_count(12)
    page.wait_for_load_state()
    # One rater has one order and one polarity.
    assert [words(pair) for pair in pairs(page).all()] == before
    expect(page.locator("[data-question] input:checked")).to_have_count(0)


@pytest.mark.exhaustive
def test_a_whole_unit_by_keyboard_alone(page: Page, open_example: OpenExample) -> None:
    begin(page, open_example("semantic_differential", params={"points": 5, "repeated_share": 0}))
    words_weigh_the_same_and_circles_are_alike(page)
    press_until(page, lambda: page.evaluate("document.activeElement.type") == "radio")
    page.keyboard.press("6")
    expect(page.locator("[data-question] input:checked")).to_have_count(0)
    page.keyboard.press("5")
    expect(pairs(page).nth(0).locator("input:checked")).to_have_value("5")
    expect(pairs(page).nth(1).get_by_role("radio").first).to_be_focused()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(pairs(page).nth(1).locator("input:checked")).to_have_value("3")
    page.keyboard.press("Enter")
    for _pair in range(7):
        page.keyboard.press("2")
    page.keyboard.press("Enter")
    at(page, 1)


def words_weigh_the_same_and_circles_are_alike(page: Page) -> None:
    """Assert it whichever way the page runs."""
    looks = (
        pairs(page)
        .locator(".pair-word")
        .evaluate_all(
            "(all) => [...new Set(all.map((one) => { const css = getComputedStyle(one);"
            " return [css.fontSize, css.fontWeight, css.color].join() }))]"
        )
    )
    assert len(looks) == 1
    dots = (
        pairs(page)
        .locator("input")
        .evaluate_all("(all) => [...new Set(all.map((one) => Math.round(one.getBoundingClientRect().width)))]")
    )
    assert len(dots) == 1
    for direction, before in (("ltr", True), ("rtl", False)):
        turn(page, direction)
        pair = pairs(page).first
        word, circle = pair.locator(".pair-word").first.bounding_box(), pair.locator("input").first.bounding_box()
        far = pair.locator("input").last.bounding_box()
        assert word
        assert circle
        assert far
        # The first word belongs to the first circle, whichever way the page runs.
        assert (word["x"] < circle["x"] < far["x"]) is before
        assert (word["x"] > circle["x"] > far["x"]) is not before
        fits(page)
    turn(page, "ltr")


def turn(page: Page, direction: str) -> None:
    """Let the page and every part of it that has a direction run in another one."""
    page.evaluate(
        "(dir) => document.querySelectorAll('[dir]').forEach((one) => one.setAttribute('dir', dir))", direction
    )


@pytest.mark.exhaustive
def test_on_a_phone_one_pair_at_a_time_by_touch(
    browser: Browser, live_site: LiveSite, open_example: OpenExample
) -> None:
    with phone(browser, live_site) as page:
        begin(page, open_example("semantic_differential", params={"points": 7, "repeated_share": 0}))
        shown = page.locator("[data-question]:visible")
        expect(shown).to_have_count(1)
        accessible(page)
        fits(page)
        page.wait_for_load_state()
        widths = shown.locator("label").evaluate_all("(all) => all.map((one) => one.getBoundingClientRect().width)")
        assert min(widths) >= 40  # seven circles beside each other; they are 44 high
        for number in range(1, 10):
            expect(page.locator("[data-paging-place]")).to_have_text(f"{number} of 9")
            shown.locator("label").nth(number % 7).tap()
        send(page)
        at(page, 1)


@pytest.mark.exhaustive
def test_it_works_without_javascript(browser: Browser, live_site: LiveSite, open_example: OpenExample) -> None:
    with without_script(browser, live_site) as page:
        begin(page, open_example("semantic_differential", params={"points": 11, "show_numbers": True}))
        page.wait_for_load_state()
        for pair in pairs(page).all()[1:]:
            pair.locator("label").nth(10).click()
        send(page)
        expect(page.get_by_text("Choose a circle between").first).to_be_visible()
        expect(page.locator("[data-question] input:checked")).to_have_count(11)
        pairs(page).first.locator("label").nth(5).click()
        send(page)
        at(page, 1)
