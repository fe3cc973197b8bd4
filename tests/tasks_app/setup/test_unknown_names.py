"""Sections and settings that nobody knows are reported with the closest known name: never dropped, never misplaced."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from tasks_app.hooks import sections
from tasks_app.hooks.sections import Json, Section
from tasks_app.models import Setup, Study
from tasks_app.setup import changes, starting, templates
from tasks_app.setup.differences import WORDING
from tasks_app.setup.page import SetupPage
from tasks_app.setup.starting import Names
from tasks_app.setup.steps import STEPS, fits, patterns, step_of
from tasks_app.studyfile.schema import whole_schema
from tests.about import ABOUT
from tests.pages import fields_of
from tests.tasks_app.setup.test_steps import _everything
from tests.tasks_app.studyfile.kit import ITEMS, STUDY, problems_of, put, zipped

SLUG = "example-likert"

# A section, a setting of one, and one within a list.
UNKNOWN = {("taks",): "tasks", ("pay", "amuont"): "amount", ("tasks", 0, "checks", "atention"): "attention"}


class Notes(Section):
    """A section of another app."""

    name = "notes"

    def schema(self) -> dict[str, Json]:
        return {"type": "object", "title": "Notes", "properties": {"words": {"type": "string", "title": "Words"}}}

    def check(self, _reading: object) -> Json:
        return {}

    def export(self, _study: object) -> Json:
        return {}


@pytest.fixture
def another_app() -> Iterator[Notes]:
    section = Notes()
    sections.register(section)
    yield section
    sections.unregister("notes")


@pytest.mark.parametrize("as_archive", [False, True])
@pytest.mark.django_db
def test_a_study_file_is_refused_with_a_suggestion(tmp_path: Path, as_archive: bool) -> None:
    text = STUDY.replace("  amount: 1.50", "  amuont: 1.50").replace("    spacing: 1", "    checks: {atention: 1}")
    text = f"{text}taks: []\n"
    archive = zipped({"study.yaml": text, "items.csv": ITEMS})
    lines = problems_of(archive if as_archive else put(tmp_path / "study", study_yaml=text))
    assert sorted(line.partition(": ")[2] for line in lines) == [
        "pay.amuont: unknown name. Did you mean “amount”?",
        "taks: unknown name. Did you mean “tasks”?",
        "tasks[0].checks.atention: unknown name. Did you mean “attention”?",
    ]


def test_a_form_that_posts_an_unknown_name_is_told(setup: Setup, rosas_browser: Client) -> None:
    path = reverse("researcher:step", args=[SLUG, "raters"])
    posted = {**fields_of(rosas_browser.get(path).content.decode(), "setup-form"), "tasks.0.kk": "9"}
    sentence = "“tasks.0.kk” was not stored: this step has no such field. Did you mean “tasks.0.k”?"
    assert sentence in rosas_browser.post(path, posted, follow=True).content.decode()
    assert sentence in rosas_browser.post(path, posted, headers={"HX-Request": "true"}).content.decode()
    assert Setup.objects.get(pk=setup.pk).given == setup.given


@pytest.mark.parametrize("path", UNKNOWN, ids=lambda path: ".".join(map(str, path)))
def test_a_template_keeps_it_and_review_leads_to_the_study_file(
    draft: Study, rosa: User, rosas_browser: Client, path: tuple[str | int, ...]
) -> None:
    setup = changes.begin(draft)
    changes.change(setup=setup, values={("about",): ABOUT, path: "3"}, base=setup.revision, by=rosa)
    template = templates.save_as_template(study=draft, by=rosa)
    begun = starting.copy_of(origin=template, by=rosa, names=Names("Begun", "Reading"))
    assert SetupPage(changes.begin(begun), "task").value(path) == "3"
    page = rosas_browser.get(reverse("researcher:review", args=[begun.slug])).content.decode()
    (to_do,) = re.findall(r'aria-labelledby="to-do">(.*?)</section>', page, re.DOTALL)
    assert re.findall(r"<h4><a[^>]*>(.*?)</a></h4>", to_do) == ["Study file"]
    assert reverse("researcher:setup_file", args=[begun.slug]) in to_do
    assert f"unknown name. Did you mean “{UNKNOWN[path]}”?" in to_do


def test_a_section_stands_in_the_step_that_it_names(another_app: Notes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Notes, "step", "checks")
    asking = [step.slug for step in STEPS if SetupPage(Setup(given={}), step.slug).asks_for(("notes", "words"))]
    assert asking == ["checks"]


@pytest.mark.parametrize(
    ("step", "problem"),
    [
        ("", "names no step. Known are: task, texts, "),
        ("cheks", "'cheks', which there is not. Did you mean “checks”"),
    ],
)
def test_a_section_that_names_no_step_is_an_error(
    another_app: Notes, monkeypatch: pytest.MonkeyPatch, step: str, problem: str
) -> None:
    monkeypatch.setattr(Notes, "step", step)
    with pytest.raises(LookupError, match=re.escape(problem)):
        SetupPage(Setup(given={}), "analysis").controls  # noqa: B018  made when it is asked for


def test_sections_that_there_are_not_belong_to_no_step() -> None:
    assert step_of(("taks", 0, "k")) == ""


def test_every_pattern_names_a_part_of_the_study_file() -> None:
    """A pattern with a misspelt name would leave its field in the step of what is around it."""
    page = [control.path for step in STEPS for control in SetupPage(Setup(given=_everything()), step.slug).controls]
    own = [(name,) for name in whole_schema()["properties"]]
    paths = [*page, *own, ("study", "slug"), ("tasks", 0, "params"), ("tasks", 0, "design_params")]
    assert [pattern for pattern in (*patterns(), *WORDING) if not any(fits(pattern, path) for path in paths)] == []
