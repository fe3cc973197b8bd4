"""The first rows of a file as a mapping reads them, for a look before anything is checked or stored."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice

from tasks_app.hooks.sections import Json
from tasks_app.importing.guessing import ROWS, Peek
from tasks_app.importing.mapping import ColumnMapping
from tasks_app.importing.rows import MappedTable
from tasks_app.importing.shaping.prepared import prepared
from tasks_app.importing.source import RatingsFile, lines_of, scan_whole
from tasks_app.studyfile.files.jsontext import dumps
from tasks_app.studyfile.problems import Problems, StudyFileError

# Lines of a file that are read for a preview: the first of them may have no ratings.
LINES = 50

# Opens a file as a table, with its lines.
OpenTable = Callable[[RatingsFile, Callable[[], Iterable[str]], Problems], MappedTable]


def preview(file: RatingsFile, mapping: ColumnMapping, open_table: OpenTable) -> Peek | None:
    """Return the first rows with our columns; None where none can be read, which the check explains."""
    try:
        with prepared(file, mapping.document, LINES) as table_file:
            scanned = scan_whole(table_file)
            with lines_of(table_file, scanned.encoding) as lines:
                table = open_table(table_file, lines, Problems())
                rows = [row.cells for row in islice(table.rows(), ROWS)]
    except StudyFileError:
        return None
    names = dict.fromkeys(name for row in rows for name in row if mapping.declared.column(name) is not None)
    order = {name: number for number, name in enumerate(mapping.declared.names)}
    columns = sorted(names, key=lambda name: order.get(name, len(order)))
    return Peek(columns, [[_shown(row.get(name)) for name in columns] for row in rows]) if columns else None


def _shown(value: Json) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, dict | list):
        return dumps(value)
    return "" if value is None else str(value)
