"""Decode bytes to text: UTF-8 with or without a byte order mark, or UTF-16 with one. Nothing is guessed."""

import codecs
import io
import re
from dataclasses import dataclass
from itertools import islice
from typing import IO

from django.utils.translation import gettext as _

from tasks_app.studyfile.files.limits import limits
from tasks_app.studyfile.problems import Problem, Problems, StudyFileError

# UTF-32 begins like UTF-16, so it is checked first.
_REFUSED = ((codecs.BOM_UTF32_LE, "UTF-32"), (codecs.BOM_UTF32_BE, "UTF-32"))
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

# Most NUL characters to report; a damaged file is full of them.
_NULS = 20

# Bytes read at a time.
_CHUNK = 1024 * 1024

_LINE_END = re.compile("\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class Place:
    """A line and column, both from 1."""

    line: int
    column: int


def place_of(text: str, position: int) -> Place:
    """Find the line and column of a character, for any line ends."""
    if text.find("\r", 0, position) < 0:
        return Place(text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position))
    line, start = 1, 0
    for end in _LINE_END.finditer(text, 0, position):
        line, start = line + 1, end.end()
    return Place(line, position - start + 1)


def how_to_save() -> str:
    """Return advice on saving a file in an encoding that can be read here."""
    return _(
        "Save the file as UTF-8: in Excel “CSV UTF-8”, in LibreOffice character set “Unicode (UTF-8)”, "
        "in an editor encoding “UTF-8”."
    )


def decode(file: str, content: bytes, problems: Problems, *, is_lines: bool = True) -> str | None:
    """Return the text of a file, or report why it has none and return None.

    A text that is not read by lines may have any. A NUL character is a problem of its place, and the text is not
    returned either: none is in a text on purpose.
    """
    encoding = scan(file, io.BytesIO(content), problems, is_lines=is_lines)
    return None if encoding is None else content[len(encoding.mark) :].decode(encoding.name)


@dataclass(frozen=True, slots=True)
class Encoding:
    """The encoding of a file: its codec, after its byte order mark."""

    name: str
    mark: bytes


def encoding_of(start: bytes) -> Encoding:
    """Return the encoding of a file by its beginning: that of the byte order mark, else UTF-8."""
    for mark, name in _MARKS:
        if start.startswith(mark):
            return Encoding(name, mark)
    return Encoding("utf-8", b"")


def scan(file: str, stream: IO[bytes], problems: Problems, *, is_lines: bool = True) -> Encoding | None:
    """Read a file to its end and return its encoding, or report why it cannot be read as text and return None.

    Memory does not grow with the file.

    Raises
    ------
    StudyFileError
        For a line that is too long, or too many lines: whoever reads the text by lines would hold all of one.
    """
    chunk = stream.read(_CHUNK)
    for mark, name in _REFUSED:
        if chunk.startswith(mark):
            sentence = _("is encoded in %(name)s. ") % {"name": name} + how_to_save()
            problems.add(file, 0, 0, sentence)
            return None
    encoding = encoding_of(chunk)
    name, position = encoding.name, len(encoding.mark)
    chunk = chunk[position:]
    decoder = codecs.getincrementaldecoder(name)()
    cursor = _Cursor(file, problems, chunk, is_lines=is_lines)
    while True:
        is_last = not chunk
        try:
            is_text = cursor.take(decoder.decode(chunk, is_last))
        except UnicodeDecodeError as error:
            if cursor.take(error.object[: error.start].decode(name)):
                # The decoder puts the bytes it kept from the previous chunk before this one.
                n_carried = len(error.object) - len(chunk)
                cursor.refuse(position - n_carried + error.start, error.object[error.start], name)
            return None
        if not is_text:
            return None
        if is_last:
            return None if cursor.nuls else encoding
        position += len(chunk)
        chunk = stream.read(_CHUNK)


class _Cursor:
    """Tracks line and column through the pieces of a text, and reports NUL characters."""

    def __init__(self, file: str, problems: Problems, start: bytes, *, is_lines: bool) -> None:
        self.file = file
        self.is_lines = is_lines
        self.problems = problems
        self.nuls = 0
        self._start = start[:1000]
        self._place = Place(1, 1)
        # A carriage return at the end of a piece may be half of a line end.
        self._held = ""

    def take(self, text: str) -> bool:
        """Take a piece of text; return False if the file is not text of this encoding."""
        text, self._held = self._held + text, ""
        if text.endswith("\r"):
            text, self._held = text[:-1], "\r"
        if "\x00" in text and not self._report_nuls(text):
            return False
        self._place = self._from_here(place_of(text, len(text)))
        if self.is_lines:
            self._refuse_endless()
        return True

    def _refuse_endless(self) -> None:
        """Raise StudyFileError where a line, or the number of lines, has no end in sight."""
        most, line = limits(), self._place.line
        if self._place.column > most.line_characters:
            sentence = _("This line has more than %(n)s characters. Put every row into a line of its own.")
            raise StudyFileError([Problem(self.file, line, 1, sentence % {"n": f"{most.line_characters:,}"})])
        if line > most.lines:
            sentence = _("There are more than %(n)s lines. Remove empty ones, or split the file.")
            raise StudyFileError([Problem(self.file, line, 1, sentence % {"n": f"{most.lines:,}"})])

    def _from_here(self, place: Place) -> Place:
        start = self._place
        return Place(start.line + place.line - 1, place.column + (start.column - 1 if place.line == 1 else 0))

    def _report_nuls(self, text: str) -> bool:
        if not self.nuls and _looks_like_utf16(self._start):
            sentence = _("looks like UTF-16 without a byte order mark. ") + how_to_save()
            self.problems.add(self.file, 0, 0, sentence)
            return False
        # Strict decoding refuses lone surrogates, but not NUL characters.
        for nul in islice(re.finditer("\x00", text), _NULS - self.nuls):
            self.nuls += 1
            place = self._from_here(place_of(text, nul.start()))
            sentence = _("Here is a NUL character, which no text may contain. Remove it.")
            self.problems.add(self.file, place.line, place.column, sentence)
        return self.nuls < _NULS

    def refuse(self, position: int, byte: int, encoding: str) -> None:
        """Report a byte that cannot be decoded; `position` counts the file's bytes from 0."""
        place = Place(self._place.line + 1, 1) if self._held else self._place
        sentence = _("Byte %(position)d (0x%(byte)s) is not %(encoding)s. ") % {
            "position": position + 1,
            "byte": f"{byte:02X}",
            "encoding": encoding.upper(),
        }
        self.problems.add(self.file, place.line, place.column, sentence + how_to_save())


def _looks_like_utf16(start: bytes) -> bool:
    return max(start[::2].count(0), start[1::2].count(0)) > len(start) / 4
