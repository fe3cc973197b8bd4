"""Marking words by mouse, pen and finger: wherever the pointer is released, the nearest word ends the mark."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from typing import Any

import pytest
from playwright.sync_api import Browser, CDPSession, Locator, Page, ViewportSize, expect

from tasks_app.task_types import registry
from tasks_app.task_types.base import Part, Screen
from tests import extent
from tests.deviations import assert_each
from tests.look import stage as stages
from tests.look.stage import Stage

# Three lines of three words each, so that the place of a word says where it stands: 4 is in the middle.
LATIN = "alpha beta gamma\ndelta epsilon zeta\nkappa lambda sigma"
ARABIC = "القطار يصل غدا\nإلى مدينة لشبونة\nمع ركاب كثيرين"
MIDDLE = 4
# The words that a mark from the middle has where the pointer goes to each side of a text from left to right.
SIDES = {"right": {4, 5}, "left": {3, 4}, "above": {1, 2, 3, 4}, "below": {4, 5, 6, 7}}
FAR = (2, 15, 50)

BOXES = """() => ({
    words: [...document.querySelectorAll('[role=option]:not(.spans-missing)')].map((one) => {
        const { left, right, top, bottom } = one.getBoundingClientRect();
        return { left, right, top, bottom, x: (left + right) / 2, y: (top + bottom) / 2 };
    }),
    missing: document.querySelector('.spans-missing').getBoundingClientRect().toJSON(),
})"""


class Marker:
    """A page with one text to mark, and a pointer over it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.pen: CDPSession = page.context.new_cdp_session(page)

    def boxes(self) -> dict[str, Any]:
        """Return where the words stand in the window."""
        found: dict[str, Any] = self.page.evaluate(BOXES)
        return found

    def chosen(self) -> set[int]:
        """Return the places of the words that are chosen."""
        found = self.page.locator("[role=option]").evaluate_all(
            "(words) => words.flatMap((one, place) => one.ariaSelected === 'true' ? [place] : [])"
        )
        return set(found)

    def let_go(self) -> None:
        """Drop what is chosen."""
        self.page.keyboard.press("Escape")
        assert self.chosen() == set()

    def drag(self, start: tuple[float, float], end: tuple[float, float], pointer: str) -> set[int]:
        """Drag from a point to another by mouse or pen; return the words that are chosen afterwards."""
        if pointer == "mouse":
            self.page.mouse.move(*start)
            self.page.mouse.down()
            self.page.mouse.move(*end, steps=2)
            self.page.mouse.up()
        else:
            middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
            self._pen("mousePressed", start)
            for point in (middle, end):
                self._pen("mouseMoved", point)
            self._pen("mouseReleased", end)
        found = self.chosen()
        self.let_go()
        return found

    def tap(self, point: tuple[float, float]) -> set[int]:
        """Tap the middle word with a finger, then a point; return the words that are chosen afterwards."""
        middle = self.boxes()["words"][MIDDLE]
        self.page.touchscreen.tap(middle["x"], middle["y"])
        self.page.touchscreen.tap(*point)
        found = self.chosen()
        self.let_go()
        return found

    def _pen(self, kind: str, point: tuple[float, float]) -> None:
        button = {"button": "left", "buttons": int(kind != "mouseReleased"), "clickCount": 1, "pointerType": "pen"}
        self.pen.send("Input.dispatchMouseEvent", {"type": kind, "x": point[0], "y": point[1], **button})


def beyond(words: list[dict[str, float]], side: str, far: int) -> tuple[float, float]:
    """Return the point so far beyond the words, level with the middle one."""
    middle = words[MIDDLE]
    ends = {
        "left": (min(word["left"] for word in words) - far, middle["y"]),
        "right": (max(word["right"] for word in words) + far, middle["y"]),
        "above": (middle["x"], min(word["top"] for word in words) - far),
        "below": (middle["x"], max(word["bottom"] for word in words) + far),
    }
    return ends[side]


