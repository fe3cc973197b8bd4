"""Small tables that a researcher uploads or pastes: read whole, every problem with line and column."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from tasks_app.importing import plain
from tasks_app.studyfile.files.apart import read_apart
from tasks_app.studyfile.problems import Problems, nearest
from tasks_app.texts.plaintext import problem_in

# Rows of one sheet: as many as a person can look over.
MOST_ROWS = 10_000
# Cells of one; the widest export of a platform has some fifty columns.
MOST_CELLS = 500_000
# Bytes of one; a demographic export has some 500 a row.
MOST_BYTES = 10_000_000

DELIMITERS = (",", ";", "\t")


@dataclass(frozen=True, slots=True)
class Cell:
    """A text and where it stands."""

    text: str
    line: int
    column: int


Row = Mapping[str, Cell]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table as it was given. `columns` are our names by how a file may call them, in the order of a bare list."""

    name: str
    text: str
    columns: Mapping[str, str]
    needed: Sequence[str]
    # True if rows may come without a header, as people paste them.
    bare: bool = False

    def rows(self, problems: Problems) -> list[Row]:
        """Return the rows, and report faults."""
        lines = list(self._lines(problems))
        if problems.count or not lines:
            if not lines:
                problems.add(self.name, 0, 0, _("There is nothing in it."))
            return []
        names = [self.columns.get(cell.text.casefold(), "") for cell in lines[0]]
        missing = [name for name in self.needed if name not in names]
        twice = [number for number, name in enumerate(names) if name and name in names[:number]]
        for number in twice:
            cell = lines[0][number]
            problems.add(self.name, cell.line, cell.column, _("This column is there twice. Take one of them out."))
        if twice:
            return []
        if not missing:
            return [dict(zip(names, line, strict=False)) for line in lines[1:]]
        if self.bare and not any(names):
            order = list(dict.fromkeys(self.columns.values()))
            return [dict(zip(order, line, strict=False)) for line in lines]
        for name in missing:
            sentence = _("There is no column “%(name)s”.") % {"name": self._called(name)}
            similar = nearest(self._called(name), [cell.text for cell in lines[0] if cell.text])
            problems.add(self.name, lines[0][0].line, 0, f"{sentence} {similar}".rstrip())
        return []

    def _called(self, ours: str) -> str:
        return next(theirs for theirs, name in self.columns.items() if name == ours)

    def _lines(self, problems: Problems) -> Iterator[list[Cell]]:
        if len(self.text) > MOST_BYTES:
            problems.add(self.name, 0, 0, _("This file is too large. Split it."))
            return
        first = self.text.split("\n", 1)[0]
        delimiter = max(DELIMITERS, key=first.count)
        reader = csv.reader(io.StringIO(self.text, newline=""), delimiter=delimiter, strict=True)
        line, n = 1, 0
        try:
            for count, cells in enumerate(reader):
                if count > MOST_ROWS:
                    problems.add(
                        self.name, line, 0, _("There are more than %(n)d rows. Split the file.") % {"n": MOST_ROWS}
                    )
                    return
                n += len(cells)
                if n > MOST_CELLS:
                    sentence = _("There are more than %(n)s cells. Remove columns you don't need, or split the file.")
                    problems.add(self.name, line, 0, sentence % {"n": f"{MOST_CELLS:,}"})
                    return
                if any(cell.strip() for cell in cells):
                    yield [self._cell(text, line, column, problems) for column, text in enumerate(cells, start=1)]
                line = reader.line_num + 1
        except csv.Error:
            problems.add(self.name, line, 0, _("The quotation marks of this line do not fit together."))

    def _cell(self, text: str, line: int, column: int, problems: Problems) -> Cell:
        if fault := problem_in(text):
            problems.add(self.name, line, column, fault)
        return Cell(text.strip(), line, column)


def text_of(name: str, content: bytes) -> str:
    """Return the text of an uploaded file, which another process has looked through.

    Raises
    ------
    tasks_app.studyfile.StudyFileError
        With the place where it stops being text.
    """
    return read_apart(plain.small_text, content, name=name)


def value(row: Row, name: str) -> str:
    """Return the text of a cell; empty where the row has none."""
    return row[name].text if name in row else ""


def place(row: Row, name: str) -> tuple[int, int]:
    """Return the line and column of a cell, present or missing."""
    if name in row:
        return row[name].line, row[name].column
    return max(cell.line for cell in row.values()), 0
