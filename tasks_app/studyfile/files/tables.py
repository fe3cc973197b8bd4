"""Read CSV, TSV and JSON Lines into rows that know the place of each cell in the file."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Protocol

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tasks_app.hooks.sections import Json
from tasks_app.studyfile.columns import BadCell, Column, Kind, TableDeclaration, from_json, from_text
from tasks_app.studyfile.files.absent import AbsentWords, is_absent
from tasks_app.studyfile.files.decoding import Place, decode
from tasks_app.studyfile.files.headers import Header, Headers, Naming
from tasks_app.studyfile.files.jsontext import BadJson, loads
from tasks_app.studyfile.files.limits import limits, megabytes
from tasks_app.studyfile.files.quoting import QuoteWatch, Quoting
from tasks_app.studyfile.problems import Problems, shown
from tasks_app.texts.plaintext import problem_in

if TYPE_CHECKING:
    from tasks_app.studyfile.reading import StudyReading  # which loads all models

# The delimiters that cells may have, by format.
DELIMITERS = {"csv": ",;\t", "txt": ",;\t", "tsv": "\t"}

# The format of a file that a mapping has reshaped: each line is [line, number of the row within it, cells].
ROWS = "rows"

# Values of a column that are remembered, the longest cells for which they are, and the kinds whose values never change.
REMEMBERED, LONGEST_REMEMBERED = 10_000, 100
_PLAIN = frozenset({Kind.TEXT, Kind.EXACT, Kind.WORD, Kind.NUMBER, Kind.WHOLE, Kind.TIME})


@dataclass(slots=True)
class Row:
    """One row: its cells by the names of declared columns, without empty cells, and the line it begins in.

    In a wide file, one line contains several rows: `part` is the number of the row within its line.
    """

    file: str
    line: int
    cells: dict[str, Json]
    naming: Naming
    header: Mapping[str, int] = field(default_factory=dict)
    raw: str = ""
    part: int = 0

    def place(self, column: str) -> Place:
        """Return the place of a cell: its number in the row, or in JSON Lines the character where its name begins."""
        if column in self.header:
            return Place(self.line, self.header[column])
        return Place(self.line, max(0, self.raw.find(f'"{self.naming.theirs(column) or column}"')) + 1)

    def report(self, problems: Problems, column: str, sentence: str) -> None:
        """Report a problem of a cell, with the name of its column."""
        place = self.place(column)
        problems.add(self.file, place.line, place.column, f"{column}: {sentence}")


class LineReader(Protocol):
    """An iterator over the cells of rows, like `csv.reader`."""

    @property
    def line_num(self) -> int:
        """Return the number of the last line read, 0 at first."""

    def __next__(self) -> list[str]:
        """Return the cells of the next row."""


class Table:
    """One table; problems are reported while its rows are read.

    `lines` returns the lines of the file from its start, at each call. `where` filters rows: for each column, as the
    file names it, the words of which a row must have one; rows left out are counted in `skipped`. `format` is csv, tsv
    or jsonl, needed if the file name does not end so; `hint` is advice for unknown columns, and `quoting` states
    whether cells may be in double quotes.
    """

    # Kinds of columns in which words such as “nan” are noticed.
    watched: ClassVar[frozenset[Kind]] = frozenset({Kind.TEXT, Kind.EXACT, Kind.WORD})

    def __init__(
        self,
        naming: Naming,
        file: str,
        lines: Callable[[], Iterable[str]],
        problems: Problems,
        *,
        where: Mapping[str, Collection[str]] | None = None,
        max_rows: int | None = None,
        format: str = "",
        hint: str = "",
        quoting: Quoting | None = None,
    ) -> None:
        self.naming = naming
        self.file = file
        self.where = where or {}
        self.notes: list[str] = []
        self.skipped = 0
        # The numbers of columns, from 1, by declared names; of a CSV or TSV file whose header was read.
        self.numbers: Mapping[str, int] = {}
        # The file's own names of its columns, of the same.
        self.names: Sequence[str] = ()
        self.headers = Headers(naming, file, problems, self.where, hint)
        self._lines = lines
        self._problems = problems
        self._max_characters = limits().text_characters
        self._max_rows = max_rows or limits().rows
        self._format = format or file.rpartition(".")[2]
        self._is_json = self._format in {"jsonl", ROWS}
        self._quoting = quoting or Quoting()
        self._absent = AbsentWords()
        # What short cells hold, by our columns: the values of a column repeat.
        self._known: dict[str, dict[str, Json]] = {}

    def rows(self) -> Iterator[Row]:
        """Yield the rows in the order of the file, except those with a problem in a cell."""
        rows = {"jsonl": self._json_rows, ROWS: self._reshaped_rows}.get(self._format, self._csv_rows)
        for number, row in enumerate(rows(), start=1):
            if number > self._max_rows:
                self._report(row.line, 1, _("There are more than %(n)d rows. Split the file.") % {"n": self._max_rows})
                return
            yield row
        self.notes += [*self.headers.notes(), *self._absent.notes(self.file)]

    def _report(self, line: int, column: int, sentence: str) -> None:
        self._problems.add(self.file, line, column, sentence)

    def _csv_rows(self) -> Iterator[Row]:
        delimiter, watch, reader = self.open()
        header: Header | None = None
        empty, blank = True, 0
        while True:
            line = reader.line_num + 1
            try:
                cells = next(reader)
            except StopIteration:
                break
            except csv.Error as error:
                self._report(line, 1, self._csv_problem(error, reader.line_num, is_watched=watch is not None))
                return
            if watch is not None and (
                fault := watch.fault(cells, line, len(cells) if header is None else len(header.names))
            ):
                self._report(line, *fault)
                return
            if not any(cells):
                blank += bool(cells)
            elif empty:
                empty, header = False, self.headers.read(cells, line, delimiter)
                if header is None:
                    return
                self.numbers, self.names = header.numbers, header.names
            elif header is not None and (row := self._csv_row(cells, line, header)) is not None:
                yield row
        if empty:
            self._report(0, 0, self._no_header_problem())
        if blank:
            sentence = ngettext(
                "%(file)s: %(n)d empty row was left out.", "%(file)s: %(n)d empty rows were left out.", blank
            )
            self.notes.append(sentence % {"file": self.file, "n": blank})

    def open(self) -> tuple[str, QuoteWatch | None, LineReader]:
        """Return the delimiter, the watch on quotation marks if their meaning is unclear, and a reader of rows."""
        # This limit is shared by the whole process. It is only raised, so that no thread lowers the limit of another.
        csv.field_size_limit(max(csv.field_size_limit(), 2 * limits().text_characters))
        delimiter = self.headers.delimiter(self._lines, DELIMITERS[self._format])
        lines, quoting = self._lines(), self._quoting
        watch = QuoteWatch(lines, quoting) if delimiter == "\t" and not quoting.stated else None
        return delimiter, watch, csv.reader(watch or lines, delimiter=delimiter, strict=True, quoting=quoting.of_reader)

    def _csv_problem(self, error: csv.Error, noticed: int, *, is_watched: bool) -> str:
        if "field larger" in str(error):
            sentence = _(
                "A cell that begins here is far too long. If its closing quotation mark is missing, add it; otherwise "
                "shorten the text."
            )
        else:
            sentence = _(
                "The quotation marks of this row do not match (noticed in line %(line)d). Put a text with a line "
                "break, quotation mark or delimiter into double quotes, and double the quotes within it. Nothing below "
                "was read."
            ) % {"line": noticed}
        return f"{sentence} {self._quoting.advice()}" if is_watched else sentence

    def _required_columns(self) -> list[str]:
        return [self.naming.theirs(ours) or ours for ours in self.naming.needed]

    def _no_header_problem(self) -> str:
        return _("This file is empty. Its first line must name the columns: %(names)s.") % {
            "names": ", ".join(self._required_columns())
        }

    def _csv_row(self, cells: list[str], line: int, header: Header) -> Row | None:
        n_columns = len(header.names)
        while len(cells) > n_columns and not cells[-1]:
            cells.pop()
        if len(cells) != n_columns:
            sentence = _(
                "This row has %(cells)d cells, the header %(columns)d. A text with the delimiter or a line break in it "
                "must be in double quotes."
            )
            self._report(line, min(len(cells), n_columns) + 1, sentence % {"cells": len(cells), "columns": n_columns})
            return None
        for index, words in header.filters:
            if cells[index].strip() not in words:
                self.skipped += 1
                return None
        row_cells: dict[str, Json] = {}
        row = Row(self.file, line, row_cells, self.naming, header.numbers)
        sound, known = True, self._known
        for index, name, column in header.read_as:
            text = cells[index]
            if not text:
                continue
            try:
                row_cells[name] = known[name][text]
            except KeyError:
                sound = self._cell(column, name, text, row) and sound
        return row if sound else None

    def _cell(self, column: Column, name: str, given: Json, row: Row) -> bool:
        """Put a cell into the row; report a problem and return False if its value is invalid."""
        try:
            if isinstance(given, str) and (sentence := self._text_problem(given)):
                raise BadCell(sentence)
            value = self.value(column, name, given)
        except BadCell as error:
            place = row.place(name)
            self._report(place.line, place.column, f"{name}: {error}")
            return False
        if value is not None:
            row.cells[name] = value
            # A word that a mapping wrote in place of another was meant.
            is_own = not isinstance(given, str) or is_absent(given)
            if isinstance(value, str) and is_absent(value) and is_own and column.kind in self.watched:
                self._note_absent(name, value, row.line)
            elif isinstance(given, str) and len(given) <= LONGEST_REMEMBERED and column.kind in _PLAIN:
                self._remember(name, given, value)
        return True

    def _remember(self, name: str, text: str, value: Json) -> None:
        """Remember a value that is there, is no word to be counted, and cannot be changed."""
        values = self._known.setdefault(name, {})
        if len(values) >= REMEMBERED:
            values.clear()
        values[text] = value

    def _note_absent(self, name: str, value: str, line: int) -> None:
        """Count a word that may mean that a value is missing."""
        self._absent.add(name, value, line)

    def value(self, column: Column, name: str, given: Json) -> Json:
        """Read a cell: a text, or in JSON Lines any value. Raises BadCell."""
        if self._is_json and not (self._format == ROWS and isinstance(given, str)):
            return from_json(column, given)
        return from_text(column, given)

    def _text_problem(self, text: str) -> str | None:
        if len(text) > self._max_characters:
            sentence = _("has %(n)s characters; at most %(most)s can be stored. Split the text, or cut it.")
            return sentence % {"n": f"{len(text):,}", "most": f"{self._max_characters:,}"}
        return problem_in(text)

    def _json_rows(self) -> Iterator[Row]:
        any_line = False
        for line, raw in enumerate(self._lines(), start=1):
            if raw.strip():
                any_line = True
                if (row := self._json_row(raw, line)) is not None:
                    yield row
        if not any_line:
            sentence = _("This file is empty. Each line must be a JSON object with: %(names)s.")
            self._report(0, 0, sentence % {"names": ", ".join(self._required_columns())})

    def _reshaped_rows(self) -> Iterator[Row]:
        for raw in self._lines():
            line, part, cells = json.loads(raw)
            row = Row(self.file, line, {}, self.naming, self.numbers, part=part)
            if self._is_sound(cells, row, raw):
                yield row

    def _json_row(self, raw: str, line: int) -> Row | None:
        try:
            row_object = loads(raw)
        except BadJson as error:
            self._report(line, max(1, error.column), error.sentence)
            return None
        if not isinstance(row_object, dict):
            self._report(
                line, 1, _("Each line must be one JSON object; this is %(value)s.") % {"value": shown(row_object)}
            )
            return None
        row = Row(self.file, line, {}, self.naming, raw=raw)
        return row if self._is_sound(row_object, row, raw) else None

    def _is_sound(self, given: Mapping[str, Json], row: Row, raw: str) -> bool:
        """Put named values into a row; return whether it counts and all of them can be read."""
        if any(word_of(given.get(name)) not in words for name, words in self.where.items()):
            self.skipped += 1
            return False
        sound = True
        for name, value in given.items():
            columns = self.naming.columns(name)
            if not columns and name not in self.where:
                column = 1 if row.header else max(0, raw.find(f'"{name}"')) + 1
                self.headers.unknown(row.line, column, name)
            for ours, column_declared in columns:
                if isinstance(value, str) and value in self._known.get(ours, ()):
                    row.cells[ours] = self._known[ours][value]
                else:
                    sound = self._cell(column_declared, ours, value, row) and sound
        return sound


def word_of(value: Json) -> str:
    """Return a value of JSON or YAML as it would be written in a cell of CSV."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value).strip()


