"""Read an upload in a process of its own, within the limits of a study file."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Sequence
from io import BytesIO
from typing import IO, Any, TypeVar

from django.core.files import File
from django.utils.translation import gettext as _

from tasks_app.studyfile.files.limits import MIB, limits, megabytes
from tasks_app.studyfile.problems import Problem, StudyFileError
from tasks_app.uploads import limited
from tasks_app.uploads.limited import Exceeded, Reason

Result = TypeVar("Result")


def read_apart(
    reader: Callable[..., Result],
    source: bytes | IO[bytes] | File[bytes],
    target: IO[bytes] | None = None,
    *,
    name: str,
    classes: Sequence[type] = (),
    **arguments: Any,
) -> Result:
    """Return the result of `reader(source, target, name=name, **arguments)`, called in a process of its own.

    `name` is the file's name in messages, `classes` are those of the result beside plain values.

    Raises
    ------
    StudyFileError
        As the reader raised it, or where reading the file took too much.
    """
    most = limits()
    with tempfile.TemporaryFile() as file:
        if isinstance(source, bytes):
            source = BytesIO(source)
        source.seek(0)
        shutil.copyfileobj(source, file, MIB)
        source.seek(0)
        file.flush()
        try:
            return limited.call(
                reader,
                file,
                target,
                classes=(StudyFileError, Problem, *classes),
                limits=limited.Limits(
                    memory=most.reading_memory, seconds=most.reading_seconds, written=2 * most.unpacked_bytes + MIB
                ),
                name=name,
                **arguments,
            )
        except Exceeded as error:
            raise StudyFileError([Problem(name, 0, 0, _sentence(error.reason))]) from error


def _sentence(reason: Reason) -> str:
    """Return the sentence that tells why a file was not read, and how to change it."""
    most = limits()
    sentences = {
        Reason.MEMORY: _(
            "Reading this file would take more than %(most)s of memory. Make it smaller, or split it; save tables as "
            "CSV."
        ),
        Reason.TIME: _(
            "Reading this file would take more than %(n)d seconds of computing. Make it smaller or split it; save "
            "tables as CSV."
        ),
        Reason.CLOCK: _(
            "Reading this file took longer than %(clock)d seconds, because the server is busy with other work. Upload "
            "it again later, or make it smaller."
        ),
        Reason.OUTPUT: _("This file holds more than can be read at once. Split it."),
        Reason.BUSY: _("The server is reading other files at the moment. Upload this one again in a minute."),
        Reason.OWN: _(
            "Another file that you uploaded is still being read. Upload one file at a time, and this one again in a "
            "minute."
        ),
        Reason.CRASH: _(
            "This file cannot be read: it is damaged, or reading it would take far too much memory. Save it again, or "
            "save tables as CSV (UTF-8)."
        ),
    }
    return sentences[reason] % {
        "most": megabytes(most.reading_memory),
        "n": most.reading_seconds,
        "clock": limited.CLOCK * most.reading_seconds,
    }
