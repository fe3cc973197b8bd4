"""The rows of a file of ratings, with its words translated by the mapping."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import ClassVar

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app.hooks.sections import Json
from tasks_app.importing.columns import RATINGS, is_used
from tasks_app.importing.guessing import peek
from tasks_app.importing.mapping import COMMA, EXAMPLE, ColumnMapping
from tasks_app.importing.names import DECIMAL_COMMA, from_comma, from_word, tidied
from tasks_app.importing.raters import UNKNOWN
from tasks_app.importing.ratings import ANSWER_COLUMNS, SPAN
from tasks_app.importing.source import RatingsFile
from tasks_app.importing.wide import Group, NotWide
from tasks_app.models.raters import METRIC
from tasks_app.studyfile.columns import BadCell, Column, Kind, TableDeclaration, from_text
from tasks_app.studyfile.files.absent import is_absent
from tasks_app.studyfile.files.headers import Naming
from tasks_app.studyfile.files.limits import limits
from tasks_app.studyfile.files.quoting import Quoting
from tasks_app.studyfile.files.tables import Row, Table, word_of
from tasks_app.studyfile.problems import Problem, Problems, StudyFileError, shown

# A text that a spreadsheet would take for a formula is exported with one apostrophe more in front.
_NEUTRALISED = re.compile(r"'+[=+\-@\t\r]")
_NUMBERS = (Kind.NUMBER, Kind.WHOLE)

# The label of a row that says that nothing was found.
NOTHING = "none"


class MappedTable(Table):
    """A file as a mapping reads it; of a wide file each group of columns is a row.

    `declared` are our columns, and `width` is how many rows a line makes.

    Raises
    ------
    StudyFileError
        Where a wide file does not have the columns that the mapping says.
    """

    # Where all of these columns of a wide row are empty, there is no row.
    values_of_row: ClassVar[frozenset[str]] = frozenset()
    hint: ClassVar[Promise | str] = ""

    def __init__(
        self,
        declared: TableDeclaration,
        mapping: ColumnMapping,
        file: RatingsFile,
        lines: Callable[[], Iterable[str]],
        problems: Problems,
    ) -> None:
        reshaped = file.reshaped
        if reshaped is not None:
            mapping = mapping.of_reshaped(reshaped)
        ours_beside = {*mapping.constant, *(mapping.wide.ours if mapping.wide is not None else ())}
        declared = without_needed(declared, ours_beside)
        self._groups, naming = _naming(declared, mapping, file)
        super().__init__(
            naming,
            file.name,
            lines,
            problems,
            where=mapping.where,
            max_rows=limits().ratings_rows,
            format=file.format,
            quoting=Quoting(mapping.quoting, _("Put this into the mapping.")),
            hint=str(self.hint),
        )
        self._part_width = max(1, len(self._groups))
        self.width = self._part_width * (1 if reshaped is None else reshaped.width)
        theirs = naming.mapped or {}
        if reshaped is not None:
            self.notes += reshaped.notes
            self.numbers = {ours: reshaped.numbers[name] for ours, name in theirs.items() if name in reshaped.numbers}
        self._namings = [
            Naming(declared, {**theirs, **{ours: theirs[name] for ours, name in group.columns.items()}})
            for group in self._groups
        ]
        # Ratings of wide rows that are not there.
        self.empty = 0
        # Columns that hold something an import does not use.
        self.left_out: dict[str, None] = {}
        self._met: set[str] = set()
        self._mapping = mapping
        self._values = mapping.values
        # Only a file with our own names is one of our exports; in others an apostrophe belongs to the text.
        is_text = file.format != "jsonl" if reshaped is None else reshaped.is_text
        self._is_export = is_text and mapping.has_our_names
        # Values of a row if the file has no such column.
        self._declared = declared
        self._otherwise = {ours: self._read(ours, words[""]) for ours, words in mapping.values.items() if "" in words}
        self._otherwise |= {ours: self._read(ours, word) for ours, word in mapping.constant.items()}

    def rows(self) -> Iterator[Row]:
        """Yield the rows that count, with constants filled in."""
        for line in super().rows():
            if not self._met.issuperset(line.cells):
                self.left_out.update(dict.fromkeys(name for name in line.cells if not is_used(name)))
                self._met.update(line.cells)
            for row in self._long(line) if self._groups else (line,):
                self._complete(row)
                yield row

    def _complete(self, row: Row) -> None:
        """Fill in the constants of all rows; constants of spans only where the row has a span."""
        for ours, value in self._otherwise.items():
            if ours not in row.cells and value is not None and (ours not in SPAN or "span_start" in row.cells):
                row.cells[ours] = value

    def _long(self, line: Row) -> Iterator[Row]:
        """Yield a row for each rating of a line."""
        shared = {ours: value for ours, value in line.cells.items() if self._declared.column(ours) is not None}
        for part, group in enumerate(self._groups):
            cells_of_group = {ours: line.cells[name] for ours, name in group.columns.items() if name in line.cells}
            values = self.values_of_row
            if not values.isdisjoint(group.columns) and values.isdisjoint(cells_of_group):
                self.empty += 1
                continue
            words = {ours: self._read(ours, word) for ours, word in group.words.items()}
            header = {ours: line.header[name] for ours, name in group.columns.items() if name in line.header}
            yield replace(
                line,
                cells={**shared, **cells_of_group, **words},
                naming=self._namings[part],
                header={**line.header, **header},
                part=line.part * self._part_width + part,
            )

    def number(self, column: str, part: int) -> int:
        """Return the number of a column, counted from 1, in one of the ratings of a line."""
        name = self._groups[part % self._part_width].columns.get(column, column) if self._groups else column
        return self.numbers.get(name, 1)

    def _read(self, ours: str, word: str) -> Json:
        column = self._declared.column(ours)
        return None if column is None else from_word(column, word)

    def value(self, column: Column, name: str, cell: Json) -> Json:
        """Read a cell, in the mapping's words. Raises BadCell."""
        if self._is_export and column.kind not in _NUMBERS and isinstance(cell, str) and _NEUTRALISED.match(cell):
            cell = cell[1:]
        ours = name.partition(" ")[0]
        words = self._values.get(ours)
        if words is not None and (word := words.get(word_of(cell))) is not None:
            return from_word(column, word)
        if column.kind is Kind.TIME:
            return _time(column, cell, ours, self._mapping.format.get(ours))
        if self._mapping.decimal == COMMA and column.kind is Kind.NUMBER and isinstance(cell, str):
            cell = from_comma(cell)
        try:
            return tidied(column, super().value(column, name, cell))
        except BadCell as error:
            if column.kind is Kind.NUMBER and isinstance(cell, str) and DECIMAL_COMMA.fullmatch(cell.strip()):
                hint = _("If the comma stands before decimals, the mapping can say so: decimal: ','.")
                raise BadCell(f"{error} {hint}") from error
            if column.kind not in _NUMBERS or not isinstance(cell, str) or not is_absent(cell):
                raise
            hint = _("If this means that there is none, the mapping can say so: values: {%(name)s: {%(word)s: ''}}.")
            raise BadCell(f"{error} {hint % {'name': ours, 'word': cell.strip()}}") from error


