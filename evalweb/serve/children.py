"""The processes of `make run`: web, worker and scheduler, run side by side by honcho."""

import os
import re
import shlex
import sys
from collections.abc import Callable
from logging import Formatter, LogRecord, makeLogRecord
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any

import honcho.manager
from honcho.manager import SYSTEM_PRINTER_NAME, Manager

from evalweb.local_services import VarFolder
from evalweb.local_services.folder import BASE_DIR
from evalweb.local_services.processes import mark_of, tail

# A worker may be writing a result; gunicorn gives requests ten seconds.
STOP_SECONDS = 20
# Jobs scan whole tables, pages do not.
WORKER_ENVIRONMENT = {"EVALWEB_STATEMENT_SECONDS": "900"}
LOG_BYTES, LOG_FILES = 5_000_000, 3

_STARTED = re.compile(r"(\w+) started \(pid=(\d+)\)")
_STOPPED = re.compile(r"(\w+) stopped \(rc=(-?\d+)\)")


def commands(beat_schedule: Path) -> dict[str, list[str]]:
    """Return the command line of each process; docker-compose.yml runs the same ones."""
    python = [sys.executable, "-m"]
    celery = [*python, "celery", "-A", "evalweb"]
    return {
        "web": [*python, "gunicorn", "-c", "python:evalweb.gunicorn_conf", "evalweb.wsgi"],
        "worker": [*celery, "worker", "-Q", "quick,analysis", "--without-gossip", "--without-mingle"],
        "scheduler": [*celery, "beat", "--schedule", str(beat_schedule), "--pidfile="],
    }


def run(var: VarFolder, environment: dict[str, str], when_started: Callable[[], None]) -> str | None:
    """Run the processes until a signal or until one of them ends; then end all of them.

    Calls `when_started` once all have been started. Returns None after a signal, else a sentence that says which
    process ended and what it wrote last.
    """
    honcho.manager.KILL_WAIT = STOP_SECONDS
    printer = ProcessLogs(var, when_started)
    manager = Manager(printer)
    for name, command in commands(var.root / "beat-schedule").items():
        extra = WORKER_ENVIRONMENT if name == "worker" else {}
        line = f"exec {shlex.join(command)}"
        manager.add_process(name, line, env=os.environ | environment | extra, cwd=str(BASE_DIR))
        printer.expect(name)
    manager.loop()
    printer.close()
    by_signal = manager.returncode in {info["rc"] for info in honcho.manager.SIGNALS.values()}
    return None if by_signal or printer.first_stopped is None else printer.obituary()


class ProcessLogs:
    """What honcho prints to: each process into a log file of its own; their comings and goings are noted."""

    def __init__(self, var: VarFolder, when_started: Callable[[], None]) -> None:
        self.var, self.when_started = var, when_started
        self.width = 0  # honcho sets it
        self.first_stopped: tuple[str, int] | None = None
        self._waiting: set[str] = set()
        self._files: dict[str, RotatingFileHandler] = {}

    def expect(self, name: str) -> None:
        """Open the log of a process that is about to start."""
        handler = RotatingFileHandler(self.path(name), maxBytes=LOG_BYTES, backupCount=LOG_FILES, encoding="utf-8")
        handler.setFormatter(Formatter("%(message)s"))
        self._files[name] = handler
        self._waiting.add(name)

    def path(self, name: str) -> Path:
        """Return where the log of a process is."""
        return self.var.logs / f"{name}.log"

    def write(self, message: Any) -> None:
        """Take one message of honcho's: a line of a process, or a line about one."""
        text = message.data.decode("utf-8", "replace") if isinstance(message.data, bytes) else message.data
        if message.name == SYSTEM_PRINTER_NAME:
            self._note(text)
        else:
            self._files[message.name].emit(_record(text.rstrip("\n")))

    def obituary(self) -> str:
        """Say which process ended by itself, and what it wrote last."""
        name, code = self.first_stopped or ("nothing", 0)
        return (
            f"The {name} process ended by itself (code {code}). The end of {self.path(name)}:\n{tail(self.path(name))}"
        )

    def close(self) -> None:
        """Close the logs."""
        for handler in self._files.values():
            handler.close()

    def _note(self, line: str) -> None:
        if started := _STARTED.match(line):
            if (mark := mark_of(int(started[2]))) is not None:
                self.var.add_child(mark)
            self._waiting.discard(started[1])
            if not self._waiting:
                self.when_started()
        elif (stopped := _STOPPED.match(line)) and self.first_stopped is None:
            self.first_stopped = stopped[1], int(stopped[2])


def _record(text: str) -> LogRecord:
    return makeLogRecord({"msg": text})
