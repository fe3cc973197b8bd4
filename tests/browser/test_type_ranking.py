"""A ranking in a real browser: by mouse, by keyboard alone, by touch, without JavaScript, with a draft."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.kit import PHONE, accessible, at, back, begin, fits, phone, press_until, send, without_script
from tests.servers import LiveSite

OpenExample = Callable[..., str]


def order(question: Locator) -> str:
    """Return the letters of the texts that have a place, the best first."""
    rows = question.locator("[data-row][data-placed]")
    return "".join(rows.evaluate_all("rows => rows.map((row) => row.dataset.letter)"))


def places(question: Locator) -> list[str]:
    """Return the contents of the fields, by letter."""
    rows = question.locator("[data-row]").evaluate_all(
        "rows => rows.map((row) => [row.dataset.letter, row.querySelector('input').value])"
    )
    return [place for _letter, place in sorted(rows)]


TWO_FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def drag(page: Page, grip: Locator, target: Locator, share: float) -> None:
    """Drag with the mouse to a height of the target, in steps as a hand does."""
    grip.scroll_into_view_if_needed()
    # Rows that have just moved stand where they stay after two frames.
    page.evaluate(TWO_FRAMES)
    source, goal = grip.bounding_box(), target.bounding_box()
    assert source
    assert goal
    x = source["x"] + source["width"] / 2
    page.mouse.move(x, source["y"] + source["height"] / 2)
    page.mouse.down()
    page.mouse.move(x, source["y"] + source["height"] / 2 + 10, steps=2)
    page.mouse.move(x, goal["y"] + goal["height"] * share, steps=5)
    page.evaluate(TWO_FRAMES)
    page.mouse.up()


def row(question: Locator, letter: str) -> Locator:
    """Return the row of a text."""
    return question.locator(f"[data-row][data-letter={letter}]")


def shown(page: Page) -> Locator:
    """Return the question that is shown, once its list has the texts."""
    expect(page.locator("[data-ranking][data-sorted]")).to_be_visible()
    return page.locator("[data-question]:visible")


def next_question(page: Page) -> None:
    """Go on to the second question."""
    page.get_by_role("button", name="Next question").click()
    expect(page.locator("[data-paging-place]")).to_have_text("2 of 2")


@pytest.mark.exhaustive
def test_by_mouse_each_text_stands_once_and_has_no_place_until_it_is_given_one(
    page: Page, open_example: OpenExample
) -> None:
    # High enough for the list: near an edge the page would scroll for as long as the mouse is held there.
    page.set_viewport_size({"width": 1280, "height": 2400})
    begin(page, open_example("ranking", set_size=1))
    only, status = shown(page), page.locator("[data-status]")
    expect(page.locator(".judged:visible")).to_have_count(5)
    expect(only.locator(".judged")).to_have_count(4)
    assert order(only) == ""
    send(page)
    expect(only.locator("[data-error]")).to_contain_text("texts A, B, C, and D have no place yet.")
    expect(page.locator("[data-error]:visible")).to_have_count(1)
    row(only, "C").locator(".judged").click()
    row(only, "A").get_by_role("button", name="To place 2: text A").click()
    assert order(only) == "CA"
    expect(only.locator("[data-error]")).to_be_visible()
    row(only, "B").locator(".judged").click()
    assert order(only) == "CABD", "the last one falls into place"
    expect(status).to_have_text("Text B is now at place 3 of 4. Text D is now at place 4 of 4.")
    expect(only.locator("[data-error]")).to_be_hidden()
    only.get_by_role("button", name="Undo").click()
    assert order(only) == "CA"
    expect(status).to_have_text("Text B has no place now.")
    drag(page, row(only, "D").locator("[data-grip]"), row(only, "A"), 0.2)
    assert order(only) == "CDAB"
    drag(page, row(only, "C").locator(".judged"), row(only, "B"), 0.9)
    assert order(only) == "DABC"
    row(only, "C").get_by_role("button", name="Move text C up").click()
    assert places(only) == ["2", "4", "3", "1"]
    row(only, "C").locator(".judged").click()
    assert order(only) == "DACB", "a text that has a place keeps it when it is clicked"
    next_question(page)
    only = shown(page)
    expect(only.locator(".judged")).to_have_count(4)
    drag(page, row(only, "B").locator("[data-grip]"), only.locator("[data-free]"), 0.5)
    drag(page, row(only, "B").locator("[data-grip]"), row(only, "D"), 0.9)
    assert order(only) == ""
    for letter in "ABC":
        row(only, letter).locator(".judged").click()
    send(page)
    expect(page.get_by_role("heading", name="Thank you, you have finished")).to_be_visible()


@pytest.mark.exhaustive
def test_by_letters_eight_keys_answer_two_questions(page: Page, open_example: OpenExample) -> None:
    begin(page, open_example("ranking", set_size=1))
    page.keyboard.press("c")
    assert order(shown(page)) == "C"
    page.keyboard.press("Control+z")
    assert order(shown(page)) == ""
    for key in "dba":
        page.keyboard.press(key)
    assert order(shown(page)) == "DBAC"
    page.keyboard.press("ArrowDown")
    assert order(shown(page)) == "DBCA"
    page.keyboard.press("b")
    assert order(shown(page)) == "DCA", "a letter takes its text out again"
    page.keyboard.press("b")
    page.keyboard.press("Enter")
    expect(page.locator("[data-paging-place]")).to_have_text("2 of 2")
    for key in "abcd":
        page.keyboard.press(key)
    assert order(shown(page)) == "ABCD", "the last one falls into place, and typing its letter does not take it out"
    page.keyboard.press("d")
    assert order(shown(page)) == "ABC"
    page.keyboard.press("d")
    field = row(shown(page), "B").get_by_role("textbox", name=re.compile("^Text B ?: its place, from 1 .best. to 4"))
    expect(field).to_have_value("2")
    expect(row(shown(page), "B").get_by_role("heading", name="Text B")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Thank you, you have finished")).to_be_visible()


@pytest.mark.exhaustive
def test_by_typing_with_ties_and_a_draft(page: Page, open_example: OpenExample) -> None:
    begin(page, open_example("ranking", params={"ties": True}, criteria=["informative"], set_size=1))
    only = shown(page)
    press_until(page, lambda: bool(page.evaluate("document.activeElement.matches('.ranking-place')")))
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    page.keyboard.press("1")
    assert order(only) == "BA"
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowUp")
    assert places(only) == ["2", "1", "3", ""]
    page.keyboard.press("ArrowUp")
    assert places(only) == ["2", "1", "2", ""]
    expect(page.locator("[data-status]")).to_have_text("Text C is now at place 2 of 4, together with A.")
    page.keyboard.press("ArrowUp")
    assert places(only) == ["3", "1", "2", ""]
    page.keyboard.press("Enter")
    page.keyboard.press("4")
    page.keyboard.press("Backspace")
    assert order(only) == "BCA"
    expect(page.locator("[data-saved]")).to_have_text("Saved")
    page.reload()
    only = shown(page)
    assert order(only) == "BCA"
    page.keyboard.press("4")
    press_until(page, lambda: bool(page.evaluate("document.activeElement.matches('[data-letter=D] input')")))
    page.keyboard.press("4")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Thank you, you have finished")).to_be_visible()


@pytest.mark.exhaustive
def test_by_touch_on_a_phone(browser: Browser, live_site: LiveSite, open_example: OpenExample) -> None:
    with phone(browser, live_site) as page:
        begin(page, open_example("ranking", params={"ties": True}, criteria=["natural"], set_size=1))
        page.set_viewport_size({"width": 320, "height": 700})
        fits(page)
        page.set_viewport_size(PHONE)
        fits(page)
        only = shown(page)
        assert page.evaluate("document.documentElement.scrollHeight") < 1_600
        for letter in "ABCD":
            row(only, letter).locator(".judged").tap()
        assert order(only) == "ABCD"
        touch = page.context.new_cdp_session(page)

        def finger(kind: str, *points: dict[str, float]) -> None:
            touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": list(points)})

        grip, goal = row(only, "D").locator("[data-grip]"), row(only, "B")
        # Away from the edges of the window, where the page would scroll for as long as the finger rests.
        goal.evaluate("(one) => one.scrollIntoView({ block: 'center' })")
        source, target = grip.bounding_box(), goal.bounding_box()
        assert source
        assert target
        x, y = source["x"] + 20, source["y"] + 20
        end = target["y"] + target["height"] / 2
        finger("touchStart", {"x": x, "y": y})
        for number in range(1, 6):
            finger("touchMove", {"x": x, "y": y + (end - y) * number / 5})
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        finger("touchEnd")
        expect(row(only, "D").locator("input")).to_have_value("2")
        assert order(only) == "ABDC"
        assert places(only) == ["1", "2", "4", "2"]
        small = page.locator(".ranking-row :is(button, input, [data-grip])").evaluate_all(
            "all => all.filter((one) => one.offsetParent && Math.min(one.offsetWidth, one.offsetHeight) < 43.5).length"
        )
        assert small == 0
        accessible(page)
        fits(page)
        send(page)
        expect(page.get_by_role("heading", name="Thank you, you have finished")).to_be_visible()
        assert page.viewport_size == PHONE


@pytest.mark.exhaustive
def test_without_javascript(browser: Browser, live_site: LiveSite, open_example: OpenExample) -> None:
    with without_script(browser, live_site) as page:
        begin(page, open_example("ranking", set_size=1))
        expect(page.get_by_text("Each place is given once.").first).to_be_visible()
        fields = page.locator(".ranking-place")
        expect(fields).to_have_count(8)
        for number, place in enumerate("12341224"):
            fields.nth(number).fill(place)
        send(page)
        expect(page.get_by_text("texts B and C are both at place 2. Give each its own.").first).to_be_visible()
        expect(fields.nth(0)).to_have_value("1")
        fields.nth(6).fill("3")
        send(page)
        expect(page.get_by_role("heading", name="Thank you, you have finished")).to_be_visible()


@pytest.mark.exhaustive
def test_going_back_shows_the_order_that_was_sent(page: Page, open_example: OpenExample) -> None:
    begin(page, open_example("ranking", criteria=["natural"], set_size=2))
    for letter in "DBA":
        row(shown(page), letter).get_by_role("button", name="To place").click()
    send(page)
    at(page, 1)
    back(page)
    assert order(shown(page)) == "DBAC"
