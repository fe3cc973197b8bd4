"""Open a file of any format that is read: workbooks and JSON become lines in a process of their own."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import IO

from tasks_app.importing.formats import plain
from tasks_app.importing.formats.columnar import FORMATS, PARQUET
from tasks_app.importing.formats.workbooks import ZIPPED
from tasks_app.importing.plain import rewound
from tasks_app.importing.source import PlainForm, RatingsFile, SheetLines
from tasks_app.studyfile.files.apart import read_apart


def plain_form(file: RatingsFile, target: IO[bytes]) -> RatingsFile:
    """Return an upload as text, examined in a process of its own; any other file is written to `target` as lines.

    Raises
    ------
    StudyFileError
        For a format that is not read, and a file that cannot be read.
    """
    file.check_name()
    with file.open() as stream:
        form = read_apart(plain.table, stream, target, name=file.name, classes=(PlainForm, SheetLines))
    file = replace(file, name=form.name, form=form)
    return replace(file, open=lambda: rewound(target)) if form.is_written else file


@contextmanager
def readable(file: RatingsFile) -> Iterator[RatingsFile]:
    """Give a file that can be read by lines: itself, or the lines made of a workbook or JSON. Raises StudyFileError."""
    file.check_name()
    if file.form is not None or not _is_written(file):
        yield file
        return
    with tempfile.TemporaryFile() as target:
        yield plain_form(file, target)


def _is_written(file: RatingsFile) -> bool:
    """Return whether a file is no lines of text."""
    with file.open() as stream:
        start = stream.read(len(ZIPPED))
    return start in (ZIPPED, PARQUET) or file.format in {*plain.WORKBOOKS, plain.JSON, plain.ZIP, *FORMATS}
