"""The supervisor: what it starts again, when, what it says, and that a full disk does not end it."""

import errno
import os
import signal
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from threading import Event
from typing import Any
from unittest.mock import patch

import psutil
import pytest

from evalweb.local_services import ServiceError, VarFolder
from evalweb.serve import announcement, log_files, messages
from evalweb.serve.log_files import rotate
from evalweb.serve.messages import Messages
from evalweb.serve.supervisor import FIRST_DELAY, LONGEST_DELAY, STAND_IN_SECONDS, STEADY_SECONDS, Supervisor


class Process:
    """A process that ends when a test says so."""

    def __init__(self) -> None:
        self.code: int | None = None

    def poll(self) -> int | None:
        return self.code


class Leftover:
    """A process that another one has left behind, and that does not end when it is asked to."""

    pid = 0

    def __init__(self) -> None:
        self.signals: list[int] = []

    def status(self) -> str:
        return psutil.STATUS_RUNNING

    def is_running(self) -> bool:
        return signal.SIGKILL not in self.signals

    def send_signal(self, number: int) -> None:
        self.signals.append(number)

    def wait(self, timeout: float | None = None) -> int:
        return 0


@dataclass
class Program:
    """A service without a program behind it."""

    log: Path
    name: str = "worker"
    problems: list[Exception] = field(default_factory=list)
    process: Any = None
    launches: int = 0
    leftovers: list[Any] = field(default_factory=list)
    forks: list[Any] = field(default_factory=list)
    serves: bool = True

    def launch(self) -> None:
        self.launches += 1
        if self.problems:
            raise self.problems.pop(0)
        self.process = Process()

    def end_leftovers(self) -> list[psutil.Process]:
        return self.leftovers

    def stand_ins(self) -> list[psutil.Process]:
        return self.forks

    def has_taken_over(self) -> bool:
        return self.serves

    def end(self, code: int) -> None:
        self.process.code = code


class Watched:
    """A supervisor of one program, whose clock a test moves on."""

    def __init__(self, program: Program) -> None:
        self.now = 1000.0
        self.said: list[str] = []
        self.problem: OSError | None = None
        self.program = program
        program.launch()
        self.supervisor = Supervisor([program], say=self.said.append, upkeep=self.upkeep, clock=lambda: self.now)

    def upkeep(self) -> None:
        if self.problem:
            raise self.problem

    def after(self, seconds: float) -> int:
        """Let time pass and return how often the program has been started so far."""
        self.now += seconds
        self.supervisor.check()
        return self.program.launches


@pytest.fixture
def watched(tmp_path: Path) -> Watched:
    log = tmp_path / "worker.log"
    log.write_text("the first line\nwhat it wrote last\n")
    return Watched(Program(log))


def test_what_runs_is_left_alone(watched: Watched) -> None:
    assert [watched.after(1000) for _look in range(3)] == [1, 1, 1]
    assert watched.said == []


def test_what_was_killed_is_started_again_and_the_reason_is_said_with_the_log(watched: Watched) -> None:
    watched.program.end(-signal.SIGKILL)
    assert watched.after(0) == 1
    (line,) = watched.said
    assert line.startswith("worker: killed by SIGKILL. Starting it again in 0.5 s. The end of ")
    assert line.endswith("the first line\nwhat it wrote last")
    assert watched.after(FIRST_DELAY) == 2
    assert watched.said[1:] == ["worker: started again"]
    assert watched.after(1) == 2


def test_what_ends_again_and_again_waits_longer_each_time_up_to_a_limit(watched: Watched) -> None:
    delays = []
    for _end in range(9):
        watched.program.end(1)
        before = watched.after(0)
        delays.append(watched.supervisor.seconds_until_due())
        assert watched.after(delays[-1] - 0.01) == before
        assert watched.after(0.01) == before + 1
    assert delays == pytest.approx([0.5, 1, 2, 4, 8, 15, 15, 15, 15])
    assert delays[-1] == LONGEST_DELAY
    ends = [line for line in watched.said if "ended" in line]
    assert ends[8] == "worker: ended with exit code 1 (9 times in a row). Starting it again in 15 s."


def test_after_a_minute_of_work_the_next_end_counts_as_the_first(watched: Watched) -> None:
    for _end in range(4):
        watched.program.end(1)
        watched.after(0)
        watched.after(LONGEST_DELAY)
    watched.after(STEADY_SECONDS)
    watched.program.end(1)
    watched.after(0)
    assert "Starting it again in 0.5 s. The end of" in watched.said[-1]


@pytest.mark.parametrize("problem", [OSError(errno.ENOSPC, "No space left on device"), ServiceError("No such data")])
def test_what_cannot_be_started_is_tried_until_it_can(watched: Watched, problem: Exception) -> None:
    watched.program.problems = [problem] * 5
    watched.program.end(1)
    watched.after(0)
    for started in range(2, 7):
        assert watched.after(LONGEST_DELAY) == started
        assert str(problem) in watched.said[-1]
    assert watched.after(LONGEST_DELAY) == 7
    assert watched.said[-1] == "worker: started again"


def test_what_a_killed_process_left_behind_has_ended_before_it_is_started_again(watched: Watched) -> None:
    slow, quick = Leftover(), Leftover()
    watched.program.leftovers = [slow, quick]
    watched.program.end(-signal.SIGKILL)
    watched.after(0)
    assert slow.signals == []  # it may end what it does
    quick.signals.append(signal.SIGKILL)  # it has ended
    watched.after(FIRST_DELAY)
    assert (slow.signals, quick.signals) == ([signal.SIGKILL], [signal.SIGKILL])


