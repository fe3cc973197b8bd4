"""Every rater page: axe-core finds nothing, nothing scrolls sideways, targets are large enough, policies hold."""

import re
from typing import Literal

import pytest
from django.test import Client, override_settings
from playwright.sync_api import Page, expect

from tests import extent
from tests.axe import schemes, violations
from tests.deviations import assert_each
from tests.layout import faults
from tests.look.stage import PLAIN, Stage

# Width and, where axe-core runs, the colours: the narrowest, that of a desk and that of a phone.
SCENES: tuple[tuple[int, Literal["", "light", "dark"]], ...] = ((320, ""), (1280, "light"), (390, "dark"))
MORE_SCENES: tuple[tuple[int, Literal["", "light", "dark"]], ...] = ((768, ""), (390, "light"), (1280, "dark"))
# Between them, these have every value that a parameter has in a page of judging.
JUDGING = (
    "/judge/?answered=1&numbers=1&source=1",
    "/judge/?errors=1&criteria=labels",
    "/judge/?n=3&text=ja&source=1",
    "/judge/?n=2&text=ar&ui=ar",
    "/judge/?text=he&points=11&revising=1",
    "/judge/?text=&break=1&source=1",
    "/judge/?type=slider&criteria=anchors&answered=1&numbers=1&n=3",
    "/judge/?text=md&context=long&media=1&source=1",
    "/judge/?text=md&n=2&context=short&media=1&warning=1&ui=ar",
    "/judge/?n=3&paged=1&errors=1",
)
# The same values together with others.
MORE_JUDGING = (
    "/judge/",
    "/judge/?warning=1&n=2&text=",
    "/judge/?type=slider&criteria=anchors&source=1",
    "/judge/?type=slider&errors=1&ui=ar&text=ar",
)
OTHERS = (
    "/task-types/",
    "/",
    "/join/",
    "/join/?errors=1",
    "/join/?preview=1",
    "/conflict/",
    "/patterns/",
)
ERRORS = tuple(f"/error/{status}/" for status in (400, 403, 404, 500, 503))


def addresses() -> tuple[tuple[str, dict[str, str]], ...]:
    """Return the addresses of all pages, as cases of a check."""
    judging = (*JUDGING, *MORE_JUDGING) if extent.is_exhaustive() else JUDGING
    return tuple((path, {"address": path}) for path in (*judging, *OTHERS, *(f"/{name}/" for name in PLAIN), *ERRORS))


# Inline links in running text may be smaller; everything with a box of its own may not. The patterns page is no
# rater's page and shows hidden states too.
TARGETS = ".button, .nav-item, .step, .choice, .cover > summary, .slider-range, .menu > summary, .disclosure > summary"


def too_small(page: Page) -> list[str]:
    """Name the targets under 44 x 44 pixels."""
    found: list[str] = page.evaluate(
        """(targets) => [...document.querySelectorAll(targets)].filter((one) => {
            const box = one.getBoundingClientRect();
            return one.checkVisibility() && box.width && Math.min(box.width, box.height) < 43.9;
        }).map((one) => one.outerHTML.slice(0, 160))""",
        TARGETS,
    )
    return found


def test_axe_finds_nothing_targets_are_large_and_nothing_scrolls_sideways(page: Page) -> None:
    def check(address: str) -> None:
        page.goto(address)
        chosen = schemes()
        # An ordinary run looks at the narrowest width, and at that where axe-core runs.
        scenes = SCENES + MORE_SCENES if extent.is_exhaustive() else [one for one in SCENES if one[1] in {"", *chosen}]
        for width, scheme in scenes:
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth") <= width, width
            assert address == "/patterns/" or faults(page) == [], width
            assert address == "/patterns/" or too_small(page) == [], width
            if scheme in chosen:
                assert violations(page, scheme) == {}, (width, scheme)
        assert page.locator("h1").count() == 1
        assert page.title()

    assert_each(check, addresses())


