"""Files that people download, and small CSV files of pages, which they open with a spreadsheet program."""

import csv
import io
from collections.abc import Iterable

from django.http import HttpResponse, StreamingHttpResponse

from tasks_app.texts.plaintext import without_formula

CSV = "text/csv; charset=utf-8"

# Without this mark, Excel takes a file for one of the local code page.
BYTE_ORDER_MARK = "\ufeff"


def as_file(name: str) -> dict[str, str]:
    """Return the header of a download with a file name."""
    return {"Content-Disposition": f'attachment; filename="{name}"'}


def attachment(name: str, content: str | bytes, content_type: str = CSV) -> HttpResponse:
    """Answer with a file of a name to download."""
    return HttpResponse(content, content_type=content_type, headers=as_file(name))


def streamed(name: str, chunks: Iterable[str | bytes], content_type: str = CSV) -> StreamingHttpResponse:
    """Answer with a file of a name that is made while it is sent."""
    return StreamingHttpResponse(chunks, content_type=content_type, headers=as_file(name))


def csv_line(cells: Iterable[object]) -> str:
    """Write one row of a file; no text in it is taken for a formula."""
    line = io.StringIO(newline="")
    csv.writer(line).writerow([without_formula(cell) if isinstance(cell, str) else cell for cell in cells])
    return line.getvalue()


def csv_file(name: str, rows: Iterable[Iterable[object]], *, start: str = "") -> HttpResponse:
    """Answer with rows as a file to download."""
    return attachment(name, start + "".join(map(csv_line, rows)))
