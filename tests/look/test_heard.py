"""What a screen reader says of one unit of each type, and where it lands after an answer was sent."""

from collections.abc import Callable, Mapping
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.deviations import assert_each
from tests.look.heard import Tree
from tests.look.stage import Stage
from tests.shipped import TASK_TYPES

# One file for each type that evalweb ships: read them aloud before you change them.
LISTS = Path(__file__).parent / "heard_lists"


def skipped_levels(heard: list[str]) -> list[str]:
    """Return the headings that stand more than one level below the heading before them."""
    headings = [line for line in heard if line.startswith("heading ")]
    levels = [int(line.removeprefix("heading ")[0]) for line in headings]
    return [line for line, above, level in zip(headings[1:], levels, levels[1:], strict=False) if level > above + 1]


def read(page: Page) -> None:
    """Say that the text has been read."""
    page.get_by_role("button", name="I have read it").click()
    expect(page.get_by_role("radio").first).to_be_visible()


def edited(page: Page) -> None:
    """Choose the first suggestion, and put a word before it."""
    page.keyboard.press("1")
    page.keyboard.press("Control+Home")
    page.keyboard.type("Sorry: ")
    expect(page.locator("[data-count]:visible")).to_have_text("Words added: 1. Words removed: 0.")


def ranked(page: Page) -> None:
    """Give both texts of the first question their places."""
    page.keyboard.press("b")
    expect(page.locator("[data-placed]:visible")).to_have_count(2)


# What raters do on screens that say something else afterwards: the lists in LISTS/after are of then.
DONE: Mapping[str, Callable[[Page], None]] = {"comprehension": read, "post_edit": edited, "ranking": ranked}


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
        assert not skipped_levels(heard)
        sliders = [line for line in heard if line.startswith("slider")]
        assert all("Answer required." in line for line in sliders)

    assert_each(check, ((name, {"name": name}) for name in TASK_TYPES))


def test_a_screen_that_has_changed_is_heard_as_it_stands_then(page: Page) -> None:
    assert {file.stem for file in (LISTS / "after").glob("*.txt")} == {*DONE}

    def check(name: str) -> None:
        opened(page, f"/judge/?sample&type={name}")
        DONE[name](page)
        heard = Tree(page).lines()
        assert not skipped_levels(heard)
        assert heard == (LISTS / "after" / f"{name}.txt").read_text(encoding="utf-8").splitlines(), "\n".join(heard)

    assert_each(check, ((name, {"name": name}) for name in DONE))


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
