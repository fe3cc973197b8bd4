"""Nothing a rater chose is lost or sent twice: drafts, sending, clocks, breaks."""

import json

import pytest
from playwright.sync_api import Page, Route, expect

from tests.look.stage import Stage


def choose(page: Page, question: int, step: int) -> None:
    """Choose a step, both counted from 0."""
    page.get_by_role("radiogroup").nth(question).locator("label").nth(step).click()


def send(page: Page) -> None:
    """Press the button at the foot."""
    page.locator("[data-send]").click()


def copies(page: Page) -> list[dict[str, object]]:
    """Return the unsent answers that this device keeps."""
    found = page.evaluate(
        "Object.keys(localStorage).filter((key) => key.startsWith('evalweb:draft:')).map((key) => localStorage[key])"
    )
    return [json.loads(one) for one in found]


def saved(page: Page, words: str) -> None:
    """Wait for the saved state in the bar."""
    expect(page.locator("[data-saved]")).to_contain_text(words)


def refuse(route: Route) -> None:
    """Play a network that is not there."""
    route.abort()


def test_a_choice_is_saved_about_a_second_later_and_the_devices_copy_goes(page: Page, stage: Stage) -> None:
    page.goto("/judge/")
    choose(page, 0, 1)
    choose(page, 0, 3)
    saved(page, "Saving…")
    assert copies(page)[0]["answer"] == {"p1-fluency": "4"}
    saved(page, "Saved")
    choose(page, 1, 2)
    saved(page, "Saving…")
    saved(page, "Saved")
    assert [(one["counter"], one["answer"]) for one in stage.drafts] == [
        (1, {"p1-fluency": "4"}),
        (2, {"p1-fluency": "4", "p1-content": "3"}),
    ]
    assert all(one["form_token"] for one in stage.drafts)
    assert copies(page) == []


def test_what_was_not_saved_is_back_after_a_reload_and_the_token_is_not_in_storage(page: Page, stage: Stage) -> None:
    page.goto("/judge/")
    page.route("**/draft/", refuse)
    choose(page, 0, 3)
    page.get_by_text("Comment to the researchers").first.click()
    page.get_by_label("Comment to the researchers").fill("Odd word")
    saved(page, "Offline: your answers are kept on this device; trying again in")
    page.reload()
    expect(page.locator("form[data-answer] input:checked")).to_have_value("4")
    expect(page.get_by_label("Comment to the researchers")).to_have_value("Odd word")
    page.unroute("**/draft/")
    saved(page, "Saved")
    assert stage.drafts[-1]["answer"] == {"p1-fluency": "4", "comment": "Odd word"}
    assert "/judge" not in page.evaluate("JSON.stringify({...localStorage, ...sessionStorage})")


def test_a_sliders_copy_comes_back_too(page: Page) -> None:
    page.goto("/judge/?type=slider")
    page.route("**/draft/", refuse)
    page.get_by_role("slider").first.focus()
    page.keyboard.press("End")
    saved(page, "Offline")
    page.reload()
    expect(page.get_by_role("slider").first).to_have_attribute("aria-valuetext", "100, Well")


def test_a_newer_draft_of_the_server_is_not_overwritten_by_an_older_copy(page: Page, stage: Stage) -> None:
    page.goto("/judge/")
    page.route("**/draft/", refuse)
    choose(page, 0, 0)
    saved(page, "Offline")
    stage.counter = 9
    page.goto("/judge/?answered=1")
    expect(page.locator("form[data-answer] input:checked")).to_have_count(2)
    assert copies(page) == []


@pytest.mark.parametrize(
    ("status", "words"),
    [
        ("409", "You also answered this in another window"),
        ("410", "Your part in this study has ended"),
        ("403", "Not saved yet"),
        ("503", "Offline: your answers are kept on this device"),
    ],
)
def test_every_answer_to_a_draft_is_put_into_words(page: Page, stage: Stage, status: str, words: str) -> None:
    stage.draft_answers = status
    page.goto("/judge/")
    choose(page, 0, 0)
    saved(page, words)
    expect(page.get_by_role("status")).to_contain_text(words.split(":", maxsplit=1)[0])
    if status == "409":
        stage.draft_answers = "ok"
        choose(page, 0, 1)
        saved(page, "Saved")
        assert stage.drafts[-1]["counter"] == 51
    choose(page, 1, 1)
    send(page)
    expect(page.get_by_role("heading", name="Next text")).to_be_visible()
    assert copies(page) == []


def test_leaving_the_page_at_once_still_saves(page: Page, stage: Stage) -> None:
    page.goto("/judge/")
    choose(page, 0, 4)
    page.goto("/help/")
    expect(page.get_by_role("heading", name="Help")).to_be_visible()
    assert stage.drafted.wait(10)
    assert stage.drafts[-1]["answer"] == {"p1-fluency": "5"}


def test_an_answer_is_sent_once_however_often_one_presses(page: Page, stage: Stage) -> None:
    page.goto("/judge/")
    choose(page, 0, 3)
    choose(page, 1, 3)
    page.evaluate("for (let i = 0; i < 3; i += 1) document.querySelector('[data-send]').click()")
    expect(page.get_by_role("heading", name="Next text")).to_be_visible()
    assert len(stage.posts) == 1
    post = stage.posts[0]
    assert 0 <= float(post["seconds_active"]) <= float(post["seconds_elapsed"]) < 60
    assert [row[1:] for row in json.loads(post["log"])] == [
        ["open"],
        ["change", "p1-fluency", "4"],
        ["change", "p1-content", "4"],
        ["send"],
    ]


