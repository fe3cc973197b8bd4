"""Raters of platforms in a real browser: MTurk's in a frame on another origin, Prolific's from consent to code."""

import json
from collections.abc import Callable
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, BrowserContext, FrameLocator, Page, expect

from tests.browser import checked
from tests.browser.checked import (
    CODES,
    OpenChecked,
    agree,
    ended,
    fit,
    pass_everything,
    prolific,
    say_how_it_went,
    stage,
)
from tests.browser.kit import accessible, begin, fits, phone
from tests.browsing import PATIENCE_MILLISECONDS
from tests.platform import Platform
from tests.servers import LiveSite

MakeStudy = Callable[..., str]

CHANNELS = """
channels:
  link: {}
  prolific: {}
  mturk: {frame_height: 900}
codes: {completed: DONE1234, full: FULL1234, withdrawn: STOP1234, closed: SHUT1234}
"""

# Prints how many rows each table has. In those of the analyses the site's own worker writes, for tests before this one.
ROWS = """
import json
from django.apps import apps
models = [model for model in apps.get_models() if model._meta.app_label != "analytics_app"]
print(json.dumps({model._meta.label: model.objects.count() for model in models}))
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


def rows(site: LiveSite) -> dict[str, int]:
    """Count the rows of every table on which a rater could leave a trace."""
    found: dict[str, int] = json.loads(site.manage("shell", "-v", "0", "-c", ROWS))
    return found


@pytest.mark.exhaustive
def test_mturk_in_a_frame_on_another_origin(browser: Browser, live_site: LiveSite, open_checked: OpenChecked) -> None:
    """The whole way, from the preview to the form at the end, in a browser that is given no cookie."""
    link, platform = open_checked().link, live_site.platform
    context: BrowserContext = browser.new_context(locale="en-GB")
    context.set_default_timeout(PATIENCE_MILLISECONDS)
    page = context.new_page()
    refusals: list[str] = []
    page.on("console", lambda message: refusals.append(message.text) if "Security Policy" in message.text else None)
    frame = page.frame_locator("iframe")
    given = {"hitId": "3HIT", "turkSubmitTo": platform.origin}

    def come(**ids: str) -> None:
        page.goto(platform.framing(f"{live_site.url}{link}mturk/?{urlencode({**given, **ids})}"))

    before = rows(live_site)
    come(assignmentId="ASSIGNMENT_ID_NOT_AVAILABLE")
    expect(frame.get_by_text("To take part, accept this HIT.").first).to_be_visible()
    expect(frame.get_by_role("heading", name="An example")).to_be_visible()
    expect(frame.get_by_text("2.40 EUR")).to_be_visible()
    expect(frame.get_by_role("button", name="I agree, begin")).to_have_count(0)
    assert rows(live_site) == before, "a preview has stored something"

    come(assignmentId="3ASSIGNMENT", workerId="AWORKER")
    agree(frame)
    pass_everything(frame)
    stage(frame, "Text 1 of 2")
    checked.judge(frame)
    stage(frame, "2 of 2")
    # Opened anew, as after a lost connection: the same assignment goes on where it was.
    come(assignmentId="3ASSIGNMENT", workerId="AWORKER")
    stage(frame, "2 of 2")
    checked.judge(frame)
    say_how_it_went(frame)
    ended(frame, "Thank you, you have finished", "completed", "You are paid 2.40 EUR for your work here.")
    assert platform.sent == []
    assert submit_the_hit(frame, platform) == {
        "assignmentId": "3ASSIGNMENT", "code": CODES["completed"], "outcome": "completed"
    }  # fmt: skip

    come(assignmentId="3OTHER", workerId="AOTHER")
    agree(frame)
    fit(frame, "Hardly at all")
    ended(frame, "Thank you for your answers", "screened_out", "You are paid 0.60 EUR for your work here.")
    assert submit_the_hit(frame, platform) == {
        "assignmentId": "3OTHER", "code": CODES["screened_out"], "outcome": "screened_out"
    }  # fmt: skip
    assert context.cookies() == []
    assert refusals == []
    context.close()


def submit_the_hit(frame: FrameLocator, platform: Platform) -> dict[str, str]:
    """Press the last button; returns the fields that MTurk is sent, without the pseudonym."""
    frame.get_by_role("button", name="Submit the HIT").click()
    expect(frame.get_by_text("The HIT was submitted.")).to_be_visible()
    where, fields = platform.sent.pop()
    assert where == "/mturk/externalSubmit"
    assert fields.pop("rater").startswith("r-")
    return fields


def test_others_are_shown_in_no_frame(browser: Browser, live_site: LiveSite, make_study: MakeStudy) -> None:
    link = make_study("no-frame", size=1, more=CHANNELS)
    context = browser.new_context(locale="en-GB")
    page = context.new_page()
    with page.expect_event("console", lambda message: "frame-ancestors" in message.text or "Framing" in message.text):
        page.goto(live_site.platform.framing(f"{live_site.url}{link}"))
    expect(page.frame_locator("iframe").get_by_role("button", name="I agree, begin")).to_have_count(0)
    context.close()


@pytest.mark.exhaustive
def test_every_other_way_off_prolific(
    page: Page, browser: Browser, live_site: LiveSite, make_study: MakeStudy, away: list[str]
) -> None:
    link = make_study("off-prolific", size=2, more=CHANNELS)
    begin(page, prolific(link))
    page.get_by_role("link", name="Stop here").click()
    page.get_by_role("button", name="Stop here").click()
    expect(page.get_by_role("heading", name="You have stopped")).to_be_visible()
    page.get_by_role("link", name="Back to Prolific").click()
    expect(page.get_by_role("heading", name="Prolific")).to_be_visible()
    assert away.pop().endswith("?cc=STOP1234")

    page.goto(f"{link}prolific/?PROLIFIC_PID=%7B%7B%25PROLIFIC_PID%25%7D%7D")
    expect(page.get_by_role("heading", name="You cannot begin from here")).to_be_visible()
    accessible(page)
    live_site.manage("move_study", "off-prolific", "close")
    with phone(browser, live_site) as small:
        small.goto(prolific(link))
        expect(small.get_by_role("heading", name="This study has ended")).to_be_visible()
        fits(small)
    page.goto(prolific(link))
    page.get_by_role("link", name="Back to Prolific").click()
    expect(page.get_by_role("heading", name="Prolific")).to_be_visible()
    assert away.pop().endswith("?cc=SHUT1234")
