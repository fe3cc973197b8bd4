"""Small and magnified pages, both directions of writing, wide spacing, and long texts."""

from collections.abc import Iterator

import pytest
from django.conf import settings
from playwright.sync_api import Browser, Page, ViewportSize, expect

from tasks_app.task_types import registry
from tests import extent
from tests.deviations import assert_each
from tests.layout import box_of, faults
from tests.look.stage import Stage

# The types that have every shape of a screen between them: steps below a text, texts side by side, words to mark, a
# question at a time, texts in an order. An exhaustive run looks at all types.
SHAPES = ("likert", "pairwise", "error_spans", "questionnaire", "ranking")


def types() -> tuple[tuple[str, dict[str, str]], ...]:
    """Return the types whose screens are looked at, as cases of a check."""
    return tuple((name, {"name": name}) for name in (registry if extent.is_exhaustive() else SHAPES))


# 1,280 pixels at 400 %.
MAGNIFIED: ViewportSize = {"width": 320, "height": 256}
PHONE: ViewportSize = {"width": 390, "height": 844}
DESK: ViewportSize = {"width": 1280, "height": 860}

# Boxes whose text is cut or scrolls, and what takes a share of the height for itself.
TAKEN = """() => [...document.querySelectorAll("body *")].filter((one) => one.checkVisibility() &&
    !one.closest(".visually-hidden, .ranking-text .text-head")).flatMap((one) => {
    const style = getComputedStyle(one);
    const isCut = /hidden|clip|auto|scroll/.test(style.overflowY) && one.textContent.trim() && one.clientWidth > 2 &&
        one.scrollHeight > one.clientHeight + 1;
    const stays = /sticky|fixed/.test(style.position) && one.getBoundingClientRect().height > innerHeight / 4 &&
        !one.matches(".spans-live");
    return [...(isCut ? [`cut: ${one.className}`] : []), ...(stays ? [`stays: ${one.className}`] : [])];
})"""

# Texts whose last sign does not stand at their end, as they are written.
TURNED = """() => {
    const found = [], walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const node = walker.currentNode, text = node.data.trimEnd();
        const first = text.match(/\\p{L}/u), isArabic = first && /\\p{Script=Arabic}/u.test(first[0]);
        if (!/\\p{L}[.?!؟:]$/u.test(text) || !node.parentElement.checkVisibility() ||
            node.parentElement.closest(".visually-hidden")) continue;
        const boxOf = (at) => {
            const range = document.createRange();
            range.setStart(node, at);
            range.setEnd(node, at + 1);
            return range.getBoundingClientRect();
        };
        const [last, before] = [boxOf(text.length - 1), boxOf(text.length - 2)];
        if (last.width < 1 || last.top !== before.top) continue;
        if (isArabic ? last.left > before.left : last.left < before.left) found.push(text);
    }
    return found;
}"""


# Controls of the bars that move the page, scrolled to a place, when they take the focus.
MOVED = """(place) => [...document.querySelectorAll(".top *, .foot *")].filter((one) => {
    scrollTo({top: place});
    one.focus();
    return one === document.activeElement && scrollY !== place;
}).map((one) => one.textContent.trim())"""

# Controls of the page that lie under a bar once they took the focus, coming from above and from below.
COVERED = """() => {
    const [top, foot] = [".top", ".foot"].map((name) => document.querySelector(name));
    const all = [...document.querySelectorAll("main :is(a, button, input, summary, textarea)")];
    return [0, document.documentElement.scrollHeight].flatMap((place) => all.filter((one) => {
        scrollTo({top: place});
        one.focus();
        const box = (one.closest("label") ?? one).getBoundingClientRect();
        return one === document.activeElement &&
            (box.top < top.getBoundingClientRect().bottom || box.bottom > foot.getBoundingClientRect().top);
    })).map((one) => one.outerHTML);
}"""


# How much of an element's words is shown within it, from 0 to 1.
SHOWN_OF_WORDS = """(one) => {
    const range = document.createRange();
    range.selectNodeContents(one);
    const [words, box] = [range.getBoundingClientRect(), one.getBoundingClientRect()];
    const within = (low, high) => Math.max(0, Math.min(words[high], box[high]) - Math.max(words[low], box[low]));
    const shown = (within("left", "right") * within("top", "bottom")) / (words.width * words.height);
    return Math.round(shown * 100) / 100;
}"""


def cut(page: Page) -> list[str]:
    """Return the boxes of a page whose text is cut or scrolls."""
    return [one for one in page.evaluate(TAKEN) if one.startswith("cut")]


def test_nothing_is_cut_at_400_percent_nor_on_a_phone(page: Page) -> None:
    def check(name: str) -> None:
        page.set_viewport_size(MAGNIFIED)
        page.goto(f"/judge/?sample&type={name}")
        page.wait_for_load_state()
        assert page.evaluate(TAKEN) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= MAGNIFIED["width"]
        assert faults(page) == []
        page.set_viewport_size(PHONE)
        assert cut(page) == []

    assert_each(check, types())