def test_what_serves_on_is_asked_to_end_when_its_successor_serves_and_killed_if_it_does_not(watched: Watched) -> None:
    fork = Leftover()
    watched.program.forks, watched.program.serves = [fork], False
    watched.program.end(-signal.SIGKILL)
    watched.after(0)
    watched.after(FIRST_DELAY)
    watched.after(STAND_IN_SECONDS)
    assert fork.signals == []
    assert watched.supervisor.stand_ins() == [fork]
    watched.program.serves = True
    watched.after(1)
    assert fork.signals == [signal.SIGTERM]
    watched.after(STAND_IN_SECONDS)
    assert fork.signals == [signal.SIGTERM, signal.SIGKILL]
    watched.after(1)
    assert watched.supervisor.stand_ins() == []


def test_what_serves_on_does_so_while_its_successor_ends_again(watched: Watched) -> None:
    first, second = Leftover(), Leftover()
    watched.program.forks, watched.program.serves = [first], False
    watched.program.end(-signal.SIGKILL)
    watched.after(0)
    watched.after(FIRST_DELAY)
    watched.program.forks = [second]
    watched.program.end(1)
    watched.after(0)
    watched.after(LONGEST_DELAY)
    assert (first.signals, second.signals) == ([], [])
    watched.program.serves = True
    watched.after(1)
    assert (first.signals, second.signals) == ([signal.SIGTERM], [signal.SIGTERM])


def test_a_full_disk_keeps_upkeep_waiting_and_nothing_else(watched: Watched) -> None:
    watched.problem = OSError(errno.ENOSPC, "No space left on device")
    for _look in range(5):
        watched.after(5)
    assert len(watched.said) == 1
    assert "No space left on device" in watched.said[0]
    watched.program.end(1)
    watched.after(0)
    assert watched.after(FIRST_DELAY) == 2
    watched.problem = None
    watched.after(5)
    watched.problem = OSError(errno.ENOSPC, "No space left on device")
    watched.after(5)
    assert "No space left on device" in watched.said[-1]


def test_a_signal_ends_the_watch_and_the_end_of_a_child_does_not(watched: Watched) -> None:
    signals: SimpleQueue[int] = SimpleQueue()
    for number in (signal.SIGCHLD, signal.SIGCHLD, signal.SIGTERM, signal.SIGCHLD):
        signals.put(number)
    watched.supervisor.run(signals)
    assert signals.qsize() == 1


def full_disk(file: int, data: bytes) -> int:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_messages_survive_a_full_disk_and_a_closed_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    said = Messages()
    said.log = tmp_path / "supervisor.log"
    said.say("before")
    with monkeypatch.context() as full:
        full.setattr(messages, "_write_all", full_disk)
        said.say("lost")
        said.say("lost too")
    said.say("after")
    said.say("later")
    lines = [line.partition(" UTC ")[2] for line in said.log.read_text().splitlines()]
    assert lines == ["before", "", "2 messages could not be written here", "after", "later"]
    assert capfd.readouterr().out == "before\nafter\nlater\n"

    read, write = os.pipe()
    os.close(read)  # as a terminal that was closed
    monkeypatch.setattr(messages, "STDOUT", write)
    said.say("nobody watches")
    os.close(write)
    assert said.log.read_text().endswith(" UTC nobody watches\n")


def test_a_password_is_shown_and_not_logged(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    messages_of_ours = Messages()
    messages_of_ours.log = tmp_path / "supervisor.log"
    report = {"login": "researcher", "password_valid": True}
    with patch.object(announcement, "readiness", return_value=None):
        announcement.announce(
            "http://x", VarFolder(tmp_path), report, password="the password", ended=Event(), show=messages_of_ours.show
        )
    assert "researcher  password the password" in capfd.readouterr().out
    assert not messages_of_ours.log.exists()


@pytest.fixture
def small_logs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_files, "LOG_BYTES", 10)


@pytest.mark.usefixtures("small_logs")
def test_a_large_log_is_moved_aside_while_its_program_goes_on_writing(tmp_path: Path) -> None:
    log = tmp_path / "postgres.log"
    with log.open("ab", buffering=0) as program:
        for number in range(1, 6):
            program.write(b"line %d\n" % number)
            assert not rotate(log)
            program.write(b"and more\n")
            assert rotate(log)
        program.write(b"the last\n")
    assert log.read_text() == "the last\n"
    assert [(tmp_path / f"postgres.log.{number}").read_text() for number in (1, 2, 3)] == [
        "line 5\nand more\n",
        "line 4\nand more\n",
        "line 3\nand more\n",
    ]
    assert len(list(tmp_path.iterdir())) == 4


@pytest.mark.usefixtures("small_logs")
def test_a_full_disk_leaves_a_large_log_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "postgres.log"
    log.write_text("a long line\n")
    monkeypatch.setattr(log_files.shutil, "copyfileobj", full_disk)
    with pytest.raises(OSError, match="No space left"):
        rotate(log)
    assert [path.name for path in tmp_path.iterdir()] == ["postgres.log"]
    assert log.read_text() == "a long line\n"


def test_a_log_that_is_not_there_yet_is_no_problem(tmp_path: Path) -> None:
    assert not rotate(tmp_path / "valkey.log")
