"""Planning in a real browser: a form asks, the same page answers, and its address can be shared."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_rater import accessible
from tests.browser.test_researcher import OURS, sign_in
from tests.browser.test_results import fits
from tests.servers import LiveSite

MakeStudy = Callable[..., str]


def test_planning_before_a_study_exists(page: Page, live_site: LiveSite) -> None:
    sign_in(page, live_site)
    # The page of studies leads there once there are any; the navigation always does.
    page.get_by_role("link", name="Planning").click()
    accessible(page, OURS)
    fits(page)
    page.get_by_role("link", name="Judges of a triangle test").click()
    expect(page.get_by_text("66 judges show a difference")).to_be_visible()
    page.get_by_label("Share of people who can tell").fill("0.5")
    page.get_by_label("Judges available").fill("24")
    page.get_by_role("button", name="Calculate").click()
    expect(page.get_by_text("With 24 judges at least 13 must be right (alpha 0.05); the power is 93.2")).to_be_visible()
    assert "pd=0.5" in page.url
    accessible(page, OURS)
    fits(page)
    for name in ("Power for a difference of means", "Power for preferences", "Width of an interval of alpha"):
        page.get_by_role("navigation", name="Planning").get_by_role("link", name=name).click()
        expect(page.get_by_role("img")).to_be_visible()
        expect(page.get_by_role("heading", name="What was assumed")).to_be_visible()
        accessible(page, OURS)
        fits(page)
    page.get_by_role("navigation", name="Planning").get_by_role("link", name="Cost and hours").click()
    expect(page.get_by_text("48 raters, 11.2 hours of their time, 132.72")).to_be_visible()
    page.get_by_label("Units", exact=True).fill("0")
    page.get_by_role("button", name="Calculate").click()
    # The browser itself refuses what is out of range; the server does so for an address that was written by hand.
    page.goto("/admin/planning/cost/?units=0")
    expect(page.get_by_role("alert")).to_contain_text("cannot be calculated")
    accessible(page, OURS)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_planning_from_within_a_study(page: Page, live_site: LiveSite, make_study: MakeStudy, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)
    make_study(f"planned-{scheme}")
    sign_in(page, live_site)
    page.goto(f"/admin/studies/planned-{scheme}/recruit/")
    page.get_by_role("link", name="Cost and hours").click()
    expect(page.get_by_label("Units", exact=True)).to_have_value("12")
    expect(page.get_by_label("Judgments per unit")).to_have_value("5")
    expect(page.get_by_label("Pay per hour")).to_have_value("30.00")
    accessible(page, OURS)
