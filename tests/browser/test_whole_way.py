"""From an arrival to every ending, in a real browser: questions, practice, test, texts with checks among them, code."""

import secrets
from collections import Counter

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.checked import (
    KNOWN,
    OpenChecked,
    agree,
    answer,
    ended,
    fit,
    go_on,
    judge,
    prolific,
    said_of,
    say_how_it_went,
    stage,
    start,
    text_on,
)
from tests.browser.kit import PHONE, accessible, at, fits, phone, press_until, send, sign_in
from tests.browsing import new_context
from tests.servers import LiveSite

# Lets the time pass for which raters of a study hold what they were given.
LEASES_OVER = """
from django.db.models.functions import Now
from tasks_app.models import RaterSet
RaterSet.objects.filter(rater__study__slug="{slug}").update(lease_until=Now())
"""
PART_PAY = "You are paid 0.60 EUR for your work here."


def test_the_whole_way_from_prolific_and_back(page: Page, open_checked: OpenChecked) -> None:
    way_in = prolific(open_checked(controls=1, attention=1, repeats=1, warm_up=1).link)
    page.goto(way_in)
    agree(page)
    stage(page, "Some questions first")
    accessible(page)
    fit(page)
    expect(page.get_by_text("A test of one text follows, which has to be right. You have 2 att")).to_be_visible()
    start(page)
    stage(page, "Practice 1 of 1")
    judge(page, wrong=True)
    expect(page.get_by_text("The notice says Friday.")).to_be_visible()
    accessible(page)
    go_on(page, "Not quite, and why")
    stage(page, "Test 1 of 1")
    judge(page, wrong=True)
    expect(page.get_by_text("To pass, 1 has to be right.")).to_be_visible()
    go_on(page, "Not passed this time", "Try again")
    stage(page, "Test 1 of 1")
    judge(page)
    go_on(page, "You have passed the test")
    seen = _judge_with_a_lost_network(page, way_in)
    assert sum(text in KNOWN for text in seen) == 2, "a control and an attention check were among them"
    assert sorted(seen.values()) == [1] * 4 + [2], "and one text came twice"
    say_how_it_went(page)
    ended(page, "Thank you, you have finished", "completed", "You are paid 2.40 EUR for your work here.")
    back = page.get_by_role("link", name="Back to Prolific")
    expect(back).to_have_attribute("href", "https://app.prolific.com/submissions/complete?cc=C1DONE")


def _judge_with_a_lost_network(page: Page, way_in: str) -> Counter[str]:
    """Judge six texts, without a network for a while and arriving anew once; returns how often each was seen."""
    seen: Counter[str] = Counter()
    for done in range(6):
        at(page, done)
        seen[text_on(page)] += 1
        if done == 3:
            page.context.set_offline(True)
            answer(page)
            expect(page.locator("[data-saved]")).to_contain_text("Offline")
            send(page)
            expect(page.get_by_role("contentinfo").get_by_text("Your answer is safe")).to_be_visible()
            page.context.set_offline(False)
            continue
        if done == 5:
            page.goto(way_in)
            at(page, done)
        judge(page)
    return seen


@pytest.mark.exhaustive
def test_the_whole_way_with_the_keyboard_alone(page: Page, open_checked: OpenChecked) -> None:
    page.goto(prolific(open_checked().link))
    _press(page, "I agree, begin")
    stage(page, "Some questions first")
    _choose(page, "english", "fluently")
    _choose(page, "age", "adult")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("heading", name="What to do")).to_be_visible()
    _press(page, "Start")
    _type_answer(page, "Practice 1 of 1", wrong=True)
    expect(page.get_by_role("heading", name="Not quite, and why")).to_be_visible()
    _press(page, "Go on")
    _type_answer(page, "Test 1 of 1", wrong=True)
    expect(page.get_by_role("heading", name="Not passed this time")).to_be_visible()
    _press(page, "Try again")
    _type_answer(page, "Test 1 of 1")
    expect(page.get_by_role("heading", name="You have passed the test")).to_be_visible()
    _press(page, "Go on")
    for done in range(2):
        _type_answer(page, f"Text {done + 1} of 2")
    stage(page, "Some questions about you")
    _tab_to(page, "radio", "Space")
    page.keyboard.press("Control+Enter")
    ended(page, "Thank you, you have finished", "completed")
    press_until(page, lambda: "Back to Prolific" in str(page.evaluate("document.activeElement.textContent")))


def _tab_to(page: Page, kind: str, *keys: str) -> None:
    press_until(page, lambda: page.evaluate("document.activeElement.type") == kind)
    for key in keys:
        page.keyboard.press(key)


def _press(page: Page, button: str) -> None:
    press_until(page, lambda: page.evaluate("document.activeElement.textContent").strip() == button)
    page.keyboard.press("Enter")


