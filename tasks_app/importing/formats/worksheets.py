"""The sheets of a workbook that was looked through: their rows, as a reader of CSV would give them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO

from tasks_app.importing.source import RatingsFile


@dataclass(frozen=True, slots=True)
class Rows:
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


def names_of(file: RatingsFile) -> tuple[str, ...]:
    """Return the names of the sheets of a workbook; none for another file."""
    return () if file.form is None else tuple(sheet.name for sheet in file.form.sheets)


def sheet_of(file: RatingsFile, sheet: str) -> str:
    """Return a sheet's name if the workbook has it, else that of its first one; "" where the file is no workbook."""
    names = names_of(file)
    return sheet if sheet in names else next(iter(names), "")


@contextmanager
def sheet_rows(file: RatingsFile, sheet: str = "") -> Iterator[tuple[Iterator[list[str]], Sequence[str]]]:
    """Open the rows of a sheet with the notes on it."""
    name, form = sheet_of(file, sheet), file.form
    assert form is not None, "a workbook was looked through"
    sheets = list(form.sheets)
    number = next(number for number, lines in enumerate(sheets) if lines.name == name)
    end = sheets[number + 1].begin if number + 1 < len(sheets) else None
    with file.open() as stream:
        yield _cells(stream, sheets[number].begin, end), sheets[number].notes


def _cells(stream: IO[bytes], begin: int, end: int | None) -> Iterator[list[str]]:
    stream.seek(begin)
    at = begin
    for line in iter(stream.readline, b""):  # iterating over a file of Django begins at its beginning
        if at == end:
            return
        at += len(line)
        yield json.loads(line)
