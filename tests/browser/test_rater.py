"""A rater in a real browser: texts side by side on a phone, no JavaScript, an emptied comment, ways out."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, Request, expect

from tests.browser.kit import at, begin, fits, phone, send, without_script
from tests.servers import LiveSite

MakeStudy = Callable[..., str]


@pytest.mark.exhaustive
def test_side_by_side_on_a_phone(browser: Browser, live_site: LiveSite, make_study: MakeStudy) -> None:
    with phone(browser, live_site) as page:
        begin(page, make_study("phone", layout="together", size=2))
        for done in range(2):
            at(page, done)
            fits(page)
            groups = page.get_by_role("radiogroup")
            expect(groups).to_have_count(6)
            for group in groups.all():
                group.locator("label").nth(1).tap()
            send(page)
        expect(page.get_by_role("heading", name="Thank you, you have finished")).to_be_visible()
        expect(page.get_by_text("All 2 answers are saved on our server.")).to_be_visible()


def test_it_works_without_javascript(browser: Browser, live_site: LiveSite, make_study: MakeStudy) -> None:
    with without_script(browser, live_site) as page:
        begin(page, make_study("no-script", type="slider", size=1))
        send(page)
        expect(page.get_by_text("Answer “How fluent is it?”").first).to_be_visible()
        for field in page.locator("input[type=number]").all():
            field.fill("70")
        send(page)
        expect(page.get_by_role("heading", name="Thank you, you have finished")).to_be_visible()


def test_the_next_text_takes_the_place_of_the_one_that_was_sent(page: Page, make_study: MakeStudy) -> None:
    begin(page, make_study("turned", size=4))
    page.evaluate("globalThis.sameDocument = true")
    asked: list[str] = []

    def note(request: Request) -> None:
        if "/judge/" in request.url:
            asked.append(request.method)

    page.on("request", note)
    chosen = page.locator("input[type=radio]:checked")
    for done in range(3):
        at(page, done)
        expect(page.locator("[data-settling]")).to_have_count(0)
        page.keyboard.press("4")
        expect(chosen).to_have_count(1)
        page.keyboard.press("2")
        expect(chosen).to_have_count(2)
        page.keyboard.press("Control+Enter")
        at(page, done + 1)
        expect(page.locator("main h1")).to_be_focused()
        expect(page.get_by_role("status")).to_have_text(f"Saved. Text {done + 2} of 4")
        assert page.title().startswith(f"Text {done + 2} of 4")
        expect(chosen).to_have_count(0)
        expect(page.locator("template[data-words]")).to_have_count(1)
    assert asked == ["POST"] * 3
    assert page.evaluate("globalThis.sameDocument") is True
    page.keyboard.press("3")
    expect(page.locator("[data-saved]")).to_have_text("Saved")
    page.reload()
    at(page, 3)
    expect(chosen).to_have_count(1)
    page.go_back()
    page.go_forward()
    at(page, 3)
    expect(chosen).to_have_count(1)
    page.keyboard.press("4")
    send(page)
    expect(page.get_by_role("heading", name="Thank you, you have finished")).to_be_visible()


@pytest.mark.exhaustive
def test_what_was_emptied_after_the_last_draft_stays_empty(page: Page, make_study: MakeStudy) -> None:
    begin(page, make_study("emptied"))
    comment, saved = page.get_by_label("Comment to the researchers"), page.locator("[data-saved]")
    page.locator("details.comment summary").click()
    comment.fill("Too long")
    expect(saved).to_have_text("Saved")
    page.route("**/draft/", lambda route: route.abort())
    comment.fill("")
    page.get_by_role("radiogroup").first.locator("label").nth(2).click()
    expect(saved).not_to_have_text("Saved")
    page.reload()
    expect(page.locator("input[type=radio]:checked")).to_have_value("3")
    expect(page.locator("#answer-comment")).to_have_value("")


def test_skip_stop_and_help(page: Page, make_study: MakeStudy) -> None:
    begin(page, make_study("ways-out"))
    page.get_by_role("button", name="Skip").click()
    page.get_by_label("Something does not work").check()
    page.get_by_role("button", name="Skip and go on").click()
    at(page, 1)
    page.get_by_role("link", name="Help").click()
    expect(page.get_by_text("lab@uni.net")).to_be_visible()
    page.go_back()
    page.get_by_role("link", name="Stop here").click()
    page.get_by_role("button", name="Stop here").click()
    expect(page.get_by_role("heading", name="You have stopped")).to_be_visible()
