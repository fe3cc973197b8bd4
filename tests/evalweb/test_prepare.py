"""What is done before pages are served."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import psycopg2
import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from pytest_django import DjangoDbBlocker

from evalweb import prepare
from evalweb.local_services.folder import BASE_DIR
from tests.servers import migrated_template, new_database


@pytest.mark.django_db
def test_the_first_login_is_made_once_and_its_password_is_left_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert prepare.make_researcher("the first password")
    rosa = User.objects.get(username="researcher")
    assert (rosa.is_staff, rosa.is_superuser) == (True, True)
    assert capsys.readouterr().out == "Making the login researcher\n"
    rosa.set_password("her own")
    rosa.save()
    assert not prepare.make_researcher("the first password")
    assert prepare.make_researcher("her own")
    assert not prepare.make_researcher("")
    assert capsys.readouterr().out == ""


@pytest.mark.django_db
def test_a_database_that_a_newer_version_has_migrated_is_refused_and_left_alone() -> None:
    recorder = MigrationRecorder(connection)
    recorder.record_unapplied("sessions", "0001_initial")  # so that there is something to do
    for number in range(5):
        recorder.record_applied("tasks_app", f"999{number}_from_the_future")
    before = recorder.applied_migrations().keys()
    with pytest.raises(SystemExit, match=r"it has tasks_app\.9990_\w+, tasks_app\.9991_\w+, .* and 2 more\)"):
        prepare.migrate(backup_first=False)
    assert recorder.applied_migrations().keys() == before


@pytest.mark.exhaustive
@pytest.mark.whole
def test_several_may_prepare_one_database_at_once(tmp_path: Path, django_db_blocker: DjangoDbBlocker) -> None:
    """As several web containers do; and data that exist are backed up before they are migrated.

    An empty database, which needs no backup, is migrated by the story of `make run`.
    """
    template = migrated_template(django_db_blocker)
    url = new_database(f"prepare_{os.environ.get('PYTEST_XDIST_WORKER', 'alone')}", template)
    session = psycopg2.connect(url)
    with session, session.cursor() as cursor:
        cursor.execute("DROP TABLE django_session; DELETE FROM django_migrations WHERE app = 'sessions'")
    session.close()
    environment = os.environ | {
        "DATABASE_URL": url,
        "EVALWEB_VAR": str(tmp_path / "var"),
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "EVALWEB_RESEARCHER_PASSWORD": "a long password",
    }
    report = tmp_path / "report.json"
    command = [sys.executable, "-m", "evalweb.prepare", "--backup", "--report", str(report)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    both = [subprocess.Popen(command, cwd=BASE_DIR, env=environment, text=True, **pipes) for _ in range(2)]  # type: ignore[call-overload]
    said = [process.communicate(timeout=120)[0] for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    assert sorted("Backing up before the database is changed" in text for text in said) == [False, True]
    assert sorted("Preparing the database: 1 migrations" in text for text in said) == [False, True]
    assert sorted("The database is up to date" in text for text in said) == [False, True]
    assert sorted("Making the login" in text for text in said) == [False, True]
    assert stat.S_IMODE(report.stat().st_mode) == 0o600
    assert json.loads(report.read_text()) == {"login": "researcher", "password_valid": True}
    assert len(list((tmp_path / "var" / "backups").iterdir())) == 1