def _choose(page: Page, criterion: str, value: str) -> None:
    """Go to a question by Tab and along its options by the arrows."""
    press_until(page, lambda: page.evaluate("document.activeElement.name ?? ''").endswith(f"-{criterion}"))
    page.keyboard.press("Space")
    chosen = f"document.querySelector('input[name$=\"-{criterion}\"]:checked').value"
    while page.evaluate(chosen) != value:
        page.keyboard.press("ArrowDown")


def _type_answer(page: Page, where: str, *, wrong: bool = False) -> None:
    """Answer a text by digits, in the order in which its questions stand, and send it."""
    stage(page, where)
    said = said_of(text_on(page), wrong=wrong)
    names = page.locator("input[type=radio][value='1']").evaluate_all("all => all.map((one) => one.name)")
    _tab_to(page, "radio")
    for name in names:
        page.keyboard.press(str(said[name.removeprefix("p1-")]))
    expect(page.locator("input[type=radio]:checked")).to_have_count(len(names))
    page.keyboard.press("Control+Enter")


@pytest.mark.exhaustive
def test_the_whole_way_on_a_phone_without_scripts(
    browser: Browser, live_site: LiveSite, open_checked: OpenChecked
) -> None:
    context = new_context(browser, live_site.url, viewport=PHONE, is_mobile=True, java_script_enabled=False)
    page = context.new_page()
    page.goto(prolific(open_checked().link))
    agree(page)
    stage(page, "Some questions first")
    fits(page)
    fit(page)
    start(page)
    stage(page, "Practice 1 of 1")
    fits(page)
    judge(page, wrong=True)
    expect(page.get_by_text("The notice says Friday.")).to_be_visible()
    fits(page)
    go_on(page, "Not quite, and why")
    stage(page, "Test 1 of 1")
    judge(page, wrong=True)
    expect(page.get_by_text("You can try 1 more time.")).to_be_visible()
    fits(page)
    go_on(page, "Not passed this time", "Try again")
    judge(page)
    go_on(page, "You have passed the test")
    for done in range(2):
        at(page, done)
        judge(page)
    say_how_it_went(page)
    ended(page, "Thank you, you have finished", "completed", "You are paid 2.40 EUR for your work here.")
    fits(page)
    context.close()


@pytest.mark.exhaustive
def test_whom_the_study_does_not_fit(browser: Browser, live_site: LiveSite, open_checked: OpenChecked) -> None:
    with phone(browser, live_site) as page:
        page.goto(prolific(open_checked().link))
        agree(page)
        stage(page, "Some questions first")
        fits(page)
        page.get_by_text("Hardly at all", exact=True).tap()
        page.get_by_text("Yes", exact=True).tap()
        send(page)
        ended(page, "Thank you for your answers", "screened_out", PART_PAY)
        fits(page)


@pytest.mark.exhaustive
def test_who_fails_the_test_twice(browser: Browser, live_site: LiveSite, open_checked: OpenChecked) -> None:
    with phone(browser, live_site) as page:
        page.goto(prolific(open_checked("screening", "training").link))
        agree(page)
        start(page)
        stage(page, "Test 1 of 1")
        judge(page, wrong=True)
        expect(page.get_by_text("You can try 1 more time.")).to_be_visible()
        accessible(page)
        fits(page)
        go_on(page, "Not passed this time", "Try again")
        judge(page, wrong=True)
        ended(page, "Thank you for trying", "failed", PART_PAY)
        fits(page)
        page.go_back()
        expect(page.get_by_role("heading", name="Thank you for trying")).to_be_visible()


@pytest.mark.exhaustive
def test_whose_checks_are_wrong(page: Page, open_checked: OpenChecked) -> None:
    study = open_checked("screening", "training", "exam", attention=2, on_failing="end", fail_after=2)
    page.goto(prolific(study.link))
    agree(page)
    start(page)
    over = page.get_by_role("heading", name="Thank you for trying")
    for done in range(4):
        expect(over.or_(page.locator(".top-progress", has_text=f"{done + 1} of 4"))).to_be_visible()
        if over.is_visible():
            break
        judge(page, wrong=True)
    ended(page, "Thank you for trying", "failed", "You are paid")


@pytest.mark.exhaustive
def test_who_is_told_about_wrong_checks_goes_on(
    browser: Browser, live_site: LiveSite, open_checked: OpenChecked
) -> None:
    study = open_checked("screening", "training", "exam", size=4, controls=2, on_failing="warn", fail_after=1)
    with phone(browser, live_site) as page:
        page.goto(study.link)
        agree(page)
        start(page)
        told = page.get_by_role("heading", name="Time for a short break", level=1)
        for done in range(6):
            expect(told.or_(page.locator(".top-progress", has_text=f"{done + 1} of 6")).first).to_be_visible()
            if told.is_visible():
                break
            judge(page, wrong=True)
        expect(page.get_by_text("your pay stays the same")).to_be_visible()
        expect(page.get_by_text("Read the notice, then the message.")).to_be_visible()
        accessible(page)
        fits(page)
        page.reload()
        go_on(page, "Time for a short break")
        at(page, done)


