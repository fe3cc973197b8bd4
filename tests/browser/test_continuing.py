"""Continue where you were, in a real browser: a lost tab, the Back button, somebody else, another device."""

import re
from collections.abc import Callable

from playwright.sync_api import Browser, Page, expect

from tests.browser.checked import OpenChecked
from tests.browser.kit import PHONE, accessible, at, fits_a_phone, phone, send
from tests.layout import box_of
from tests.servers import LiveSite

MakeStudy = Callable[..., str]


def answer(page: Page) -> None:
    """Answer both questions of the text on the screen, and send them."""
    for name in ("fluency", "content"):
        page.locator(f"label:has(input[name='p1-{name}'][value='2'])").click()
    send(page)


def offer_to_continue(page: Page) -> None:
    expect(page.get_by_role("heading", name="Continue where you were")).to_be_visible()
    expect(page.get_by_role("button", name="I agree, begin")).to_have_count(0)


def test_a_lost_tab_the_back_button_and_somebody_else(
    page: Page, browser: Browser, live_site: LiveSite, make_study: MakeStudy
) -> None:
    link = make_study("lost-tab")
    agrees_beside_a_page_left_open(page, link)
    personal = page.get_by_role("textbox", name="Personal link").input_value()
    page.get_by_role("button", name="Start").click()
    for done in range(2):
        at(page, done)
        answer(page)
    at(page, 2)
    goes_back_as_far_as_it_goes(page)
    continues_in_another_tab(page, link, personal)
    leaves_it_to_somebody_else(page, link)
    with phone(browser, live_site) as other:
        other.goto(link)
        expect(other.get_by_text("Already begun? Open your personal link")).to_be_visible()
        other.goto(personal)
        at(other, 2)


def agrees_beside_a_page_left_open(page: Page, link: str) -> None:
    """Agree, while an invitation opened before comes back out of the browser's memory: it offers to continue."""
    left_open = page.context.new_page()
    left_open.goto(link)
    left_open.wait_for_load_state()
    page.goto(link)
    page.get_by_role("button", name="I agree, begin").click()
    expect(page.get_by_role("heading", name="What to do")).to_be_visible()
    left_open.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}))")
    offer_to_continue(left_open)
    left_open.close()


def goes_back_as_far_as_it_goes(page: Page) -> None:
    """Press Back on text 3: the rater stays there, then is asked who has come, and never invited anew."""
    page.go_back()
    at(page, 2)
    page.go_back()
    offer_to_continue(page)


def continues_in_another_tab(page: Page, link: str, personal: str) -> None:
    """Open the open link in another tab, as somebody who has lost the first one, and go on at text 3."""
    tab = page.context.new_page()
    tab.goto(link)
    offer_to_continue(tab)
    accessible(tab)
    fits_a_phone(tab)
    assert personal not in tab.content()
    tab.get_by_role("button", name="Continue as the earlier rater").focus()
    tab.keyboard.press("Enter")
    at(tab, 2)
    assert tab.url.startswith(personal)
    tab.close()


def leaves_it_to_somebody_else(page: Page, link: str) -> None:
    """Say that somebody else has come: the browser invites them, also when it is asked again."""
    tab = page.context.new_page()
    tab.goto(link)
    tab.get_by_role("button", name="I am someone else").click()
    expect(tab.get_by_role("button", name="I agree, begin")).to_be_visible()
    tab.goto(link)
    expect(tab.get_by_role("button", name="I agree, begin")).to_be_visible()
    tab.close()


def test_the_button_to_agree_stands_within_two_screens(page: Page, open_checked: OpenChecked) -> None:
    link = open_checked().link
    for size in (PHONE, {"width": 1280, "height": 720}):
        page.set_viewport_size(size)
        page.goto(link)
        box = box_of(page.get_by_role("button", name="I agree, begin"))
        assert box["y"] + box["height"] <= 2 * size["height"]
        for fact in (re.compile("per hour"), re.compile("goes to others if you do nothing for 45 minutes")):
            expect(page.get_by_text(fact)).to_be_visible()
        page.get_by_role("link", name="the whole text below").click()
        expect(page.get_by_role("heading", name="The whole text")).to_be_in_viewport()
        expect(page.get_by_text("If you stop early, you are paid for what you have done.")).to_be_visible()
