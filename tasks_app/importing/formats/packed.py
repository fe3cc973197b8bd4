"""Several tables in one zip: each is a sheet with the name of its file, as in a workbook."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import PurePath
from typing import IO

from tasks_app.hooks.sections import Json
from tasks_app.importing.formats.columnar import ENDINGS
from tasks_app.importing.formats.records import Layout, records
from tasks_app.importing.formats.workbooks import Sheet
from tasks_app.importing.plain import rewound
from tasks_app.importing.source import FORMATS, PlainForm, RatingsFile
from tasks_app.studyfile.files.archive import Archive
from tasks_app.studyfile.files.jsontext import dumps
from tasks_app.studyfile.files.limits import limits
from tasks_app.studyfile.files.tables import word_of
from tasks_app.studyfile.problems import Problems

# What the files of a workbook begin with: a list of content types, or the kind of the document.
_OF_WORKBOOKS = frozenset({"[Content_Types].xml", "mimetype", "content.xml"})

# Descriptions that `datasets` of Hugging Face puts beside its data.
_ABOUT = frozenset({"dataset_info.json", "dataset_infos.json", "dataset_dict.json", "state.json"})

# Looks through one table, as `tasks_app.importing.formats.plain.table` does.
Look = Callable[..., PlainForm]


def is_workbook(archive: Archive) -> bool:
    """Return whether a zip is a workbook."""
    return bool(_OF_WORKBOOKS & set(archive.names))


def tables_in(archive: Archive) -> list[str]:
    """Return the names of the tables in a zip."""
    endings = tuple(f".{format}{more}" for format in FORMATS if format != "zip" for more in ("", ".gz"))
    return [
        name for name in archive.names if name.lower().endswith(endings) and PurePath(name).name.lower() not in _ABOUT
    ]


def are_columnar(names: Sequence[str]) -> bool:
    """Return whether all tables are parts of a data set of `datasets`, with the same columns."""
    return bool(names) and all(name.lower().endswith(ENDINGS) for name in names)


def read_tables(archive: Archive, names: Sequence[str], look: Look) -> list[Sheet]:
    """Return the tables of a zip as sheets, the one with the most rows first. Raises StudyFileError."""
    short = {name: PurePath(name).name for name in names}
    if len(set(short.values())) < len(short):
        short = {name: name for name in names}
    read = [(short[name], *_rows(archive, name, look)) for name in names]
    read.sort(key=lambda table: -len(table[1]))
    return [_sheet(name, rows, notes) for name, rows, notes in read]


def _sheet(name: str, rows: list[list[str]], notes: Sequence[str]) -> Sheet:
    return Sheet(name, iter(rows), lambda: notes)


def _rows(archive: Archive, member: str, look: Look) -> tuple[list[list[str]], Sequence[str]]:
    """Return the rows of a table as texts, the names of its columns first, and notes on it."""
    content, problems = archive.read(member), Problems()
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as target:
        source.write(content)
        source.flush()
        form = look(source, target, name=member)
        kept: IO[bytes] = target if form.is_written else source
        file = RatingsFile(form.name, lambda: rewound(kept), limits().table_bytes, form)
        with records(file, Layout(), problems) as table:
            found: list[dict[str, Json]] = [] if table is None else [row.cells for row in table.rows()]
            notes = [] if table is None else [*form.notes, *table.notes]
    problems.raise_if_any()
    columns = list(dict.fromkeys(name for row in found for name in row))
    return [columns, *([_text(row.get(name)) for name in columns] for row in found)], notes


def _text(value: Json) -> str:
    return dumps(value) if isinstance(value, dict | list) else word_of(value)
