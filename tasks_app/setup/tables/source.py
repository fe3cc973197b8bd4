"""An uploaded table of texts: its format by its content, its sheets, its first rows, and reading it row by row."""

import csv
import io
import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import IO

from django.utils.translation import gettext as _

from tasks_app.importing.guessing import Peek, peek
from tasks_app.importing.plain import rewound
from tasks_app.importing.source import PlainForm, RatingsFile, lines_of, scan_file
from tasks_app.setup.tables import plain
from tasks_app.studyfile.files.apart import read_apart
from tasks_app.studyfile.files.headers import Naming
from tasks_app.studyfile.files.jsontext import BadJson, dumps, loads
from tasks_app.studyfile.files.limits import limits
from tasks_app.studyfile.files.quoting import QuoteWatch, Quoting
from tasks_app.studyfile.files.tables import LineReader, Table, word_of
from tasks_app.studyfile.problems import Problem, Problems, StudyFileError

TEXTS = ("csv", "tsv", "jsonl")

# Rows from which the use of columns is guessed.
ROWS_LOOKED_AT = 300


@dataclass(frozen=True, slots=True)
class TextsFile:
    """An uploaded table; `notes` say where it is not what its name says."""

    file: RatingsFile
    is_workbook: bool
    sheets: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Return the name of the file."""
        return self.file.name


@dataclass(frozen=True, slots=True)
class _Rows:
    """The rows of a sheet, as a reader of CSV would give them."""

    rows: Iterator[list[str]]
    count: list[int]

    @property
    def line_num(self) -> int:
        """Return the number of the last row read."""
        return self.count[0]

    def __next__(self) -> list[str]:
        """Return the next row."""
        cells = next(self.rows)
        self.count[0] += 1
        return cells


class _SheetTable(Table):
    """A table whose rows are those of a sheet."""

    def __init__(self, naming: Naming, file: str, sheet: Iterator[list[str]], problems: Problems) -> None:
        super().__init__(naming, file, lambda: (), problems, format="csv")
        self._sheet = sheet

    def open(self) -> tuple[str, QuoteWatch | None, LineReader]:
        return ",", None, _Rows(self._sheet, [0])


def check_name(file: RatingsFile) -> None:
    """Raise StudyFileError for a format that is not read here."""
    suffix = PurePath(file.table).suffix.lower().removeprefix(".")
    if suffix not in (*TEXTS, plain.JSON, *plain.WORKBOOKS):
        sentence = _(
            "is not a table that can be read here. Use CSV, TSV, JSON, JSON Lines (.jsonl) or a workbook (.xlsx, "
            ".ods); text files may be gzipped (.csv.gz)."
        )
        raise StudyFileError([Problem(file.name, 0, 0, sentence)])


def plain_form(file: RatingsFile, target: IO[bytes]) -> RatingsFile:
    """Return an upload as text that was looked through in a process of its own; what is none is written to `target`.

    Raises
    ------
    StudyFileError
        For a format that is not read, and a file that cannot be read.
    """
    check_name(file)
    with file.open() as stream:
        form = read_apart(plain.table, stream, target, name=file.name, classes=(PlainForm,))
    file = replace(file, name=form.name, form=form)
    return replace(file, open=lambda: rewound(target)) if form.is_written else file


def open_file(file: RatingsFile) -> TextsFile:
    """Return an uploaded table, which is looked through unless that was done before. Raises StudyFileError."""
    if file.form is None:
        with tempfile.TemporaryFile() as target:
            file = plain_form(file, target)
            target.seek(0)
            content = target.read()
        if file.form is not None and file.form.is_written:
            file = replace(file, open=lambda: io.BytesIO(content))
    form = file.form
    assert form is not None, "it was looked through"
    return TextsFile(file, bool(form.sheets), tuple(name for name, _begin, _notes in form.sheets), form.notes)


def sheet_of(file: TextsFile, sheet: str) -> str:
    """Return a sheet's name if the workbook has it, else that of its first one; "" where the file is no workbook."""
    return sheet if sheet in file.sheets else next(iter(file.sheets), "")


