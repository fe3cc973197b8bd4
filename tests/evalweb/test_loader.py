"""The loader: processes that it forks, that they outlive it, and that they start without it as well."""

import ctypes
import os
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest

from evalweb.local_services import processes
from evalweb.serve.children import Child
from evalweb.serve.forks import LOADED, Order
from evalweb.serve.loader import Loader

# The program without what it loads, which takes seconds.
PROGRAM = "from evalweb.serve import forks; forks.load = lambda: None; forks.main(*map(int, forks.sys.argv[1:]))"
# The supervisor ends just before the fork is tied to its life.
ORPHANED = """
from evalweb.serve import forks
forks.load = lambda: None
forks.processes.tie_to_parent = lambda number: setattr(forks.os, "getppid", lambda: 1)
forks.main(*map(int, forks.sys.argv[1:]))
"""
TELLS = """
import os
from django.conf import settings
limits = settings.DATABASES["default"]["OPTIONS"]["options"]
print(os.getppid(), os.getpgid(0) == os.getpid(), os.environ["OWN"], "statement_timeout=900000" in limits, flush=True)
"""
WAITS = "import threading; print('waits', flush=True); threading.Event().wait()"

pytestmark = pytest.mark.skipif(not processes.can_adopt(), reason="no process adopts others on this system")


@pytest.fixture
def loader(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Loader]:
    """A loader that has started. This process adopts what it forks, as the supervisor does."""
    processes.adopt_orphans()
    with socket.socket() as port:
        loader = Loader(log=tmp_path / "loader.log", environment=os.environ, port=port)
        loader.command = (sys.executable, "-c", getattr(request, "param", PROGRAM))
        loader.launch()
        wait_until_ready(loader)
        yield loader
        loader.stop()
        assert loader.process is not None
        loader.process.wait()
    ctypes.CDLL(None).prctl(processes.PR_SET_CHILD_SUBREAPER, 0)


def wait_until_ready(loader: Loader) -> None:
    """Wait until the loader has loaded its code; the test fails where it ends before."""
    while not loader.is_ready():
        assert loader.process is not None
        assert loader.process.poll() is None, loader.log.read_text()
        Event().wait(0.05)


def order(tmp_path: Path, code: str) -> Order:
    """Return an order for a process that runs code: timeit is a module of the library that runs its argument once."""
    variables = {"OWN": "a variable of its own", "EVALWEB_STATEMENT_SECONDS": "900"}
    arguments = ["timeit", "-n1", "-r1", code]
    return Order("worker", arguments, variables, str(tmp_path / "worker.log"), int(signal.SIGKILL), serves=False)


def read_until(log: Path, word: str, process: processes.Adopted) -> str:
    """Return what a process has written once it contains a word; the test fails where it ends before."""
    while word not in (written := log.read_text() if log.exists() else ""):
        assert process.poll() is None, log.read_text()
        Event().wait(0.05)
    return written


def test_a_fork_is_a_child_of_the_supervisor_with_its_own_log_and_limits(loader: Loader, tmp_path: Path) -> None:
    process = loader.fork(order(tmp_path, TELLS))
    assert process is not None
    assert process.wait() == 0
    written = (tmp_path / "worker.log").read_text()
    assert written.startswith(f"{os.getpid()} True a variable of its own True\n"), written


def test_forks_outlive_the_loader_and_show_how_they_ended(loader: Loader, tmp_path: Path) -> None:
    process = loader.fork(order(tmp_path, WAITS))
    assert process is not None
    read_until(tmp_path / "worker.log", "waits", process)
    loader.stop()
    assert loader.process is not None
    loader.process.wait()
    assert loader.fork(order(tmp_path, WAITS)) is None
    assert process.poll() is None
    process.terminate()
    assert (process.wait(), process.poll()) == (-signal.SIGTERM, -signal.SIGTERM)
    loader.launch()
    wait_until_ready(loader)
    again = loader.fork(order(tmp_path, TELLS))
    assert again is not None
    assert again.wait() == 0


def test_a_fork_that_the_supervisor_has_not_heard_of_ends(tmp_path: Path) -> None:
    processes.adopt_orphans()
    ours, theirs = socket.socketpair()
    with ours, theirs, socket.socket() as port:
        numbers = [theirs.fileno(), port.fileno()]
        program = processes.start(
            [sys.executable, "-c", PROGRAM, *map(str, numbers)],
            log=tmp_path / "loader.log", dies_with=signal.SIGKILL, keeps_open=numbers, env=os.environ, cwd=os.getcwd(),
        )  # fmt: skip
        answers = ours.makefile("rb")
        assert answers.readline() == LOADED
        ours.sendall(order(tmp_path, TELLS).line())
        pid = int(answers.readline())
        ours.sendall(b"end\n")
        assert processes.Adopted(pid).wait() == 1
    assert not (tmp_path / "worker.log").exists()
    program.kill()
    program.wait()
    ctypes.CDLL(None).prctl(processes.PR_SET_CHILD_SUBREAPER, 0)


@pytest.mark.parametrize("loader", [ORPHANED], indirect=True)
def test_a_fork_whose_supervisor_ended_before_it_was_tied_to_it_ends(loader: Loader, tmp_path: Path) -> None:
    process = loader.fork(order(tmp_path, TELLS))
    assert process is not None
    assert process.wait() == 1
    assert not (tmp_path / "worker.log").exists()


def test_a_child_is_started_by_its_command_where_the_loader_does_not_run(tmp_path: Path) -> None:
    with socket.socket() as port:
        loader = Loader(log=tmp_path / "loader.log", environment=os.environ, port=port)
        child = Child(
            "worker", [sys.executable, "-m", "platform"],
            log=tmp_path / "worker.log", environment=os.environ, loader=loader,
        )  # fmt: skip
        child.launch()
        assert child.process is not None
        assert child.process.wait() == 0
    assert "Linux" in (tmp_path / "worker.log").read_text()
