"""From an arrival to every ending, in a real browser: questions, practice, test, texts with checks among them, code."""

from __future__ import annotations

import csv
import json
import secrets
import shutil
from collections.abc import Callable
from functools import cache
from itertools import count
from typing import Any

import pytest
import yaml
from playwright.sync_api import Page, Route, expect

from evalweb.local_services.folder import BASE_DIR
from tests.browser.kit import accessible, at, send
from tests.servers import LiveSite

EXAMPLE = BASE_DIR / "examples" / "checked"
UNKNOWN = {"clarity": 4, "accuracy": 3}
OpenChecked = Callable[..., str]


def _known() -> dict[str, dict[str, int]]:
    """Read a right answer to every text with a known one: by text, by criterion."""
    with (EXAMPLE / "items.csv").open(encoding="utf-8", newline="") as file:
        texts = {f"{row['item']}/{row['system']}": row["output"] for row in csv.DictReader(file)}
    found: dict[str, dict[str, int]] = {}
    with (EXAMPLE / "controls.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["unit"] in texts:
                allowed = json.loads(row["answer"])
                value = allowed[0] if isinstance(allowed, list) else allowed
                found.setdefault(texts[row["unit"]], {})[row["criterion"]] = value
    return found


KNOWN = _known()


@pytest.fixture(scope="module")
def open_checked(live_site: LiveSite, tmp_path_factory: pytest.TempPathFactory) -> OpenChecked:
    """Load and open the example with checks, once for the same changes of its checks."""
    numbers = count(1)

    @cache
    def load(**checks: Any) -> str:
        folder = tmp_path_factory.mktemp("checked") / "study"
        shutil.copytree(EXAMPLE, folder)
        document = yaml.safe_load((folder / "study.yaml").read_text(encoding="utf-8"))
        document["study"]["slug"] = slug = f"checked-{next(numbers)}"
        document["flow"]["enrolments_per_address"] = 10_000
        document["tasks"][1]["k"] = 20
        document["tasks"][1]["checks"].update(checks)
        text = yaml.safe_dump(document, allow_unicode=True, sort_keys=False)
        (folder / "study.yaml").write_text(text, encoding="utf-8")
        live_site.manage("load_study", str(folder), "--owner", "researcher")
        return live_site.manage("move_study", slug, "open").strip()

    return load


def agree(page: Page, link: str) -> None:
    page.goto(link)
    page.get_by_role("checkbox").check()
    page.get_by_role("button", name="I agree, begin").click()


def fit(page: Page, english: str = "Fluently") -> None:
    """Answer the questions that come first."""
    expect(page.locator(".top-progress")).to_contain_text("Some questions first")
    page.get_by_role("radiogroup").first.get_by_text(english, exact=True).click()
    page.get_by_role("radiogroup").last.get_by_text("Yes", exact=True).click()
    send(page)


def start(page: Page) -> None:
    expect(page.get_by_role("heading", name="What to do")).to_be_visible()
    page.get_by_role("button", name="Start").click()


def enter(page: Page, link: str) -> None:
    """Come as far as the first text to practise on."""
    agree(page, link)
    fit(page)
    start(page)
    stage(page, "Practice 1 of 3")


def stage(page: Page, words: str) -> None:
    expect(page.locator(".top-progress")).to_contain_text(words)


def judge(page: Page, *, wrong: bool = False) -> None:
    """Answer the text on the screen: what is known of it, or the other end of the scale."""
    text = page.locator(".text:not(.text-beside) .judged").inner_text()
    for criterion, value in KNOWN.get(text, UNKNOWN).items():
        said = (1 if value > 2 else 5) if wrong else value
        page.locator(f"label:has(input[name='p1-{criterion}'][value='{said}'])").click()
    send(page)


def go_on(page: Page, heading: str, button: str = "Go on") -> None:
    expect(page.get_by_role("heading", name=heading, level=1)).to_be_visible()
    page.get_by_role("button", name=button).click()


def practise(page: Page) -> None:
    for number in range(1, 4):
        stage(page, f"Practice {number} of 3")
        judge(page)
        go_on(page, "That is right")


def take_the_test(page: Page, *, wrong: bool = False) -> None:
    for number in range(1, 5):
        stage(page, f"Test {number} of 4")
        judge(page, wrong=wrong)


def prolific(link: str) -> str:
    ids = {name: secrets.token_hex(12) for name in ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")}
    return f"{link}prolific/?" + "&".join(f"{name}={value}" for name, value in ids.items())


def test_the_whole_way_from_prolific_and_back(page: Page, open_checked: OpenChecked) -> None:
    way_in = prolific(open_checked())
    agree(page, way_in)
    fit(page)
    expect(page.get_by_role("heading", name="What to do")).to_be_visible()
    accessible(page)
    start(page)
    judge(page, wrong=True)
    expect(page.get_by_text("The notice says Friday.")).to_be_visible()
    accessible(page)
    go_on(page, "Not quite, and why")
    for number in (2, 3):
        stage(page, f"Practice {number} of 3")
        judge(page)
        go_on(page, "That is right")
    take_the_test(page, wrong=True)
    expect(page.get_by_text("0 of 4 texts were right. To pass, 3 have to be.")).to_be_visible()
    accessible(page)
    go_on(page, "Not passed this time", "Try again")
    take_the_test(page)
    go_on(page, "You have passed the test")
    for done in range(15):
        at(page, done)
        if done == 6:
            page.context.set_offline(True)
            judge(page)
            expect(page.get_by_role("contentinfo").get_by_text("Your answer is safe")).to_be_visible()
            page.context.set_offline(False)
            at(page, done + 1, timeout=30_000)
        elif done == 9:
            page.goto(way_in)
            at(page, done)
            judge(page)
        else:
            judge(page)
    stage(page, "Some questions about you")
    expect(page.get_by_text("All texts are done")).to_be_visible()
    page.get_by_role("radiogroup").first.locator("label").nth(1).click()
    send(page)
    expect(page.get_by_role("heading", name="Thank you, you have finished")).to_be_visible()
    expect(page.get_by_text("C1DONE").or_(page.locator("input[value='C1DONE']"))).to_be_visible()
    back = page.get_by_role("link", name="Back to Prolific")
    expect(back).to_have_attribute("href", "https://app.prolific.com/submissions/complete?cc=C1DONE")


def code_is(page: Page, code: str) -> None:
    expect(page.get_by_text(code).or_(page.locator(f"input[value='{code}']"))).to_be_visible()
    for other in {"C1DONE", "C2OTHER", "C3TEST", "C4STOP"} - {code}:
        assert other not in page.content()


def test_whom_the_study_does_not_fit(page: Page, open_checked: OpenChecked) -> None:
    agree(page, prolific(open_checked()))
    fit(page, "Hardly at all")
    expect(page.get_by_role("heading", name="Thank you for your answers")).to_be_visible()
    code_is(page, "C2OTHER")
    accessible(page)


def test_who_fails_the_test_twice(page: Page, open_checked: OpenChecked) -> None:
    enter(page, prolific(open_checked()))
    practise(page)
    take_the_test(page, wrong=True)
    go_on(page, "Not passed this time", "Try again")
    take_the_test(page, wrong=True)
    expect(page.get_by_role("heading", name="Thank you for trying")).to_be_visible()
    code_is(page, "C3TEST")
    page.go_back()
    expect(page.get_by_role("heading", name="Thank you for trying")).to_be_visible()


def test_whose_checks_are_wrong(page: Page, open_checked: OpenChecked) -> None:
    enter(page, prolific(open_checked(on_failing="end", fail_after=2)))
    practise(page)
    take_the_test(page)
    go_on(page, "You have passed the test")
    ended = page.get_by_role("heading", name="Thank you for trying")
    for done in range(15):
        expect(ended.or_(page.locator(".top-progress", has_text=f"{done} of 15"))).to_be_visible()
        if ended.is_visible():
            break
        judge(page, wrong=True)
    expect(ended).to_be_visible()
    code_is(page, "C3TEST")


def test_who_is_told_about_wrong_checks_goes_on(page: Page, open_checked: OpenChecked) -> None:
    enter(page, open_checked(on_failing="warn", fail_after=1, fail_below=0.9))
    practise(page)
    take_the_test(page)
    go_on(page, "You have passed the test")
    told = page.get_by_role("heading", name="Time for a short break", level=1)
    for done in range(15):
        expect(told.or_(page.locator(".top-progress", has_text=f"{done} of 15")).first).to_be_visible()
        if told.is_visible():
            break
        judge(page, wrong=True)
    accessible(page)
    page.reload()
    go_on(page, "Time for a short break")
    at(page, done)


def test_who_stops_in_the_practice(page: Page, open_checked: OpenChecked) -> None:
    enter(page, prolific(open_checked()))
    page.get_by_role("link", name="Stop here").click()
    page.get_by_role("button", name="Stop here").click()
    expect(page.get_by_role("heading", name="You have stopped")).to_be_visible()
    code_is(page, "C4STOP")


def test_feedback_comes_again_when_its_answer_was_lost(page: Page, open_checked: OpenChecked) -> None:
    enter(page, open_checked())
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
    page.unroute("**/judge/")
    other = page.context.new_page()
    other.goto(lost)
    expect(other.get_by_role("heading", name="That is right")).to_be_visible()
    page.get_by_role("button", name="Try now").click()
    go_on(page, "That is right")
    stage(page, "Practice 2 of 3")
