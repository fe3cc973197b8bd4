"""Parquet and Arrow files, as `datasets` of Hugging Face and Argilla write them: their rows as records of JSON."""

from __future__ import annotations

import io
import math
import os
from collections.abc import Iterator
from datetime import date, datetime, time
from decimal import Decimal
from itertools import islice
from typing import IO, Any

from django.utils.translation import gettext as _

from tasks_app.hooks.sections import Json
from tasks_app.importing.named.files import Files, refused

PARQUET, ARROW_FILE = b"PAR1", b"ARROW1"
ENDINGS = (".parquet", ".arrow")


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


def rows(stream: IO[bytes], name: str) -> Iterator[dict[str, Json]]:
    """Yield the rows of a Parquet or Arrow file. Raises StudyFileError where it is damaged or of another format."""
    # One thread: each takes memory, and a machine may have hundreds of cores.
    os.environ.setdefault("POLARS_MAX_THREADS", "1")
    import polars  # noqa: PLC0415  most processes never read such a file

    stream.seek(0)
    start = stream.read(len(ARROW_FILE))
    stream.seek(0)
    try:
        if start.startswith(PARQUET):
            frame = polars.read_parquet(stream, use_statistics=False)
        elif start == ARROW_FILE:
            frame = polars.read_ipc(stream)
        else:  # what `save_to_disk` writes
            frame = polars.read_ipc_stream(stream)
    except (polars.exceptions.PolarsError, OSError, ValueError) as error:
        sentence = _("This file is damaged or of another format (%(reason)s).") % {"reason": str(error)[:200]}
        raise refused(name, 0, sentence) from error
    for row in frame.iter_rows(named=True):
        yield {column: plain(value) for column, value in row.items()}


def plain(value: Any) -> Json:
    """Return a value as JSON has it; a number that is none is no value."""
    match value:
        case dict():
            return {str(name): plain(inner) for name, inner in value.items()}
        case list():
            return [plain(inner) for inner in value]
        case datetime() | date() | time():
            return value.isoformat()
        case bytes():
            return value.decode("utf-8", errors="replace")
        case Decimal() | float():
            return float(value) if math.isfinite(value) else None
        case _:
            return value
