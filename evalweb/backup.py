"""Back up and restore: `python -m evalweb.backup create` and `... restore FILE` (`make backup`, `make restore FILE=`).

A backup is one tar.gz, readable by its owner only: the database as pg_dump writes it, the media, the secrets, and a
manifest with the digest of each. A restore proves them all before it changes anything, puts the database back in one
transaction, and keeps a backup of what it replaces. Keys that sign archives are joined with those that are here.
"""

import argparse
import hashlib
import json
import os
import secrets
import subprocess
import sys
import tarfile
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from threading import Event
from typing import Any, TypeGuard
from urllib.parse import unquote, urlsplit

import django
import psycopg2

from analytics_app.archive.keys import LINE, BadKeys, KeyRing, now
from evalweb import local_services
from evalweb.local_services import InUse, ServiceError, VarFolder
from evalweb.local_services.folder import SITE, secrets_in
from evalweb.local_services.postgres import program
from evalweb.local_services.processes import FULL_DISK, sentence
from evalweb.migration_state import listed, unknown
from tasks_app.services import tombstones

FORMAT = 1
DUMP, SECRETS, MEDIA, MANIFEST = "database.dump", "secrets", "media", "manifest.json"
# Connections of clients; those that other roles own show neither what they do nor what they are.
OTHER_SESSIONS = """SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND usename IS NOT NULL
    AND pid <> pg_backend_pid() AND coalesce(backend_type, 'client backend') = 'client backend'"""
# Rows written since the statistics began; sessions that have ended have all been counted.
ROWS_WRITTEN = "SELECT coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0)::bigint FROM pg_stat_user_tables"
# Our own sessions are still counted for a moment after they are closed.
TRIES, SECONDS_BETWEEN_TRIES = 30, 0.1
EMPTYING = f"""
SET client_min_messages = warning;
SET lock_timeout = '10s';
DO $$
DECLARE
    tables text := (SELECT string_agg(format('%I.%I', schemaname, tablename), ', ')
                    FROM pg_tables WHERE schemaname = 'public');
    others integer;
BEGIN
    IF tables IS NOT NULL THEN
        EXECUTE 'LOCK TABLE ' || tables || ' IN ACCESS EXCLUSIVE MODE';
    END IF;
    FOR again IN 1..{TRIES} LOOP
        PERFORM pg_stat_clear_snapshot();
        others := ({OTHER_SESSIONS});
        EXIT WHEN others = 0;
        PERFORM pg_sleep({SECONDS_BETWEEN_TRIES});
    END LOOP;
    IF others > 0 OR ({ROWS_WRITTEN}) <> {{rows_written}} THEN
        RAISE 'somebody has used the database meanwhile. Stop web, worker and scheduler. Nothing was changed.';
    END IF;
END $$;
DROP SCHEMA public CASCADE;
CREATE SCHEMA public;
ALTER SCHEMA public OWNER TO pg_database_owner;
"""  # noqa: S608  constants
# Backups that are named where another one is asked for.
MOST_NAMED = 3
MIGRATIONS = "SELECT app || '.' || name FROM django_migrations ORDER BY id"


