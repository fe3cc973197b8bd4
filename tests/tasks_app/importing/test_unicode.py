"""Any text that can be stored goes through every format of a table unchanged, quotes and line breaks included."""

import csv
import io
import json
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks_app.importing.formats.opening import readable
from tasks_app.importing.formats.records import Layout, records
from tasks_app.importing.source import RatingsFile
from tasks_app.studyfile import StudyFileError
from tasks_app.studyfile.problems import Problems
from tests.texts_at_random import many, texts
from tests.workbooks import Raw, in_workbook, workbook

NAMES = ("first", "second", "third")
Rows = Sequence[Sequence[str]]


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
        if table is None:
            problems.raise_if_any()
        assert table is not None
        rows = [[row.cells.get(column) or "" for column in NAMES] for row in table.rows()]
    problems.raise_if_any()
    return rows


def as_parquet(rows: Rows) -> bytes:
    out = io.BytesIO()
    polars.DataFrame(rows, schema=NAMES, orient="row").write_parquet(out)
    return out.getvalue()


def as_arrow(rows: Rows) -> bytes:
    out = io.BytesIO()
    polars.DataFrame(rows, schema=NAMES, orient="row").write_ipc(out)
    return out.getvalue()


Write = Callable[[Rows], bytes]
OF_LINES: Sequence[tuple[str, Write]] = (
    ("t.csv", as_csv), ("t.tsv", lambda given: as_csv(given, "\t")), ("s.csv", lambda given: as_csv(given, ";")),
    ("t.jsonl", as_lines),
)  # fmt: skip
OF_ANOTHER_PROCESS: Sequence[tuple[str, Write]] = (
    ("t.json", as_json), ("t.xlsx", as_workbook), ("t.parquet", as_parquet), ("t.arrow", as_arrow),
)  # fmt: skip


@given(rows_of(texts()))
def test_text_formats(rows: list[list[str]]) -> None:
    for name, write in OF_LINES:
        assert read(name, write(rows)) == rows, name


@given(rows_of(texts()))
@pytest.mark.parametrize(("name", "write"), OF_ANOTHER_PROCESS)
def test_formats_that_another_process_reads(name: str, write: Write, rows: list[list[str]]) -> None:
    if name == "t.xlsx":
        rows = [[in_workbook(cell) or "x" for cell in row] for row in rows]
    assert read(name, write(rows)) == rows


# A million cells, in files of 30,000 each.
FILES, ROWS = 34, 10_000


@pytest.mark.exhaustive
@pytest.mark.parametrize(("name", "write"), [*OF_LINES, *OF_ANOTHER_PROCESS])
def test_a_million_cells(name: str, write: Write) -> None:
    assert FILES * ROWS * len(NAMES) >= 1_000_000
    for seed in range(FILES):
        cells = many(ROWS * len(NAMES), seed)
        rows = list(_rows(in_workbook(cell) for cell in cells) if name == "t.xlsx" else _rows(cells))
        assert read(name, write(rows)) == rows, f"{name}, seed {seed}"


def _rows(cells: Iterator[str]) -> Iterator[list[str]]:
    """Yield rows of cells, of which the first is never empty."""
    while row := list(islice(cells, len(NAMES))):
        yield [row[0] or "x", *row[1:]]


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("a_x000D_b", "a\rb"), ("a_x000d_\nb", "a\r\nb"), ("a_x0008_b", "a\x08b"), ("a_x000B_b", "a\x0bb"),
        ("a_x005F_x000D_b", "a_x000D_b"), ("_xZZZZ_", "_xZZZZ_"), ("_x1_", "_x1_"), ("_x000D", "_x000D"),
    ],
)  # fmt: skip
def test_codes_of_a_workbook_are_the_characters_that_they_mean(written: str, text: str) -> None:
    assert read("t.xlsx", workbook({"Sheet": [NAMES, [Raw(written), "b", "c"]]})) == [[text, "b", "c"]]


@pytest.mark.parametrize(
    ("name", "content", "place", "sentence"),
    [
        ("t.csv", b'first,second\na,b\nc,"d\nx\x00y"\n', (4, 2), "NUL character"),
        ("t.tsv", b"first\tsecond\na\tx\x00y\n", (2, 4), "NUL character"),
        ("t.jsonl", b'{"first": "a"}\n{"first": "x\\u0000y"}\n', (2, 1), "NUL character"),
        ("t.jsonl", b'{"first": "a"}\n{"first": "x\\ud800y"}\n', (2, 1), "lone surrogate"),
        ("t.csv", b"first,second\na,b\nc,\xed\xa0\x80\n", (3, 3), "is not UTF-8"),
        ("t.xlsx", workbook({"Sheet": [["first", "second"], ["a", Raw("x_x0000_y")]]}), (2, 2), "NUL character"),
    ],
)
def test_what_cannot_be_stored_is_refused_with_its_place(
    name: str, content: bytes, place: tuple[int, int], sentence: str
) -> None:
    with pytest.raises(StudyFileError) as caught:
        read(name, content)
    (problem,) = caught.value.problems
    assert (problem.line, problem.column) == place
    assert sentence in problem.message
