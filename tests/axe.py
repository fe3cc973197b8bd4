"""What axe-core finds wrong on a page."""

from __future__ import annotations

from typing import Any, Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

# What a change of colours alone can change.
COLOURS = ("color-contrast", "link-in-text-block")


def violations(
    page: Page, scheme: Literal["light", "dark"], within: str | None = None, rules: tuple[str, ...] = ()
) -> dict[str, str]:
    """Return the rules that a page breaks, each with the first element that breaks it; colours do not fade meanwhile.

    All rules that axe-core has switched on, or the ones that are named.
    """
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    # What is right need not be described, which takes longer than to look.
    options: dict[str, Any] = {"resultTypes": ["violations"]} | ({"runOnly": list(rules)} if rules else {})
    found = Axe().run(page, context=within, options=options).response["violations"]
    return {one["id"]: one["nodes"][0]["html"] for one in found}
