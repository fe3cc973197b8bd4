"""How much of the suite runs: what every change needs, or everything (`pytest --exhaustive`, `make test-all`).

A test or a parameter marked `exhaustive` repeats a promise on further material: other examples, themes, widths, sizes.
It is left out unless the whole is asked for; docs/testing.md says where each promise is held meanwhile. The material
of hypothesis follows the same option (tests/chance.py).
"""

import pytest

from tests import chance

OPTION = "--exhaustive"
TIMES = 8
_chosen = {"exhaustive": False}


def is_exhaustive() -> bool:
    """Say whether everything was asked for."""
    return _chosen["exhaustive"]


def times_as_many() -> int:
    """Return how many times as much an exhaustive run tries, for tests that choose a number of their own; else 1."""
    return TIMES if is_exhaustive() else 1


def pytest_addoption(parser: pytest.Parser) -> None:
    """Take the option."""
    parser.addoption(OPTION, action="store_true", help="run every example, theme and width, and draw more examples")


def pytest_configure(config: pytest.Config) -> None:
    """Keep what was asked for, and choose how many examples hypothesis draws, before any test module reads it."""
    _chosen["exhaustive"] = config.getoption(OPTION)
    if not config.getoption("--hypothesis-profile"):
        chance.load(exhaustive=is_exhaustive())


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what only an exhaustive run repeats."""
    if config.getoption(OPTION):
        return
    left_out = [item for item in items if item.get_closest_marker("exhaustive")]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("exhaustive")]