def test_source_and_reference_stay_in_view_whole_or_not_at_all(page: Page) -> None:
    """Magnitudes on a phone: a reference of a line stays, one of forty goes with the page."""
    page.set_viewport_size(PHONE)
    page.goto("/judge/?sample&type=magnitude")
    both = page.locator("[data-pinned]")
    expect(both).to_have_css("position", "sticky")
    assert cut(page) == []
    page.locator("[data-reference] .judged").evaluate("(one) => (one.textContent = one.textContent.repeat(40))")
    expect(both).to_have_css("position", "static")
    assert cut(page) == []


@pytest.mark.parametrize("ui", ["ar", pytest.param("en", marks=pytest.mark.exhaustive)])
def test_each_text_runs_as_it_is_written_in_a_frame_of_the_raters_language(page: Page, ui: str) -> None:
    """An English study with Arabic texts, read by who has the page in Arabic, and in English."""

    def check(name: str) -> None:
        page.goto(f"/judge/?sample&type={name}&text=ar&ui={ui}")
        page.wait_for_load_state()
        expect(page.locator("html")).to_have_attribute("lang", ui)
        expect(page.locator("html")).to_have_attribute("dir", "rtl" if ui == "ar" else "ltr")
        assert page.evaluate(TURNED) == []
        # A scale runs as its own words do, so that it is the same instrument for all raters of a study.
        scales = page.locator(".scale[dir], .slider-field, .pair-line").evaluate_all(
            "(all) => all.map((one) => [one.dir, (one.querySelector('[lang]') ?? one.closest('body [lang]'))?.lang])"
        )
        assert all((way == "rtl") == (language == "ar") for way, language in scales), scales

    assert_each(check, types())
    page.goto(f"/judge/?errors=1&ui={ui}")
    assert page.evaluate(TURNED) == []


@pytest.mark.parametrize("width", [320, pytest.param(390, marks=pytest.mark.exhaustive)])
def test_bars_hold_one_line_on_a_phone_in_every_language(page: Page, width: int) -> None:
    page.set_viewport_size({**PHONE, "width": width})

    def check(code: str) -> None:
        page.goto(f"/judge/?ui={code}&n=2")
        foot = page.locator("footer.foot")
        height = box_of(foot)["height"]
        page.evaluate(
            """() => {
                const words = document.querySelector("template[data-words]").content;
                for (const [name, place] of [["saving", "[data-saved]"], ["left-one", "[data-foot-note]"]]) {
                    const shown = document.querySelector(place);
                    shown.textContent = words.querySelector(`[data-word=${name}]`).textContent;
                    shown.dataset.state = name;
                }
            }"""
        )
        high = page.locator(".top-progress, .saved, .nav-open, .foot-note, .foot-row > .button, .foot-row summary")
        lines = high.evaluate_all(
            """(all) => all.filter((one) => one.checkVisibility()).map((one) => {
                const range = document.createRange();
                range.selectNodeContents(one);
                const tops = [...range.getClientRects()].filter((box) => box.width > 1).map((box) => box.top);
                return [one.textContent.trim(), Math.max(...tops) - Math.min(...tops) < 12];
            })"""
        )
        assert [words for words, is_one_line in lines if not is_one_line] == []
        assert box_of(page.locator(".top-row"))["height"] < 70
        # No button moves into another row because of the note.
        assert box_of(foot)["height"] <= height + 28
        assert [fault for fault in faults(page) if "span.saved" not in fault] == []
        shown = page.locator(".saved").evaluate(SHOWN_OF_WORDS)
        assert shown in {0, 1}, "a part of the word is shown"
        assert box_of(page.locator(".nav-open"))["y"] < 12

    assert_each(check, ((code, {"code": code}) for code, _name in settings.LANGUAGES))


def test_wide_spacing_puts_no_words_over_others(page: Page) -> None:
    page.set_viewport_size(PHONE)
    page.goto("/judge/?n=3&paged=1")
    for _question in range(1):
        page.get_by_role("button", name="Next question").click()
    page.evaluate(
        """() => document.querySelectorAll("body *").forEach((one) => {
            Object.assign(one.style, {lineHeight: "1.5", letterSpacing: "0.12em", wordSpacing: "0.16em"});
        })"""
    )
    assert faults(page) == []
    back, on = (box_of(page.get_by_role("button", name=name)) for name in ("Previous question", "Next question"))
    assert back["x"] + back["width"] <= on["x"] or back["y"] + back["height"] <= on["y"]


# Where the questions stand beside a text that is a pane, and where below texts that are panes.
BESIDE = ("comprehension", "error_labels", "labels", "likert", "semantic_differential", "slider")
BELOW = ("best_worst", "error_spans", "magnitude", "pairwise", "triangle")


