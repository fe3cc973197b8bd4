"""A researcher in a real browser: a study is watched while raters work, and its results are read."""

import csv
import json
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, expect

from tests import extent
from tests.browser.kit import PHONE, accessible, fits_a_phone, sign_in, without_script
from tests.browser.test_researcher import OURS
from tests.layout import faults_at
from tests.servers import LiveSite

MakeStudy = Callable[..., str]

# A run is computed by the site's own worker, on a machine that may be busy.
COMPUTED = 90_000
FEWER_DRAWS = "analysis: {n_resamples: 100, n_permutations: 999}\n"


def simulate(live_site: LiveSite, slug: str, raters: int, seed: int = 1) -> None:
    """Let some simulated raters judge; the same seed, the same raters."""
    others = ("--raters", str(raters), "--seed", str(seed))
    live_site.manage("simulate_raters", slug, *others, "--base-url", live_site.url)


def tab(page: Page, name: str) -> None:
    """Go to a tab of the study."""
    page.get_by_role("navigation", name="Parts of the study").get_by_role("link", name=name, exact=True).click()
    expect(page.locator(".ew-tabs [aria-current=page]")).to_have_text(name)


def close(page: Page) -> None:
    """Close the study."""
    page.get_by_role("button", name="Close", exact=True).click()
    page.get_by_role("button", name="Close the study").click()
    expect(page.get_by_text("The study is closed.")).to_be_visible()


def test_the_monitor_follows_the_raters_without_losing_ones_place(
    page: Page, live_site: LiveSite, make_study: MakeStudy
) -> None:
    make_study("watched", size=2)
    simulate(live_site, "watched", 2)
    sign_in(page, live_site)
    page.goto("/admin/studies/watched/monitor/")
    expect(page.get_by_text("4 of 60 places are answered.")).to_be_visible()
    accessible(page, OURS)
    fits_a_phone(page)
    assert faults_at(page) == {}
    numbers = page.locator("#live-pace summary")
    numbers.click()
    counted = page.locator("#live-pace td")
    expect(counted.first).to_be_visible()
    assert sum(map(int, counted.all_inner_texts())) == 4  # one row, or two where the quarter of an hour changed
    simulate(live_site, "watched", 3, seed=2)
    expect(page.get_by_text("10 of 60 places are answered.")).to_be_visible(timeout=30_000)
    assert sum(map(int, counted.all_inner_texts())) == 10
    expect(numbers).to_be_focused()
    page.context.set_offline(True)
    # The page asks every five seconds, less often where the server is slow.
    expect(page.get_by_text("The server cannot be reached; trying again.")).to_be_visible(timeout=30_000)
    page.context.set_offline(False)
    expect(page.get_by_text("The server cannot be reached; trying again.")).to_be_hidden(timeout=30_000)


def test_from_judgments_to_results(page: Page, live_site: LiveSite, make_study: MakeStudy) -> None:
    make_study("measured", type="slider", size=6, more=FEWER_DRAWS)
    simulate(live_site, "measured", 3)
    sign_in(page, live_site)
    page.goto("/admin/studies/measured/results/")
    expect(page.get_by_text("Nothing has been computed yet.")).to_be_visible()
    page.get_by_role("button", name="Start a run").click()
    # The page of the run follows it, and shows what it found by itself.
    expect(page.get_by_role("heading", name="What was excluded")).to_be_visible(timeout=COMPUTED)
    expect(page.get_by_role("heading", name="Why results by system are hidden")).to_be_visible()
    assert "north" not in page.locator(OURS).inner_text()
    accessible(page, OURS)
    page.get_by_text("Show them now, with a written reason").click()
    page.get_by_label("Reason").fill("The pilot must be looked at.")
    page.get_by_role("button", name="Show results by system").click()
    page.get_by_role("button", name="Show them").click()
    expect(page.get_by_text("Reason: The pilot must be looked at.")).to_be_visible()
    expect(page.locator("#summary").get_by_role("table").first).to_contain_text("north")
    fits_a_phone(page)
    assert faults_at(page) == {}
    if extent.is_exhaustive():
        leave_a_rater_out(page)
        compare_with_the_plan(page)


