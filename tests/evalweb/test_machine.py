"""`python -m evalweb.machine` prints the same lines on machines that share everything, and tells what is not shared."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.db import connection
from pytest_django import Settings

from analytics_app.archive.keys import LINE
from evalweb import machine
from evalweb.local_services import VarFolder

pytestmark = pytest.mark.django_db


@pytest.fixture
def lines(capsys: pytest.CaptureFixture[str], settings: Settings, tmp_path: Path) -> Callable[[], dict[str, str]]:
    """Return a function that returns what the command prints, by name; the data folder is new."""
    settings.EVALWEB_SECRETS = tmp_path / "secrets"

    def printed() -> dict[str, str]:
        assert machine.main() == 0
        return {line[:16].strip(): line[16:] for line in capsys.readouterr().out.splitlines()}

    return printed


def test_a_line_differs_for_each_thing_that_is_not_shared(
    lines: Callable[[], dict[str, str]], settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    first = lines()
    assert lines() == first
    assert all(first.values())
    assert first["database"].endswith(f" {connection.settings_dict['NAME']}")

    def differing() -> set[str]:
        return {name for name, value in lines().items() if value != first[name]}

    settings.CELERY_BROKER_URL = "redis://127.0.0.1:1/0"
    assert differing() == {"broker"}
    settings.EVALWEB_CODE_VERSION = "9.9.9"
    assert differing() == {"broker", "version"}
    with monkeypatch.context() as variables:
        variables.setenv("EVALWEB_PROXIES", "2")
        assert differing() == {"broker", "version", "other variables"}
    other = VarFolder(tmp_path / "var")
    other.make()
    other.make_secrets([LINE])
    settings.EVALWEB_SECRETS = other.secrets
    assert differing() == {"broker", "version", "data folder", "signing key"}
    # Digests are made with the key, so that nobody else can use them to try passwords.
    settings.SECRET_KEY = "another key for tests"
    assert differing() == {"SECRET_KEY", "broker", "version", "other variables", "data folder", "signing key"}


def test_no_secret_is_printed(lines: Callable[[], dict[str, str]], settings: Settings) -> None:
    assert settings.SECRET_KEY not in str(lines())


def test_a_clock_that_is_wrong_is_an_error(
    lines: Callable[[], dict[str, str]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert abs(machine.clock_difference()) < 60, "both clocks are this machine's"
    monkeypatch.setattr(machine, "clock_difference", lambda: -30.0)
    assert machine.main() == 1
    assert "This machine's clock is -30 seconds from the database's." in capsys.readouterr().err
