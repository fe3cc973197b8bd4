"""The pages of the manual and their sections, read from docs/ once by each process.

Decision records and guides to the code are for those who change evalweb; they are no pages.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.conf import settings
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

# Folders of docs/ whose files are pages, and their names in the index.
FOLDERS: Mapping[str, Promise] = {"": _("Guides"), "task-types": _("Task types"), "methods": _("Methods")}

# Guides in the order of work; guides that are not named here follow.
FIRST = (
    "setting-up", "published-studies", "study-file", "designs", "checks", "set-time", "elsewhere", "languages",
    "recruiting", "waves", "monitoring", "pay", "collecting-texts", "routing", "rights", "roles", "datasheet",
    "ratings-file", "formats", "metrics-file", "outcomes-file", "personal-texts-file", "columns", "api",
)  # fmt: skip

# Guides for those who change evalweb.
OF_THE_CODE = frozenset({"architecture", "extending", "testing"})

# The folder of screenshots and of drawings for researchers. Other drawings are for readers of the source.
PICTURES = "img"
_PICTURE = re.compile(r"[a-z0-9-]+\.png|which-conclusion\.svg")

# The page that stands for a folder.
_INDEX = "README.md"

_HEADING = re.compile(r"^(#{1,6}) +(.+?) *#*$")
_FENCE = re.compile(r"^ {0,3}(```|~~~)")
_COMMENT = re.compile(r"^<!--.*?-->\n?", re.MULTILINE)
_MARKS = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|[*`]")


@dataclass(frozen=True, slots=True)
class Section:
    """A heading of a page with the text below it; the part above the first heading has the title of the page."""

    heading: str
    anchor: str
    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Page:
    """A page: its name in addresses, such as "methods/agreement", its folder, title, Markdown and sections."""

    name: str
    folder: str
    title: str
    body: str
    sections: tuple[Section, ...]

    @property
    def lead(self) -> str:
        """The first paragraph that is running text."""
        whole = "\n\n".join(section.text for section in self.sections)
        paragraphs = (plain(part) for part in re.split(r"\n\s*\n", whole) if "```" not in part)
        return next((part for part in paragraphs if part and part[0] not in "|-<>#"), "")


@cache
def pages() -> Mapping[str, Page]:
    """Return the pages by their names, in the order of the folders."""
    docs = Path(settings.BASE_DIR) / "docs"
    pages_by_name = {}
    for folder in FOLDERS:
        for path in sorted((docs / folder).glob("*.md"), key=_place):
            name = "/".join(filter(None, (folder, "" if path.name == _INDEX else path.stem)))
            if name and name not in OF_THE_CODE:
                pages_by_name[name] = _read(name, folder, path.read_text(encoding="utf-8"))
    return pages_by_name


def _place(path: Path) -> tuple[int, str]:
    """Return the place of a page within its folder; the page of the folder itself is the first."""
    if path.name == _INDEX:
        return -1, ""
    return FIRST.index(path.stem) if path.stem in FIRST else len(FIRST), path.stem


def _read(name: str, folder: str, text: str) -> Page:
    """Split a file into its title, the Markdown below it, and sections."""
    body = _COMMENT.sub("", text).lstrip("\n")
    first, _newline, below_title = body.partition("\n")
    heading = _HEADING.match(first)
    title = plain(heading.group(2)) if heading else name
    body = below_title if heading else body
    return Page(name, folder, title, body, tuple(_sections(title, body)))


def _sections(title: str, body: str) -> Iterator[Section]:
    heading, anchor, level = title, "", 1
    lines: list[str] = []
    fenced = False
    anchors = Anchors()
    for line in body.splitlines():
        fenced ^= bool(_FENCE.match(line))
        match = None if fenced else _HEADING.match(line)
        if match is None:
            lines.append(line)
            continue
        yield Section(heading, anchor, level, "\n".join(lines))
        heading, level, lines = plain(match.group(2)), len(match.group(1)), []
        anchor = anchors.take(heading)
    yield Section(heading, anchor, level, "\n".join(lines))


class Anchors:
    """The anchors of the headings of one page: as on code forges, so that links work in both places."""

    def __init__(self) -> None:
        self._taken: dict[str, int] = {}

    def take(self, heading: str) -> str:
        """Return the anchor of the next heading; of several alike each gets its own."""
        characters = (char for char in heading.lower() if char in "-_ " or unicodedata.category(char)[0] in "LN")
        anchor = "".join(characters).replace(" ", "-")
        n = self._taken[anchor] = self._taken.get(anchor, -1) + 1
        return f"{anchor}-{n}" if n else anchor


def plain(markdown: str) -> str:
    """Return Markdown in one line without the marks of links, code and emphasis."""
    return " ".join(_MARKS.sub(lambda match: match.group(1) or "", markdown).split())


def picture(name: str) -> Path | None:
    """Return the file of a screenshot, such as "rater.png"; None where there is none of this name."""
    path = Path(settings.BASE_DIR) / "docs" / PICTURES / name
    return path if _PICTURE.fullmatch(name) and path.is_file() else None
