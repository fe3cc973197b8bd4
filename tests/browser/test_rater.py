"""A rater in a real browser: mouse, keyboard alone, phone, no network, no JavaScript, a second tab."""

import re
from collections.abc import Callable

from playwright.sync_api import Browser, Page, expect

from tests.browser.kit import PHONE, accessible, at, begin, press_until, send
from tests.servers import LiveSite

MakeStudy = Callable[..., str]


def test_the_whole_way_with_the_mouse(page: Page, make_study: MakeStudy) -> None:
    link = make_study("by-mouse")
    page.goto(link)
    expect(page.get_by_text("2.00 EUR")).to_be_visible()
    accessible(page)
    page.get_by_role("button", name="I agree, begin").click()
    accessible(page)
    page.get_by_role("button", name="Start").click()
    accessible(page)
    send(page)
    expect(page.locator(".foot-note")).to_have_text("2 questions left")
    expect(page.locator("form").get_by_text("Answer “Fluency”.")).to_have_count(1)
    expect(page.get_by_role("radiogroup").first).to_have_accessible_description(re.compile("Answer “"))
    at(page, 0)
    for done in range(4):
        at(page, done)
        for group in page.get_by_role("radiogroup").all():
            group.locator("label").nth(3).click()
        send(page)
    expect(page.get_by_role("heading", name="Thank you, you have finished")).to_be_visible()
    expect(page.get_by_text("All 4 answers are saved on our server.")).to_be_visible()
    accessible(page)


def test_the_whole_way_with_the_keyboard_alone(page: Page, make_study: MakeStudy) -> None:
    page.goto(make_study("by-keyboard"))
    press_until(page, lambda: "I agree" in str(page.evaluate("document.activeElement.textContent")))
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Start")).to_be_visible()
    press_until(page, lambda: page.evaluate("document.activeElement.textContent").strip() == "Start")
    page.keyboard.press("Enter")
    for done in range(4):
        at(page, done)
        press_until(page, lambda: page.evaluate("document.activeElement.type") == "radio")
        page.keyboard.press("4")
        page.keyboard.press("2")
        expect(page.locator("input[type=radio]:checked")).to_have_count(2)
        page.keyboard.press("Control+Enter")
    expect(page.get_by_role("heading", name="Thank you, you have finished")).to_be_visible()


def test_sliders_by_keyboard_are_unset_until_touched(page: Page, make_study: MakeStudy, live_site: LiveSite) -> None:
    begin(page, make_study("sliders", type="slider", size=1))
    accessible(page)
    sliders = page.get_by_role("slider")
    expect(sliders).to_have_count(2)
    send(page)
    expect(page.locator(".foot-note")).to_have_text("2 questions left")
    sliders.nth(0).focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("PageUp")
    sliders.nth(1).focus()
    page.keyboard.press("End")
    send(page)
    expect(page.get_by_role("heading", name="Thank you, you have finished")).to_be_visible()


def test_side_by_side_on_a_phone(browser: Browser, live_site: LiveSite, make_study: MakeStudy) -> None:
    context = browser.new_context(base_url=live_site.url, viewport=PHONE, has_touch=True, is_mobile=True)
    page = context.new_page()
    begin(page, make_study("phone", layout="together", size=2))
    for done in range(2):
        at(page, done)
        accessible(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], "the page scrolls sideways"
        groups = page.get_by_role("radiogroup")
        expect(groups).to_have_count(6)
        for group in groups.all():
            group.locator("label").nth(1).tap()
        send(page)
    expect(page.get_by_role("heading", name="Thank you, you have finished")).to_be_visible()
    context.close()


def test_it_works_without_javascript(browser: Browser, live_site: LiveSite, make_study: MakeStudy) -> None:
    context = browser.new_context(base_url=live_site.url, java_script_enabled=False)
    page = context.new_page()
    begin(page, make_study("no-script", type="slider", size=1))
    send(page)
    expect(page.get_by_text("Answer “Fluency”").first).to_be_visible()
    for field in page.locator("input[type=number]").all():
        field.fill("70")
    send(page)
    expect(page.get_by_role("heading", name="Thank you, you have finished")).to_be_visible()
    context.close()


def test_a_lost_connection_loses_nothing(page: Page, make_study: MakeStudy) -> None:
    begin(page, make_study("offline"))
    page.context.set_offline(True)
    for group in page.get_by_role("radiogroup").all():
        group.locator("label").nth(2).click()
    expect(page.locator("[data-saved]")).to_contain_text("Offline")
    send(page)
    expect(page.get_by_role("contentinfo").get_by_text("Your answer is safe")).to_be_visible()
    page.context.set_offline(False)
    at(page, 1, timeout=30_000)


def test_a_draft_is_there_again_on_another_device(
    page: Page, browser: Browser, live_site: LiveSite, make_study: MakeStudy
) -> None:
    begin(page, make_study("resume"))
    page.get_by_role("radiogroup").first.locator("label").nth(2).click()
    expect(page.locator("[data-saved]")).to_have_text("Saved")
    other = browser.new_context(base_url=live_site.url, viewport=PHONE)
    phone = other.new_page()
    phone.goto(page.url)
    expect(phone.locator("input[type=radio]:checked")).to_have_count(1)
    expect(phone.locator("input[type=radio]:checked")).to_have_value("3")
    other.close()


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


def test_a_second_tab_with_another_answer_shows_both(page: Page, make_study: MakeStudy) -> None:
    begin(page, make_study("two-tabs"))
    second = page.context.new_page()
    second.goto(page.url)
    for tab, step in ((page, 4), (second, 0)):
        for group in tab.get_by_role("radiogroup").all():
            group.locator("label").nth(step).click()
    send(page)
    at(page, 1)
    send(second)
    expect(second.get_by_role("heading", name="You answered this twice")).to_be_visible()
    accessible(second)
    second.get_by_role("link", name="Keep the stored answer").click()
    at(second, 1)


def test_skip_stop_and_help(page: Page, make_study: MakeStudy) -> None:
    begin(page, make_study("ways-out"))
    page.get_by_role("button", name="Skip").click()
    page.get_by_label("Something does not work").check()
    page.get_by_role("button", name="Skip and go on").click()
    at(page, 1)
    page.get_by_role("link", name="Help").click()
    expect(page.get_by_text("lab@example.org")).to_be_visible()
    accessible(page)
    page.go_back()
    page.get_by_role("link", name="Stop here").click()
    accessible(page)
    page.get_by_role("button", name="Stop here").click()
    expect(page.get_by_role("heading", name="You have stopped")).to_be_visible()


def test_the_patterns_page_shows_everything_and_is_accessible(page: Page) -> None:
    page.goto("/patterns/")
    expect(page.get_by_role("heading", name="Patterns")).to_be_visible()
    accessible(page, but="landmark-unique")  # the same unit is shown in many states
