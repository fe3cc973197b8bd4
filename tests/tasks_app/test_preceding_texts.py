"""Preceding texts: beside a text stands what the same system made of the sources before it, and nobody else's."""

from pathlib import Path

import pytest
import yaml
from django.contrib.auth.models import User
from django.template.loader import render_to_string

from tasks_app import studyfile
from tasks_app.models import Assignment, Study, Unit
from tasks_app.selectors.screens import RaterScreen
from tasks_app.services.study import lifecycle
from tasks_app.task_types import registry
from tests.analytics_app.by_commands import write
from tests.tasks_app.studyfile.kit import problems_of
from tests.walk import arrive

pytestmark = pytest.mark.django_db

ITEMS = [
    {"item": f"s{n}", "system": system, "source": f"Quelle {n}.", "document": "d1", "position": n,
     "output": "Both say this." if n == 2 else f"{system} says {n}."}
    for n in (1, 2, 3) for system in ("north", "south") if (n, system) != (1, "south")
]  # fmt: skip


def folder_of(folder: Path, kind: str = "likert", set_size: int = 5, **params: object) -> Path:
    """Write a study of one document by two systems, which say the same in its second sentence."""
    shown = {"context_before": 2, "context_shows": "translations", **params}
    task = {
        "key": "main",
        "type": kind,
        "criteria": ["fluency"],
        "k": 1,
        "set_size": set_size,
        "spacing": 1,
        "params": shown,
    }
    document = {
        "evalweb": 1,
        "study": {"slug": "before", "title": "Before", "public_title": "Texts", "language": "en", "seed": 3},
        "criteria": [{"key": "fluency", "name": "Fluency"}],
        "tasks": [task],
    }
    (folder / "study.yaml").write_text(yaml.safe_dump(document), encoding="utf-8")
    write(folder / "items.csv", ITEMS)
    return folder


def opened(folder: Path, owner: User) -> Study:
    """The study, open."""
    study = studyfile.load(folder, owner=owner)
    lifecycle.move(study_id=study.pk, action="open", by=owner)
    study.refresh_from_db()
    return study


def test_a_text_has_before_it_what_the_same_system_said(tmp_path: Path, rosa: User) -> None:
    rater = arrive(opened(folder_of(tmp_path), rosa))
    shown = {
        unit.unit.key: RaterScreen(rater, unit).shown
        for unit in Assignment.objects.filter(rater=rater).select_related("unit")
    }
    assert {key: screen.preceding for key, screen in shown.items()} == {
        "s1/north": (),
        "s2/north": (("Quelle 1.", "north says 1."),),
        "s3/north": (("Quelle 1.", "north says 1."), ("Quelle 2.", "Both say this.")),
        # One sentence of the document is missing, and nobody else's takes its place.
        "s2/south": (("Quelle 1.", ""),),
        "s3/south": (("Quelle 1.", ""), ("Quelle 2.", "Both say this.")),
    }
    screen = shown["s3/north"]
    page = render_to_string("task_types/likert.html", {"screen": screen, "form": screen.kind.form(screen)})
    assert "south" not in page
    assert (
        page.index("Quelle 1.") < page.index("north says 1.") < page.index("Quelle 2.") < page.index("Both say this.")
    )


def test_without_the_setting_sources_stand_alone_and_identical_texts_are_one(tmp_path: Path, rosa: User) -> None:
    rater = arrive(opened(folder_of(tmp_path, set_size=4, context_shows="sources"), rosa))
    assert sorted(Unit.objects.values_list("key", flat=True)) == ["s1/north", "s2/north", "s3/north", "s3/south"]
    unit = Assignment.objects.select_related("unit").get(rater=rater, unit__key="s3/north")
    assert RaterScreen(rater, unit).shown.preceding == (("Quelle 1.", ""), ("Quelle 2.", ""))


@pytest.mark.parametrize(
    ("kind", "params"),
    [("pairwise", {}), ("predictions", {}), ("ranking", {}), ("slider", {"layout": "together"})],
    ids=str,
)
def test_with_several_texts_on_a_screen_it_is_refused(tmp_path: Path, kind: str, params: dict[str, object]) -> None:
    (problem,) = problems_of(folder_of(tmp_path, kind, **params))
    assert "Several texts are on a screen, so preceding texts of one system cannot be shown." in problem


def test_every_type_with_texts_can_show_them_or_says_why_not() -> None:
    offered = {name for name, member in registry.items() if "context_shows" in member.Settings.base_fields}
    assert offered == {name for name, member in registry.items() if "context_before" in member.Settings.base_fields}
