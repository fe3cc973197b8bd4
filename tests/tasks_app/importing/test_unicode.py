"""Any text that can be stored goes through every format of a table unchanged, quotes and line breaks included."""

import csv
import io
import json
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks_app.importing.formats.opening import readable
from tasks_app.importing.formats.records import Layout, records
from tasks_app.importing.source import RatingsFile
from tasks_app.studyfile.problems import Problems
from tests.workbooks import workbook

NAMES = ("first", "second", "third")
Rows = Sequence[Sequence[str]]

# NUL and halves of characters cannot be stored; XML has no control characters, and no carriage returns.
STORABLE = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=30)
IN_XML = st.text(st.characters(exclude_categories=["Cs", "Cc", "Cn"], include_characters="\t\n"), max_size=30)


def rows_of(text: st.SearchStrategy[str]) -> st.SearchStrategy[list[list[str]]]:
    """Return tables; the first cell of a row is never empty, since rows without any cell are left out."""
    row = st.tuples(text.map(lambda first: first or "x"), text, text).map(list)
    return st.lists(row, min_size=1, max_size=8)


def as_csv(rows: Rows, delimiter: str = ",") -> bytes:
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, quoting=csv.QUOTE_ALL).writerows([NAMES, *rows])
    return out.getvalue().encode()


def as_lines(rows: Rows) -> bytes:
    return "".join(json.dumps(dict(zip(NAMES, row, strict=True))) + "\n" for row in rows).encode()


def as_json(rows: Rows) -> bytes:
    return json.dumps([dict(zip(NAMES, row, strict=True)) for row in rows], ensure_ascii=False, indent=1).encode()


def as_workbook(rows: Rows) -> bytes:
    return workbook({"Sheet": [NAMES, *rows]})


def read(name: str, content: bytes) -> list[list[str]]:
    """Return the cells of a file as its reader gives them; an empty cell is none."""
    problems = Problems()
    layout = Layout(quoting="double")
    with readable(RatingsFile(name, lambda: io.BytesIO(content))) as file, records(file, layout, problems) as table:
        assert table is not None
        rows = [[row.cells.get(column) or "" for column in NAMES] for row in table.rows()]
    problems.raise_if_any()
    return rows


@given(rows_of(STORABLE))
def test_text_formats(rows: list[list[str]]) -> None:
    formats: tuple[tuple[str, Callable[[Rows], bytes]], ...] = (
        ("t.csv", as_csv), ("t.tsv", lambda given: as_csv(given, "\t")), ("t.jsonl", as_lines),
    )  # fmt: skip
    for name, write in formats:
        assert read(name, write(rows)) == rows, name


@given(rows_of(IN_XML))
@pytest.mark.parametrize(("name", "write"), [("t.json", as_json), ("t.xlsx", as_workbook)])
def test_formats_that_another_process_reads(name: str, write: Callable[[Rows], bytes], rows: list[list[str]]) -> None:
    assert read(name, write(rows)) == rows
