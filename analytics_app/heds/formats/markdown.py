"""The datasheet in Markdown."""

import re
from collections.abc import Iterator

from analytics_app.heds.formats.parts import CORRECTIONS, NOT_ANSWERED, correction_lines, headline, parts_of, source_of
from analytics_app.heds.questions import Version
from analytics_app.heds.sheet import Sheet


def write(sheet: Sheet, version: Version) -> str:
    """Return the datasheet of a version as Markdown; texts of researchers are quoted, so that nothing in them acts."""
    return "\n".join(_lines(sheet, version)) + "\n"


def _lines(sheet: Sheet, version: Version) -> Iterator[str]:
    yield f"# {_escaped(headline(sheet, version))}"
    yield ""
    yield source_of(version)
    for part in parts_of(sheet, version):
        yield ""
        yield f"## {part.section}. {_escaped(part.title)}"
        for entry in part.entries:
            yield ""
            yield f"**{entry.question.number_in(version)} {entry.question.words}**"
            yield ""
            yield from (f"> {_escaped(line)}".rstrip() for line in (entry.words or NOT_ANSWERED).split("\n"))
    if sheet.corrections:
        yield from ("", f"## {CORRECTIONS}")
    for corrected in sheet.corrections:
        yield from ("", f"**{_escaped(corrected.title)}**")
        for paragraph in correction_lines(corrected):
            yield from ("", *(f"> {_escaped(line)}".rstrip() for line in paragraph.split("\n")))


def _escaped(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]<>#|!])", r"\\\1", text)
