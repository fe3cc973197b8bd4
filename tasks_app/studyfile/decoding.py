"""Bytes to text: UTF-8 with or without a byte order mark, or UTF-16 with one; nothing is guessed."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from itertools import islice

from django.utils.translation import gettext as _

from tasks_app.studyfile.problems import Problems

# UTF-32 begins like UTF-16, so it is looked for first.
_REFUSED = ((codecs.BOM_UTF32_LE, "UTF-32"), (codecs.BOM_UTF32_BE, "UTF-32"))
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

# NUL characters that are named; a damaged file is full of them.
_NULS = 20

_LINE_END = re.compile("\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class Place:
    """A line and column, both from 1."""

    line: int
    column: int


def place_of(text: str, position: int) -> Place:
    """Find the line and column of a character, whatever ends the lines."""
    line, start = 1, 0
    for end in _LINE_END.finditer(text, 0, position):
        line, start = line + 1, end.end()
    return Place(line, position - start + 1)


def how_to_save() -> str:
    """Say how programs save a file that can be read here."""
    return _(
        "Save the file as UTF-8: in Excel “CSV UTF-8”, in LibreOffice character set “Unicode (UTF-8)”, "
        "in an editor encoding “UTF-8”."
    )


def decode(file: str, content: bytes, problems: Problems) -> str | None:
    """Return the text of a file, or report why it has none and return None.

    A NUL character is a problem of its place, and the text is not returned either: none is in a text on purpose.
    """
    for mark, name in _REFUSED:
        if content.startswith(mark):
            sentence = _("is encoded in %(name)s. ") % {"name": name} + how_to_save()
            problems.add(file, 0, 0, sentence)
            return None
    mark, encoding = next(((mark, name) for mark, name in _MARKS if content.startswith(mark)), (b"", "utf-8"))
    body = content[len(mark) :]
    try:
        text = body.decode(encoding)
    except UnicodeDecodeError as found:
        sound = body[: found.start].decode(encoding)
        place = place_of(sound, len(sound))
        sentence = _("Byte %(position)d (0x%(byte)s) is not %(encoding)s. ") % {
            "position": len(mark) + found.start + 1,
            "byte": f"{body[found.start]:02X}",
            "encoding": encoding.upper(),
        }
        problems.add(file, place.line, place.column, sentence + how_to_save())
        return None
    if "\x00" in text and _looks_like_utf16(body):
        sentence = _("looks like UTF-16 without a byte order mark. ") + how_to_save()
        problems.add(file, 0, 0, sentence)
        return None
    # Strict decoding lets no lone surrogate through; a NUL is a character like any other to it.
    for nul in islice(re.finditer("\x00", text), _NULS):
        place = place_of(text, nul.start())
        sentence = _("Here is a NUL character, which no text may hold. Remove it.")
        problems.add(file, place.line, place.column, sentence)
    return None if "\x00" in text else text


def _looks_like_utf16(body: bytes) -> bool:
    start = body[:1000]
    return max(start[::2].count(0), start[1::2].count(0)) > len(start) / 4
