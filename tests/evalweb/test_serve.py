"""`make run`: one story from the first start to the fourth, and what the parts of it do."""

import inspect
import os
import re
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from configparser import ConfigParser
from contextlib import contextmanager
from functools import partial
from threading import Event
from time import monotonic
from urllib.request import urlopen

import psutil
import psycopg2
import pytest
import redis

from evalweb.local_services import ServiceError, VarFolder, processes
from evalweb.local_services.folder import BASE_DIR
from evalweb.serve import __main__ as program
from evalweb.serve import address, children
from evalweb.serve.announcement import readiness
from tests import extent
from tests.servers import temporary_folder

SERVE = [sys.executable, "-m", "evalweb.serve"]
COUNT_USERS = "from django.contrib.auth.models import User; print(User.objects.count())"
# What the test run has set for itself must not decide what `make run` does.
OWN_VARIABLES = {"DATABASE_URL", "REDIS_URL", "SECRET_KEY", "ALLOWED_HOSTS", "DJANGO_SETTINGS_MODULE"}


@pytest.fixture
def var() -> Iterator[VarFolder]:
    with temporary_folder() as folder:
        yield VarFolder(folder / "var")


def environment(var: VarFolder, **changes: str) -> dict[str, str]:
    """Return the environment of somebody who types `make run` in a shell."""
    inherited = {name: value for name, value in os.environ.items() if name not in OWN_VARIABLES}
    quick = {"EVALWEB_DEMO": "0", "EVALWEB_WEB_PROCESSES": "1", "EVALWEB_WORKER_PROCESSES": "1"}
    return inherited | quick | {"EVALWEB_VAR": str(var.root), "PORT": "18000"} | changes


class Running:
    """A running `make run`, read until it has said that it runs, or something before."""

    def __init__(self, process: "subprocess.Popen[str]", until: str) -> None:
        self.process = process
        assert process.stdout is not None
        self.said = ""
        for line in process.stdout:
            self.said += line
            if until in line:
                break

    @property
    def url(self) -> str:
        found = re.search(r"Open +(http://\S+)/", self.said)
        assert found, self.said
        return found[1]

    def read_until(self, message: str) -> str:
        """Read what is said up to the line that is `message`, and return it."""
        lines: list[str] = []
        for line in self.process.stdout:
            lines.append(line)
            if line == f"{message}\n":
                return "".join(lines)
        pytest.fail(f"{message!r} was not said:\n{''.join(lines)}")

    def child(self, name: str) -> psutil.Process:
        """Return the process that the supervisor has started under a name, not one that it has adopted from a child."""
        (child,) = (
            child
            for child in psutil.Process(self.process.pid).children()
            if (name == child.name() or PROGRAMS[name] in " ".join(child.cmdline()))
            and os.getpgid(child.pid) == child.pid
        )
        return child

    def is_ready_again(self) -> bool:
        """Wait until /readyz answers 200, and return whether it did within five minutes."""
        deadline = monotonic() + 300
        while (problem := readiness(self.url)) is not None and monotonic() < deadline:
            Event().wait(0.1)
        return problem is None

    def stop(self, number: signal.Signals) -> str:
        """Send a signal, check that everything has ended, and return what was said meanwhile."""
        family = psutil.Process(self.process.pid).children(recursive=True)
        self.process.send_signal(number)
        rest, _nothing = self.process.communicate(timeout=300)
        assert self.process.returncode == 0, rest
        _gone, alive = psutil.wait_procs(family, timeout=1)
        assert alive == []
        return rest


@contextmanager
def running(env: dict[str, str], until: str = "Ctrl-C stops everything") -> Iterator[Running]:
    # The suite may run under nohup, which has its children ignore SIGHUP as well.
    command = subprocess.Popen(
        SERVE, cwd=BASE_DIR, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        preexec_fn=partial(signal.signal, signal.SIGHUP, signal.SIG_DFL),  # noqa: PLW1509  one system call
    )  # fmt: skip
    with command as process:
        try:
            yield Running(process, until)
        finally:
            if process.poll() is None:
                process.terminate()


