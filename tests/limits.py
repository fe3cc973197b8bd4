"""Handling of tests whose process ended, such as tests that hung where signals are ignored (see pyproject.toml)."""

from typing import Any

import pytest


@pytest.hookimpl(optionalhook=True)
def pytest_handlecrashitem(crashitem: str, sched: Any) -> None:
    """Let the process that replaces the one that ended go on behind the test that ended it.

    Whole files are handed out (`--dist=loadfile`), and what is left of a file includes that test, since it never ended:
    it would hang in process after process, until no more are started and the rest of the suite is left out.
    """
    for file, tests in list(sched.workqueue.items()):
        if crashitem in tests:
            tests[crashitem] = True
        if all(tests.values()):
            del sched.workqueue[file]
