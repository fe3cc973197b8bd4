"""Any table as records: cells by the names that the file has, with the line of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app.importing.formats.worksheets import Rows, names_of, sheet_rows
from tasks_app.importing.source import RatingsFile, lines_of, scan_file
from tasks_app.studyfile.columns import Column, Kind, TableDeclaration
from tasks_app.studyfile.files.headers import Naming
from tasks_app.studyfile.files.limits import limits
from tasks_app.studyfile.files.quoting import QuoteWatch, Quoting
from tasks_app.studyfile.files.tables import LineReader, Table
from tasks_app.studyfile.problems import Problems, nearest

# The header of a file without one: its columns are called by their numbers.
NUMBERED = ("#",)


@dataclass(frozen=True, slots=True)
class Layout:
    """How a file is laid out: the names of its columns where it has no header, quotation marks, and the sheet."""

    header: Sequence[str] = ()
    quoting: str = ""
    sheet: str = ""


_OWN = gettext_lazy("A column of the file.")


class _AnyNames(Naming):
    """The naming of a table with the column names of the file."""

    def columns(self, theirs: str) -> Sequence[tuple[str, Column]]:
        kind = Kind.JSON if self.declared.suffixes == ("jsonl",) else Kind.EXACT
        return ((theirs, Column(theirs, kind, _OWN)),)

    @property
    def needed(self) -> list[str]:
        return []


class _Headed:
    """Rows of cells with a row of names in front."""

    def __init__(self, reader: LineReader, names: Sequence[str]) -> None:
        self._reader = reader
        try:
            self._first: list[str] | None = next(reader)
        except StopIteration:
            self._first = None
        self._first_line = reader.line_num
        self._names: list[str] | None = list(names)
        if tuple(names) == NUMBERED:
            self._names = [str(number) for number in range(1, len(self._first or ()) + 1)]

    @property
    def line_num(self) -> int:
        """Return the number of the last line of the file that was given."""
        return 0 if self._first is not None else self._reader.line_num

    def __next__(self) -> list[str]:
        """Return the names, then each row of the file."""
        if self._names is not None:
            names, self._names = self._names, None
            return names
        if self._first is not None:
            first, self._first = self._first, None
            return first
        return next(self._reader)


class Records(Table):
    """The rows of a file under the file's own names; problems are reported."""

    def __init__(
        self,
        file: RatingsFile,
        layout: Layout,
        problems: Problems,
        *,
        lines: Callable[[], Iterable[str]] = tuple,
        sheet: Iterator[list[str]] | None = None,
    ) -> None:
        format = file.format if sheet is None else "csv"
        declared = TableDeclaration("file", (format,), ())
        super().__init__(
            _AnyNames(declared, {}),
            file.name,
            lines,
            problems,
            max_rows=limits().ratings_rows,
            format=format,
            quoting=Quoting(layout.quoting, _("Put this into the mapping.")),
        )
        self._sheet = sheet
        self._header = layout.header

    # Words are noticed by whoever reads the reshaped rows.
    watched = frozenset()

    @property
    def is_json(self) -> bool:
        """Return whether the rows are objects of JSON, so that any of them may have further names."""
        return self._is_json

    def open(self) -> tuple[str, QuoteWatch | None, LineReader]:
        """Return a reader of rows with the names of the columns in the first row."""
        delimiter, watch, reader = super().open() if self._sheet is None else (",", None, Rows(self._sheet, [0]))
        return delimiter, watch, _Headed(reader, self._header) if self._header else reader


@contextmanager
def records(file: RatingsFile, layout: Layout, problems: Problems) -> Iterator[Records | None]:
    """Open a file as records; None where it cannot be read, which was then reported.

    Raises
    ------
    StudyFileError
        Where it is of another format, too large, or damaged.
    """
    if sheets := names_of(file):
        if layout.sheet and layout.sheet not in sheets:
            sentence = _("The workbook has no sheet “%(name)s”.") % {"name": layout.sheet}
            problems.add(file.name, 0, 0, f"{sentence} {nearest(layout.sheet, sheets)}".rstrip())
            yield None
            return
        with sheet_rows(file, layout.sheet) as (rows, notes):
            table = Records(file, layout, problems, sheet=rows)
            table.notes += notes
            yield table
        return
    scanned = scan_file(file, problems)
    if scanned is None:
        yield None
        return
    with lines_of(file, scanned.encoding) as lines:
        yield Records(file, layout, problems, lines=lines)
