"""Backup and restore, as the commands people run do them."""

import errno
import json
import os
import re
import stat
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from functools import partial
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch
from urllib.parse import unquote

import psycopg2
import pytest

from analytics_app.archive.keys import LINE, KeyRing, now
from evalweb import backup
from evalweb.local_services import VarFolder
from evalweb.local_services.folder import BASE_DIR
from evalweb.local_services.postgres import OWNER, SUPERUSER
from tasks_app.services import tombstones
from tests.deviations import assert_each
from tests.servers import new_database, temporary_folder

KNOWN = "INSERT INTO django_migrations (app, name) VALUES ('sessions', '0001_initial')"


class Installation:
    """A database and a folder of one installation, with a few things of every kind in them."""

    def __init__(self, folder: Path, name: str) -> None:
        self.var = VarFolder(folder / name)
        self.url = new_database(f"{name}_{os.environ.get('PYTEST_XDIST_WORKER', 'alone')}")

    def fill(self, text: str) -> None:
        """Store a row, a medium and secrets."""
        self.sql("CREATE TABLE django_migrations (id serial, app text, name text)")
        self.sql(KNOWN)
        self.sql("CREATE TABLE judgment (id serial PRIMARY KEY, answer jsonb)")
        self.sql("INSERT INTO judgment (answer) VALUES (jsonb_build_object('text', %s))", text)
        self.var.make()
        self.var.write_secrets({"SECRET_KEY": f"secret of {text}", LINE: KeyRing.new(now()).write()})
        (self.var.media / "ab").mkdir()
        (self.var.media / "ab" / "abcd.png").write_bytes(text.encode())

    def sql(self, statement: str, *values: object, as_superuser: bool = False) -> list[tuple[object, ...]]:
        """Run one statement."""
        connection = psycopg2.connect(self.url, user=SUPERUSER if as_superuser else OWNER)
        try:
            with connection, connection.cursor() as cursor:
                cursor.execute(statement, values)
                return cursor.fetchall() if cursor.description else []
        finally:
            connection.close()

    def content(self) -> tuple[object, dict[str, str], dict[str, str]]:
        """Return all that a backup must bring back."""
        media = {str(path.relative_to(self.var.media)): path.read_text() for path in self.var.media.rglob("*.png")}
        return self.sql("SELECT id, answer FROM judgment ORDER BY id"), media, self.var.read_secrets()

    def run(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """Do what `python -m evalweb.backup` does, without the second it takes to start Django anew."""
        said, complained = StringIO(), StringIO()
        here = {"DATABASE_URL": self.url, "EVALWEB_VAR": str(self.var.root)}
        with patch.dict(os.environ, here), redirect_stdout(said), redirect_stderr(complained):
            code = backup.main([*arguments])
        return subprocess.CompletedProcess(arguments, code, said.getvalue(), complained.getvalue())

    def back_up(self) -> Path:
        """Make a backup and return where it is."""
        answer = self.run("create")
        assert answer.returncode == 0, answer.stderr
        return Path(answer.stdout.strip())


@pytest.fixture
def here(tmp_path: Path) -> Installation:
    installation = Installation(tmp_path, "here")
    installation.fill("judged – mit Umlauten: äöü")
    return installation


def test_a_round_trip_brings_everything_back(here: Installation) -> None:
    before = here.content()
    file = here.back_up()
    here.sql("UPDATE judgment SET answer = '{}'")
    here.sql("INSERT INTO judgment (answer) VALUES ('{}')")
    here.sql("CREATE TABLE later (id int)")
    (here.var.media / "later.png").write_text("later")
    here.var.write_secrets(here.var.read_secrets() | {"SECRET_KEY": "another"})
    changed = here.content()
    answer = here.run("restore", str(file))
    assert (answer.returncode, answer.stderr) == (0, "")
    assert here.content() == before
    assert here.sql("SELECT to_regclass('later')") == [(None,)]
    here.sql("INSERT INTO judgment (answer) VALUES ('{}')")  # numbering goes on where it was
    assert here.sql("SELECT max(id) FROM judgment") == [(2,)]
    (replaced,) = set(here.var.backups.iterdir()) - {file}
    assert here.run("restore", str(replaced)).returncode == 0
    assert here.content() == changed


def test_erasures_are_listed_outside_the_backups(here: Installation) -> None:
    """The list outlives a restore of an older backup, and the restore says so."""
    here.sql("CREATE TABLE tasks_app_study (id int, seed bigint)")
    here.sql("CREATE TABLE tasks_app_rater (id int, seed bigint, study_id int, erased_at timestamptz)")
    here.sql("INSERT INTO tasks_app_study VALUES (1, 77)")
    here.sql("INSERT INTO tasks_app_rater VALUES (5, 123, 1, NULL), (6, 124, 1, NULL)")
    older = here.back_up()
    assert tombstones.read(here.var.erasures) == []
    here.sql("UPDATE tasks_app_rater SET erased_at = now() WHERE id = 5")
    answer = here.run("restore", str(older))
    assert f"Erased raters on the list {here.var.erasures}: 1." in answer.stdout, answer
    assert here.sql("SELECT count(*) FROM tasks_app_rater WHERE erased_at IS NULL") == [(2,)]
    assert tombstones.read(here.var.erasures) == [tombstones.of_seeds(5, 123, 77)]
    assert stat.S_IMODE(here.var.erasures.stat().st_mode) == 0o600
    here.var.erasures.write_text("no erasure\n")
    assert "line 1: this is no erasure" in here.run("create").stderr


def test_it_moves_to_another_machine(here: Installation, tmp_path: Path) -> None:
    file = here.back_up()
    there = Installation(tmp_path, "there")
    answer = there.run("restore", str(file))
    assert (answer.returncode, answer.stderr) == (0, "")
    assert there.content() == here.content()
    again = Installation(tmp_path, "again")
    assert again.run("restore", str(there.back_up())).returncode == 0
    assert again.content() == here.content()


def test_the_file_and_what_comes_out_of_it_are_private(here: Installation) -> None:
    file = here.back_up()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    here.run("restore", str(file))
    assert stat.S_IMODE(here.var.secrets.stat().st_mode) == 0o600
    assert stat.S_IMODE((here.var.media / "ab" / "abcd.png").stat().st_mode) == 0o600
    assert [path.name for path in here.var.root.iterdir() if path.name.startswith(".")] == []


def repacked(file: Path, change: Callable[[Path], object]) -> Path:
    """Return a copy of a backup whose content was changed."""
    copy = file.with_name("changed.tar.gz")
    with TemporaryDirectory() as name:
        content = Path(name)
        with tarfile.open(file) as archive:
            archive.extractall(content, filter="data")
        change(content)
        with tarfile.open(copy, "w:gz") as archive:
            for path in content.rglob("*"):
                archive.add(path, str(path.relative_to(content)), recursive=False)
    return copy


def overwritten(file: Path, damage: Callable[[bytes], bytes]) -> Path:
    """Return a copy of a backup whose bytes were changed."""
    copy = file.with_name("changed.tar.gz")
    copy.write_bytes(damage(file.read_bytes()))
    return copy


def edit(content: Path, **changes: object) -> None:
    """Change entries of the manifest."""
    path = content / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


DAMAGED: tuple[tuple[Callable[[Path], object], str], ...] = (
    (lambda content: (content / "media/ab/abcd.png").write_bytes(b"other"), "abcd.png is not what was backed up"),
    (lambda content: (content / "database.dump").unlink(), "database.dump is not what was backed up"),
    (lambda content: (content / "media/extra.png").write_bytes(b"x"), "extra.png is not what was backed up"),
    (lambda content: (content / "manifest.json").unlink(), "holds no manifest"),
    (lambda content: (content / "manifest.json").write_text("[" * 100_000), "holds no manifest"),
    (lambda content: (content / "manifest.json").write_text("[1]"), "its manifest lacks something"),
    (lambda content: (content / "manifest.json").write_text("{}"), "its manifest lacks something"),
    (lambda content: edit(content, format=99), "has format 99, this version reads 1"),
    (lambda content: edit(content, made=None), "its manifest lacks something"),
    (lambda content: edit(content, migrations=[7]), "its manifest lacks something"),
    (lambda content: edit(content, migrations="all"), "its manifest lacks something"),
    (lambda content: edit(content, files=["database.dump"]), "its manifest lacks something"),
    (lambda content: edit(content, files={"secrets": 1}), "its manifest lacks something"),
    (lambda content: edit(content, files={}), "its manifest lacks something"),
)
OVERWRITTEN: tuple[Callable[[bytes], bytes], ...] = (
    lambda data: b"",
    lambda data: data[:200],
    lambda data: data[:300] + b"\xff" * 100 + data[400:],
)
UNREADABLE = "(cannot be read as a backup|is damaged|holds no manifest)"


def test_a_damaged_file_changes_nothing(here: Installation) -> None:
    file, before = here.back_up(), here.content()

    def refused(damaged: Callable[[], Path], sentence: str) -> None:
        answer = here.run("restore", str(damaged()))
        assert answer.returncode == 1
        assert re.search(sentence, answer.stderr), answer.stderr
        assert here.content() == before

    cases = [(partial(repacked, file, change), re.escape(sentence)) for change, sentence in DAMAGED]
    changed = file.with_name("changed.tar.gz")
    cases += [
        (partial(overwritten, file, damage), f"^{re.escape(str(changed))} {UNREADABLE}") for damage in OVERWRITTEN
    ]
    assert_each(
        refused,
        (
            (f"{n}, {sentence}", {"damaged": damaged, "sentence": sentence})
            for n, (damaged, sentence) in enumerate(cases)
        ),
    )
    # An untouched copy is accepted, so that the refusals are for the reason they name.
    assert here.run("restore", str(repacked(file, lambda content: None))).returncode == 0


def test_a_backup_of_a_newer_version_is_refused(here: Installation) -> None:
    here.sql("INSERT INTO django_migrations (app, name) VALUES ('sessions', '9999_from_the_future')")
    file = here.back_up()
    before = here.content()
    answer = here.run("restore", str(file))
    assert answer.returncode == 1
    assert "sessions.9999_from_the_future" in answer.stderr
    assert here.content() == before


def test_a_restore_that_fails_half_way_leaves_the_database_as_it_was(here: Installation) -> None:
    """A function that only a superuser may make is refused after everything there has been dropped."""
    make = "CREATE FUNCTION nap(float8) RETURNS void LANGUAGE internal AS 'pg_sleep'"
    here.sql(make, as_superuser=True)
    file = here.back_up()
    here.sql("DROP FUNCTION nap", as_superuser=True)
    here.sql("INSERT INTO judgment (answer) VALUES ('{}')")
    before = here.content()
    answer = here.run("restore", str(file))
    assert answer.returncode == 1
    assert "permission denied for language internal" in answer.stderr
    assert here.content() == before


# What the test run has set for itself, and a machine that was never started has not.
OWN_VARIABLES = {"DATABASE_URL", "REDIS_URL", "SECRET_KEY", "ALLOWED_HOSTS", "DJANGO_SETTINGS_MODULE"}


def command(var: VarFolder, *arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    """Run what `make backup` and `make restore` run, in the environment of a shell."""
    inherited = {name: value for name, value in os.environ.items() if name not in OWN_VARIABLES}
    return subprocess.run(
        [sys.executable, "-m", "evalweb.backup", *arguments],
        cwd=BASE_DIR,
        env=inherited | {"EVALWEB_VAR": str(var.root)} | variables,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_command_that_make_runs_needs_no_key_on_a_machine_that_was_never_started(
    here: Installation, tmp_path: Path
) -> None:
    made = command(here.var, "create", DATABASE_URL=here.url)
    assert (made.returncode, made.stderr) == (0, "")
    there = Installation(tmp_path, "there")
    restored = command(there.var, "restore", made.stdout.strip(), DATABASE_URL=there.url)
    assert (restored.returncode, restored.stderr) == (0, "")
    assert restored.stdout.splitlines()[-1] == "Done. `make run` starts evalweb with the restored data."
    assert there.content() == here.content()


@pytest.mark.whole
def test_a_machine_that_was_never_started_gets_a_database_of_its_own(here: Installation) -> None:
    file = here.back_up()
    with temporary_folder() as folder:
        var = VarFolder(folder / "var")
        restored = command(var, "restore", str(file))
        assert (restored.returncode, restored.stderr) == (0, "")
        # Passwords of its own database stay.
        assert var.read_secrets().items() >= here.var.read_secrets().items()
        again = command(var, "create")
        assert (again.returncode, again.stderr) == (0, "")
        assert here.run("restore", again.stdout.strip()).returncode == 0
    assert here.sql("SELECT answer->>'text' FROM judgment") == [("judged – mit Umlauten: äöü",)]


@contextmanager
def session(here: Installation) -> Iterator[None]:
    """Stay connected, as a web server does."""
    connection = psycopg2.connect(here.url)
    try:
        yield
    finally:
        connection.close()


def test_nothing_is_restored_while_others_are_connected(here: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backup, "SECONDS_BETWEEN_TRIES", 0)
    file, before = here.back_up(), here.content()
    with session(here), session(here):
        answer = here.run("restore", str(file))
    assert answer.returncode == 1
    assert answer.stderr.startswith("2 other sessions are connected to the database")
    assert here.content() == before


def test_nothing_is_restored_over_an_answer_that_came_after_the_backup_of_it(
    here: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, create = here.back_up(), backup.create

    def create_too_early(var: VarFolder) -> Path:
        made = create(var)
        here.sql("INSERT INTO judgment (answer) VALUES (jsonb_build_object('text', 'late'))")
        return made

    monkeypatch.setattr(backup, "create", create_too_early)
    answer = here.run("restore", str(file))
    assert answer.returncode == 1
    assert "somebody has used the database meanwhile" in answer.stderr
    assert here.sql("SELECT answer->>'text' FROM judgment ORDER BY id DESC LIMIT 1") == [("late",)]


def test_nothing_is_restored_where_somebody_connects_after_the_backup(
    here: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, create = here.back_up(), backup.create
    with ExitStack() as stack:

        def create_and_let_in(var: VarFolder) -> Path:
            made = create(var)
            stack.enter_context(session(here))
            return made

        monkeypatch.setattr(backup, "create", create_and_let_in)
        monkeypatch.setattr(backup, "EMPTYING", backup.EMPTYING.replace("pg_sleep(0.1)", "pg_sleep(0)"))
        answer = here.run("restore", str(file))
    assert answer.returncode == 1
    assert "somebody has used the database meanwhile" in answer.stderr


def test_programs_get_the_password_where_other_users_cannot_read_it(
    here: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[list[str]] = []
    run: Any = subprocess.run

    def note(arguments: list[str], **options: Any) -> Any:
        started.append(arguments)
        return run(arguments, **options)

    monkeypatch.setattr(backup.subprocess, "run", note)
    file = here.back_up()
    assert here.run("restore", str(file)).returncode == 0
    password = psycopg2.extensions.parse_dsn(here.url)["password"]
    assert {Path(arguments[0]).name for arguments in started} == {"pg_dump", "pg_restore", "psql"}
    assert not [arguments for arguments in started if password in unquote(" ".join(arguments))]


def full_disk(*_arguments: object, **_options: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_is_said_and_changes_nothing(here: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    file, before = here.back_up(), here.content()
    with monkeypatch.context() as full:
        full.setattr(tarfile.TarFile, "extractall", full_disk)
        answer = here.run("restore", str(file))
    assert (answer.returncode, answer.stderr.startswith("There is no room in ")) == (1, True)
    with monkeypatch.context() as full:
        full.setattr(tarfile.TarFile, "addfile", full_disk)
        answer = here.run("create")
    assert (answer.returncode, answer.stderr) == (1, "The disk is full. Make room and try again.\n")
    assert list(here.var.backups.iterdir()) == [file]
    assert here.content() == before


def test_restoring_waits_for_nobody(here: Installation) -> None:
    file = here.back_up()
    with here.var.held("evalweb"):
        answer = here.run("restore", str(file))
    assert answer.returncode == 1
    assert "evalweb is already running" in answer.stderr
    assert answer.stderr.endswith("Stop it with `make stop` first. Nothing was changed.\n")
    with here.var.held("make backup"):
        assert "Wait until it has ended. Nothing" in here.run("restore", str(file)).stderr


def test_backups_are_named_where_another_one_is_not_there(here: Installation) -> None:
    answer = here.run("restore", "typo.tar.gz")
    nothing = f"There is no file typo.tar.gz. Name a backup (none is in {here.var.backups}). Nothing was changed.\n"
    assert (answer.returncode, answer.stderr) == (1, nothing)
    folder, file = here.var.backups, here.back_up()
    assert f"{folder} is a folder. Name a backup (the newest here: {file})." in here.run("restore", str(folder)).stderr
