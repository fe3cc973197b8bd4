"""The example with every kind of check, and going through it: questions, practice, test, texts, questions, end."""

import csv
import json
import secrets
import shutil
from collections.abc import Callable, Collection, Mapping
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

import yaml
from playwright.sync_api import FrameLocator, Page, expect

from evalweb.local_services.folder import BASE_DIR
from tests.about import ABOUT, AS_IT_IS
from tests.servers import LiveSite

EXAMPLE = BASE_DIR / "examples" / "checked"


class Opened(NamedTuple):
    """An open study: what it is called, and where its raters come in."""

    slug: str
    link: str


OpenChecked = Callable[..., Opened]

# Codes by outcome, each of its own. What is not named here has none in the study.
CODES = {
    "completed": "C1DONE",
    "screened_out": "C2OTHER",
    "failed": "C3TEST",
    "withdrawn": "C4STOP",
    "full": "C5FULL",
    "closed": "C6SHUT",
}
# How the set of whoever walks through is made up, where a test does not say otherwise: as small as it can be whole.
CHECKS = {"training": 1, "exam": 1, "controls": 0, "attention": 0, "repeats": 0, "warm_up": 0}
UNKNOWN = {"clarity": 4, "accuracy": 3}


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


def opener(site: LiveSite, folder: Path) -> OpenChecked:
    """Return what loads the example and opens it, once for each way of changing it, and says where it is."""
    numbers = count(1)

    @cache
    def load(*without: str, size: int = 2, k: int = 20, **checks: Any) -> Opened:
        """Take the example `without` some purposes of known answers, with sets of that size and these checks."""
        slug = f"checked-{next(numbers)}"
        study = folder / slug
        shutil.copytree(EXAMPLE, study)
        _write(study, slug, without, {"set_size": size, "k": k, "spacing": 2}, CHECKS | checks)
        site.manage("load_study", str(study), "--owner", "researcher")
        return Opened(slug, site.manage("move_study", slug, "open", *AS_IT_IS).strip())

    return load


def _write(
    folder: Path, slug: str, without: Collection[str], task: Mapping[str, Any], checks: Mapping[str, Any]
) -> None:
    """Change the files of the example."""
    document = yaml.safe_load((folder / "study.yaml").read_text(encoding="utf-8"))
    document["study"]["slug"] = slug
    document["flow"]["enrolments_per_address"] = 10_000
    document["codes"] = CODES
    document["about"] |= ABOUT
    document["channels"] = {"link": {}, "prolific": {}, "mturk": {}}
    document["tasks"][1].update(task)
    document["tasks"][1]["checks"].update(checks)
    if "screening" in without:
        del document["tasks"][0]
    text = yaml.safe_dump(document, allow_unicode=True, sort_keys=False)
    (folder / "study.yaml").write_text(text, encoding="utf-8")
    _leave_out(folder, without)


def _leave_out(folder: Path, purposes: Collection[str]) -> None:
    """Take known answers for these purposes out of the study, and their items with them."""
    controls, items = folder / "controls.csv", folder / "items.csv"
    lines = controls.read_text(encoding="utf-8").splitlines(keepends=True)
    gone = [line for line in lines if any(f",{purpose}," in line for purpose in purposes)]
    controls.write_text("".join(line for line in lines if line not in gone), encoding="utf-8")
    of_them = {line.split(",")[1].partition("/")[0] for line in gone}
    rows = items.read_text(encoding="utf-8").splitlines(keepends=True)
    items.write_text("".join(row for row in rows if row.partition(",")[0] not in of_them), encoding="utf-8")


def prolific(link: str, **changed: str) -> str:
    """Return the address that Prolific would open."""
    ids = {name: secrets.token_hex(12) for name in ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")} | changed
    return f"{link}prolific/?{urlencode(ids)}"


def agree(page: Page | FrameLocator) -> None:
    """Agree to take part."""
    page.get_by_role("button", name="I agree, begin").click()


def fit(page: Page | FrameLocator, english: str = "Fluently") -> None:
    """Answer the questions that come first."""
    stage(page, "Some questions first")
    page.get_by_role("radiogroup").first.get_by_text(english, exact=True).click()
    page.get_by_role("radiogroup").last.get_by_text("Yes", exact=True).click()
    page.get_by_role("button", name="Send and go on").click()


def start(page: Page | FrameLocator) -> None:
    """Go on from the instructions."""
    expect(page.get_by_role("heading", name="What to do")).to_be_visible()
    page.get_by_role("button", name="Start").click()


def stage(page: Page | FrameLocator, words: str) -> None:
    """Wait until the bar on top says where the rater is."""
    expect(page.locator(".top-progress")).to_contain_text(words)


def said_of(text: str, *, wrong: bool = False) -> dict[str, int]:
    """Say what is known of a text, by criterion, or the other end of the scale."""
    known = KNOWN.get(text, UNKNOWN)
    return {criterion: (1 if value > 2 else 5) if wrong else value for criterion, value in known.items()}


def text_on(page: Page | FrameLocator) -> str:
    """Return the text that is to be judged."""
    return page.locator(".text:not(.text-beside) .judged").inner_text()


def answer(page: Page | FrameLocator, *, wrong: bool = False) -> None:
    """Answer the text on the screen, and do not send it."""
    for criterion, value in said_of(text_on(page), wrong=wrong).items():
        page.locator(f"label:has(input[name='p1-{criterion}'][value='{value}'])").click()


def judge(page: Page | FrameLocator, *, wrong: bool = False) -> None:
    """Answer the text on the screen: what is known of it, or the other end of the scale."""
    answer(page, wrong=wrong)
    page.get_by_role("button", name="Send and go on").click()


def go_on(page: Page | FrameLocator, heading: str, button: str = "Go on") -> None:
    """Read a page between two units, and leave it."""
    expect(page.get_by_role("heading", name=heading, level=1)).to_be_visible()
    page.get_by_role("button", name=button).click()


def pass_everything(page: Page | FrameLocator) -> None:
    """Get through the questions, the practice of one text and the test of one."""
    fit(page)
    start(page)
    stage(page, "Practice 1 of 1")
    judge(page)
    go_on(page, "That is right")
    stage(page, "Test 1 of 1")
    judge(page)
    go_on(page, "You have passed the test")


def say_how_it_went(page: Page | FrameLocator) -> None:
    """Answer the questions at the end."""
    stage(page, "Some questions about you")
    expect(page.get_by_text("All texts are done")).to_be_visible()
    page.get_by_role("radiogroup").first.locator("label").nth(1).click()
    page.get_by_role("button", name="Send and go on").click()


def ended(page: Page | FrameLocator, heading: str, outcome: str = "", pay: str = "") -> None:
    """Assert that a page says how it ended and what is paid, with the code of that outcome and no other."""
    expect(page.get_by_role("heading", name=heading, level=1)).to_be_visible()
    if pay:
        expect(page.get_by_text(pay)).to_be_visible()
    shown = str(page.locator("main").evaluate("one => one.innerHTML"))
    assert {code for code in CODES.values() if code in shown} == ({CODES[outcome]} if outcome else set())
