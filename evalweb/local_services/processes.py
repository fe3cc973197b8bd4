"""Starting and stopping child processes so that none outlives the one that started it."""

import ctypes
import errno
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path
from time import monotonic
from typing import TypedDict

import psutil

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
FULL_DISK = frozenset({errno.ENOSPC, errno.EDQUOT})


class ServiceError(Exception):
    """A private server or the folder it lives in cannot be used; the message tells the way to fix it."""


def sentence(problem: OSError) -> str:
    """Return an error of the system, with its file, as a sentence for people."""
    where = f" ({problem.filename})" if problem.filename else ""
    if problem.errno in FULL_DISK:
        return f"The disk is full{where}. Make room and try again."
    return f"{problem.strerror or problem}{where}."


def package_folder(name: str) -> Path:
    """Return the folder of an installed package, without importing it; ServiceError where it is missing."""
    spec = find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise ServiceError(f"The package {name} is missing. `make run` installs it; else see requirements.txt.")
    return Path(spec.submodule_search_locations[0])


class Account(TypedDict, total=False):
    """Popen's arguments for running under another account; empty for the caller's own."""

    user: int
    group: int
    extra_groups: list[int]


class Mark(TypedDict):
    """Identifies a process even if its pid is reused later."""

    pid: int
    created: float


def mark_of(pid: int) -> Mark | None:
    """Return the mark of a living process, None if no process has that pid."""
    try:
        return Mark(pid=pid, created=psutil.Process(pid).create_time())
    except psutil.NoSuchProcess:
        return None


def still_alive(mark: Mark) -> psutil.Process | None:
    """Return the process of a mark, or None if it has ended."""
    try:
        process = psutil.Process(mark["pid"])
        return process if abs(process.create_time() - mark["created"]) < 1 else None
    except psutil.NoSuchProcess:
        return None


def end_leftovers(marks: Iterable[Mark], *, seconds: float = 10) -> int:
    """End the leftovers of a killed run, children included, and return the number of processes."""
    leftovers: list[psutil.Process] = []
    for mark in marks:
        if (process := still_alive(mark)) is not None:
            leftovers += [process, *process.children(recursive=True)]
    send(leftovers, signal.SIGTERM)
    _gone, alive = psutil.wait_procs(leftovers, timeout=seconds)
    send(alive, signal.SIGKILL)
    psutil.wait_procs(alive, timeout=seconds)
    return len(leftovers)


def send(processes: Iterable[psutil.Process], number: signal.Signals) -> None:
    """Send a signal to those of the processes that still run."""
    for process in processes:
        try:
            process.send_signal(number)
        except psutil.NoSuchProcess:
            continue


def group_of(leader: int) -> list[psutil.Process]:
    """Return the processes in the group of a process that `start` has started, also where that one has ended."""
    members = []
    for process in psutil.process_iter():
        try:
            if os.getpgid(process.pid) == leader:
                members.append(process)
        except ProcessLookupError:
            continue
    return members


def start(
    command: list[str],
    *,
    log: Path,
    dies_with: signal.Signals,
    stdin: bytes | None = None,
    env: Mapping[str, str] | None = None,
    cwd: Path | str = "/",
    account: Account | None = None,
    keeps_open: Collection[int] = (),
) -> subprocess.Popen[bytes]:
    """Start a program with output to `log`, in a session of its own so that Ctrl-C does not reach it.

    Where the system can (Linux), it gets the signal `dies_with` when the calling thread ends, however that happens.
    The files of `keeps_open` are open in the program under the same numbers.
    """
    with log.open("ab") as output:
        process: subprocess.Popen[bytes] = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            cwd=cwd,
            env=None if env is None else dict(env),
            preexec_fn=tied_to_parent(dies_with),  # noqa: PLW1509  one system call
            pass_fds=tuple(keeps_open),
            **(account or Account()),
        )
    if process.stdin is not None:
        process.stdin.write(stdin or b"")
        process.stdin.close()
    return process


def tied_to_parent(number: signal.Signals) -> Callable[[], None] | None:
    """Return Popen's `preexec_fn` that has the system send `number` to the child when this process ends."""
    if not sys.platform.startswith("linux"):
        return None
    prctl, parent = ctypes.CDLL(None).prctl, os.getpid()

    def tie() -> None:
        prctl(PR_SET_PDEATHSIG, int(number))
        if os.getppid() != parent:  # it ended before the tie was made
            os._exit(1)

    return tie


def tie_to_parent(number: signal.Signals) -> None:
    """Have the system send `number` to this process when its parent ends, where the system can (Linux)."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(number))


def can_adopt() -> bool:
    """Return whether the system lets `adopt_orphans` do so."""
    return sys.platform.startswith("linux")


def adopt_orphans() -> None:
    """Become the parent of processes that lose their own parent below this one, on systems that can (Linux)."""
    if can_adopt():
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)


class Adopted:
    """A child that this process has adopted, with the methods of `subprocess.Popen` that supervising needs."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Return the exit code, negative after a signal, or None while the process runs."""
        return self._wait(os.WNOHANG)

    def wait(self) -> int:
        """Wait for the end of the process, and return its exit code."""
        code = self._wait(0)
        assert code is not None
        return code

    def terminate(self) -> None:
        """Send SIGTERM to the process, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, signal.SIGTERM)

    def _wait(self, options: int) -> int | None:
        if self.returncode is None:
            try:
                pid, status = os.waitpid(self.pid, options)
            except ChildProcessError:  # somebody else has waited for it, and has its code
                self.returncode = 0
            else:
                self.returncode = os.waitstatus_to_exitcode(status) if pid else None
        return self.returncode


def forget_orphans(started: Collection[int]) -> None:
    """Let adopted processes that have ended disappear; those of `started` are waited for by who started them."""
    for child in psutil.Process().children():
        try:
            if child.pid not in started and child.status() == psutil.STATUS_ZOMBIE:
                os.waitpid(child.pid, os.WNOHANG)
        except (psutil.NoSuchProcess, ChildProcessError):
            continue


def wait_until(
    ready: Callable[[], bool], process: subprocess.Popen[bytes], *, name: str, log: Path, seconds: float = 60
) -> None:
    """Wait until `ready()`; ServiceError with the end of the log where the process ends or takes too long."""
    deadline = monotonic() + seconds
    while not ready():
        try:
            process.wait(timeout=0.05)
        except subprocess.TimeoutExpired:
            if monotonic() < deadline:
                continue
        raise ServiceError(f"{name} did not start. The end of {log}:\n{tail(log)}")


def stop(process: subprocess.Popen[bytes], number: signal.Signals, *, seconds: float = 30) -> bool:
    """End a process by a signal, by force after `seconds`. Return whether it ended by itself with code 0."""
    if process.poll() is None:
        process.send_signal(number)
    try:
        return process.wait(timeout=seconds) == 0
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return False


def tail(log: Path, lines: int = 12) -> str:
    """Return the last lines of a log, or why it cannot be read."""
    try:
        text = log.read_text(errors="replace")
    except OSError as problem:
        return f"({problem})"
    return "\n".join(text.splitlines()[-lines:])
