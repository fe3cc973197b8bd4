"""A task has one name on every page: its title, or else its type with its number; two tasks never have the same."""

from collections.abc import Callable
from copy import deepcopy
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from analytics_app.selectors import sections
from tasks_app import studyfile, task_types
from tasks_app.models import Study
from tasks_app.services.study import lifecycle
from tasks_app.setup import changes
from tasks_app.studyfile.files.yaml_text import dump_given
from tests.analytics_app.views.reading import page, text

pytestmark = pytest.mark.django_db

# Titles of four Likert tasks with the keys t1 to t4, and their names.
TITLES = ("", "", "Reading", "Reading")
NAMES = ("Likert scale", "Likert scale (task 2)", "Reading (task 3)", "Reading (task 4)")


def of_four_tasks(folder: Path, owner: User) -> Study:
    """Load the Likert example with four tasks that ask the same."""
    given: dict[str, Any] = yaml.safe_load(Path("examples/likert/study.yaml").read_text(encoding="utf-8"))
    own = given["tasks"][0]
    given["tasks"] = [{**deepcopy(own), "key": f"t{n}", "title": title} for n, title in enumerate(TITLES, start=1)]
    (folder / "study.yaml").write_text(dump_given(given), encoding="utf-8")
    (folder / "items.csv").write_bytes(Path("examples/likert/items.csv").read_bytes())
    return studyfile.load(folder, owner=owner)


def test_each_page_tells_the_tasks_apart(tmp_path: Path, rosa: User, rosas_browser: Client) -> None:
    study = of_four_tasks(tmp_path, rosa)
    changes.begin(study)
    slug = study.slug
    step = text(page(rosas_browser, reverse("researcher:step", args=[slug, "task"])))
    features = rosas_browser.post(reverse("analytics:coverage", args=[slug]), {"features": "length: words"})
    review = reverse("researcher:review", args=[slug])
    rosas_browser.post(review)
    settled = text(page(rosas_browser, f"{review}?settle=1"))
    study = lifecycle.move(study_id=study.pk, action="open", by=rosa)
    call_command("analyse", slug, stdout=StringIO())
    pages: dict[str, Callable[[], str]] = {
        "features": features.content.decode,
        "datasheet": lambda: page(
            rosas_browser, reverse("analytics:datasheet", args=[slug]) + "?version=3.0&section=3"
        ),
        "methods": lambda: page(rosas_browser, reverse("analytics:methods", args=[slug, 1])),
    }
    for name, read in pages.items():
        shown = text(read())
        assert [called for called in NAMES if called not in shown] == [], name
        assert [key for key in ("t1", "t2", "t3", "t4") if f"“{key}”" in shown or f"{key}:" in shown] == [], name
    assert tuple(sections.names_of(study).tasks.values()) == NAMES
    assert "Likert scale (task 2)" in step
    assert "2 tasks have the title “Reading”" in settled


@pytest.mark.parametrize(
    ("titles", "names"),
    [
        (("A", "B"), ["A", "B"]),
        (("", ""), ["Likert scale", "Likert scale (task 2)"]),
        (("A", "A"), ["A (task 1)", "A (task 2)"]),
        (("Likert scale (task 2)", ""), ["Likert scale (task 2) (task 1)", "Likert scale (task 2) (task 2)"]),
    ],
)
def test_names_are_told_apart(titles: tuple[str, ...], names: list[str]) -> None:
    tasks = [(f"t{number}", title, "likert", number) for number, title in enumerate(titles, start=1)]
    assert list(task_types.names_of(tasks).values()) == names
