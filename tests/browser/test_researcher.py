"""A researcher in a real browser: from a zip to an open study and its progress."""

import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import STUDY
from tests.browser.kit import accessible, sign_in_by_form
from tests.servers import LiveSite

# The frame around it is unfold's.
OURS = ".ew"


def pack(folder: Path, study: str, items: str) -> Path:
    """Make the zip of a study."""
    path = folder / "study.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("study.yaml", study)
        archive.writestr("items.csv", items)
    return path


@pytest.mark.exhaustive
def test_from_a_zip_with_a_mistake_to_a_running_study(page: Page, live_site: LiveSite, tmp_path: Path) -> None:
    sign_in_by_form(page, live_site)
    page.get_by_role("link", name="Load a study").first.click()
    study = STUDY.format(slug="from-a-zip", type="likert", layout="single", size=2)
    items = "item,system,output\na,north,One\na,south,Two\nb,north,Three\nb,south,Four\n"
    page.set_input_files("input[type=file]", pack(tmp_path, study, items.replace("b,south", "b,north")))
    page.get_by_role("button", name="Check and load").click()
    expect(page.get_by_role("alert")).to_contain_text("items.csv")
    accessible(page, OURS)
    page.set_input_files("input[type=file]", pack(tmp_path, study, items))
    page.get_by_role("button", name="Check and load").click()
    expect(page.get_by_text("is loaded as a draft")).to_be_visible()
    for tab in ("Plan", "Recruit"):
        page.get_by_role("navigation", name="Parts of the study").get_by_role("link", name=tab).click()
        accessible(page, OURS)
        if tab == "Plan":
            page.get_by_role("navigation", name="Parts of this tab").get_by_role("link", name="Texts").click()
            accessible(page, OURS)
    page.get_by_role("navigation", name="Parts of the study").get_by_role("link", name="Set up").click()
    page.get_by_role("link", name="Check and open…").click()
    expect(page.get_by_role("heading", name="What opening freezes")).to_be_visible()
    accessible(page, OURS)
    page.get_by_text("Open the study…").click()
    page.get_by_role("button", name="Open the study now").click()
    expect(page.get_by_text("The study is open.")).to_be_visible()
    live_site.manage("simulate_raters", "from-a-zip", "--raters", "3", "--base-url", live_site.url)
    page.get_by_role("navigation", name="Parts of the study").get_by_role("link", name="Monitor").click()
    row = page.get_by_role("row").filter(has=page.get_by_role("rowheader", name="Likert scale"))
    expect(row.get_by_role("cell").nth(1)).to_have_text("6")
    page.get_by_role("button", name="Close").click()
    page.get_by_role("button", name="Close the study").click()
    expect(page.get_by_text("The study is closed.")).to_be_visible()
    page.get_by_role("navigation", name="Parts of the study").get_by_role("link", name="Set up").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the study file").click()
    assert zipfile.is_zipfile(download.value.path())
