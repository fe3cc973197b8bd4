"""Tables that are taken away from the results of a study hold the numbers of its page."""

import csv
import io
import re
from collections.abc import Sequence

from django.utils.text import slugify
from markdown_it import MarkdownIt

from analytics_app.show.cells import Cell
from analytics_app.show.table import Table
from analytics_app.views import run_files
from tasks_app.models import Study
from tests import latex
from tests.analytics_app.views.reading import tables
from tests.house import pairs

_NUMBER = re.compile(r"−?\d[\d,]*(?:\.\d+)?")


def hold_the_same_numbers(study: Study, pages: Sequence[str]) -> None:
    """Compare each table of a study's latest run on its pages of results, in LaTeX, in Markdown and in CSV."""
    run = study.runs.filter(state="done").latest("number")
    named = list(run_files.all_tables(study, run, systems=True))
    shown = [rows for page in pages for _caption, rows in tables(page)]
    assert named
    names = [(one.section, one.table.key) for one in named]
    assert len(set(names)) == len(names)
    # No two tables of a section have one caption, so that no key depends on the order of tables.
    captioned = [
        one.table for one in named if one.section != run_files.OF_RUN and not one.table.key.startswith("plot-")
    ]
    assert [table.key for table in captioned] == [slugify(str(table.caption)) for table in captioned]
    for one in named:
        if pairs.is_alike(one.section):
            continue
        rows = _texts(one.table)
        # What was excluded has a column of links on the page, and its table there is not a declared one.
        if not (one.section == run_files.OF_RUN and "by-system" not in one.table.key and one.table.key != "raters"):
            assert rows in shown, (one.title, rows)
        source = run_files.table_file(study, run, one, "tex")
        latex.check(source)
        assert [list(map(_flat, row)) for row in latex.rows_of(source)] == rows
        assert tables(MarkdownIt().enable("table").render(run_files.table_file(study, run, one, "md")))[0][1] == rows
        _csv_has_the_numbers(one.table, run_files.table_file(study, run, one, "csv"))


def _texts(table: Table) -> list[list[str]]:
    return [[_flat(str(column.label)) for column in table.columns]] + [
        [_flat(cell.text) for cell in row] for row in table.rows
    ]


def _flat(text: str) -> str:
    return " ".join(text.split())


def _csv_has_the_numbers(table: Table, source: str) -> None:
    """Each number of the file is the number of the page before rounding."""
    _heads, *lines = list(csv.reader(io.StringIO(source)))
    assert len(lines) == len(table.rows)
    for line, row in zip(lines, table.rows, strict=True):
        written = [value for value in line if value]
        expected = [value for cell in row for value in map(str, cell.numbers)]
        assert [value for value in expected if value in written] == expected
        for cell in row:
            _rounds(cell)


def _rounds(cell: Cell) -> None:
    shown = [float(text.replace("−", "-").replace(",", "")) for text in _NUMBER.findall(cell.text)]
    times = 100 if "%" in cell.text else 1
    for value, text, number in zip(shown, _NUMBER.findall(cell.text), cell.numbers, strict=False):
        if cell.text.startswith("<"):
            assert number < value
        else:
            digits = len(text.partition(".")[2])
            assert abs(value - number * times) <= 0.5 * 10**-digits + 1e-9, cell
