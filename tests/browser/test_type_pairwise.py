"""A pairwise comparison in a real browser: mouse, keyboard alone, phone, no script, a draft that comes back."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.kit import accessible, at, begin, fits, missing, phone, press_until, send, without_script
from tests.servers import LiveSite

OpenExample = Callable[..., str]

LONG = "From six on she can have a card of her own, with your signature; she may choose its colour. " * 12
ARABIC = "يمكن استعارة الكتاب لمدة أربعة أسابيع (28 يومًا). "


def question(page: Page, number: int) -> Locator:
    """Return a question of the unit, from 0."""
    return page.locator("[data-question]").nth(number)


def answer(page: Page, number: int, words: str) -> Locator:
    """Return an answer by its words."""
    return question(page, number).get_by_role("radio", name=words)


def clarity(page: Page) -> int:
    """Return the place of the question that asks how much, too: the order of questions is drawn."""
    return 0 if question(page, 0).locator("[data-strength]").count() else 1


@pytest.mark.exhaustive
def test_by_mouse_and_how_much_is_asked_once_a_text_is_chosen(page: Page, open_example: OpenExample) -> None:
    begin(page, open_example("pairwise", set_size=2))
    boxes = [one.bounding_box() for one in page.locator(".pair .text-box").all()]
    assert len({(round(box["width"]), round(box["height"]), round(box["y"])) for box in boxes if box}) == 1
    strength = page.locator("[data-strength]")
    expect(strength).to_be_hidden()
    send(page)
    missing(page, "“Which answer is clearer?”: choose an answer.")
    first = clarity(page)
    question(page, first).get_by_text("Text B").click()
    question(page, 1 - first).get_by_text("No difference").click()
    expect(strength).to_be_visible()
    accessible(page)
    send(page)
    missing(page, "“Which answer is clearer?”: say how much better.")
    expect(answer(page, first, "a little clearer")).to_be_focused()
    question(page, first).get_by_text("Both are bad").click()
    expect(strength).to_be_hidden()
    question(page, first).get_by_text("Text A").click()
    question(page, first).get_by_text("a little clearer").click()
    send(page)
    at(page, 1)


@pytest.mark.exhaustive
def test_by_keyboard_alone(page: Page, open_example: OpenExample) -> None:
    begin(page, open_example("pairwise", set_size=2))
    press_until(page, lambda: page.evaluate("document.activeElement.type") == "radio")
    first = clarity(page)
    digits = ["1", "2"] if first == 0 else ["4", "1", "2"]
    for digit in digits:
        page.keyboard.press(digit)
    expect(answer(page, first, "Text A")).to_be_checked()
    expect(answer(page, first, "a lot clearer")).to_be_checked()
    if first == 0:
        page.keyboard.press("4")
    expect(answer(page, 1 - first, "Both are bad")).to_be_checked()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    at(page, 1)


@pytest.mark.exhaustive
def test_on_a_phone_with_a_draft_long_and_right_to_left_texts(
    browser: Browser, live_site: LiveSite, open_example: OpenExample
) -> None:
    with phone(browser, live_site) as page:
        begin(page, open_example("pairwise", set_size=2))
        page.evaluate(
            "(words) => document.querySelectorAll('.pair .judged').forEach((one, n) => one.replaceChildren(words[n]))",
            [LONG + "x" * 300, ARABIC],
        )
        fits(page)
        accessible(page)
        one, other = (box.bounding_box() for box in page.locator(".pair .text-box").all())
        assert one
        assert other
        assert one["x"] == other["x"]
        assert one["y"] + one["height"] < other["y"], "texts stand one below the other"
        first = clarity(page)
        for number, words in ((first, "Text B"), (first, "a lot clearer"), (1 - first, "Text A")):
            target = question(page, number).get_by_text(words)
            box = target.locator("..").bounding_box()
            assert box
            assert box["height"] >= 44
            target.tap()
        expect(page.locator("[data-saved]")).to_have_text("Saved")
        page.reload()
        for number, words in ((first, "Text B"), (first, "a lot clearer"), (1 - first, "Text A")):
            expect(answer(page, number, words)).to_be_checked()
        send(page)
        at(page, 1)


@pytest.mark.exhaustive
def test_without_javascript(browser: Browser, live_site: LiveSite, open_example: OpenExample) -> None:
    with without_script(browser, live_site) as page:
        begin(page, open_example("pairwise", set_size=2))
        first = clarity(page)
        answer(page, 1 - first, "Text A").check()
        answer(page, first, "Text B").check()
        send(page)
        expect(page.get_by_text("“Which answer is clearer?”: say how much better.").first).to_be_visible()
        expect(page.get_by_text("Only where you chose one of the texts.")).to_be_visible()
        answer(page, first, "a lot clearer").check()
        send(page)
        at(page, 1)


@pytest.mark.exhaustive
def test_one_question_at_a_time_and_nothing_tells_a_system(page: Page, open_example: OpenExample) -> None:
    begin(page, open_example("pairwise", set_size=2, criteria_mode="page"))
    html = page.content()
    for word in ("neural", "rules", "librarian", "arrangement"):
        assert word not in html, word
    expect(page.locator("[data-question]:visible")).to_have_count(1)
    first = clarity(page)
    if first == 1:
        question(page, 0).get_by_text("Text A").click()
    expect(question(page, first)).to_be_visible()
    question(page, first).get_by_text("Text B").click()
    question(page, first).get_by_text("a lot clearer").click()
    if first == 0:
        question(page, 1).get_by_text("Text A").click()
    send(page)
    at(page, 1)
