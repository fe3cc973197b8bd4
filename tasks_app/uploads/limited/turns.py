"""The turns of readers of files: two at once in a process of the site, and at most one of each person.

A process of the site has few threads, which raters need: whoever waits for a turn gives up after a moment. One person
who sends many files at once would otherwise hold all turns for minutes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

# Files that are read at the same time by one process of the site; its other threads are for raters.
AT_ONCE = 2
# Seconds that a caller waits for its turn: it has a thread of the site meanwhile, which raters need.
TURN = 2

# Returns the key of the person whose request is answered; None for nobody who has signed in.
person: ContextVar[Callable[[], Any] | None] = ContextVar("person", default=None)


class Busy(Exception):
    """No turn came; `is_own` where it is because another file of the same person is being read."""

    def __init__(self, *, is_own: bool) -> None:
        super().__init__()
        self.is_own = is_own


_free = threading.Condition()
_reading: list[Any] = []


@contextmanager
def turn() -> Iterator[None]:
    """Hold a turn; wait for one for a moment. Raises Busy where none comes."""
    ask = person.get()
    # Commands and jobs belong to nobody: each of them is a person of its own.
    whose = (ask() if ask else None) or object()
    with _free:
        if not _free.wait_for(lambda: len(_reading) < AT_ONCE and whose not in _reading, TURN):
            raise Busy(is_own=whose in _reading)
        _reading.append(whose)
    try:
        yield
    finally:
        with _free:
            _reading.remove(whose)
            _free.notify_all()
