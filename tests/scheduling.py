"""Which process runs which tests, where several run at once.

A file stays in one process, since its tests share what its fixtures made. All tests on the live site stay in one
process as well, so that one site and one browser serve them; they come first, with the tests that start all of evalweb,
because these wait more than they work, while other processes go through the many short files.
"""

from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

LIVE = "tests/browser/"


class BySite(LoadScopeScheduling):
    """Hands out files, and the tests on the live site as one."""

    def _split_scope(self, nodeid: str) -> str:
        """Return the name of the group of tests that a test stays with."""
        return LIVE if nodeid.startswith(LIVE) else nodeid.partition("::")[0]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> BySite:
    """Use the scheduler above."""
    return BySite(config, log)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put tests on the live site first, then files that start all of evalweb, then the others as they stand."""
    whole = {item.path for item in items if item.get_closest_marker("whole")}
    items.sort(key=lambda item: (not item.nodeid.startswith(LIVE), item.path not in whole))
