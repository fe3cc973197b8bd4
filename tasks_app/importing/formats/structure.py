"""Look through the XML of a workbook before a library loads it: how many cells it spans, and how much text they hold.

A library makes room for the whole rectangle from the first cell to the last, and copies a shared text into each cell
that refers to it. A small file can so take any amount of memory.
"""

from __future__ import annotations

import re
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import IO
from xml.parsers import expat

from django.utils.translation import gettext as _

from tasks_app.studyfile.files.limits import MIB, limits, megabytes
from tasks_app.studyfile.problems import Problem, StudyFileError

# Cells of the rectangle that a sheet spans, 32 bytes each.
MOST_CELLS = 10_000_000

# Reference of a cell, such as AB12 or $AB$12.
_REFERENCE = re.compile(r"\s*\$?([A-Za-z]{1,7})\$?0*([0-9]{1,12})\s*")
_DIGITS = re.compile(r"\s*\+?0*([0-9]{1,12})\s*")
# What another spelling counts as, so that it is refused: a library may read it as anything.
_FAR = 10**12
# Beginnings of parts that are XML; others are pictures and settings, which are only counted.
_XML = re.compile(rb"(\xef\xbb\xbf)?\s*<|\xff\xfe|\xfe\xff")

_DAMAGED = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError, ValueError)


@dataclass(slots=True)
class _Texts:
    """The texts that cells share, by their lengths, and how often cells refer to each; texts in cells are counted."""

    lengths: list[int] = field(default_factory=list)
    references: dict[int, int] = field(default_factory=dict)
    in_cells: int = 0
    # Formulas of cells that hold no value.
    uncomputed: int = 0

    @property
    def characters(self) -> int:
        """Return how many characters all cells have together."""
        shared = sum(self.lengths[index] * n for index, n in self.references.items() if index < len(self.lengths))
        return shared + self.in_cells


class _Part:
    """One XML part of a workbook of any kind: its declarations are known by their elements, not by the part's name."""

    def __init__(self, name: str, texts: _Texts, refuse: Callable[[str], StudyFileError]) -> None:
        self.name = name
        self.width = self.height = 0
        self._texts = texts
        self._refuse = refuse
        self._row = self._column = 0
        # Of an OpenDocument row: times it is repeated, end of its last filled cell, characters of its cells.
        self._repeated, self._end, self._characters = 1, 0, 0
        self._cell_repeated, self._cell_filled, self._cell_characters = 1, False, 0
        self._is_shared, self._text, self._shared = False, None, None  # type: tuple[bool, list[str] | None, int | None]
        self._has_formula = False
        self._local: dict[str, str] = {}
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartDoctypeDeclHandler = self._doctype
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end_element
        self._parser.CharacterDataHandler = self._characters_of

    def take(self, chunk: bytes, *, is_last: bool = False) -> None:
        """Parse a piece. Raises StudyFileError where it is no XML, declares entities, or spans too much."""
        try:
            self._parser.Parse(chunk, is_last)
        except expat.ExpatError as error:
            sentence = _("%(part)s in this workbook is damaged (%(reason)s). Save the workbook again.")
            raise self._refuse(sentence % {"part": self.name, "reason": error}) from error
        self._check_span()

    def _check_span(self) -> None:
        if self.width * self.height > MOST_CELLS:
            sentence = _(
                "A sheet of this workbook spans %(n)s cells. Remove cells far from all others, or save it as CSV."
            )
            raise self._refuse(sentence % {"n": f"{self.width * self.height:,}"})

    def _doctype(self, *_given: object) -> None:
        sentence = _("%(part)s in this workbook declares a document type, as no spreadsheet does. Save it as CSV.")
        raise self._refuse(sentence % {"part": self.name})

    def _start(self, name: str, given: dict[str, str]) -> None:
        local = self._local.get(name) or self._local.setdefault(name, name.rpartition(":")[2])
        match local:
            case "c":
                self._cell(given)
            case "v":
                self._text = [] if self._is_shared else None
                self._has_formula = False
            case "f":
                self._has_formula = True
            case "row":
                self._row, self._column = max(self._row + 1, _number(given.get("r"))), 0
                self.height = max(self.height, self._row)
            case "si":
                self._shared = 0
            case "table":
                self._check_span()
                self._row = self.width = self.height = 0
            case "s":
                # In OpenDocument, so many spaces.
                self._cell_filled = True
                self._cell_characters += _number(given.get("text:c"))
            case "table-row":
                self._repeated, self._column, self._end, self._characters = _repeats(given, "rows"), 0, 0, 0
            case "table-cell" | "covered-table-cell":
                self._cell_repeated = _repeats(given, "columns")
                values = [len(value) for key, value in given.items() if key.rpartition(":")[2] in _VALUES]
                self._cell_filled, self._cell_characters = bool(values), sum(values)

    def _cell(self, given: dict[str, str]) -> None:
        """Take note of a cell of a sheet: where it is, and whether its text is a shared one."""
        place = _REFERENCE.fullmatch(given.get("r", ""))
        self._column += 1
        if place is not None:
            self._column = _column(place[1])
            self.height = max(self.height, int(place[2]))
        elif given.get("r"):
            self.height = _FAR
        self.width = max(self.width, self._column)
        self._is_shared = given.get("t") == "s"

    def _end_element(self, name: str) -> None:
        match self._local[name]:
            case "v" if self._text is not None:
                index = _number("".join(self._text))
                references = self._texts.references
                references[index] = references.get(index, 0) + 1
                self._text = None
            case "c":
                self._texts.uncomputed += self._has_formula
                self._is_shared = self._has_formula = False
            case "si" if self._shared is not None:
                self._texts.lengths.append(self._shared)
                self._shared = None
            case "table-cell" | "covered-table-cell":
                self._column += self._cell_repeated
                if self._cell_filled:
                    self._end = self._column
                    self._characters += self._cell_characters * self._cell_repeated
                self._cell_repeated, self._cell_filled, self._cell_characters = 1, False, 0
            case "table-row":
                self._row += self._repeated
                if self._end:
                    self.width, self.height = max(self.width, self._end), max(self.height, self._row)
                    self._texts.in_cells += self._characters * self._repeated

    def _characters_of(self, text: str) -> None:
        if self._text is not None:
            self._text.append(text[:20])
        if self._shared is not None:
            self._shared += len(text)
        elif not text.isspace():
            self._cell_filled = True
            self._cell_characters += len(text)


