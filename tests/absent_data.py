"""Tests that are skipped for want of published data: one loud line for all of them, with what makes them run."""

from typing import Any

import pytest

from tests.reproduction.published import NOT_REPRODUCED, VARIABLE, root_of_all

CATEGORY = "without published data"


def pytest_report_teststatus(report: pytest.TestReport | pytest.CollectReport) -> tuple[str, str, str] | None:
    """Count such a test apart from other skipped ones, which pytest lists with their reasons."""
    is_apart = report.skipped and isinstance(report.longrepr, tuple) and NOT_REPRODUCED in str(report.longrepr[2])
    return (CATEGORY, "s", "SKIPPED") if is_apart else None


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say how many there are, where data were looked for, and which variable names another folder."""
    if n := len(terminalreporter.stats.get(CATEGORY, ())):
        line = f"{NOT_REPRODUCED}: {n} skipped, no published data in {root_of_all()}. Set {VARIABLE} to their folder."
        terminalreporter.write_line(line, yellow=True, bold=True)
