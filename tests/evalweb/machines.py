"""Two machines with a web server and a worker each, one database, one broker and one data folder, and browsers.

Each machine is a copy of the code in a folder of its own, with static files of its own. `PGAPPNAME` tells which machine
a connection of the database belongs to. A trigger holds what is about to be stored, so that a machine can be killed at
the most dangerous moment.
"""

import os
import secrets
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from http.cookiejar import CookieJar
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any
from urllib.parse import urlencode, urljoin
from urllib.request import HTTPCookieProcessor, Request, build_opener, urlopen

import psycopg2
from pytest_django import DjangoDbBlocker

from bench.raters import form_of
from evalweb.local_services import processes
from evalweb.local_services.folder import BASE_DIR
from evalweb.serve.address import base_url, held_port
from evalweb.serve.children import WORKER_ENVIRONMENT, commands
from tests.servers import first_port, migrated_template, new_database, running_valkey, temporary_folder

CODE = ("analytics_app", "docs", "evalweb", "examples", "locale", "manage.py", "static", "tasks_app", "templates")
PASSWORD = "a password for tests"

# Whatever is about to be stored waits for a lock that the test holds: answers of raters, results of a run.
HOLDING = """
CREATE FUNCTION wait_to_be_let_go() RETURNS trigger LANGUAGE plpgsql SET lock_timeout = 0 AS $$
BEGIN PERFORM pg_advisory_xact_lock_shared(1); RETURN NULL; END $$;
CREATE TRIGGER held BEFORE INSERT ON tasks_app_judgment FOR EACH STATEMENT EXECUTE FUNCTION wait_to_be_let_go();
CREATE TRIGGER held BEFORE INSERT ON analytics_app_resultrow FOR EACH STATEMENT EXECUTE FUNCTION wait_to_be_let_go()
"""
HELD = """
SELECT application_name FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE locktype = 'advisory' AND NOT granted
"""


@dataclass
class Machine:
    """A copy of the code, and the processes that run it."""

    folder: Path
    url: str
    environment: dict[str, str]
    running: "dict[str, subprocess.Popen[bytes]]" = field(default_factory=dict)

    def run(self, *arguments: str) -> str:
        """Run Python on the machine and return what it printed."""
        command = [sys.executable, *arguments]
        answer = subprocess.run(
            command, check=False, cwd=self.folder, env=self.environment, capture_output=True, text=True
        )
        assert answer.returncode == 0, answer.stderr
        return answer.stdout

    def python(self, program: str) -> str:
        """Run a program with Django set up, and return what it printed."""
        return self.run("manage.py", "shell", "--no-imports", "--command", program).strip()

    def start(self, name: str) -> None:
        """Start the web server, the worker or the scheduler."""
        own = WORKER_ENVIRONMENT if name == "worker" else {}
        self.running[name] = processes.start(
            commands(self.folder / "beat-schedule")[name],
            log=self.folder / f"{name}.log",
            dies_with=signal.SIGTERM,
            env=self.environment | own,
            cwd=self.folder,
        )

    def kill(self, name: str) -> None:
        """Kill a process and those that it forked, all at once, as a machine without power would."""
        process = self.running.pop(name)
        processes.send(processes.group_of(process.pid), signal.SIGKILL)
        process.wait()

    def stop(self) -> None:
        """End what runs."""
        for process in self.running.values():
            processes.stop(process, signal.SIGTERM)
        self.running.clear()

    def is_ready(self) -> bool:
        """Return whether the web server answers."""
        with suppress(OSError), urlopen(f"{self.url}/readyz", timeout=5) as answer:
            return bool(answer.status == 200)
        return False


