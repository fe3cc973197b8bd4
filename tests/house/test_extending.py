"""Each module in docs/extending.md is added to a copy of the repository and used there.

A task type takes four files and no other edit, and each module that the page shows is one file.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# What is compiled is copied with what it was compiled from: nothing is compiled again.
LEFT_OUT = shutil.ignore_patterns(".*", "var", "node_modules", "staticfiles")

MODULE = '''\
"""Thumbs: up or down for each criterion."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random

from django import forms

from tasks_app.settings.fields import YesNoField
from tasks_app.task_types.base import Outcome, Quality, Scale, Screen, ScreenForm, Value
from tasks_app.task_types.registry import register
from tasks_app.task_types.simulation import share_of
from tasks_app.task_types.texts import TextType


class ThumbsForm(ScreenForm):
    """A choice for each criterion."""

    kind: Thumbs

    def make_fields(self) -> Iterator[tuple[str, forms.Field]]:
        for criterion in self.screen.shown_criteria:
            yield f"p1-{criterion.key}", forms.ChoiceField(
                choices=[(key, self.kind.words[key]) for key in ("up", "down")], widget=forms.RadioSelect,
                label=criterion.question,
                error_messages={"required": f"Answer {criterion.name}.", "invalid_choice": "Choose up or down."},
            )


@register
class Thumbs(TextType):
    """Up or down for each criterion; nothing is preselected."""

    label = "Thumbs"
    purpose = "Thumbs up or down?"
    summary = "A rater says thumbs up or down."
    source = "Made for a test."
    use_when = "A quick look is enough."
    analysed = "Shares of each label, alpha."
    limits = "Says little."
    outcomes = (Outcome("thumb", Scale.NOMINAL, per="criterion", doc="up or down", column="label"),)
    default_instructions = "Read the text and choose."

    shout = YesNoField(label="In capital letters")

    Form = ThumbsForm

    @property
    def words(self) -> dict[str, str]:
        return {key: key.upper() if self.shout else key.capitalize() for key in ("up", "down")}

    def ratings(self, screen: Screen, cleaned: Mapping[str, object]) -> Iterator[Value]:
        for criterion in screen.shown_criteria:
            yield Value("thumb", part=0, criterion=criterion.key, label=str(cleaned[f"p1-{criterion.key}"]))

    def simulate(self, screen: Screen, quality: Quality, rng: Random) -> dict[str, str]:
        text = screen.parts[0].text
        return {
            f"p1-{one.key}": "up" if share_of(text, one.key, quality, rng) > 0.5 else "down"
            for one in screen.shown_criteria
        }
