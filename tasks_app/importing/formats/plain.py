"""Turn an uploaded table into plain lines, in a process of its own (see `tasks_app.uploads.limited`)."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable
from pathlib import PurePath
from typing import IO

from django.utils.translation import gettext as _

from tasks_app.importing.formats import columnar, packed, workbooks
from tasks_app.importing.plain import rewound
from tasks_app.importing.source import PlainForm, RatingsFile, SheetLines, scan_file, unpacked
from tasks_app.studyfile.files.archive import Archive, read_at_most
from tasks_app.studyfile.files.decoding import decode
from tasks_app.studyfile.files.jsontext import BadJson, loads
from tasks_app.studyfile.files.limits import limits, megabytes
from tasks_app.studyfile.problems import Problem, Problems, StudyFileError

WORKBOOKS = ("xlsx", "xlsm", "ods")
JSON, ZIP = "json", "zip"

# The column that holds the names of objects in a file of JSON, unless they have a member of this name.
KEY = "key"


def table(source: IO[bytes], target: IO[bytes], *, name: str) -> PlainForm:
    """Examine a table by its content rather than its name, and write a table that is no text into the target as lines.

    Raises
    ------
    StudyFileError
        For a file that is damaged or no table, or where a line, or all of it, is too long.
    """
    file = RatingsFile(name, lambda: rewound(source), limits().table_bytes)
    named = file.format in WORKBOOKS
    start = rewound(source).read(len(workbooks.ZIPPED))
    if file.format in columnar.FORMATS or start == columnar.PARQUET:
        _Lines(name, target).write(columnar.parts(rewound(source), name))
        return PlainForm(f"{PurePath(name).stem}.jsonl", is_written=True)
    if (
        start == workbooks.ZIPPED
        and file.format == ZIP
        and (form := _packed(name, rewound(source), target)) is not None
    ):
        return form
    if start in (workbooks.ZIPPED, workbooks.OLD):
        sentence = _("%(file)s is a workbook, although its name says otherwise, and was read as one.") % {"file": name}
        sheets = _write_sheets(name, rewound(source), target)
        return PlainForm(name, () if named else (sentence,), sheets, is_written=True)
    if file.format == ZIP:
        sentence = _("is not a zip, although its name says so. Give it the extension of what it is, such as .csv.")
        raise StudyFileError([Problem(name, 0, 0, sentence)])
    if file.format == JSON:
        return _json_lines(file, target)
    form = PlainForm(name)
    if named:
        sentence = _("%(file)s is not a workbook, although its name says so; it was read as CSV.") % {"file": name}
        form = PlainForm(f"{PurePath(name).stem}.csv", (sentence,))
    # What is wrong with its letters is said when the whole table is checked.
    scan_file(RatingsFile(form.name, file.open, file.most), Problems())
    return form


def _packed(name: str, source: IO[bytes], target: IO[bytes]) -> PlainForm | None:
    """Write the tables of a zip as lines; None where it is a workbook. Raises StudyFileError where it has no table."""
    with Archive(source, name) as archive:
        if packed.is_workbook(archive):
            return None
        names = packed.tables_in(archive)
        if not names:
            sentence = _("This zip holds no table: CSV, TSV, JSON, JSON Lines, a workbook or Parquet.")
            raise StudyFileError([Problem(name, 0, 0, sentence)])
        if packed.are_columnar(names):
            parts = (row for member in names for row in columnar.rows(io.BytesIO(archive.read(member)), member))
            _Lines(name, target).write(parts)
            return PlainForm(f"{PurePath(name).stem}.jsonl", is_written=True)
        tables = packed.read_tables(archive, names, table)
    sentence = _("%(file)s holds several tables: %(names)s. Rows are read from %(first)s.")
    words = {"file": name, "names": ", ".join(sheet.name for sheet in tables), "first": tables[0].name}
    return PlainForm(name, (sentence % words,) if len(tables) > 1 else (), _written(name, tables, target), True)


class _Lines:
    """Writes lines, up to as many bytes as a table may have."""

    def __init__(self, name: str, target: IO[bytes]) -> None:
        self.name = name
        self.target = target
        self.written = 0

    def write(self, values: Iterable[object]) -> None:
        """Write values, one a line. Raises StudyFileError where they are too many."""
        most = limits()
        for value in values:
            line = json.dumps(value, ensure_ascii=False).encode() + b"\n"
            self.written += len(line)
            if self.written > most.table_bytes:
                sentence = _("holds more than %(most)s of text. Split it.") % {"most": megabytes(most.table_bytes)}
                raise StudyFileError([Problem(self.name, 0, 0, sentence)])
            self.target.write(line)


def _write_sheets(name: str, source: IO[bytes], target: IO[bytes]) -> tuple[SheetLines, ...]:
    """Write the rows of a workbook's sheets. Raises StudyFileError where it has none."""
    sheets = _written(name, workbooks.read_sheets(name, source), target)
    if not sheets:
        raise StudyFileError([Problem(name, 0, 0, _("This workbook has no sheet with cells."))])
    return sheets


def _written(name: str, tables: Iterable[workbooks.Sheet], target: IO[bytes]) -> tuple[SheetLines, ...]:
    """Write the rows of all sheets, each a list of texts; return where the lines of each begin."""
    lines, sheets = _Lines(name, target), []
    for sheet in tables:
        begin = lines.written
        lines.write(sheet.rows)
        sheets.append(SheetLines(sheet.name, begin, tuple(sheet.notes())))
    return tuple(sheets)


def _json_lines(file: RatingsFile, target: IO[bytes]) -> PlainForm:
    """Write a file of JSON, a list of objects, as JSON Lines. Raises StudyFileError."""
    problems = Problems()
    with unpacked(file) as stream:
        text = decode(file.name, read_at_most(stream, limits().table_bytes, file.name), problems, is_lines=False)
    problems.raise_if_any()
    name = f"{PurePath(file.table).stem}.jsonl"
    try:
        entries = loads(text or "", is_whole=True)
    except BadJson as error:
        if (text or "").lstrip().startswith("{") or not (text or "").strip():
            # An object in each line is often called .json, too.
            scan_file(RatingsFile(name, file.open, file.most), problems)
            return PlainForm(name)
        raise StudyFileError([Problem(file.name, 1, error.column, error.sentence)]) from error
    notes: tuple[str, ...] = ()
    if isinstance(entries, dict):
        entries, notes = _entries(file.name, entries)
    if not isinstance(entries, list):
        raise StudyFileError([Problem(file.name, 1, 1, _("Expected a list of objects, one for each row."))])
    # In the order that the file has, which the page shows.
    _Lines(file.name, target).write(entries)
    sentence = _("%(file)s is one JSON text: its entries are counted as lines.") % {"file": file.name}
    return PlainForm(name, (sentence, *notes), is_written=True)


def _entries(file: str, members: dict[str, object]) -> tuple[list[object], tuple[str, ...]]:
    """Return the rows of a file that is one object, with notes on them.

    These are the entries of its longest list, or its objects, with their names as `key`.
    """
    lists = {name: value for name, value in members.items() if isinstance(value, list)}
    if lists:
        longest = max(lists, key=lambda name: len(lists[name]))
        others = ", ".join(name for name in members if name != longest)
        sentence = _("%(file)s is one object: the entries of its list “%(name)s” are read, and not: %(others)s.")
        words = {"file": file, "name": longest, "others": others}
        return lists[longest], (sentence % words,) if len(lists) > 1 else ()
    if members and all(isinstance(value, dict) for value in members.values()):
        return [{KEY: name, **value} for name, value in members.items() if isinstance(value, dict)], ()
    return [members], ()
