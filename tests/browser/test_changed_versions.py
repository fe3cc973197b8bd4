"""An opened study is looked at as it was frozen, and a changed version of it is prepared, in a real browser."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.about import ready
from tests.browser.kit import accessible, fits_a_phone, sign_in, without_script
from tests.browser.test_researcher import OURS
from tests.browser.test_setting_up import STEPS, revision_of, saved
from tests.servers import LiveSite

STUDY = "/admin/studies/example-pairwise"


def open_example(page: Page, live_site: LiveSite, folder: Path) -> None:
    """Load an example and open it."""
    live_site.manage("load_study", ready("pairwise", folder / "study"), "--owner", live_site.login[0])
    live_site.manage("move_study", "example-pairwise", "open")
    sign_in(page, live_site)


@pytest.mark.exhaustive
def test_a_changed_version_of_an_opened_study(
    page: Page, browser: Browser, live_site: LiveSite, tmp_path: Path
) -> None:
    open_example(page, live_site, tmp_path)
    for step in STEPS:
        page.goto(f"{STUDY}/set-up/{step}/")
        expect(page.get_by_text("as version 1.").first).to_be_visible()
        accessible(page, OURS)
        fits_a_phone(page)
    page.goto(f"{STUDY}/set-up/review/")
    page.get_by_role("button", name="Prepare a changed version").click()
    expect(page.get_by_text("is a draft with everything that")).to_be_visible()
    page.get_by_role("link", name="Questions", exact=True).click()
    before = revision_of(page)
    page.get_by_label("Question", exact=True).first.fill("Which of the two texts reads better?")
    saved(page, before + 1)
    page.get_by_role("link", name="Raters", exact=True).click()
    page.get_by_label("Judgments of every unit").fill("9")
    saved(page, before + 2)
    page.get_by_role("link", name="Review", exact=True).click()
    changes = page.get_by_role("listitem")
    row = changes.filter(has_text="Judgments of every unit")
    expect(row.get_by_text("changes the design")).to_be_visible()
    wording = changes.filter(has_text="Which of the two texts reads better?")
    expect(wording.get_by_text("wording only")).to_be_visible()
    row.get_by_role("link").click()
    expect(page.get_by_label("Judgments of every unit")).to_have_value("9")
    with without_script(browser, live_site) as plain:
        sign_in(plain, live_site)
        plain.goto(f"{STUDY}/set-up/review/")
        plain.get_by_role("link", name="version 2").click()
        expect(plain.get_by_text("This study is a changed version of")).to_be_visible()