def main(arguments: list[str] | None = None) -> int:
    """Back up or restore, as the command line says, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m evalweb.backup", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    making = commands.add_parser("create", help="write a backup and print its path")
    making.add_argument("--to", type=Path, help="folder for the file (default: backups in EVALWEB_VAR)")
    commands.add_parser("restore", help="replace everything by a backup").add_argument("file", type=Path)
    options = parser.parse_args(arguments)
    var = VarFolder()
    try:
        if options.command == "create":
            with local_services.database("make backup", var=var):
                sys.stdout.write(f"{create(var, options.to)}\n")
        else:
            _refuse_missing(options.file, var)
            # A machine that was never started has no key; the restore signs nothing and brings the key of the backup.
            os.environ.setdefault("SECRET_KEY", secrets.token_urlsafe(48))
            with local_services.database("make restore", var=var, alone=True):
                django.setup()
                restore(var, options.file, sys.stdout.write)
    except InUse as other:
        is_site = other.state.get("what") == SITE
        advice = "Stop it with `make stop` first." if is_site else "Wait until it has ended."
        sys.stderr.write(f"{other} {advice} Nothing was changed.\n")
        return 1
    except ServiceError as problem:
        sys.stderr.write(f"{problem}\n")
        return 1
    except OSError as problem:
        sys.stderr.write(f"{sentence(problem)}\n")
        return 1
    return 0


def _refuse_missing(file: Path, var: VarFolder) -> None:
    """Refuse a backup that is not there, with the newest ones that are."""
    if file.is_file():
        return
    problem = f"{file} is a folder" if file.is_dir() else f"There is no file {file}"
    newest = sorted(var.backups.glob("evalweb-*.tar.gz"), reverse=True)[:MOST_NAMED]
    known = f"the newest here: {listed([str(path) for path in newest])}" if newest else f"none is in {var.backups}"
    raise ServiceError(f"{problem}. Name a backup ({known}). Nothing was changed.")


def create(var: VarFolder, folder: Path | None = None) -> Path:
    """Write a backup of the database at DATABASE_URL and of `var`, and return its path.

    The database is dumped first. Media are only ever added, under the digest of their content, so all files that the
    dump names exist when they are copied afterwards.
    """
    var.make()
    _list_erasures(var)
    folder = folder or var.backups
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"evalweb-{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}.tar.gz"
    with tempfile.TemporaryDirectory(dir=folder, prefix=".backup-") as scratch:
        dump = Path(scratch) / DUMP
        _run([program("pg_dump"), "--format=custom", "--no-owner", "--no-privileges", "-f", str(dump)], database=True)
        unfinished = Path(scratch) / target.name
        with open(unfinished, "wb", opener=_private) as file, tarfile.open(fileobj=file, mode="w:gz") as archive:
            digests = _add(archive, dump, DUMP)
            if var.secrets.exists():
                digests |= _add(archive, var.secrets, SECRETS)
            for path in sorted(path for path in var.media.rglob("*") if path.is_file()):
                digests |= _add(archive, path, f"{MEDIA}/{path.relative_to(var.media)}")
            _add_manifest(archive, Path(scratch), digests)
        unfinished.rename(target)
    return target


def restore(var: VarFolder, file: Path, say: Any) -> None:
    """Replace database, media and secrets by those of a backup; ServiceError where it cannot be trusted.

    Raises before anything is changed where the file is damaged, was made by a newer version than this one, or where
    others are connected to the database: what they wrote after the backup of it would be lost.
    """
    var.make()
    _refuse_other_sessions()
    with _unpacked(file, var.root) as content:
        manifest = _proved(content, file)
        _refuse_newer(manifest)
        restored = secrets_in((content / SECRETS).read_text()) if (content / SECRETS).exists() else {}
        is_new = not _applied_migrations()
        joined_secrets(var.read_secrets(), restored, is_new=is_new)  # refuses damaged keys before anything is changed
        written = _ask(ROWS_WRITTEN)
        if not is_new:
            say(f"Backing up what is here: {create(var)}\n")
        say(f"Restoring the database of {manifest['made']}\n")
        _replace_database(content / DUMP, written)
        say(f"Restoring {sum(name.startswith(MEDIA) for name in manifest['files'])} media files and the secrets\n")
        _replace_folder(var.media, content / MEDIA)
        if restored:
            with var.changed_secrets() as values:
                values.update(joined_secrets(values, restored, is_new=is_new))
    for line in tombstones.announced(var.erasures):
        say(f"{line}\n")
    say("Done. `make run` starts evalweb with the restored data.\n")


def joined_secrets(present: dict[str, str], restored: dict[str, str], *, is_new: bool = False) -> dict[str, str]:
    """Return the secrets of a backup in the place of those here; ServiceError where keys are damaged.

    Secrets that it lacks stay, as an older backup has no keys for archives, and one of Docker has no passwords. Of
    keys that sign archives none is forgotten: a key that was retired or declared compromised since stays so. Only the
    key of a machine that `is_new` gives way, as it was made a moment ago and has signed nothing.
    """
    joined = present | restored
    if LINE in present and LINE in restored and not is_new:
        try:
            here, back = KeyRing.read(present[LINE]), KeyRing.read(restored[LINE])
        except BadKeys as problem:
            raise ServiceError(f"{problem} Nothing was changed.") from problem
        joined[LINE] = here.joined(back, now()).write()
    return joined


def _list_erasures(var: VarFolder) -> None:
    """Add erased raters and deleted studies of the database to the list outside it, from which both are repeated."""
    listed: list[tombstones.AnyTombstone] = []
    with _cursor() as cursor:
        if not _is_there(cursor, "tasks_app_rater"):
            return
        cursor.execute(tombstones.ERASED)
        listed += [tombstones.of_seeds(*row) for row in cursor.fetchall()]
        if _is_there(cursor, "tasks_app_deletedstudy"):
            cursor.execute(tombstones.DELETED)
            listed += [tombstones.StudyTombstone(*row) for row in cursor.fetchall()]
    try:
        tombstones.add(var.erasures, listed)
    except ValueError as problem:
        raise ServiceError(str(problem)) from problem


def _is_there(cursor: Any, table: str) -> bool:
    """Return whether the database has a table yet."""
    cursor.execute("SELECT to_regclass(%s) IS NOT NULL", [table])
    return bool(cursor.fetchone() == (True,))


def _refuse_other_sessions() -> None:
    n_sessions = 0
    for _try in range(TRIES):
        n_sessions = _ask(OTHER_SESSIONS)
        if not n_sessions:
            return
        Event().wait(SECONDS_BETWEEN_TRIES)
    raise ServiceError(
        f"{n_sessions} other sessions are connected to the database, such as a web server or a worker: what they store "
        "meanwhile would be lost. Stop them, then restore. Nothing was changed."
    )


def _database() -> str:
    """Return the address of the database; ServiceError where no setting names it."""
    if not (url := os.environ.get("DATABASE_URL")):
        raise ServiceError("There is no database here yet. Start evalweb once with `make run`, or set DATABASE_URL.")
    return url


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_EXCL, 0o600)


def _run(command: list[str], *, database: bool = False) -> None:
    """Run one of PostgreSQL's programs, on the database if asked to; ServiceError with its complaint where it fails.

    The password goes by the environment: every user of the machine can read arguments.
    """
    environment = dict(os.environ)
    if database:
        url = urlsplit(_database())
        if url.password is not None:
            environment["PGPASSWORD"] = unquote(url.password)
        user, at, place = url.netloc.rpartition("@")
        command = [*command, url._replace(netloc=f"{user.partition(':')[0]}{at}{place}").geturl()]
    answer = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False, env=environment)
    if answer.returncode != 0:
        raise ServiceError(f"{Path(command[0]).name} failed: {answer.stderr.decode(errors='replace').strip()}")


def _add(archive: tarfile.TarFile, path: Path, name: str) -> dict[str, str]:
    """Put a file into the archive without this machine's users, and return its digest by its name."""
    entry = archive.gettarinfo(path, name)
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    entry.mode = 0o600
    with path.open("rb") as file:
        archive.addfile(entry, file)
    return {name: _digest(path)}


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _add_manifest(archive: tarfile.TarFile, scratch: Path, digests: dict[str, str]) -> None:
    manifest = {
        "format": FORMAT,
        "made": f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC",
        "migrations": _applied_migrations(),
        "files": digests,
    }
    path = scratch / MANIFEST
    path.write_text(json.dumps(manifest, indent=1))
    _add(archive, path, MANIFEST)