def serve(env: dict[str, str], *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([*SERVE, *arguments], cwd=BASE_DIR, env=env, capture_output=True, text=True, check=False)


def password(said: str) -> str:
    found = re.search(r"researcher +password (\S+)", said)
    assert found, said
    return found[1]


@pytest.mark.whole
def test_it_starts_stops_keeps_its_data_and_starts_again_what_is_killed(var: VarFolder) -> None:
    """One folder goes through a whole start, which ends by Ctrl-C, and one that `make stop` cuts short.

    In an exhaustive run it is started again, on a port that is taken, until its supervisor is killed; and a closed
    terminal ends another start. What was stored, the login and a port that is taken have tests of their own.
    """
    env = environment(var)
    with running(env | {"EVALWEB_DEMO": "1" if extent.is_exhaustive() else "0"}) as first:
        key = the_first_start_is_ready(first, var)
        second = serve(env)
        assert second.returncode == 1
        assert re.match(rf"evalweb is already running at {first.url}, since 20\d\d-.* UTC", second.stdout)
        data_are_stored(var)
        if extent.is_exhaustive():
            the_demonstration_arrives(first, var)
        else:
            what_is_killed_comes_back(first, var)
            the_row_is_still_there(var)
        rest = first.stop(signal.SIGINT)
    assert "Stopping\n" in rest
    assert rest.endswith("Stopped.\n")
    assert "the others are not" not in rest
    assert "database system is shut down" in (var.logs / "postgres.log").read_text().splitlines()[-1]

    if extent.is_exhaustive():
        it_starts_again_where_its_port_is_taken(env, var, key)
    assert "killed by SIGKILL" in (var.logs / "supervisor.log").read_text()
    readable = {path.name for path in var.root.iterdir() if path.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH)}
    assert readable <= {"static", "lock"}  # public files, and an empty one

    with running(env, until="Starting Valkey") as stopped:
        assert serve(env, "stop").stdout == "evalweb has stopped.\n"
        rest, _nothing = stopped.process.communicate(timeout=5)
        assert (stopped.process.returncode, rest.count("Stopped.")) == (0, 1)
    if extent.is_exhaustive():
        with running(env, until="The database is up to date") as interrupted:
            assert interrupted.stop(signal.SIGHUP).endswith("Stopped.\n")
    assert manage(env, "shell", "--no-imports", "-c", COUNT_USERS) == "1\n"
    assert serve(env, "stop").stdout == "evalweb is not running here.\n"