'''

TEMPLATE = """\
{% load i18n %}
<div class="unit" data-unit="{{ screen.type }}">
  {% include "components/_beside.html" %}
  {% for field in form %}<div data-question id="{{ field.auto_id }}">{{ field.as_field_group }}</div>{% endfor %}
</div>
"""

TEST = """\
from tasks_app.task_types import registry


def test_it_is_there() -> None:
    assert registry["thumbs"].label == "Thumbs"
"""

FILES = {
    "tasks_app/task_types/thumbs.py": MODULE,
    "templates/task_types/thumbs.html": TEMPLATE,
    "static/js/task_types/thumbs.js": "// Radios need no help.\n",
    "tests/task_types/test_thumbs.py": TEST,
}

# Judged by its pages, stored, exported and analysed, without a word about it anywhere else.
WHOLE = """\
import pytest

from tasks_app.models import Rating
from tasks_app.selectors.screens import RaterScreen
from tasks_app.task_types import registry
from tests import walk
from tests.builders import build_study
from tasks_app.services.judging import judgments
from random import Random

pytestmark = pytest.mark.django_db


def test_it_is_judged_and_shown(client) -> None:
    study = build_study(None, type="thumbs")
    rater = walk.arrive(study)
    assignment = walk.next_for(rater=rater)
    judgments.submit(screen=RaterScreen(rater, assignment), submission=walk.answer(study, assignment, Random(1)))
    assert Rating.objects.get().label in {"up", "down"}
    for page in ("/patterns/", "/task-types/", "/task-types/thumbs/"):
        shown = client.get(page)
        assert shown.status_code == 200, page
        assert "Thumbs" in shown.content.decode(), page
"""


# Everything on the page is found by the name of its file and used: design and channel by a rater, rule and analysis by
# a run.
USED = """\
from random import Random

import pytest
from django.test import Client

from analytics_app.models import Exclusion
from tasks_app.models import Rater, Task
from tasks_app.selectors.screens import RaterScreen
from tasks_app.services.judging import judgments
from tasks_app.services.study import lifecycle
from tests import walk
from tests.analytics_app.by_commands import analysed, load, one
from tests.builders import build_study
from tests.tasks_app.views.test_arriving import arrive

pytestmark = pytest.mark.django_db


def test_thumbs_are_not_all_that_can_be_added(tmp_path) -> None:
    texts = [{"item": f"i{n}", "system": system} for n in range(4) for system in "ab"]
    ratings = [
        {**text, "rater": rater, "criterion": "fluency", "value": (1, 5)[n % 2] if rater == "x" else 2 + n % 3}
        for rater in "wxyz" for n, text in enumerate(texts)
    ]
    task = {"type": "likert", "criteria": ["fluency"], "k": 4}
    asked = [{"key": "fluency", "name": "Fluency", "question": "How fluent is it?"}]
    load(tmp_path, task, [{**one, "output": str(one)} for one in texts], ratings, criteria=asked)
    rows = analysed(tmp_path, {"analysis": "ends"}, rules=[{"rule": "only_ends"}])
    assert one(rows, "end_share", criterion="fluency", basis="all")["value"] == pytest.approx(1 / 4)
    assert one(rows, "end_share", criterion="fluency")["value"] == 0
    assert Exclusion.objects.get().reason == "100% of ratings are ends of the scale, under 95% is accepted"


def test_thumbs_can_be_judged_by_a_design_and_through_a_channel_of_ones_own() -> None:
    completion = "https://pool.example.org/credit?survey_code="
    study = build_study(None, items=2, opened=False)
    Task.objects.update(design="plain_rounds")
    study.settings |= {"channels": {"sona": {"completion_url": completion}}}
    study.save(update_fields=["settings"])
    study = lifecycle.move(study_id=study.pk, action="open", by=None)
    browser = Client()
    token = arrive(browser, study, "sona", {"survey_code": "4711"})
    rater = Rater.objects.get()
    while assignment := walk.next_for(rater=rater):
        judgments.submit(screen=RaterScreen(rater, assignment), submission=walk.answer(study, assignment, Random(1)))
    assert f"{completion}4711" in browser.get(f"/r/{token}/end/").content.decode()
"""


# Tests that go through every member of a registry, or hold the docs against one.
HOLDING = (
    "tests/house/test_task_types.py",
    "tests/house/test_shipped.py",
    "tests/house/test_analyses.py",
    "tests/house/test_thumbs_whole.py",
    "tests/house/test_thumbs_used.py",
    "tests/house/test_languages.py",
    "tests/tasks_app/designs/test_every_design.py",
    "tests/analytics_app/test_quality.py",
    "tests/analytics_app/test_quality_rules.py",
    "tests/analytics_app/exports/test_command.py",
    "tests/tasks_app/studyfile/test_schema.py",
    "tests/tasks_app/importing/test_task_types.py",
)
CHOSEN = "thumbs or nobody or shipped or ends or the_page_says_what or plain_rounds or (test_languages and nl)"


def of_the_docs() -> dict[str, str]:
    """Return the modules that docs/extending.md shows, by the path it gives them."""
    text = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    found = dict(re.findall(r"`([\w/]+\.py)`:\n\n```python\n(.*?)```", text, flags=re.DOTALL))
    assert list(found) == [
        "analytics_app/quality/only_ends.py",
        "analytics_app/analyses/ends.py",
        "tasks_app/designs/plain_rounds.py",
        "tasks_app/channels/sona.py",
    ]
    return found


def add_a_language(copy: Path) -> None:
    """Add Dutch as the page says; its words are German here."""
    for name, before, after in (
        ("evalweb/settings.py", '("de", _("German")), ', '("de", _("German")), ("nl", _("Dutch")), '),
        ("scripts/messages.py", 'LANGUAGES = ("de", ', 'LANGUAGES = ("de", "nl", '),
    ):
        text = (copy / name).read_text(encoding="utf-8")
        assert text.count(before) == 1, name
        (copy / name).write_text(text.replace(before, after), encoding="utf-8")
    shutil.copytree(copy / "locale" / "de", copy / "locale" / "nl")
    subprocess.run([sys.executable, "scripts/messages.py"], cwd=copy, capture_output=True, check=True)


@pytest.mark.exhaustive
@pytest.mark.whole
def test_everything_on_the_page_can_be_added(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(ROOT, copy, ignore=LEFT_OUT)
    for name, text in (FILES | of_the_docs()).items():
        (copy / name).write_text(text, encoding="utf-8")
    for name, text in {"test_thumbs_whole.py": WHOLE, "test_thumbs_used.py": USED}.items():
        (copy / "tests" / "house" / name).write_text(text, encoding="utf-8")
    add_a_language(copy)
    command = [
        sys.executable, "-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider", "-k", CHOSEN,
        "tests/task_types/test_thumbs.py", *HOLDING,
    ]  # fmt: skip
    answer = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stdout[-4000:] + answer.stderr[-2000:]
    passed = set(re.findall(r"^PASSED (\S+?)(?:\[.*)?$", answer.stdout, flags=re.MULTILINE))
    # What holds the docs against the registries, and every rule and analysis, has been tried.
    assert {one.split("::")[0] for one in passed} == {"tests/task_types/test_thumbs.py", *HOLDING}
    pages = {one for one in passed if one.endswith("test_the_page_says_what_the_program_says")}
    assert len(pages) == 2
