"""What axe-core finds wrong on a page."""

from __future__ import annotations

from typing import Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page


def violations(page: Page, scheme: Literal["light", "dark"], within: str | None = None) -> dict[str, str]:
    """Return the rules a page breaks, each with the first element that breaks it; colours do not fade meanwhile."""
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    # What is right need not be described, which takes longer than to look.
    found = Axe().run(page, context=within, options={"resultTypes": ["violations"]}).response["violations"]
    return {one["id"]: one["nodes"][0]["html"] for one in found}
