"""Readers that misbehave, for tests of `tasks_app.uploads.limited`; their process imports this module."""

import os
import signal
from pathlib import Path
from typing import IO

from tasks_app.studyfile.problems import Problem, StudyFileError


def echo(source: IO[bytes], target: IO[bytes], *, word: str, name: str = "") -> tuple[bytes, str]:
    """Copy the source."""
    content = source.read()
    target.write(content)
    return content, word


def refuse(_source: IO[bytes], _target: None) -> None:
    """Refuse with places."""
    raise StudyFileError([Problem("a.csv", 3, 4, "Here.", 2, ((3, 4), (5, 6)))], more=7)


def abort(_source: IO[bytes], _target: None, *, name: str = "") -> None:
    """End as a library below Python does."""
    os.kill(os.getpid(), signal.SIGABRT)


def swallow(_source: IO[bytes], _target: None, *, name: str = "") -> int:
    """Take memory."""
    return len(bytearray(1 << 30))


def loop(_source: IO[bytes], _target: None, *, name: str = "") -> None:
    """Never end."""
    while True:
        pass


def wait(_source: IO[bytes], _target: None, *, name: str = "") -> None:
    """Never end, without computing."""
    signal.pause()


def first(source: IO[bytes], _target: None) -> bytes:
    """Return the first byte, once it is there."""
    return source.read(1)


def overflow(_source: IO[bytes], target: IO[bytes]) -> None:
    """Write more than it may."""
    while True:
        target.write(bytes(1 << 20))


def babble(_source: IO[bytes], _target: None) -> bytes:
    """Return more than it may."""
    return bytes(8 << 20)


def smuggle(_source: IO[bytes], _target: None) -> Path:
    """Return an object of a class that nobody has named."""
    return Path("/")


def fail(_source: IO[bytes], _target: None) -> None:
    """Raise what no reader should."""
    raise KeyError("what the file holds")


def environment(_source: IO[bytes], _target: None) -> list[str]:
    """Return the names of the secrets in the environment, and of the heavy modules that are loaded."""
    import sys

    names = [name for name in os.environ if name in ("SECRET_KEY", "DATABASE_URL", "REDIS_URL")]
    return [*names, *(name for name in sys.modules if name.startswith(("tasks_app.models", "psycopg", "celery")))]
