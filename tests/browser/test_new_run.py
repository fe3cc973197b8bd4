"""The page of a new run in a real browser: a preset is chosen, settings are changed, and what rules exclude follows."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, StorageState, expect

from tests import extent
from tests.browser.kit import accessible, fits, phone, sign_in, without_script
from tests.browser.test_researcher import OURS
from tests.browser.test_results import simulate
from tests.servers import LiveSite

MakeStudy = Callable[..., str]


@pytest.mark.exhaustive
def test_a_run_is_prepared_with_a_preset_and_live_counts(
    page: Page, browser: Browser, live_site: LiveSite, make_study: MakeStudy
) -> None:
    make_study("prepared", size=4)
    simulate(live_site, "prepared", 3)
    sign_in(page, live_site)
    page.goto("/admin/studies/prepared/results/new/")
    expect(page.get_by_text("With these settings, 24 of 24 ratings would be kept.")).to_be_visible()
    expect(page.get_by_label("Bootstrap samples")).to_be_hidden()
    page.get_by_role("link", name="Strict", exact=True).click()
    expect(page.get_by_role("link", name="Strict", exact=True)).to_have_attribute("aria-current", "true")
    expect(page.locator("#run-rules")).to_contain_text("Working time: would exclude")
    expect(page.get_by_text("It also differs from the plan in: quality rules.")).to_be_visible()

    page.get_by_role("link", name="All ratings", exact=True).click()
    expect(page.get_by_text("none: every rating counts")).to_be_visible()
    page.get_by_text("Change settings").click()
    rule = page.get_by_role("group", name="Burn-in")
    rule.get_by_label("Apply this rule").check()
    expect(page.locator("#effect-burn_in")).to_have_text("Would exclude 24 ratings from 3 raters.")
    expect(page.get_by_text("With these settings, 0 of 24 ratings would be kept.")).to_be_visible()
    rule.get_by_text("Place, settings and source").click()
    first = rule.get_by_label("Judgments to leave out")
    first.fill("1")
    expect(page.locator("#effect-burn_in")).to_have_text("Would exclude 6 ratings from 3 raters.")
    expect(first).to_be_focused()
    first.fill("0")
    expect(page.locator("#id_rule-burn_in-n_error")).to_contain_text("greater than or equal to 1")
    expect(page.locator("[data-out-of-date]")).to_have_text("out of date")
    expect(first).to_be_focused()
    accessible(page, OURS)
    first.fill("2")
    expect(page.locator("#effect-burn_in")).to_have_text("Would exclude 12 ratings from 3 raters.")
    page.get_by_role("button", name="Start this run").last.click()
    page.wait_for_url("**/results/1/")
    if extent.is_exhaustive():
        state = page.context.storage_state()
        without_scripts_presets_are_links(browser, live_site, state)
        on_a_phone_a_run_begins_like_another(browser, live_site, state)


def without_scripts_presets_are_links(browser: Browser, live_site: LiveSite, state: StorageState) -> None:
    """Without scripts the preview is a page."""
    with without_script(browser, live_site) as plain:
        plain.context.add_cookies(state["cookies"])
        plain.goto("/admin/studies/prepared/results/new/?preset=strict")
        plain.get_by_role("button", name="Preview").click()
        expect(plain.get_by_text("of 24 ratings would be kept")).to_be_visible()
        assert plain.url.endswith("/results/new/preview/?preset=strict")


def on_a_phone_a_run_begins_like_another(browser: Browser, live_site: LiveSite, state: StorageState) -> None:
    """The settings of an earlier run are a preset."""
    with phone(browser, live_site) as small:
        small.context.add_cookies(state["cookies"])
        small.goto("/admin/studies/prepared/results/new/?from=1")
        expect(small.get_by_role("link", name="Same as run 1")).to_have_attribute("aria-current", "true")
        expect(small.locator("#run-rules")).to_contain_text(
            "Burn-in (Judgments to leave out: 2): would exclude 12 ratings"
        )
        fits(small)