def look(file: TextsFile, *, sheet: str = "", quoting: str = "") -> Peek:
    """Return the columns of a table and its first rows. Raises StudyFileError."""
    if not file.is_workbook:
        return peek(file.file, quoting, ROWS_LOOKED_AT)
    with _sheet(file, sheet) as (opened, _notes):
        rows = (cells for cells in opened if any(cells))
        names = next(rows, None)
        if names is None:
            sentence = _("The sheet “%(sheet)s” is empty. Its first row must name the columns.")
            raise StudyFileError([Problem(file.name, 0, 0, sentence % {"sheet": sheet_of(file, sheet)})])
        named = [(index, name.strip()) for index, name in enumerate(names) if name.strip()]
        first = [[cells[index] for index, _name in named] for cells, _n in zip(rows, range(ROWS_LOOKED_AT))]  # noqa: B905
        return Peek([name for _index, name in named], first)


@contextmanager
def table_of(
    file: TextsFile, naming: Naming, problems: Problems, *, sheet: str = "", quoting: str = ""
) -> Iterator[Table | None]:
    """Open a table to read its rows; None where it cannot be read, which was then reported.

    Raises
    ------
    StudyFileError
        Where it is of another format, too large, or damaged.
    """
    if file.is_workbook:
        with _sheet(file, sheet) as (rows, notes):
            table: Table = _SheetTable(naming, file.name, rows, problems)
            table.notes += notes
            yield table
        return
    scanned = scan_file(file.file, problems)
    if scanned is None:
        yield None
        return
    with lines_of(file.file, scanned.encoding) as lines:
        advice = _("Choose it under “Quotation marks”.")
        yield Table(naming, file.name, lines, problems, format=file.file.format, quoting=Quoting(quoting, advice))


@contextmanager
def raw_rows(
    file: TextsFile, *, sheet: str = "", quoting: str = "", delimiter: str = ","
) -> Iterator[Iterator[tuple[int, list[str]]]]:
    """Open a table as (line, cells) with its header first, as far as it can be read. Raises StudyFileError."""
    if file.is_workbook:
        with _sheet(file, sheet) as (rows, _notes):
            yield ((number, cells) for number, cells in enumerate(rows, start=1) if any(cells))
        return
    scanned = scan_file(file.file, Problems())
    if scanned is None:
        yield iter(())
        return
    with lines_of(file.file, scanned.encoding) as lines:
        is_json = file.file.format == "jsonl"
        yield _json_cells(lines) if is_json else _csv_cells(lines(), delimiter, Quoting(quoting))


def _csv_cells(lines: Iterable[str], delimiter: str, quoting: Quoting) -> Iterator[tuple[int, list[str]]]:
    csv.field_size_limit(max(csv.field_size_limit(), 2 * limits().text_characters))
    reader = csv.reader(lines, delimiter=delimiter, quoting=quoting.of_reader)
    line = 1
    try:
        for cells in reader:
            if any(cells):
                yield line, cells
            line = reader.line_num + 1
    except csv.Error:
        return  # the check says what is wrong, and where


def _json_cells(lines: Callable[[], Iterable[str]]) -> Iterator[tuple[int, list[str]]]:
    names: dict[str, None] = {}
    for _line, record in _records(lines()):
        names.update(dict.fromkeys(record))
    yield 0, list(names)
    for line, record in _records(lines()):
        yield line, [_cell(record.get(name)) for name in names]


def _cell(value: object) -> str:
    return dumps(value) if isinstance(value, dict | list) else word_of(value)


def _records(lines: Iterable[str]) -> Iterator[tuple[int, dict[str, object]]]:
    for line, raw in enumerate(lines, start=1):
        try:
            record = loads(raw) if raw.strip() else None
        except BadJson:
            continue
        if isinstance(record, dict):
            yield line, record


@contextmanager
def _sheet(file: TextsFile, sheet: str) -> Iterator[tuple[Iterator[list[str]], Sequence[str]]]:
    """Open the rows of a sheet with the notes on it."""
    name = sheet_of(file, sheet)
    form = file.file.form
    assert form is not None, "a workbook was looked through"
    sheets = list(form.sheets)
    number = next(number for number, (one, _at, _notes) in enumerate(sheets) if one == name)
    begin, end = sheets[number][1], sheets[number + 1][1] if number + 1 < len(sheets) else None
    with file.file.open() as stream:
        yield _cells(stream, begin, end), sheets[number][2]


def _cells(stream: IO[bytes], begin: int, end: int | None) -> Iterator[list[str]]:
    stream.seek(begin)
    at = begin
    for line in iter(stream.readline, b""):  # iterating over a file of Django begins at its beginning
        if at == end:
            return
        at += len(line)
        yield json.loads(line)
