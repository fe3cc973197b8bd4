"""Uploads of these tests go into a folder of each test's own."""

from pathlib import Path

import pytest
from pytest_django import Settings

from tasks_app.models import Study
from tests.tasks_app.importing import kit


@pytest.fixture(autouse=True)
def own_media(tmp_path: Path, settings: Settings) -> None:
    """Point storage to an empty folder."""
    settings.MEDIA_ROOT = tmp_path / "storage"


@pytest.fixture
def draft(db: None, tmp_path: Path) -> Study:
    """A draft: three items, two systems, a Likert scale of five steps, fluency and style."""
    return kit.study(tmp_path)
