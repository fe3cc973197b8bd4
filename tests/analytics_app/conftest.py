"""Runs without charts: drawing them takes three quarters of the time of a small run."""

from types import SimpleNamespace

import pytest

from analytics_app.runs import compute

WITHOUT = SimpleNamespace(draw=lambda *_args, **_named: [], draw_task=lambda *_args, **_named: [])


@pytest.fixture(autouse=True)
def no_charts(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let runs draw nothing, but in tests marked `charts`."""
    if request.node.get_closest_marker("charts") is None:
        monkeypatch.setattr(compute, "charts", WITHOUT)
