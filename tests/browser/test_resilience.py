"""Whatever happens to connection, clock, window or device: nothing is lost, and nothing counts twice."""

import json
import re
from collections.abc import Callable
from contextlib import suppress

import pytest
from playwright.sync_api import Browser, Error, Page, Route, expect

from tests.browser.kit import at, begin, phone, send
from tests.servers import LiveSite

MakeStudy = Callable[..., str]

# Prints what is stored of a study: the seconds of each answer.
STORED = """
import json
from tasks_app.models import Judgment
own = Judgment.objects.filter(assignment__rater__study__slug="{slug}")
print(json.dumps([[one.seconds_active, one.seconds_elapsed] for one in own.order_by("id")]))
"""

# As if a study's units had been shown two hours before: the server believes no browser that measured more than passed.
TWO_HOURS = """
from datetime import timedelta
from django.db.models import F
from tasks_app.models import Assignment
own = Assignment.objects.filter(rater__study__slug="{slug}")
own.update(first_shown=F("first_shown") - timedelta(hours=2))
"""


def stored(site: LiveSite, slug: str) -> list[list[float]]:
    found: list[list[float]] = json.loads(site.manage("shell", "-v", "0", "-c", STORED.format(slug=slug)))
    return found


def answer(page: Page, step: int = 3) -> None:
    for group in page.get_by_role("radiogroup").all():
        group.locator("label").nth(step).click()


def personal_link(page: Page) -> str:
    found = re.match(r".*/r/[^/]+/", page.url)
    assert found
    return found[0]


def test_no_code_before_the_server_has_the_last_answer(page: Page, make_study: MakeStudy, live_site: LiveSite) -> None:
    begin(page, make_study("confirmed", size=1))
    network = "down"

    def handle(route: Route) -> None:
        """Lose what is sent, or let the server have it and lose what it says."""
        if route.request.method != "POST" or network == "up":
            route.continue_()
            return
        if network == "deaf":
            route.fetch(max_redirects=0)
        route.abort()

    page.route("**/judge/", handle)
    answer(page)
    send(page)
    safe = page.get_by_role("contentinfo").get_by_text("Your answer is safe")
    expect(safe).to_be_visible()
    other = page.context.new_page()
    other.goto(f"{personal_link(page)}end/")
    at(other, 0)
    expect(other.get_by_text("Your code")).to_have_count(0)
    other.close()
    assert stored(live_site, "confirmed") == []
    network = "deaf"
    with page.expect_event("requestfailed", lambda request: request.method == "POST"):
        page.get_by_role("button", name="Try now").click()
    expect(safe).to_be_visible()
    expect(page.get_by_text("Your code")).to_have_count(0)
    network = "up"
    expect(page.get_by_role("heading", name="Thank you, you have finished")).to_be_visible(timeout=30_000)
    expect(page.get_by_role("heading", name="Your code")).to_be_visible()
    assert len(stored(live_site, "confirmed")) == 1, "sent three times, stored once"


def reloaded_without_scripts(page: Page) -> list[Route]:
    """Load a page anew, but not the scripts: they come once what is returned goes on."""
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/core/main*.js", hold)
    page.reload(wait_until="commit")
    return held


@pytest.mark.exhaustive
def test_keys_pressed_before_the_scripts_have_come_are_heard(page: Page, make_study: MakeStudy) -> None:
    begin(page, make_study("early-keys", size=2))
    held = reloaded_without_scripts(page)
    expect(page.get_by_role("radiogroup")).to_have_count(2)
    for key in ("4", "Control+Enter", "2"):
        page.keyboard.press(key)
    chosen = page.locator("input[type=radio]:checked")
    assert chosen.count() == 0, "the scripts were there already"
    for route in held:
        route.continue_()
    expect(chosen).to_have_count(2)
    assert [one.input_value() for one in chosen.all()] == ["4", "2"]
    at(page, 0)


def test_what_was_chosen_before_the_scripts_have_come_is_kept(page: Page, make_study: MakeStudy) -> None:
    begin(page, make_study("early-choice", size=2))
    held = reloaded_without_scripts(page)
    page.get_by_role("radiogroup").first.locator("label").nth(2).click()
    expect(page.locator("[data-saved]")).to_have_text("")
    for route in held:
        route.continue_()
    expect(page.locator("[data-saved]")).to_have_text("Saved")


@pytest.mark.own_context
def test_pauses_between_tries_grow_and_are_seen(page: Page, make_study: MakeStudy) -> None:
    page.clock.install()
    begin(page, make_study("pauses", size=2))
    page.clock.pause_at(page.evaluate("Date.now()") / 1000 + 60)
    page.route("**/judge/", lambda route: route.abort() if route.request.method == "POST" else route.continue_())
    answer(page)
    send(page)
    notice = page.get_by_role("contentinfo")
    for seconds in (2, 4):
        expect(notice).to_contain_text(f"trying again in {seconds} s")
        page.get_by_role("button", name="Try now").click()
    expect(notice).to_contain_text("trying again in 8 s")
    page.unroute("**/judge/")
    page.clock.run_for(7_000)
    expect(notice).to_contain_text("trying again in 1 s")
    at(page, 0)
    page.clock.resume()
    at(page, 1)


