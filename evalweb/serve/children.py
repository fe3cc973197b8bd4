"""The processes of `make run` beside the servers: web, worker and scheduler, and the loader that forks them."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import psutil

from evalweb.front.held_socket import NAME as SOCKET
from evalweb.local_services import VarFolder, processes
from evalweb.local_services.folder import BASE_DIR
from evalweb.serve.forks import Order
from evalweb.serve.loader import Loader

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
    celery = [*python, "celery", "-A"]
    return {
        "web": [*python, "gunicorn", "-c", "python:evalweb.gunicorn_conf", "evalweb.asgi"],
        "worker": [*celery, "evalweb", "worker", "-Q", "quick,analysis", "--without-gossip", "--without-mingle"],
        "scheduler": [*celery, "evalweb.beat", "beat", "--schedule", str(beat_schedule), "--pidfile="],
    }


def loader(var: VarFolder, environment: Mapping[str, str], *, port: socket.socket) -> Loader:
    """Return the process that loads the code for the others, not started. Its forks can serve on the socket `port`."""
    variables = os.environ | environment | {SOCKET: str(port.fileno())}
    return Loader(log=var.logs / "loader.log", environment=variables, port=port)


def children(
    var: VarFolder, environment: Mapping[str, str], *, port: socket.socket, loader: Loader | None
) -> list["Child"]:
    """Return the processes, none of them started. The web server accepts from the listening socket `port`."""
    own = {"worker": WORKER_ENVIRONMENT, "web": {SOCKET: str(port.fileno())}}
    return [
        Child(
            name,
            command,
            log=var.logs / f"{name}.log",
            environment=os.environ | environment,
            own=own.get(name, {}),
            port=port if name == "web" else None,
            loader=loader,
        )
        for name, command in commands(var.root / "beat-schedule").items()
    ]


class Child:
    """One process and those that it forks, which are a process group.

    With a socket, the forks go on serving on it where the process was killed, until it has been started again. It is
    forked from the loader where that one has loaded the code, and otherwise started by its command.
    """

    def __init__(
        self,
        name: str,
        command: list[str],
        *,
        log: Path,
        environment: Mapping[str, str],
        own: Mapping[str, str],
        port: socket.socket | None = None,
        loader: Loader | None = None,
    ) -> None:
        self.name, self.command, self.log, self.environment, self.own = name, command, log, environment, own
        self.port, self.loader = port, loader
        self.process: subprocess.Popen[bytes] | processes.Adopted | None = None

    def launch(self) -> None:
        """Start the process without waiting for it."""
        self.process = self._forked() or processes.start(
            self.command,
            log=self.log,
            dies_with=DIES_WITH[self.name],
            env={**self.environment, **self.own},
            cwd=BASE_DIR,
            keeps_open=[self.port.fileno()] if self.port else [],
        )

    def _forked(self) -> processes.Adopted | None:
        """Fork the process from the loader; None where that one cannot do so now."""
        if self.loader is None:
            return None
        order = Order(
            name=self.name,
            arguments=self.command[2:],  # behind `python -m`
            variables=dict(self.own),
            log=str(self.log),
            dies_with=int(DIES_WITH[self.name]),
            serves=self.port is not None,
        )
        return self.loader.fork(order)

    def end_leftovers(self) -> list[psutil.Process]:
        """Ask the forks of a process that has ended to stop their work, and return them.

        A worker's would compute beside those of the next one. The web server's may serve, see `stand_ins`.
        """
        if self.port is not None:
            return []
        leftovers = self._forks()
        processes.send(leftovers, signal.SIGTERM)
        return leftovers

    def stand_ins(self) -> list[psutil.Process]:
        """Return the forks of a process that has ended that go on serving on the socket."""
        return [] if self.port is None else self._forks()

    def has_taken_over(self) -> bool:
        """Return whether the process has forks that serve: it forks when it has loaded the code."""
        return self.process is not None and any(fork.pid != self.process.pid for fork in self._forks())

    def _forks(self) -> list[psutil.Process]:
        return processes.group_of(self.process.pid) if self.process else []


def stop(running: Sequence[Child | Loader], *, seconds: float = STOP_SECONDS) -> None:
    """End the processes and their forks side by side; kill those that run after `seconds`."""
    started = [child.process for child in running if child.process is not None]
    members = [member for process in started for member in processes.group_of(process.pid)]
    for process in started:
        process.terminate()
    _gone, alive = psutil.wait_procs(members, timeout=seconds)
    processes.send(alive, signal.SIGKILL)
    for process in started:
        process.wait()