def _applied_migrations() -> list[str]:
    """Return the applied migrations; an empty list if the database was never migrated."""
    with _cursor() as cursor:
        cursor.execute("SELECT to_regclass('django_migrations') IS NOT NULL")
        if cursor.fetchone() != (True,):
            return []
        cursor.execute(MIGRATIONS)
        return [name for (name,) in cursor.fetchall()]


def _ask(statement: str) -> int:
    """Return the number that a statement selects."""
    with _cursor() as cursor:
        cursor.execute(statement)
        return int((cursor.fetchone() or (0,))[0])


@contextmanager
def _cursor() -> "Iterator[psycopg2.extensions.cursor]":
    try:
        connection = psycopg2.connect(_database())
    except psycopg2.OperationalError as problem:
        raise ServiceError(f"The database does not take connections: {problem}") from problem
    try:
        with connection.cursor() as cursor:
            yield cursor
    finally:
        connection.close()


@contextmanager
def _unpacked(file: Path, root: Path) -> Iterator[Path]:
    """Unpack beside the data, on the same disk, so that the contents can be moved into their place."""
    with tempfile.TemporaryDirectory(dir=root, prefix=".restore-") as scratch:
        try:
            with tarfile.open(file, "r:gz") as archive:
                archive.extractall(scratch, filter="data")
        except (OSError, EOFError, tarfile.TarError, zlib.error) as problem:
            if isinstance(problem, OSError) and problem.errno in FULL_DISK:
                raise ServiceError(f"There is no room in {root} to unpack {file}. Nothing was changed.") from problem
            reason = sentence(problem) if isinstance(problem, OSError) and problem.errno else problem
            raise ServiceError(f"{file} cannot be read as a backup: {reason}") from problem
        yield Path(scratch)


