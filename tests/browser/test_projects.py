"""A project in a real browser: one study per value of a column; all are checked and opened at once, and exported."""

import csv
import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.about import ABOUT
from tests.browser.kit import PHONE, accessible, fits, sign_in
from tests.browser.test_researcher import OURS
from tests.servers import LiveSite
from tests.tasks_app.studyfile.kit import STUDY, put

SLUG = "pairs-by-hand"
PAIRS = ("de-en", "en-fr", "ja-en")
ITEMS = "item,system,output,source,feature_pair\n" + "".join(
    f"{pair}-{number},{system},Text {number} of {system}.,A source.,{pair}\n"
    for pair in PAIRS
    for number in range(3)
    for system in ("north", "south")
)


def check(page: Page) -> None:
    """Assert that a page is accessible, and fits a phone."""
    accessible(page, OURS)
    fits(page)


@pytest.mark.exhaustive
def test_one_study_per_pair_is_made_checked_and_opened(page: Page, live_site: LiveSite, tmp_path: Path) -> None:
    who = "about: " + json.dumps(ABOUT) + "\n"
    study = STUDY.replace("slug: fluency", f"slug: {SLUG}") + who
    folder = put(tmp_path / "study", study_yaml=study, items_csv=ITEMS)
    live_site.manage("load_study", str(folder), "--owner", "researcher")
    sign_in(page, live_site)
    page.set_viewport_size(PHONE)
    page.goto(f"/admin/studies/{SLUG}/set-up/texts/")
    page.get_by_role("link", name="A study for each value").click()
    page.get_by_label("Column", exact=True).select_option(label="feature “pair”")
    page.get_by_label("Name of the project").fill("Pairs by hand")
    page.get_by_role("button", name="Show the studies").click()
    expect(page.get_by_role("heading", name="3 studies would be created")).to_be_visible()
    check(page)
    page.get_by_role("button", name="Create 3 studies").click()
    expect(page.get_by_role("heading", name="Pairs by hand")).to_be_visible()
    page.get_by_role("button", name="Check all").click()
    expect(page.get_by_text("3 studies done.")).to_be_visible()
    page.get_by_role("button", name="Open all that are ready").click()
    expect(page.get_by_role("heading", name="Open these studies?")).to_be_visible()
    check(page)
    page.get_by_role("button", name="Open them now").click()
    expect(page.get_by_text("3 studies done.")).to_be_visible()
    page.get_by_role("link", name="Back to the project").click()
    expect(page.get_by_role("link", name="Rater link")).to_have_count(3)
    check(page)
    page.get_by_role("link", name="Results", exact=True).first.click()
    page.get_by_role("link", name="Data", exact=True).click()
    with page.expect_download() as downloading:
        page.get_by_role("link", name="Ratings as CSV").click()
    with Path(downloading.value.path()).open(encoding="utf-8", newline="") as file:
        assert next(csv.reader(file))[0] == "study"
    page.goto("/admin/projects/pairs-by-hand/")
    page.get_by_role("link", name="Add studies").click()
    page.get_by_role("checkbox").and_(page.locator(f"#study-{SLUG}")).check()
    page.get_by_role("button", name="Add the chosen studies").click()
    expect(page.get_by_text("1 study was added to the project.")).to_be_visible()
    page.goto("/admin/projects/")
    expect(page.get_by_role("row", name="Pairs by hand")).to_contain_text("3 open")
    check(page)
