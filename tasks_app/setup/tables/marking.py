"""A table of texts with its problems: the researcher's own rows, and a column with the problems of each row."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from tasks_app.setup.tables.layout import PROBLEM
from tasks_app.setup.tables.source import TextsFile, raw_rows
from tasks_app.studyfile.files.headers import Headers, Naming
from tasks_app.studyfile.files.tables import DELIMITERS
from tasks_app.studyfile.problems import Problems, StudyFileError

# Without this mark, Excel takes a file for one of the local code page.
_MARK = "\ufeff"

# Most lines whose problems are remembered for the marked table, and most problems of one line.
MARKED_LINES, MARKED_OF_A_LINE = 100_000, 5


class MarkedProblems(Problems):
    """Problems that are also remembered by the line they stand in, to mark it in the table.

    Where rows of several origins are checked together, `file` is the one whose lines are marked.
    """

    def __init__(self, file: str = "") -> None:
        super().__init__()
        self.file = file
        self.by_line: dict[int, list[str]] = {}

    def add(self, file: str, line: int, column: int, message: object) -> None:
        """Report a problem; a repeated report counts once."""
        super().add(file, line, column, message)
        if self.file and file != self.file:
            return
        if line and (line in self.by_line or len(self.by_line) < MARKED_LINES):
            messages = self.by_line.setdefault(line, [])
            if len(messages) < MARKED_OF_A_LINE and str(message) not in messages:
                messages.append(str(message))


@dataclass(slots=True)
class CheckedRows:
    """A checked table: its rows as texts, none where there are problems; `notes` are remarks for the researcher."""

    rows: list[dict[str, str]]
    problems: MarkedProblems
    notes: list[str] = field(default_factory=list)

    @property
    def refusal(self) -> StudyFileError | None:
        """Return the problems; None where there are none."""
        try:
            self.problems.raise_if_any()
        except StudyFileError as error:
            return error
        return None


class Layout(Protocol):
    """How a table is read: its sheet, its quotation marks, and the uses of its columns."""

    @property
    def sheet(self) -> str:
        """Return the name of the sheet, "" for the first."""

    @property
    def quoting(self) -> str:
        """Return the setting for quotation marks, "" for none."""

    @property
    def naming(self) -> Naming:
        """Return how the file calls our columns."""


def marked_rows(file: TextsFile, layout: Layout, by_line: Mapping[int, Sequence[str]]) -> Iterator[str]:
    """Yield the table as lines of CSV; rows with a problem say so in the column “problem”, in front of the others.

    Cells are left as they are, since the table is corrected and uploaded again.
    """
    yield _MARK
    delimiter, is_json = _delimiter(file, layout), not file.is_workbook and file.file.format == "jsonl"
    with raw_rows(file, sheet=layout.sheet, quoting=layout.quoting, delimiter=delimiter) as rows:
        header: list[str] | None = None
        index: int | None = None
        for line, cells in rows:
            if header is None:
                header = cells
                index = cells.index(PROBLEM) if PROBLEM in cells else None
                yield _line([PROBLEM, *_without(cells, index)])
                # A record of JSON is a row, whichever line it stands in; other tables have their header there.
                if not is_json and (messages := by_line.get(line or 1)):
                    yield _line([" ".join(messages)])
            else:
                yield _line([" ".join(by_line.get(line, ())), *_without(cells, index)])


def _without(cells: Sequence[str], index: int | None) -> list[str]:
    """Return the cells without those of an earlier column of problems."""
    return [cell for number, cell in enumerate(cells) if number != index]


def _delimiter(file: TextsFile, layout: Layout) -> str:
    """Return the delimiter of the cells, as the check of the table found it."""
    if file.is_workbook or file.file.format == "jsonl":
        return ","
    headers = Headers(layout.naming, file.name, Problems(), {})
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
