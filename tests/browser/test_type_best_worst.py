"""Best-worst scaling in a real browser: mouse, keyboard, phone, no script, a draft, several criteria, mixed items."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from playwright.sync_api import Browser, Locator, Page, expect

from evalweb.local_services.folder import BASE_DIR
from tests.about import ABOUT, AS_IT_IS
from tests.browser.kit import accessible, at, begin, fits, phone, press_until, send, without_script
from tests.servers import LiveSite

OpenExample = Callable[..., str]

LONG = f" {'Donaudampfschifffahrt' * 6} "


@pytest.fixture(scope="module")
def link(open_example: OpenExample) -> str:
    """The example, open."""
    return open_example("best_worst")


@pytest.fixture
def two_criteria(live_site: LiveSite, tmp_path: Path) -> str:
    """The example with a second criterion, words that fill a line and more, and two units a rater, open."""
    folder = tmp_path / "study"
    shutil.copytree(BASE_DIR / "examples" / "best_worst", folder)
    study = yaml.safe_load((folder / "study.yaml").read_text(encoding="utf-8"))
    study["study"]["slug"] = "best-worst-two"
    study["about"] |= ABOUT
    study["criteria"].append({"key": "lure", "name": "Lure", "question": "Which makes you want to read on?"})
    study["tasks"][0].update(criteria=["headline", "lure"], set_size=2)
    (folder / "study.yaml").write_text(yaml.safe_dump(study), encoding="utf-8")
    items = (folder / "items.csv").read_text(encoding="utf-8")
    (folder / "items.csv").write_text(LONG.join(items.split(" the ")), encoding="utf-8")
    live_site.manage("load_study", str(folder), "--owner", "researcher")
    return live_site.manage("move_study", "best-worst-two", "open", *AS_IT_IS).strip()


def radio(page: Page, end: str, letter: str) -> Locator:
    """Return the radio button of a text for one end."""
    return page.get_by_role("radio", name=f"{end} Text {letter}", exact=True)


def chosen(page: Page) -> list[str]:
    """Return the chosen answers, in the order of the page."""
    found = page.locator("input[data-end]:checked")
    return [f"{one.get_attribute('data-end')} {one.input_value()}" for one in found.all()]


@pytest.mark.exhaustive
def test_by_mouse_with_one_text_for_both_and_a_draft(page: Page, link: str) -> None:
    begin(page, link)
    accessible(page)
    assert chosen(page) == []
    send(page)
    expect(page.locator("fieldset [data-error]")).to_contain_text("choose a text for “Best” and another for “Worst”")
    accessible(page)
    page.locator("label", has=radio(page, "Best", "B")).click()
    expect(page.locator("fieldset [data-error]")).to_have_text(
        "“Which is the best headline for this news, and which is the worst?”: choose a text for “Worst”."
    )
    page.locator("label", has=radio(page, "Worst", "B")).click()
    assert chosen(page) == ["worst 2"]
    expect(page.locator("[data-status]")).to_contain_text("cannot be both. Now choose another one for “Best”")
    send(page)
    expect(page.locator("fieldset [data-error]")).to_have_text(
        "“Which is the best headline for this news, and which is the worst?”: choose a text for “Best”."
    )
    page.locator("label", has=radio(page, "Best", "D")).click()
    expect(page.locator("[data-wrong]")).to_have_count(0)
    expect(page.locator("[data-saved]")).to_have_text("Saved")
    page.reload()
    assert sorted(chosen(page)) == ["best 4", "worst 2"]
    send(page)
    at(page, 1)


@pytest.mark.exhaustive
def test_by_keyboard_alone(page: Page, link: str) -> None:
    begin(page, link)
    for done, keys in enumerate((("3", "1"), ("2", "2", "4"))):
        at(page, done)
        for key in keys:
            page.keyboard.press(key)
        expect(page.locator("input[data-end]:checked")).to_have_count(2)
        page.keyboard.press("Control+Enter")
    at(page, 2)
    for end, key in (("best", "ArrowDown"), ("worst", "ArrowUp")):
        press_until(page, lambda end=end: page.evaluate("document.activeElement.dataset.end") == end)
        page.keyboard.press(key)
    assert chosen(page) == ["worst 1", "best 2"]
    # One more, and the text is the best already: it cannot be both.
    page.keyboard.press("ArrowDown")
    assert chosen(page) == ["worst 2"]
    press_until(page, lambda: page.evaluate("document.activeElement.dataset.end") == "best", "Shift+Tab")
    page.keyboard.press("ArrowUp")
    expect(page.locator("input[data-end]:checked")).to_have_count(2)
    page.keyboard.press("Enter")
    at(page, 3)


@pytest.mark.exhaustive
def test_by_touch_on_a_phone_with_two_criteria(browser: Browser, live_site: LiveSite, two_criteria: str) -> None:
    with phone(browser, live_site) as page:
        begin(page, two_criteria)
        for done in range(2):
            at(page, done)
            fits(page)
            accessible(page)
            for number, group in enumerate(page.locator("fieldset[data-question]").all()):
                labels = group.locator("label")
                expect(labels).to_have_count(8)
                for label in (labels.nth(2 * number), labels.nth(5)):
                    box = label.bounding_box()
                    assert box is not None
                    assert box["height"] >= 44
                    label.tap()
            assert len(chosen(page)) == 4
            send(page)
        expect(page.get_by_role("heading", name="Thank you, you have finished")).to_be_visible()


@pytest.mark.exhaustive
def test_without_script_and_over_all_items(browser: Browser, live_site: LiveSite, open_example: OpenExample) -> None:
    params = {"of": "all", "size": 3, "appearances": 2, "best_word": "Most lively", "worst_word": "Least lively"}
    with without_script(browser, live_site) as page:
        begin(page, open_example("best_worst", params=params, set_size=1))
        expect(page.get_by_text("Source", exact=True)).to_have_count(0)
        radio(page, "Most lively", "A").check()
        radio(page, "Least lively", "A").check()
        send(page)
        expect(page.get_by_role("link", name="choose two different texts")).to_be_visible()
        assert chosen(page) == ["best 1", "worst 1"]
        radio(page, "Least lively", "C").check()
        send(page)
        expect(page.get_by_role("heading", name="Thank you, you have finished")).to_be_visible()
