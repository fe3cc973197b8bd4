"""Records of JSON, or of the columns of Parquet and Arrow files where an upload has such."""

from __future__ import annotations

import io
from collections.abc import Iterator
from itertools import islice

from tasks_app.hooks.sections import Json
from tasks_app.importing.formats.columnar import ENDINGS, rows
from tasks_app.importing.named.files import Files


def endings(files: Files) -> tuple[str, ...]:
    """Return the endings of files that hold records: columns where there are such files, else JSON."""
    return ENDINGS if files.ending(*ENDINGS) else (".jsonl", ".json")


def records_of(files: Files, name: str, limit: int | None = None) -> Iterator[Json]:
    """Yield the records of a file of either kind, at most `limit`. Raises StudyFileError."""
    if not name.lower().endswith(ENDINGS):
        for _line, record in files.records(name):
            yield record
        return
    yield from islice(rows(io.BytesIO(files.bytes_of(name)), name), limit)