# Attributes that hold the value of a cell of an OpenDocument sheet.
_VALUES = frozenset({"value", "string-value", "date-value", "time-value", "boolean-value"})


def _repeats(given: dict[str, str], what: str) -> int:
    """Return how often a row or cell of an OpenDocument sheet is repeated."""
    for name, value in given.items():
        if name.rpartition(":")[2] == f"number-{what}-repeated":
            return max(1, _number(value))
    return 1


def _number(text: str | None) -> int:
    """Return a number as it is written: 0 where it is left out, one that is refused where it is no number."""
    if not text:
        return 0
    found = _DIGITS.fullmatch(text)
    return int(found[1]) if found is not None else _FAR


def _column(letters: str) -> int:
    """Return the number of a column, such as 28 for AB."""
    number = 0
    for letter in letters.upper():
        number = 26 * number + ord(letter) - ord("A") + 1
    return number


def check(name: str, stream: IO[bytes]) -> int:
    """Return how many formulas of a workbook have no value.

    Raises
    ------
    StudyFileError
        For a workbook that would take too much room, whatever sizes its directory says.
    """

    def refusal(sentence: str) -> StudyFileError:
        return StudyFileError([Problem(name, 0, 0, sentence)])

    texts = _Texts()
    try:
        with zipfile.ZipFile(stream) as archive:
            if len(archive.infolist()) > limits().files:
                sentence = _("This workbook holds more than %(n)d files. Save it as CSV.")
                raise refusal(sentence % {"n": limits().files})
            left = limits().unpacked_bytes
            for member in archive.infolist():
                part = None
                for chunk in _unpacked(archive, member):
                    if part is None and _XML.match(chunk):
                        part = _Part(member.filename, texts, refusal)
                    left -= len(chunk)
                    if left < 0:
                        sentence = _("This workbook unpacks to more than %(most)s. Save it as CSV.")
                        raise refusal(sentence % {"most": megabytes(limits().unpacked_bytes)})
                    if part is not None:
                        part.take(chunk)
                if part is not None:
                    part.take(b"", is_last=True)
    except _DAMAGED as error:
        sentence = _("This workbook is damaged (%(reason)s). Save it again.")
        raise refusal(sentence % {"reason": error}) from error
    if texts.characters > limits().table_bytes:
        sentence = _("The cells of this workbook hold %(n)s characters in all; at most %(most)s can be read. Split it.")
        raise refusal(sentence % {"n": f"{texts.characters:,}", "most": f"{limits().table_bytes:,}"})
    return texts.uncomputed


def _unpacked(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Iterator[bytes]:
    """Yield a member in pieces, to its true end."""
    member.file_size = sys.maxsize
    with archive.open(member) as content:
        while chunk := content.read(MIB):
            yield chunk
