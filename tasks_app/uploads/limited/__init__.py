"""Call a function in a process of its own, with limits on memory, time and output: for every uploaded file.

A file from outside can make a reader allocate without end, loop, or abort its process. So readers run here: the worst
that a file can do is to end the process that read it, after which `call` raises `Exceeded`. Decision 83 says why it is
done in this way.
"""

from __future__ import annotations

import atexit
import io
import json
import logging
import os
import pickle
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import IO, Any, TypeVar

from django.conf import settings
from django.utils import translation

from tasks_app.uploads.limited.turns import Busy, turn

MIB = 1024 * 1024

# Seconds by the clock for each of CPU that a reader may use: a busy machine gives it less than a core. A file is to
# blame for CPU, whose limit ends a reader that computes without end; the clock is for whoever waits for the answer.
CLOCK = 4
# Seconds beyond a reader's own time after which its result is no longer waited for.
GRACE = 10
# Seconds without a request or a reader at work after which the server ends, so that nothing of it stays in memory at
# rest.
IDLE = 60

# A result ends with how its process ended: its status as `os.wait4` gives it, most memory in KiB, milliseconds of CPU.
TRAILER = struct.Struct("<8siqq")
# How a trailer begins: where a keeper was killed, the end of the result itself is no trailer.
MARK = b"\x00ended\x00\x00"
# What a keeper, a reader with a value, one with a refusal, and one with an error write first.
BEGUN, VALUE, REFUSAL, ERROR, NO_MEMORY = b"B", b"V", b"R", b"E", b"M"
# How the length of a request is written.
LENGTH = struct.Struct("<I")