@contextmanager
def marking(
    browser: Browser, stage: Stage, monkeypatch: pytest.MonkeyPatch, text: str, language: str
) -> Iterator[Page]:
    """Open a page with one text to mark."""
    kind = registry["error_spans"]({"score": "no"})
    shown = Screen(kind, (Part(0, text, language),), kind.brings(), source="Der Zug kommt an.", source_language="de")
    monkeypatch.setattr(stages, "screen_of", lambda _request: shown)
    context = browser.new_context(
        base_url=stage.url, has_touch=True, locale="en-GB", viewport={"width": 900, "height": 700}
    )
    page = context.new_page()
    page.goto("/judge/")
    expect(page.locator(".spans-missing")).to_be_visible()
    yield page
    context.close()


@pytest.mark.parametrize(
    ("language", "text"), [pytest.param("en", LATIN, marks=pytest.mark.exhaustive), ("ar", ARABIC)]
)
def test_the_nearest_word_ends_a_mark_wherever_the_pointer_is_released(
    browser: Browser, stage: Stage, monkeypatch: pytest.MonkeyPatch, language: str, text: str
) -> None:
    turned = {"left": {4, 5}, "right": {3, 4}, "above": SIDES["above"], "below": SIDES["below"]}
    wanted = turned if language == "ar" else SIDES
    with marking(browser, stage, monkeypatch, text, language) as page:
        marker = Marker(page)

        def released(pointer: str, side: str, far: int) -> None:
            # Under a text stands the panel of what was tapped; on a phone it is at the foot of the window.
            is_phone = pointer == "finger" and side in {"above", "below"}
            page.set_viewport_size({"width": 390 if is_phone else 900, "height": 700})
            words = marker.boxes()["words"]
            middle, point = (words[MIDDLE]["x"], words[MIDDLE]["y"]), beyond(words, side, far)
            found = marker.tap(point) if pointer == "finger" else marker.drag(middle, point, pointer)
            assert _columns(found, side) == _columns(wanted[side], side)

        cases = product(("mouse", "pen", "finger"), SIDES, FAR)
        assert_each(released, ((f"{p} {s} {f}", {"pointer": p, "side": s, "far": f}) for p, s, f in cases))


