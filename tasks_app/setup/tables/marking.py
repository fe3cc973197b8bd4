"""A table of texts with its problems: the researcher's own rows, and a column that says what is wrong with each."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence

from tasks_app.setup.tables.layout import PROBLEM, Layout, naming_of
from tasks_app.setup.tables.source import TextsFile, raw_rows
from tasks_app.studyfile.files.headers import Headers
from tasks_app.studyfile.files.tables import DELIMITERS
from tasks_app.studyfile.problems import Problems

# Without this mark, Excel takes a file for one of the local code page.
_MARK = "\ufeff"


def marked_rows(file: TextsFile, layout: Layout, by_line: Mapping[int, Sequence[str]]) -> Iterator[str]:
    """Yield the table as lines of CSV; rows with a problem say so in the column “problem”, in front of the others.

    Cells are left as they are, since the table is corrected and uploaded again.
    """
    yield _MARK
    delimiter = _delimiter(file, layout)
    with raw_rows(file, sheet=layout.sheet, quoting=layout.quoting, delimiter=delimiter) as rows:
        header: list[str] | None = None
        index: int | None = None
        for line, cells in rows:
            if header is None:
                header = cells
                index = cells.index(PROBLEM) if PROBLEM in cells else None
                yield _line([PROBLEM, *_without(cells, index)])
                if messages := by_line.get(line or 1):
                    yield _line([" ".join(messages)])
            else:
                yield _line([" ".join(by_line.get(line, ())), *_without(cells, index)])


def _without(cells: Sequence[str], index: int | None) -> list[str]:
    """Return the cells without those of an earlier column of problems."""
    return [cell for number, cell in enumerate(cells) if number != index]


def _delimiter(file: TextsFile, layout: Layout) -> str:
    """Return what stands between the cells, as the check of the table found it."""
    if file.is_workbook or file.file.format == "jsonl":
        return ","
    headers = Headers(naming_of(layout), file.name, Problems(), {})
    candidates = DELIMITERS[file.file.format]
    counts = {}
    for delimiter in candidates:
        with raw_rows(file, quoting=layout.quoting, delimiter=delimiter) as rows:
            _line_number, cells = next(rows, (0, []))
            counts[delimiter] = (sum(bool(headers.naming.columns(cell.strip())) for cell in cells), len(cells))
    return max(candidates, key=lambda delimiter: counts[delimiter])


def _line(cells: Sequence[str]) -> str:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\r\n").writerow(cells)
    return text.getvalue()
