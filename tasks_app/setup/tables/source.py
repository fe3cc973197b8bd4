"""An uploaded table of texts: its format by its content, its sheets, its first rows, and reading it row by row."""

import csv
import io
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from tasks_app.importing.formats import worksheets
from tasks_app.importing.formats.opening import plain_form
from tasks_app.importing.formats.worksheets import Rows, sheet_rows
from tasks_app.importing.guessing import Peek, peek
from tasks_app.importing.source import RatingsFile, lines_of, scan_file
from tasks_app.studyfile.files.headers import Naming
from tasks_app.studyfile.files.jsontext import BadJson, dumps, loads
from tasks_app.studyfile.files.limits import limits
from tasks_app.studyfile.files.quoting import QuoteWatch, Quoting
from tasks_app.studyfile.files.tables import LineReader, Table, word_of
from tasks_app.studyfile.problems import Problem, Problems, StudyFileError

# Rows from which the use of columns is guessed.
ROWS_LOOKED_AT = 300


@dataclass(frozen=True, slots=True)
class TextsFile:
    """An uploaded table; `notes` say where its content differs from the type in its name."""

    file: RatingsFile
    is_workbook: bool
    sheets: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Return the name of the file."""
        return self.file.name


class _SheetTable(Table):
    """A table with the rows of a sheet."""

    def __init__(self, naming: Naming, file: str, sheet: Iterator[list[str]], problems: Problems) -> None:
        super().__init__(naming, file, lambda: (), problems, format="csv")
        self._sheet = sheet

    def open(self) -> tuple[str, QuoteWatch | None, LineReader]:
        return ",", None, Rows(self._sheet, [0])


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
    return TextsFile(file, bool(form.sheets), tuple(sheet.name for sheet in form.sheets), form.notes)


def sheet_of(file: TextsFile, sheet: str) -> str:
    """Return a sheet's name if the workbook has it, else that of its first one; "" where the file is no workbook."""
    return worksheets.sheet_of(file.file, sheet)


def look(file: TextsFile, *, sheet: str = "", quoting: str = "") -> Peek:
    """Return the columns of a table and its first rows. Raises StudyFileError."""
    if not file.is_workbook:
        return peek(file.file, quoting, ROWS_LOOKED_AT)
    with sheet_rows(file.file, sheet) as (opened, _notes):
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
        with sheet_rows(file.file, sheet) as (rows, notes):
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
        with sheet_rows(file.file, sheet) as (rows, _notes):
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
