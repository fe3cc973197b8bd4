"""Media of these tests go into a folder of each test's own, which no other test's files are in."""

from pathlib import Path

import pytest
from pytest_django import Settings

from tasks_app.task_types import registry


@pytest.fixture(autouse=True)
def own_media(tmp_path: Path, settings: Settings) -> None:
    """Point storage to an empty folder."""
    settings.MEDIA_ROOT = tmp_path / "storage"


@pytest.fixture
def texts_carry_something(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let texts of Likert scales carry anything when they are first shown; how a type refuses it is its own matter."""
    monkeypatch.setattr(registry["likert"], "prefill_problem", lambda *_about: None)
