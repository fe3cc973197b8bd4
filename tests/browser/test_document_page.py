"""The page of a document in a real browser: by keyboard alone, on a phone, and to the next document."""

import csv
from pathlib import Path

import yaml
from playwright.sync_api import Browser, Page, expect

from tests.about import ABOUT, AS_IT_IS
from tests.browser.kit import accessible, come, fits, phone, press_until, send
from tests.servers import LiveSite
from tests.tasks_app.documents_kit import document_folder

PARTS = (
    (
        "Das Hallenbad bleibt wegen eines Rohrbruchs bis Freitag geschlossen.",
        "The indoor pool stays closed until Friday",
    ),
    ("Bereits gekaufte Karten behalten ihre Gültigkeit.", "Tickets that were bought already remain valid"),
    (
        "Schwimmkurse für Kinder finden in dieser Zeit im Freibad am See statt.",
        "Swimming courses take place at the lake",
    ),
    ("Für Fragen erreichen Sie uns unter der bekannten Nummer.", "If you have questions, please call us"),
    ("Wir danken für Ihr Verständnis.", "Thank you for your understanding"),
    ("Ihr Team der Bäderbetriebe", "Your team of the public pools"),
)


def load(site: LiveSite, folder: Path) -> str:
    """Load and open a study of three documents of six parts by five systems, and return the link of its raters."""
    slug = f"documents-{folder.name}"
    task = {
        "key": "main", "type": "error_spans", "k": 9, "set_size": 90, "spacing": 1, "design": "documents",
        "design_params": {"all_systems": True},
        "params": {"scheme": "esa", "page": "document", "show_others": True, "score_document": True},
    }  # fmt: skip
    study = {
        "evalweb": 1, "study": {"slug": slug, "title": "D", "public_title": "Translations", "language": "en"},
        "about": ABOUT, "pay": {"minutes": 30, "amount": 8.0, "currency": "EUR"},
        "flow": {"enrolments_per_address": 10_000},
        "consent": "We ask you to read translations. **You can stop at any time.**",
        "tasks": [task],
    }  # fmt: skip
    folder.mkdir()
    (folder / "study.yaml").write_text(yaml.safe_dump(study, allow_unicode=True), encoding="utf-8")
    with (folder / "items.csv").open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file)
        out.writerow(["item", "system", "output", "source", "document", "position", "language", "source_language"])
        for document in ("pool", "park", "port"):
            for position, (source, text) in enumerate(PARTS, start=1):
                for system in range(5):
                    out.writerow(
                        [f"{document}-{position}", f"s{system}", f"{text} ({system}, {document}).", source, document,
                         position, "en", "de"]
                    )  # fmt: skip
    site.manage("load_study", str(folder), "--owner", "researcher")
    return site.manage("move_study", slug, "open", *AS_IT_IS).strip()


def test_documents_by_keyboard_alone_and_on_a_phone(
    page: Page, live_site: LiveSite, tmp_path: Path, browser: Browser
) -> None:
    link = load(live_site, tmp_path / "esa")
    come(page, link)
    expect(page.locator(".top-progress")).to_contain_text("Texts 1 to 30 of 90")
    page.wait_for_load_state()
    page.set_viewport_size({"width": 1366, "height": 768})
    fits(page)
    # All five columns stand beside the source.
    pane = page.locator("[data-document-pane]")
    assert pane.evaluate("pane => pane.scrollWidth <= pane.clientWidth")
    expect(page.locator("[data-settling]")).to_have_count(0)
    page.keyboard.press("Enter")
    expect(page.get_by_role("listbox", name="Part 1, Text A")).to_be_focused()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("2")
    expect(page.get_by_role("button", name="indoor Major")).to_be_visible()
    for number in range(1, 31):
        if number > 1:
            press_until(page, lambda: focused(page, "[data-spans-none]"))
            page.keyboard.press("Space")
        press_until(page, lambda: focused(page, "input[type=range]"))
        if number == 2:
            expect(page.locator("[data-others]:visible")).to_have_count(0)
        page.keyboard.press("8")
        if number == 2:
            expect(page.locator("[data-others]:visible")).to_have_text(
                ["\u2068Text B\u2069 80", "\u2068Text A\u2069 80"]
            )
            accessible(page)
            expect(page.locator("[data-saved]")).to_have_text("Saved")
            page.reload()
            expect(page.get_by_role("button", name="indoor Major")).to_be_visible()
            expect(page.locator("[name=t2-p1-score]")).to_have_value("80")
            page.get_by_role("slider").nth(1).focus()
        page.keyboard.press("Enter")
    score_whole_document(page)
    # The connection is lost for a moment.
    page.route("**/judge/", lambda route: route.abort(), times=1)
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="Back")).to_be_visible()
    expect(page.locator(".top-progress")).to_contain_text("Texts 31 to 60 of 90")
    assert page.locator("[data-spans-field]").evaluate_all("all => all.every(one => one.value === '')")
    with phone(browser, live_site) as small:
        come(small, link)
        one_column_at_a_time(small)