def leave_a_rater_out(page: Page) -> None:
    """Look at a rater's timeline and answers, and exclude the rater by hand."""
    tab(page, "Monitor")
    page.get_by_role("link", name="All raters").click()
    page.get_by_role("link", name="finished").click()
    expect(page.locator(".ew-chip[aria-current]")).to_contain_text("finished")
    accessible(page, OURS)
    fits_a_phone(page)
    page.get_by_role("link", name=re.compile("^r-")).first.click()
    expect(page.get_by_role("heading", name="Timeline")).to_be_visible()
    accessible(page, OURS)
    fits_a_phone(page)
    timeline = page.url
    page.get_by_role("link", name="View the answers on the rater's screen").click()
    expect(page.get_by_text("Nothing can be changed here, and systems are not named.")).to_be_visible()
    page.wait_for_load_state()
    values = page.locator("#answer input")
    expect(values.first).to_be_disabled()
    shown = values.evaluate_all("fields => fields.map((field) => field.value)")
    page.locator("#answer input[type=range]").first.click(force=True)
    page.keyboard.press("5")
    assert values.evaluate_all("fields => fields.map((field) => field.value)") == shown
    fits_a_phone(page)
    page.goto(timeline)
    page.get_by_text("Exclude r-").first.click()
    page.get_by_label("Reason (printed with the results)").first.fill("They wrote that they guessed.")
    page.get_by_role("button", name="Exclude r-").first.click()
    expect(page.get_by_text("Pay does not change.").first).to_be_visible()


def compare_with_the_plan(page: Page) -> None:
    """Close the study, and look at the run that was planned."""
    tab(page, "Results")
    close(page)
    tab(page, "Results")
    page.get_by_role("link", name="2", exact=True).click()
    expect(page.get_by_role("heading", name="What was excluded")).to_be_visible(timeout=COMPUTED)
    expect(page.get_by_text("Planned: rules, primary criterion")).to_be_visible()
    expect(page.get_by_role("row", name="By hand")).to_contain_text("12")
    expect(page.get_by_role("button", name="Run without “By hand”")).to_be_visible()


@pytest.fixture
def finished(page: Page, live_site: LiveSite, make_study: MakeStudy) -> str:
    """A closed study with results, made by the first test that asks; its page of results is open. Returns its slug."""
    sign_in(page, live_site)
    address = "/admin/studies/finished/results/"
    if page.goto(address).status == 404:
        make_study("finished", size=12, more=FEWER_DRAWS)
        simulate(live_site, "finished", 3)
        live_site.manage("move_study", "finished", "close")
        live_site.manage("analyse", "finished", "--json", str(live_site.folder / "finished.json"))
        page.goto(address)
    return "finished"


