"""The private servers: where they start, how they stop, and what is left after a crash."""

import os
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import psycopg2
import pytest
import redis
from psycopg2.extras import wait_select

from evalweb.local_services import PostgresServer, ServiceError, ValkeyServer, accounts
from evalweb.local_services import valkey as valkey_module
from evalweb.local_services.postgres import FLEETING, OWNER, SUPERUSER, Passwords
from evalweb.local_services.processes import Account
from tests.servers import PASSWORDS, temporary_folder


@pytest.fixture
def folder() -> Iterator[Path]:
    """A short path, which sockets need, that PostgreSQL's account may enter."""
    with temporary_folder() as path:
        yield path


@contextmanager
def postgres(folder: Path, passwords: Passwords = PASSWORDS) -> Iterator[PostgresServer]:
    server = PostgresServer(folder / "postgres", log=folder / "postgres.log", passwords=passwords, settings=FLEETING)
    server.start()
    try:
        yield server
    finally:
        server.stop()


@pytest.fixture(scope="module")
def new_data() -> Iterator[Path]:
    """The data of a server that has just been made, over the remains of a start that was cut short while making them.

    Making data takes ten times as long as copying them.
    """
    with temporary_folder() as path:
        half_made = path / "postgres.new"
        half_made.mkdir()
        (half_made / "PG_VERSION").write_text("18\n")
        with postgres(path):
            pass
        yield path / "postgres"


@pytest.fixture
def made(folder: Path, new_data: Path) -> Path:
    """A folder in which the server's data are made already."""
    _copy(new_data, folder)
    return folder


def _copy(data: Path, folder: Path) -> None:
    """Copy data into a folder, with whose they are."""
    subprocess.run(["cp", "-pR", str(data), str(folder / "postgres")], check=True)


@pytest.fixture(scope="module")
def running(new_data: Path) -> Iterator[PostgresServer]:
    """A server that tests only look at, with the role that owns the database."""
    with temporary_folder() as path:
        _copy(new_data, path)
        with postgres(path) as server:
            server.make_owner()
            yield server


def test_data_survive_a_clean_stop_and_a_crash(made: Path) -> None:
    with postgres(made) as server:
        server.query("CREATE TABLE kept AS SELECT 1 AS one")
        assert server.stop()
    assert not (made / "postgres" / "postmaster.pid").exists()
    with postgres(made) as server:
        assert server.query("SELECT one FROM kept") == "1"
        assert server.process is not None
        parent = psutil.Process(server.process.pid)
        everybody = [parent, *parent.children(recursive=True)]
        for process in everybody:
            with suppress(psutil.NoSuchProcess):  # those that are left end by themselves once their parent has gone
                process.kill()
        server.process.wait()
        psutil.wait_procs(everybody, timeout=10)
        server.process = None
        assert (made / "postgres" / "postmaster.pid").exists()
    with postgres(made) as server:
        assert server.query("SELECT one FROM kept") == "1"


@pytest.mark.exhaustive
def test_a_lock_file_that_names_somebody_elses_process_is_no_hindrance(made: Path) -> None:
    """After a restart of a container the old number belongs to whoever started as early."""
    with postgres(made) as server:
        lock = (made / "postgres" / "postmaster.pid").read_text().split("\n")
        server.stop()
    (made / "postgres" / "postmaster.pid").write_text("\n".join([str(os.getpid()), *lock[1:]]))
    with postgres(made) as server:
        assert server.query("SELECT 1") == "1"
    assert psutil.Process().is_running()


@pytest.mark.exhaustive
def test_a_lock_file_that_a_full_disk_left_empty_is_no_hindrance(made: Path) -> None:
    with postgres(made):
        pass
    (made / "postgres" / "postmaster.pid").write_text("")
    with postgres(made) as server:
        assert server.query("SELECT 1") == "1"


# It takes hours, and looks at nothing that would tell it of its server's end.
LONG_QUERY = "SELECT count(*) FROM generate_series(1, 1000000000000) AS number"


def test_the_queries_of_a_killed_server_are_ended_and_other_servers_left_alone(made: Path, new_data: Path) -> None:
    """A query goes on without its server, and a new server would refuse to start beside it."""
    other = made / "other"
    other.mkdir(mode=0o711)
    _copy(new_data, other)
    with postgres(made) as server, postgres(other) as neighbour:
        server.make_owner()
        connection = psycopg2.connect(server.url(), async_=True)
        wait_select(connection)
        connection.cursor().execute(LONG_QUERY)
        running = (server.query("SELECT 1 FROM pg_stat_activity WHERE query = %s", LONG_QUERY) for _ask in range(1000))
        assert "1" in running
        server.process.kill()
        server.process.wait()
        leftovers = server.end_leftovers()
        assert leftovers
        _gone, alive = psutil.wait_procs(leftovers, timeout=20)
        assert alive == []
        connection.close()
        server._start_once()
        assert server.query("SELECT 1") == neighbour.query("SELECT 1") == "1"


