"""Highlighted words and chains of mentions: seen, heard, followed with mouse, keys and fingers, in both directions."""

from playwright.sync_api import Browser, Locator, Page, expect

from tests.axe import violations
from tests.look.stage import Stage

CHAINS = "/judge/?chains&n=2"


def lit(page: Page) -> Locator:
    """Return the mentions that are lit, each by its first piece."""
    return page.locator(".mention[data-lit][data-begins]")


def numbers(page: Page, text: int = 0) -> Locator:
    """Return the numbers of a text."""
    return page.locator(".text-box").nth(text).locator("[data-mention]")


def test_highlighted_words_are_marks_and_say_so(page: Page) -> None:
    page.goto("/judge/?highlight&source")
    marks = page.locator("mark.highlight")
    assert marks.all_text_contents() == ["Brücke (highlighted)", "The (highlighted)"]
    text = str(marks.first.evaluate("(one) => getComputedStyle(one).textDecorationLine"))
    assert text == "underline"  # not by colour alone
    for scheme in ("light", "dark"):
        assert violations(page, scheme) == {}


def test_words_to_be_marked_with_errors_show_their_highlights(page: Page) -> None:
    page.goto("/judge/?highlight&source&type=error_spans")
    words = page.locator(".spans-word.spans-highlighted")
    expect(words).to_have_count(2)
    expect(words.last).to_have_attribute("aria-label", "The, highlighted")


def test_pointing_at_a_mention_lights_its_chain_in_all_texts(page: Page) -> None:
    page.goto(CHAINS)
    expect(lit(page)).to_have_count(0)
    numbers(page).first.hover()
    expect(lit(page)).to_have_count(5 + 3)
    assert set(lit(page).evaluate_all("(all) => all.map((one) => one.dataset.chain)")) == {"1"}
    expect(page.locator(".chain-line")).to_have_count(2)
    page.locator("h1, .top-progress").first.hover()
    expect(lit(page)).to_have_count(0)
    expect(page.locator(".chain-line")).to_have_count(0)


def test_the_keyboard_follows_chains_and_answers_nothing(page: Page) -> None:
    page.goto(CHAINS)
    first = numbers(page).first
    expect(page.locator("[data-mention][tabindex='0']")).to_have_count(2)  # one stop for each text
    first.focus()
    expect(lit(page)).to_have_count(8)
    expect(first).to_have_accessible_name("Number 1, mention 1 of 5:")
    page.keyboard.press("ArrowRight")
    expect(numbers(page).nth(1)).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(page.locator("[data-mention]:focus")).to_have_accessible_name("Number 2, mention 2 of 4:")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowUp")  # round to the last mention of the last text
    expect(page.locator("[data-mention]:focus")).to_have_accessible_name("Number 1, mention 3 of 3:")
    page.keyboard.press("Enter")
    expect(page.locator("[data-mention][aria-pressed=true]")).to_have_count(8)
    page.keyboard.press("Tab")
    expect(lit(page)).to_have_count(8)
    page.keyboard.press("Escape")
    expect(lit(page)).to_have_count(0)
    expect(page.locator("form[data-answer] input:checked")).to_have_count(0)


def test_mentions_within_mentions_have_lines_of_their_own(page: Page) -> None:
    page.goto("/judge/?chains")
    outer = page.locator(".mention", has_text="daughter").first
    inner = outer.locator(".mention")
    bottoms = [one.evaluate("(one) => one.getClientRects()[0].bottom") for one in (outer, inner)]
    assert float(bottoms[0]) > float(bottoms[1]) + 2


def test_arrows_go_as_the_text_runs(page: Page) -> None:
    page.goto("/judge/?chains&text=ar&ui=ar")
    numbers(page).first.focus()
    page.keyboard.press("ArrowLeft")
    expect(numbers(page).nth(1)).to_be_focused()
    assert page.locator(".judged").first.evaluate("(one) => getComputedStyle(one).direction") == "rtl"


def test_a_finger_keeps_a_chain_lit_and_the_page_fits(browser: Browser, stage: Stage) -> None:
    context = browser.new_context(
        base_url=stage.url, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True, locale="en-GB"
    )
    page = context.new_page()
    page.goto(CHAINS)
    page.locator(".mention", has_text="She").first.tap()
    expect(lit(page)).to_have_count(4 + 3)
    page.locator(".mention", has_text="the river").first.tap()
    assert set(lit(page).evaluate_all("(all) => all.map((one) => one.dataset.chain)")) == {"3"}
    page.locator(".mention", has_text="the river").first.tap()
    expect(lit(page)).to_have_count(0)
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert violations(page, "light") == {}
    context.close()