def test_a_long_text_leaves_its_questions_in_view(page: Page) -> None:
    def check(name: str) -> None:
        page.goto(f"/judge/?sample&type={name}&long")
        page.wait_for_load_state()
        pane = page.locator(".text-tall").last
        assert pane.evaluate("(one) => one.scrollHeight > 3 * one.clientHeight")
        asked = page.locator("[data-finish]:visible, .questions:visible, .spans-marks:visible, .matrix-cell:visible")
        first = asked.first.bounding_box()
        assert first is not None
        assert first["y"] < DESK["height"] - 64, first
        if name in BESIDE:
            box = pane.bounding_box()
            assert box is not None
            assert first["x"] > box["x"] + box["width"]
        pane.focus()
        expect(pane).to_have_role("region")

    panes = (*BESIDE, *BELOW)
    assert_each(check, (case for case in types() if case[0] in panes))


@pytest.fixture
def phone(browser: Browser, stage: Stage) -> Iterator[Page]:
    """Open a page on a phone."""
    context = browser.new_context(base_url=stage.url, viewport=PHONE, has_touch=True, is_mobile=True, locale="en-GB")
    yield context.new_page()
    context.close()


def test_a_phone_jumps_to_the_questions_and_back_to_the_line(phone: Page) -> None:
    phone.goto("/judge/?sample&type=likert&long")
    onward, back = (phone.get_by_role("link", name=name) for name in ("To the questions", "Back to the text"))
    expect(back).to_be_hidden()
    phone.evaluate("scrollTo({top: 2000})")
    onward.tap()
    expect(phone.get_by_role("radiogroup").first).to_be_in_viewport()
    expect(onward).to_be_hidden()
    back.tap()
    phone.wait_for_function("scrollY === 2000")
    expect(onward).to_be_visible()
    # The page is closed and opened again at the same line.
    phone.goto("/done/")
    phone.goto("/judge/?sample&type=likert&long")
    phone.wait_for_function("scrollY === 2000")
    phone.goto("/judge/?sample&type=likert")
    expect(onward).to_have_count(0)


def test_a_page_stays_where_it_is_when_a_bar_takes_the_focus(phone: Page, page: Page) -> None:
    """And whatever takes the focus between the bars is not covered by them."""
    address = "/judge/?sample&type=likert&long"
    phone.goto(address)
    phone.wait_for_load_state()
    assert phone.evaluate(MOVED, 2000) == []
    assert phone.evaluate(COVERED) == []
    page.goto(address)
    page.wait_for_load_state()
    assert page.evaluate(MOVED, 100) == []
    assert page.evaluate(COVERED) == []


def test_what_takes_the_focus_in_a_menu_that_scrolls_is_in_view(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 484})
    page.goto("/judge/")
    page.get_by_role("button", name="Menu").click()
    menu = page.get_by_role("navigation", name="Study")
    menu.locator("summary").click()
    menu.evaluate("(one) => (one.style.maxBlockSize = '160px')")
    lost = menu.evaluate(
        """(menu) => [...menu.querySelectorAll("a, button, select, summary")].filter((one) => {
            one.focus();
            const [inner, outer] = [one.getBoundingClientRect(), menu.getBoundingClientRect()];
            return one === document.activeElement && (inner.top < outer.top || inner.bottom > outer.bottom);
        }).map((one) => one.textContent)"""
    )
    assert lost == []


def test_a_magnified_page_keeps_the_way_to_the_questions_in_view(browser: Browser, stage: Stage) -> None:
    context = browser.new_context(base_url=stage.url, viewport=MAGNIFIED, locale="en-GB")
    page = context.new_page()
    page.goto("/judge/?sample&type=likert&long")
    onward, back = (page.get_by_role("link", name=name) for name in ("To the questions", "Back to the text"))
    expect(onward).to_be_in_viewport(ratio=1)
    box = onward.bounding_box()
    assert box is not None
    assert box["height"] < MAGNIFIED["height"] / 4
    page.evaluate("scrollTo({top: 1500})")
    expect(onward).to_be_in_viewport(ratio=1)
    onward.click()
    expect(page.get_by_role("radiogroup").first).to_be_in_viewport()
    # Below the questions nothing leads to them, and nothing lies over the button that sends.
    page.evaluate("scrollTo({top: document.documentElement.scrollHeight})")
    expect(onward).to_be_hidden()
    page.get_by_role("button", name="Send and go on").click(trial=True)
    back.click()
    page.wait_for_function("scrollY === 1500")
    context.close()


def test_a_phone_without_scripts_has_both_ways(browser: Browser, stage: Stage) -> None:
    context = browser.new_context(base_url=stage.url, viewport=PHONE, java_script_enabled=False, locale="en-GB")
    page = context.new_page()
    page.goto("/judge/?sample&type=likert&long")
    page.get_by_role("link", name="To the questions").click()
    expect(page.get_by_role("radiogroup").first).to_be_in_viewport()
    page.get_by_role("link", name="Back to the text").click()
    expect(page.get_by_role("heading", name="Source", exact=True)).to_be_in_viewport()
    context.close()


def test_a_pane_is_left_and_found_at_the_same_line(page: Page) -> None:
    page.goto("/judge/?sample&type=slider&long")
    page.wait_for_load_state()
    page.locator(".text-tall").evaluate("(one) => one.scrollTo({top: 700})")
    page.goto("/done/")
    page.goto("/judge/?sample&type=slider&long")
    page.wait_for_function("document.querySelector('.text-tall').scrollTop === 700")