def it_starts_again_where_its_port_is_taken(env: dict[str, str], var: VarFolder, key: str) -> None:
    """Assert that a second start has the data and the login of the first, and kill its processes and itself."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken = other.getsockname()[1]
        with running(env | {"PORT": str(taken)}) as again:
            assert "The database is up to date" in again.said
            assert "Making the login" not in again.said
            assert password(again.said) == key
            data_are_still_there(var)
            assert re.search(rf"Port {taken} is taken; using \d+\n", again.said)
            assert not again.url.endswith(f":{taken}")
            what_is_killed_comes_back(again, var)
            nothing_outlives_the_supervisor(again)


def the_first_start_is_ready(site: Running, var: VarFolder) -> str:
    """Assert that a site in an empty folder was announced and answers; return the password of its login."""
    for step in ("Starting PostgreSQL", "Starting Valkey", "Preparing the database", "Making the login researcher"):
        assert step in site.said
    assert not list(var.backups.glob("*"))  # there was nothing to lose
    if processes.can_adopt():  # then they are forked from the loader, which gives them their names
        assert {name: site.child(name).name() for name in FORKED} == {name: name for name in FORKED}
    with urlopen(f"{site.url}/readyz", timeout=10) as answer:
        assert answer.status == 200
    with urlopen(f"{site.url}/admin/login/", timeout=10) as answer:
        assert b"csrfmiddlewaretoken" in answer.read()
    key = password(site.said)
    assert f"EVALWEB_RESEARCHER_PASSWORD={key}\n" in var.secrets.read_text()
    assert key not in (var.logs / "supervisor.log").read_text()
    return key


def data_are_stored(var: VarFolder) -> None:
    """Store something of ours in both servers."""
    database, broker = (str(var.state()[name]) for name in ("DATABASE_URL", "REDIS_URL"))
    connection = psycopg2.connect(database)
    with connection, connection.cursor() as cursor:
        cursor.execute("CREATE TABLE kept AS SELECT 1 AS one")
    connection.close()
    redis.Redis.from_url(broker).set("kept", "too")


def the_row_is_still_there(var: VarFolder) -> None:
    """Assert that the database has what was stored."""
    connection = psycopg2.connect(str(var.state()["DATABASE_URL"]))
    with connection, connection.cursor() as cursor:
        cursor.execute("SELECT one FROM kept")
        assert cursor.fetchone() == (1,)
    connection.close()


def data_are_still_there(var: VarFolder) -> None:
    """Assert that both servers have what was stored."""
    the_row_is_still_there(var)
    assert redis.Redis.from_url(str(var.state()["REDIS_URL"])).get("kept") == b"too"


def what_is_killed_comes_back(site: Running, var: VarFolder) -> None:
    """Kill each process, and assert that it is started again, named, and recorded for the next start."""
    for name in KILLED:
        before = site.child(name)
        forks = before.children()
        before.kill()
        if name == "web":
            before.wait()
            # Nobody is refused: forks serve on, or on other systems connections wait.
            with urlopen(f"{site.url}/readyz", timeout=60) as answer:
                assert answer.status == 200
        said = site.read_until(f"{name}: started again")
        assert f"{name}: killed by SIGKILL. Starting it again in 0.5 s." in said
        assert str(var.logs / f"{name}.log") in said
        assert site.child(name).pid != before.pid
        if name == "web":
            _gone, alive = psutil.wait_procs(forks, timeout=60)  # until new ones serve
            assert alive == []
    assert site.is_ready_again()
    assert broker_answers(var)
    recorded = [mark["pid"] for mark in var.state()["children"]]
    assert site.child("web").pid in recorded


def nothing_outlives_the_supervisor(site: Running) -> None:
    """Kill the supervisor, and assert that everything has ended with it where the system can see to that."""
    family = psutil.Process(site.process.pid).children(recursive=True)
    site.process.kill()
    if sys.platform == "linux":
        _gone, alive = psutil.wait_procs(family, timeout=30)
        assert alive == []


def manage(env: dict[str, str], *arguments: str) -> str:
    """Run a command by hand, as people do, while nothing runs."""
    command = [sys.executable, "manage.py", *arguments]
    return subprocess.run(command, cwd=BASE_DIR, env=env, capture_output=True, text=True, check=True).stdout


def the_demonstration_arrives(site: Running, var: VarFolder) -> None:
    """Assert that the first study of the demonstration is announced after the address, to people alone, and opens."""
    assert "/join/" not in site.said
    assert site.process.stdout is not None
    first = next(line for line in site.process.stdout if "/results/" in line)
    assert f"{site.url}/admin/studies/example-" in first
    with urlopen(first.split()[-1], timeout=30) as answer:
        assert answer.status == 200
    assert first.split()[-1] not in (var.logs / "supervisor.log").read_text()


# What the command line of each process holds that is started by it, by the name that the supervisor gives it. Those
# that are forked have that name.
PROGRAMS = {
    "worker": "celery -A evalweb worker",
    "scheduler": "celery -A evalweb.beat beat",
    "web": "evalweb.asgi",
    "valkey": "valkey-server",
    "postgres": "bin/postgres",
    "loader": "the loader has its name",
}
FORKED = ("loader", "web", "worker", "scheduler")
# Worker, scheduler and loader are started again as the web server is.
KILLED = [name for name in PROGRAMS if extent.is_exhaustive() or name in {"web", "valkey", "postgres"}]


def broker_answers(var: VarFolder) -> bool:
    return bool(redis.Redis.from_url(str(var.state()["REDIS_URL"])).ping())


def test_named_servers_are_used_and_none_is_started(var: VarFolder) -> None:
    named = {"DATABASE_URL": "postgresql://evalweb@127.0.0.1:1/x", "REDIS_URL": "redis://127.0.0.1:1/0"}
    answer = serve(environment(var, **named, EVALWEB_DATABASE_SECONDS="0"))
    assert answer.returncode == 1
    assert "Using the PostgreSQL that DATABASE_URL names" in answer.stdout
    assert "The database did not answer within 0 seconds" in answer.stderr
    assert "could not be prepared" in answer.stdout
    assert not var.postgres.exists()


def test_a_stop_that_is_not_waited_for_is_not_called_done(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_arguments: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(program, "stop", interrupted)
    assert program.main(["stop"]) == 1
    assert capfd.readouterr().out == "evalweb goes on stopping by itself; this command waits no longer.\n"


@pytest.mark.parametrize(("argument", "code"), [("--help", 0), ("start", 2)])
def test_what_it_does_not_know_starts_nothing(argument: str, code: int) -> None:
    answer = subprocess.run([*SERVE, argument], capture_output=True, text=True, check=False)
    assert (answer.returncode, "python -m evalweb.serve [stop]" in answer.stdout + answer.stderr) == (code, True)


def test_the_port_is_held_until_it_is_given_up() -> None:
    with address.held_port("127.0.0.1", 18_500) as held:
        port = held.getsockname()[1]
        with address.held_port("127.0.0.1", port) as other:
            assert other.getsockname()[1] == port + 1
    with address.held_port("127.0.0.1", port) as again:
        assert again.getsockname()[1] == port


def test_an_address_that_is_not_ours_is_named() -> None:
    with (
        pytest.raises(ServiceError, match=r"HOST=192\.0\.2\.1 cannot be listened on"),
        address.held_port("192.0.2.1", 80),
    ):
        pytest.fail("listened on somebody else's address")


@pytest.mark.parametrize(
    ("host", "url", "answered"),
    [
        ("127.0.0.1", "http://127.0.0.1:8000", "localhost"),
        ("0.0.0.0", "http://127.0.0.1:8000", socket.gethostname()),
        ("::1", "http://[::1]:8000", "[::1]"),
        ("10.1.2.3", "http://10.1.2.3:8000", "10.1.2.3"),
    ],
)
def test_addresses(host: str, url: str, answered: str) -> None:
    assert address.base_url(host, 8000) == url
    assert answered in address.host_names(host).split(",")


def test_the_unit_for_systemd_starts_the_supervisor_and_leaves_it_time_to_stop() -> None:
    unit = ConfigParser(interpolation=None)
    (text,) = re.findall(r"```ini\n(.*?)```", (BASE_DIR / "docs" / "operations.md").read_text(), re.DOTALL)
    unit.read_string(text)
    service = unit["Service"]
    python = f"{service['WorkingDirectory']}/.venv/bin/python"
    assert service["ExecStart"].split() == [python, *SERVE[1:]]
    # With SIGTERM for every process the database would end before the answers that are being stored.
    assert service["KillMode"] == "mixed"
    # After `systemctl stop` and `make stop` it stays stopped; after a kill it comes back, however often.
    assert (service["Restart"], unit["Unit"]["StartLimitIntervalSec"]) == ("on-failure", "0")
    servers = 2 * inspect.signature(processes.stop).parameters["seconds"].default
    assert int(service["TimeoutStopSec"]) > children.STOP_SECONDS + servers