@dataclass
class Site:
    """Both machines, and what they share."""

    north: Machine
    south: Machine
    shared: Path
    connection: Any

    def rows(self, sql: str, *params: Any) -> list[tuple[Any, ...]]:
        """Ask the database."""
        with self.connection.cursor() as cursor:
            cursor.execute(sql, params)
            return list(cursor.fetchall()) if cursor.description else []

    def until(self, what: str, condition: Callable[[], Any]) -> None:
        """Wait until something is so."""
        deadline = monotonic() + 240
        while not condition():
            if monotonic() > deadline:
                logs = "\n".join(
                    f"{log}:\n{processes.tail(log, 20)}"
                    for machine in (self.north, self.south)
                    for log in machine.folder.glob("*.log")
                )
                raise AssertionError(f"Not so: {what}\n{logs}")
            Event().wait(0.1)

    def hold(self) -> None:
        """Hold whatever is about to be stored."""
        self.rows("SELECT pg_advisory_lock(1)")

    def let_go(self) -> None:
        """Let it be stored."""
        self.rows("SELECT pg_advisory_unlock(1)")

    def held(self) -> Counter[str]:
        """Return how many connections of each machine are held."""
        return Counter(name for (name,) in self.rows(HELD))


@contextmanager
def two_machines(blocker: DjangoDbBlocker) -> Iterator[Site]:
    """Start web servers, workers and a scheduler on two machines, and stop them at the end."""
    with ExitStack() as stack:
        folder = stack.enter_context(temporary_folder())
        valkey = stack.enter_context(running_valkey(folder))
        worker = os.environ.get("PYTEST_XDIST_WORKER", "alone")
        database = new_database(f"machines_{worker}", migrated_template(blocker))
        shared = folder / "shared"
        common = {name: value for name, value in os.environ.items() if not name.startswith(("EVALWEB_", "PYTEST"))} | {
            "DJANGO_SETTINGS_MODULE": "evalweb.settings",
            "SECRET_KEY": secrets.token_hex(32),
            "ALLOWED_HOSTS": "127.0.0.1",
            "DATABASE_URL": database,
            "REDIS_URL": valkey.url(),
            "HOST": "127.0.0.1",
            "EVALWEB_VAR": str(shared),
            "EVALWEB_WEB_PROCESSES": "1",
            "EVALWEB_WORKER_PROCESSES": "1",
            "EVALWEB_RESEARCHER_PASSWORD": PASSWORD,
        }
        connection = psycopg2.connect(database)
        connection.autocommit = True
        stack.callback(connection.close)
        with ExitStack() as ports:
            held = [ports.enter_context(held_port("127.0.0.1", first_port() + 8)) for _machine in range(2)]
            numbers = [int(one.getsockname()[1]) for one in held]
        north, south = (
            _machine(folder / name, number, common) for name, number in zip(("north", "south"), numbers, strict=True)
        )
        found = Site(north, south, shared, connection)
        for machine in (north, south):
            machine.run("-m", "evalweb.prepare", "--static")
            stack.callback(machine.stop)
            machine.start("web")
            machine.start("worker")
        north.start("scheduler")
        found.rows(HOLDING)
        for machine in (north, south):
            found.until("the web server answers", machine.is_ready)
        yield found


def _machine(folder: Path, port: int, common: dict[str, str]) -> Machine:
    folder.mkdir()
    for name in CODE:
        source = BASE_DIR / name
        if source.is_dir():
            shutil.copytree(source, folder / name)
        else:
            shutil.copy2(source, folder / name)
    own = {"PORT": str(port), "PGAPPNAME": folder.name, "EVALWEB_STATIC": str(folder / "collected")}
    return Machine(folder, base_url("127.0.0.1", port), common | own)


@dataclass(frozen=True)
class Page:
    """A page, and the path at which it ended up."""

    address: str
    content: bytes

    @property
    def text(self) -> str:
        return self.content.decode()


class Browser:
    """Cookies, and pages of either machine; redirects are followed on the machine that was asked."""

    def __init__(self) -> None:
        self.opener = build_opener(HTTPCookieProcessor(CookieJar()))

    def get(self, machine: Machine, path: str) -> Page:
        return self.ask(machine, path, None)

    def send(self, machine: Machine, page: Page, path: str, **fields: str) -> Page:
        """Send the form of a page, perhaps to the machine that did not make it."""
        form = form_of(page.text)
        assert form is not None
        return self.ask(machine, path, urlencode({**form.hidden, **fields}).encode())

    def ask(
        self, machine: Machine, path: str, body: bytes | None, kind: str = "application/x-www-form-urlencoded"
    ) -> Page:
        headers = {"Content-Type": kind} if body is not None else {}
        with self.opener.open(Request(urljoin(machine.url, path), body, headers), timeout=60) as answer:
            return Page(answer.url.removeprefix(machine.url), answer.read())
