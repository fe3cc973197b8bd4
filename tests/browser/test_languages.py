"""Reading a study in another language, and one in a language that evalweb does not have, read from right to left."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.about import AS_IT_IS
from tests.browser.conftest import STUDY
from tests.browser.kit import accessible, begin, fits, phone
from tests.servers import LiveSite


def test_another_language_is_chosen_in_the_middle_of_a_unit(page: Page, make_study: Callable[..., str]) -> None:
    begin(page, make_study("languages"))
    page.locator("#answer input[type=radio]").nth(3).check(force=True)
    expect(page.locator("[data-saved]")).to_have_text("Saved")
    page.locator("summary", has_text="English").click()
    page.get_by_role("button", name="Deutsch").click()
    expect(page.locator("html")).to_have_attribute("lang", "de")
    # What was answered is still there; the study's own question is in its language, and says so.
    expect(page.locator("#answer input[type=radio]").nth(3)).to_be_checked()
    question = page.get_by_text("How fluent is it?")
    assert question.evaluate("element => element.closest('[lang]').lang") == "en"
    # What scripts say is translated too.
    expect(page.get_by_role("button", name="Absenden")).to_be_visible()
    page.get_by_role("button", name="Absenden").click()
    expect(page.locator("#answer")).to_contain_text("Noch nicht gesendet")
    page.reload()
    expect(page.locator("html")).to_have_attribute("lang", "de")


@pytest.mark.exhaustive
def test_a_study_in_persian_runs_from_the_right(live_site: LiveSite, browser: Browser, tmp_path: Path) -> None:
    said = STUDY.format(slug="persian", type="likert", layout="single", size=2)
    said = said.replace(
        "public_title: How do these texts read?", "language: fa\n  public_title: این متن‌ها چگونه خوانده می‌شوند؟"
    )
    said = said.replace("How fluent is it?", "متن چقدر روان است؟").replace("not at all", "اصلاً روان نیست")
    (tmp_path / "study.yaml").write_text(said, encoding="utf-8")
    rows = [f'i{number},{system},"قطار دیر کرده است ({system} {number})."' for number in range(3) for system in "ab"]
    (tmp_path / "items.csv").write_text("\n".join(["item,system,output", *rows]), encoding="utf-8")
    live_site.manage("load_study", str(tmp_path), "--owner", "researcher")
    link = live_site.manage("move_study", "persian", "open", *AS_IT_IS).strip()
    with phone(browser, live_site) as page:
        begin(page, link)
        # No page is in Persian: the frame is English, and the study's own words and scales run as they are written.
        expect(page.locator("html")).to_have_attribute("dir", "ltr")
        expect(page.locator("html")).to_have_attribute("lang", "en")
        expect(page.locator(".scale").first).to_have_attribute("dir", "rtl")
        assert page.get_by_text("متن چقدر روان است؟").evaluate("element => element.closest('[lang]').lang") == "fa"
        # The bar begins at the left.
        progress, menu = page.locator(".top-progress").bounding_box(), page.locator(".nav-open").bounding_box()
        assert progress is not None
        assert menu is not None
        assert progress["x"] < menu["x"]
        fits(page)
        accessible(page)