@pytest.mark.exhaustive
def test_results_are_sorted_unfolded_and_taken_away(page: Page, live_site: LiveSite, finished: str) -> None:
    expect(page.get_by_role("img").first).to_be_visible()
    shown, fold = page.get_by_role("img").count(), page.get_by_text("Further charts").first
    expect(fold).to_contain_text("Further charts (")
    fold.click()
    # Of two drawings of a chart one is there, for the eye and for who listens.
    assert page.get_by_role("img").count() > shown
    assert page.get_by_role("img").count() == page.locator(".ew-plot:visible").count()
    fold.click()
    page.locator(f"{OURS} :not(.ew-index) > details").evaluate_all("all => all.forEach((one) => { one.open = true; })")
    accessible(page, OURS)
    fits_a_phone(page)
    table = page.get_by_role("table", name="Systems", exact=True).first
    table.get_by_role("button", name="System").click()
    assert table.locator("tbody th").all_inner_texts() == ["north", "south", "west"]
    table.get_by_role("button", name="System").press("Enter")
    assert table.locator("tbody th").all_inner_texts() == ["west", "south", "north"]
    document = json.loads((live_site.folder / "finished.json").read_text(encoding="utf-8"))
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV", exact=True).first.click()
    with open(download.value.path(), encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert len(rows) == len(document["rows"])
    with page.expect_download() as download:
        page.get_by_role("link", name="SVG").first.click()
    assert "<svg" in download.value.path().read_text(encoding="utf-8")
    with page.expect_download() as download:
        page.get_by_role("link", name="PNG").first.click()
    assert download.value.suggested_filename.endswith(".png")
    assert download.value.path().read_bytes().startswith(b"\x89PNG")


@pytest.mark.exhaustive
def test_other_pages_of_results_are_accessible_and_fit_a_phone(page: Page, finished: str) -> None:
    page.get_by_role("link", name="How each rater used the scale").click()
    accessible(page, OURS)
    fits_a_phone(page)
    page.goto(f"/admin/studies/{finished}/raters/")
    accessible(page, OURS)
    page.get_by_role("link", name=re.compile("^r-")).first.click()
    expect(page.get_by_role("heading", name="Timeline")).to_be_visible()
    accessible(page, OURS)
    page.goto(f"/admin/studies/{finished}/results/compare/?a=1&b=1")
    expect(page.get_by_text("The two runs have the same ratings and settings.")).to_be_visible()
    accessible(page, OURS)
    fits_a_phone(page)
    page.goto(f"/admin/studies/{finished}/results/new/")
    page.get_by_text("Change settings").click()
    accessible(page, OURS)
    fits_a_phone(page)
    page.get_by_label("Pairs of systems to compare").fill("north nobody")
    page.get_by_role("button", name="Start this run").last.click()
    expect(page.get_by_role("alert")).to_contain_text("There is no “nobody” in this study.")
    tab(page, "Data")
    page.get_by_text("Columns of the ratings").first.click()
    accessible(page, OURS)
    fits_a_phone(page)
    with page.expect_download() as download:
        page.get_by_role("link", name="Ratings as CSV").click()
    assert download.value.suggested_filename == f"{finished}-ratings.csv"


def test_charts_fill_the_page_and_their_words_can_be_read_and_do_not_touch(page: Page, finished: str) -> None:
    for fold in page.get_by_text("Further charts").all():
        fold.click()
    accessible(page, OURS)
    for width, room in ((360, "narrow"), (1280, "wide")):
        page.set_viewport_size({"width": width, "height": 740})
        assert page.locator(".ew-plot:visible").count() == page.locator(f".ew-plot-{room}:visible").count() >= 8
        sizes = page.evaluate(
            """() => [...document.querySelectorAll(".ew-plot text")].filter((text) => text.checkVisibility()).map(
                (text) => [
                    parseFloat(getComputedStyle(text).fontSize) * text.ownerSVGElement.getScreenCTM().a,
                    text.ownerSVGElement.querySelector("title").textContent,
                ])"""
        )
        assert sizes
        assert min(sizes)[0] >= 14, min(sizes)
        shares = page.evaluate(
            """() => [...document.querySelectorAll(".ew-plot svg")].filter((one) => one.checkVisibility()).map((one) =>
                one.clientWidth / one.closest(".ew-section, .ew-summary").clientWidth)"""
        )
        assert min(shares) >= 0.9, width
        touching = page.evaluate(
            """() => [...document.querySelectorAll(".ew-plot svg")].flatMap((svg) => {
                if (!svg.checkVisibility()) return [];
                const boxes = [...svg.querySelectorAll("text")].map((text) => [text, text.getBoundingClientRect()]);
                return boxes.flatMap(([text, a], n) => boxes.slice(n + 1)
                    .filter(([, b]) => a.left < b.right - 1 && b.left < a.right - 1
                        && a.top < b.bottom - 4 && b.top < a.bottom - 4)
                    .map(([other]) => `${text.textContent} / ${other.textContent}`));
            })"""
        )
        assert touching == [], width


@pytest.mark.exhaustive
def test_print_has_what_is_read_first_and_no_index_and_the_index_leads_to_a_section(page: Page, finished: str) -> None:
    systems = page.get_by_role("table", name="Systems", exact=True).first
    expect(systems).to_be_hidden()
    page.emulate_media(media="print")
    expect(page.get_by_role("navigation", name="On this page")).to_be_hidden()
    expect(systems).to_be_visible()
    expect(page.locator("table", has_text="Agreement between raters").first).to_be_hidden()
    expect(page.locator(".ew-plot-wide:visible")).to_have_count(page.locator(".ew-plot:visible").count())
    page.emulate_media(media="screen")
    index = page.get_by_role("navigation", name="On this page")
    expect(index.get_by_role("link", name="Fluency")).to_be_visible()
    page.set_viewport_size(PHONE)
    expect(index.get_by_role("link", name="Fluency")).to_be_hidden()
    index.get_by_text("On this page").click()
    index.get_by_role("link", name="Fluency").click()
    expect(page.get_by_role("heading", name="Fluency", exact=True)).to_be_in_viewport()
    expect(index.get_by_role("link", name="Fluency")).to_be_hidden()
    expect(index.get_by_text("On this page")).to_be_in_viewport()


@pytest.mark.exhaustive
def test_without_scripts_there_are_links_to_refresh_and_tables_in_order(
    browser: Browser, live_site: LiveSite, page: Page, finished: str
) -> None:
    state = page.context.storage_state()
    with without_script(browser, live_site) as plain:
        plain.context.add_cookies(state["cookies"])
        plain.goto(f"/admin/studies/{finished}/monitor/")
        plain.get_by_role("link", name="Refresh").first.click()
        expect(plain.get_by_role("heading", name="Agreement so far")).to_be_visible()
        plain.goto(f"/admin/studies/{finished}/results/")
        expect(plain.locator("#summary").get_by_role("table").first).to_contain_text("north")
        plain.locator("summary").get_by_text("Systems", exact=True).first.click()
        expect(plain.get_by_role("table", name="Systems", exact=True).first).to_contain_text("north")
