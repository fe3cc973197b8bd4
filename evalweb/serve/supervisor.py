"""Keep services running: note a service that has ended, with its reason, and start it again after a growing delay."""

import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from subprocess import SubprocessError
from time import monotonic
from typing import Protocol

import psutil

from evalweb.local_services import ServiceError
from evalweb.local_services.processes import send, tail

# A process that was killed is back at once; one that cannot run, as on a full disk, is tried four times a minute.
FIRST_DELAY, LONGEST_DELAY = 0.5, 15.0
# A service that has run this long has started well: the delay begins anew at its next end.
STEADY_SECONDS = 60.0
# Seconds between two rounds of upkeep while nothing happens.
UPKEEP_SECONDS = 5.0
# Seconds between two looks while stand-ins wait for their successor.
RELIEF_SECONDS = 0.5
# Longest wait for killed processes to end before their service is started again.
KILL_SECONDS = 5.0
# Longest time for which a stand-in may finish its requests once its successor serves.
STAND_IN_SECONDS = 20.0


class Process(Protocol):
    """A child of this process, such as `subprocess.Popen` or `processes.Adopted`."""

    pid: int

    def poll(self) -> int | None:
        """Return the exit code, negative after a signal, or None while it runs."""


class Service(Protocol):
    """A program that is kept running."""

    name: str
    log: Path

    @property
    def process(self) -> Process | None:
        """The process that was launched last; None before."""

    def launch(self) -> None:
        """Start the program without waiting for it; OSError or ServiceError where that fails."""

    def end_leftovers(self) -> list[psutil.Process]:
        """Ask the processes that the program left behind when it ended to end as well, and return them."""

    def stand_ins(self) -> list[psutil.Process]:
        """Return the processes that the program left behind and that do its work until `has_taken_over`."""

    def has_taken_over(self) -> bool:
        """Return whether the restarted program does the work of its stand-ins."""


@dataclass
class Watch:
    """State of a service, kept by the supervisor."""

    service: Service
    launched: float
    failures: int = 0
    due: float | None = None  # when to start it again; None while it runs
    leftovers: list[psutil.Process] = field(default_factory=list)
    stand_ins: list[psutil.Process] = field(default_factory=list)
    stand_ins_until: float | None = None  # when to kill those that were asked to end


class Supervisor:
    """Watches services that have been launched.

    `say` takes each message. `upkeep` is called after every look, at least every five seconds, and may raise OSError,
    as on a full disk; it is then called again.
    """

    def __init__(
        self,
        services: Sequence[Service],
        *,
        say: Callable[[str], None],
        upkeep: Callable[[], None],
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self.say, self.upkeep, self.clock = say, upkeep, clock
        self.watches = [Watch(service, launched=clock()) for service in services]
        self._upkeep_problem = ""

    def run(self, signals: "SimpleQueue[int]") -> None:
        """Keep the services running until one of the queued signals is another than SIGCHLD."""
        while True:
            self.check()
            due = self.seconds_until_due()
            longest = RELIEF_SECONDS if self.is_relieving() else UPKEEP_SECONDS
            wait = longest if due is None else min(due, longest)
            try:
                if signals.get(timeout=wait) != signal.SIGCHLD:
                    return
            except Empty:
                continue

    def check(self) -> None:
        """Note processes that have ended, start services that are due, and do the upkeep."""
        for watch in self.watches:
            if watch.due is None and (reason := _end_of(watch.service)) is not None:
                self._note_end(watch, reason)
            if watch.due is not None and watch.due <= self.clock():
                self._launch(watch)
            if watch.stand_ins and watch.due is None:
                self._relieve(watch)
        self._do_upkeep()

    def is_relieving(self) -> bool:
        """Return whether stand-ins of a service that runs again have yet to end."""
        return any(watch.stand_ins and watch.due is None for watch in self.watches)

    def stand_ins(self) -> list[psutil.Process]:
        """Return the processes that stand in for a service, or did and have not ended."""
        return [process for watch in self.watches for process in watch.stand_ins]

    def seconds_until_due(self) -> float | None:
        """Return in how many seconds the next service is to be started; None where all of them run."""
        due = [watch.due - self.clock() for watch in self.watches if watch.due is not None]
        return max(0.0, min(due)) if due else None

    def _note_end(self, watch: Watch, reason: str) -> None:
        if self.clock() - watch.launched >= STEADY_SECONDS:
            watch.failures = 0
        watch.leftovers = watch.service.end_leftovers()
        watch.stand_ins += watch.service.stand_ins()
        watch.stand_ins_until = None
        self._postpone(watch, reason, log=watch.service.log)

    def _launch(self, watch: Watch) -> None:
        processes_left = [process for process in watch.leftovers if process.is_running()]
        send(processes_left, signal.SIGKILL)
        psutil.wait_procs(processes_left, timeout=KILL_SECONDS)
        watch.leftovers, watch.launched = [], self.clock()
        try:
            watch.service.launch()
        except (OSError, ServiceError, SubprocessError) as problem:
            self._postpone(watch, f"cannot be started: {problem}")
            return
        watch.due = None
        self.say(f"{watch.service.name}: started again")

    def _relieve(self, watch: Watch) -> None:
        """Ask stand-ins to end once the service does its work again; kill those that do not."""
        watch.stand_ins = [process for process in watch.stand_ins if _runs(process)]
        if watch.stand_ins_until is None:
            if watch.service.has_taken_over():
                send(watch.stand_ins, signal.SIGTERM)
                watch.stand_ins_until = self.clock() + STAND_IN_SECONDS
        elif watch.stand_ins_until <= self.clock():
            send(watch.stand_ins, signal.SIGKILL)

    def _postpone(self, watch: Watch, event: str, *, log: Path | None = None) -> None:
        """Report the event, with the end of the log if it is new, and when the service is started again."""
        delay = min(FIRST_DELAY * 2**watch.failures, LONGEST_DELAY)
        watch.failures += 1
        watch.due = self.clock() + delay
        in_a_row = f" ({watch.failures} times in a row)" if watch.failures > 1 else ""
        lines = f" The end of {log}:\n{tail(log)}" if log is not None and not in_a_row else ""
        self.say(f"{watch.service.name}: {event}{in_a_row}. Starting it again in {delay:g} s.{lines}")

    def _do_upkeep(self) -> None:
        try:
            self.upkeep()
        except OSError as problem:
            if str(problem) != self._upkeep_problem:  # one sentence about a full disk, not one every five seconds
                self.say(f"Upkeep failed and is tried again every {UPKEEP_SECONDS:g} s: {problem}")
            self._upkeep_problem = str(problem)
        else:
            self._upkeep_problem = ""


def _runs(process: psutil.Process) -> bool:
    """Return whether a process has not ended; one that was adopted stays in the system's list for a while."""
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def _end_of(service: Service) -> str | None:
    """Return the exit of a service, None while it runs."""
    code = None if service.process is None else service.process.poll()
    if code is None:
        return None
    if code >= 0:
        return f"ended with exit code {code}"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:  # real-time signals have no names
        return f"killed by signal {-code}"
