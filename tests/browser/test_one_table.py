"""The columns of a table of texts and ratings, chosen in a real browser: the preview follows."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.analytics_app.test_analyse_file import TABLE
from tests.browser.kit import PHONE, accessible, fits, press_until, sign_in
from tests.browser.test_researcher import OURS
from tests.servers import LiveSite


@pytest.mark.exhaustive
def test_the_preview_follows_the_choice_of_each_column(page: Page, live_site: LiveSite, tmp_path: Path) -> None:
    file = tmp_path / "ratings.csv"
    file.write_text(TABLE, encoding="utf-8")
    sign_in(page, live_site)
    page.goto("/admin/studies/new/?texts=one-table")
    page.get_by_label("Title", exact=True).fill("A table with choices")
    page.set_input_files("input[type=file]", file)
    page.get_by_role("button", name="Create the study").click()
    read = page.locator("#read")
    expect(page.get_by_label("“adequacy” is", exact=True)).to_have_value("question-value")
    expect(read).to_contain_text("70.5")
    accessible(page, OURS)
    # A column that is left out leaves the preview and the mapping, without the page being loaded again.
    page.evaluate("window.was = 1")
    page.get_by_label("“adequacy” is", exact=True).select_option("")
    expect(read).not_to_contain_text("70.5")
    page.locator("summary", has_text="More").click()
    expect(page.get_by_label("The mapping as text")).to_have_value(re.compile("constant:\n  criterion: fluency"))
    assert page.evaluate("window.was") == 1
    # Two columns of the same use: the message names both and leads to the choice.
    page.get_by_label("“segment” is", exact=True).select_option("rater")
    button = page.get_by_role("button", name="Store and analyse")
    press_until(page, lambda: bool(button.evaluate("one => one === document.activeElement")))
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("Choose one of “annotator”, “segment”.")
    page.set_viewport_size(PHONE)
    fits(page)
    accessible(page, OURS)
    page.get_by_role("alert").get_by_role("link", name="segment").click()
    expect(page.get_by_label("“segment” is", exact=True)).to_be_in_viewport()
    page.get_by_label("“segment” is", exact=True).select_option("item")
    page.get_by_role("button", name="Check only").click()
    expect(page.get_by_role("status")).to_contain_text("4 texts, 8 ratings, 2 raters")
    fits(page)
