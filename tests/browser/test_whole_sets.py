"""A whole set of every task type, finished by keyboard alone and by touch alone, from the first text to the thanks."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, expect

from tasks_app.task_types import registry
from tests.browser.kit import begin, phone
from tests.look.walks import Keyboard, Touch
from tests.servers import LiveSite

OpenExample = Callable[..., str]
# Sets of two screens, but where a rater of an example may only have one.
SETS: dict[str, dict[str, int]] = {"questionnaire": {}, "triangle": {"set_size": 1, "spacing": 0}}


def finish(page: Page, answer: Callable[[], int]) -> int:
    """Answer one screen after the other until the rater is thanked; return how many there were."""
    screens = 0
    form, end = page.locator("form[data-answer]"), page.get_by_role("heading", name="Thank you, you have finished")
    while True:
        expect(form.or_(end).first).to_be_visible()
        if end.is_visible():
            return screens
        page.wait_for_load_state()
        number = form.locator("[name$=submission]").first.input_value()
        answer()
        screens += 1
        expect(page.locator(f"[name$=submission][value='{number}']")).to_have_count(0)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", registry)
def test_a_whole_set_by_keyboard_alone_and_by_touch_alone(
    page: Page, browser: Browser, live_site: LiveSite, open_example: OpenExample, name: str
) -> None:
    link = open_example(name, **SETS.get(name, {"set_size": 2, "spacing": 0}))
    begin(page, link)
    by_keyboard = finish(page, lambda: Keyboard(page).answer())
    with phone(browser, live_site) as touched:
        begin(touched, link)
        by_touch = finish(touched, lambda: Touch(touched).answer())
    assert by_keyboard == by_touch > 0
