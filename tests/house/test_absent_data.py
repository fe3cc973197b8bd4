"""Tests that lack published data are one line of the report, with their number and the variable that names the data."""

from types import SimpleNamespace
from typing import Any

import pytest

from tests import absent_data
from tests.reproduction.published import VARIABLE, missing


def skipped(reason: str) -> Any:
    return SimpleNamespace(skipped=True, longrepr=("test_of_ours.py", 1, f"Skipped: {reason}"))


def test_a_hundred_skips_are_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "/nowhere")
    found = [absent_data.pytest_report_teststatus(skipped(missing("rankme"))) for _test in range(100)]
    assert {status and status[0] for status in found} == {absent_data.CATEGORY}
    lines: list[str] = []
    reporter = SimpleNamespace(
        stats={absent_data.CATEGORY: found}, write_line=lambda line, **_colours: lines.append(line)
    )
    absent_data.pytest_terminal_summary(reporter)
    assert lines == [
        "NOT REPRODUCED: 100 skipped, no published data in /nowhere. Set EVALWEB_SHARED_DATA to their folder."
    ]


def test_other_skips_keep_their_reasons() -> None:
    assert absent_data.pytest_report_teststatus(skipped("the package gives up")) is None
    assert absent_data.pytest_report_teststatus(SimpleNamespace(skipped=False, longrepr=None)) is None
    reporter = SimpleNamespace(stats={"skipped": [1]}, write_line=lambda *_words, **_colours: pytest.fail("one line"))
    absent_data.pytest_terminal_summary(reporter)