def test_a_busy_server_gets_the_same_submission_again(page: Page, stage: Stage) -> None:
    stage.post_answers = "503"
    page.goto("/judge/")
    choose(page, 0, 3)
    choose(page, 1, 3)
    send(page)
    expect(
        page.get_by_text("Your answer is safe. We could not reach the server; trying again in").first
    ).to_be_visible()
    expect(page.locator("[data-send]")).to_have_text("Sending…")
    stage.post_answers = "ok"
    page.get_by_role("button", name="Try now").click()
    expect(page.get_by_role("heading", name="Next text")).to_be_visible()
    assert len(stage.posts) >= 2
    assert len({post["submission"] for post in stage.posts}) == 1


def test_a_refusal_is_shown_as_the_server_wrote_it(page: Page, stage: Stage) -> None:
    page.goto("/judge/")
    choose(page, 0, 3)
    choose(page, 1, 3)
    # The server finds something the page could not know.
    page.locator("input[value='3']").nth(1).evaluate("(one) => { one.checked = true; one.value = '99' }")
    send(page)
    expect(page.get_by_role("heading", name="Not sent yet")).to_be_visible()
    expect(page.get_by_role("link", name="Choose one of the steps shown.")).to_be_visible()
    assert len({post["submission"] for post in stage.posts}) == 1


def test_a_skip_takes_the_devices_copy_along(page: Page) -> None:
    page.goto("/judge/")
    page.route("**/draft/", refuse)
    choose(page, 0, 3)
    saved(page, "Offline")
    page.get_by_role("button", name="Skip").click()
    page.get_by_label("It upsets me").check()
    page.get_by_role("button", name="Skip and go on").click()
    expect(page.get_by_role("heading", name="Next text")).to_be_visible()
    assert copies(page) == []


@pytest.mark.own_context
def test_a_break_is_offered_after_twenty_active_minutes_and_stops_the_clock(page: Page, stage: Stage) -> None:
    page.clock.install()
    page.goto("/judge/")
    for _minute in range(20):
        page.clock.run_for(59_000)
        page.mouse.move(_minute, 5)
    expect(page.locator("[data-break]")).to_be_hidden()
    page.clock.run_for(59_000)
    expect(page.locator("[data-break]")).to_be_visible()
    page.get_by_role("button", name="Take a break").click()
    page.clock.run_for(600_000)
    page.get_by_role("button", name="Go on", exact=True).click()
    expect(page.locator("[data-break]")).to_be_hidden()
    choose(page, 0, 3)
    choose(page, 1, 3)
    send(page)
    expect(page.get_by_role("heading", name="Next text")).to_be_visible()
    elapsed, active = (float(stage.posts[0][name]) for name in ("seconds_elapsed", "seconds_active"))
    assert 21 * 59 <= active <= elapsed < 21 * 60 + 10


@pytest.mark.own_context
def test_the_clock_counts_a_minute_at_most_without_a_sign_of_life(page: Page, stage: Stage) -> None:
    page.clock.install()
    page.goto("/judge/")
    page.clock.run_for(300_000)
    choose(page, 0, 3)
    choose(page, 1, 3)
    send(page)
    expect(page.get_by_role("heading", name="Next text")).to_be_visible()
    assert 59 <= float(stage.posts[0]["seconds_active"]) <= 65
    assert 299 <= float(stage.posts[0]["seconds_elapsed"]) <= 310


@pytest.mark.own_context
def test_without_storage_everything_else_works(page: Page, stage: Stage) -> None:
    page.add_init_script(
        "for (const name of ['localStorage', 'sessionStorage'])"
        " Object.defineProperty(window, name, { get() { throw new DOMException('refused') } })"
    )
    page.goto("/judge/")
    choose(page, 0, 3)
    saved(page, "Saved")
    choose(page, 1, 3)
    send(page)
    expect(page.get_by_role("heading", name="Next text")).to_be_visible()
    assert len(stage.posts) == 1


@pytest.mark.own_context
def test_a_press_in_the_first_half_second_sends_nothing_unless_something_was_answered(page: Page, stage: Stage) -> None:
    page.clock.install(time=0)
    page.clock.pause_at(1_000)
    page.goto("/judge/")
    button, note = page.get_by_role("button", name="Send and go on"), page.locator("[data-foot-note]")
    page.keyboard.press("Control+Enter")
    expect(note).to_have_text("")
    expect(button).to_have_css("pointer-events", "none")
    page.clock.run_for(2_000)
    expect(note).to_have_text("")
    button.click()
    expect(note).to_have_text("2 questions left")
    page.goto("/judge/")
    choose(page, 0, 3)
    choose(page, 1, 3)
    page.keyboard.press("Control+Enter")
    assert stage.posts == []
    page.clock.run_for(2_000)
    expect(page.get_by_role("heading", name="Next text")).to_be_visible()
    assert len(stage.posts) == 1
