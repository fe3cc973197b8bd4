"""Progress of long commands, shown on a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.core.management.base import OutputWrapper

from tasks_app.services.progress import Tell, tell_nobody

# Goes back to the beginning of a line, and clears it.
_CLEAR = "\r\x1b[K"


@contextmanager
def told_on(stream: OutputWrapper) -> Iterator[Tell]:
    """Give a function that shows a sentence in one line of a terminal; in files and pipes it writes nothing.

    The line is cleared at the end, and before anything else is written there.
    """
    if not stream.isatty():
        yield tell_nobody
        return

    def tell(sentence: str) -> None:
        stream.write(f"{_CLEAR}{sentence}", ending="")
        stream.flush()

    try:
        yield tell
    finally:
        stream.write(_CLEAR, ending="")