def score_whole_document(page: Page) -> None:
    """Give each system a score of the document by keyboard; a reload keeps the first, and the last text's answer."""
    for letter in "ABCDE":
        field = page.get_by_role("region", name=f"The whole document, Text {letter}").get_by_role("slider")
        expect(field).to_be_focused()
        page.keyboard.press("7")
        if letter == "A":
            expect(page.locator("[data-saved]")).to_have_text("Saved")
            page.reload()
            expect(page.locator("[name=t26-p1-document_score]")).to_have_value("70")
            expect(page.locator("[name=t26-p1-score]")).to_have_value("80")
            field.focus()
        if letter != "E":
            page.keyboard.press("Enter")


def focused(page: Page, selector: str) -> bool:
    """Return whether the focus is on such an element."""
    return bool(page.evaluate("selector => document.activeElement.matches(selector)", selector))


def one_column_at_a_time(page: Page) -> None:
    """Assert that a phone shows one column, another by a tap, and the one where an answer is missing."""
    tab = page.get_by_role("button", name="Text B")
    expect(tab).to_contain_text("13 open")
    expect(page.get_by_role("listbox")).to_have_count(6)
    fits(page)
    accessible(page)
    tab.tap()
    expect(page.get_by_role("listbox", name="Part 1, Text B")).to_be_visible()
    expect(page.get_by_role("listbox", name="Part 1, Text A")).to_be_hidden()
    for box in page.get_by_role("checkbox").all():
        box.tap()
    expect(tab).to_contain_text("7 open")
    send(page)
    expect(page.get_by_role("listbox", name="Part 1, Text A")).to_be_focused()
    expect(page.locator("[data-foot-note]")).to_have_text("59 questions left")


def test_what_is_missing_is_marked_by_the_buttons_after_the_source(
    page: Page, live_site: LiveSite, tmp_path: Path, browser: Browser
) -> None:
    folder = document_folder(tmp_path / "missing", systems=3, missing="source", scheme="esa", task={"k": 9})
    document = yaml.safe_load((folder / "study.yaml").read_text(encoding="utf-8"))
    document["study"]["slug"] = "missing-after-source"
    more = {"about": ABOUT, "consent": "We ask you to read translations. **You can stop at any time.**"}
    (folder / "study.yaml").write_text(yaml.safe_dump({**document, **more}), encoding="utf-8")
    live_site.manage("load_study", str(folder), "--owner", "researcher")
    link = live_site.manage("move_study", "missing-after-source", "open", *AS_IT_IS).strip()
    come(page, link)
    text = page.get_by_role("listbox", name="Part 1, Text B")
    expect(text.get_by_role("option", name="[missing]")).to_have_count(0)
    page.get_by_role("group", name="[missing]").first.get_by_role("button", name="Text B").click()
    page.keyboard.press("2")
    expect(page.get_by_role("button", name="[missing] Major")).to_be_visible()
    expect(text.get_by_role("option", name="[missing], Major")).to_be_visible()
    accessible(page)
    with phone(browser, live_site) as small:
        come(small, link)
        small.get_by_role("group", name="[missing]").first.get_by_role("button", name="Text C").tap()
        expect(small.locator("[data-spans-panel]")).to_be_visible()
        expect(small.get_by_role("listbox", name="Part 1, Text C")).to_be_visible()
