"""An uploaded table of texts: its format by its content, its sheets, its first rows, and reading it row by row."""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import PurePath

from django.utils.translation import gettext as _

from tasks_app.importing.guessing import Peek, peek
from tasks_app.importing.source import RatingsFile, lines_of, scan_file, unpacked
from tasks_app.setup.tables import workbooks
from tasks_app.studyfile.files.archive import read_at_most
from tasks_app.studyfile.files.decoding import decode
from tasks_app.studyfile.files.headers import Naming
from tasks_app.studyfile.files.jsontext import BadJson, dumps, loads
from tasks_app.studyfile.files.limits import limits
from tasks_app.studyfile.files.quoting import QuoteWatch, Quoting
from tasks_app.studyfile.files.tables import LineReader, Table, word_of
from tasks_app.studyfile.problems import Problem, Problems, StudyFileError

WORKBOOKS = ("xlsx", "xlsm", "ods")
TEXTS = ("csv", "tsv", "jsonl")
JSON = "json"

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
    if suffix not in (*TEXTS, JSON, *WORKBOOKS):
        sentence = _(
            "is not a table that can be read here. Use CSV, TSV, JSON, JSON Lines (.jsonl) or a workbook (.xlsx, "
            ".ods); text files may be gzipped (.csv.gz)."
        )
        raise StudyFileError([Problem(file.name, 0, 0, sentence)])


def open_file(file: RatingsFile) -> TextsFile:
    """Return an uploaded table, by its content rather than by its name. Raises StudyFileError."""
    check_name(file)
    named = file.format in WORKBOOKS
    with file.open() as stream:
        start = stream.read(len(workbooks.ZIPPED))
        stream.seek(0)
        if start in (workbooks.ZIPPED, workbooks.OLD):
            sheets = tuple(workbooks.sheet_names(file.name, stream))
            if not sheets:
                raise StudyFileError([Problem(file.name, 0, 0, _("This workbook has no sheet with cells."))])
            sentence = _("%(file)s is a workbook, whatever its name: it was read as one.") % {"file": file.name}
            return TextsFile(file, True, sheets, () if named else (sentence,))
    if file.format == JSON:
        return _json_file(file)
    if not named:
        return TextsFile(file, False)
    sentence = _("%(file)s is not a workbook, whatever its name: it was read as CSV.") % {"file": file.name}
    return TextsFile(replace(file, name=f"{PurePath(file.name).stem}.csv"), False, (), (sentence,))


def _json_file(file: RatingsFile) -> TextsFile:
    """Return a file of JSON, a list of objects, as one of JSON Lines. Raises StudyFileError."""
    problems = Problems()
    with unpacked(file) as stream:
        text = decode(file.name, read_at_most(stream, limits().table_bytes, file.name), problems)
    problems.raise_if_any()
    lines = replace(file, name=f"{PurePath(file.table).stem}.jsonl")
    try:
        entries = loads(text or "")
    except BadJson as error:
        if (text or "").lstrip().startswith("{") or not (text or "").strip():
            # An object in each line is often called .json, too.
            return TextsFile(lines, False)
        raise StudyFileError([Problem(file.name, 1, error.column, error.sentence)]) from error
    if isinstance(entries, dict):
        lists = [value for value in entries.values() if isinstance(value, list)]
        entries = lists[0] if len(lists) == 1 else [entries]
    if not isinstance(entries, list):
        raise StudyFileError([Problem(file.name, 1, 1, _("Expected a list of objects, one for each row."))])
    # In the order that the file has, which the page shows.
    content = "\n".join(json.dumps(entry, ensure_ascii=False) for entry in entries).encode()
    sentence = _("%(file)s is one JSON text: its entries are counted as lines.") % {"file": file.name}
    return TextsFile(replace(lines, open=lambda: io.BytesIO(content)), False, (), (sentence,))


def sheet_of(file: TextsFile, sheet: str) -> str:
    """Return a sheet's name if the workbook has it, else that of its first one; "" where the file is no workbook."""
    return sheet if sheet in file.sheets else next(iter(file.sheets), "")


def look(file: TextsFile, *, sheet: str = "", quoting: str = "") -> Peek:
    """Return the columns of a table and its first rows. Raises StudyFileError."""
    if not file.is_workbook:
        return peek(file.file, quoting, ROWS_LOOKED_AT)
    with _sheet(file, sheet) as opened:
        rows = (cells for cells in opened.rows if any(cells))
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
        with _sheet(file, sheet) as opened:
            table: Table = _SheetTable(naming, file.name, opened.rows, problems)
            table.notes += opened.notes
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
        with _sheet(file, sheet) as opened:
            yield ((number, cells) for number, cells in enumerate(opened.rows, start=1) if any(cells))
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
def _sheet(file: TextsFile, sheet: str) -> Iterator[workbooks.Sheet]:
    with file.file.open() as stream:
        yield workbooks.read_sheet(file.name, stream, sheet_of(file, sheet))
