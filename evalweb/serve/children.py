"""The processes of `make run` beside the servers: web, worker and scheduler."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import psutil

from evalweb.local_services import VarFolder, processes
from evalweb.local_services.folder import BASE_DIR

# A worker may be writing a result; gunicorn gives requests ten seconds.
STOP_SECONDS = 20
# Jobs scan whole tables, pages do not.
WORKER_ENVIRONMENT = {"EVALWEB_STATEMENT_SECONDS": "900"}
# The signal that each gets when the supervisor was killed. The private servers end at that moment as well, and Celery
# takes no signal but this one while it tries to reach its broker. Its jobs are given out again.
DIES_WITH = {"web": signal.SIGTERM, "worker": signal.SIGKILL, "scheduler": signal.SIGKILL}


def commands(beat_schedule: Path) -> dict[str, list[str]]:
    """Return the command line of each process; docker-compose.yml runs the same ones."""
    python = [sys.executable, "-m"]
    celery = [*python, "celery", "-A", "evalweb"]
    return {
        "web": [*python, "gunicorn", "-c", "python:evalweb.gunicorn_conf", "evalweb.asgi"],
        "worker": [*celery, "worker", "-Q", "quick,analysis", "--without-gossip", "--without-mingle"],
        "scheduler": [*celery, "beat", "--schedule", str(beat_schedule), "--pidfile="],
    }


def children(var: VarFolder, environment: Mapping[str, str]) -> list["Child"]:
    """Return the processes, none of them started."""
    return [
        Child(
            name,
            command,
            log=var.logs / f"{name}.log",
            environment=os.environ | environment | (WORKER_ENVIRONMENT if name == "worker" else {}),
        )
        for name, command in commands(var.root / "beat-schedule").items()
    ]


class Child:
    """One process and those that it forks, which are a process group."""

    def __init__(self, name: str, command: list[str], *, log: Path, environment: Mapping[str, str]) -> None:
        self.name, self.command, self.log, self.environment = name, command, log, environment
        self.process: subprocess.Popen[bytes] | None = None

    def launch(self) -> None:
        """Start the process without waiting for it."""
        self.process = processes.start(
            self.command,
            log=self.log,
            dies_with=DIES_WITH[self.name],
            env=self.environment,
            cwd=BASE_DIR,
        )

    def end_leftovers(self) -> list[psutil.Process]:
        """Ask the forks of a process that has ended to end what they are doing, and return them.

        The web server's keep the port, and a worker's would compute beside those of the next one.
        """
        leftovers = processes.group_of(self.process.pid) if self.process else []
        processes.send(leftovers, signal.SIGTERM)
        return leftovers


def stop(running: Sequence[Child], *, seconds: float = STOP_SECONDS) -> None:
    """End the processes and their forks side by side, by force what has not ended after `seconds`."""
    started = [child.process for child in running if child.process is not None]
    members = [member for process in started for member in processes.group_of(process.pid)]
    for process in started:
        process.terminate()
    _gone, alive = psutil.wait_procs(members, timeout=seconds)
    processes.send(alive, signal.SIGKILL)
    for process in started:
        process.wait()
