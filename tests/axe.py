"""What axe-core finds wrong on a page."""

import os
from binascii import crc32
from typing import Any, Literal

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

from tests import extent

Scheme = Literal["light", "dark"]
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
# What the colours of a theme can break. The other rules read the document, which is the same in light and dark.
RULES_ABOUT_COLOURS = ("color-contrast", "link-in-text-block")

RUN = "([within, options]) => axe.run(within ?? document, options).then((found) => found.violations)"

# Most of axe's time goes into the colours of every word on a page. Words of one size and weight, in one colour on the
# same layers of colours, look the same: three of each look are looked at, the first, the middle and the last, on the
# first page of this process that has it. Leaves them in the page, and returns their looks.
NEW_LOOKS = """([within, known]) => {
    const NO_LAYER = "rgba(0, 0, 0, 0),none,1,none,normal,static,auto,none";
    const layers = new Map();
    const layersOf = (element) => {
        if (!element) return "";
        if (!layers.has(element)) {
            const style = getComputedStyle(element);
            const own = [style.backgroundColor, style.backgroundImage, style.opacity, style.filter, style.mixBlendMode,
                style.position.replace("relative", "static"), style.clip, style.clipPath].join();
            layers.set(element, layersOf(element.parentElement) + (own === NO_LAYER ? "" : `/${own}`));
        }
        return layers.get(element);
    };
    const OFF = ":disabled, [aria-disabled=true]";
    const namesOfOff = new Set([...document.querySelectorAll("[aria-labelledby]")].filter(
        (element) => element.closest(OFF)).flatMap((element) => element.getAttribute("aria-labelledby").split(" ")));
    const isWords = (node) => node.nodeType === Node.TEXT_NODE && node.data.trim();
    const hasWords = (element) => element.matches("input, select, textarea") || [...element.childNodes].some(isWords);
    const standsAmongWords = (link) => {
        let block = link.parentElement;
        while (getComputedStyle(block).display === "inline") block = block.parentElement;
        const nodes = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
        while (nodes.nextNode()) {
            if (isWords(nodes.currentNode) && !nodes.currentNode.parentElement.closest("a[href]")) return true;
        }
        return false;
    };
    const digest = (text) => {
        let [low, high] = [0xdeadbeef, 0x41c6ce57];
        for (let i = 0; i < text.length; i += 1) {
            low = Math.imul(low ^ text.charCodeAt(i), 2654435761);
            high = Math.imul(high ^ text.charCodeAt(i), 1597334677);
        }
        return `${low >>> 0}-${high >>> 0}`;
    };
    const alike = new Map();
    for (const root of document.querySelectorAll(within ?? "html")) {
        for (const element of [root, ...root.querySelectorAll("*")]) {
            if (!hasWords(element)) continue;
            if (!element.checkVisibility({opacityProperty: true, visibilityProperty: true})) continue;
            const style = getComputedStyle(element);
            const look = [layersOf(element), style.color, style.fontSize, style.fontWeight, style.textShadow,
                element.matches("input, select, textarea") && element.tagName,
                namesOfOff.has(element.id),
                element.closest(OFF) !== null,
                element.closest("label")?.control?.disabled === true,
                element.matches("a[href]") && [style.textDecorationLine, style.borderBottomWidth,
                    getComputedStyle(element.parentElement).color, standsAmongWords(element)]].join();
            if (!alike.has(look)) alike.set(look, []);
            alike.get(look).push(element);
        }
    }
    const met = new Set(known);
    window.wordsOfNewLooks = new Set();
    const looks = [];
    for (const [look, all] of alike) {
        if (met.has(digest(look))) continue;
        looks.push(digest(look));
        for (const element of [all[0], all[all.length >> 1], all.at(-1)]) window.wordsOfNewLooks.add(element);
    }
    return looks;
}"""
RUN_ON_WORDS = """([_within, options]) =>
    axe.run({include: [...window.wordsOfNewLooks]}, options).then((found) => found.violations)"""

# The frame of researchers' pages asks for the scheme once, when it is loaded, and then keeps to a class.
PUT_ON = """(scheme) => {
    if (!document.documentElement.hasAttribute("x-data")) return;
    document.documentElement.classList.remove("light", "dark");
    document.documentElement.classList.add(scheme);
}"""

# A fade that began before is ended, since its colours on the way have no contrast to be held to.
END_FADES = """() => {
    for (const fade of document.getAnimations()) {
        if (fade.effect.getComputedTiming().endTime === Infinity) fade.cancel();
        else fade.finish();
    }
}"""

# The looks that this process has met without a complaint.
_known: set[str] = set()
# The test that looks at pages, and how many of them it has looked at.
_turns: dict[str, int] = {}


def schemes() -> tuple[Scheme, ...]:
    """Return the themes in which the next page is looked at: one, by turns, and both in an exhaustive run.

    The first page of a test has the theme that its name decides, so that a test does the same when it runs alone.
    """
    if extent.is_exhaustive():
        return SCHEMES
    test = os.environ["PYTEST_CURRENT_TEST"].partition(" ")[0]
    _turns[test] = _turns.get(test, crc32(test.encode())) + 1
    return (SCHEMES[_turns[test] % len(SCHEMES)],)


def violations(page: Page, scheme: Scheme, within: str | None = None) -> dict[str, str]:
    """Return the rules a page breaks, each with the first element that breaks it; colours do not fade meanwhile.

    Of words that look the same three are tried for their colours, unless an earlier page had words of that look and
    nothing was wrong with its colours; an exhaustive run tries every word.
    """
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.evaluate(PUT_ON, scheme)
    page.evaluate(END_FADES)
    if extent.is_exhaustive():
        return _violations(page, RUN, within)
    found: dict[str, str] = {}
    if looks := page.evaluate(NEW_LOOKS, [within, list(_known)]):
        found = _violations(page, RUN_ON_WORDS, within, runOnly=RULES_ABOUT_COLOURS)
        if not found:
            _known.update(looks)
    return found | _violations(page, RUN, within, rules={rule: {"enabled": False} for rule in RULES_ABOUT_COLOURS})


def _violations(page: Page, script: str, within: str | None, **options: Any) -> dict[str, str]:
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(AXE_SCRIPT)
    # What is right need not be described, which takes longer than to look. Of the two rules that read style sheets and
    # media in advance, which takes a fifth of the time, one is off unless it is named, and one never finds a violation.
    # Frames have no axe of their own to answer, and each would be waited for.
    settled = {"resultTypes": ["violations"], "preload": False, "iframes": False, **options}
    violations: list[dict[str, Any]] = page.evaluate(script, [within, settled])
    return {violation["id"]: violation["nodes"][0]["html"] for violation in violations}
