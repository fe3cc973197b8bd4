"""A token from the page to a script and to the page that tries the API, in a real browser against a real server."""

from collections.abc import Callable

import pandas
import pytest
from playwright.sync_api import Page, expect

from tests.browser.kit import accessible, sign_in
from tests.browser.test_researcher import OURS
from tests.servers import LiveSite

SWAGGER = "#api"


@pytest.mark.exhaustive
def test_a_token_is_made_used_tried_and_ended(page: Page, live_site: LiveSite, make_study: Callable[..., str]) -> None:
    make_study("by-script", size=2)
    live_site.manage("simulate_raters", "by-script", "--raters", "2", "--base-url", live_site.url)
    live_site.manage("move_study", "by-script", "close")
    sign_in(page, live_site)
    page.goto("/admin/studies/by-script/api/")
    page.get_by_label("What it is for").fill("notebook")
    page.get_by_role("button", name="Make the token").click()
    expect(page.get_by_role("heading", name="Your new token")).to_be_visible()
    accessible(page, OURS)
    secret = page.locator("#token").inner_text()

    ratings = pandas.read_csv(
        f"{live_site.url}/api/v1/studies/by-script/ratings.csv",
        storage_options={"Authorization": f"Bearer {secret}"},
    )
    assert len(ratings) == 8
    assert set(ratings["criterion"]) == {"fluency", "content"}
    assert ratings["value"].between(1, 5).all()

    page.get_by_role("link", name="See all requests and try them").click()
    expect(page.get_by_text("/api/v1/studies/{slug}/runs/", exact=True).first).to_be_visible()
    page.get_by_role("button", name="Authorize").click()
    page.get_by_label("Value").fill(secret)
    page.get_by_role("button", name="Apply credentials").click()
    page.get_by_role("button", name="Close").click()
    operation = page.locator("#operations-Studies-studies")
    operation.get_by_role("button", name="get /api/v1/studies/", exact=False).first.click()
    operation.get_by_role("button", name="Try it out").click()
    operation.get_by_role("button", name="Execute").click()
    expect(operation.locator(".live-responses-table")).to_contain_text('"slug": "by-script"')
    accessible(page, SWAGGER)

    page.goto("/admin/studies/by-script/api/")
    page.get_by_role("button", name="Revoke notebook").click()
    expect(page.get_by_role("cell", name="revoked")).to_be_visible()
