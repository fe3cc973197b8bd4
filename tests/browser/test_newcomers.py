"""What a newcomer has to do from the sign-in to a result: clicks, fields and screens are counted and limited."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.newcomer import Newcomer
from tests.browsing import shared_page
from tests.servers import LiveSite

SYSTEMS = ("north", "south", "east", "west", "centre")
PLACES = ("Aster", "Birch", "Cedar", "Daisy", "Elder", "Fern", "Gorse", "Hazel")
KINDS = ("café", "pub", "hotel", "shop", "museum")


def account(live_site: LiveSite, name: str) -> str:
    """Make an account of a researcher who has never signed in."""
    live_site.manage(
        "shell", "-v", "0", "-c",
        "from django.contrib.auth.models import User; "
        f"User.objects.create_user({name!r}, password={live_site.login[1]!r}, is_staff=True)",
    )  # fmt: skip
    return name


def long_table(folder: Path, systems: tuple[str, ...] = SYSTEMS) -> str:
    """Write outputs of systems for forty inputs, one a row."""
    facts = [f"name[{place} {number}], kind[{kind}]" for number, kind in enumerate(KINDS) for place in PLACES]
    rows = [
        f'{system},"{fact}","{fact[5:].split("]")[0]} is a place that {system} calls a {fact.split("kind[")[1][:-1]}."'
        for fact in facts
        for system in systems
    ]
    path = folder / "outputs.csv"
    path.write_text("\n".join(["system,mr,output", *rows]), encoding="utf-8")
    return str(path)


def first_visit(page: Page, live_site: LiveSite, name: str) -> Newcomer:
    """Sign in as a researcher who was never here."""
    page.context.clear_cookies()
    walk = Newcomer(page)
    walk.sign_in(live_site, account(live_site, name))
    return walk


def tell_who_runs_it(walk: Newcomer) -> None:
    """Fill in the usual settings, which are asked once."""
    walk.fill("Who runs this study", "Language group, University of Trier")
    walk.fill("Contact", "lab@uni-trier.de")
    walk.fill("Complaints", "ethics@uni-trier.de")
    walk.choose("Where raters come from", "Prolific")


def tell_the_rest(walk: Newcomer) -> None:
    """Fill in what a consent text needs and nothing else says, and take over the draft."""
    walk.fill("What the study is for", "how people read descriptions of places")
    walk.fill("Pay for a full set", "3")
    walk.press("Use this draft")


def open_it(walk: Newcomer) -> None:
    """Open a study on Review, which asks once more."""
    walk.clicks += 1
    walk.page.get_by_text("Open the study…").click()
    walk.press("Open the study now")
    walk.sees("The study is open.")


def test_a_table_becomes_an_open_study_on_prolific(browser: Browser, live_site: LiveSite, tmp_path: Path) -> None:
    """Five systems, forty inputs, two rated criteria, a comparison, an attention check, Prolific."""
    with shared_page(browser, live_site.url, locale="en-GB", viewport={"width": 1280, "height": 900}) as page:
        walk = first_visit(page, live_site, "newcomer")
        walk.follow("Begin with a table of texts")
        walk.fill("Title", "Five systems")
        walk.upload(long_table(tmp_path))
        tell_who_runs_it(walk)
        walk.press("Create the study")
        walk.press("Store these texts")
        walk.press("Compare systems one text at a time, in steps")
        walk.choose("Raters also", "Which is better, A or B?")
        walk.press("Add this task")
        # While a save is on its way a press waits for its answer, and a second press takes the place of the first.
        walk.sees("Pairwise comparison (task 2)")
        walk.fill("Question", "How well does this text read?")
        walk.press("Save and go on")
        walk.press("Add an attention check: Likert scale")
        walk.press("Save and go on")
        tell_the_rest(walk)
        walk.press("Check everything")
        open_it(walk)
        expect(page.get_by_text("PROLIFIC_PID").first).to_be_visible()
        walk.is_within(clicks=25, fields=15, screens=10)


@pytest.mark.exhaustive
def test_rankme_as_published_is_opened_with_a_table_of_ones_own(
    browser: Browser, live_site: LiveSite, tmp_path: Path
) -> None:
    """The published design stays; the texts are replaced."""
    with shared_page(browser, live_site.url, locale="en-GB", viewport={"width": 1280, "height": 900}) as page:
        walk = first_visit(page, live_site, "replicator")
        walk.follow("Other ways to begin")
        walk.follow("RankME on texts made from data")
        tell_who_runs_it(walk)
        walk.press("Create the study")
        walk.upload(long_table(tmp_path, SYSTEMS[:3]))
        walk.press("Upload and preview")
        walk.press("Store these texts")
        walk.follow("Check and open…")
        walk.press("Check everything")
        open_it(walk)
        walk.is_within(clicks=10, fields=7, screens=6)


@pytest.mark.exhaustive
def test_errors_are_marked_in_documents(browser: Browser, live_site: LiveSite, tmp_path: Path) -> None:
    """A table of translated documents, errors marked after MQM, an attention check, Prolific."""
    table = tmp_path / "translations.csv"
    rows = [
        f"news-{document},{segment},{system},Satz {segment} im Text {document}.,"
        f"This is sentence {segment} of text {document} by {system}."
        for document in range(4)
        for segment in range(5)
        for system in SYSTEMS[:3]
    ]
    table.write_text("\n".join(["document,segment_no,system,source,translation", *rows]), encoding="utf-8")
    with shared_page(browser, live_site.url, locale="en-GB", viewport={"width": 1280, "height": 900}) as page:
        walk = first_visit(page, live_site, "translator")
        walk.follow("Begin with a table of texts")
        walk.fill("Title", "Three translations")
        walk.upload(str(table))
        tell_who_runs_it(walk)
        walk.press("Create the study")
        walk.press("Store these texts")
        walk.press("Mark what is wrong, and where")
        walk.press("Save and go on")
        walk.press("Add an attention check")
        walk.press("Save and go on")
        tell_the_rest(walk)
        walk.press("Check everything")
        open_it(walk)
        walk.is_within(clicks=12, fields=10, screens=10)


@pytest.mark.exhaustive
def test_ratings_from_elsewhere_are_analysed(browser: Browser, live_site: LiveSite, tmp_path: Path) -> None:
    """Texts of a paper and its ratings, with the paper's own names of columns."""
    texts, ratings = tmp_path / "texts.csv", tmp_path / "ratings.csv"
    shown = [(n, system) for n in range(1, 13) for system in "AB"]
    texts.write_text("\n".join(["segment,model,text", *(f"{n},{model},Text {n} by {model}." for n, model in shown)]))
    given = [f"w{rater},{n},{model},{1 + (n * rater + ord(model)) % 5}" for rater in (1, 2, 3) for n, model in shown]
    ratings.write_text("\n".join(["worker,segment,model,score", *given]))
    with shared_page(browser, live_site.url, locale="en-GB", viewport={"width": 1280, "height": 900}) as page:
        walk = first_visit(page, live_site, "analyst")
        walk.follow("Begin with the rated texts")
        walk.fill("Title", "Ratings of a paper")
        walk.upload(str(texts))
        walk.press("Create the study")
        walk.press("Store these texts")
        walk.press("Compare systems one text at a time, in steps")
        walk.press("Remove “Adequacy”")
        walk.press("Save and go on")
        walk.press("Check everything")
        walk.follow("Import ratings")
        walk.upload(str(ratings))
        walk.press("Upload and preview")
        walk.press("Store")
        walk.sees("Stored: 72 ratings, 72 judgments, 3 raters.")
        walk.follow("Results")
        walk.is_within(clicks=12, fields=5, screens=9)
