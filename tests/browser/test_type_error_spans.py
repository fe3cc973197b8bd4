"""Error spans in a real browser: marking by mouse, keyboard alone and touch, drafts, marks given, right to left."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tasks_app.task_types import registry
from tasks_app.task_types.base import Part, Screen
from tests.browser.kit import PHONE, accessible, at, begin, fits, missing, phone, press_until, send, without_script
from tests.look import stage
from tests.servers import LiveSite

OpenExample = Callable[..., str]


def marks_of(page: Page, position: int = 1) -> list[dict[str, Any]]:
    """What the form would post about a text."""
    found: list[dict[str, Any]] = json.loads(page.locator(f"[name=p{position}-spans]").input_value() or "[]")
    return found


def words(page: Page, text: str = "Text") -> Locator:
    """The words of a text, one by one."""
    return page.get_by_role("listbox", name=text, exact=True).get_by_role("option")


def draw(page: Page, first: Locator, last: Locator) -> None:
    """Draw over words with the mouse."""
    first.hover()
    page.mouse.down()
    last.hover()
    page.mouse.up()


def set_score(page: Page, key: str = "End") -> None:
    """Set every slider by keyboard."""
    for slider in page.get_by_role("slider").all():
        slider.focus()
        page.keyboard.press(key)


@pytest.mark.exhaustive
def test_a_unit_with_the_mouse(page: Page, open_example: OpenExample) -> None:
    begin(page, open_example("error_spans"))
    send(page)
    missing(page, "Mark the errors, or choose “No errors”.")
    draw(page, words(page).nth(1), words(page).nth(3))
    panel = page.get_by_role("group", name=words(page).nth(2).inner_text())
    expect(panel).to_be_visible()
    accessible(page)
    assert marks_of(page) == []  # nothing is marked before it is said how serious it is
    panel.get_by_role("button", name="Major").click()
    expect(panel).to_be_hidden()
    assert [one["severity"] for one in marks_of(page)] == ["major"]
    expect(page.get_by_role("checkbox", name="No errors")).to_be_disabled()
    change_the_mark(page)
    ask_about_a_perfect_score(page)


def change_the_mark(page: Page) -> None:
    """Try to draw over the one mark, change it, take changes back, and mark what is missing."""
    # A mark cannot be drawn over; the page says so, and offers nothing that would be refused.
    draw(page, words(page).nth(3), words(page).nth(5))
    page.get_by_role("button", name="Minor").click()
    expect(page.get_by_text("Marks may not overlap. Change the one that is there, or remove it.").first).to_be_visible()
    page.keyboard.press("Escape")
    # Its end moves by a word, its severity changes, all of it can be taken back.
    words(page).nth(2).click()
    whole = marks_of(page)[0]["end"]
    page.get_by_role("button", name="End one word earlier").click()
    shorter = marks_of(page)[0]["end"]
    page.get_by_role("button", name="Minor").click()
    assert [(one["severity"], one["end"]) for one in marks_of(page)] == [("minor", shorter)]
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("button", name="Undo").click()
    assert [one["severity"] for one in marks_of(page)] == ["major"]
    assert marks_of(page)[0]["end"] == whole > shorter
    # What is missing is a word of its own, one character behind the text.
    words(page).last.click()
    page.get_by_role("button", name="Minor").click()
    length = len(page.locator("[data-spans-text][data-side=output]").text_content() or "")
    assert [(one["start"], one["end"]) for one in marks_of(page)][1] == (length, length + 1)


def ask_about_a_perfect_score(page: Page) -> None:
    """Give a perfect score beside a major error, and in the next text none beside none."""
    # A perfect score with a major error is asked about once.
    set_score(page)
    send(page)
    expect(page.get_by_text("You gave 100 of 100, but marked an error as “Major”.").last).to_be_visible()
    send(page)
    at(page, 1)
    page.get_by_role("checkbox", name="No errors").check()
    words(page).first.click()
    page.get_by_role("button", name="Minor").click()
    expect(page.get_by_role("checkbox", name="No errors")).not_to_be_checked()
    page.get_by_role("button", name="Remove the mark").click()
    page.get_by_role("checkbox", name="No errors").check()
    set_score(page)
    send(page)
    at(page, 2)


@pytest.mark.exhaustive
def test_a_unit_with_the_keyboard_alone(page: Page, open_example: OpenExample) -> None:
    begin(page, open_example("error_spans", {"scheme": "mqm"}))
    said = page.locator("[data-status]")
    press_until(
        page, lambda: page.evaluate("document.activeElement.ariaLabelledByElements?.[0]?.textContent") == "Text"
    )
    here = page.locator("[role=listbox]:focus [data-active]")
    texts = words(page).all_inner_texts()
    page.keyboard.press("ArrowRight")
    expect(here).to_have_text(texts[1])
    active = page.evaluate("document.activeElement.getAttribute('aria-activedescendant')")
    assert page.locator(f"[id='{active}']").inner_text() == texts[1]
    expect(page.locator("[data-side=source], .text-beside").first).to_be_visible()
    assert page.locator(".text-beside [data-near]").count() > 0  # the place in the source is lit
    page.keyboard.press("Shift+ArrowRight")
    # A comma stands close to the word before it.
    expect(said).to_contain_text(re.compile(rf"Chosen: {re.escape(texts[1])}\s?{re.escape(texts[2])}"))
    page.keyboard.press("3")
    expect(said).to_contain_text("what kind of error is it?")
    page.keyboard.press("Control+Enter")  # a mark without its kind is no answer yet
    missing(page, "For each error you marked, choose what kind it is.")
    page.keyboard.press("a")
    expect(said).to_contain_text("Accuracy: choose one of its kinds.")
    page.keyboard.press("m")
    expect(said).to_contain_text("Major, Accuracy / Mistranslation. 1 error in this text.")
    expect(here).to_have_attribute("aria-label", f"{texts[1]}, Major, Accuracy / Mistranslation")
    page.keyboard.press("Delete")
    expect(said).to_contain_text("Removed:")
    page.keyboard.press("Control+z")
    assert [one["category"] for one in marks_of(page)] == ["accuracy/mistranslation"]
    mark_without_shift_and_in_the_source(page)


def mark_without_shift_and_in_the_source(page: Page) -> None:
    """With one mark there, add one by the buttons of the panel and one in the source, and send."""
    # Without Shift: Space, the arrows, then Enter and the buttons of the panel.
    page.keyboard.press("End")
    for key in ("Space", "ArrowLeft", "ArrowLeft", "Enter"):
        page.keyboard.press(key)
    press_until(page, lambda: page.evaluate("document.activeElement.dataset.severity") == "minor")
    page.keyboard.press("Enter")
    press_until(page, lambda: page.evaluate("document.activeElement.dataset.category") == "other")
    page.keyboard.press("Enter")
    assert [one["category"] for one in marks_of(page)] == ["accuracy/mistranslation", "other"]
    expect(page.get_by_role("listbox", name="Text", exact=True)).to_be_focused()
    # An omission is marked in the source.
    press_until(
        page,
        lambda: page.evaluate("document.activeElement.ariaLabelledByElements?.[0]?.textContent") == "Source",
        "Shift+Tab",
    )
    for key in ("2", "a", "o"):
        page.keyboard.press(key)
    assert [one["side"] for one in marks_of(page)] == ["output", "output", "source"]
    page.keyboard.press("Control+Enter")
    at(page, 1)


@pytest.mark.exhaustive
def test_a_unit_on_a_phone_by_touch(browser: Browser, live_site: LiveSite, open_example: OpenExample) -> None:
    with phone(browser, live_site) as page:
        begin(page, open_example("error_spans", {"scheme": "mqm", "score": "yes"}))
        fits(page)
        words(page).nth(0).tap()
        words(page).nth(2).tap()
        panel = page.locator("[data-spans-panel]")
        expect(panel).to_be_visible()
        accessible(page)
        fits(page)
        bottom = panel.evaluate("(one) => one.getBoundingClientRect().bottom")
        assert bottom == pytest.approx(PHONE["height"], abs=1)  # at the foot, under the thumb
        small = panel.locator("button:visible").evaluate_all(
            "(all) => all.filter((one) => Math.min(one.offsetWidth, one.offsetHeight) < 44).map((one) => one.outerHTML)"
        )
        assert small == []
        page.get_by_role("button", name="Minor").tap()
        page.get_by_role("button", name="Fluency").tap()
        page.get_by_role("button", name="Grammar").tap()
        expect(panel).to_be_hidden()
        first = marks_of(page)[0]
        assert (first["start"], first["category"]) == (0, "fluency/grammar")
        words(page).nth(1).tap()
        page.get_by_role("button", name="Major").tap()
        assert [one["severity"] for one in marks_of(page)] == ["major"]
        page.get_by_role("slider").tap()
        send(page)
        at(page, 1)


@pytest.mark.exhaustive
def test_side_by_side_a_draft_is_there_again(page: Page, open_example: OpenExample) -> None:
    begin(page, open_example("error_spans", {"layout": "together"}, set_size=4, spacing=0))
    boxes = [page.get_by_role("listbox", name=f"Text {letter}") for letter in "ABC"]
    assert len({round(one.evaluate("(box) => box.getBoundingClientRect().width")) for one in boxes}) == 1
    draw(page, words(page, "Text B").nth(0), words(page, "Text B").nth(1))
    page.get_by_role("button", name="Major").click()
    page.get_by_role("checkbox", name="No errors").nth(0).check()
    expect(page.locator("[data-saved]")).to_have_text("Saved")
    before = marks_of(page, 2)
    page.reload()
    expect(words(page, "Text B").nth(0)).to_have_attribute("data-level", "3")
    assert marks_of(page, 2) == before
    expect(page.get_by_role("checkbox", name="No errors").nth(0)).to_be_checked()
    send(page)
    missing(page, "Text C: Mark the errors, or choose “No errors”.")
    page.get_by_role("checkbox", name="No errors").nth(2).check()
    set_score(page, "5")
    send(page)
    expect(page.locator("[data-spans-doubt]")).to_contain_text("Text A: You gave 50 of 100, but marked no error.")
    send(page)
    at(page, 1)


@pytest.mark.exhaustive
def test_without_javascript_the_page_says_what_can_be_done(
    browser: Browser, live_site: LiveSite, open_example: OpenExample
) -> None:
    with without_script(browser, live_site) as page:
        begin(page, open_example("error_spans"))
        expect(page.locator("noscript .notice")).to_contain_text("Errors cannot be marked here")
        page.locator("[name=p1-score]").fill("100")
        send(page)
        expect(page.get_by_role("link", name="Mark the errors, or choose “No errors”.")).to_be_visible()
        page.get_by_role("checkbox", name="No errors").check()
        send(page)
        at(page, 1)


@pytest.mark.exhaustive
def test_marks_given_in_a_text_from_right_to_left(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = registry["error_spans"]()
    text = "القطار إلى لشبونة لا يعمل اليوم."
    given = [{"start": 0, "end": 6, "severity": "major"}, {"start": 21, "end": 25, "severity": "minor"}]
    shown = Screen(
        kind,
        (Part(0, text, "ar", (given,)),),
        kind.brings(),
        source="Der Zug.",
        source_language="de",
    )
    monkeypatch.setattr(stage, "screen_of", lambda _request: shown)
    with stage.serving() as site:
        page = browser.new_page(base_url=site.url)
        page.goto("/judge/")
        listed = page.get_by_role("listbox", name="Text", exact=True)
        expect(words(page).nth(0)).to_have_attribute("aria-label", "القطار, Major, marked already: right or wrong?")
        send(page)
        missing(page, "For every mark that was already there")
        page.get_by_role("radiogroup", name=re.compile("القطار")).get_by_label("Right").check()
        words(page).nth(4).click()
        accessible(page)
        page.get_by_role("button", name="Wrong").click()
        expect(page.get_by_role("radiogroup", name=re.compile("يعمل")).get_by_label("Wrong")).to_be_checked()
        expect(listed).to_be_focused()
        page.keyboard.press("Home")
        page.keyboard.press("ArrowLeft")  # on, since the text runs to the left
        page.keyboard.press("Shift+ArrowLeft")
        page.keyboard.press("1")
        assert [(one["start"], one["end"]) for one in marks_of(page)] == [(7, 17)]
        page.get_by_role("slider").press("Home")
        send(page)
        expect(page.get_by_role("heading", name="Next text")).to_be_visible()
        posted = site.posts[-1]
        assert (posted["p1-given-1"], posted["p1-given-2"]) == ("keep", "remove")
        page.close()


def test_given_marks_that_are_edited_with_the_keyboard(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = registry["error_spans"]({"given_marks": "edit"})
    given = [{"start": 4, "end": 9, "severity": "major"}, {"start": 13, "end": 17, "severity": "minor"}]
    part = Part(0, "The train is late today.", "en", (given,))
    shown = Screen(kind, (part,), kind.brings(), source="Der Zug hat Verspätung.", source_language="de")
    monkeypatch.setattr(stage, "screen_of", lambda _request: shown)
    with stage.serving() as site:
        page = browser.new_page(base_url=site.url)
        page.goto("/judge/")
        listed = page.locator("[data-spans-list] li")
        given_words = [re.compile(rf"{words}\s+marked already") for words in (r"train\s+Major", r"late\s+Minor")]
        expect(listed).to_have_text(given_words)
        accessible(page)
        page.get_by_role("listbox", name="Text", exact=True).focus()
        page.keyboard.press("PageDown")
        page.keyboard.press("1")
        expect(listed.first).to_contain_text("marked already, changed by you")
        page.keyboard.press("PageDown")
        page.keyboard.press("Delete")
        expect(listed).to_have_count(1)
        page.keyboard.press("Home")
        page.keyboard.press("2")
        page.get_by_role("slider").press("Home")
        send(page)
        expect(page.get_by_role("heading", name="Next text")).to_be_visible()
        posted = json.loads(site.posts[-1]["p1-spans"])
        assert [(one["start"], one["severity"], one.get("of")) for one in posted] == [
            (0, "major", None),
            (4, "minor", 1),
        ]
        page.close()


def test_reasons_by_keyboard(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = registry["error_spans"]({"mark_reason": "required", "score": "no"})
    shown = Screen(kind, (Part(0, "The train is late today.", "en"),), kind.brings(), source="Der Zug.")
    monkeypatch.setattr(stage, "screen_of", lambda _request: shown)
    with stage.serving() as site:
        page = browser.new_page(base_url=site.url)
        page.set_viewport_size(PHONE)
        page.goto("/judge/")
        page.get_by_role("listbox", name="Text", exact=True).focus()
        page.keyboard.press("2")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("1")
        send(page)
        missing(page, "For each error you marked, say why it is one.")
        first = page.get_by_role("textbox", name="Why is “The” an error?")
        expect(first).to_be_focused()
        # Digits, letters and Enter are typed, and neither mark nor send anything.
        page.keyboard.type("2 trains, m")
        page.keyboard.press("Enter")
        second = page.get_by_role("textbox", name="Why is “train” an error?")
        press_until(page, lambda: second.evaluate("box => box === document.activeElement"))
        page.keyboard.type("It was a bus.")
        accessible(page)
        fits(page)
        send(page)
        expect(page.get_by_role("heading", name="Next text")).to_be_visible()
        posted = json.loads(site.posts[-1]["p1-spans"])
        assert [(one["start"], one["severity"], one["reason"]) for one in posted] == [
            (0, "major", "2 trains, m"),
            (4, "minor", "It was a bus."),
        ]
        page.close()
