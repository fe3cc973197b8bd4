"""A ranking in a real browser: by mouse, by keyboard alone, by touch, without JavaScript, with a draft."""

from collections.abc import Callable

from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.kit import PHONE, accessible, at, back, begin, fits, phone, press_until, send, without_script
from tests.servers import LiveSite

OpenExample = Callable[..., str]


def questions(page: Page) -> list[Locator]:
    """Return the lists of the unit, once they sort themselves."""
    expect(page.locator(".ranking-list:not(.ranking-sorted)")).to_have_count(0)
    return page.locator("[data-question]").all()


def order(question: Locator) -> str:
    """Return the letters of the texts that have a place, the best first."""
    rows = question.locator("[data-row][data-placed]")
    return "".join(rows.evaluate_all("rows => rows.map((row) => row.dataset.letter)"))


def places(question: Locator) -> list[str]:
    """Return what stands in the fields, by letter."""
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


def test_by_mouse_nothing_has_a_place_until_it_is_given_one(page: Page, open_example: OpenExample) -> None:
    # High enough for both questions: near an edge the page would scroll for as long as the mouse is held there.
    page.set_viewport_size({"width": 1280, "height": 2400})
    begin(page, open_example("ranking", set_size=1))
    accessible(page)
    first, second = questions(page)
    assert order(first) == ""
    send(page)
    expect(page.locator("[data-error]").first).to_contain_text("texts A, B, C, and D have no place yet.")
    for letter in "CAB":
        row(first, letter).get_by_role("button", name="To place").click()
    assert order(first) == "CAB"
    send(page)
    expect(page.locator("[data-error]").first).to_contain_text("”: text D has no place yet.")
    drag(page, row(first, "D").locator("[data-grip]"), row(first, "A"), 0.2)
    assert order(first) == "CDAB"
    expect(page.locator("[data-status]")).to_have_text("Text D is now at place 2 of 4.")
    drag(page, row(first, "C").locator("[data-grip]"), row(first, "B"), 0.7)
    assert order(first) == "DABC"
    row(first, "C").get_by_role("button", name="Move text C up").click()
    assert places(first) == ["2", "4", "3", "1"]
    drag(page, row(second, "B").locator("[data-grip]"), second.locator("[data-free]"), 0.5)
    drag(page, row(second, "B").locator("[data-grip]"), row(second, "D"), 0.7)
    assert order(second) == ""
    for letter in "ABCD":
        row(second, letter).get_by_role("button", name="To place").click()
    accessible(page)
    send(page)
    expect(page.get_by_role("heading", name="Thank you, you have finished")).to_be_visible()


def test_by_keyboard_alone_with_ties_and_a_draft(page: Page, open_example: OpenExample) -> None:
    begin(page, open_example("ranking", params={"ties": True}, criteria=["informative"], set_size=1))
    only = questions(page)[0]
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
    only = questions(page)[0]
    assert order(only) == "BCA"
    page.keyboard.press("Control+Enter")
    expect(page.locator("[data-error]").first).to_contain_text("text D has no place yet")
    assert page.evaluate("document.activeElement.closest('[data-row]').dataset.letter") == "D"
    page.keyboard.press("4")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Thank you, you have finished")).to_be_visible()


def test_by_touch_on_a_phone(browser: Browser, live_site: LiveSite, open_example: OpenExample) -> None:
    with phone(browser, live_site) as page:
        begin(page, open_example("ranking", params={"ties": True}, criteria=["natural"], set_size=1))
        fits(page)
        only = questions(page)[0]
        for letter in "ABCD":
            row(only, letter).get_by_role("button", name="To place").tap()
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


def test_going_back_shows_the_order_that_was_sent(page: Page, open_example: OpenExample) -> None:
    begin(page, open_example("ranking", criteria=["natural"], set_size=2))
    for letter in "DBAC":
        row(questions(page)[0], letter).get_by_role("button", name="To place").click()
    send(page)
    at(page, 1)
    back(page)
    assert order(questions(page)[0]) == "DBAC"
