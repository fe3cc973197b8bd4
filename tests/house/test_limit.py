"""A test that hangs fails in the end, says where it hung, and keeps no other test from running."""

import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

# The signal reaches Python in a wait; with the signal blocked it is as in a query or in a library's C code.
HANGS = """
import signal
import threading

import pytest

@pytest.mark.timeout(0.2)
def test_waits():
    threading.Event().wait()  # here Python waits

def test_is_stuck():
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
    threading.Event().wait()  # here nothing is heard

def test_passes():
    pass
"""


def line_of(comment: str) -> int:
    return 1 + next(number for number, line in enumerate(HANGS.splitlines()) if comment in line)


def test_every_test_has_a_limit(request: pytest.FixtureRequest) -> None:
    limit, end = float(request.config.getini("timeout")), request.config.getini("faulthandler_timeout")
    assert 60 <= limit <= 600
    assert limit < end <= 2 * limit
    assert request.config.getini("faulthandler_exit_on_timeout")


def test_tests_that_hang_fail_where_they_hang_and_the_others_run(tmp_path: Path) -> None:
    module = tmp_path / "test_hangs.py"
    module.write_text(HANGS)
    command = [
        sys.executable, "-m", "pytest", "-c", str(settings.BASE_DIR / "pyproject.toml"), "--rootdir", str(tmp_path),
        "-p", "no:cacheprovider", "-p", "no:django", "-p", "tests.limits", "-n", "1",
        "-o", "addopts=--dist=loadfile", "-o", "faulthandler_timeout=2", str(module),
    ]  # fmt: skip
    answer = subprocess.run(command, cwd=settings.BASE_DIR, capture_output=True, text=True, check=False)
    assert "2 failed, 1 passed" in answer.stdout, answer.stdout + answer.stderr
    assert f"test_hangs.py:{line_of('here Python waits')}:" in answer.stdout
    assert "Failed: Timeout (>0.2s)" in answer.stdout
    assert "crashed while running 'test_hangs.py::test_is_stuck'" in answer.stdout
    assert f'test_hangs.py", line {line_of("here nothing is heard")} in test_is_stuck' in answer.stderr
