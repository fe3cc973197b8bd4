"""Each page of docs/decisions says under its title whether it holds, and which pages changed it."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from django.conf import settings

FOLDER = Path(settings.BASE_DIR) / "docs" / "decisions"
PAGES = sorted(FOLDER.glob("*.md"))
LINK = re.compile(r"\[(\d+)\]\((\d{4})-[\w-]+\.md\)")
LINKS = rf"{LINK.pattern}(?:, {LINK.pattern})*"
STATUS = re.compile(
    rf"# (?P<number>\d+)\. .+\n\nStatus: (?:accepted|superseded by {LINKS})"
    rf"(?:; amended by {LINKS})?(?:; amends {LINKS})?(?:; supersedes {LINKS})?\n\n"
)
# Each word of a status line, and the word with which the other page has to answer.
ANSWERS = {
    "superseded by": "supersedes", "supersedes": "superseded by", "amended by": "amends", "amends": "amended by",
}  # fmt: skip


class Said(NamedTuple):
    """One statement of a status line: `page` is `how` (such as "amended by") `other`."""

    page: str
    how: str
    other: str


def statements(page: str, text: str) -> Iterator[Said]:
    """Yield the statements of a page's status line about other pages; a page without one says nothing."""
    line = re.search(r"^Status: (.*)$", text, flags=re.MULTILINE)
    for part in line[1].split("; ") if line else ():
        for how in ANSWERS:
            if part.startswith(how):
                yield from (Said(page, how, link[2]) for link in LINK.finditer(part))


def unanswered(pages: dict[str, str]) -> list[Said]:
    """Return the statements of status lines that the other page does not make, too."""
    said = {one for page, text in pages.items() for one in statements(page, text)}
    return sorted(one for one in said if Said(one.other, ANSWERS[one.how], one.page) not in said)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name[:4])
def test_a_decision_has_its_number_and_a_status_line(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    found = STATUS.match(text)
    assert found, f"{page.name} needs a line such as “Status: accepted” under its title"
    assert int(found["number"]) == int(page.name[:4])
    for number, name in LINK.findall(text):
        assert int(number) == int(name)


def test_what_a_status_line_says_of_another_page_is_said_there_too() -> None:
    pages = {page.name[:4]: page.read_text(encoding="utf-8") for page in PAGES}
    assert unanswered(pages) == []
    one_sided = pages["0097"].replace("; amends", "; supersedes", 1)
    assert Said("0012", "amended by", "0097") in unanswered({**pages, "0097": one_sided})


def test_every_link_between_decisions_leads_to_a_page() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\((\d{4}-[\w-]+\.md)\)", page.read_text(encoding="utf-8")):
            assert (FOLDER / target).is_file(), f"{page.name}: {target}"
