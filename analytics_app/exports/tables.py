"""A table of a results page as a file: LaTeX, Markdown or CSV."""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

from django.utils.translation import gettext as _

from analytics_app.exports import latex, markdown
from analytics_app.models import Run
from analytics_app.show.cells import DASH, Cell
from analytics_app.show.table import Table
from tasks_app.models import Study
from tasks_app.texts.plaintext import without_formula

Format: TypeAlias = Literal["tex", "md", "csv"]

CONTENT_TYPES: Mapping[Format, str] = {
    "tex": "application/x-tex; charset=utf-8",
    "md": "text/markdown; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
}


def write(table: Table, *, format: Format, title: str, label: str, origin: str) -> str:
    """Return a table as the text of a file. LaTeX and Markdown have `origin` in a comment; CSV has only the table."""
    if format == "tex":
        return latex.write(table, title=title, label=label, origin=origin)
    if format == "md":
        return markdown.write(table, title=title, origin=origin)
    return _csv(table)


def origin(study: Study, run: Run) -> str:
    """Return the origin of a table in words: study, run and version of evalweb."""
    return f"Study {study.slug}, run {run.number}, digest {run.digest or '-'}, evalweb {run.code_version or '-'}"


def label(study: Study, run: Run, place: str, key: str) -> str:
    """Return the name by which a paper refers to a table; LaTeX reads no underscore in it."""
    return re.sub(r"[^A-Za-z0-9:-]+", "-", f"tab:{study.slug}-run-{run.number}-{place}-{key}")


def _csv(table: Table) -> str:
    """Return a table with unrounded numbers; an interval has two columns, and an undefined number an empty cell.

    A last column has the signatures of the metrics of a line, if any was computed here.
    """
    columns = [[row[n] for row in table.rows] for n in range(len(table.columns))]
    double = [any(len(cell.numbers) > 1 for cell in column) for column in columns]
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    heads = (_heads(str(column.label), two) for column, two in zip(table.columns, double, strict=True))
    names = [without_formula(head) for group in heads for head in group]
    writer.writerow([*names, _("Signature")] if table.signatures else names)
    # A table may have a column for each metric.
    of_columns = [str(column.label) for column in table.columns]
    for row in table.rows:
        values = [value for cell, two in zip(row, double, strict=True) for value in _values(cell, two)]
        if table.signatures:
            named = [name for name in (*(cell.text for cell in row), *of_columns) if name in table.signatures]
            values.append("; ".join(f"{name}: {table.signatures[name]}" for name in dict.fromkeys(named)))
        writer.writerow(values)
    return text.getvalue()


def _heads(label: str, two: bool) -> Iterator[str]:
    if not two:
        yield label
        return
    yield _("%(column)s, lower end") % {"column": label}
    yield _("%(column)s, upper end") % {"column": label}


def _values(cell: Cell, two: bool) -> Sequence[str]:
    if cell.numbers:
        shown = [str(value) for value in cell.numbers]
    else:
        shown = ["" if cell.text == DASH else without_formula(cell.text)]
    return [*shown, ""] if two and len(shown) == 1 else shown
