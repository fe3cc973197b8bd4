"""Small CSV files of pages, which people open with a spreadsheet program."""

import csv
import io
from collections.abc import Iterable

from django.http import HttpResponse

from tasks_app.plaintext import without_formula

# Without this mark, Excel takes a file for one of the local code page.
BYTE_ORDER_MARK = "\ufeff"


def csv_line(cells: Iterable[object]) -> str:
    """Write one row of a file; no text in it is taken for a formula."""
    line = io.StringIO(newline="")
    csv.writer(line).writerow([without_formula(cell) if isinstance(cell, str) else cell for cell in cells])
    return line.getvalue()


def csv_file(name: str, rows: Iterable[Iterable[object]], *, start: str = "") -> HttpResponse:
    """Answer with rows as a file to download."""
    text = start + "".join(map(csv_line, rows))
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(text, content_type="text/csv; charset=utf-8", headers=headers)
