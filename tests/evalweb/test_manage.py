"""The command line: what a command says where its database is away."""

import errno
import sys

import pytest
from django.db import InternalError, OperationalError

import manage

ENDED = "server closed the connection unexpectedly"


def run_with(error: Exception, monkeypatch: pytest.MonkeyPatch, *options: str) -> None:
    def fail(_arguments: list[str]) -> None:
        raise error

    monkeypatch.setattr(manage, "execute_from_command_line", fail)
    monkeypatch.setattr(sys, "argv", ["manage.py", "import_ratings", *options])
    manage.main()


def test_a_database_that_ends_under_a_command_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SystemExit) as ended:
        run_with(OperationalError(ENDED), monkeypatch)
    assert str(ended.value.code).startswith(f"Nothing can be stored at the moment: {ENDED}\n")
    assert "Run it again" in str(ended.value.code)
    with pytest.raises(SystemExit, match="No space left on device"):
        run_with(OSError(errno.ENOSPC, "No space left on device"), monkeypatch)


def test_a_fault_of_our_own_keeps_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InternalError):
        run_with(InternalError("a fault"), monkeypatch)
    with pytest.raises(OperationalError):
        run_with(OperationalError(ENDED), monkeypatch, "--traceback")
