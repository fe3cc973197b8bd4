"""Scripts of raters' pages end with the page: the next texts can take its place within the same document."""

import re
from collections.abc import Iterator

from django.conf import settings

from evalweb import static_joining

STATIC = settings.BASE_DIR / "static"
ENTRIES = (
    static_joining.PAGE_SCRIPT,
    *sorted(path.relative_to(STATIC).as_posix() for path in STATIC.glob(static_joining.SCRIPTS_OF_TYPES)),
)
# Listeners of what outlives the content of a page: the document, the window, a width of the window.
LISTENS = re.compile(r"\b(?:document|globalThis|window|wide|narrow)\.addEventListener(?=\()")
# What begins when a module is first imported, which happens once for each document.
AT_ONCE = re.compile(r"^(?:if|for|const \w+ = (?:globalThis\.)?document|\w+\.start\()", re.MULTILINE)


def source(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")


def modules() -> set[str]:
    return {module for entry in ENTRIES for module in static_joining.modules_of(entry, source)}


def calls(text: str) -> Iterator[str]:
    """Yield the calls that add a listener, from the name of the object to the closing bracket."""
    for match in LISTENS.finditer(text):
        depth, end = 0, match.end()
        while depth or end == match.end():
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        yield text[match.start() : end]


def test_what_listens_to_the_document_or_the_window_ends_with_the_page() -> None:
    found = [(name, call) for name in modules() for call in calls(source(name))]
    assert len(found) > 30
    assert not [(name, call) for name, call in found if "during(" not in call]


def test_nothing_is_started_for_the_first_page_of_a_document_alone() -> None:
    # Each button that copies is started once, however often it is looked for.
    found = {name: AT_ONCE.findall(source(name)) for name in sorted(modules())}
    assert {name for name, lines in found.items() if lines} == set()
