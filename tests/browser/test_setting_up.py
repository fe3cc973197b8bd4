"""A researcher sets up a study in a real browser: from a table of texts to an open study."""

import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from evalweb.local_services.folder import BASE_DIR
from tests.about import ABOUT
from tests.browser.kit import accessible, at, fits_a_phone, send, sign_in, without_script
from tests.browser.test_researcher import OURS
from tests.browser.test_setup_texts import drop
from tests.servers import LiveSite

STEPS = ("task", "texts", "questions", "raters", "checks", "consent", "analysis", "review", "file")
# Pages beside the steps, as the example of a Likert scale has them, and pages around studies.
BESIDE = (
    "set-up/texts/new/", "set-up/texts/sample/", "set-up/texts/media/", "api/", "results/new/", "design/", "items/",
    "recruit/",
)  # fmt: skip
AROUND = ("", "load/", "new/")
FACTS = ("name[Aster], kind[café]", "name[Birch], kind[pub]", "name[Cedar], kind[hotel]", "name[Daisy], kind[shop]")


def table(folder: Path) -> Path:
    """Write a table as people have them: one row for each output, with columns of their own names."""
    path = folder / "outputs.csv"
    rows = [
        f'{number},{system},"{facts}",{name} is a place by {system}.'
        for number, facts in enumerate(FACTS, start=1)
        for name in (facts[5:10],)
        for system in ("north", "south", "east")
    ]
    path.write_text("\n".join(["mr_id,system,meaning_representation,output_text", *rows]))
    return path


def draft_of_the_example(site: LiveSite, folder: Path, slug: str) -> None:
    """Load the example of a Likert scale under a key of its own, since other tests open it under its own."""
    study = shutil.copytree(BASE_DIR / "examples" / "likert", folder / slug) / "study.yaml"
    study.write_text(
        study.read_text(encoding="utf-8").replace("slug: example-likert", f"slug: {slug}"), encoding="utf-8"
    )
    site.manage("load_study", str(study.parent), "--owner", site.login[0])


def make_study(page: Page, goal: str, title: str) -> None:
    """Choose a goal and say what the study is called."""
    page.get_by_role("link", name=goal).click()
    page.get_by_label("Title", exact=True).fill(title)
    page.get_by_label("Public title").fill("How do these texts read?")
    page.get_by_role("button", name="Create the study").click()
    expect(page.get_by_role("heading", name="Task", exact=True)).to_be_visible()


def saved(page: Page, revision: int) -> None:
    """Wait until a change is stored."""
    expect(page.locator("#setup-state input[name=revision]")).to_have_value(str(revision))


def revision_of(page: Page) -> int:
    return int(page.locator("#setup-state input[name=revision]").input_value())


@pytest.mark.exhaustive
def test_from_a_table_to_an_open_study(page: Page, live_site: LiveSite, tmp_path: Path) -> None:
    """RankME, three texts a screen, without YAML: what is typed is stored at once, and the preview follows."""
    sign_in(page, live_site)
    page.goto("/admin/studies/new/")
    make_study(page, "Give texts numbers in relation to a reference text", "Places, by hand")
    page.get_by_label("One reference for all items").fill("Aster is a café.")
    page.get_by_role("button", name="Save and go on").click()
    page.set_input_files("input[type=file]", table(tmp_path))
    page.get_by_role("button", name="Upload and preview").click()
    page.get_by_role("button", name="Store these texts").click()
    page.get_by_role("link", name="Questions", exact=True).click()
    shown = page.frame_locator("[data-preview]")
    expect(shown.get_by_text("Aster is a café.")).to_be_visible()
    before = revision_of(page)
    page.get_by_label("Question", exact=True).first.fill("How much of the facts does the text say, and how well?")
    saved(page, before + 1)
    expect(shown.get_by_text("How much of the facts does the text say, and how well?").first).to_be_visible()
    shown.get_by_role("link", name="Next unit").click()
    expect(shown.get_by_text("Unit 2 of the first 4")).to_be_visible()
    page.get_by_role("link", name="Dark", exact=True).click()
    expect(shown.locator('html[data-theme="dark"]')).to_be_visible()
    expect(shown.get_by_text("Unit 2 of the first 4")).to_be_visible()
    page.get_by_role("link", name="Raters", exact=True).click()
    page.get_by_label("Judgments of every unit").fill("5")
    expect(page.get_by_text("4 units × 5 judgments each = 20 judgments")).to_be_visible()
    page.get_by_role("button", name="Use 4").click()
    expect(page.get_by_label("Units in a rater's set")).to_have_value("4")
    page.get_by_role("link", name="Consent and pay").click()
    before = revision_of(page)
    page.get_by_label("Who runs this study").fill("University of Trier")
    saved(page, before + 1)
    page.get_by_role("link", name="Draft a text from this form").click()
    for label, answer in {
        "What the study is for": "how people read descriptions",
        "Pay for a full set": "0",
        "How long answers are kept": "ten years",
        "What is published, and where": "the answers under pseudonyms",
        "An address that somebody reads": ABOUT["contact"],
        "Whom raters can complain to outside the team": ABOUT["complaints"],
    }.items():
        page.get_by_label(label, exact=True).fill(answer)
    accessible(page, OURS)
    page.get_by_role("button", name="Use this draft").click()
    expect(page.get_by_text("The draft is your consent text now.")).to_be_visible()
    page.get_by_role("button", name="Check everything").click()
    expect(page.get_by_text("All checks passed.")).to_be_visible()
    page.get_by_text("Open the study…").click()
    page.get_by_role("button", name="Open the study now").click()
    expect(page.get_by_text("The study is open.")).to_be_visible()


