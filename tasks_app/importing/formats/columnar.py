"""Parquet and Arrow files, as `datasets` of Hugging Face writes them: their rows as objects of JSON.

Decision 119 says why polars reads them.
"""

from __future__ import annotations

import io
import math
import os
import zipfile
from collections.abc import Iterator
from datetime import date, datetime, time
from decimal import Decimal
from typing import IO, Any

from django.utils.translation import gettext as _

from tasks_app.hooks.sections import Json
from tasks_app.studyfile.files.archive import Archive
from tasks_app.studyfile.problems import Problem, StudyFileError

PARQUET, ARROW_FILE = b"PAR1", b"ARROW1"
FORMATS = ("parquet", "arrow")
ENDINGS = tuple(f".{format}" for format in FORMATS)


def parts(stream: IO[bytes], name: str) -> Iterator[dict[str, Json]]:
    """Yield the rows of a file, or of all files of a folder that was packed. Raises StudyFileError."""
    stream.seek(0)
    if not zipfile.is_zipfile(stream):
        yield from rows(stream, name)
        return
    with Archive(stream, name) as archive:
        for member in archive.names:
            if member.endswith(ENDINGS):
                yield from rows(io.BytesIO(archive.read(member)), member)


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
            # The library reads a real file where its buffer ends, and not where it stands.
            frame = polars.read_ipc_stream(io.BytesIO(stream.read()))
    except (polars.exceptions.PolarsError, OSError, ValueError) as error:
        sentence = _("This file is damaged or of another format (%(reason)s).") % {"reason": str(error)[:200]}
        raise StudyFileError([Problem(name, 0, 0, sentence)]) from error
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
