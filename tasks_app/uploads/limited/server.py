"""The program that readers are forked from: `python -m tasks_app.uploads.limited.server SOCKET SETTINGS SECONDS`.

It waits for requests on a socket. For each it forks a keeper, which forks the reader, waits for its end and writes how
it ended. The program ends when nobody has asked and no reader has worked for so many seconds, or when whoever started
it has ended.
"""

from __future__ import annotations

import importlib
import json
import os
import pickle
import resource
import signal
import socket
import sys
import traceback
import types
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

import django
from django.conf import settings
from django.utils import translation

from tasks_app.uploads.limited import BEGUN, ERROR, LENGTH, MARK, MIB, NO_MEMORY, REFUSAL, TRAILER, VALUE, is_readable

# Packages whose own modules load all models, which takes seconds and 100 MiB. Readers need single modules of them.
PACKAGES = ("tasks_app.studyfile", "tasks_app.importing")
# Loaded before the first request.
READERS = ("tasks_app.importing.formats.plain", "tasks_app.studyfile.files.plain", "python_calamine")

# Memory beside that of a reader's own work: the interpreter and its libraries.
_BASE = 96 * MIB
# Further address space, which mapped files take.
_MAPPED = 1024 * MIB


def main() -> None:
    """Answer requests until nobody is there any more."""
    connection = socket.socket(fileno=int(sys.argv[1]))
    settings.configure(**json.loads(sys.argv[2]), INSTALLED_APPS=[], STUDY_FILE_LIMITS={})
    django.setup()
    for name in PACKAGES:
        package = types.ModuleType(name)
        package.__path__ = [str(Path(django_root(), *name.split(".")))]
        sys.modules[name] = package
    for name in READERS:
        importlib.import_module(name)
    signal.signal(signal.SIGCHLD, _forget_ended)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    seconds = float(sys.argv[3])
    while is_readable(connection.fileno(), seconds) or _has_keepers():
        if not is_readable(connection.fileno(), 0):
            continue
        request, files = _received(connection)
        if request is None:
            return
        if os.fork() == 0:
            connection.close()
            _keep(request, files)
        for file in files:
            os.close(file)


def _forget_ended(_signal: int, _frame: types.FrameType | None) -> None:
    """Let go of keepers that have ended."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _has_keepers() -> bool:
    """Return whether a keeper, and so a reader, is at work."""
    try:
        return os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None
    except ChildProcessError:
        return False


def django_root() -> Path:
    """Return the folder that holds the apps."""
    return Path(__file__).resolve().parents[3]


def _received(connection: socket.socket) -> tuple[dict[str, Any] | None, list[int]]:
    """Return the next request and its files: the pipe of its result, the source, and perhaps a target."""
    content, files, _flags, _address = socket.recv_fds(connection, MIB, 3)
    if not content:
        return None, files
    length = LENGTH.unpack(content[: LENGTH.size])[0]
    content = content[LENGTH.size :]
    while len(content) < length:
        more = connection.recv(length - len(content))
        if not more:
            return None, files
        content += more
    return json.loads(content), files


def _keep(request: dict[str, Any], files: list[int]) -> NoReturn:
    """Fork the reader, wait for it, and write how it ended behind its result."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    pipe = files[0]
    with suppress(OSError):
        os.write(pipe, BEGUN)
        reader = os.fork()
        if reader == 0:
            _read(request, files)
        _pid, status, used = os.wait4(reader, 0)
        milliseconds = round(1000 * (used.ru_utime + used.ru_stime))
        os.write(pipe, TRAILER.pack(MARK, status, used.ru_maxrss, milliseconds))
    os._exit(0)


def _read(request: dict[str, Any], files: list[int]) -> NoReturn:
    """Call the reader within its limits and write its result."""
    pipe, *others = files
    kind = ERROR
    try:
        _limit(request)
        settings.STUDY_FILE_LIMITS = request["file_limits"]
        translation.activate(request["language"])
        module, name = request["reader"]
        reader = getattr(importlib.import_module(module), name)
        raised = tuple(getattr(importlib.import_module(module), name) for module, name in request["raised"])
        streams = [os.fdopen(file, mode) for file, mode in zip(others, ("rb", "r+b"), strict=False)]
        streams += [None] * (2 - len(streams))  # type: ignore[list-item]
        try:
            value = reader(*streams, **request["arguments"])
            if streams[1] is not None:
                streams[1].flush()
            kind = VALUE
        except raised as refusal:
            kind, value = REFUSAL, refusal
        answer = kind + pickle.dumps(value)
    except MemoryError:
        answer = NO_MEMORY
    except BaseException as error:
        # Which line of ours failed; what the file held is in nobody's log.
        places = traceback.extract_tb(error.__traceback__)[-4:]
        words = [f"{Path(place.filename).name}:{place.lineno} {place.name}" for place in places]
        answer = ERROR + f"{type(error).__name__} in {' < '.join(reversed(words))}".encode()
    with suppress(OSError):
        while answer:
            answer = answer[os.write(pipe, answer) :]
    os._exit(0)


def _limit(request: dict[str, Any]) -> None:
    """Give this process its limits, which nothing in it can raise again."""
    memory, seconds = request["memory"] + _BASE, request["seconds"]
    for name, most in (
        ("RLIMIT_DATA", memory),
        ("RLIMIT_AS", memory + _MAPPED),
        ("RLIMIT_FSIZE", request["written"]),
        ("RLIMIT_CORE", 0),
    ):
        resource.setrlimit(getattr(resource, name), (most, most))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    # By the clock, wherever the process is at that moment: this signal ends it without Python's help.
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, request["clock"])
    # Raters' pages come first, and where the machine runs out of memory, this process is the one to go.
    os.nice(5)
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")
    # A library below Python may print where it aborts.
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 2)


if __name__ == "__main__":
    main()
