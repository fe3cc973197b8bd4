"""The manual: every page of docs/ is there, every link leads somewhere, and words are found."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client

from tasks_app.manual import searching
from tasks_app.manual.pages import OF_THE_CODE, Anchors, Page, _read, pages, plain
from tasks_app.manual.rendering import target, to_html
from tasks_app.views.researcher.manual import example_url, page_url, picture_url

DOCS = Path(settings.BASE_DIR) / "docs"


def rendered(page: Page) -> str:
    return to_html(page, page_url, example_url, picture_url)


def test_every_file_of_the_docs_is_a_page_but_those_about_the_code() -> None:
    files = {path for path in DOCS.rglob("*.md") if "decisions" not in path.parts and path.stem not in OF_THE_CODE}
    assert len(pages()) == len(files)
    assert all(page.title and page.sections for page in pages().values())


def test_no_page_names_decisions_or_files_of_the_code() -> None:
    code = re.compile(r"(?i)\bdecisions?[ /]\d+|\b(?:tasks_app|analytics_app|tests)/[\w/]")
    named = {name: code.findall(page.body) for name, page in pages().items()}
    assert {name: found for name, found in named.items() if found} == {}


def test_the_docs_are_in_the_image() -> None:
    ignored = (Path(settings.BASE_DIR) / ".dockerignore").read_text().splitlines()
    assert "!docs" in ignored


@pytest.mark.parametrize("page", pages().values(), ids=list(pages()))
def test_each_link_leads_to_a_page_and_a_heading_that_are_there(page: Page) -> None:
    html = rendered(page)
    assert "<!--" not in html
    assert "&lt;!--" not in html
    for href in re.findall(r'href="([^"]*)"', html):
        path, _hash, anchor = href.partition("#")
        if path.startswith(("http", "mailto:", "/admin/studies/new/")):
            continue
        name = path.removeprefix("/admin/help/").rstrip("/") if path else page.name
        assert name in pages(), href
        assert not anchor or f'id="{anchor}"' in rendered(pages()[name]), href


@pytest.mark.parametrize("page", pages().values(), ids=list(pages()))
def test_sections_have_the_anchors_of_the_headings(page: Page) -> None:
    in_html = re.findall(r'<h[2-6] id="([^"]*)"', rendered(page))
    assert in_html == [section.anchor for section in page.sections if section.anchor]


def test_what_leads_out_of_the_docs_stays_as_words() -> None:
    page = _read(
        "a", "", "# A\n[code](../tasks_app/urls.py) [b](nothing.md) ![A picture](img/x.svg) [e](../examples/likert/)\n"
    )
    html = rendered(page)
    assert "<p>code b A picture <a" in html
    assert "/admin/studies/new/?example=likert" in html
    assert target("javascript:alert(1)", page, page_url, example_url) == ""


def test_screenshots_are_shown(rosas_browser: Client) -> None:
    html = rendered(_read("a", "", "# A\n![A screen](img/rater.png) ![None](img/../rater.png) ![No](img/none.png)\n"))
    assert '<img src="/admin/help/pictures/rater.png" alt="A screen" loading="lazy"> None No' in html
    answer = rosas_browser.get(picture_url("rater.png"))
    assert answer["Content-Type"] == "image/png"
    assert b"".join(answer.streaming_content).startswith(b"\x89PNG")
    drawing = rosas_browser.get(picture_url("which-conclusion.svg"))
    assert drawing["Content-Type"] == "image/svg+xml"
    assert b"".join(drawing.streaming_content).startswith(b"<svg")
    for name in ("none.png", "architecture.svg"):
        assert rosas_browser.get(f"/admin/help/pictures/{name}").status_code == 404


def test_every_screenshot_of_the_docs_is_there() -> None:
    for page in pages().values():
        for name in re.findall(r"\]\((?:\.\./)?img/([^)]*\.png)\)", page.body):
            assert (DOCS / "img" / name).is_file(), f"{page.name}: {name}; make screenshots draws it"


def test_raw_html_is_shown_and_not_run() -> None:
    html = rendered(_read("a", "", "# A\n<script>alert(1)</script>\n\n[x](javascript:alert(1))\n"))
    assert "<script" not in html
    assert "&lt;script" in html
    assert 'href="javascript' not in html


def test_headings_alike_have_anchors_of_their_own() -> None:
    anchors = Anchors()
    assert [anchors.take(one) for one in ("What it is", "What it is", "k & `n`: how many?")] == [
        "what-it-is",
        "what-it-is-1",
        "k--n-how-many",
    ]
    assert plain("**Bold** [link](to.md) and `code`") == "Bold link and code"


def test_a_heading_within_code_is_none() -> None:
    page = _read("a", "", "# A\n```sh\n# no heading\n```\n## Heading\ntext\n")
    assert [section.heading for section in page.sections] == ["A", "Heading"]


def test_words_are_found_with_headings_first() -> None:
    hits = searching.search("krippendorff alpha")
    assert hits[0].page.name in {"methods/krippendorff", "methods/agreement"}
    assert all("krippendorff" in (hit.page.title + hit.section.heading + hit.section.text).casefold() for hit in hits)
    assert len(hits) <= searching.MOST
    assert searching.search("   ") == []
    assert searching.search("xyzzyplugh") == []


def test_an_excerpt_shows_the_words() -> None:
    parts = searching.excerpt(
        "Raters come. " * 20 + "The `lease` of a place ends (see [leases](x.md)). " * 9, ["lease"]
    )
    assert parts[1] == "lease"
    assert parts[0].startswith("…")
    assert parts[-1].endswith("…")
    assert searching.excerpt("<b> (a+ $", ["(a+"])[1] == "(a+"


@pytest.mark.django_db
def test_researchers_read_and_search_it(rosas_browser: Client) -> None:
    index = rosas_browser.get("/admin/help/").content.decode()
    assert all(f'href="{page_url(name)}"' in index for name in pages())
    found = rosas_browser.get("/admin/help/", {"q": "known answers"}).content.decode()
    assert "<mark>" in found
    nothing = rosas_browser.get("/admin/help/", {"q": "<b>xyzzy"}).content.decode()
    assert "&lt;b&gt;xyzzy" in nothing
    page = rosas_browser.get("/admin/help/methods/agreement/").content.decode()
    assert 'class="ew-scroll"' in rosas_browser.get("/admin/help/study-file/").content.decode()
    assert pages()["methods/agreement"].title in page


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["nothing", "decisions/0068-how-a-study-begins", "../README", "methods/../study-file"])
def test_what_is_no_page_is_not_there(rosas_browser: Client, name: str) -> None:
    assert rosas_browser.get(f"/admin/help/{name}/").status_code == 404