def test_every_step_is_accessible_and_fits_a_phone(
    page: Page, browser: Browser, live_site: LiveSite, page_problems: list[str], tmp_path: Path
) -> None:
    draft_of_the_example(live_site, tmp_path, "every-step")
    sign_in(page, live_site)
    of_study = [f"every-step/{address}" for address in (*(f"set-up/{step}/" for step in STEPS), *BESIDE)]
    for address in (*of_study, *AROUND):
        page.goto(f"/admin/studies/{address}")
        accessible(page, OURS)
        fits_a_phone(page)
        if address == "new/":
            page_problems.clear()  # axe itself writes styles into the pictures' trees
    page.goto("/admin/studies/every-step/set-up/texts/media/")
    drop(page, "one.png", "no picture")
    assert page.locator("input[type=file]").evaluate("(field) => field.files[0].name") == "one.png"
    page.goto("/admin/studies/every-step/set-up/task/")
    before = revision_of(page)
    page.get_by_label("Public title").focus()
    page.keyboard.type("!")
    saved(page, before + 1)
    page.get_by_role("button", name="Undo my last change").press("Enter")
    saved(page, before + 2)
    expect(page.get_by_label("Public title")).to_have_value("How do these short texts read?")
    with without_script(browser, live_site) as plain:
        sign_in(plain, live_site)
        plain.goto("/admin/studies/every-step/set-up/raters/")
        plain.get_by_label("Units in a rater's set").fill("9")
        plain.get_by_role("button", name="Save", exact=True).click()
        expect(plain.get_by_label("Units in a rater's set")).to_have_value("9")


def test_what_is_typed_while_the_fields_are_drawn_anew_is_kept(page: Page, live_site: LiveSite) -> None:
    """The answer that brings other fields is held back until more was typed; cursor and letters stay, and are saved."""
    name, _password = live_site.login
    live_site.manage("load_study", "examples/slider", "--owner", name)
    sign_in(page, live_site)
    page.goto("/admin/studies/example-slider/set-up/task/")
    held: list[Route] = []
    page.route("**/set-up/task/", lambda route: held.append(route) if not held else route.continue_())
    before = revision_of(page)
    with page.expect_request("**/set-up/task/"):
        page.get_by_label("Task type").select_option("likert")
    title = page.get_by_label("Title", exact=True).first
    title.focus()
    page.keyboard.press("End")
    page.keyboard.type(" and more")
    held[0].continue_()
    saved(page, before + 2)
    expect(title).to_be_focused()
    expect(title).to_have_value(re.compile(" and more$"))


def test_one_press_adds_one_entry_while_what_was_typed_is_being_saved(page: Page, live_site: LiveSite) -> None:
    """Nor is what was typed since lost: the press waits for the answer, and nothing else carries its button."""
    name, _password = live_site.login
    live_site.manage("load_study", "examples/magnitude", "--owner", name)
    sign_in(page, live_site)
    page.goto("/admin/studies/example-magnitude/set-up/questions/")
    held: list[Route] = []
    page.route("**/set-up/questions/", lambda route: route.continue_() if held else held.append(route))
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.post_data or "") if request.method == "POST" else None)
    names = page.locator('input[id^="f-criteria-"][id$="-name"]')
    before = names.count()
    with page.expect_request("**/set-up/questions/"):
        names.first.press_sequentially(" and")
    names.first.press_sequentially(" more")
    add = page.get_by_role("button", name="Add a question")
    add.dblclick()
    held[0].continue_()
    expect(names).to_have_count(before + 1)
    expect(names.first).to_have_value(re.compile("and more"))
    expect(page.locator(".ew-notice-bad")).to_have_count(0)
    page.reload()
    expect(names).to_have_count(before + 1)
    assert len([body for body in sent if "add%3Acriteria" in body or "add:criteria" in body]) == 1


@pytest.mark.exhaustive
def test_a_draft_is_rated_on_trial_from_review_and_back(page: Page, live_site: LiveSite, tmp_path: Path) -> None:
    """Consent, instructions, every text and the end are the real pages; each leads back to Review, still a draft."""
    draft_of_the_example(live_site, tmp_path, "on-trial")
    sign_in(page, live_site)
    review = "/admin/studies/on-trial/set-up/review/"
    page.goto(review)
    page.get_by_role("button", name="Rate it yourself").click()
    trial = page.get_by_text("Your answers do not count, and nobody is paid for them.")
    expect(trial).to_be_visible()
    accessible(page)
    fits_a_phone(page)
    page.get_by_role("button", name="I agree, begin").click()
    expect(trial).to_be_visible()
    page.get_by_role("button", name="Start").click()
    accessible(page)
    fits_a_phone(page)
    for done in range(12):
        at(page, done)
        expect(trial).to_be_visible()
        for question in page.locator("form[data-answer] fieldset:visible").all():
            question.get_by_role("radio").first.check(force=True)
        send(page)
    expect(page.get_by_role("heading", name="Thank you, you have finished")).to_be_visible()
    accessible(page)
    fits_a_phone(page)
    page.get_by_role("main").get_by_role("link", name="Back to Review").click()
    expect(page.get_by_text("not opened yet")).to_be_visible()
    expect(page.get_by_text("rated on trial to the end on")).to_be_visible()
