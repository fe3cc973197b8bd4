"""Uploads of these tests go into a folder of each test's own."""

from pathlib import Path

import pytest
from pytest_django import Settings

from tasks_app.models import Study
from tests.once import ModuleRows
from tests.tasks_app.importing import kit


@pytest.fixture(autouse=True)
def own_media(tmp_path: Path, settings: Settings) -> None:
    """Point storage to an empty folder."""
    settings.MEDIA_ROOT = tmp_path / "storage"


@pytest.fixture(scope="module")
def module_draft(module_db: ModuleRows, tmp_path_factory: pytest.TempPathFactory) -> int | None:
    """The id of `draft`."""
    return kit.study(tmp_path_factory.mktemp("draft")).pk if module_db.are_there else None


@pytest.fixture
def draft(module_draft: int | None, module_db: ModuleRows, db: None) -> Study:
    """A draft: three items, two systems, a Likert scale of five steps, fluency and style."""
    return Study.objects.get(pk=module_draft)
