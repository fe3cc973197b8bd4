"""Labels in a real browser: one option and several, words of one's own, what is asked after a label."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.kit import accessible, at, begin, fits, missing, phone, send, without_script
from tests.servers import LiveSite

OpenExample = Callable[..., str]
TOPIC, KEPT, CIVIL = "What is it about?", "Does the text say what the source wants to say?", "Is the text civil?"


def choose(page: Page, question: str, option: str) -> None:
    """Choose an option of a question by its words."""
    page.get_by_role("radiogroup", name=question).get_by_text(option, exact=True).click()


def ready(page: Page) -> None:
    """Wait for the script, which counts what is open."""
    expect(page.locator("[data-labels][data-complete=false]").first).to_be_visible()


@pytest.mark.exhaustive
def test_a_unit_by_mouse_and_a_draft(page: Page, open_example: OpenExample) -> None:
    begin(page, open_example("labels"))
    expect(page.get_by_role("radio", checked=True)).to_have_count(0)
    send(page)
    missing(page, f"Answer “{CIVIL}”")
    choose(page, CIVIL, "Yes")
    choose(page, KEPT, "In part")
    after = page.get_by_role("radiogroup", name="What changed?")
    expect(after).to_be_visible()
    choose(page, TOPIC, "None of these")
    expect(page.get_by_label("What is it, in your own words?")).to_be_visible()
    send(page)
    missing(page, "Answer “What changed?”")
    choose(page, "What changed?", "Something is missing")
    page.get_by_label("What is it, in your own words?").fill("Neighbours")
    accessible(page)
    expect(page.locator("[data-saved]")).to_have_text("Saved")
    page.reload()
    expect(after.get_by_role("radio", name="Something is missing")).to_be_checked()
    expect(page.get_by_label("What is it, in your own words?")).to_have_value("Neighbours")
    send(page)
    at(page, 1)


@pytest.mark.exhaustive
def test_a_unit_by_keyboard_alone(page: Page, open_example: OpenExample) -> None:
    after = {"criterion": "message", "label": "No", "question": "Why not?", "options": ["Missing", "Turned"]}
    params = {
        "item_options": [],
        "none_of_these": ["message"],
        "none_text": ["message"],
        "order": "fixed",
        "ordered": [],
        "details": [after],
    }
    begin(page, open_example("labels", params=params, criteria=["message"]))
    ready(page)
    page.keyboard.press("3")
    expect(page.get_by_role("radio", name="Missing")).to_be_focused()
    page.keyboard.press("2")
    expect(page.get_by_role("radio", name="Turned")).to_be_checked()
    page.keyboard.press("Enter")
    at(page, 1)
    ready(page)
    page.keyboard.press("4")
    expect(page.get_by_label("What is it, in your own words?")).to_be_focused()
    page.keyboard.type("12 o'clock")
    page.keyboard.press("Control+Enter")
    at(page, 2)


@pytest.mark.exhaustive
def test_several_options_and_none_of_these(page: Page, open_example: OpenExample) -> None:
    begin(page, open_example("labels", params={"multiple": True}))
    ready(page)
    topic = page.get_by_role("group", name=TOPIC).first
    boxes = topic.get_by_role("checkbox")
    boxes.nth(0).check()
    boxes.nth(2).check()
    topic.get_by_role("checkbox", name="None of these").check()
    expect(topic.get_by_role("checkbox", checked=True)).to_have_count(1)
    boxes.nth(1).check()
    expect(topic.get_by_role("checkbox", name="None of these")).not_to_be_checked()
    kept = page.get_by_role("group", name=KEPT).first
    for word in ("In part", "No"):
        kept.get_by_role("checkbox", name=word, exact=True).check()
    choose(page, "In part: What changed?", "Something was added")
    choose(page, "No: What happened to it?", "It says nothing")
    page.get_by_role("group", name=CIVIL).first.get_by_role("checkbox", name="Yes").check()
    accessible(page)
    send(page)
    at(page, 1)


@pytest.mark.exhaustive
def test_on_a_phone_one_question_at_a_time(browser: Browser, live_site: LiveSite, open_example: OpenExample) -> None:
    with phone(browser, live_site) as page:
        begin(page, open_example("labels", criteria_mode="page"))
        fits(page)
        for question in range(3):
            shown = page.locator("[data-main]:visible")
            expect(shown).to_have_count(1)
            for target in shown.locator("label").all():
                assert (target.bounding_box() or {"height": 0})["height"] >= 44
            words = shown.locator("legend").inner_text()
            shown.get_by_text(
                "In part" if words == KEPT else "None of these" if words == TOPIC else "No", exact=True
            ).tap()
            if words == KEPT:
                page.get_by_text("Something was added").tap()
            elif words == TOPIC:
                page.get_by_label("What is it, in your own words?").fill("جيران")
                fits(page)
            following = page.get_by_role("button", name="Next question")
            if words == TOPIC and following.is_visible():
                following.tap()
            if question < 2:
                expect(page.locator("[data-main]:visible legend")).not_to_have_text(words)
        page.get_by_role("button", name="Send and go on").tap()
        at(page, 1)


@pytest.mark.exhaustive
def test_without_a_script(browser: Browser, live_site: LiveSite, open_example: OpenExample) -> None:
    with without_script(browser, live_site) as page:
        begin(page, open_example("labels"))
        choose(page, CIVIL, "No")
        choose(page, KEPT, "No")
        choose(page, TOPIC, "None of these")
        send(page)
        expect(page.get_by_role("link", name="Answer “What happened to it?”")).to_be_visible()
        page.get_by_role("link", name="Answer “What is it, in your own words?”").click()
        page.get_by_label("What is it, in your own words?").fill("Something of my own")
        choose(page, "What happened to it?", "It says nothing")
        send(page)
        at(page, 1)
