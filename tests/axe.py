"""What axe-core finds wrong on a page."""

from __future__ import annotations

from typing import Any, Literal

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

from tests import extent

# What the colours of a theme can break. The other rules read the document, which is the same in light and dark.
RULES_ABOUT_COLOURS = ("color-contrast", "link-in-text-block")
RUN = "([within, options]) => axe.run(within ?? document, options).then((found) => found.violations)"


def violations(page: Page, scheme: Literal["light", "dark"], within: str | None = None) -> dict[str, str]:
    """Return the rules a page breaks, each with the first element that breaks it; colours do not fade meanwhile.

    Every rule is tried in light, those about colours alone in dark, but in an exhaustive run.
    """
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    # What is right need not be described, which takes longer than to look.
    options: dict[str, Any] = {"resultTypes": ["violations"]}
    if scheme == "dark" and not extent.is_exhaustive():
        options["runOnly"] = list(RULES_ABOUT_COLOURS)
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(AXE_SCRIPT)
    found: list[dict[str, Any]] = page.evaluate(RUN, [within, options])
    return {one["id"]: one["nodes"][0]["html"] for one in found}