@pytest.mark.exhaustive
def test_a_server_that_outlived_its_holder_is_ended_first(made: Path) -> None:
    with postgres(made) as orphan, postgres(made) as server:
        assert server.query("SELECT 1") == "1"
        assert orphan.process is not None
        assert orphan.process.poll() == 0


@pytest.mark.exhaustive
def test_a_start_cut_short_while_making_data_is_made_again(new_data: Path, running: PostgresServer) -> None:
    assert [path.name for path in new_data.parent.iterdir() if path.name.endswith(".new")] == []
    assert running.query("SELECT 1") == "1"


def test_a_path_too_long_for_a_socket(folder: Path, new_data: Path) -> None:
    deep = folder / ("long" * 30)
    deep.mkdir(mode=0o711)
    _copy(new_data, deep)
    with postgres(deep) as server:
        assert server.query("SELECT 1") == "1"
        sockets = server.sockets
        assert not sockets.is_relative_to(deep)
        assert stat.S_IMODE(sockets.stat().st_mode) == 0o700
    assert not sockets.exists()


def test_a_folder_closed_to_everybody_else(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Root's clone often lies in one; the data then live outside, behind a link, and are found again."""
    monkeypatch.setattr(accounts, "SHELTER", folder / "shelter")
    closed = Path(tempfile.mkdtemp(dir=folder))
    with postgres(closed) as server:
        server.query("CREATE TABLE kept AS SELECT 1 AS one")
    with postgres(closed) as server:
        assert server.query("SELECT one FROM kept") == "1"
    assert stat.S_IMODE(closed.stat().st_mode) == 0o700
    assert (closed / "postgres").is_symlink() == (os.geteuid() == 0)


def test_programs_out_of_reach_are_copied(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """As for root whose virtual environment lies in a closed folder; for anybody else nothing is copied."""
    asked: list[Path] = []
    may_enter = accounts.may_enter

    def not_the_programs(path: Path, account: Account) -> bool:
        asked.append(path)
        return may_enter(path, account) and (not account or path.name != "bin")

    monkeypatch.setattr(accounts, "may_enter", not_the_programs)
    with postgres(folder) as server:
        assert server.query("SELECT 1") == "1"
        assert server.installed.is_relative_to(folder) == (os.geteuid() == 0)
    assert asked


def test_only_the_owner_can_open_the_socket_and_there_is_no_port(running: PostgresServer) -> None:
    assert stat.S_IMODE(running.sockets.stat().st_mode) == 0o700
    assert running.process is not None
    assert [one for one in psutil.Process(running.process.pid).net_connections("inet") if one.laddr] == []


def refusal(server: PostgresServer, user: str, password: str = "") -> str:
    """Return why PostgreSQL does not let a role in."""
    with pytest.raises(psycopg2.OperationalError) as refused:
        psycopg2.connect(host=str(server.sockets), dbname="postgres", user=user, password=password)
    return str(refused.value)


@pytest.mark.parametrize("role", [SUPERUSER, OWNER])
def test_the_socket_asks_for_a_password_whoever_opens_it(running: PostgresServer, role: str) -> None:
    """The server's account is often `nobody`, which other daemons run under as well."""
    assert "no password supplied" in refusal(running, role)
    assert "password authentication failed" in refusal(running, role, password="a guess")
    psycopg2.connect(running.url("postgres"), user=role).close()
    assert running.query("SELECT count(*) FROM pg_authid WHERE rolpassword LIKE 'SCRAM-SHA-256$%'") == "2"


@pytest.mark.exhaustive
def test_data_of_a_version_that_trusted_everybody_are_moved_over(made: Path) -> None:
    rules = made / "postgres" / "pg_hba.conf"
    with postgres(made) as server:
        server.make_owner()
        server.query("CREATE TABLE kept AS SELECT 1 AS one")
        for role in (OWNER, SUPERUSER):
            server.query(f"ALTER ROLE {role} PASSWORD NULL")
    rules.write_text("local all all trust\n")
    with postgres(made) as server:
        server.make_owner()
        assert server.query("SELECT one FROM kept") == "1"
        psycopg2.connect(server.url()).close()
        for role in (SUPERUSER, OWNER):
            assert "no password supplied" in refusal(server, role)
    assert "trust" not in rules.read_text()


@pytest.mark.exhaustive
def test_passwords_that_a_restore_brought_from_another_machine_take_over(made: Path) -> None:
    with postgres(made) as server:
        server.make_owner()
        server.query("CREATE TABLE kept AS SELECT 1 AS one")
    with postgres(made, Passwords("it's another", "and: another")) as server:
        server.make_owner()
        assert server.query("SELECT one FROM kept") == "1"
        psycopg2.connect(server.url()).close()
        assert "password authentication failed" in refusal(server, SUPERUSER, password=PASSWORDS.administrator)


def test_refused_rows_are_not_logged(running: PostgresServer) -> None:
    running.query("CREATE TABLE answer (body text CHECK (body <> 'a confession'))")
    with pytest.raises(ServiceError, match="violates check constraint"):
        running.query("INSERT INTO answer VALUES ('a confession')")
    assert "violates check constraint" in running.log.read_text()
    assert "a confession" not in running.log.read_text()


def test_data_of_another_version_are_left_alone(folder: Path) -> None:
    (folder / "postgres").mkdir()
    (folder / "postgres" / "PG_VERSION").write_text("17\n")
    with pytest.raises(ServiceError, match=r"made by PostgreSQL 17, and this is 18.*make backup"), postgres(folder):
        pytest.fail("started on data of another version")


def test_what_keeps_it_from_starting_is_told(made: Path) -> None:
    with postgres(made):
        pass
    (made / "postgres" / "global" / "pg_control").unlink()
    with pytest.raises(ServiceError, match=r"(?s)PostgreSQL did not start.*pg_control"), postgres(made):
        pytest.fail("started without pg_control")


@pytest.fixture
def valkey(folder: Path) -> Iterator[ValkeyServer]:
    server = ValkeyServer(folder / "valkey", log=folder / "valkey.log", password="a-password")
    server.start()
    yield server
    server.stop()


def test_what_the_broker_holds_survives_a_restart_and_a_crash(valkey: ValkeyServer) -> None:
    redis.Redis.from_url(valkey.url()).rpush("quick", "a job")
    assert valkey.stop()
    valkey.start()
    client = redis.Redis.from_url(valkey.url())
    assert client.lrange("quick", 0, -1) == [b"a job"]
    client.rpush("quick", "another")
    client.waitaof(1, 0, 5000)
    assert valkey.process is not None
    valkey.process.send_signal(signal.SIGKILL)
    valkey.process.wait()
    valkey.start()
    assert redis.Redis.from_url(valkey.url()).llen("quick") == 2


def test_the_broker_wants_its_password_and_shows_it_to_nobody(valkey: ValkeyServer) -> None:
    with pytest.raises(redis.AuthenticationError):
        redis.Redis.from_url(f"redis://127.0.0.1:{valkey.port}/0").ping()
    assert valkey.process is not None
    process = psutil.Process(valkey.process.pid)
    assert "a-password" not in " ".join(process.cmdline())
    addresses = {one.laddr.ip for one in process.net_connections("inet") if one.laddr}
    assert addresses == {"127.0.0.1"}


def test_a_port_taken_in_the_last_moment_is_no_problem(
    valkey: ValkeyServer, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    offers = iter([valkey.port, valkey.port])
    free = a_free_port()
    monkeypatch.setattr("evalweb.local_services.valkey._free_port", lambda: next(offers, free))
    second = ValkeyServer(folder / "second", log=folder / "second.log", password="x", fleeting=True)
    second.start()
    assert second.port == free
    assert second.stop()


def a_free_port() -> int:
    """Return a port of the module's own choice, before a test takes the choice over."""
    return valkey_module._free_port()


def test_servers_end_with_the_process_that_started_them(made: Path) -> None:
    """Linux tells them; elsewhere the next start ends them (see test_a_server_that_outlived_its_holder...)."""
    story = (
        "import sys, threading\n"
        "from pathlib import Path\n"
        "from evalweb.local_services import PostgresServer\n"
        "from evalweb.local_services.postgres import Passwords\n"
        "folder = Path(sys.argv[1])\n"
        "server = PostgresServer(folder / 'postgres', log=folder / 'log', passwords=Passwords(*sys.argv[2:]))\n"
        "server.start()\n"
        "print(server.process.pid, flush=True)\n"
        "threading.Event().wait()\n"
    )
    command = [sys.executable, "-c", story, str(made), *PASSWORDS]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        server = psutil.Process(int(holder.stdout.readline()))
        holder.kill()
    if sys.platform == "linux":
        psutil.wait_procs([server], timeout=20)
        assert not (made / "postgres" / "postmaster.pid").exists()
