"""No page of researchers has words that are broken, clipped, over each other or on a line, at any width."""

from copy import deepcopy
from pathlib import Path

import pytest
import yaml
from playwright.sync_api import Page, expect

from tests.about import ready
from tests.browser.kit import sign_in
from tests.deviations import assert_each
from tests.layout import faults_at
from tests.servers import LiveSite

STUDY = "/admin/studies/example-likert"
LONG_WORDS = "/admin/studies/long-words"
TABS = ("", "set-up/task/", "items/", "design/", "checks/", "recruit/", "monitor/", "raters/", "pay/", "results/",
        "datasheet/", "data/", "api/")  # fmt: skip
OTHERS = ("/", "/task-types/", "/api/v1/", "/nothing/", "/admin/studies/", "/admin/studies/welcome/", "/admin/log/",
          "/admin/studies/new/", "/admin/studies/load/", "/admin/planning/", "/admin/help/")  # fmt: skip


LONG_WORD = "How well do readers like texts about Donaudampfschifffahrtsgesellschaftskapitänsverordnungen?"


@pytest.mark.exhaustive
def test_a_title_with_a_word_longer_than_a_phone_is_wide(page: Page, live_site: LiveSite, tmp_path: Path) -> None:
    """Also with two tasks, whose names stand on buttons."""
    name, _password = live_site.login
    folder = Path(ready("likert", tmp_path / "study"))
    file = folder / "study.yaml"
    study = yaml.safe_load(file.read_text(encoding="utf-8"))
    study["study"] |= {"title": LONG_WORD, "slug": "long-words"}
    study["tasks"].append(
        {**deepcopy(study["tasks"][0]), "key": "again", "title": "Once more", "criteria": ["fluency"]}
    )
    file.write_text(yaml.safe_dump(study, allow_unicode=True, sort_keys=False), encoding="utf-8")
    live_site.manage("load_study", str(folder), "--owner", name)
    sign_in(page, live_site)
    for step in ("set-up/checks/", "set-up/review/", "design/", "recruit/"):
        page.goto(f"{LONG_WORDS}/{step}")
        page.wait_for_load_state("networkidle")
        assert faults_at(page, (390,)) == {}, step
    for address in ("/admin/studies/", "/admin/studies/new/"):
        page.goto(address)
        assert faults_at(page, (390,)) == {}, address
    page.goto(f"{LONG_WORDS}/set-up/checks/")
    page.set_viewport_size({"width": 390, "height": 900})
    button = page.get_by_role("button", name="Add an attention check: Texts about places")
    words = button.evaluate("(button) => [...button.children].map((child) => child.textContent.trim())")
    assert words == ["Add an attention check: Texts about places"], "one line of words, not two columns"


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
