"""Reading pages of results as a person does: tables by their caption, texts without their tags."""

import re
from html.parser import HTMLParser

from django.test import Client

from tasks_app.models import Study


class _Tables(HTMLParser):
    """Collects each table: its caption and its rows of texts."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, list[list[str]]]] = []
        self._caption: list[str] = []
        self._cell: list[str] | None = None
        self._rows: list[list[str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self._caption, self._rows = [], []
        elif tag == "tr":
            self._rows.append([])
        elif tag in {"td", "th", "caption"}:
            self._cell = []

    def handle_endtag(self, tag: str) -> None:
        if tag in {"td", "th"} and self._cell is not None:
            self._rows[-1].append(" ".join("".join(self._cell).split()))
        elif tag == "caption":
            self._caption = self._cell or []
        elif tag == "table":
            self.found.append((" ".join("".join(self._caption).split()), self._rows))

    def handle_data(self, data: str) -> None:
        if self._cell is not None:
            self._cell.append(data)


def tables(html: str) -> list[tuple[str, list[list[str]]]]:
    """Return the tables of a page: caption and rows of texts, heads first."""
    parser = _Tables()
    parser.feed(html)
    return parser.found


def table(html: str, caption: str, number: int = 0) -> list[dict[str, str]]:
    """Return one table of a page as rows by head."""
    rows = [rows for found, rows in tables(html) if found == caption][number]
    return [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]


def text(html: str) -> str:
    """Return the words of a page, without tags, on one line."""
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def page(browser: Client, address: str, status: int = 200) -> str:
    """Open a page and return its HTML."""
    answer = browser.get(address)
    assert answer.status_code == status, answer.content.decode()[:500]
    return answer.content.decode()


def results(study: Study, rest: str = "") -> str:
    """Return an address under the tab."""
    return f"/admin/studies/{study.slug}/results/{rest}"