@pytest.mark.exhaustive
def test_who_stops_in_the_practice(page: Page, open_checked: OpenChecked) -> None:
    page.goto(prolific(open_checked().link))
    agree(page)
    fit(page)
    start(page)
    stage(page, "Practice 1 of 1")
    page.get_by_role("link", name="Stop here").click()
    page.get_by_role("button", name="Stop here").click()
    ended(page, "You have stopped", "withdrawn", "You are paid 0.40 EUR for your work here.")


@pytest.mark.exhaustive
def test_who_cannot_come_in(page: Page, live_site: LiveSite, open_checked: OpenChecked) -> None:
    study = open_checked("screening", "training", "exam", size=36, k=1)
    person = secrets.token_hex(12)
    way_in = prolific(study.link, PROLIFIC_PID=person)
    page.goto(way_in)
    agree(page)
    start(page)
    nothing = "If you have already begun, open your personal link: your answers and pay are kept."
    page.goto(prolific(study.link))
    ended(page, "All places are taken", "full", nothing)
    page.goto(prolific(study.link, PROLIFIC_PID=person))
    expect(page.get_by_text("You have already begun this study in this browser.")).to_be_visible()
    page.context.clear_cookies(name="evalweb_begun")
    page.reload()
    ended(page, "You have taken part already", "", "Your pay for taking part does not change.")
    expect(page.get_by_text("Please return your submission on Prolific")).to_be_visible()
    live_site.manage("shell", "-v", "0", "-c", LEASES_OVER.format(slug=study.slug))
    page.goto(prolific(study.link))
    agree(page)
    expect(page.get_by_text("You will get 36 texts with")).to_be_visible()
    page.goto(way_in)
    ended(page, "All places were taken meanwhile", "full", PART_PAY)
    live_site.manage("move_study", study.slug, "pause")
    page.goto(prolific(study.link))
    ended(page, "This study is paused", "", nothing)
    accessible(page)
    live_site.manage("move_study", study.slug, "close")
    page.goto(prolific(study.link))
    ended(page, "This study has ended", "closed", nothing)


@pytest.mark.exhaustive
def test_who_returned_or_timed_out_on_the_platform_and_every_ending_on_a_phone(
    page: Page, live_site: LiveSite, open_checked: OpenChecked
) -> None:
    study = open_checked()
    sign_in(page, live_site)
    for status, title in (
        ("RETURNED", "You have returned this study"),
        ("TIMED-OUT", "The time for this study is over"),
    ):
        submission = secrets.token_hex(12)
        way_in = prolific(study.link, SESSION_ID=submission)
        page.goto(way_in)
        agree(page)
        fit(page)
        expect(page.get_by_role("heading", name="What to do")).to_be_visible()
        page.goto(f"/admin/studies/{study.slug}/recruit/statuses/prolific/")
        page.get_by_label("Submission ids").fill(submission)
        page.get_by_label("Or by hand: status").select_option(status)
        page.get_by_role("button", name="Check and enter").click()
        expect(page.get_by_role("heading", name="Entered")).to_be_visible()
        page.goto(way_in)
        ended(page, title, "", "You are paid 0.40 EUR for your work here.")
    page.set_viewport_size(PHONE)
    for outcome in ("completed", "screened_out", "failed", "full", "withdrawn", "returned", "timed_out"):
        page.goto(f"/admin/studies/{study.slug}/recruit/try/?channel=prolific&outcome={outcome}")
        expect(page.locator(f".outcome-{outcome}")).to_be_visible()
        fits(page)
    accessible(page)


@pytest.mark.exhaustive
def test_feedback_comes_again_when_its_answer_was_lost(page: Page, open_checked: OpenChecked) -> None:
    page.goto(open_checked().link)
    agree(page)
    fit(page)
    start(page)
    stage(page, "Practice 1 of 1")
    lost = page.url

    def lose(route: Route) -> None:
        """Let the server have the answer, and the browser nothing of what it says."""
        if route.request.method == "POST":
            route.fetch(max_redirects=0)
            route.abort()
        else:
            route.continue_()

    page.route("**/judge/", lose)
    judge(page)
    expect(page.get_by_role("contentinfo").get_by_text("Your answer is safe")).to_be_visible()
    other = page.context.new_page()
    other.goto(lost)
    expect(other.get_by_role("heading", name="That is right")).to_be_visible()
    other.close()
    page.unroute("**/judge/")
    expect(page.get_by_role("heading", name="That is right")).to_be_visible(timeout=30_000)
    go_on(page, "That is right")
    stage(page, "Test 1 of 1")
