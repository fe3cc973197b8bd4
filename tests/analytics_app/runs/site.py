"""A worker and a scheduler on servers of a test's own, which can be killed, stopped and started again."""

import os
import secrets
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any

import psutil
import psycopg2
from pytest_django import DjangoDbBlocker

from evalweb.local_services import PostgresServer, ValkeyServer, processes
from evalweb.local_services.folder import BASE_DIR
from evalweb.local_services.postgres import program
from evalweb.serve.children import WORKER_ENVIRONMENT, commands
from tests.commands import Commands
from tests.servers import database_url, migrated_template, running_postgres, running_valkey, temporary_folder


@dataclass
class Site:
    """Reached by commands and by looking at rows."""

    folder: Path
    postgres: PostgresServer
    valkey: ValkeyServer
    environment: dict[str, str]
    running: dict[str, "subprocess.Popen[bytes]"] = field(default_factory=dict)
    connection: Any = None

    def __post_init__(self) -> None:
        self.commands = Commands(self.environment, self.folder)

    def python(self, program: str) -> str:
        """Run a program with Django set up, in a process of its own, and return what it printed."""
        return self.commands.run("shell", "--no-imports", "--command", program).strip()

    def start(self, name: str) -> None:
        """Start the worker or the scheduler."""
        self.running[name] = processes.start(
            commands(self.folder / "beat-schedule")[name],
            log=self.folder / f"{name}.log",
            dies_with=signal.SIGTERM,
            env=self.environment | WORKER_ENVIRONMENT | {"PYTHONPATH": str(BASE_DIR)},
        )

    def runs(self, name: str) -> bool:
        """Say whether the worker or the scheduler was started and has not ended."""
        return name in self.running and self.running[name].poll() is None

    def stop(self, name: str) -> None:
        """End the worker or the scheduler, if it runs, and what it forked."""
        process = self.running.pop(name, None)
        if process is not None:
            processes.stop(process, signal.SIGTERM)

    def children(self) -> list[psutil.Process]:
        """The processes of the worker that compute."""
        return psutil.Process(self.running["worker"].pid).children()

    def restart_valkey(self, meanwhile: Callable[[], None]) -> None:
        """Stop the broker, which forgets everything, and start it again at its address."""
        self.valkey.stop()
        meanwhile()
        self.valkey._start_once()

    def restart_postgres(self) -> None:
        """Restart the database as an administrator does: every connection is cut."""
        self.forget_connection()
        self.postgres.stop()
        self.postgres.start()

    def connected(self) -> Any:
        """Open a connection to the database, each of whose statements is a transaction."""
        connection = psycopg2.connect(self.environment["DATABASE_URL"])
        connection.autocommit = True
        return connection

    def rows(self, sql: str, *params: Any) -> list[tuple[Any, ...]]:
        """Ask the database, over one connection for all questions: opening one costs more than most answers."""
        if self.connection is None:
            self.connection = self.connected()
        with self.connection.cursor() as cursor:
            cursor.execute(sql, params)
            return list(cursor.fetchall()) if cursor.description else []

    def forget_connection(self) -> None:
        """Close the connection, if there is one."""
        if self.connection is not None:
            self.connection.close()
            self.connection = None

    def until(self, what: str, condition: Callable[[], bool], seconds: float = 120) -> None:
        """Wait until something is so."""
        deadline = monotonic() + seconds
        while not condition():
            if monotonic() > deadline:
                logs = "\n".join(f"{one}:\n{processes.tail(one, 40)}" for one in sorted(self.folder.glob("*.log")))
                raise AssertionError(f"Not so after {seconds} seconds: {what}\n{logs}")
            Event().wait(0.1)


@contextmanager
def running_site(blocker: DjangoDbBlocker, worker_processes: int = 1) -> Iterator[Site]:
    """Run a PostgreSQL and a Valkey, with the tables of the run's own and without worker and scheduler yet."""
    with ExitStack() as stack:
        folder = stack.enter_context(temporary_folder())
        postgres = stack.enter_context(running_postgres(folder))
        valkey = stack.enter_context(running_valkey(folder))
        site = Site(folder, postgres, valkey, _environment(folder, postgres.url(), valkey.url(), worker_processes))
        for name in ("worker", "scheduler"):
            stack.callback(site.stop, name)
        stack.callback(site.commands.stop)
        stack.callback(site.forget_connection)
        _copy_tables(migrated_template(blocker), postgres)
        yield site


def _copy_tables(template: str, to: PostgresServer) -> None:
    """Copy a database of the run to another server, which takes a tenth of the time of migrating it."""
    dumped = [program("pg_dump"), "--no-owner", "--no-privileges", database_url(template)]
    restored = [program("psql"), "-X", "-q", "-v", "ON_ERROR_STOP=1", to.url()]
    sql = subprocess.run(dumped, check=True, capture_output=True).stdout
    subprocess.run(restored, check=True, capture_output=True, input=sql)


def _environment(folder: Path, database: str, broker: str, worker_processes: int) -> dict[str, str]:
    unwanted = ("EVALWEB_LOCK_SECONDS", "EVALWEB_STATEMENT_SECONDS")
    inherited = {name: value for name, value in os.environ.items() if name not in unwanted}
    return inherited | {
        "DJANGO_SETTINGS_MODULE": "tests.analytics_app.runs.eager",
        "SECRET_KEY": secrets.token_hex(32),
        "ALLOWED_HOSTS": "localhost",
        "DATABASE_URL": database,
        "REDIS_URL": broker,
        "EVALWEB_VAR": str(folder),
        "EVALWEB_WORKER_PROCESSES": str(worker_processes),
    }
