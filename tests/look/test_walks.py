"""A screen of every task type is answered by keyboard alone, and by touch alone where no control shows a key."""

import re

from playwright.sync_api import Browser, Page, expect

from evalweb.local_services.folder import BASE_DIR
from tasks_app.task_types import registry
from tests import extent
from tests.browsing import shared_page
from tests.deviations import assert_each
from tests.look.stage import Stage
from tests.look.walks import Keyboard, Touch

PHONE = {"width": 390, "height": 844}
CASES = tuple((name, {"name": name}) for name in registry)
# Fingers reach the types that tests/js does not drive; in an exhaustive run, all of them.
WITHOUT_TESTS_OF_SCRIPTS = tuple(
    (name, case) for name, case in CASES if not (BASE_DIR / "tests" / "js" / f"test_{name}.py").exists()
)


def table() -> dict[str, tuple[int, int]]:
    """Return the keys and taps that the table in docs/testing.md names, by type."""
    text = (BASE_DIR / "docs" / "testing.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (\d+) \| (\d+) \|", text, re.MULTILINE)
    return {name: (int(keys), int(taps)) for name, keys, taps in rows}


def sent(page: Page) -> None:
    """Wait until the answer was taken."""
    expect(page.get_by_role("heading", name="Next text")).to_be_visible()


def test_every_type_is_answered_by_keyboard_alone(page: Page, stage: Stage) -> None:
    def check(name: str) -> None:
        page.goto(f"/judge/?type={name}&sample=1")
        keys = Keyboard(page).answer()
        sent(page)
        assert keys == table()[name][0], "docs/testing.md names another number of keys"

    assert_each(check, CASES)
    assert len(stage.posts) == len(registry)


def test_every_type_is_answered_by_touch_alone_without_keys_on_controls(browser: Browser, stage: Stage) -> None:
    def check(name: str, page: Page) -> None:
        page.goto(f"/judge/?type={name}&sample=1")
        # Also once a key was pressed, as the keyboard on a screen may do.
        page.evaluate("document.documentElement.dataset.keyboard = ''")
        shown = page.locator("kbd[aria-hidden]").evaluate_all(
            "(all) => all.filter((one) => one.checkVisibility()).length"
        )
        assert shown == 0
        taps = Touch(page).answer()
        sent(page)
        assert taps == table()[name][1], "docs/testing.md names another number of taps"

    options = {"has_touch": True, "is_mobile": True, "locale": "en-GB", "viewport": PHONE}
    with shared_page(browser, stage.url, **options) as page:
        assert_each(lambda name: check(name, page), CASES if extent.is_exhaustive() else WITHOUT_TESTS_OF_SCRIPTS)
