"""Each module in docs/extending.md is added to a copy of the repository and used there.

A task type takes four files and no other edit, and each other module that the page shows is one file.
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
from io import BytesIO
from random import Random

import pytest
from django.test import Client

from analytics_app.models import Exclusion
from tasks_app.importing.named import apart
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
    rows = analysed(tmp_path, {"analysis": "ends"}, {"analysis": "bennett_s"}, rules=[{"rule": "only_ends"}])
    assert one(rows, "bennett_s", criterion="fluency")["value"] is not None
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


def test_thumbs_and_a_format_are_found_by_their_modules() -> None:
    line = b'{"text": "A", "label": "GOOD", "answer": "accept", "_input_hash": 1, "_annotator_id": "ann"}'
    assert [sign.format for sign in apart.recognise(BytesIO(line), name="db.jsonl")] == ["prodigy"]
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
CHOSEN = (
    "thumbs or bennett_s or nobody or shipped or ends or the_page_says_what or plain_rounds or (test_languages and nl)"
)


def of_the_docs() -> dict[str, str]:
    """Return the files that docs/extending.md shows, by the path it gives them."""
    text = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    found = dict(re.findall(r"`([\w/]+\.\w+)`:\n\n```\w+\n(.*?)```", text, flags=re.DOTALL))
    assert list(found) == [
        "tasks_app/task_types/thumbs.py",
        "templates/task_types/thumbs.html",
        "static/js/task_types/thumbs.js",
        "tests/task_types/test_thumbs.py",
        "analytics_app/analyses/bennett_s.py",
        "analytics_app/analyses/ends.py",
        "analytics_app/quality/only_ends.py",
        "tasks_app/importing/named/readers/prodigy.py",
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
    for name, text in of_the_docs().items():
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
