"""The web server of `make run` while its main process is killed: the longest wait for a page, beside a start."""

import os
import tempfile
from pathlib import Path
from socket import socket
from time import monotonic, sleep

from evalweb.front.held_socket import NAME
from evalweb.local_services import processes
from evalweb.serve.address import base_url, held_port
from evalweb.serve.announcement import readiness
from evalweb.serve.children import Child, commands, stop
from evalweb.serve.supervisor import Supervisor

# A page may wait this share of a start: forks serve on, so that nothing is loaded before it.
MOST_OF_A_START = 0.5


def main() -> None:
    """Start the web server, kill its main process, and print the longest wait until a new one serves as a ratio."""
    processes.adopt_orphans()
    with held_port("127.0.0.1", 18_100) as port, tempfile.TemporaryDirectory() as folder:
        number = port.getsockname()[1]
        web = _web(Path(folder) / "web.log", port)
        url = base_url("127.0.0.1", number)
        begun = monotonic()
        web.launch()
        try:
            _wait(url)
            start = monotonic() - begun
            longest = _longest_wait(web, url)
        finally:
            stop([web])
    print(
        f"longest wait for a page while the web server's main process is killed: {longest / start:.2f} starts "
        f"(promised: at most {MOST_OF_A_START})"
    )


def _web(log: Path, port: socket) -> Child:
    settings = {"HOST": "127.0.0.1", "PORT": str(port.getsockname()[1]), NAME: str(port.fileno())}
    command = commands(log.with_name("beat"))["web"]
    return Child("web", command, log=log, environment=os.environ | settings, port=port)


def _longest_wait(web: Child, url: str) -> float:
    """Kill the main process and ask for pages until its forks have ended; return the longest wait for one."""
    assert web.process is not None
    supervisor = Supervisor([web], say=lambda _message: None, upkeep=lambda: None)
    web.process.kill()
    web.process.wait()
    longest, looks = 0.0, 0
    while looks < 2 or supervisor.stand_ins():
        asked = monotonic()
        _wait(url)
        longest, looks = max(longest, monotonic() - asked), looks + 1
        supervisor.check()
    return longest


def _wait(url: str) -> None:
    while readiness(url) is not None:
        sleep(0.05)
