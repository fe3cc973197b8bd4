"""The datasheet in a real browser: answered, on a phone, without scripts, and for assistive technology."""

import pytest
from playwright.sync_api import Page, expect

from tests import extent
from tests.browser.kit import PHONE, accessible, fits, sign_in
from tests.browser.test_researcher import OURS
from tests.browser.test_results import MakeStudy
from tests.servers import LiveSite


@pytest.mark.exhaustive
def test_a_researcher_reads_answers_and_takes_back(page: Page, live_site: LiveSite, make_study: MakeStudy) -> None:
    make_study("described", size=2)
    sign_in(page, live_site)
    page.goto("/admin/studies/described/datasheet/")
    page.get_by_role("link", name="3. Sample, evaluators and design").first.click()
    outputs = page.get_by_label("Answer (3.1.1)")
    known = outputs.input_value()
    assert int(known) > 0
    outputs.fill("7")
    page.get_by_role("button", name="Save this section").click()
    expect(page.get_by_text("1 answer stored.")).to_be_visible()
    expect(page.get_by_text("the study says:")).to_be_visible()
    page.get_by_role("button", name="Use the study's answer").click()
    expect(page.get_by_label("Answer (3.1.1)")).to_have_value(known)
    page.set_viewport_size(PHONE)
    for section in ("1", "2", "3", "4", "5") if extent.is_exhaustive() else ("1", "4"):
        page.goto(f"/admin/studies/described/datasheet/?section={section}")
        accessible(page, OURS)
        fits(page)
    page.goto("/admin/studies/described/datasheet/import/")
    accessible(page, OURS)
    fits(page)
