"""Prepare the database and files for the site: migrations, static files, first login, demonstration studies.

`make run` calls it before it serves, and so does the one-shot service of docker-compose.yml. Several may start at
once: an advisory lock lets one work while the others wait, and each step finds its work done already.
"""

import argparse
import json
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any

import django
from django.contrib.auth import get_user_model
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection

from analytics_app.archive.keys import LINE
from evalweb import backup, environment, static_files
from evalweb.elapsed import elapsed_shown
from evalweb.local_services import VarFolder
from evalweb.local_services.folder import write_private
from evalweb.migration_state import listed, newer_migrations, pending_migrations

# Any number that nothing else in the database locks; "evalweb" on a phone keypad.
PREPARE_LOCK = 3_825_932
RESEARCHER = "researcher"


def main(arguments: list[str] | None = None) -> None:
    """Run the steps that the command line asks for, with one line of progress per step."""
    options = _parser().parse_args(arguments)
    report: dict[str, Any] = {"login": RESEARCHER, "password_valid": False}
    wait_for_database(environment.number("EVALWEB_DATABASE_SECONDS"))
    # Passwords are asked for in the environment; the keys that sign archives are always in this file.
    make_signing_keys()
    with collecting_static() if options.static else nullcontext(), one_at_a_time():
        migrate(backup_first=options.backup)
        repeat_erasures()
        report["password_valid"] = make_researcher(environment.text("EVALWEB_RESEARCHER_PASSWORD"))
    if options.report:
        write_private(options.report, json.dumps(report))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m evalweb.prepare", description=__doc__)
    parser.add_argument("--backup", action="store_true", help="back up before migrating data that exist")
    parser.add_argument("--static", action="store_true", help="collect static files")
    parser.add_argument("--report", type=Path, metavar="FILE", help="write the state of the login as JSON")
    return parser


def say(line: str) -> None:
    """Print a line of progress."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def wait_for_database(seconds: int) -> None:
    """Wait until the database takes connections; say why it does not and exit if it does not in time."""
    deadline = monotonic() + seconds
    waiting = False
    while True:
        try:
            connection.ensure_connection()
        except OperationalError as problem:
            if monotonic() >= deadline:
                sys.exit(f"The database did not answer within {seconds} seconds: {problem}")
            if not waiting:
                say("Waiting for the database")
                waiting = True
            Event().wait(0.5)
        else:
            return


def make_signing_keys() -> None:
    """Make the key that signs archives, if this site has none yet."""
    var = VarFolder()
    var.make()
    var.make_secrets([LINE])


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """Wait for others who prepare the same database."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", [PREPARE_LOCK])
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [PREPARE_LOCK])


def migrate(*, backup_first: bool) -> None:
    """Bring the database up to this version, after a backup where it holds data already.

    Exits where a newer version has migrated it: this version's pages would read and write other columns.
    """
    if newer := newer_migrations():
        sys.exit(
            f"A newer version of evalweb has migrated this database (it has {listed(newer)}). Start that version, or "
            "restore a backup that this version made. Nothing was changed."
        )
    pending = pending_migrations()
    if not pending:
        say("The database is up to date")
        return
    if backup_first and "django_migrations" in connection.introspection.table_names():
        say("Backing up before the database is changed")
        with elapsed_shown(say):
            backup_file = backup.create(VarFolder())
        say(f"  {backup_file}")
    say(f"Preparing the database: {len(pending)} migrations")
    with elapsed_shown(say):
        call_command("migrate", interactive=False, verbosity=0)


def repeat_erasures() -> None:
    """Erase raters and delete studies again that an older backup has brought back, before anybody can see them."""
    try:
        call_command("repeat_erasures", stdout=sys.stdout)
    except CommandError as problem:
        sys.exit(f"Erasures cannot be repeated: {problem}")


@contextmanager
def collecting_static() -> Iterator[None]:
    """Gather style sheets and scripts for the web server, beside the work of the context.

    A thread compresses files while the other one has the database change its tables.
    """
    with ThreadPoolExecutor(max_workers=1) as thread:
        collecting = thread.submit(static_files.collect)
        yield
        if collecting.running():
            say("Collecting static files")
        with elapsed_shown(say):
            collecting.result()


def make_researcher(password: str) -> bool:
    """Make the first login where nobody has its name yet, and return whether `password` opens it."""
    if not password:
        return False
    users = get_user_model()._default_manager
    researcher = users.filter(username=RESEARCHER).first()
    if researcher is None:
        say(f"Making the login {RESEARCHER}")
        researcher = users.create_superuser(username=RESEARCHER, password=password)
    return bool(researcher.check_password(password))


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalweb.settings")
    os.environ["EVALWEB_STATEMENT_SECONDS"] = os.environ["EVALWEB_LOCK_SECONDS"] = "0"
    os.environ.setdefault("EVALWEB_LOG_LEVEL", "WARNING")  # its output is read by people
    django.setup()
    main()
