"""Probes: what they say, and of what they are independent."""

import json

import psycopg2
import pytest
from django.db import OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.http import HttpResponse
from django.test import Client, RequestFactory
from pytest_django.fixtures import Settings

from evalweb.health import HealthMiddleware
from evalweb.local_services.postgres import OWNER, SUPERUSER


@pytest.fixture
def ready(rf: RequestFactory) -> HealthMiddleware:
    """The middleware of a process that has just started."""
    return HealthMiddleware(lambda request: HttpResponse("passed on"))


def answer(middleware: HealthMiddleware, rf: RequestFactory) -> tuple[int, dict[str, object]]:
    """Ask /readyz."""
    response = middleware(rf.get("/readyz"))
    return response.status_code, json.loads(response.content)


def test_healthz_needs_neither_database_nor_a_known_host(client: Client) -> None:
    response = client.get("/healthz", headers={"host": "10.0.0.7"})
    assert (response.status_code, response.content) == (200, b"ok\n")


@pytest.mark.django_db
def test_ready(ready: HealthMiddleware, rf: RequestFactory) -> None:
    assert answer(ready, rf) == (200, {"ready": True, "database": "ok", "broker": "ok"})
    assert ready(rf.get("/elsewhere")).content == b"passed on"


@pytest.mark.django_db
def test_a_silent_broker_is_said_and_changes_nothing(
    ready: HealthMiddleware, rf: RequestFactory, settings: Settings
) -> None:
    settings.CELERY_BROKER_URL = "redis://127.0.0.1:1/0"
    assert answer(ready, rf) == (200, {"ready": True, "database": "ok", "broker": "unreachable"})


@pytest.mark.django_db
def test_a_database_that_lacks_a_migration_is_not_ready(ready: HealthMiddleware, rf: RequestFactory) -> None:
    recorder = MigrationRecorder(connection)
    recorder.record_unapplied("sessions", "0001_initial")
    assert answer(ready, rf) == (503, {"ready": False, "database": "not migrated", "broker": "ok"})
    recorder.record_applied("sessions", "0001_initial")
    assert answer(ready, rf)[0] == 200


@pytest.mark.django_db
def test_a_database_of_a_newer_version_is_not_ready_also_for_a_process_that_was(
    ready: HealthMiddleware, rf: RequestFactory
) -> None:
    assert answer(ready, rf)[0] == 200
    recorder = MigrationRecorder(connection)
    recorder.record_applied("tasks_app", "9999_from_the_future")
    state = {"ready": False, "database": "migrated by a newer version", "broker": "ok"}
    assert answer(ready, rf) == (503, state)
    recorder.record_unapplied("tasks_app", "9999_from_the_future")
    assert answer(ready, rf)[0] == 200


@pytest.mark.django_db
def test_a_database_without_room_to_write_is_not_ready(ready: HealthMiddleware, rf: RequestFactory) -> None:
    """Asked of PostgreSQL itself, which refuses to write temporary files as it does on a full disk."""
    as_superuser(f"GRANT SET ON PARAMETER temp_file_limit TO {OWNER}")
    assert answer(ready, rf)[0] == 200
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL temp_file_limit = 0")
        assert answer(ready, rf) == (503, {"ready": False, "database": "cannot write", "broker": "ok"})
        cursor.execute("SET LOCAL temp_file_limit = -1")
    assert answer(ready, rf)[0] == 200


def as_superuser(statement: str) -> None:
    """Run a statement as PostgreSQL's administrator on the test's database."""
    session = psycopg2.connect(**connection.get_connection_params() | {"user": SUPERUSER})
    with session, session.cursor() as cursor:
        cursor.execute(statement)
    session.close()


@pytest.mark.django_db
def test_a_lost_database_is_not_ready_until_it_is_back(
    ready: HealthMiddleware, rf: RequestFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lose() -> None:
        raise OperationalError("connection refused")

    with monkeypatch.context() as away:
        away.setattr(connection, "cursor", lose)
        away.setattr(connection, "close", lambda: None)
        assert answer(ready, rf) == (503, {"ready": False, "database": "unreachable", "broker": "ok"})
    assert answer(ready, rf)[0] == 200
