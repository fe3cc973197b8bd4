"""A new study in a real browser: from the cards to the form, by keyboard, on a phone, and without scripts."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.about import ABOUT
from tests.browser.kit import accessible, fits_a_phone, press_until, sign_in, without_script
from tests.browser.test_researcher import OURS
from tests.servers import LiveSite

NEW = "/admin/studies/new/"


@pytest.mark.exhaustive
def test_a_study_begins_from_a_card_by_keyboard(page: Page, live_site: LiveSite, page_problems: list[str]) -> None:
    sign_in(page, live_site)
    page.goto(NEW)
    picture = page.locator(".ew-picture").first
    expect(picture.get_by_text("The train to Lisbon").first).to_be_visible()
    accessible(page, OURS)
    fits_a_phone(page)
    page_problems.clear()  # axe itself writes styles into the pictures' trees
    press_until(page, lambda: "task_type=pairwise" in (page.evaluate("document.activeElement.href") or ""))
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Which is better, A or B?")).to_be_visible()
    page.get_by_label("Title", exact=True).fill("Two of ours")
    page.get_by_label("Public title").fill("Which do you like?")
    page.keyboard.press("Enter")
    page.wait_for_url("**/two-of-ours/set-up/task/")
    page.goto("/admin/studies/?words=ours")
    row = page.get_by_role("row").filter(has=page.get_by_role("rowheader", name="Two of ours"))
    expect(row).to_contain_text("Pairwise comparison")
    accessible(page, OURS)
    fits_a_phone(page)


@pytest.mark.exhaustive
def test_criteria_are_picked_from_the_library_and_consent_is_drafted(page: Page, live_site: LiveSite) -> None:
    sign_in(page, live_site)
    page.goto(f"{NEW}?task_type=likert")
    page.get_by_label("Title", exact=True).fill("Steps")
    page.get_by_label("Public title").fill("Texts")
    page.get_by_role("button", name="Create the study").click()
    page.goto("/admin/studies/steps/set-up/questions/")
    page.get_by_role("link", name="Pick from the library").click()
    page.get_by_label("Search the library").fill("summaries")
    page.get_by_role("button", name="Search").click()
    page.get_by_role("checkbox", name="Coherence", exact=True).check()
    accessible(page, OURS)
    page.get_by_role("button", name="Add the ticked criteria").click()
    expect(page.get_by_text("1 criterion is added.")).to_be_visible()
    page.goto("/admin/studies/steps/set-up/consent/")
    page.get_by_role("link", name="Draft a text from this form").click()
    # The browser asks for what is missing, and the server for what is to be replaced.
    for label, answer in {
        "What the study is for": "summaries",
        "Who runs it: group and institution": ABOUT["institution"],
        "Minutes that a set takes": "10",
        "How long answers are kept": "ten years",
        "What is published, and where": "the answers under pseudonyms",
        "An address that somebody reads": "you@example.org",
        "Whom raters can complain to outside the team": ABOUT["complaints"],
    }.items():
        page.get_by_label(label, exact=True).fill(answer)
    page.get_by_role("button", name="Use this draft").click()
    expect(page.get_by_text("Replace “you@example.org”.")).to_be_visible()
    accessible(page, OURS)
    page.get_by_label("An address that somebody reads", exact=True).fill(ABOUT["contact"])
    page.get_by_role("button", name="Use this draft").click()
    expect(page.get_by_text("The draft is your consent text now.")).to_be_visible()


def test_help_is_searched_and_read(page: Page, live_site: LiveSite) -> None:
    sign_in(page, live_site)
    page.goto("/admin/studies/")
    page.get_by_role("link", name="Help").first.click()
    page.get_by_label("Search the help").fill("krippendorff")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Krippendorff").first.click()
    expect(page.get_by_role("article")).to_contain_text("alpha")
    accessible(page, OURS)
    fits_a_phone(page)


@pytest.mark.exhaustive
def test_a_study_begins_without_scripts(browser: Browser, live_site: LiveSite) -> None:
    with without_script(browser, live_site) as page:
        sign_in(page, live_site)
        page.goto(NEW)
        page.get_by_role("link", name="Order several texts").click()
        page.get_by_label("Title", exact=True).fill("Without")
        page.get_by_label("Public title").fill("Texts")
        page.get_by_role("button", name="Create the study").click()
        expect(page).to_have_url(f"{live_site.url}/admin/studies/without/set-up/task/")


@pytest.mark.exhaustive
def test_a_table_leads_to_a_set_up_with_its_texts_and_an_attention_check(
    page: Page, live_site: LiveSite, tmp_path: Path, page_problems: list[str]
) -> None:
    """From the page of a new study to a check in one click; columns that could be either are asked about."""
    table = tmp_path / "advice.csv"
    table.write_text(
        "prompt,response,context\n"
        + "".join(f"What about {n}?,Do number {n} first of all.,This is the story of number {n}.\n" for n in range(9))
    )
    sign_in(page, live_site)
    page.goto(NEW)
    page.get_by_role("link", name="Begin with a table of texts").click()
    page.get_by_label("Title", exact=True).fill("Advice")
    page.get_by_label("Public title").fill("Is this good advice?")
    page.set_input_files("input[type=file]", str(table))
    page.get_by_role("button", name="Create the study").click()
    expect(page.get_by_text("“prompt” and “context” could each be the source.")).to_be_visible()
    accessible(page, OURS)
    fits_a_phone(page)
    page.get_by_role("button", name="Store these texts").click()
    expect(page.get_by_text("Say what these columns are: “prompt”, “context”.")).to_be_visible()
    page.get_by_label("“prompt” is").select_option("source")
    page.get_by_label("“context” is").select_option("")
    page.get_by_role("button", name="Store these texts").click()
    expect(page.locator(".ew-picture").first.get_by_text("Do number 0 first of all.")).to_be_visible()
    expect(page.get_by_text("texts by two systems are compared").first).to_be_visible()
    accessible(page, OURS)
    fits_a_phone(page)
    page_problems.clear()  # axe itself writes styles into the pictures' trees
    press_until(page, lambda: page.evaluate("document.activeElement.value") == "likert")
    page.keyboard.press("Enter")
    page.wait_for_url("**/advice/set-up/questions/")
    expect(page.frame_locator("[data-preview]").get_by_text("Do number 0 first of all.")).to_be_visible()
    page.goto("/admin/studies/advice/set-up/checks/")
    page.get_by_role("button", name="Add an attention check").click()
    expect(page.locator(".ew-attention blockquote")).to_contain_text("“Very well”")
    accessible(page, OURS)
    fits_a_phone(page)
