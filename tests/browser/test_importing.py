"""Ratings and metric scores from elsewhere, in a real browser: found, uploaded, refused, mended, stored."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.kit import PHONE, accessible, fits, press_until, sign_in
from tests.browser.test_researcher import OURS
from tests.servers import LiveSite
from tests.tasks_app.importing.kit import ITEMS
from tests.tasks_app.studyfile.kit import STUDY, put

SLUG = "from-elsewhere"
THEIRS = "worker;segment;mt;aspect;score\nW1;i1;alpha;style;4\nW2;i1;beta;Fluency;7\n"


def problems(page: Page, *said: str) -> None:
    """Assert that a refusal says these, that a screen reader is told, and that it fits a phone."""
    for sentence in said:
        expect(page.get_by_role("alert")).to_contain_text(sentence)
    fits(page)


@pytest.mark.exhaustive
def test_from_a_file_with_a_mistake_to_ratings_and_scores(page: Page, live_site: LiveSite, tmp_path: Path) -> None:
    folder = put(tmp_path / "study", study_yaml=STUDY.replace("slug: fluency", f"slug: {SLUG}"), items_csv=ITEMS)
    live_site.manage("load_study", str(folder), "--owner", "researcher")
    sign_in(page, live_site)
    page.set_viewport_size(PHONE)
    page.goto(f"/admin/studies/{SLUG}/data/")
    page.get_by_role("link", name="Import ratings").click()
    expect(page.get_by_text("Importing freezes its design")).to_be_visible()
    accessible(page, OURS)
    fits(page)
    file = tmp_path / "theirs.csv"
    file.write_text(THEIRS, encoding="utf-8-sig")
    page.set_input_files("input[type=file]", file)
    page.get_by_role("button", name="Upload and preview").click()
    expect(page.get_by_label("rater", exact=True)).to_have_value("worker")
    expect(page.get_by_label("criterion", exact=True)).to_have_value("aspect")
    fits(page)
    # By the keyboard alone.
    button = page.get_by_role("button", name="Store", exact=True)
    press_until(page, lambda: bool(button.evaluate("one => one === document.activeElement")))
    page.keyboard.press("Enter")
    problems(page, "One problem: nothing was stored", "must be from 1 to 5, the scale of this task; it is 7.")
    page.get_by_role("button", name="Another file").click()
    file.write_text(THEIRS.replace(";7", ";5"), encoding="utf-16")
    page.set_input_files("input[type=file]", file)
    page.get_by_role("button", name="Upload and preview").click()
    page.get_by_label("Save this mapping as").fill("their way")
    page.get_by_role("button", name="Check").click()
    expect(page.get_by_role("status")).to_contain_text("2 ratings, 2 judgments, 2 raters. Nothing is stored yet.")
    accessible(page, OURS)
    page.get_by_role("button", name="Store", exact=True).click()
    expect(page.get_by_text("Stored: 2 ratings, 2 judgments, 2 raters.")).to_be_visible()
    expect(page.get_by_text("their way", exact=True)).to_be_visible()
    _scores(page, tmp_path / "scores.csv")
    _computed_scores(page)


def _scores(page: Page, scores: Path) -> None:
    """Import scores of a metric into the same study, after a mistake as well."""
    tabs = page.get_by_role("navigation", name="Parts of the study")
    tabs.get_by_role("link", name="Data", exact=True).click()
    page.get_by_role("link", name="Compute or import scores").click()
    fits(page)
    scores.write_text("segment,system,COMET\ni1,alpha,0.8\ni1,betta,0.7\n", encoding="utf-8")
    page.set_input_files("input[type=file]", scores)
    page.get_by_role("button", name="Upload and preview").click()
    expect(page.get_by_label("Item")).to_have_value("segment")
    page.get_by_role("button", name="Store", exact=True).click()
    problems(page, "The study has no system “betta”. Did you mean “beta”?")
    page.get_by_role("button", name="Another file").click()
    scores.write_text("segment,system,COMET\ni1,alpha,0.8\ni1,beta,0.7\n", encoding="utf-8")
    page.set_input_files("input[type=file]", scores)
    page.get_by_role("button", name="Upload and preview").click()
    page.get_by_role("button", name="Store", exact=True).click()
    expect(page.get_by_role("row").filter(has_text="COMET")).to_contain_text("2")
    fits(page)


def _computed_scores(page: Page) -> None:
    """Have the worker of the site compute a metric, after a metric without references was refused."""
    page.get_by_label("BLEU", exact=True).check()
    page.get_by_role("button", name="Compute scores").click()
    problems(page, "BLEU needs references, and no item of this study has one.")
    accessible(page, OURS)
    references = page.get_by_role("group", name="References")
    references.get_by_label("The reference of each item").uncheck()
    references.get_by_label("The texts of alpha").check()
    page.get_by_role("button", name="Compute scores").click()
    expect(page.get_by_role("heading", name="The scores are stored")).to_be_visible()
    expect(page.get_by_role("status")).to_contain_text("scores: BLEU.")
    accessible(page, OURS)
    fits(page)
    page.get_by_role("link", name="Show the scores").click()
    expect(page.get_by_role("row").filter(has_text="BLEU")).to_contain_text("(references: alpha)")
    fits(page)


LARGE = """
from tasks_app.models import ImportWork, Study
study = Study.objects.get(slug="{slug}")
values = {{"kind": "ratings", "given": {{"file": "gone"}}, **{values}}}
ImportWork.objects.update_or_create(study=study, defaults=values)
"""


@pytest.mark.exhaustive
def test_the_page_of_a_large_file_follows_the_worker(page: Page, live_site: LiveSite, tmp_path: Path) -> None:
    """Its sentence can be seen, not only found in the page, while it waits, while it works and at the end."""
    slug = "large-file"
    folder = put(tmp_path / "study", study_yaml=STUDY.replace("slug: fluency", f"slug: {slug}"), items_csv=ITEMS)
    live_site.manage("load_study", str(folder), "--owner", "researcher")

    def is_now(**values: str) -> None:
        live_site.manage("shell", "-v", "0", "-c", LARGE.format(slug=slug, values=values))

    is_now(state="queued")
    sign_in(page, live_site)
    page.set_viewport_size(PHONE)
    page.goto(f"/admin/studies/{slug}/import/progress/")
    sentence, bar = page.locator("[data-live-say]"), page.get_by_role("progressbar")
    expect(sentence).to_be_visible()
    expect(sentence).to_have_text("Waiting for a background worker.")
    expect(bar).to_have_attribute("value", "0")
    accessible(page, OURS)
    fits(page)
    is_now(state="working", progress="10,000 rows read and checked")
    expect(sentence).to_have_text("10,000 rows read and checked.")
    expect(sentence).to_be_visible()
    assert bar.evaluate("bar => bar.position") == -1, "how long it takes is unknown"
    is_now(state="done", summary="2,000 ratings")
    expect(page.get_by_role("heading", name="The file is stored")).to_be_visible()
    expect(page.get_by_role("status").filter(has_text="2,000 ratings.")).to_be_visible()
    accessible(page, OURS)
    fits(page)
