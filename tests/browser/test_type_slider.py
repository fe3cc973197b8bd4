"""The slider in a real browser; keys, thumb and words are in tests/look/test_scales.py, more in test_rater.py."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.kit import accessible, at, begin, fits, phone, send, without_script
from tests.servers import LiveSite

Open = Callable[..., str]

ASKED = (
    ("Meaning", "How well does the translation keep the meaning?", "How much of what the German sentence says"),
    ("Fluency", "How fluent is the English?", "How good the English is, whatever it says"),
)


@pytest.mark.exhaustive
def test_the_example_with_the_mouse_and_a_draft_comes_back(page: Page, open_example: Open) -> None:
    begin(page, open_example("slider"))
    sliders = page.get_by_role("slider")
    expect(sliders.first).to_be_visible()
    for criterion, question, definition in ASKED:
        expect(page.get_by_text(definition)).to_have_count(1)
        for letter in "AB":
            one = page.get_by_role("slider", name=f"Text {letter}, {criterion}: {question}")
            expect(one).to_have_accessible_description(re.compile(rf"^Answer required\. {definition}"))
            expect(one).to_have_attribute("aria-valuetext", "Not set")
    expect(page.locator("[data-current=marked] .slider-range")).to_have_count(1)
    expect(page.locator(".text-beside .judged")).to_have_attribute("lang", "de")
    count = sliders.count()
    assert count in {4, 6}, "two questions for each distinct text"
    for place, one in enumerate(sliders.all()):
        one.scroll_into_view_if_needed()
        box = one.bounding_box()
        assert box
        page.mouse.click(box["x"] + box["width"] * (place + 1) / (count + 1), box["y"] + box["height"] / 2)
    expect(page.locator("[data-saved]")).to_have_text("Saved")
    values = [one.input_value() for one in sliders.all()]
    assert len(set(values)) == count
    page.reload()
    expect(page.locator("[data-saved]")).to_have_text("Saved")
    assert [one.input_value() for one in page.get_by_role("slider").all()] == values
    expect(page.locator("[data-unset]")).to_have_count(0)
    send(page)
    at(page, 1)
    assert page.locator(".slider-range[data-unset]").count() == page.get_by_role("slider").count()


def test_sqm_on_a_phone(browser: Browser, live_site: LiveSite, open_example: Open) -> None:
    with phone(browser, live_site) as page:
        begin(page, open_example("slider", {"layout": "single", "anchors": "sqm"}, criteria=["fluency"]))
        fits(page)
        accessible(page)
        slider = page.get_by_role("slider")
        slider.tap()
        below, above = "Some meaning kept, important parts missing", "Most meaning kept, few mistakes in grammar"
        expect(slider).to_have_attribute("aria-valuetext", f"50, between {below} and {above}")
        expect(page.locator("[data-slider-value]")).to_have_text(re.compile(f"^between .{below}. and .{above}.$"))
        page.set_viewport_size({"width": 320, "height": 700})
        fits(page)
        words = [one.bounding_box() for one in page.locator("[data-anchors] > li:not([data-end])").all()]
        track = page.locator(".slider-track").bounding_box()
        assert track
        for box, share in zip(words, (0.33, 0.66), strict=True):
            assert box
            middle = (box["x"] + box["width"] / 2 - track["x"]) / track["width"]
            assert abs(middle - share) < 0.03, "a word lies under its place"
        expect(page.locator("[data-near]")).to_contain_text("Most meaning kept, few mistakes in grammar")
        send(page)
        at(page, 1)


@pytest.mark.exhaustive
def test_without_javascript_the_words_stand_beside_their_numbers(
    browser: Browser, live_site: LiveSite, open_example: Open
) -> None:
    with without_script(browser, live_site) as page:
        begin(page, open_example("slider", {"layout": "single", "anchors": "sqm"}, criteria=["fluency"]))
        expect(page.get_by_text("66 Most meaning kept, few mistakes in grammar")).to_be_visible()
        page.get_by_role("spinbutton").fill("101")
        send(page)
        expect(page.get_by_text("Set the slider between 0 and 100.").first).to_be_visible()
        page.get_by_role("spinbutton").fill("66")
        send(page)
        at(page, 1)