@pytest.mark.parametrize(
    ("opened", "width"),
    [
        ("Instructions", 390),
        ("Instructions", 1280),
        ("Keys", 390),
        ("Skip", 1280),
        ("Take a break", 390),
        *(pytest.param(*more, marks=pytest.mark.exhaustive) for more in (("Keys", 1280), ("Skip", 390))),
        pytest.param("Take a break", 1280, marks=pytest.mark.exhaustive),
    ],
)
def test_what_opens_is_accessible_and_closes_again(page: Page, opened: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.goto("/judge/?break=1")
    if width == 390 and opened in {"Instructions", "Keys"}:
        page.get_by_role("button", name="Menu").click()
        assert violations(page, "light") == {}
    page.get_by_role("button", name=opened, exact=True).click()
    dialog = page.locator("dialog[open]")
    expect(dialog).to_have_count(1)
    assert violations(page, "light") == {}
    dialog.get_by_role("button", name=re.compile("Close|Go on$")).click()
    expect(dialog).to_have_count(0)


def test_the_instructions_stay_open_on_the_next_unit_and_only_there_where_they_fit(page: Page) -> None:
    page.goto("/judge/?n=2")
    page.get_by_role("button", name="Instructions").click()
    page.reload()
    expect(page.get_by_role("heading", name="Examples")).to_be_visible()
    expect(page.get_by_role("button", name="Instructions")).to_have_attribute("aria-expanded", "true")
    page.set_viewport_size({"width": 390, "height": 800})
    page.reload()
    expect(page.get_by_role("heading", name="Examples")).to_be_hidden()


def test_the_appearance_is_remembered_and_there_before_the_first_paint(page: Page) -> None:
    page.goto("/judge/")
    light = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    page.get_by_label("Light or dark").select_option("dark")
    dark = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    assert light != dark
    page.goto("/help/", wait_until="commit")
    page.wait_for_function("document.body !== null")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.get_by_label("Light or dark").select_option("system")
    assert page.evaluate("localStorage.length") == 0


def test_texts_side_by_side_look_alike(page: Page) -> None:
    page.goto("/judge/?n=3")
    measure = """() => [...document.querySelectorAll('.column')].map((column) => {
        const box = column.querySelector('.text-box').getBoundingClientRect();
        const text = getComputedStyle(column.querySelector('.judged'));
        const questions = column.querySelector('.questions').getBoundingClientRect();
        const sizes = [box.width, box.height, box.top, questions.top, questions.height].map(Math.round);
        return [...sizes, text.fontSize, text.color].join();
    })"""
    assert len(set(page.evaluate(measure))) == 1
    assert page.locator(".text-head").all_inner_texts() == ["Text A", "Text B", "Text C"]
    page.set_viewport_size({"width": 390, "height": 800})
    lefts = page.evaluate("[...document.querySelectorAll('.column')].map((one) => one.getBoundingClientRect().left)")
    assert len(set(lefts)) == 1, "stacked on a phone"


def test_a_line_of_a_judged_text_is_not_too_long_and_keeps_its_breaks(page: Page) -> None:
    page.goto("/judge/")
    style = page.locator(".judged").evaluate(
        "(one) => { const s = getComputedStyle(one);"
        " return [s.fontSize, s.lineHeight, s.whiteSpace, one.dir, one.lang] }"
    )
    assert style == ["18px", "28.8px", "pre-wrap", "auto", "en"]
    characters = page.locator(".judged").evaluate(
        "(one) => { const probe = document.createElement('span'); probe.textContent = '0'; one.append(probe);"
        " const wide = probe.getBoundingClientRect().width; probe.remove(); return one.clientWidth / wide }"
    )
    assert characters <= 70.01


def test_a_content_warning_covers_every_text_until_one_is_opened(page: Page) -> None:
    page.goto("/judge/?warning=1&n=2&source=1")
    expect(page.locator(".judged").first).to_be_hidden()
    page.get_by_text("Show the text").first.click()
    expect(page.locator(".judged")).to_have_count(3)
    for text in page.locator(".judged").all():
        expect(text).to_be_visible()


def test_a_picture_is_made_larger_and_the_answer_says_so(page: Page, stage: Stage) -> None:
    page.goto("/judge/?media=1")
    picture = page.locator("[data-zoom]").first
    picture.click()
    dialog = page.locator("dialog[open]")
    expect(dialog.get_by_role("heading", name="Picture 1")).to_be_visible()
    assert violations(page, schemes()[0]) == {}
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(picture).to_be_focused()
    for _question in range(2):
        page.keyboard.press("3")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("heading", name="Next text")).to_be_visible()
    assert "image-1" in stage.posts[0]["log"]


@pytest.mark.own_context
def test_a_code_is_copied(page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto("/end/")
    page.get_by_role("button", name="Copy").first.click()
    expect(page.get_by_role("status")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == "C7QK9TZW"


@override_settings(ROOT_URLCONF="tests.look.stage")
def test_no_page_carries_inline_styles_or_scripts_or_other_hosts(client: Client, stage: Stage) -> None:
    def check(address: str) -> None:
        body = client.get(address).content.decode()
        assert not re.search(r"\sstyle=|\son[a-z]+=|<style|javascript:", body)
        # Data for a script is no script: nothing runs it.
        scripts = [tag for tag in re.findall(r"<script[^>]*>", body) if 'type="application/json"' not in tag]
        assert all("src=" in tag for tag in scripts)
        assert not re.search(r"(?:src|action)=\"(?:https?:)?//|<link[^>]+href=\"(?:https?:)?//", body)
        identifiers = re.findall(r"\sid=\"([^\"]+)\"", body)
        assert len(identifiers) == len(set(identifiers))

    assert_each(check, addresses())


@pytest.mark.parametrize("ui", ["ar", "en"])
def test_the_words_of_an_arabic_text_run_from_the_right(page: Page, ui: str) -> None:
    """Each word is an element of its own in error spans; a line must still be read as one."""
    page.goto(f"/judge/?type=error_spans&text=ar&ui={ui}")
    words = page.locator(".spans-live[role=listbox] .spans-word")
    expect(words.nth(1)).to_be_visible()
    starts = words.evaluate_all("(words) => words.slice(0, 3).map((one) => one.getBoundingClientRect().x)")
    assert starts == sorted(starts, reverse=True)


@pytest.mark.parametrize(("ui", "side"), [("ar", "right"), ("en", "left")])
def test_a_heading_stands_at_the_side_where_the_page_begins(page: Page, ui: str, side: str) -> None:
    page.goto(f"/judge/?source=1&text=en&ui={ui}")
    head = page.locator(".text-head").first
    assert head.evaluate("(one) => getComputedStyle(one).textAlign.replace('start', 'left')") == side