def _naming(declared: TableDeclaration, mapping: ColumnMapping, file: RatingsFile) -> tuple[Sequence[Group], Naming]:
    """Return the ratings of a line, none where it is one rating, and how the file calls its columns.

    A column of ours that a line has several of is called after the file's as well, as in “value (quality2)”.
    """
    if mapping.wide is None:
        return (), Naming(declared, mapping.columns)
    names = peek(file, mapping.quoting).columns
    try:
        groups_of_file = mapping.wide.groups(names)
    except NotWide as error:
        raise StudyFileError([Problem(file.name, 1, 1, str(error))]) from error
    groups = [
        Group({ours: f"{ours} ({theirs})" for ours, theirs in group.columns.items()}, group.words)
        for group in groups_of_file
    ]
    columns, theirs = list(declared.columns), dict(mapping.columns or {})
    if mapping.columns is None:
        theirs = {name: name for name in names if declared.column(name) is not None}
    for group_of_file, group in zip(groups_of_file, groups, strict=True):
        for ours, name in group.columns.items():
            column = declared.column(ours)
            if column is not None and name not in theirs:
                columns.append(replace(column, name=name, needed=False))
                theirs[name] = group_of_file.columns[ours]
    return groups, Naming(replace(declared, columns=tuple(columns)), theirs)


def _time(column: Column, cell: Json, ours: str, pattern: str | None) -> Json:
    """Read a time, as the mapping says or as ISO 8601 has it. Raises BadCell."""
    text = word_of(cell)
    if pattern is not None and text:
        try:
            return datetime.strptime(text, pattern)  # noqa: DTZ007  times without a zone are the study's
        except ValueError:
            sentence = _("Expected a time such as %(example)s, by the format in the mapping; this is %(value)s.")
            given_words = {"example": EXAMPLE.strftime(pattern), "value": shown(text)}
            raise BadCell(sentence % given_words) from None
    try:
        return from_text(column, text)
    except BadCell as error:
        hint = _('If the file writes times in another way, the mapping can say how: format: {%(name)s: "%(pattern)s"}.')
        raise BadCell(f"{error} {hint % {'name': ours, 'pattern': '%m/%d/%Y %H:%M:%S'}}") from error


class RatingsTable(MappedTable):
    """A file of ratings as a mapping reads it; of a wide file each rating is a row."""

    values_of_row = frozenset({*ANSWER_COLUMNS, *SPAN})
    hint = gettext_lazy("A mapping says which columns to read and what they contain; see docs/ratings-file.md.")

    def __init__(
        self, mapping: ColumnMapping, file: RatingsFile, lines: Callable[[], Iterable[str]], problems: Problems
    ) -> None:
        needs_rater = not mapping.unknown_raters and not mapping.metric
        declared = RATINGS if needs_rater else without_needed(RATINGS, {"rater"})
        super().__init__(declared, mapping, file, lines, problems)
        self.has_unknown_raters = mapping.unknown_raters
        self.metric = mapping.metric

    def _note_absent(self, name: str, value: str, line: int) -> None:
        if not (name == "label" and value.strip() == NOTHING):
            super()._note_absent(name, value, line)

    def _complete(self, row: Row) -> None:
        super()._complete(row)
        if self.has_unknown_raters:
            row.cells["rater"] = f"{UNKNOWN}{row.line}"
        elif self.metric:
            row.cells["rater"] = f"{METRIC}{self.metric}"


def without_needed(declared: TableDeclaration, names: Collection[str]) -> TableDeclaration:
    """Return a table in which the files need not have some columns."""
    if not any(column.needed and column.name in names for column in declared.columns):
        return declared
    columns = (replace(column, needed=column.needed and column.name not in names) for column in declared.columns)
    return replace(declared, columns=tuple(columns))
