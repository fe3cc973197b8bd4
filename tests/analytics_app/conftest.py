"""Runs draw charts only where a test looks at them."""

from collections.abc import Iterator

import pytest

from tests.undrawn import undrawn


@pytest.fixture(autouse=True)
def no_charts(request: pytest.FixtureRequest) -> Iterator[None]:
    """Let runs draw nothing, but in tests marked `charts`."""
    if request.node.get_closest_marker("charts"):
        yield
    else:
        with undrawn():
            yield
