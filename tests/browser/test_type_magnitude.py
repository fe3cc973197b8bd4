"""Magnitude estimation in a real browser: mouse, keyboard, phone, no script, a draft, a long reference."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.kit import PHONE, accessible, at, begin, fits, missing, phone, press_until, send, without_script
from tests.servers import LiveSite

OpenExample = Callable[..., str]


@pytest.fixture(scope="module")
def link(open_example: OpenExample) -> str:
    """The example, open."""
    return open_example("magnitude")


ASKED = (
    ("Informativeness", "How informative is the text?", "An informative text gives all the facts"),
    ("Naturalness", "How natural is the text?", "A natural text could have been written by a person"),
)


def fields(page: Page) -> Locator:
    """Return the fields for numbers."""
    return page.locator("input.magnitude-number")


def covered(page: Page) -> str:
    """Return the element that lies over the middle of the field in focus; empty where nothing does."""
    return str(
        page.evaluate(
            """() => { const field = document.activeElement; const box = field.getBoundingClientRect();
                const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
                return top === field ? "" : top?.outerHTML.slice(0, 80) ?? "outside of the window"; }"""
        )
    )


@pytest.mark.exhaustive
def test_by_mouse_with_slips_and_a_draft(page: Page, link: str) -> None:
    begin(page, link)
    expect(page.get_by_role("heading", name="Reference, worth 100")).to_be_visible()
    expect(fields(page)).to_have_count(6)
    for criterion, question_words, definition in ASKED:
        expect(page.get_by_text(definition)).to_have_count(1)
        for letter in "ABC":
            field = page.get_by_role("textbox", name=f"Text {letter}, {criterion}: {question_words}")
            expect(field).to_have_accessible_description(re.compile(f"{definition}.* reference = 100"))
    first = fields(page).first
    question = page.locator("[data-question]").first
    for typed, said in (
        ("50", "half of the reference"), ("150", "1.5 × the reference"), ("20000", "200 × the reference. That"),
        ("1.5", re.compile(r"Text A, “How (informative|natural) is the text\?”: use a whole number")),
        ("1,500", "without commas"), ("0", "the least"),
    ):  # fmt: skip
        first.fill(typed)
        first.blur()
        expect(question).to_contain_text(said)
    send(page)
    expect(page.locator(".foot-note")).to_contain_text("left")
    expect(page.locator("[data-foot-note]")).to_have_text("6 questions left")
    expect(first).to_be_focused()
    expect(question.locator("[data-error]")).to_contain_text("the least you can give is 1.")
    accessible(page)
    for number, field in enumerate(fields(page).all()):
        field.fill(str(100 + number))
    fields(page).last.blur()
    expect(page.locator("[data-saved]")).to_have_text("Saved")
    page.reload()
    assert [field.input_value() for field in fields(page).all()] == ["100", "101", "102", "103", "104", "105"]
    expect(question).to_contain_text("the same as the reference")
    send(page)
    at(page, 1)


@pytest.mark.exhaustive
def test_by_keyboard_alone_the_reference_is_seen_and_covers_nothing(page: Page, open_example: OpenExample) -> None:
    long = "A long reference. " * 150
    begin(page, open_example("magnitude", params={"reference_text": long, "reference_value": 40}, set_size=1))
    page.set_viewport_size({"width": 1000, "height": 600})
    page.keyboard.press("9")
    expect(fields(page).first).to_be_focused()
    expect(fields(page).first).to_have_value("9")
    reference = page.locator("[data-reference]", has=page.get_by_role("heading", name="Reference, worth 40"))
    for number in range(6):
        assert covered(page) == ""
        expect(reference).to_be_in_viewport(ratio=0.9)
        page.keyboard.press("Control+a")
        page.keyboard.type(str(20 * (number + 1)))
        page.keyboard.press("Enter" if number < 5 else "Tab")
    assert [field.input_value() for field in fields(page).all()] == ["20", "40", "60", "80", "100", "120"]
    press_until(
        page, lambda: page.evaluate("document.activeElement.matches('[data-reference] .text-box')"), "Shift+Tab"
    )
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("heading", name="Thank you, you have finished")).to_be_visible()


TICKS = [
    {"key": "added", "name": "Something is added"},
    {"key": "missing", "name": "Something is missing"},
    {"key": "perfect", "name": "Neither", "alone": True},
]


@pytest.mark.exhaustive
def test_what_is_ticked_about_a_text_by_keyboard(page: Page, open_example: OpenExample) -> None:
    begin(page, open_example("magnitude", params={"ticks": TICKS}, set_size=1))

    def ticked(letter: str) -> list[bool]:
        group = page.get_by_role("group", name=f"Text {letter}, What applies: What applies to the text?")
        return [box.is_checked() for box in group.get_by_role("checkbox").all()]

    page.keyboard.press("1")
    page.keyboard.press("2")
    assert ticked("A") == [True, True, False]
    page.keyboard.press("3")
    assert ticked("A") == [False, False, True], "it rules out the others"
    page.keyboard.press("Enter")
    expect(fields(page).first).to_be_focused()
    for number in range(2):
        page.keyboard.type(f"{50 * (number + 1)}")
        page.keyboard.press("Enter")
    send(page)
    missing(page, "Text B, “What applies to the text?”: tick at least one.")
    for number in range(2):
        page.keyboard.press(str(number + 1))
        page.keyboard.press("Enter")
        page.keyboard.type("70")
        page.keyboard.press("Enter")
        page.keyboard.type("70")
        # Enter in the last number sends the page.
        page.keyboard.press("Tab" if number else "Enter")
    assert (ticked("B"), ticked("C")) == ([True, False, False], [False, True, False])
    accessible(page)
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("heading", name="Thank you, you have finished")).to_be_visible()


@pytest.mark.exhaustive
def test_by_touch_on_a_phone_with_one_criterion_a_rater(
    browser: Browser, live_site: LiveSite, open_example: OpenExample
) -> None:
    with phone(browser, live_site) as page:
        begin(page, open_example("magnitude", criteria_mode="rater", set_size=2))
        for done in range(2):
            at(page, done)
            page.set_viewport_size({"width": 320, "height": 700})
            fits(page)
            page.set_viewport_size(PHONE)
            fits(page)
            accessible(page)
            expect(fields(page)).to_have_count(3)
            assert page.evaluate("document.documentElement.scrollHeight") < 1_700
            for field in fields(page).all():
                field.tap()
                assert covered(page) == ""
                expect(page.locator("[data-reference]")).to_be_in_viewport(ratio=0.9)
                box = field.bounding_box()
                assert box is not None
                assert box["height"] >= 44
                field.fill("80")
            send(page)
        expect(page.get_by_role("heading", name="Thank you, you have finished")).to_be_visible()


@pytest.mark.exhaustive
def test_without_script_in_the_plain_layout_with_a_system_as_reference(
    browser: Browser, live_site: LiveSite, open_example: OpenExample
) -> None:
    params = {"layout": "plain", "reference_system": "writer"}
    with without_script(browser, live_site) as page:
        begin(page, open_example("magnitude", params=params, set_size=1))
        expect(fields(page)).to_have_count(2)
        assert "writer" not in page.content()
        fields(page).first.fill("1 000")
        send(page)
        expect(page.get_by_role("link", name="write the number without commas, points or spaces")).to_be_visible()
        expect(fields(page).first).to_have_value("1 000")
        for field in fields(page).all():
            field.fill("١٥٠")
        send(page)
        expect(page.get_by_role("heading", name="Thank you, you have finished")).to_be_visible()
