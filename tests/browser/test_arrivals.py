"""Raters of platforms in a real browser: MTurk's in a frame on another origin, Prolific's from consent to code."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, BrowserContext, FrameLocator, Page, expect

from tests.browser.kit import accessible, at, begin, fits, phone, send
from tests.servers import LiveSite

MakeStudy = Callable[..., str]

CHANNELS = """
channels:
  link: {}
  prolific: {}
  mturk: {frame_height: 900}
codes: {completed: DONE1234, withdrawn: STOP1234, closed: SHUT1234}
"""


@pytest.fixture
def away(page: Page) -> list[str]:
    """Collect where pages lead to on Prolific, which no test calls."""
    asked: list[str] = []

    def answer(route: object) -> None:
        asked.append(route.request.url)
        route.fulfill(status=200, content_type="text/html", body="<h1>Prolific</h1>")

    page.context.route("https://app.prolific.com/**", answer)
    return asked


def prolific(link: str, **changed: str) -> str:
    """Return the address that Prolific would open."""
    ids = {name: secrets.token_hex(12) for name in ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")} | changed
    return f"{link}prolific/?{urlencode(ids)}"


def judge(page: Page | FrameLocator, units: int) -> None:
    """Judge every unit of a set."""
    for done in range(units):
        expect(page.locator(".top-progress")).to_contain_text(f"{done} of ")
        for group in page.get_by_role("radiogroup").all():
            group.locator("label").nth(3).click()
        page.get_by_role("button", name="Send and go on").click()


def test_mturk_in_a_frame_on_another_origin(browser: Browser, live_site: LiveSite, make_study: MakeStudy) -> None:
    link = make_study("on-mturk", size=2, more=CHANNELS)
    platform = live_site.platform
    context: BrowserContext = browser.new_context(locale="en-GB")
    context.set_default_timeout(10_000)
    page = context.new_page()
    refusals: list[str] = []
    page.on("console", lambda message: refusals.append(message.text) if "Security Policy" in message.text else None)
    given = {"hitId": "3HIT", "turkSubmitTo": platform.origin}

    preview = urlencode({**given, "assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE"})
    page.goto(platform.framing(f"{live_site.url}{link}mturk/?{preview}"))
    frame = page.frame_locator("iframe")
    expect(frame.get_by_text("To take part, accept this HIT.").first).to_be_visible()
    expect(frame.get_by_role("heading", name="An example")).to_be_visible()
    expect(frame.get_by_role("button", name="I agree, begin")).to_have_count(0)

    accepted = urlencode({**given, "assignmentId": "3ASSIGNMENT", "workerId": "AWORKER"})
    page.goto(platform.framing(f"{live_site.url}{link}mturk/?{accepted}"))
    frame = page.frame_locator("iframe")
    frame.get_by_role("checkbox").check()
    frame.get_by_role("button", name="I agree, begin").click()
    frame.get_by_role("button", name="Start").click()
    judge(frame, 1)
    # Opened anew, as after a lost connection: the same assignment goes on where it was.
    page.goto(platform.framing(f"{live_site.url}{link}mturk/?{accepted}"))
    frame = page.frame_locator("iframe")
    expect(frame.locator(".top-progress")).to_contain_text("1 of 2")
    for group in frame.get_by_role("radiogroup").all():
        group.locator("label").nth(2).click()
    frame.get_by_role("button", name="Send and go on").click()
    expect(frame.get_by_role("heading", name="Thank you, you have finished")).to_be_visible()
    assert platform.sent == []
    frame.get_by_role("button", name="Submit the HIT").click()
    expect(frame.get_by_text("The HIT was submitted.")).to_be_visible()

    where, fields = platform.sent.pop()
    assert where == "/mturk/externalSubmit"
    pseudonym = fields.pop("rater")
    assert pseudonym.startswith("r-")
    assert fields == {"assignmentId": "3ASSIGNMENT", "code": "DONE1234", "outcome": "completed"}
    assert context.cookies() == []
    assert refusals == []
    context.close()


def test_others_are_shown_in_no_frame(browser: Browser, live_site: LiveSite, make_study: MakeStudy) -> None:
    link = make_study("no-frame", size=1, more=CHANNELS)
    context = browser.new_context(locale="en-GB")
    page = context.new_page()
    with page.expect_event("console", lambda message: "frame-ancestors" in message.text or "Framing" in message.text):
        page.goto(live_site.platform.framing(f"{live_site.url}{link}"))
    expect(page.frame_locator("iframe").get_by_role("checkbox")).to_have_count(0)
    context.close()


def test_prolific_from_consent_to_code(page: Page, make_study: MakeStudy, away: list[str]) -> None:
    link = make_study("on-prolific", size=2, more=CHANNELS)
    address = prolific(link)
    begin(page, address)
    judge(page, 1)
    at(page, 1)
    page.goto(address)
    at(page, 1)
    for group in page.get_by_role("radiogroup").all():
        group.locator("label").nth(2).click()
    send(page)
    expect(page.get_by_role("heading", name="Thank you, you have finished")).to_be_visible()
    expect(page.locator("#code")).to_have_value("DONE1234")
    accessible(page)
    page.get_by_role("link", name="Back to Prolific").click()
    expect(page.get_by_role("heading", name="Prolific")).to_be_visible()
    assert away == ["https://app.prolific.com/submissions/complete?cc=DONE1234"]


def test_every_other_way_off_prolific(
    page: Page, browser: Browser, live_site: LiveSite, make_study: MakeStudy, away: list[str]
) -> None:
    link = make_study("off-prolific", size=2, more=CHANNELS)
    person = secrets.token_hex(12)
    begin(page, prolific(link, PROLIFIC_PID=person))
    page.get_by_role("link", name="Stop here").click()
    page.get_by_role("button", name="Stop here").click()
    expect(page.get_by_role("heading", name="You have stopped")).to_be_visible()
    accessible(page)
    page.get_by_role("link", name="Back to Prolific").click()
    expect(page.get_by_role("heading", name="Prolific")).to_be_visible()
    assert away.pop().endswith("?cc=STOP1234")

    page.goto(prolific(link, PROLIFIC_PID=person))
    expect(page.get_by_role("heading", name="You have taken part already")).to_be_visible()
    expect(page.get_by_text("Please return your submission on Prolific")).to_be_visible()
    accessible(page)

    page.goto(f"{link}prolific/?PROLIFIC_PID=%7B%7B%25PROLIFIC_PID%25%7D%7D")
    expect(page.get_by_role("heading", name="You cannot begin from here")).to_be_visible()

    live_site.manage("move_study", "off-prolific", "pause")
    page.goto(prolific(link))
    expect(page.get_by_role("heading", name="This study is having a break")).to_be_visible()
    live_site.manage("move_study", "off-prolific", "close")
    with phone(browser, live_site) as small:
        small.goto(prolific(link))
        expect(small.get_by_role("heading", name="This study has ended")).to_be_visible()
        fits(small)
    page.goto(prolific(link))
    page.get_by_role("link", name="Back to Prolific").click()
    expect(page.get_by_role("heading", name="Prolific")).to_be_visible()
    assert away.pop().endswith("?cc=SHUT1234")
