"""What axe-core finds wrong on a page."""

from __future__ import annotations

from typing import Any, Literal

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

from tests import extent

# What the colours of a theme can break. The other rules read the document, which is the same in light and dark.
RULES_ABOUT_COLOURS = ("color-contrast", "link-in-text-block")

RUN = "([within, options]) => axe.run(within ?? document, options).then((found) => found.violations)"

# Most of axe's time goes into the colours of every word on a page. Words of one size and weight, in one colour on the
# same layers of colours, look the same: three of each are looked at, the first, the middle and the last.
RUN_ON_WORDS = """async ([within, options]) => {
    const layers = new Map();
    const layersOf = (element) => {
        if (!element) return "";
        if (!layers.has(element)) {
            const style = getComputedStyle(element);
            layers.set(element, [layersOf(element.parentElement), style.backgroundColor, style.backgroundImage,
                style.opacity, style.filter, style.mixBlendMode, style.position, style.clip, style.clipPath].join());
        }
        return layers.get(element);
    };
    const named = new Set([...document.querySelectorAll("[aria-labelledby]")].flatMap(
        (element) => element.getAttribute("aria-labelledby").split(" ")));
    const hasWords = (element) => element.matches("input, select, textarea") ||
        [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
    const alike = new Map();
    for (const root of document.querySelectorAll(within ?? "html")) {
        for (const element of [root, ...root.querySelectorAll("*")]) {
            if (!hasWords(element)) continue;
            if (!element.checkVisibility({opacityProperty: true, visibilityProperty: true})) continue;
            const style = getComputedStyle(element);
            const key = [layersOf(element), style.color, style.fontSize, style.fontWeight, style.textShadow,
                element.matches("input, select, textarea") && element.tagName,
                named.has(element.id) && element.id,
                element.closest(":disabled, [aria-disabled=true]") !== null,
                element.closest("label")?.control?.disabled,
                element.matches("a[href]") && [style.textDecorationLine, style.borderBottomWidth,
                    getComputedStyle(element.parentElement).color]].join();
            if (!alike.has(key)) alike.set(key, []);
            alike.get(key).push(element);
        }
    }
    const include = new Set([...alike.values()].flatMap((all) => [all[0], all[all.length >> 1], all.at(-1)]));
    return include.size ? (await axe.run({include: [...include]}, options)).violations : [];
}"""


def violations(page: Page, scheme: Literal["light", "dark"], within: str | None = None) -> dict[str, str]:
    """Return the rules a page breaks, each with the first element that breaks it; colours do not fade meanwhile.

    Every rule is tried in light, those about colours alone in dark, and of words that look the same three are tried
    for their colours; an exhaustive run tries everything.
    """
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(AXE_SCRIPT)
    if extent.is_exhaustive():
        return _violations(page, RUN, within)
    found = _violations(page, RUN_ON_WORDS, within, runOnly=RULES_ABOUT_COLOURS)
    if scheme == "light":
        found |= _violations(page, RUN, within, rules={rule: {"enabled": False} for rule in RULES_ABOUT_COLOURS})
    return found


def _violations(page: Page, script: str, within: str | None, **options: Any) -> dict[str, str]:
    # What is right need not be described, which takes longer than to look.
    violations: list[dict[str, Any]] = page.evaluate(script, [within, {"resultTypes": ["violations"], **options}])
    return {violation["id"]: violation["nodes"][0]["html"] for violation in violations}