# Variables that a Python needs to start. Passwords and keys of the site are none of a reader's business.
_VARIABLES = ("PATH", "LANG", "LC_ALL", "TMPDIR", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX")
_ROOT = Path(__file__).resolve().parents[3]

Result = TypeVar("Result")

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a reader: bytes of memory, seconds of CPU, bytes of output.

    `written` is how much it may write to its target, `returned` how large its result may be.
    """

    memory: int = 512 * MIB
    seconds: int = 30
    written: int = 300 * MIB
    returned: int = 32 * MIB


class Reason(StrEnum):
    """The reason why there is no result."""

    MEMORY = "memory"
    # Its processor time was used up, which a file is to blame for.
    TIME = "time"
    # The clock ended it before: the machine had other work.
    CLOCK = "clock"
    OUTPUT = "output"
    # The process was killed or aborted, or the reader raised what it should not.
    CRASH = "crash"
    # Other files are being read, or another file of the same person.
    BUSY = "busy"
    OWN = "own"


class Exceeded(Exception):
    """A reader came to no result."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason = reason


class _Gone(Exception):
    """The server of readers was not there any more."""


def call(
    reader: Callable[..., Result],
    source: IO[bytes],
    target: IO[bytes] | None = None,
    *,
    classes: Sequence[type] = (),
    limits: Limits | None = None,
    **arguments: Any,
) -> Result:
    """Return the result of `reader(source, target, **arguments)`, called in a process of its own.

    Parameters
    ----------
    reader : callable
        A function of a module that needs no models; its process has read no settings but the limits of study files.
    source, target : file
        Real files: what is read, and what may be written to. They are at their beginnings, there and afterwards.
    classes : sequence of type
        What may be in the result beside plain values, and the exceptions that are raised here as they were there.
    arguments
        Values that JSON can hold.

    Raises
    ------
    Exceeded
        Where a limit was reached, or the process ended without a result.
    """
    limits = limits or Limits()
    request = {
        "reader": [reader.__module__, reader.__qualname__],
        "arguments": arguments,
        "raised": [[named.__module__, named.__qualname__] for named in classes if issubclass(named, Exception)],
        "memory": limits.memory,
        "seconds": limits.seconds,
        "clock": CLOCK * limits.seconds,
        "written": limits.written,
        "language": translation.get_language() or settings.LANGUAGE_CODE,
        "file_limits": getattr(settings, "STUDY_FILE_LIMITS", {}),
    }
    source.seek(0)
    try:
        with turn():
            answer = _answered(json.dumps(request).encode(), source, target, limits)
    except Busy as error:
        raise Exceeded(Reason.OWN if error.is_own else Reason.BUSY) from None
    finally:
        source.seek(0)
        if target is not None:
            target.seek(0)
    return _result(answer, request["reader"], limits, classes)  # type: ignore[no-any-return]


def _result(answer: bytes, name: Any, limits: Limits, classes: Sequence[type]) -> Any:
    """Return the value of an answer, or raise the exception in it."""
    kind, content = answer[1:2], answer[2 : -TRAILER.size]
    mark, status, memory, milliseconds = TRAILER.unpack(answer[-TRAILER.size :])
    if mark != MARK:
        log.warning("The keeper of a reader ended before it: %s", ".".join(name))
        raise Exceeded(Reason.CRASH)
    if status == 0 and kind in (VALUE, REFUSAL):
        value = _Plain(content, classes).load()
        if kind == REFUSAL:
            raise value
        return value
    reason = Reason.CRASH
    if kind == NO_MEMORY or memory * 1024 >= limits.memory:
        reason = Reason.MEMORY
    elif os.WIFSIGNALED(status):
        reason = _OUT_OF_TIME.get(os.WTERMSIG(status), Reason.CRASH)
    trace = content.decode(errors="replace") if kind == ERROR else ""
    log.warning(
        "A reader ended without a result: %s (%s, status %d, %d KiB, %d ms)%s",
        reason, ".".join(name), status, memory, milliseconds, f"\n{trace}" if trace else "",
    )  # fmt: skip
    raise Exceeded(reason)


_OUT_OF_TIME: Mapping[int, Reason] = {signal.SIGALRM: Reason.CLOCK, signal.SIGXCPU: Reason.TIME}


class _Plain(pickle.Unpickler):
    """Reads results: plain values, and the classes that the caller has named. Nothing else is looked up."""

    def __init__(self, content: bytes, classes: Sequence[type]) -> None:
        super().__init__(io.BytesIO(content))
        self._classes = {(allowed.__module__, allowed.__qualname__): allowed for allowed in classes}

    def find_class(self, module: str, name: str) -> Any:
        """Return a class that was named."""
        if (module, name) not in self._classes:
            raise pickle.UnpicklingError(f"{module}.{name} may not be in a result")
        return self._classes[module, name]


def _answered(request: bytes, source: IO[bytes], target: IO[bytes] | None, limits: Limits) -> bytes:
    """Return the bytes of an answer; a server that has ended meanwhile is started again."""
    for is_last in (False, True):
        try:
            return _ask(request, source, target, limits)
        except _Gone:
            _server.forget()
            if is_last:
                raise Exceeded(Reason.CRASH) from None
    raise AssertionError("the loop returns or raises")


def _ask(request: bytes, source: IO[bytes], target: IO[bytes] | None, limits: Limits) -> bytes:
    reading, writing = os.pipe()
    try:
        try:
            files = [writing, source.fileno(), *([target.fileno()] if target is not None else [])]
            _server.send(request, files)
        finally:
            os.close(writing)
        return _read(reading, limits)
    finally:
        # A reader that is still at work ends as soon as it writes, or by its limits.
        os.close(reading)


def is_readable(file: int, seconds: float) -> bool:
    """Return whether a file has something to read within so many seconds; unlike `select`, for any number of it."""
    poll = select.poll()
    poll.register(file, select.POLLIN)
    return bool(poll.poll(1000 * seconds))


def _read(pipe: int, limits: Limits) -> bytes:
    """Read an answer to its end. Raises Exceeded where it is too large or late, and _Gone where nobody answered."""
    answer = bytearray()
    until = time.monotonic() + CLOCK * limits.seconds + GRACE
    while True:
        left = until - time.monotonic()
        if left <= 0 or not is_readable(pipe, left):
            raise Exceeded(Reason.CLOCK)
        chunk = os.read(pipe, MIB)
        if not chunk:
            break
        answer += chunk
        if len(answer) > limits.returned:
            raise Exceeded(Reason.OUTPUT)
    if not answer:
        raise _Gone
    if len(answer) < len(BEGUN) + TRAILER.size:
        raise Exceeded(Reason.CRASH)
    return bytes(answer)


class _Server:
    """The process that readers are forked from, as a client sees it: started when it is needed, ends by itself.

    It is a program of its own, with one thread and no connection to anything: a process of the site has threads that
    may hold locks at the moment of a fork, and connections to the database that a child would share.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pid = 0
        self._socket: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def send(self, request: bytes, files: Sequence[int]) -> None:
        """Hand over a request with its files. Raises _Gone where the server has ended."""
        with self._lock:
            connection = self._connection()
            try:
                socket.send_fds(connection, [LENGTH.pack(len(request)) + request], list(files))
            except OSError as error:
                raise _Gone from error

    def forget(self) -> None:
        """Let go of a server that has ended, or have it end."""
        with self._lock:
            if self._socket is not None:
                self._socket.close()
                self._socket = None
            if self._process is not None:
                if self._pid == os.getpid():
                    self._process.wait(GRACE)
                self._process = None

    def _connection(self) -> socket.socket:
        if self._socket is None or self._pid != os.getpid():
            # After a fork, the server is the parent's.
            self._socket, theirs = socket.socketpair()
            self._pid = os.getpid()
            with theirs:
                self._process = subprocess.Popen(
                    [
                        sys.executable,
                        "-m",
                        "tasks_app.uploads.limited.server",
                        str(theirs.fileno()),
                        json.dumps(_i18n()),
                        str(IDLE),
                    ],
                    cwd=_ROOT,
                    env={name: os.environ[name] for name in _VARIABLES if name in os.environ},
                    pass_fds=[theirs.fileno()],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                )
                # It ends by itself, perhaps hours before the next file comes: somebody has to hear of it.
                threading.Thread(
                    target=self._process.wait, name=f"limited-server-{self._process.pid}", daemon=True
                ).start()
        return self._socket


def _i18n() -> Mapping[str, Any]:
    """Return the settings by which texts are translated."""
    return {
        "USE_I18N": settings.USE_I18N,
        "LANGUAGE_CODE": settings.LANGUAGE_CODE,
        "LOCALE_PATHS": [str(path) for path in settings.LOCALE_PATHS],
        "LANGUAGES": [[code, str(name)] for code, name in settings.LANGUAGES],
    }


_server = _Server()
atexit.register(_server.forget)
