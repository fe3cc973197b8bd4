"""Turn an uploaded table into plain lines, in a process of its own (see `tasks_app.uploads.limited`)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import PurePath
from typing import IO

from django.utils.translation import gettext as _

from tasks_app.importing.formats import columnar, workbooks
from tasks_app.importing.plain import rewound
from tasks_app.importing.source import PlainForm, RatingsFile, scan_file, unpacked
from tasks_app.studyfile.files.archive import read_at_most
from tasks_app.studyfile.files.decoding import decode
from tasks_app.studyfile.files.jsontext import BadJson, loads
from tasks_app.studyfile.files.limits import limits, megabytes
from tasks_app.studyfile.problems import Problem, Problems, StudyFileError

WORKBOOKS = ("xlsx", "xlsm", "ods")
JSON = "json"

# The column that holds the names of objects in a file of JSON, unless they have a member of this name.
KEY = "key"


def table(source: IO[bytes], target: IO[bytes], *, name: str) -> PlainForm:
    """Look at a table, by its content rather than by its name, and write what is no text into the target as lines.

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
    if start in (workbooks.ZIPPED, workbooks.OLD):
        sentence = _("%(file)s is a workbook, although its name says otherwise, and was read as one.") % {"file": name}
        sheets = _write_sheets(name, rewound(source), target)
        return PlainForm(name, () if named else (sentence,), sheets, is_written=True)
    if file.format == JSON:
        return _json_lines(file, target)
    form = PlainForm(name)
    if named:
        sentence = _("%(file)s is not a workbook, although its name says so; it was read as CSV.") % {"file": name}
        form = PlainForm(f"{PurePath(name).stem}.csv", (sentence,))
    # What is wrong with its letters is said when the whole table is checked.
    scan_file(RatingsFile(form.name, file.open, file.most), Problems())
    return form


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


def _write_sheets(name: str, source: IO[bytes], target: IO[bytes]) -> tuple[tuple[str, int, tuple[str, ...]], ...]:
    """Write the rows of all sheets, each a list of texts; return for each sheet its name, beginning and notes."""
    lines, sheets = _Lines(name, target), []
    for sheet in workbooks.read_sheets(name, source):
        begin = lines.written
        lines.write(sheet.rows)
        sheets.append((sheet.name, begin, tuple(sheet.notes())))
    if not sheets:
        raise StudyFileError([Problem(name, 0, 0, _("This workbook has no sheet with cells."))])
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
    if isinstance(entries, dict):
        entries = _entries(entries)
    if not isinstance(entries, list):
        raise StudyFileError([Problem(file.name, 1, 1, _("Expected a list of objects, one for each row."))])
    # In the order that the file has, which the page shows.
    _Lines(file.name, target).write(entries)
    sentence = _("%(file)s is one JSON text: its entries are counted as lines.") % {"file": file.name}
    return PlainForm(name, (sentence,), is_written=True)


def _entries(members: dict[str, object]) -> list[object]:
    """Return the rows of a file that is one object: its only list, or its objects, with their names as `key`."""
    lists = [value for value in members.values() if isinstance(value, list)]
    if len(lists) == 1:
        return lists[0]
    if members and all(isinstance(value, dict) for value in members.values()):
        return [{KEY: name, **value} for name, value in members.items() if isinstance(value, dict)]
    return [members]