def _columns(places: set[int], side: str) -> set[int]:
    """Return the lines of a mark that goes up or down: which word is nearest there depends on how wide words are."""
    return {place // 3 for place in places} if side in {"above", "below"} else places


def test_marks_that_end_or_begin_beside_the_words(
    browser: Browser, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    with marking(browser, stage, monkeypatch, LATIN, "en") as page:
        marker = Marker(page)
        boxes = marker.boxes()
        words, missing = boxes["words"], boxes["missing"]
        first, last = words[0], words[8]
        at = [(one["x"], one["y"]) for one in words]

        def check(start: tuple[float, float], end: tuple[float, float], wanted: set[int]) -> None:
            for pointer in ("mouse", "pen"):
                assert marker.drag(start, end, pointer) == wanted, pointer

        cases = {
            "a single word, backwards": (at[4], (words[4]["left"] - 2, at[4][1]), {4}),
            "a single word, forwards": (at[4], (words[4]["right"] + 2, at[4][1]), {4}),
            "two words, backwards": (at[5], (words[4]["left"] - 2, at[4][1]), {4, 5}),
            "the last word, 15 pixels beyond": (at[7], (last["right"] + 15, at[8][1]), {7, 8}),
            "the last word alone, below the box": (at[8], (at[8][0], last["bottom"] + 90), {8}),
            "on what is missing": (at[7], (missing["x"] + 4, missing["y"] + 4), {7, 8}),
            "from the padding": ((first["left"] - 8, first["top"] - 8), at[1], {0, 1}),
            "from the padding and back to it": (
                (first["left"] - 8, at[0][1]),
                (last["right"] + 99, at[8][1]),
                set(range(9)),
            ),
            "within a word": (at[4], (at[4][0] + 8, at[4][1]), {4}),
        }
        assert_each(
            check, ((name, dict(zip(("start", "end", "wanted"), case, strict=True))) for name, case in cases.items())
        )


def test_the_page_may_scroll_while_words_are_drawn_over_and_clicks_do_as_well(
    browser: Browser, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    with marking(browser, stage, monkeypatch, LATIN, "en") as page:
        marker = Marker(page)
        page.set_viewport_size({"width": 900, "height": 320})
        page.locator("[role=option]").nth(1).scroll_into_view_if_needed()
        start = marker.boxes()["words"][1]
        page.mouse.move(start["x"], start["y"])
        page.mouse.down()
        before = page.evaluate("scrollY")
        page.mouse.wheel(0, 60)
        page.wait_for_function("(before) => scrollY !== before", arg=before)
        end = marker.boxes()["words"][7]
        page.mouse.move(end["x"], end["y"])
        page.mouse.up()
        assert marker.chosen() == set(range(1, 8))
        page.keyboard.press("1")
        assert page.locator("[name=p1-spans]").input_value().startswith('[{"side":"output","start":6,"end":48')
        page.get_by_role("button", name="Undo").click()
        # A click on the first word and one on the last, with a page that scrolls in between.
        page.locator("[role=option]").nth(0).click()
        page.mouse.wheel(0, -60)
        page.locator("[role=option]").nth(8).click()
        assert marker.chosen() == set(range(9))
        # Far away a click lets go.
        page.mouse.click(450, 4)
        assert marker.chosen() == set()


# Whether the middle of a word can be seen: neither the panel nor a bar lies over it, and no pane has scrolled it away.
IS_SEEN = """(word) => {
    const box = word.getBoundingClientRect();
    return word.contains(document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2));
}"""
# Scroll a word to a share of the height of its pane, or of the window.
SCROLLED = """(word, share) => {
    const pane = word.closest(".text-tall");
    const room = pane.scrollHeight > pane.clientHeight + 1 ? pane : document.documentElement;
    const top = room === pane ? pane.getBoundingClientRect().top : 0;
    room.scrollTop += word.getBoundingClientRect().top - top - room.clientHeight * share;
}"""
PLACE = """async (word) => {
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
    const box = word.getBoundingClientRect();
    return [box.left + box.width / 2, box.top + box.height / 2];
}"""
WINDOWS: dict[str, ViewportSize] = {"phone": {"width": 390, "height": 844}, "400 %": {"width": 320, "height": 256}}
MORE_WINDOWS: dict[str, ViewportSize] = {
    "desk": {"width": 1280, "height": 860},
    "small phone": {"width": 320, "height": 568},
    "phone on its side": {"width": 844, "height": 390},
}


def test_the_panel_covers_no_words_that_are_being_marked_in_a_long_text(page: Page) -> None:
    def check(size: ViewportSize) -> None:
        page.set_viewport_size(size)
        page.goto("/judge/?sample&type=error_spans&long")
        words = page.locator("[role=listbox]").last.get_by_role("option")
        panel = page.locator("[data-spans-panel]")
        for first, share in ((60, 0.3), (120, 0.5), (180, 0.6)):
            words.nth(first).evaluate(SCROLLED, share)
            _press(page, words.nth(first))
            expect(panel).to_be_visible()
            assert words.nth(first).evaluate(IS_SEEN), f"the first word, at {share} of the height"
            # The last word is some lines further down, and is brought into view as a rater does.
            words.nth(first + 30).evaluate(SCROLLED, 0.3)
            _press(page, words.nth(first + 30))
            assert panel.locator("[data-panel-words]").inner_text().endswith("…")
            assert words.nth(first + 30).evaluate(IS_SEEN), f"the last word, at {share} of the height"
            page.keyboard.press("Escape")
            expect(panel).to_be_hidden()

    windows = (MORE_WINDOWS if extent.is_exhaustive() else {}) | WINDOWS
    assert_each(check, ((name, {"size": size}) for name, size in windows.items()))


def _press(page: Page, word: Locator) -> None:
    """Press the middle of a word where it stands, once the page has been drawn, without scrolling to it."""
    x, y = word.evaluate(PLACE)
    page.mouse.click(x, y)
