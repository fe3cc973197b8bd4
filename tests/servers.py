"""PostgreSQL and Valkey of one test run, and a live site for browser tests.

The process that was started (xdist's controller, or the only one) starts both servers in a temporary folder and
stops them at the end; workers find their addresses in the environment. Each worker has a Valkey number of its own and
a database (pytest-django names it after the worker), copied from one that is migrated once. Nothing touches var/ and no
port is fixed, so that any number of runs can go on beside each other and beside `make run`.
"""

import fcntl
import os
import secrets
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import dj_database_url
import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from pytest_django import DjangoDbBlocker
from xdist import get_xdist_worker_id

from evalweb.local_services import PostgresServer, ValkeyServer, processes
from evalweb.local_services.folder import BASE_DIR
from evalweb.local_services.postgres import FLEETING, OWNER, Passwords, program
from evalweb.serve.address import base_url, held_port
from evalweb.serve.children import commands
from tests.commands import Commands
from tests.platform import Platform, running_platform

# Where the process that started the servers tells its workers about them.
POSTGRES_VARIABLE, VALKEY_VARIABLE = "EVALWEB_TEST_POSTGRES", "EVALWEB_TEST_VALKEY"
FOLDER_VARIABLE = "EVALWEB_TEST_FOLDER"
BROWSER_FIXTURES = frozenset({"browser", "page", "live_site"})
DATABASE_FIXTURES = frozenset({"db", "transactional_db", "django_db_setup"})
# The same for both roles, so that a test can change sides by the role's name alone.
PASSWORDS = Passwords(administrator="a password for tests", owner="a password for tests")
# The database that others are copied from.
TEMPLATE = "template_evalweb"
# Numbers of Valkey's databases: workers count up from 1, their live sites from here.
FIRST_LIVE_NUMBER = 32
# Ports of sites: so many for each process, below those that the system gives to connections.
FIRST_PORT, PORTS, N_RUNS = 20_000, 16, 700


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Start the run's servers once, and tell this process where they are."""
    if config.option.collectonly or config.option.help:
        return
    if POSTGRES_VARIABLE not in os.environ:
        stack = ExitStack()
        # A clean-up of the configuration also runs after Ctrl-C and internal errors; SIGTERM counts as Ctrl-C.
        config.add_cleanup(stack.close)
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        folder = stack.enter_context(temporary_folder())
        postgres = stack.enter_context(running_postgres(folder))
        valkey = stack.enter_context(running_valkey(folder))
        os.environ[POSTGRES_VARIABLE] = postgres.url()
        os.environ[VALKEY_VARIABLE] = valkey.url(0).removesuffix("/0")
        os.environ[FOLDER_VARIABLE] = str(folder)
        for name in (POSTGRES_VARIABLE, VALKEY_VARIABLE, FOLDER_VARIABLE):
            stack.callback(os.environ.pop, name)
    settings.DATABASES["default"] |= dj_database_url.parse(os.environ[POSTGRES_VARIABLE], conn_max_age=0)
    settings.CELERY_BROKER_URL = broker_url(1 + _worker_number(config))
    folder, number = Path(os.environ[FOLDER_VARIABLE]), _worker_number(config)
    settings.MEDIA_ROOT = folder / f"media-{number}"
    # A checkout in which evalweb was started has keys and erasures; tests have none but their own.
    settings.EVALWEB_SECRETS, settings.ERASURES = folder / f"secrets-{number}", folder / f"erasures-{number}.jsonl"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that need a live site, and those that need a database."""
    for item in items:
        fixtures = set(getattr(item, "fixturenames", ()))
        if BROWSER_FIXTURES & fixtures:
            item.add_marker(pytest.mark.browser)
        if DATABASE_FIXTURES & fixtures or item.get_closest_marker("django_db"):
            item.add_marker(pytest.mark.database)


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings: None, django_db_blocker: DjangoDbBlocker) -> None:
    """Copy each test database from the one that the first process migrates."""
    connection.settings_dict["TEST"]["TEMPLATE"] = migrated_template(django_db_blocker)


def broker_url(number: int) -> str:
    """Return the address of one of the numbered databases of the run's Valkey."""
    return f"{os.environ[VALKEY_VARIABLE]}/{number}"


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Yield a folder that is deleted at the end, and that PostgreSQL's account may enter where root runs the tests."""
    with tempfile.TemporaryDirectory(prefix="evalweb-test-") as name:
        folder = Path(name)
        folder.chmod(0o711 if os.geteuid() == 0 else 0o700)
        yield folder


@contextmanager
def running_postgres(folder: Path) -> Iterator[PostgresServer]:
    """Run a PostgreSQL that forgets everything, with a role that may make databases."""
    server = PostgresServer(folder / "postgres", log=folder / "postgres.log", passwords=PASSWORDS, settings=FLEETING)
    try:
        server.start()
        server.make_owner(may_create=True)
        yield server
    finally:
        server.stop()


@contextmanager
def running_valkey(folder: Path) -> Iterator[ValkeyServer]:
    """Run a Valkey that forgets everything."""
    server = ValkeyServer(folder / "valkey", log=folder / "valkey.log", password=secrets.token_hex(16), fleeting=True)
    try:
        server.start()
        yield server
    finally:
        server.stop()


