"""Known answers in a real browser: the table to fill in is downloaded, uploaded with a mistake, put right, edited."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.kit import PHONE, accessible, fits, sign_in
from tests.browser.test_researcher import OURS
from tests.servers import LiveSite
from tests.tasks_app.importing.kit import ITEMS
from tests.tasks_app.studyfile.kit import STUDY, put

SLUG = "known-by-hand"


def check(page: Page) -> None:
    """Assert that a page is accessible, and fits a phone."""
    accessible(page, OURS)
    fits(page)


@pytest.mark.exhaustive
def test_known_answers_are_filled_in_and_uploaded(page: Page, live_site: LiveSite, tmp_path: Path) -> None:
    folder = put(tmp_path / "study", study_yaml=STUDY.replace("slug: fluency", f"slug: {SLUG}"), items_csv=ITEMS)
    live_site.manage("load_study", str(folder), "--owner", "researcher")
    sign_in(page, live_site)
    page.set_viewport_size(PHONE)
    page.goto(f"/admin/studies/{SLUG}/set-up/checks/")
    page.get_by_role("link", name="Upload a table, or type in rows (Known answers)").click()
    expect(page.get_by_role("heading", name="Possible known answers (Likert scale)")).to_be_visible()
    check(page)
    with page.expect_download() as downloading:
        page.get_by_role("link", name="Download the table to fill in").click()
    lines = Path(downloading.value.path()).read_text(encoding="utf-8-sig").splitlines()
    filled = [lines[0], *(line.replace(",exact,,", ",exact,9,", 1) for line in lines[1:] if line.startswith("i1/"))]
    assert len(filled) > 1
    known = tmp_path / "known.csv"
    known.write_text("\n".join(filled), encoding="utf-8")
    page.get_by_label("Table of known answers").set_input_files(known)
    page.get_by_role("button", name="Upload and preview").click()
    page.get_by_role("button", name="Check", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("the scale of this task")
    check(page)
    page.get_by_role("button", name="Choose another file").click()
    known.write_text("\n".join(filled).replace(",exact,9,", ",exact,4,"), encoding="utf-8")
    page.get_by_label("Table of known answers").set_input_files(known)
    page.get_by_role("button", name="Upload and preview").click()
    page.get_by_role("button", name="Store these rows").click()
    expect(page.get_by_role("link", name="Edit 1", exact=True)).to_be_visible()
    page.get_by_role("link", name="Edit 1", exact=True).click()
    check(page)
    page.get_by_label("Answer").fill("5")
    page.get_by_role("button", name="Save the row").click()
    expect(page.get_by_text("Row 1 is stored.")).to_be_visible()
    page.get_by_role("button", name="Remove all rows").click()
    page.get_by_role("button", name="Remove").click()
    expect(page.get_by_role("link", name="Download the table to fill in")).to_be_visible()
