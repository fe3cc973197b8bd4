"""A text with a set time in a real browser: the button, the clock and its end; keyboard, phone, no script."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.kit import accessible, at, begin, fits_a_phone, send, without_script
from tests.servers import LiveSite

OpenExample = Callable[..., str]


EARLIER = """
from datetime import timedelta
from django.db.models import F
from tasks_app.models import Assignment
shown = Assignment.objects.exclude(clock_started_at=None)
shown.update(clock_started_at=F("clock_started_at") - timedelta(seconds=60))
"""


def pass_a_minute(site: LiveSite) -> None:
    """Let a minute pass for the server."""
    site.manage("shell", "-v", "0", "-c", EARLIER)


def end_time(page: Page) -> None:
    """Let a minute pass for the browser."""
    page.clock.run_for(61_000)


def test_by_keyboard_the_text_is_shown_read_covered_and_judged(page: Page, open_example: OpenExample) -> None:
    page.clock.install()
    begin(page, open_example("likert", {"set_seconds": 60}))
    expect(page.get_by_role("heading", name="The text is shown for 1 minute")).to_be_visible()
    expect(page.locator(".judged")).to_have_count(0)
    accessible(page)
    page.get_by_role("radio", name="The usual time: 1 minute").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".judged").first).to_be_visible()
    timer = page.get_by_role("timer", name="Time for the text")
    expect(timer).to_contain_text("Seconds left: ")
    expect(timer).to_have_attribute("aria-live", "off")
    page.get_by_role("button", name="Say the time left").press("Enter")
    expect(page.locator("[data-status]")).to_contain_text("Seconds left: ")
    page.get_by_role("radio").nth(2).check(force=True)
    end_time(page)
    expect(page.locator("[data-status]")).to_have_text("The text is covered now. Please answer the questions.")
    expect(page.locator(".judged")).to_have_count(0)
    assert "The time for this text is over." in page.locator(".text").first.inner_text()
    accessible(page)
    for question in page.get_by_role("radiogroup").all():
        question.get_by_role("radio").nth(2).check(force=True)
    send(page)
    # The next page takes the place of this one, and its clock waits for the button.
    at(page, 1)
    expect(page.get_by_role("button", name="Show the text")).to_be_visible()
    expect(page.locator("[data-set-time]")).to_have_count(0)


def test_the_page_is_sent_with_what_is_there_when_the_time_to_answer_is_over(
    page: Page, live_site: LiveSite, open_example: OpenExample
) -> None:
    """A rater who was away meets the next text behind its button."""
    page.clock.install()
    begin(page, open_example("likert", {"set_seconds": 60, "set_time_for": "answering"}))
    page.get_by_role("button", name="Show the text").click()
    expect(page.get_by_role("timer", name="Time to answer")).to_contain_text("Seconds left: ")
    page.get_by_role("radio").nth(2).check(force=True)
    pass_a_minute(live_site)
    end_time(page)
    at(page, 1)
    expect(page.get_by_text("The time for the last text was over")).to_be_visible()
    expect(page.get_by_role("button", name="Show the text")).to_be_visible()
    end_time(page)
    at(page, 1)
    page.get_by_text("Change the time").click()
    page.get_by_role("radio", name="No time limit").check()
    page.get_by_role("button", name="Show the text").click()
    expect(page.locator(".judged").first).to_be_visible()
    expect(page.get_by_role("timer")).to_have_count(0)


@pytest.mark.exhaustive
def test_on_a_phone_from_right_to_left(page: Page, open_example: OpenExample) -> None:
    begin(page, open_example("likert", {"set_seconds": 60}))
    page.locator("summary", has_text="English").click()
    page.locator("button[lang=ar]").first.click()
    expect(page.locator("html")).to_have_attribute("dir", "rtl")
    fits_a_phone(page)
    accessible(page)
    page.get_by_role("button", name="إظهار النص").click()
    expect(page.get_by_role("timer")).to_contain_text("الثواني المتبقية")
    fits_a_phone(page)


@pytest.mark.exhaustive
def test_without_scripts_the_questions_come_when_the_time_is_over(
    browser: Browser, live_site: LiveSite, open_example: OpenExample
) -> None:
    with without_script(browser, live_site) as page:
        begin(page, open_example("likert", {"set_seconds": 60}))
        page.get_by_role("button", name="Show the text").click()
        expect(page.locator(".judged").first).to_be_visible()
        expect(page.get_by_role("radiogroup").first).to_be_hidden()
        expect(page.get_by_text("The questions come when the time is over.")).to_be_visible()
        pass_a_minute(live_site)
        page.reload()
        expect(page.get_by_text("The time for this text is over.").first).to_be_visible()
        expect(page.locator(".judged")).to_have_count(0)
        expect(page.get_by_role("radiogroup").first).to_be_visible()
