"""No page of researchers has words that are broken, clipped, over each other or on a line, at any width."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.about import ready
from tests.browser.kit import sign_in
from tests.deviations import assert_each
from tests.layout import faults_at
from tests.servers import LiveSite

STUDY = "/admin/studies/example-likert"
TABS = ("", "set-up/task/", "items/", "design/", "checks/", "recruit/", "monitor/", "raters/", "pay/", "results/",
        "datasheet/", "data/", "api/")  # fmt: skip
OTHERS = ("/", "/task-types/", "/api/v1/", "/nothing/", "/admin/studies/", "/admin/studies/welcome/", "/admin/log/",
          "/admin/studies/new/", "/admin/studies/load/", "/admin/planning/", "/admin/help/")  # fmt: skip


@pytest.mark.exhaustive
def test_every_page_of_a_closed_study(page: Page, live_site: LiveSite, tmp_path: Path) -> None:
    name, _password = live_site.login
    live_site.manage("load_study", ready("likert", tmp_path / "study"), "--owner", name)
    live_site.manage("move_study", "example-likert", "open")
    live_site.manage("simulate_raters", "example-likert", "--raters", "12", "--planted")
    live_site.manage("move_study", "example-likert", "close")
    sign_in(page, live_site)
    page.goto(f"{STUDY}/results/")
    expect(page.get_by_role("heading", name="What was excluded")).to_be_visible(timeout=120_000)

    def check(address: str) -> None:
        page.goto(address)
        page.wait_for_load_state("networkidle")
        assert faults_at(page) == {}
        page.locator("main details:not([data-menu])").evaluate_all("all => all.forEach((one) => { one.open = true })")
        assert faults_at(page) == {}, "with everything open"

    assert_each(check, ((path, {"address": path}) for path in (*OTHERS, *(f"{STUDY}/{tab}" for tab in TABS))))
