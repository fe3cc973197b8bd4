"""Keys on the stage: letters of a ranking, digits of other keyboards, and words that an input method puts together."""

import json
from typing import Any

from playwright.sync_api import Page, expect

from tests.deviations import assert_each

PRESS = """(press) => {
    const target = document.activeElement ?? document.body;
    return target.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...press }));
}"""


def pressed(page: Page, **press: Any) -> bool:
    """Press a key as another keyboard does; return whether the page made use of it."""
    return not page.evaluate(PRESS, press)


def order(page: Page) -> str:
    """Return the letters of the texts that have a place, the best first."""
    rows = page.locator("[data-question]:visible [data-row][data-placed]")
    return "".join(rows.evaluate_all("(rows) => rows.map((row) => row.dataset.letter)"))


def test_the_letter_of_a_text_that_was_placed_as_the_last_keeps_it(page: Page) -> None:
    page.add_init_script("localStorage.clear()")  # No case begins with the draft of the one before.

    def check(typed: str, wanted: str) -> None:
        page.goto("/judge/?type=ranking&n=3")
        expect(page.locator("[data-ranking][data-sorted]")).to_be_visible()
        for key in typed.split():
            page.keyboard.press(key)
        assert order(page) == wanted

    cases = {
        "all letters": ("b a c", "BAC"),
        "without the last": ("b a", "BAC"),
        "a second time it is taken out": ("b a c c", "BA"),
        "after a step in between": ("b a ArrowUp c", "ABC"),
        "after the first was moved down": ("b a b b c", "BAC"),
        "taken back as one step": ("b a Control+z", "B"),
        "after a step back it is put as any other": ("b a Control+z c", "BCA"),
    }
    assert_each(check, ((name, {"typed": typed, "wanted": wanted}) for name, (typed, wanted) in cases.items()))


def test_digits_of_other_keyboards_answer_and_compositions_do_not(page: Page) -> None:
    page.goto("/judge/?points=5")
    chosen = page.locator("form[data-answer] input:checked")
    assert not pressed(page, key="2", code="Digit2", isComposing=True)
    assert not pressed(page, key="2", code="Digit2", keyCode=229)
    expect(chosen).to_have_count(0)
    assert pressed(page, key="é", code="Digit2")
    assert pressed(page, key="٤", code="Digit4")
    assert sorted(chosen.evaluate_all("(all) => all.map((one) => one.value)")) == ["2", "4"]
    assert not pressed(page, key="Enter", code="Enter", isComposing=True)
    assert pressed(page, key="Enter", code="Enter")
    expect(page.get_by_role("heading", name="Next text")).to_be_visible()


def test_digits_that_are_pressed_before_the_scripts_have_come_keep_their_place_on_the_keyboard(page: Page) -> None:
    early = [{"key": "&", "code": "Digit1"}, {"key": "3", "code": "Digit3", "isComposing": True}]
    page.add_init_script(f"""document.addEventListener('readystatechange', () => {{
        if (document.readyState === 'interactive') {{
            for (const press of {json.dumps(early)}) {{
                document.body.dispatchEvent(new KeyboardEvent('keydown', {{ bubbles: true, ...press }}));
            }}
        }}
    }}, {{ once: true }});""")
    page.goto("/judge/?points=5")
    chosen = page.locator("form[data-answer] input:checked")
    expect(chosen).to_have_count(1)
    expect(chosen).to_have_attribute("value", "1")
