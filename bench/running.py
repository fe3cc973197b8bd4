"""Run a whole site on the bench's PostgreSQL, and read the memory and processor time of its processes."""

import os
import secrets
import signal
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from urllib.request import urlopen

import psutil
from django.db import connection

from evalweb.local_services import ValkeyServer, processes
from evalweb.local_services.folder import BASE_DIR
from evalweb.serve.address import base_url, held_port
from evalweb.serve.children import WORKER_ENVIRONMENT, commands

MIB = 1 << 20
# What the bench sets for itself and a site leaves at its defaults.
OF_THE_BENCH = ("EVALWEB_STATEMENT_SECONDS", "EVALWEB_LOCK_SECONDS", "EVALWEB_LOG_LEVEL")
CONNECTIONS = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"


@dataclass(frozen=True)
class RunningSite:
    """The address of a site, and the main process of each of its services."""

    url: str
    services: dict[str, psutil.Process]


@contextmanager
def running_site() -> Iterator[RunningSite]:
    """Start a site with the defaults of `make run`, wait until it serves and works, and stop it at the end."""
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        valkey = ValkeyServer(folder / "valkey", log=folder / "valkey.log", password=secrets.token_hex(16))
        valkey.start()
        stack.callback(valkey.stop)
        with held_port("127.0.0.1", 20_000 + secrets.randbelow(20_000)) as held:
            port = int(held.getsockname()[1])
        url = base_url("127.0.0.1", port)
        environment = {name: value for name, value in os.environ.items() if name not in OF_THE_BENCH} | {
            "HOST": "127.0.0.1",
            "PORT": str(port),
            "ALLOWED_HOSTS": "127.0.0.1",
            "REDIS_URL": valkey.url(),
            "PYTHONPATH": str(BASE_DIR),
        }
        services = {"valkey": _process_of(valkey), "postgres": _postmaster()}
        for service, command in commands(folder / "beat-schedule").items():
            log = folder / f"{service}.log"
            own = WORKER_ENVIRONMENT if service == "worker" else {}
            process = processes.start(command, log=log, dies_with=signal.SIGTERM, env=environment | own)
            stack.callback(processes.stop, process, signal.SIGTERM)
            services[service] = psutil.Process(process.pid)
            if service in {"web", "worker"}:
                ready = partial(_is_ready, url) if service == "web" else partial(_has_begun, log)
                processes.wait_until(ready, process, name=service, log=log, seconds=300)
        yield RunningSite(url, services)


def _process_of(valkey: ValkeyServer) -> psutil.Process:
    assert valkey.process is not None
    return psutil.Process(valkey.process.pid)


def _postmaster() -> psutil.Process:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        parent = psutil.Process(cursor.fetchone()[0]).parent()
    assert parent is not None
    return parent


def _is_ready(url: str) -> bool:
    with suppress(OSError), urlopen(f"{url}/readyz", timeout=5) as answer:
        return bool(answer.status == 200)
    return False


def _has_begun(log: Path) -> bool:
    return " ready." in log.read_text()


def cpu_seconds(service: psutil.Process) -> float:
    """Return the processor seconds of a service: of its main process, its forks, and forks that have ended."""
    total = sum(service.cpu_times()[:4])
    for child in service.children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            total += sum(child.cpu_times()[:4])
    return total


@dataclass(frozen=True)
class Sample:
    """MiB of the services at a moment: `private` to their processes, and `shared` pages counted once (PSS)."""

    at: float
    private: dict[str, float]
    proportional: dict[str, float]
    n_processes: dict[str, int]
    connections: int


def sample(site: RunningSite, began: float) -> Sample:
    """Return the memory of all processes of a site, and the number of connections to the database."""
    private: dict[str, float] = defaultdict(float)
    proportional: dict[str, float] = defaultdict(float)
    n_processes: dict[str, int] = defaultdict(int)
    for name, service in site.services.items():
        for process in (service, *service.children(recursive=True)):
            with suppress(psutil.NoSuchProcess):
                memory = process.memory_full_info()
                private[name] += memory.uss / MIB
                proportional[name] += memory.pss / MIB
                n_processes[name] += 1
    with connection.cursor() as cursor:
        cursor.execute(CONNECTIONS)
        (connections,) = cursor.fetchone()
    return Sample(monotonic() - began, dict(private), dict(proportional), dict(n_processes), int(connections))


@dataclass
class Samples:
    """Samples of a site every few seconds, for as long as a block lasts."""

    site: RunningSite
    every: float
    taken: list[Sample] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)

    def __enter__(self) -> "Samples":
        self._began, self._end, self._thread = monotonic(), Event(), Thread(target=self._take)
        self._thread.start()
        return self

    def __exit__(self, *_given: object) -> None:
        self._end.set()
        self._thread.join()

    def _take(self) -> None:
        try:
            while not self._end.wait(self.every):
                self.taken.append(sample(self.site, self._began))
        except psutil.NoSuchProcess as error:
            self.lost.append(f"a service ended: {error}")
        finally:
            connection.close()
