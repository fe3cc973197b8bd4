"""Quotation marks in tab-separated tables: whether they enclose cells or belong to the texts."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from django.utils.translation import gettext as _

# The settings: cells may be in double quotes, or a quotation mark is an ordinary character.
DOUBLE, NONE = "double", "none"
QUOTINGS = (DOUBLE, NONE)


@dataclass(frozen=True, slots=True)
class Quoting:
    """The setting for the quotation marks of a file ("" if not set), and a sentence on where to set it."""

    stated: str = ""
    where: str = ""

    @property
    def of_reader(self) -> Literal[0, 3]:
        """Return the `quoting` constant of csv.reader."""
        return csv.QUOTE_NONE if self.stated == NONE else csv.QUOTE_MINIMAL

    def advice(self) -> str:
        """Return advice on quotation marks that can be read in two ways."""
        sentence = _(
            "If quotation marks are part of the texts in this file, set quoting: none; if they stand around cells, set "
            "quoting: double."
        )
        return f"{sentence} {self.where}".rstrip()


class QuoteWatch:
    """Passes the lines of a table on to its reader, and finds rows with quotation marks that can be read in two ways.

    There are two signs. First, a row with tabs within quotation marks, one of whose lines has as many cells as the
    header if the marks are ignored: a text that merely begins with a quotation mark swallows all rows up to the next
    mark. Second, quoted cells in a file that also has quotation marks within unquoted cells.
    """

    def __init__(self, lines: Iterable[str], quoting: Quoting) -> None:
        self._lines = lines
        self._quoting = quoting
        self._row: list[str] = []
        self._quoted_in = self._bare_in = 0

    def __iter__(self) -> Iterator[str]:
        for line in self._lines:
            self._row.append(line)
            yield line

    def fault(self, cells: Sequence[str], line: int, n_columns: int) -> tuple[int, str] | None:
        """Return the problem of the row just read as the number of a cell and a sentence, or None.

        `line` is its first, and `wanted` how many cells the header has.
        """
        raw = "".join(self._row)
        self._row.clear()
        if '"' not in raw:
            return None
        if raw.count("\t") > len(cells) - 1:
            is_clear = not any(_is_whole(text_line, n_columns) for text_line in raw.splitlines())
            return None if is_clear else self._swallowed(raw, cells)
        if "\n" not in raw.rstrip("\r\n"):
            for number, cell in enumerate(raw.rstrip("\r\n").split("\t"), start=1):
                if cell.startswith('"'):
                    self._quoted_in = self._quoted_in or line
                elif '"' in cell:
                    self._bare_in = self._bare_in or line
                if self._quoted_in and self._bare_in:
                    return number, self._mixed()
        return None

    def _swallowed(self, raw: str, cells: Sequence[str]) -> tuple[int, str]:
        number = next((number for number, cell in enumerate(cells, start=1) if "\t" in cell), 1)
        n = raw.rstrip("\r\n").count("\n") + 1
        if n > 1:
            sentence = _(
                "A cell begins with a quotation mark here, and the next one is %(n)d lines further down: these may be "
                "separate rows that were read as one."
            )
        else:
            sentence = _(
                "There are tabs between two quotation marks here: these may be separate cells that were read as one."
            )
        return number, f"{sentence % {'n': n - 1}} {self._quoting.advice()}"

    def _mixed(self) -> str:
        sentence = _(
            "Line %(quoted)d has a cell in quotation marks, and line %(bare)d has quotation marks inside a cell, so it "
            "is not clear what they mean."
        )
        return f"{sentence % {'quoted': self._quoted_in, 'bare': self._bare_in}} {self._quoting.advice()}"


def _is_whole(line: str, n_columns: int) -> bool:
    """Return whether a line has as many cells as wanted where quotation marks are characters like others.

    Empty cells at its end count or not.
    """
    return line.rstrip("\t").count("\t") < n_columns <= line.count("\t") + 1