@pytest.mark.exhaustive
def test_the_back_button_doubles_nothing(page: Page, make_study: MakeStudy, live_site: LiveSite) -> None:
    page.goto(make_study("back-button", size=3))
    page.get_by_role("button", name="I agree, begin").click()
    page.get_by_role("button", name="Start").click()
    for done in range(2):
        at(page, done)
        answer(page)
        send(page)
    at(page, 2)
    page.go_back()
    expect(page.get_by_role("button", name="Start").or_(page.get_by_text("3 of 3")).first).to_be_visible()
    page.go_forward()
    at(page, 2)
    answer(page)
    send(page)
    expect(page.get_by_role("heading", name="Thank you, you have finished")).to_be_visible()
    page.go_back()
    page.goto(f"{personal_link(page)}judge/")
    expect(page.get_by_role("heading", name="Thank you, you have finished")).to_be_visible()
    assert len(stored(live_site, "back-button")) == 3


@pytest.mark.exhaustive
@pytest.mark.own_context
def test_a_clock_that_is_wrong_by_years_changes_nothing(page: Page, make_study: MakeStudy, live_site: LiveSite) -> None:
    begin(page, make_study("wrong-clock", size=1))
    page.route("**/draft/", lambda route: route.abort())
    page.get_by_role("radiogroup").first.locator("label").nth(2).click()
    expect(page.locator("[data-saved]")).to_contain_text("Offline")
    for year in ("2051", "1999"):
        page.clock.set_fixed_time(f"{year}-01-01T00:00:00Z")
        page.reload()
        expect(page.locator("input[type=radio]:checked")).to_have_value("3")
    page.unroute("**/draft/")
    answer(page)
    send(page)
    expect(page.get_by_role("heading", name="Thank you, you have finished")).to_be_visible()
    [[active, elapsed]] = stored(live_site, "wrong-clock")
    assert 0 < active <= elapsed < 300


@pytest.mark.exhaustive
def test_a_server_that_is_restarted_meanwhile_loses_nothing(
    page: Page, make_study: MakeStudy, live_site: LiveSite
) -> None:
    begin(page, make_study("restarted", size=2))
    page.get_by_role("radiogroup").first.locator("label").nth(2).click()
    expect(page.locator("[data-saved]")).to_have_text("Saved")
    live_site.stop("web")
    try:
        page.get_by_role("radiogroup").last.locator("label").nth(1).click()
        expect(page.locator("[data-saved]")).to_contain_text("Offline: your answers are kept on this device")
        send(page)
        notice = page.get_by_role("contentinfo")
        expect(notice).to_contain_text("Your answer is safe. We could not reach the server")
    finally:
        live_site.start("web")
    # The page tries by itself as well, and may have left already: whichever comes first sends the answer, once.
    with suppress(Error):
        page.evaluate("[...document.querySelectorAll('button')].find(one => one.textContent === 'Try now')?.click()")
    at(page, 1)
    answer(page)
    send(page)
    expect(page.get_by_role("heading", name="Thank you, you have finished")).to_be_visible()
    assert len(stored(live_site, "restarted")) == 2


@pytest.mark.exhaustive
def test_the_personal_link_brings_everything_back_without_cookies_and_on_a_phone(
    page: Page, browser: Browser, make_study: MakeStudy, live_site: LiveSite
) -> None:
    begin(page, make_study("moved", size=2))
    answer(page)
    send(page)
    at(page, 1)
    page.get_by_role("radiogroup").first.locator("label").nth(1).click()
    expect(page.locator("[data-saved]")).to_have_text("Saved")
    link = personal_link(page)
    page.context.clear_cookies()
    page.evaluate("localStorage.clear(); sessionStorage.clear()")
    page.goto(link)
    at(page, 1)
    expect(page.locator("input[type=radio]:checked")).to_have_value("2")
    with phone(browser, live_site) as pocket:
        pocket.goto(link)
        at(pocket, 1)
        expect(pocket.locator("input[type=radio]:checked")).to_have_value("2")
        for group in pocket.get_by_role("radiogroup").all():
            group.locator("label").nth(1).tap()
        send(pocket)
        expect(pocket.get_by_role("heading", name="Thank you, you have finished")).to_be_visible()
    answer(page, 4)
    send(page)
    expect(page.get_by_role("heading", name="You answered this twice")).to_be_visible()
    assert len(stored(live_site, "moved")) == 2


@pytest.mark.exhaustive
@pytest.mark.own_context
def test_clocks_stand_still_during_a_break(page: Page, make_study: MakeStudy, live_site: LiveSite) -> None:
    page.clock.install()
    begin(page, make_study("pause", size=1))
    page.clock.run_for(21 * 60 * 1000)
    for _minute in range(21):
        page.mouse.move(100 + _minute, 300)
        page.clock.run_for(59_000)
    page.get_by_role("button", name="Take a break").click()
    page.clock.run_for(30 * 60 * 1000)
    page.get_by_role("dialog").get_by_role("button", name="Go on").click()
    answer(page)
    live_site.manage("shell", "-v", "0", "-c", TWO_HOURS.format(slug="pause"))
    send(page)
    expect(page.get_by_role("heading", name="Thank you, you have finished")).to_be_visible()
    [[active, elapsed]] = stored(live_site, "pause")
    assert 20 * 60 < active < 25 * 60
    assert active <= elapsed < 45 * 60, "half an hour of rest is not among it"