def migrated_template(blocker: DjangoDbBlocker) -> str:
    """Return the name of a migrated, empty database of this run; the first caller makes it, the others wait."""
    folder = Path(os.environ[FOLDER_VARIABLE])
    made = folder / "template.made"
    with (folder / "template.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            with blocker.unblock():
                _migrate(new_database(TEMPLATE))
            made.touch()
    return TEMPLATE


def _migrate(url: str) -> None:
    """Migrate a database of the run in this process, which has loaded everything that takes."""
    usual = connection.settings_dict["NAME"]
    connection.settings_dict["NAME"] = url.rpartition("/")[2]
    try:
        call_command("migrate", interactive=False, verbosity=0)
    finally:
        connection.close()
        connection.settings_dict["NAME"] = usual


def new_database(name: str, template: str = "template1") -> str:
    """Make a database on the run's PostgreSQL, in place of one of that name, and return its URL.

    It is empty, or a copy of a template.
    """
    psql = [program("psql"), "-X", "-q", "-v", "ON_ERROR_STOP=1"]
    for statement in (
        f"DROP DATABASE IF EXISTS {name} WITH (FORCE)",
        f"CREATE DATABASE {name} OWNER {OWNER} TEMPLATE {template}",
    ):
        subprocess.run([*psql, "-c", statement, database_url("postgres")], check=True, capture_output=True)
    return database_url(name)


@dataclass
class LiveSite:
    """A site served by gunicorn, with a worker, on a database of its own: reached by addresses and commands only."""

    url: str
    environment: dict[str, str]
    folder: Path
    platform: Platform
    login: tuple[str, str] = field(default=("researcher", "a password for tests"))
    # Of whoever signed in by the form, where a test did.
    cookies: list[Any] = field(default_factory=list)
    running: "dict[str, subprocess.Popen[bytes]]" = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.commands = Commands(self.environment, self.folder)

    def manage(self, *arguments: str) -> str:
        """Run a management command on the site's database and return what it printed."""
        return self.commands.run(*arguments)

    def start(self, name: str) -> None:
        """Start the `web` or `worker` process and wait until it is ready."""
        self.running[name] = _start(self, name)

    def stop(self, name: str) -> None:
        """Stop the `web` or `worker` process; does nothing where it does not run."""
        if name in self.running:
            processes.stop(self.running.pop(name), signal.SIGTERM)

    def log(self, name: str) -> str:
        """Return the log of the `web` or `worker` process."""
        return (self.folder / f"{name}.log").read_text()


@pytest.fixture(scope="session")
def live_site(request: pytest.FixtureRequest, django_db_blocker: DjangoDbBlocker) -> Iterator[LiveSite]:
    """Serve a migrated, empty site for as long as this test process lives; started by the first test that asks."""
    worker = get_xdist_worker_id(request)
    with ExitStack() as stack:
        folder = stack.enter_context(temporary_folder())
        platform = stack.enter_context(running_platform())
        with held_port("127.0.0.1", first_port()) as held:
            port = int(held.getsockname()[1])
            number = FIRST_LIVE_NUMBER + _worker_number(request.config)
            database = new_database(f"live_{worker}", migrated_template(django_db_blocker))
            site = LiveSite(
                url=base_url("127.0.0.1", port),
                environment=_site_environment(folder, database, broker_url(number), port)
                | {"EVALWEB_MTURK_ORIGINS": platform.origin},
                folder=folder,
                platform=platform,
            )
            # What `make run` does first, in the process of the commands, which are needed anyway.
            stack.callback(site.commands.stop)
            site.manage("shell", "-v", "0", "-c", "from evalweb import prepare; prepare.main(['--static'])")
        for name in ("web", "worker"):
            stack.callback(site.stop, name)
            site.start(name)
        yield site


def _site_environment(folder: Path, database: str, broker: str, port: int) -> dict[str, str]:
    return os.environ | {
        "DJANGO_SETTINGS_MODULE": "evalweb.settings",
        "SECRET_KEY": secrets.token_hex(32),
        "ALLOWED_HOSTS": "127.0.0.1,localhost",
        "DATABASE_URL": database,
        "REDIS_URL": broker,
        "HOST": "127.0.0.1",
        "PORT": str(port),
        "EVALWEB_VAR": str(folder),
        "EVALWEB_WEB_PROCESSES": "1",
        "EVALWEB_WORKER_PROCESSES": "1",
        "EVALWEB_RESEARCHER_PASSWORD": "a password for tests",
        "PYTHONWARNINGS": "default",
    }


def _start(site: LiveSite, name: str) -> "subprocess.Popen[bytes]":
    log = site.folder / f"{name}.log"
    process = processes.start(
        commands(site.folder / "beat-schedule")[name],
        log=log,
        dies_with=signal.SIGTERM,
        env=site.environment | {"PYTHONPATH": str(BASE_DIR)},
    )
    ready = _web_is_ready if name == "web" else _worker_is_ready
    processes.wait_until(lambda: ready(site), process, name=name, log=log)
    return process


def _web_is_ready(site: LiveSite) -> bool:
    with suppress(OSError), urlopen(f"{site.url}/readyz", timeout=5) as answer:
        return bool(answer.status == 200)
    return False


def first_port() -> int:
    """Return where this process begins to look for a free port: apart from other runs that begin at the same time."""
    return FIRST_PORT + PORTS * (os.getpid() % N_RUNS)


def _worker_is_ready(site: LiveSite) -> bool:
    return " ready." in site.log("worker")


def _worker_number(config: pytest.Config) -> int:
    """Return 0 for gw0 and for a run without workers, 1 for gw1 and so on."""
    worker_input = getattr(config, "workerinput", {"workerid": "gw0"})
    return int(str(worker_input["workerid"]).removeprefix("gw"))


def database_url(name: str) -> str:
    """Return the URL of a database on the run's PostgreSQL."""
    return f"{os.environ[POSTGRES_VARIABLE].rpartition('/')[0]}/{name}"
