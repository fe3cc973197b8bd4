"""What is wrong with where the words of a page stand: broken, clipped, over each other, on a line or off screen."""

from playwright.sync_api import FloatRect, Locator, Page, ViewportSize

# The widths at which every page is looked at: a phone, a small desk and a larger one.
WIDTHS = (390, 1280, 1440)

# Words of more letters than this may be broken: no column is that wide everywhere. So may addresses and code, and
# scripts that set no space between words; all these stand in elements of their own, or hold no letter of these scripts.
FAULTS = r"""() => {
    const LONGEST = 24, SLACK = 2;
    const WORD = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Nd}]{2,}/gu;
    const found = new Set();
    const name = (element) => {
        const about = element.closest("[id]")?.id ?? "";
        return `${element.tagName.toLowerCase()}${element.className?.baseVal ?? "." + element.className}`
            .replace(/\s+/g, ".").slice(0, 60) + (about ? ` in #${about}` : "");
    };
    const isUnseen = (element) => {
        for (let one = element; one && one !== document.body; one = one.parentElement) {
            const style = getComputedStyle(one);
            if (style.clipPath !== "none" && one.getBoundingClientRect().width <= 1) return true;
        }
        return false;
    };
    const shown = (element) => element.checkVisibility({opacityProperty: true, visibilityProperty: true}) &&
        !element.closest(".skip-link, noscript, script, style, option") && !isUnseen(element);
    const texts = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const node = walker.currentNode, element = node.parentElement;
        if (!node.data.trim() || !shown(element)) continue;
        const range = document.createRange();
        range.selectNodeContents(node);
        const boxes = [...range.getClientRects()].filter((box) => box.width > 1 && box.height > 1);
        if (boxes.length) texts.push({node, element, boxes});
    }
    const isScrolled = (element) => {
        for (let one = element; one; one = one.parentElement) {
            const style = getComputedStyle(one);
            if (/auto|scroll/.test(style.overflowX + style.overflowY) && one !== document.body &&
                one !== document.documentElement) return true;
        }
        return false;
    };
    // Layers of their own lie over other words on purpose: menus, bars that stay, dialogs.
    const layer = (element) => {
        for (let one = element; one; one = one.parentElement) {
            if (/fixed|sticky/.test(getComputedStyle(one).position) || one.matches("dialog, [popover]")) return one;
        }
        return null;
    };
    for (const {node, element, boxes} of texts) {
        if (!element.closest("svg, code, pre, textarea, bdi[dir], .judged, .fingerprint")) {
            for (const match of node.data.matchAll(WORD)) {
                if (match[0].length > LONGEST) continue;
                const word = document.createRange();
                word.setStart(node, match.index);
                word.setEnd(node, match.index + match[0].length);
                const lines = [...word.getClientRects()].filter((box) => box.width > 1);
                if (lines.some((box) => Math.abs(box.top - lines[0].top) > box.height / 2)) {
                    found.add(`broken within a word: “${match[0]}” (${name(element)})`);
                }
            }
        }
        for (let one = element; one && one !== document.body; one = one.parentElement) {
            const style = getComputedStyle(one);
            if (!/hidden|clip/.test(style.overflowX + style.overflowY)) continue;
            if (one.tagName === "svg" || isScrolled(one)) break;
            const edge = one.getBoundingClientRect();
            const cut = boxes.some((box) => box.left < edge.left - SLACK || box.right > edge.right + SLACK ||
                box.top < edge.top - box.height / 3 || box.bottom > edge.bottom + box.height / 3);
            if (cut) found.add(`clipped: “${node.data.trim().slice(0, 40)}” (${name(one)})`);
            break;
        }
    }
    const flat = texts.filter(({element}) => !isScrolled(element)).flatMap(({node, element, boxes}) =>
        boxes.map((box) => ({node, element, box, layer: layer(element)})));
    flat.sort((a, b) => a.box.top - b.box.top);
    for (let i = 0; i < flat.length; i += 1) {
        for (let j = i + 1; j < flat.length && flat[j].box.top < flat[i].box.bottom - SLACK; j += 1) {
            const [a, b] = [flat[i], flat[j]];
            if (a.node === b.node || a.layer !== b.layer) continue;
            const across = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
            // The lines of a paragraph are closer than their letters are high.
            const down = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
            if (across > SLACK && down > Math.min(a.box.height, b.box.height) * 0.4) {
                const words = [a, b].map(({node}) => `“${node.data.trim().slice(0, 30)}”`).join(" and ");
                found.add(`over each other: ${words} (${name(a.element)})`);
            }
        }
    }
    for (const label of document.querySelectorAll("svg text")) {
        // One with an edge of its own, in the colour of the ground, keeps lines away from its letters.
        if (!shown(label) || !label.textContent.trim() || getComputedStyle(label).stroke !== "none") continue;
        const box = label.getBoundingClientRect();
        for (const line of label.closest("svg").querySelectorAll("line")) {
            // Lines of a grid are faint, and lie behind everything.
            if (line.closest(".grid, [class*=grid]") || getComputedStyle(line).stroke === "none") continue;
            const at = line.getBoundingClientRect();
            const inside = (low, high, from, to) => Math.min(high, to) - Math.max(low, from);
            const across = inside(box.left, box.right, at.left, at.right || at.left + 1);
            const down = inside(box.top, box.bottom, at.top, at.bottom || at.top + 1);
            const upright = at.width <= 2, flat = at.height <= 2;
            if ((upright && across >= 0 && down > box.height * 0.3) ||
                (flat && across > 2 && down >= 0 && at.top < box.bottom - box.height * 0.25 &&
                 at.top > box.top + box.height * 0.2)) {
                found.add(`on a line: “${label.textContent.trim().slice(0, 30)}” (${name(label)})`);
            }
        }
    }
    const root = document.documentElement;
    if (root.scrollWidth > root.clientWidth + 1) {
        const wide = texts.find(({element, boxes}) => !isScrolled(element) &&
            boxes.some((box) => box.right > root.clientWidth + 1 || box.left < -1));
        found.add(`the page scrolls sideways${wide ? `: “${wide.node.data.trim().slice(0, 40)}”` : ""}`);
    }
    return [...found];
}"""


def faults(page: Page) -> list[str]:
    """Return the faults in the words of a page at its present width."""
    found: list[str] = page.evaluate(FAULTS)
    return found


def box_of(element: Locator) -> FloatRect:
    """Return where an element stands on the page, in pixels; it must be shown."""
    box = element.bounding_box()
    assert box is not None, "it is not shown"
    return box


def faults_at(page: Page, widths: tuple[int, ...] = WIDTHS) -> dict[int, list[str]]:
    """Return the faults of a page at each of some widths that has any; the page has its width again afterwards."""
    size = page.viewport_size
    found = {}
    for width in widths:
        page.set_viewport_size({"width": width, "height": 900})
        if wrong := faults(page):
            found[width] = wrong
    if size is not None:
        page.set_viewport_size(ViewportSize(width=size["width"], height=size["height"]))
    return found
