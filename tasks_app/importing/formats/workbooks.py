"""Workbooks (.xlsx, .ods): the rows of a sheet as texts, with the values that formulas had when it was saved."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import IO, TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tasks_app.importing.formats import structure
from tasks_app.studyfile.problems import Problem, StudyFileError

if TYPE_CHECKING:
    from python_calamine import CalamineSheet, CalamineWorkbook

# First bytes of workbooks: a zip, and old or encrypted ones.
ZIPPED = b"PK\x03\x04"
OLD = b"\xd0\xcf\x11\xe0"

# A workbook keeps 15 digits of a number. Longer ones are written out with the digits that it has, up to this.
_KEPT, _LONG = 10**15, 10**21


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet: its rows as texts, as many cells in each, from row 1 on, and notes for the researcher."""

    name: str
    rows: Iterator[list[str]]
    # Called once the rows were read.
    notes: Callable[[], Sequence[str]] = list


@dataclass(slots=True)
class _Long:
    """Numbers with more digits than a workbook keeps: how many there are, and the row of the first."""

    n: int = 0
    row: int = 0

    def note(self) -> str:
        """Return a note on them."""
        sentence = ngettext(
            "%(n)d number has more than 15 digits (row %(row)d). A workbook keeps 15 of them, so the others may be "
            "wrong. If it is an id, format the column as text and enter it again.",
            "%(n)d numbers have more than 15 digits (first in row %(row)d). A workbook keeps 15 of them, so the others "
            "may be wrong. If they are ids, format the column as text and enter them again.",
            self.n,
        )
        return sentence % {"n": self.n, "row": self.row}


def read_sheets(name: str, stream: IO[bytes]) -> Iterator[Sheet]:
    """Yield the sheets of a workbook that have cells; `name` is the file's name in messages. Raises StudyFileError."""
    with _opened(name, stream) as (workbook, uncomputed):
        worksheets = [about for about in workbook.sheets_metadata if about.typ == type(about.typ).WorkSheet]
        # The first sheet that people see is the one that is read unless another is chosen.
        for about in sorted(worksheets, key=lambda about: about.visible != type(about.visible).Visible):
            yield _sheet(workbook, about.name, uncomputed, is_hidden=about.visible != type(about.visible).Visible)


def _sheet(workbook: CalamineWorkbook, name: str, uncomputed: int, *, is_hidden: bool) -> Sheet:
    worksheet = workbook.get_sheet_by_name(name)
    # A merged cell has its value in the upper left corner; the rows below are meant to have it too.
    merged = [area for area in worksheet.merged_cell_ranges or () if area[1][0] > area[0][0]]
    notes = []
    if merged:
        sentence = ngettext(
            "%(n)d cell is merged over several rows: each of these rows has its value.",
            "%(n)d cells are merged over several rows: each of these rows has their value.",
            len(merged),
        )
        notes.append(sentence % {"n": len(merged)})
    if is_hidden:
        notes.append(_("The sheet “%(name)s” is hidden in the workbook.") % {"name": name})
    if uncomputed:
        sentence = ngettext(
            "%(n)d cell of the workbook has a formula without a value, and is read as empty. Open it in a spreadsheet "
            "program and save it, so that the formula is computed.",
            "%(n)d cells of the workbook have formulas without a value, and are read as empty. Open it in a "
            "spreadsheet program and save it, so that the formulas are computed.",
            uncomputed,
        )
        notes.append(sentence % {"n": uncomputed})
    long = _Long()
    return Sheet(name, _rows(worksheet, merged, long), lambda: [*notes, *([long.note()] if long.n else [])])


def _rows(
    sheet: CalamineSheet, merged: Sequence[tuple[tuple[int, int], tuple[int, int]]], long: _Long
) -> Iterator[list[str]]:
    starts: dict[int, list[tuple[int, int]]] = {}
    for (top, left), (bottom, _right) in merged:
        starts.setdefault(top, []).append((left, bottom))
    # By column: the last row of the merged cell that is being passed, and its value.
    passing: dict[int, tuple[int, str]] = {}
    for number, values in enumerate(sheet.iter_rows()):
        cells = [_text(value) for value in values]
        if n := sum(isinstance(value, float) and abs(value) >= _KEPT and value.is_integer() for value in values):
            long.n, long.row = long.n + n, long.row or number + 1
        for column, (bottom, text) in list(passing.items()):
            if number <= bottom:
                cells[column] = cells[column] or text
            else:
                del passing[column]
        for column, bottom in starts.get(number, ()):
            if column < len(cells):  # a merged cell may be where no cell has a value
                passing[column] = (bottom, cells[column])
        yield cells


def _text(value: object) -> str:
    """Write a value of a cell as CSV would have it: whole numbers without decimals, times as ISO 8601."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < _LONG:
        return str(int(value))
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, date | time):
        return value.isoformat()
    return "" if value is None else str(value)


@contextmanager
def _opened(name: str, stream: IO[bytes]) -> Iterator[tuple[CalamineWorkbook, int]]:
    """Open a workbook; give also how many formulas in it have no value.

    Raises
    ------
    StudyFileError
        Where it is damaged, encrypted, of another format or far too large.
    """
    import python_calamine  # noqa: PLC0415  most processes never read a workbook

    def refusal(sentence: str) -> StudyFileError:
        return StudyFileError([Problem(name, 0, 0, sentence)])

    start = stream.read(len(OLD))
    stream.seek(0)
    if start == OLD:
        sentence = _("This is an old workbook (.xls), or one with a password. Save it as .xlsx without a password.")
        raise refusal(sentence)
    uncomputed = structure.check(name, stream)
    stream.seek(0)
    try:
        yield python_calamine.load_workbook(stream), uncomputed
    except python_calamine.PasswordError as error:
        raise refusal(_("This workbook has a password. Save it without one.")) from error
    except python_calamine.CalamineError as error:
        sentence = _("This workbook cannot be read (%(reason)s). Save it again, or save the table as CSV (UTF-8).")
        raise refusal(sentence % {"reason": error}) from error
    except BaseException as error:
        # A fault of the library below Python is no Exception.
        if type(error).__name__ != "PanicException":
            raise
        sentence = _("This workbook cannot be read. Save it again, or save the table as CSV (UTF-8).")
        raise refusal(sentence) from error
