"""The study to start from that docs/study-file.md prints is one that loads, opens and has nothing to complain of."""

import re
from pathlib import Path

import pytest
from django.conf import settings

from tasks_app import studyfile
from tasks_app.models import Gold, Task
from tasks_app.services.study import lifecycle
from tests.tasks_app.studyfile.kit import put

PAGE = (Path(settings.BASE_DIR) / "docs" / "study-file.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    """Return the first fenced text of a kind after the heading."""
    part = PAGE.split("## A study to start from")[1].split("\n## ")[0]
    found = re.search(rf"```{language}\n(.*?)```", part, re.DOTALL)
    assert found is not None
    return found[1]


@pytest.mark.django_db
def test_the_study_of_the_page_loads_and_opens(tmp_path: Path) -> None:
    judged = [f"i{n},{system},Text {n} by {system}" for n in range(8) for system in ("alpha", "beta", "gamma")]
    known = [f"{key},known,Text of {key}" for key in ("practice", "test", "check")]
    items = "\n".join(["item,system,output", *judged, *known])
    folder = put(tmp_path / "study", study_yaml=block("yaml"), controls_csv=block("csv"), items_csv=items)
    study, loaded = studyfile.load_with_notes(folder, owner=None)
    assert loaded.notes == ()
    assert {one.stage for one in study.tasks.all()} == set(Task.Stage.values)
    assert Gold.objects.filter(unit__task__study=study).count() == 4
    assert lifecycle.move(study_id=study.pk, action="open", by=None).state == "open"
