"""Runs without charts, for tests that read rows: drawing takes three quarters of the time of a small run."""

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from analytics_app.runs import compute

NO_CHARTS = SimpleNamespace(
    draw=lambda *_args, **_named: [], draw_task=lambda *_args, **_named: [], draw_sketches=lambda _sketches: []
)


@contextmanager
def undrawn() -> Iterator[None]:
    """Let runs of this process draw nothing meanwhile."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compute, "charts", NO_CHARTS)
        yield
