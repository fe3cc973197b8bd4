"""CSV, TSV and JSON Lines to rows whose cells know where they stand."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tasks_app.plaintext import problem_in
from tasks_app.sections import Json
from tasks_app.studyfile.columns import BadCell, Column, TableDeclaration, from_json, from_text
from tasks_app.studyfile.decoding import Place, decode
from tasks_app.studyfile.jsontext import BadJson, loads
from tasks_app.studyfile.limits import limits, megabytes
from tasks_app.studyfile.problems import Problems, closest, nearest, shown
from tasks_app.studyfile.reading import StudyReading

_DELIMITERS = {"csv": ",;\t", "tsv": "\t"}
_DELIMITER_NAMES = {",": "commas", ";": "semicolons", "\t": "tabs"}


@dataclass(frozen=True, slots=True)
class Row:
    """One row: its cells by column, without the empty ones, and the line it begins in."""

    file: str
    line: int
    cells: Mapping[str, Json]
    header: Mapping[str, int] = field(default_factory=dict)
    raw: str = ""

    def place(self, column: str) -> Place:
        """Where a cell stands: its number in the row, or in JSON Lines the character where its name begins."""
        if column in self.header:
            return Place(self.line, self.header[column])
        return Place(self.line, max(0, self.raw.find(f'"{column}"')) + 1)


class Table:
    """One table of a study; problems are reported while its rows are read."""

    def __init__(self, declared: TableDeclaration, file: str, text: str, problems: Problems) -> None:
        self.declared = declared
        self.file = file
        self.notes: list[str] = []
        self._text = text
        self._problems = problems
        self._unknown: set[str] = set()
        # Asked for every cell.
        self._declared = cache(declared.column)
        self._longest = limits().text_characters

    def rows(self) -> Iterator[Row]:
        """Yield the rows in the order of the file, leaving out those with problems in a cell."""
        source = self._json_rows() if self.file.endswith(".jsonl") else self._csv_rows()
        most = limits().rows
        for number, row in enumerate(source, start=1):
            if number > most:
                self._report(row.line, 1, _("There are more than %(n)d rows, which is the limit.") % {"n": most})
                return
            yield row

    def _report(self, line: int, column: int, sentence: str) -> None:
        self._problems.add(self.file, line, column, sentence)

    def _csv_rows(self) -> Iterator[Row]:
        # The limit is the process's; it is only ever raised, so that threads cannot undo each other's.
        csv.field_size_limit(max(csv.field_size_limit(), 2 * limits().text_characters))
        delimiter = self._delimiter()
        reader = csv.reader(io.StringIO(self._text, newline=""), delimiter=delimiter, strict=True)
        columns: list[str] | None = None
        header: dict[str, int] = {}
        blank = 0
        while True:
            line = reader.line_num + 1
            try:
                cells = next(reader)
            except StopIteration:
                break
            except csv.Error as found:
                self._report(line, 1, self._broken(found, reader.line_num))
                return
            if not any(cells):
                blank += bool(cells)
            elif columns is None:
                columns = self._columns(cells, line, delimiter)
                if columns is None:
                    return
                header = {name: number for number, name in enumerate(columns, start=1) if name}
            elif (row := self._csv_row(cells, line, columns, header)) is not None:
                yield row
        if columns is None:
            self._report(0, 0, self._empty())
        if blank:
            sentence = ngettext(
                "%(file)s: %(n)d empty row was left out.", "%(file)s: %(n)d empty rows were left out.", blank
            )
            self.notes.append(sentence % {"file": self.file, "n": blank})

    def _broken(self, found: csv.Error, noticed: int) -> str:
        if "field larger" in str(found):
            return _("A cell that begins here is far too long: a closing quotation mark is missing, or the text is.")
        return _(
            "The quotation marks of this row do not match (noticed in line %(line)d). Put a text with a line break, "
            "quotation mark or delimiter into double quotes, and double the quotes within it. Nothing below was read."
        ) % {"line": noticed}

    def _empty(self) -> str:
        return _("This file is empty. Its first line must name the columns: %(names)s.") % {
            "names": ", ".join(self.declared.needed)
        }

    def _delimiter(self) -> str:
        """The delimiter whose header names the most known columns; a comma where none does."""
        candidates = _DELIMITERS[self.file.rpartition(".")[2]]

        def known(delimiter: str) -> int:
            try:
                names = next(csv.reader(io.StringIO(self._text, newline=""), delimiter=delimiter), [])
            except csv.Error:
                return 0
            return sum(self.declared.column(name.strip()) is not None for name in names)

        return max(candidates, key=known)

    def _columns(self, cells: Sequence[str], line: int, delimiter: str) -> list[str] | None:
        """Check the header; None where rows cannot be understood by it."""
        names = [cell.strip() for cell in cells]
        while names and not names[-1]:
            names.pop()
        usable = True
        for number, name in enumerate(names, start=1):
            if not name:
                self._report(line, number, _("Column %(n)d has no name. Name it, or remove it.") % {"n": number})
            elif names.index(name) != number - 1:
                self._report(line, number, _("There are two columns “%(name)s”. Keep one.") % {"name": name})
                usable = False
            elif self.declared.column(name) is None:
                self._unknown_column(line, number, name)
        for name in self.declared.needed:
            if name not in names:
                self._missing_column(line, name, names, delimiter)
                usable = False
        if len(names) > limits().columns:
            self._report(line, 1, _("There are more than %(n)d columns.") % {"n": limits().columns})
            usable = False
        return names if usable else None

    def _unknown_column(self, line: int, number: int, name: str) -> None:
        if name in self._unknown:
            return
        self._unknown.add(name)
        hint = nearest(name, self.declared.names)
        if self.declared.prefix is not None and closest(name, self.declared.names) is None:
            hint = _("A column of your own is called feature_…, such as feature_%(name)s.") % {"name": name}
        self._report(line, number, _("Unknown column “%(name)s”.") % {"name": name} + f" {hint}".rstrip())

    def _missing_column(self, line: int, name: str, names: Sequence[str], delimiter: str) -> None:
        sentence = _("The column “%(name)s” is missing. The columns here, separated by %(delimiter)s, are: %(names)s.")
        given = {"name": name, "delimiter": _DELIMITER_NAMES[delimiter], "names": shown(", ".join(names))}
        self._report(line, 1, sentence % given)

    def _csv_row(self, cells: list[str], line: int, columns: Sequence[str], header: Mapping[str, int]) -> Row | None:
        while len(cells) > len(columns) and not cells[-1]:
            cells.pop()
        if len(cells) != len(columns):
            sentence = _(
                "This row has %(cells)d cells, the header %(columns)d. A text with the delimiter or a line break in it "
                "must be in double quotes."
            )
            self._report(
                line, min(len(cells), len(columns)) + 1, sentence % {"cells": len(cells), "columns": len(columns)}
            )
            return None
        values: dict[str, Json] = {}
        sound = True
        for name, text in zip(columns, cells, strict=True):
            if text and (column := self._declared(name)) is not None:
                sound = self._cell(column, name, text, values, Place(line, header[name])) and sound
        return Row(self.file, line, values, header) if sound else None

    def _cell(self, column: Column, name: str, given: Json, values: dict[str, Json], place: Place) -> bool:
        """Put a cell into `values`; False where it cannot be used."""
        try:
            if isinstance(given, str) and (sentence := self._unusable(given)):
                raise BadCell(sentence)
            value = from_text(column, given) if not self.file.endswith(".jsonl") else from_json(column, given)
        except BadCell as found:
            self._report(place.line, place.column, f"{name}: {found}")
            return False
        if value is not None:
            values[name] = value
        return True

    def _unusable(self, text: str) -> str | None:
        if len(text) > self._longest:
            sentence = _("has %(n)s characters; at most %(most)s can be stored. Split the text, or cut it.")
            return sentence % {"n": f"{len(text):,}", "most": f"{self._longest:,}"}
        return problem_in(text)

    def _json_rows(self) -> Iterator[Row]:
        any_line = False
        for line, raw in enumerate(io.StringIO(self._text, newline=""), start=1):
            if raw.strip():
                any_line = True
                if (row := self._json_row(raw, line)) is not None:
                    yield row
        if not any_line:
            sentence = _("This file is empty. Each line must be a JSON object with: %(names)s.")
            self._report(0, 0, sentence % {"names": ", ".join(self.declared.needed)})

    def _json_row(self, raw: str, line: int) -> Row | None:
        try:
            given = loads(raw)
        except BadJson as found:
            self._report(line, max(1, found.column), found.sentence)
            return None
        if not isinstance(given, dict):
            self._report(line, 1, _("Each line must be one JSON object; this is %(value)s.") % {"value": shown(given)})
            return None
        values: dict[str, Json] = {}
        row = Row(self.file, line, values, raw=raw)
        sound = True
        for name, value in given.items():
            column, place = self._declared(name), row.place(name)
            if column is None:
                self._unknown_column(line, place.column, name)
            else:
                sound = self._cell(column, name, value, values, place) and sound
        return row if sound else None


def find_table(declared: TableDeclaration, reading: StudyReading) -> Table | None:
    """Open the table of that stem; None where there is none or it cannot be read, which is then reported."""
    known = {f"{declared.stem}.{suffix}" for suffix in declared.suffixes}
    names = [name for name in reading.files.names if name in known]
    reading.used.update(names)
    for other in names[1:]:
        sentence = _("There is %(first)s as well. Keep one of them.") % {"first": names[0]}
        reading.problems.add(other, 0, 0, sentence)
    if not names:
        return None
    most, size = limits().table_bytes, reading.files.size(names[0])
    if size > most:
        sentence = _("has %(size)s; at most %(most)s can be read.")
        reading.problems.add(names[0], 0, 0, sentence % {"size": megabytes(size), "most": megabytes(most)})
        return None
    content = reading.read(names[0])
    text = None if content is None else decode(names[0], content, reading.problems)
    return None if text is None else Table(declared, names[0], text, reading.problems)
