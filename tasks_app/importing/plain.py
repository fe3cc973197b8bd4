"""Look through an uploaded table of ratings or a small list, in a process of its own.

`tasks_app.uploads.limited` is that process.
"""

from __future__ import annotations

import os
from typing import IO

from tasks_app.importing.source import PlainForm, RatingsFile, scan_file
from tasks_app.studyfile.files.decoding import decode
from tasks_app.studyfile.files.limits import limits
from tasks_app.studyfile.problems import Problems


def table(source: IO[bytes], _target: None, *, name: str) -> PlainForm:
    """Search a table for lines that no reader could take, before its lines are read. Raises StudyFileError.

    What is wrong with its letters is said when the whole table is checked.
    """
    scan_file(RatingsFile(name, lambda: rewound(source), limits().table_bytes), Problems())
    return PlainForm(name)


def small_text(source: IO[bytes], _target: None, *, name: str) -> str:
    """Return the text of a small file. Raises StudyFileError where it is none, or a line has no end."""
    problems = Problems()
    text = decode(name, source.read(), problems)
    problems.raise_if_any()
    return text or ""


def rewound(stream: IO[bytes]) -> IO[bytes]:
    """Return a file from its beginning, as one that may be closed by itself."""
    stream.seek(0)
    return os.fdopen(os.dup(stream.fileno()), "rb")
