"""The catalogue in a real browser: every type's page works, and its sample can be answered."""

from playwright.sync_api import Page, expect

from tasks_app.task_types import registry
from tests import extent
from tests.axe import schemes, violations
from tests.deviations import assert_each
from tests.look.test_access import SHAPES

# Questions, and groups of controls in them, that must be answered and do not say so to whoever has the page read aloud.
UNSAID = """() => {
    const says = (one) => one.ariaRequired === "true" || one.getAttribute("aria-describedby")?.split(" ")
        .some((id) => id.endsWith("-needed") && document.getElementById(id)?.textContent.trim());
    return [...document.querySelectorAll("[data-question]:not([data-optional])")].flatMap((question) => {
        const groups = [...question.querySelectorAll("fieldset:not([data-may]), [role=radiogroup]:not([data-may])")];
        return [...groups.filter((group) => !says(group)),
            ...([question, ...question.querySelectorAll("*")].some(says) ? [] : [question])];
    }).map((one) => one.outerHTML.slice(0, 300));
}"""


def test_the_page_of_each_type_is_accessible_fits_a_phone_and_no_script_breaks(
    page: Page, complaints: list[str]
) -> None:
    def check(name: str) -> None:
        page.set_viewport_size({"width": 1280, "height": 860})
        page.goto(f"/task-types/{name}/")
        if name == "comprehension":  # Nothing can be sent before the text was read.
            page.get_by_role("button", name="I have read it").first.click()
        expect(page.get_by_role("button", name="Show what would be stored")).to_be_visible()
        # The same unit is shown in many states, so its landmarks have the same names.
        # Below the screen, the pages of all types have the same tables.
        is_whole = extent.is_exhaustive() or name in SHAPES
        found = violations(page, schemes()[0], None if is_whole else "#try")
        found.pop("landmark-unique", None)
        assert found == {}
        assert page.evaluate(UNSAID) == []
        page.set_viewport_size({"width": 390, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert complaints == []

    assert_each(check, ((name, {"name": name}) for name in registry))


def test_a_sample_is_answered_with_keys_and_says_what_would_be_stored(page: Page) -> None:
    page.goto("/task-types/likert/")
    page.get_by_role("button", name="Show what would be stored").click()
    expect(page.locator("form[data-answer] [data-error]:visible")).to_have_count(2)
    page.keyboard.press("4")
    page.keyboard.press("2")
    page.keyboard.press("Control+Enter")
    notice = page.get_by_role("status").filter(has_text="Here nothing is stored")
    expect(notice).to_be_visible()
    rows = notice.get_by_role("row").all_inner_texts()
    assert sorted(row.split("\t")[:3] for row in rows[1:]) in (
        [["content", "1", "2"], ["fluency", "1", "4"]],
        [["content", "1", "4"], ["fluency", "1", "2"]],
    )
    expect(page.locator("form[data-answer] input:checked")).to_have_count(2)
