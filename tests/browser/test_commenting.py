"""A draft is shared with a colleague, who comments on it without an account, in a real browser."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.kit import accessible, fits, phone, sign_in, without_script
from tests.browser.test_researcher import OURS
from tests.servers import LiveSite

STUDY = "/admin/studies/example-ranking"


def shared_address(page: Page, live_site: LiveSite) -> str:
    """Load an example, make a link to comment, and return its address."""
    live_site.manage("load_study", "examples/ranking", "--owner", live_site.login[0])
    sign_in(page, live_site)
    page.goto(f"{STUDY}/set-up/review/")
    page.get_by_role("button", name="Create a link").click()
    return page.locator("[data-copy-source]").inner_text()


@pytest.mark.exhaustive
def test_a_colleague_comments_on_a_draft(page: Page, browser: Browser, live_site: LiveSite) -> None:
    address = shared_address(page, live_site)
    with phone(browser, live_site) as narrow:
        narrow.goto(address)
        shown = narrow.frame_locator("iframe")
        narrow.locator("iframe").scroll_into_view_if_needed()
        expect(shown.get_by_role("button", name="Send and go on")).to_be_visible()
        fits(narrow)
    with without_script(browser, live_site) as plain:
        plain.goto(address)
        plain.get_by_label("Your name").fill("Cleo Colleague")
        plain.get_by_label("Part of the study").select_option(label="Questions")
        plain.get_by_role("button", name="Send the comment").click()
        expect(plain.locator("p.field-error")).to_be_visible()
        plain.get_by_label("Your comment").fill("Is “best” clear enough?")
        plain.get_by_role("button", name="Send the comment").click()
        expect(plain.get_by_text("Thank you, your comment was sent")).to_be_visible()
    page.goto(f"{STUDY}/set-up/questions/")
    expect(page.get_by_text("Is “best” clear enough?")).to_be_visible()
    page.get_by_role("link", name="Reply, or mark as done").click()
    page.get_by_text("Reply", exact=True).click()
    page.get_by_label("Your reply").fill("It says “most fluent” now.")
    page.get_by_role("button", name="Send the reply").click()
    page.get_by_role("button", name="Mark as done").click()
    expect(page.get_by_role("button", name="Mark as not done")).to_be_visible()
    accessible(page, OURS)
    with phone(browser, live_site) as narrow:
        narrow.goto(address)
        expect(narrow.get_by_text("It says “most fluent” now.")).to_be_visible()
        narrow.locator("summary", has_text="Reply").click()
        reply = narrow.get_by_role("form", name="Reply to Cleo Colleague")
        reply.get_by_label("Your name").fill("Dora")
        reply.get_by_label("Your reply").fill("Much clearer.")
        fits(narrow)
        accessible(narrow)
        reply.get_by_role("button", name="Send the reply").click()
        expect(narrow.get_by_text("Much clearer.")).to_be_visible()
    page.get_by_role("button", name="Revoke", exact=False).first.click()
    expect(page.get_by_text("Link revoked. It no longer works")).to_be_visible()
    with without_script(browser, live_site) as plain:
        answer = plain.goto(address)
        assert answer is not None
        assert answer.status == 404
