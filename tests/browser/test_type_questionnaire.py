"""A questionnaire in a real browser: by mouse, by keyboard alone, by touch one at a time, without JavaScript."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.kit import accessible, at, back, begin, fits, phone, press_until, send, without_script
from tests.servers import LiveSite

OpenExample = Callable[..., str]

# Own questions of the example, as its second task; here they come first, in another language and direction.
ARABIC = {
    "instrument": "own",
    "introduction": "بعض الأسئلة عن القراءة (٥ أسئلة).",
    "questions": [
        {
            "key": "often",
            "kind": "grid",
            "question": "كم مرة تقرأ ما يلي؟",
            "options": ["أبدًا", "نادرًا", "أحيانًا", "كثيرًا", "كل يوم"],
            "rows": ["الأخبار", "الروايات والقصص الطويلة جدًا التي لا تنتهي", "Donaudampfschifffahrt" * 4],
        },
        {"key": "ease", "kind": "single", "question": "كيف تجد القراءة؟", "points": 7, "low": "صعبة", "high": "سهلة"},
        {"key": "why", "kind": "long_text", "question": "لماذا تقرأ؟"},
    ],
}
MOODS = {
    "instrument": "own",
    "questions": [
        {
            "key": "mood",
            "kind": "grid",
            "question": "How do you feel?",
            "options": ["1", "2", "3", "4", "5"],
            "rows": ["Proud", "Upset", "Active", "Afraid"],
        }
    ],
}


def question(page: Page, words: str) -> Locator:
    """Return a question by its words."""
    return page.locator("[data-question]").filter(has_text=words)


@pytest.mark.exhaustive
def test_panas_by_mouse_as_a_table(page: Page, open_example: OpenExample) -> None:
    begin(page, open_example("questionnaire"))
    accessible(page)
    rows = page.get_by_role("radiogroup")
    expect(rows).to_have_count(20)
    expect(page.get_by_text("you have felt this way during the past week")).to_be_visible()
    expect(page.get_by_role("button", name="Next question")).to_be_hidden()
    for row in rows.all()[:-1]:
        row.locator("label").nth(1).click()
    send(page)
    expect(page.locator("form").get_by_text("Answer “Afraid”.")).to_be_visible()
    accessible(page)
    page.get_by_role("radiogroup", name="Afraid").get_by_role("radio", name="extremely").check(force=True)
    expect(page.locator("[data-wrong]")).to_have_count(0)
    page.reload()
    expect(page.locator("[data-question] input:checked")).to_have_count(20)
    send(page)
    at(page, 1)


def test_every_kind_of_question_by_keyboard_alone(page: Page, open_example: OpenExample) -> None:
    begin(page, open_example("questionnaire"))
    page.wait_for_load_state()
    press_until(page, lambda: page.evaluate("document.activeElement.type") == "radio")
    for _word in range(20):
        page.keyboard.press("2")
    expect(page.locator("[data-question] input:checked")).to_have_count(20)
    page.keyboard.press("Control+Enter")
    at(page, 1)
    page.wait_for_load_state()
    accessible(page)
    press_until(page, lambda: page.evaluate("document.activeElement.type") == "radio")
    page.keyboard.type("1234567")
    expect(question(page, "Where do you read most?").locator("input:checked")).to_have_count(0)
    page.keyboard.press("3")  # seven is no place to read
    boxes = question(page, "Which of these")
    expect(boxes.get_by_role("checkbox").first).to_be_focused()
    page.keyboard.press("1")
    page.keyboard.press("2")
    page.keyboard.press("4")
    expect(boxes.locator("input:checked")).to_have_count(1)  # none of these stands alone
    press_until(page, lambda: page.evaluate("document.activeElement.name") == "q-hours")
    page.keyboard.type("1,5")
    page.keyboard.press("Enter")
    page.keyboard.type("A text that is too long.")
    page.keyboard.press("Control+Enter")
    at(page, 2)
    back(page)
    expect(page.get_by_label("How many hours")).to_have_value("1.5")
    expect(page.get_by_label("What makes you stop")).to_have_value("A text that is too long.")
    expect(boxes.get_by_label("None of these")).to_be_checked()


@pytest.mark.exhaustive
def test_on_a_phone_one_question_at_a_time_by_touch(
    browser: Browser, live_site: LiveSite, open_example: OpenExample
) -> None:
    with phone(browser, live_site) as page:
        begin(page, open_example("questionnaire", params=MOODS))
        shown = page.locator("[data-question]:visible")
        expect(shown).to_have_count(1)
        expect(page.locator("[data-paging-place]")).to_have_text("1 of 4")
        accessible(page)
        fits(page)
        for number in range(1, 4):
            shown.locator("label").nth(number % 5).tap()
            expect(page.locator("[data-paging-place]")).to_have_text(f"{number + 1} of 4")
        page.get_by_role("button", name="Previous question").tap()
        expect(page.get_by_role("radiogroup", name="Active")).to_be_visible()
        expect(page.locator("[data-saved]")).to_have_text("Saved")
        page.reload()
        # It begins where something is left to do.
        expect(page.get_by_role("radiogroup", name="Afraid")).to_be_visible()
        send(page)
        expect(shown.locator("[data-error]")).to_have_text("Answer “Afraid”.")
        shown.locator("label").first.tap()
        send(page)
        at(page, 1)
        page.get_by_role("button", name="Next question").tap()
        expect(page.get_by_role("radiogroup", name="Novels and stories")).to_be_visible()
        expect(page.get_by_text("These questions are about reading of any kind")).to_be_hidden()


@pytest.mark.exhaustive
def test_it_works_without_javascript(browser: Browser, live_site: LiveSite, open_example: OpenExample) -> None:
    with without_script(browser, live_site) as page:
        begin(page, open_example("questionnaire"))
        page.wait_for_load_state()
        for row in page.get_by_role("radiogroup").all():
            row.locator("label").nth(2).click()
        send(page)
        at(page, 1)
        page.wait_for_load_state()
        for row in page.get_by_role("radiogroup").all():
            row.locator("label").nth(0).click()
        question(page, "Which of these").get_by_label("None of these").check()
        question(page, "Which of these").get_by_label("An answer of a chat program").check()
        page.get_by_label("How many hours").fill("25")
        send(page)
        for sentence in (
            "“None of these” cannot be chosen together with others.",
            "Write a number of at most 24.",
            "Answer “What makes you stop reading a text?”.",
        ):
            expect(page.get_by_role("link", name=sentence)).to_be_visible()
        expect(page.locator("input[type=radio]:checked")).to_have_count(7)
        question(page, "Which of these").get_by_label("None of these").uncheck()
        page.get_by_label("How many hours").fill("2")
        page.get_by_label("What makes you stop").fill("Noise.")
        send(page)
        at(page, 2)


@pytest.mark.exhaustive
def test_from_right_to_left_with_long_words(browser: Browser, live_site: LiveSite, open_example: OpenExample) -> None:
    with phone(browser, live_site) as page:
        begin(page, open_example("questionnaire", params=ARABIC, criteria_mode="page"))
        for _row in range(3):
            fits(page)
            page.get_by_role("button", name="Next question").tap()
        page.set_viewport_size({"width": 1280, "height": 860})
        # The study asks for one at a time on every screen.
        shown = page.locator("[data-question]:visible")
        expect(shown).to_have_count(1)
        accessible(page)
        shown.get_by_role("radio").first.focus()
        page.keyboard.press("7")
        expect(page.get_by_label("لماذا تقرأ؟")).to_be_focused()
        fits(page)
