"""What key presses mean on French, Arabic, Persian and Cyrillic keyboards, on number pads and within a composition."""

import json

import pytest
from playwright.sync_api import Page

from tests.js.test_pure import run

DIGITS = [
    ({"key": "3", "code": "Digit3"}, "3"),
    ({"key": "0", "code": "Digit0"}, "0"),
    ({"key": "&", "code": "Digit1"}, "1"),  # French, without Shift
    ({"key": "1", "code": "Digit1", "shiftKey": True}, "1"),  # French, with Shift
    ({"key": "à", "code": "Digit0"}, "0"),
    ({"key": "ě", "code": "Digit2"}, "2"),  # Czech
    ({"key": "٣", "code": "Digit3"}, "3"),  # Arabic
    ({"key": "۷", "code": "Digit7"}, "7"),  # Persian
    ({"key": "５", "code": "Digit5"}, "5"),  # full width
    ({"key": "4", "code": "Numpad4"}, "4"),
    ({"key": "٤", "code": "Numpad4"}, "4"),
    ({"key": "4"}, "4"),  # without a code, as from a keyboard on a screen
    ({"key": "!", "code": "Digit1", "shiftKey": True}, None),
    ({"key": "@", "code": "Digit0", "modifierAltGraph": True}, None),  # French, with AltGr
    ({"key": "End", "code": "Numpad1"}, None),  # a number pad that moves the cursor
    ({"key": "a", "code": "Digit1"}, None),
    ({"key": "+", "code": "NumpadAdd"}, None),
    ({"key": "Dead", "code": "Digit2"}, None),
    ({"key": "F1", "code": "F1"}, None),
    ({"key": "1", "code": "Digit1", "isComposing": True}, None),
    ({"key": "1", "code": "Digit1", "keyCode": 229}, None),
]
LETTERS = [
    ({"key": "b", "code": "KeyB"}, "B"),
    ({"key": "q", "code": "KeyA"}, "Q"),  # French
    ({"key": "и", "code": "KeyB"}, "B"),  # Russian
    ({"key": "ش", "code": "KeyA"}, "A"),  # Arabic
    ({"key": "Enter", "code": "Enter"}, ""),
    ({"key": "b", "code": "KeyB", "isComposing": True}, ""),
    ({"key": "b", "code": "KeyB", "keyCode": 229}, ""),
]


@pytest.mark.parametrize(("function", "cases"), [("digitOf", DIGITS), ("letterOf", LETTERS)])
def test_what_a_press_means(blank: Page, function: str, cases: list[tuple[dict[str, object], str | None]]) -> None:
    presses = json.dumps([press for press, _meaning in cases])
    body = f"return {presses}.map((press) => it.{function}(new KeyboardEvent('keydown', press)));"
    said = run(blank, "core/typed.js", body)
    assert list(zip([press for press, _meaning in cases], said, strict=True)) == cases


def test_marking_hears_the_same_keys(blank: Page) -> None:
    presses = [
        {"key": "é", "code": "Digit2"},
        {"key": "٢", "code": "Digit2"},
        {"key": "ь", "code": "KeyM"},
        {"key": "2", "code": "Digit2", "isComposing": True},
        {"key": "Enter", "code": "Enter", "keyCode": 229},
    ]
    body = f"""return {json.dumps(presses)}.map((press) => {{
        const found = it.commandOf(new KeyboardEvent('keydown', press));
        return found && Object.values(found).join(' ');
    }});"""
    assert run(blank, "task_types/error_spans/model.js", body) == ["severity 2", "severity 2", "category m", None, None]