def find_table(declared: TableDeclaration, reading: StudyReading) -> Table | None:
    """Open the table of a declaration; None if the study has none, or if a reported problem prevents reading it."""
    if declared.stem in reading.tables:
        table: Table = reading.tables[declared.stem]
        return table
    names = [name for name in reading.files.names if name in declared.files]
    reading.used.update(names)
    for duplicate in names[1:]:
        sentence = _("There is %(first)s as well. Keep one of them.") % {"first": names[0]}
        reading.problems.add(duplicate, 0, 0, sentence)
    if not names or not reading.sound(("columns", declared.stem)):
        return None
    most, size = limits().table_bytes, reading.files.size(names[0])
    if size > most:
        sentence = _("has %(size)s; at most %(most)s can be read.")
        reading.problems.add(names[0], 0, 0, sentence % {"size": megabytes(size), "most": megabytes(most)})
        return None
    content = reading.read(names[0])
    text = None if content is None else decode(names[0], content, reading.problems)
    if text is None:
        return None
    naming = Naming(declared, reading.mapped_columns(declared.stem))
    advice = _("Put this into study.yaml, as in quoting: {%(table)s: none}.") % {"table": declared.stem}
    quoting = Quoting(reading.quoting(declared.stem), advice)
    return Table(naming, names[0], lambda: io.StringIO(text, newline=""), reading.problems, quoting=quoting)


def file_of(declared: TableDeclaration, reading: StudyReading) -> str:
    """Return the name of the file of a table, for problems of the table as a whole."""
    if declared.stem in reading.tables:
        return str(reading.tables[declared.stem].file)
    return next((name for name in reading.used if name in declared.files), declared.files[0])
