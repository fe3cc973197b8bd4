"""The step “Texts” in a real browser: a wide table is dragged in, checked, stored, searched, edited and sampled."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.kit import PHONE, accessible, fits, sign_in
from tests.browser.test_researcher import OURS
from tests.media import png
from tests.servers import LiveSite
from tests.tasks_app.importing.kit import ITEMS
from tests.tasks_app.studyfile.kit import STUDY, put

SLUG = "texts-by-hand"
TEXTS = f"/admin/studies/{SLUG}/set-up/texts/"
SYSTEMS = [f"E2E NLG #{n}" for n in range(1, 22)]
ITEMS_OF_TABLE = 60


def wide_table(mistake: str = "") -> str:
    """Return a table of 60 inputs with a column for each of 21 systems; `mistake` is the text of one domain."""
    lines = ["\t".join(["mr_id", "MR", "domain", *SYSTEMS])]
    for n in range(ITEMS_OF_TABLE):
        texts = [f"Place {n} serves food in the city centre, says {system}." for system in SYSTEMS]
        key = mistake if mistake and n == 7 else f"mr-{n}"
        lines.append("\t".join([key, f"name[Place {n}], area[city centre]", "pubs" if n % 3 else "cafes", *texts]))
    return "\n".join(lines) + "\n"


def drop(page: Page, name: str, content: str) -> None:
    """Drag a file onto the place for it."""
    dragged = page.evaluate_handle(
        """([name, content]) => {
            const data = new DataTransfer();
            data.items.add(new File([content], name));
            return data;
        }""",
        [name, content],
    )
    page.dispatch_event("[data-drop]", "drop", {"dataTransfer": dragged})


def check(page: Page) -> None:
    """Assert that a page is accessible, and fits a phone."""
    accessible(page, OURS)
    fits(page)


@pytest.mark.exhaustive
def test_a_wide_table_becomes_the_texts_of_a_study(page: Page, live_site: LiveSite, tmp_path: Path) -> None:
    folder = put(tmp_path / "study", study_yaml=STUDY.replace("slug: fluency", f"slug: {SLUG}"), items_csv=ITEMS)
    live_site.manage("load_study", str(folder), "--owner", "researcher")
    sign_in(page, live_site)
    page.set_viewport_size(PHONE)
    page.goto(TEXTS)
    page.get_by_role("button", name="Remove all rows").click()
    page.get_by_role("button", name="Remove 6 rows").click()
    expect(page.get_by_role("heading", name="Upload your texts")).to_be_visible()
    check(page)
    drop(page, "e2e.tsv", wide_table(mistake="mr-6"))
    page.get_by_role("button", name="Upload and preview").click()
    expect(page.get_by_label("“mr_id” is", exact=True)).to_have_value("item")
    expect(page.get_by_label("“E2E NLG #21” is", exact=True)).to_have_value("system_outputs")
    page.get_by_role("button", name="Check").click()
    expect(page.get_by_role("alert")).to_contain_text("The item “mr-6” stands in line 8 already.")
    check(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Download the table").click()
    assert Path(download.value.path()).read_text("utf-8-sig").startswith("problem,mr_id,MR,domain,E2E NLG #1,")
    page.get_by_role("button", name="Choose another file").click()
    drop(page, "e2e.tsv", wide_table())
    page.get_by_role("button", name="Upload and preview").click()
    page.get_by_role("button", name="Check").click()
    expect(page.get_by_role("status")).to_contain_text("1,260 outputs of 60 items by 21 systems")
    page.get_by_role("status").get_by_role("button", name="Store these texts").click()
    expect(page.get_by_text("Page 1 of 26")).to_be_visible()
    page.locator("summary", has_text="Name the 21 systems").click()
    expect(page.get_by_label("Name of E2E NLG #21")).to_have_value("")
    check(page)
    _edit(page)
    _sample(page)
    _media(page)


@pytest.mark.exhaustive
def test_many_texts_are_stored_by_a_worker(page: Page, live_site: LiveSite, tmp_path: Path) -> None:
    slug = "many-texts"
    folder = put(tmp_path / "study", study_yaml=STUDY.replace("slug: fluency", f"slug: {slug}"), items_csv=ITEMS)
    live_site.manage("load_study", str(folder), "--owner", "researcher")
    sign_in(page, live_site)
    page.goto(f"/admin/studies/{slug}/set-up/texts/")
    page.locator("summary", has_text="Upload another table").click()
    rows = (f"many-{n},{system},Text {n} of {system}." for n in range(3_000) for system in ("north", "south"))
    drop(page, "many.csv", "\n".join(["item,system,output", *rows]))
    page.get_by_role("button", name="Upload and preview").click()
    page.get_by_role("button", name="Check").click()
    page.get_by_role("status").get_by_role("button", name="Store these texts").click()
    # The page follows the worker, and is loaded anew when it is done.
    expect(page.get_by_text("Stored: 6,000 outputs of 3,000 items by 2 systems.")).to_be_visible(timeout=60_000)
    expect(page.get_by_text("Page 1 of 120")).to_be_visible()


def _edit(page: Page) -> None:
    """Find a row, and change its text."""
    page.get_by_label("Search the texts").fill("Place 33 ")
    page.get_by_label("System", exact=True).select_option("E2E NLG #3")
    page.get_by_role("button", name="Search").click()
    page.get_by_role("link", name="Edit mr-33").click()
    check(page)
    page.get_by_label("Output (the text to judge)").fill("A better text.")
    page.get_by_role("button", name="Save the row").click()
    expect(page.get_by_text("The row is stored.")).to_be_visible()


def _sample(page: Page) -> None:
    """Draw a stratified sample."""
    page.get_by_role("link", name="Draw a sample").click()
    page.get_by_label("Items in the sample").fill("12")
    page.get_by_label("Stratified by").select_option(label="feature “domain”")
    check(page)
    page.get_by_role("button", name="Draw the sample").click()
    expect(page.get_by_text("These are a sample: 12 of 60 items")).to_contain_text("by feature “domain”")


def _media(page: Page) -> None:
    """Upload a picture, and choose it for a new row."""
    page.get_by_role("link", name="Pictures, sounds and videos").click()
    page.set_input_files("input[type=file]", {"name": "one.png", "mimeType": "image/png", "buffer": png()})
    page.get_by_role("button", name="Upload").click()
    expect(page.get_by_role("rowheader", name="one.png")).to_be_visible()
    check(page)
    page.get_by_role("link", name="Back to the texts").click()
    page.get_by_role("link", name="Add a row").click()
    page.get_by_text("More columns").click()
    page.get_by_label("one.png").check()
    fits(page)
