"""The private PostgreSQL and Valkey: for `make run` all the time it runs, for commands as long as they need them.

Nothing of this is used where DATABASE_URL (and REDIS_URL) name other servers.
"""

import os
import secrets
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from evalweb.elapsed import elapsed_shown
from evalweb.local_services.folder import InUse, VarFolder
from evalweb.local_services.postgres import FLEETING, Passwords, PostgresServer
from evalweb.local_services.processes import ServiceError
from evalweb.local_services.valkey import ValkeyServer

__all__ = [
    "InUse",
    "PostgresServer",
    "ServiceError",
    "ValkeyServer",
    "VarFolder",
    "database",
    "servers",
    "throwaway_database",
]

Say = Callable[[str], None]


class Servers(NamedTuple):
    """DATABASE_URL and REDIS_URL, and those of the two servers that run for this process alone."""

    urls: dict[str, str]
    private: list[PostgresServer | ValkeyServer]


@contextmanager
def servers(var: VarFolder, say: Say) -> Iterator[Servers]:
    """Run the servers that the environment does not name.

    The caller holds `var`. The servers are stopped at the end in the opposite order.
    """
    with ExitStack() as stack:
        urls: dict[str, str] = {}
        private: list[PostgresServer | ValkeyServer] = []
        if named := os.environ.get("DATABASE_URL"):
            say("Using the PostgreSQL that DATABASE_URL names")
            urls["DATABASE_URL"] = named
        else:
            say("Starting PostgreSQL")
            with elapsed_shown(say):
                postgres = stack.enter_context(_postgres(var, say))
            urls["DATABASE_URL"] = postgres.url()
            private.append(postgres)
        if named := os.environ.get("REDIS_URL"):
            say("Using the broker that REDIS_URL names")
            urls["REDIS_URL"] = named
        else:
            say("Starting Valkey")
            with elapsed_shown(say):
                valkey = stack.enter_context(_valkey(var, say))
            urls["REDIS_URL"] = valkey.url()
            private.append(valkey)
        yield Servers(urls, private)


@contextmanager
def database(what: str, *, var: VarFolder | None = None, alone: bool = False) -> Iterator[None]:
    """Let this process find the database: named by DATABASE_URL, of a running `make run`, or started for the moment.

    Fills os.environ before settings are read. Does nothing on a machine where `make run` never made a database.
    With `alone`, nobody else may be using the folder, and a database is made where there is none.

    Raises
    ------
    InUse
        With `alone`, while somebody else holds the folder.
    """
    var = var or VarFolder()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalweb.settings")
    for name, value in var.variables().items():
        os.environ.setdefault(name, value)
    os.environ.setdefault("ALLOWED_HOSTS", "localhost,127.0.0.1")
    with ExitStack() as stack:
        private = not os.environ.get("DATABASE_URL") and (alone or var.postgres.exists())
        if alone:
            stack.enter_context(var.held(what))
        elif private:
            private = _hold_or_borrow(stack, var, what)
        if private:
            server = stack.enter_context(_postgres(var, _silent))
            os.environ["DATABASE_URL"] = server.url()
        yield


@contextmanager
def throwaway_database() -> Iterator[None]:
    """Let this process work on an empty database of its own, regardless of DATABASE_URL; it is gone at the end.

    Fills os.environ before settings are read.
    """
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalweb.settings")
    os.environ.setdefault("SECRET_KEY", secrets.token_urlsafe(50))
    os.environ.setdefault("ALLOWED_HOSTS", "localhost,127.0.0.1")
    with tempfile.TemporaryDirectory(prefix="evalweb-") as name:
        folder = Path(name)
        # PostgreSQL never runs as root: its account has to reach its folder.
        folder.chmod(0o711 if os.geteuid() == 0 else 0o700)
        passwords = Passwords(administrator=secrets.token_hex(16), owner=secrets.token_hex(16))
        server = PostgresServer(folder / "postgres", log=folder / "log", passwords=passwords, settings=FLEETING)
        try:
            server.start()
            server.make_owner()
            os.environ["DATABASE_URL"] = server.url()
            yield
        finally:
            server.stop()


def _hold_or_borrow(stack: ExitStack, var: VarFolder, what: str) -> bool:
    """Hold the folder, or borrow the servers of a `make run`. Return whether a server must be started."""
    try:
        stack.enter_context(var.held(what))
    except InUse as other:
        names = ("DATABASE_URL", "REDIS_URL")
        if all(name in other.state for name in names):
            os.environ.update({name: other.state[name] for name in names})
            return False
        # Another command, which stops its database when it is done, or a `make run` that is only just starting.
        sys.stderr.write(f"{other} Waiting for it to end.\n")
        stack.enter_context(var.held(what, wait=True))
    return True


@contextmanager
def _postgres(var: VarFolder, say: Say) -> Iterator[PostgresServer]:
    secrets = var.make_secrets()
    passwords = Passwords(
        administrator=secrets["EVALWEB_DATABASE_ADMINISTRATOR_PASSWORD"], owner=secrets["EVALWEB_DATABASE_PASSWORD"]
    )
    server = PostgresServer(var.postgres, log=var.logs / "postgres.log", passwords=passwords)
    try:
        server.start()
        if server.folder.parent != server.link.parent.resolve():
            say(f"PostgreSQL's account cannot enter {var.root}, so its data are in {server.folder}")
        server.make_owner()
        yield server
    finally:
        if not server.stop():
            say(f"PostgreSQL did not shut down cleanly; see {server.log}. It repairs itself at the next start.")


@contextmanager
def _valkey(var: VarFolder, say: Say) -> Iterator[ValkeyServer]:
    password = var.make_secrets()["EVALWEB_BROKER_PASSWORD"]
    server = ValkeyServer(var.valkey, log=var.logs / "valkey.log", password=password)
    try:
        server.start()
        yield server
    finally:
        if not server.stop():
            say(f"Valkey did not shut down cleanly; see {server.log}.")


def _silent(_line: str) -> None:
    """Print nothing, since the output belongs to the command."""
