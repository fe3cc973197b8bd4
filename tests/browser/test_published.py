"""Published studies in a real browser: from New study to an open study, and the first screen of a rater."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tasks_app.setup.published import published
from tests.about import ABOUT
from tests.browser.kit import fits, phone, sign_in
from tests.browser.test_setting_up import revision_of, saved
from tests.servers import LiveSite


def to_the_first_screen(rater: Page) -> None:
    """Consent and read the instructions, by the place of the buttons: pages are in the language of the study."""
    for _page in range(4):
        if rater.url.endswith("/judge/"):
            return
        with rater.expect_navigation():
            rater.locator("button.button-main").last.click()


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", published())
def test_from_new_study_to_the_screen_of_a_rater(page: Page, browser: Browser, live_site: LiveSite, name: str) -> None:
    sign_in(page, live_site)
    page.goto(f"/admin/studies/new/?published={name}")
    page.get_by_label("Title", exact=True).fill(f"Ours {name}")
    page.get_by_role("button", name="Create the study").press("Enter")
    page.wait_for_url("**/set-up/texts/**")
    page.get_by_role("link", name="Consent and pay").press("Enter")
    for label, value in {
        "Who runs this study": ABOUT["institution"],
        "Contact": ABOUT["contact"],
        "Complaints": ABOUT["complaints"],
        "Ethics reference": ABOUT["ethics"],
    }.items():
        before = revision_of(page)
        page.get_by_label(label, exact=True).fill(value)
        saved(page, before + 1)
    page.get_by_role("link", name="Review", exact=True).press("Enter")
    page.get_by_role("button", name="Check everything").press("Enter")
    expect(page.get_by_text("All settings and texts fit together")).to_be_visible()
    reason, asks = page.get_by_label("Why is it opened as it is?"), page.get_by_text("Open the study…")
    expect(reason.or_(asks)).to_be_visible()
    if reason.is_visible():
        reason.fill("A test opens it as it is.")
        page.get_by_role("button", name="Open it as it is").press("Enter")
    else:
        asks.click()
        page.get_by_role("button", name="Open the study now").press("Enter")
    expect(page.get_by_text("The study is open.")).to_be_visible()
    page.get_by_role("navigation", name="Parts of the study").get_by_role("link", name="Recruit").press("Enter")
    link = page.locator("#rater-link").inner_text()
    with phone(browser, live_site) as rater:
        rater.goto(link)
        to_the_first_screen(rater)
        expect(rater.locator("form[data-answer]")).to_be_visible()
        fits(rater)
