"""Search texts for patterns that somebody wrote, in a process with limits on time and memory.

The engine has a limit of time but none of memory, and keeps what it may have to come back to: a pattern of 30
characters takes 500 MB on a text of a million within a second. Nothing of a child process stays behind.
"""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from threading import BoundedSemaphore
from typing import Any

from django.utils.translation import gettext as _

from tasks_app.texts.patterns.child import MEMORY, SLOW

CHILD = Path(__file__).with_name("child.py")
# Address space of the child: Python and the engine take some 40 MB of it; texts are held as JSON and as strings.
MEMORY_BYTES, BYTES_PER_BYTE = 256 * 2**20, 8
# Time to start, to read the texts and to end, before the child is killed.
SPARE_SECONDS = 10.0
# One process of the site has at most so many children at a time. Further requests wait for so many seconds: each has a
# thread of the site meanwhile, which raters need.
_children, TURN = BoundedSemaphore(2), 2.0


@dataclass(frozen=True, slots=True)
class Search:
    """A pattern, and whether all its occurrences are counted: else the count ends at 1."""

    pattern: str
    every: bool = False


class TooHeavy(Exception):
    """A pattern takes too much time or memory on the texts; the message is the end of a sentence about it."""


def counts(searches: Sequence[Search], texts: Sequence[str], *, seconds: float) -> list[list[int] | TooHeavy]:
    """Return for each search how often its pattern occurs in each text, or why that cannot be computed.

    The patterns have been checked (`bounds.check`). They share so many seconds.
    """
    if not searches:
        return []
    return _search([[search.pattern, search.every] for search in searches], texts, seconds)


def groups(pattern: str, texts: Sequence[str], *, seconds: float) -> list[dict[str, str] | None] | TooHeavy:
    """Return the named groups of a checked pattern in each text that it fits as a whole, None for others."""
    result: list[dict[str, str] | None] | TooHeavy = _search([[pattern, None]], texts, seconds)[0]
    return result


def _search(searches: Sequence[Sequence[object]], texts: Sequence[str], seconds: float) -> list[Any]:
    """Return the result of each search, or why it cannot be computed."""
    task = {"searches": searches, "texts": texts if isinstance(texts, list) else [*texts], "seconds": seconds}
    sent = json.dumps(task).encode()  # in ASCII, so that half characters pass too
    limit = str(MEMORY_BYTES + BYTES_PER_BYTE * len(sent))
    if not _children.acquire(timeout=max(TURN, seconds)):
        return [_busy()] * len(searches)
    try:
        # The engine looks at the time only now and then, so that the process has a limit as well.
        command = [sys.executable, "-I", str(CHILD), limit, str(ceil(seconds) + 1)]
        answered, is_killed = _run(command, sent, seconds + SPARE_SECONDS)
    finally:
        _children.release()
    results = list(_read(answered, seconds, len(texts)))
    # A child that ends before its last line was killed for its time, or by the system for its memory.
    missing = _too_slow(seconds) if is_killed else _too_large()
    return [*results, *[missing] * (len(searches) - len(results))]


def _run(command: list[str], sent: bytes, seconds: float) -> tuple[bytes, bool]:
    """Return the output of a child process, and whether it was killed for its time."""
    try:
        ended = subprocess.run(
            command, input=sent, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired as late:
        return late.stdout or b"", True
    return ended.stdout, ended.returncode == -signal.SIGXCPU


def _read(answered: bytes, seconds: float, n_texts: int) -> Iterator[list[Any] | TooHeavy]:
    """Yield the result of each search that has a whole line."""
    for line in answered.split(b"\n")[:-1]:
        result = json.loads(line)
        if isinstance(result, list) and len(result) == n_texts:
            yield result
        else:
            yield {SLOW: _too_slow(seconds), MEMORY: _too_large()}[result]


def _busy() -> TooHeavy:
    return TooHeavy(_("was not searched for, because the server is busy with other searches; try again in a minute"))


def _too_slow(seconds: float) -> TooHeavy:
    return TooHeavy(_("takes longer than %(n)s seconds on the outputs") % {"n": f"{seconds:g}"})


def _too_large() -> TooHeavy:
    return TooHeavy(_("takes too much memory on the outputs"))
