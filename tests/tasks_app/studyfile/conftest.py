"""Media of these tests go into a folder of each test's own, which no other test's files are in."""

from pathlib import Path

import pytest
from pytest_django import Settings


@pytest.fixture(autouse=True)
def own_media(tmp_path: Path, settings: Settings) -> None:
    """Point storage to an empty folder."""
    settings.MEDIA_ROOT = tmp_path / "storage"
