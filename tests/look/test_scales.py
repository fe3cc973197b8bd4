"""The radio grid and the slider: by mouse, by keys, for screen readers, and unset until touched."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.deviations import assert_each
from tests.look.stage import Stage

SLIDER = "/judge/?type=slider&criteria=anchors"


def focused(page: Page) -> str:
    """Return name and value of the control that has the focus."""
    return str(page.evaluate("`${document.activeElement.name} ${document.activeElement.value}`"))


def number(page: Page) -> Locator:
    """Return the number field behind the slider: what the form sends."""
    return page.locator("input[type=number]")


def test_nothing_is_chosen_at_first_and_circles_are_alike(page: Page) -> None:
    page.goto("/judge/?points=7")
    expect(page.locator("input:checked")).to_have_count(1)  # the switch of the keys, in its dialog
    expect(page.locator("form[data-answer] input:checked")).to_have_count(0)
    sizes = page.locator(".step").evaluate_all(
        "(steps) => steps.map((one) => { const dot = one.querySelector('input').getBoundingClientRect();"
        " return [dot.width, dot.height, Math.round(one.getBoundingClientRect().width)].join() })"
    )
    assert len(sizes) == 14
    assert len(set(sizes)) == 1


def test_the_question_that_digits_answer_is_marked(page: Page) -> None:
    page.goto("/judge/?points=5&criteria=labels")
    marked = page.locator("[data-current=marked]")
    expect(page.locator("[data-current]")).to_have_count(1)
    expect(marked).to_have_count(0)  # a single question needs no mark
    page.goto("/judge/?points=5")
    expect(marked).to_have_attribute("id", "id_p1-fluency")
    page.keyboard.press("3")
    expect(marked).to_have_attribute("id", "id_p1-content")
    page.get_by_role("radio").first.click()
    expect(marked).to_have_attribute("id", "id_p1-fluency")
    assert "inset" in str(marked.evaluate("(one) => getComputedStyle(one).boxShadow"))


def test_digits_choose_and_go_on_and_enter_sends_what_is_complete(page: Page, stage: Stage) -> None:
    page.goto("/judge/?points=10")
    page.get_by_role("radio").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("[data-wrong]")).to_have_count(0)
    assert focused(page) == "p1-content 1"
    page.get_by_role("radio").first.focus()
    page.keyboard.press("7")
    assert focused(page) == "p1-content 1"
    page.keyboard.press("0")
    assert focused(page) == "p1-content 10"
    page.keyboard.press("ArrowLeft")
    assert focused(page) == "p1-content 9"
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Next text")).to_be_visible()
    assert {name: stage.posts[0][name] for name in ("p1-fluency", "p1-content")} == {
        "p1-fluency": "7",
        "p1-content": "9",
    }


def test_a_digit_the_scale_does_not_have_and_a_digit_in_the_comment_do_nothing(page: Page) -> None:
    page.goto("/judge/?points=5")
    page.keyboard.press("6")
    page.get_by_text("Comment to the researchers").first.click()
    page.get_by_label("Comment to the researchers").fill("")
    page.get_by_label("Comment to the researchers").press("3")
    expect(page.get_by_label("Comment to the researchers")).to_have_value("3")
    expect(page.locator("form[data-answer] input:checked")).to_have_count(0)


def test_single_keys_can_be_switched_off(page: Page) -> None:
    page.goto("/judge/")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_contain_text("chooses a step and goes to the next question")
    page.get_by_label("Use single-key shortcuts such as digits and ?").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("3")
    page.keyboard.press("?")
    expect(page.locator("dialog[open]")).to_have_count(0)
    expect(page.locator("form[data-answer] input:checked")).to_have_count(0)


def test_digits_stand_on_the_circles_only_while_the_keyboard_is_in_use(page: Page) -> None:
    page.goto("/judge/")
    page.locator(".step").first.click()
    expect(page.locator(".step-key:visible")).to_have_count(0)
    page.keyboard.press("2")
    expect(page.locator(".step-key:visible")).to_have_text(["1", "2", "3", "4", "5"])


def test_every_step_has_a_name_for_screen_readers(page: Page) -> None:
    page.goto("/judge/")
    group = page.get_by_role("radiogroup", name="How well does it read?")
    expect(group).to_have_accessible_description("Grammar and words.")
    for name in ("Badly", "Step 2 of 5", "Step 3 of 5", "Step 4 of 5", "Well"):
        expect(group.get_by_role("radio", name=name, exact=True)).to_have_count(1)
    page.goto("/judge/?n=2")
    expect(page.get_by_role("radiogroup", name="Text B: How well does it read?")).to_have_count(1)


def test_next_pressed_early_says_what_is_missing_and_goes_there(page: Page, stage: Stage) -> None:
    page.goto("/judge/")
    page.locator(".step").nth(1).click()
    page.get_by_role("button", name="Send and go on").click()
    assert focused(page) == "p1-content 1"
    expect(page.get_by_role("radiogroup").nth(1)).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_role("radiogroup").nth(1)).to_have_accessible_description(
        "Answer “How much of the meaning is kept?”."
    )
    expect(page.locator("[data-foot-note]")).to_have_text("1 question left")
    expect(page.get_by_role("status")).to_contain_text("Answer “How much of the meaning is kept?”.")
    expect(page.locator("form").get_by_text("Answer “How much of the meaning is kept?”.")).to_have_count(1)
    page.keyboard.press("Space")
    expect(page.locator("[data-wrong]")).to_have_count(0)
    expect(page.locator("[data-foot-note]")).to_have_text("")
    assert stage.posts == []


# Pixels between the first message and the outer edge of the frame around what has the focus.
ROOM = """() => {
    const shown = document.activeElement.closest("label") ?? document.activeElement;
    const style = getComputedStyle(shown);
    const edge = shown.getBoundingClientRect().top - parseFloat(style.outlineWidth) - parseFloat(style.outlineOffset);
    return edge - document.querySelector("[data-error]:not([hidden])").getBoundingClientRect().bottom;
}"""


@pytest.mark.parametrize("shown", ["type=error_labels&sample=1", "type=slider&n=3"])
def test_the_frame_of_the_focus_covers_no_words_of_the_message(page: Page, shown: str) -> None:
    page.goto(f"/judge/?{shown}")
    page.get_by_role("button", name="Send and go on").click()
    expect(page.locator("[data-error]:visible").first).to_be_visible()
    assert page.evaluate(ROOM) >= 0


def test_links_of_the_servers_own_summary_lead_to_the_question(page: Page) -> None:
    page.goto(f"{SLIDER}&errors=1")
    page.get_by_role("link", name="Answer “How good is it?”.").click()
    expect(page.get_by_role("slider")).to_be_focused()


def test_a_slider_has_no_thumb_and_no_value_until_touched(page: Page) -> None:
    page.goto(SLIDER)
    slider = page.get_by_role("slider", name="How good is it?")
    expect(slider).to_have_attribute("aria-valuetext", "Not set")
    expect(number(page)).to_have_value("")
    expect(number(page)).to_be_hidden()
    box = slider.bounding_box()
    assert box
    page.mouse.move(0, 0)
    untouched = slider.screenshot()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(number(page)).to_have_value("50")  # a press in the very middle changes nothing for the browser
    assert slider.screenshot() != untouched
    expect(slider).to_have_attribute("aria-valuetext", "50, between Some meaning kept and Most meaning kept")
    expect(page.locator("[data-slider-value]")).to_contain_text("between")
    page.mouse.click(box["x"] + box["width"] - 2, box["y"] + box["height"] / 2)
    expect(number(page)).to_have_value("100")


# What every key does to every value is in tests/js/test_pure.py.
KEYS = {"7": "70", "ArrowRight ArrowRight": "51", "PageUp PageUp": "60", "End ArrowRight": "100"}


def test_a_slider_by_keys(page: Page) -> None:
    def check(keys: str, value: str) -> None:
        page.goto("/done/")
        page.evaluate("localStorage.clear()")
        page.goto(SLIDER)
        page.get_by_role("slider").focus()
        for key in keys.split():
            page.keyboard.press(key)
        expect(number(page)).to_have_value(value)

    assert_each(check, ((keys, {"keys": keys, "value": value}) for keys, value in KEYS.items()))


def test_from_right_to_left_the_left_arrow_raises_the_value(page: Page) -> None:
    page.goto(f"{SLIDER}&ui=ar&study=ar")
    page.get_by_role("slider").focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(number(page)).to_have_value("51")


def test_enter_works_wherever_the_focus_is(page: Page, stage: Stage) -> None:
    page.goto(SLIDER)
    expect(page.locator("[data-send]:not([data-settling])")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.get_by_role("slider")).to_be_focused()
    assert not stage.posts, "nothing is sent before it was answered"
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("7")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Next text")).to_be_visible()
    assert len(stage.posts) == 1


def test_a_slider_shows_numbers_only_where_the_study_says_so(page: Page) -> None:
    page.goto(f"{SLIDER}&answered=1")
    assert not any(sign.isdigit() for sign in page.locator(".question").inner_text())
    page.goto(f"{SLIDER}&answered=1&numbers=1")
    value = number(page).input_value()
    expect(page.locator("[data-slider-value]")).to_contain_text(f"{value}, ")
    expect(page.locator(".anchor-value:visible")).to_have_count(4)


def test_decimal_numbers_survive_a_language_with_commas(page: Page, stage: Stage) -> None:
    page.goto(f"{SLIDER}&ui=de&answered=1")
    page.get_by_role("slider").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("heading", name="Next text")).to_be_visible()
    assert 0 <= float(stage.posts[0]["p1-quality"]) <= 100


@pytest.mark.parametrize("address", [SLIDER, "/judge/"])
def test_motion_contrast_and_print_are_minded(page: Page, address: str) -> None:
    page.goto(address)
    page.emulate_media(forced_colors="active", reduced_motion="reduce")
    still = page.evaluate("getComputedStyle(document.querySelector('.button')).transitionDuration")
    assert set(still.split(", ")) == {"0s"}
    page.emulate_media(media="print")
    expect(page.locator(".foot")).to_be_hidden()
    expect(page.locator(".judged").first).to_be_visible()