def _proved(content: Path, file: Path) -> dict[str, Any]:
    """Return the manifest after comparing every file with its digest."""
    try:
        manifest: Any = json.loads((content / MANIFEST).read_text())
    except (OSError, ValueError, RecursionError) as problem:
        raise ServiceError(f"{file} holds no manifest: it is not a backup of evalweb, or not a whole one.") from problem
    form = manifest.get("format", FORMAT) if isinstance(manifest, dict) else FORMAT
    if form != FORMAT:
        raise ServiceError(f"{file} has format {form}, this version reads {FORMAT}. Update evalweb first.")
    if not _is_manifest(manifest):
        raise ServiceError(f"{file} is damaged: its manifest lacks something. Nothing was changed.")
    expected: dict[str, str] = manifest["files"]
    paths = (path for path in content.rglob("*") if path.is_file() and path.name != MANIFEST)
    digests = {str(path.relative_to(content)): _digest(path) for path in paths}
    if wrong := sorted(dict(digests.items() ^ expected.items())):
        raise ServiceError(f"{file} is damaged: {', '.join(wrong[:5])} is not what was backed up. Nothing was changed.")
    return manifest


def _is_manifest(manifest: object) -> TypeGuard[dict[str, Any]]:
    """Return whether everything that `_add_manifest` writes is there."""
    if not isinstance(manifest, dict) or set(manifest) < {"format", "made", "migrations", "files"}:
        return False
    migrations, files = manifest["migrations"], manifest["files"]
    return (
        isinstance(manifest["made"], str)
        and isinstance(migrations, list)
        and all(isinstance(name, str) for name in migrations)
        and isinstance(files, dict)
        and all(isinstance(digest, str) for digest in files.values())
        and DUMP in files
    )


def _refuse_newer(manifest: dict[str, Any]) -> None:
    """Refuse a backup with a database that knows migrations unknown to this version."""
    if newer := unknown(manifest["migrations"]):
        raise ServiceError(
            f"The backup was made by a newer version of evalweb (it has {listed(newer)}). Update evalweb, then "
            "restore. Nothing was changed."
        )


def _replace_database(dump: Path, rows_written: int) -> None:
    """Put the dump in the place of everything there, in one transaction: all of it or nothing.

    Refuses where others are connected once the tables are locked, or have written anything since `rows_written`.
    """
    emptying, filling = dump.with_name("empty.sql"), dump.with_name("fill.sql")
    emptying.write_text(EMPTYING.replace("{rows_written}", str(rows_written)))
    _run([program("pg_restore"), "--no-owner", "--no-privileges", "-f", str(filling), str(dump)])
    scripts = ["-f", str(emptying), "-f", str(filling)]
    _run([program("psql"), "-X", "-q", "-1", "-v", "ON_ERROR_STOP=1", *scripts], database=True)


def _replace_folder(folder: Path, content: Path) -> None:
    """Move `content` into the place of `folder`; the old content is in the backup made before."""
    content.mkdir(exist_ok=True)
    for path in [content, *content.rglob("*")]:
        path.chmod(0o700 if path.is_dir() else 0o600)
    replaced = content.with_name("replaced")
    if folder.exists():
        folder.rename(replaced)
    content.rename(folder)


if __name__ == "__main__":
    sys.exit(main())
