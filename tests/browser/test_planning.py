"""Planning in a real browser: a form asks, the same page answers, and its address can be shared."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.kit import accessible, fits_a_phone, sign_in, without_script
from tests.browser.test_researcher import OURS
from tests.servers import LiveSite

MakeStudy = Callable[..., str]


@pytest.mark.exhaustive
def test_planning_before_a_study_exists(page: Page, live_site: LiveSite) -> None:
    sign_in(page, live_site)
    page.goto("/admin/studies/")
    # The page of studies leads there once there are any; the navigation always does.
    page.get_by_role("link", name="Planning").click()
    fits_a_phone(page)
    page.get_by_role("link", name="Judges of a triangle test").click()
    expect(page.get_by_text("66 judges show a difference")).to_be_visible()
    page.get_by_label("Share of people who can tell").fill("0.5")
    page.get_by_label("Judges available").fill("24")
    expect(page.get_by_text("With 24 judges at least 13 must be right (alpha 0.05); the power is 93.2")).to_be_visible()
    expect(page).to_have_url(re.compile("judges=24.*pd=0.5"))
    page.reload()
    expect(page.get_by_text("With 24 judges at least 13 must be right (alpha 0.05); the power is 93.2")).to_be_visible()
    fits_a_phone(page)
    for name, curve in (("Power for preferences", "Power by number of items"), ("Width of an interval of alpha", "")):
        page.get_by_role("navigation", name="Planning").get_by_role("link", name=name).click()
        expect(page.get_by_role("img", name=curve).first).to_be_visible()
        page.get_by_text("What was assumed").click()
        expect(page.locator("#planning-assumed")).to_be_visible()
        accessible(page, OURS)
        fits_a_phone(page)
    page.get_by_role("navigation", name="Planning").get_by_role("link", name="Cost and hours").click()
    expect(page.get_by_text("48 raters, 11.2 hours of their time, 132.72")).to_be_visible()
    page.goto("/admin/planning/cost/?units=0")
    expect(page.get_by_text("This cannot be calculated. Fix the marked fields.")).to_be_visible()


def test_the_answer_follows_what_is_typed(page: Page, live_site: LiveSite) -> None:
    """The newest entries win, an error stays at its field, and neither takes the focus or the caret."""
    sign_in(page, live_site)
    page.goto("/admin/planning/cost/")
    lead, mark = page.locator("#planning-lead"), page.locator("[data-out-of-date]")
    expect(lead).to_have_attribute("aria-live", "polite")
    expect(page.get_by_role("button", name="Calculate")).to_be_hidden()
    page.get_by_text("What was assumed").click()
    units = page.get_by_label("Units", exact=True)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "hx-request" in request.headers else None)
    units.fill("")
    units.press_sequentially("600")
    expect(mark).to_have_text("out of date")
    expect(lead).to_contain_text("95 raters")
    expect(mark).to_be_hidden()
    expect(units).to_be_focused()
    expect(page.locator("#planning-assumed")).to_contain_text("Units600")
    assert [url for url in asked if "units=6&" in url or "units=60&" in url] == [], "there is a request for every key"
    assert "units=600" in page.url

    units.fill("0")
    expect(page.locator("#id_units_error")).to_have_text("Ensure this value is greater than or equal to 1.")
    expect(page.get_by_role("status").filter(has_text="Fix the marked fields.")).to_be_visible()
    expect(units).to_have_attribute("aria-invalid", "true")
    expect(units).to_be_focused()
    expect(lead).to_contain_text("95 raters")
    expect(mark).to_have_text("out of date")
    accessible(page, OURS)

    units.fill("300")
    expect(lead).to_contain_text("48 raters")
    expect(mark).to_be_hidden()
    expect(page.locator("#id_units_error")).to_be_empty()
    assert units.get_attribute("aria-invalid") is None

    # What is folded says its values, also while it is changed.
    page.get_by_text("Assumptions").click()
    page.get_by_label("Judgments to be replaced").fill("50")
    expect(page.locator("#planning-folded")).to_contain_text("Judgments to be replaced, in per cent: 50")
    expect(lead).to_contain_text("90 raters")


@pytest.mark.exhaustive
def test_slow_answers_do_not_queue(page: Page, live_site: LiveSite) -> None:
    """While an answer is computed nothing else is asked, and then only what stands in the form."""
    sign_in(page, live_site)
    page.goto("/admin/planning/means/")
    held: list[Route] = []
    page.route(
        re.compile("means/.*n_items="),
        lambda route: route.continue_() if "n_items=80" in route.request.url else held.append(route),
    )
    items, mark = page.get_by_label("Items", exact=True), page.locator("[data-out-of-date]")
    with page.expect_request(re.compile("n_items=50&")):
        items.fill("50")
    for number in ("60", "70", "80"):
        items.fill(number)
        items.dispatch_event("change")
        page.get_by_label("Systems", exact=True).press("Enter")
    assert len(held) == 1
    with page.expect_request(re.compile("n_items=80&")):
        held[0].continue_()
    expect(page.locator("#planning-lead")).to_contain_text("With 80 items")
    expect(mark).to_be_hidden()


def test_a_lost_server_is_said_and_the_button_comes_back(page: Page, live_site: LiveSite) -> None:
    sign_in(page, live_site)
    page.goto("/admin/planning/preferences/")
    page.route(re.compile("n_items=50"), lambda route: route.abort())
    page.get_by_label("Items", exact=True).fill("50")
    expect(page.get_by_text("out of date: the server did not answer")).to_be_visible()
    page.unroute(re.compile("n_items=50"))
    page.get_by_role("button", name="Calculate").click()
    expect(page.locator("#planning-lead")).to_contain_text("With 50 items")
    expect(page.get_by_text("out of date")).to_be_hidden()


@pytest.mark.exhaustive
def test_planning_without_scripts(browser: Browser, live_site: LiveSite) -> None:
    with without_script(browser, live_site) as page:
        sign_in(page, live_site)
        page.goto("/admin/planning/cost/")
        page.get_by_label("Units", exact=True).fill("600")
        page.get_by_role("button", name="Calculate").click()
        expect(page.get_by_text("95 raters")).to_be_visible()
        page.get_by_label("Units", exact=True).fill("0")
        page.get_by_role("button", name="Calculate").click()
        expect(page.get_by_text("Ensure this value is greater than or equal to 1.")).to_be_visible()


@pytest.mark.exhaustive
def test_planning_from_within_a_study(page: Page, live_site: LiveSite, make_study: MakeStudy) -> None:
    make_study("planned")
    sign_in(page, live_site)
    page.goto("/admin/studies/planned/recruit/")
    page.get_by_role("link", name="Cost and hours").click()
    expect(page.get_by_label("Units", exact=True)).to_have_value("12")
    expect(page.get_by_label("Judgments per unit")).to_have_value("5")
    expect(page.get_by_label("Pay per hour")).to_have_value("30.00")
