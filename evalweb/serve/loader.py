"""The process that has loaded the code, from which web server, worker and scheduler are forked."""

import select
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import psutil

from evalweb.local_services import processes
from evalweb.local_services.folder import BASE_DIR
from evalweb.serve.forks import BEGIN, LOADED, Order

# Longest wait for an answer of the loader, which takes some ms.
ANSWER_SECONDS = 10


class Loader:
    """Loads the code once and forks processes, which share its memory. None of them needs it once it runs."""

    name = "loader"
    command = (sys.executable, "-m", "evalweb.serve.forks")

    def __init__(self, *, log: Path, environment: Mapping[str, str], port: socket.socket) -> None:
        self.log, self.environment, self.port = log, environment, port
        self.process: subprocess.Popen[bytes] | None = None
        self._channel: socket.socket | None = None
        self._has_loaded = False

    def launch(self) -> None:
        """Start the process without waiting for it."""
        self._hang_up()
        self._channel, theirs = socket.socketpair()
        self._channel.settimeout(ANSWER_SECONDS)
        with theirs:
            self.process = processes.start(
                [*self.command, str(theirs.fileno()), str(self.port.fileno())],
                log=self.log,
                dies_with=signal.SIGKILL,
                env=self.environment,
                cwd=BASE_DIR,
                keeps_open=[self.port.fileno(), theirs.fileno()],
            )

    def is_ready(self) -> bool:
        """Return whether the code is loaded, so that processes can be forked."""
        if self._channel is not None and not self._has_loaded:
            arrived, _writable, _failed = select.select([self._channel], [], [], 0)
            self._has_loaded = bool(arrived) and self._line() == LOADED
        return self._has_loaded and self.process is not None and self.process.poll() is None

    def fork(self, order: Order) -> processes.Adopted | None:
        """Fork a process; None where the loader cannot do so now."""
        if not self.is_ready() or self._channel is None:
            return None
        try:
            self._channel.sendall(order.line())
            pid = int(self._line())
            self._channel.sendall(BEGIN)
        except (OSError, ValueError):
            self.stop()  # a process that it has forked without being told to begin ends with it
            return None
        return processes.Adopted(pid)

    def stop(self) -> None:
        """Kill the process; the supervisor starts it again."""
        self._hang_up()
        if self.process is not None:
            self.process.kill()

    def end_leftovers(self) -> list[psutil.Process]:
        """Return nothing: what the loader has forked goes on."""
        return []

    def stand_ins(self) -> list[psutil.Process]:
        """Return nothing: forks are processes of their own."""
        return []

    def has_taken_over(self) -> bool:
        """Return True: nothing stands in for the loader."""
        return True

    def _line(self) -> bytes:
        """Receive a line, or what of it came before the process ended."""
        assert self._channel is not None
        line = b""
        while not line.endswith(b"\n") and (byte := self._channel.recv(1)):
            line += byte
        return line

    def _hang_up(self) -> None:
        self._has_loaded = False
        if self._channel is not None:
            self._channel.close()
            self._channel = None
