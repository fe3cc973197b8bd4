"""What a screen reader says of one unit of each type, and where it lands after an answer was sent."""

from pathlib import Path

from playwright.sync_api import Page, expect

from tests.deviations import assert_each
from tests.look.heard import Tree
from tests.look.stage import Stage
from tests.shipped import TASK_TYPES

# One file for each type that evalweb ships: read them aloud before you change them.
LISTS = Path(__file__).parent / "heard_lists"


def opened(page: Page, address: str) -> None:
    """Open a page of judging, without the drafts of another."""
    page.goto("/done/")
    page.evaluate("localStorage.clear(); sessionStorage.clear()")
    page.goto(address)
    page.wait_for_load_state()


def test_one_unit_of_each_type_is_heard_in_its_order(page: Page) -> None:
    assert {file.stem for file in LISTS.glob("*.txt")} == {*TASK_TYPES}

    def check(name: str) -> None:
        opened(page, f"/judge/?sample&type={name}")
        heard = Tree(page).lines()
        assert heard == (LISTS / f"{name}.txt").read_text(encoding="utf-8").splitlines(), "\n".join(heard)
        # Whatever the lists say: no stop before the first heading, no question without a state that says it is needed.
        assert heard[0].startswith("heading 1: ")
        sliders = [line for line in heard if line.startswith("slider")]
        assert all("Answer required." in line for line in sliders)

    assert_each(check, ((name, {"name": name}) for name in TASK_TYPES))


def test_after_sending_the_next_page_says_what_was_saved_and_where_it_is(page: Page, stage: Stage) -> None:
    page.goto("/judge/?n=1&then=/judge/?n=2")
    expect(page).to_have_title("Text 13 of 40 · How do these texts read?")
    expect(page.get_by_role("status")).to_be_empty()
    assert page.evaluate("document.activeElement === document.body")
    for _question in range(2):
        page.keyboard.press("3")
    page.keyboard.press("Control+Enter")
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_have_text("Screen 13 of 40")
    expect(heading).to_be_focused()
    expect(page).to_have_title("Screen 13 of 40 · How do these texts read?")
    expect(page.get_by_role("status")).to_have_text("Saved. Screen 13 of 40")
    assert len(stage.posts) == 1
    # Keys work from there, and the first stop is the text's own, not one of the bars.
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('main') !== null")
    page.reload()
    assert page.evaluate("document.activeElement === document.body")
