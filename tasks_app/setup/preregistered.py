"""Further files of the zip with which a study is preregistered; the app above adds functions that write them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tasks_app.models import Study

# Yields names and contents of files about a study that was not opened yet.
Files = Callable[["Study"], Iterator[tuple[str, bytes]]]

_writers: list[Files] = []


def register(files: Files) -> None:
    """Add a function that yields files; the same one twice is one."""
    if files not in _writers:
        _writers.append(files)


def files_of(study: Study) -> Iterator[tuple[str, bytes]]:
    """Yield the names and contents of every further file."""
    for files in _writers:
        yield from files(study)
