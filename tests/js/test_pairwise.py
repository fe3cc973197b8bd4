"""What a comparison still waits for."""

import pytest
from playwright.sync_api import Page

from tests.js.test_pure import run


@pytest.mark.parametrize(
    ("chosen", "side", "strength", "waits"),
    [
        ("false", "false", "false", "better"),
        ("false", "false", "true", "better"),
        ("true", "true", "false", "strength"),
        ("true", "true", "true", ""),
        # Where neither text is better, it cannot be asked how much; what was said before does not count.
        ("true", "false", "false", ""),
        ("true", "false", "true", ""),
    ],
)
def test_how_much_better_is_needed_only_where_a_text_is(
    blank: Page, chosen: str, side: str, strength: str, waits: str
) -> None:
    body = f"return it.waitsFor({{ chosen: {chosen}, side: {side}, strength: {strength} }});"
    assert run(blank, "task_types/pairwise.js", body) == waits
