"""Every example through its file, its form and its preview, and back: whatever the task type, nothing is lost."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from tasks_app import studyfile
from tasks_app.hooks import sections
from tasks_app.models import Setup, Study, Version
from tasks_app.services.study.lifecycle import move
from tasks_app.setup import changed_versions, changes
from tasks_app.setup.checking import make_study
from tasks_app.setup.differences import Difference
from tasks_app.setup.frozen import setup_of
from tasks_app.setup.preview import preview_of
from tasks_app.setup.steps import STEPS
from tasks_app.setup.tables.marking import MarkedProblems
from tasks_app.setup.unit_tables.answers import kinds_of, purposes_of
from tasks_app.setup.unit_tables.checking import check_rows, reading_of_units
from tasks_app.setup.unit_tables.declared import UNIT_TABLES
from tasks_app.setup.unit_tables.template import template_rows
from tasks_app.studyfile.files.headers import Naming
from tasks_app.studyfile.files.tables import Row
from tasks_app.studyfile.screens import draft_tasks
from tests import extent
from tests.house.examples import FOLDERS, covering_examples
from tests.once import undone

pytestmark = pytest.mark.django_db

CONTROLS = UNIT_TABLES["controls"]


@covering_examples
def test_an_example_has_a_form_and_comes_back_as_it_went(
    rosas_browser: Client, rosa: User, name: str, tmp_path: Path
) -> None:
    study, read = studyfile.load_with_notes(FOLDERS[name], owner=rosa, replace=True)
    before = sections.snapshot(study)
    assert before == read.document
    studyfile.export(study, tmp_path / "copy")
    study = studyfile.load(tmp_path / "copy", owner=rosa, replace=True)
    assert sections.snapshot(study) == before
    setup = changes.begin(study)
    _its_preview_is_the_rater_s_page(rosas_browser, setup)
    with undone():
        setup.rows.filter(table="controls").delete()
        _a_template_that_was_filled_in_is_right(setup)
        if extent.is_exhaustive() and _asks_apart(setup):
            given = {("tasks", number, "criteria_mode"): "block" for number in range(len(setup.given["tasks"]))}
            _a_template_that_was_filled_in_is_right(changes.change(setup=setup, values=given, base=0, by=None).setup)
    _what_was_frozen_makes_the_design_again(move(study_id=study.pk, action="open", by=rosa), rosa)


def _its_preview_is_the_rater_s_page(browser: Client, setup: Setup) -> None:
    """The screen on the study's own texts is shown, and refuses an empty answer or takes it."""
    shown = preview_of(setup)
    assert shown is not None
    assert (shown.is_sample, list(shown.problems)) == (False, [])
    path = reverse("researcher:preview", args=[setup.study.slug])
    page = browser.get(path, {"theme": "dark"})
    assert (page.status_code, page.get("X-Frame-Options", "")) == (200, "")
    assert 'data-theme="dark"' in page.content.decode()
    assert "frame-ancestors 'self'" in page["Content-Security-Policy"]
    assert browser.post(path, {}).status_code in {200, 422}


def _asks_apart(setup: Setup) -> bool:
    drafts = draft_tasks(reading_of_units(setup, CONTROLS))
    return all(draft.kind.asks_apart and len(draft.task["criteria"]) > 1 for draft in drafts)


def _a_template_that_was_filled_in_is_right(setup: Setup) -> None:
    """Answers of the kinds that the page explains fit the rows, whatever the type and however criteria are asked."""
    reading = reading_of_units(setup, CONTROLS)
    drafts = {draft.task["key"]: draft for draft in draft_tasks(reading)}
    criteria = reading.document["criteria"]
    header, *lines = template_rows(reading, CONTROLS)
    rows, known = [], {}
    for number, line in enumerate(lines, start=2):
        row = {name: text for name, text in zip(header, line, strict=True) if text and name in CONTROLS.declared.names}
        draft = drafts[row.get("task", next(iter(drafts)))]
        unit = draft.units[row["unit"]]
        sort = (draft.task["key"], row.get("criterion", ""), unit.item, len(unit.parts))
        if sort not in known:
            known[sort] = kinds_of(draft, unit, row.get("criterion", ""), criteria)
        rows.append(Row("filled.csv", number, {**row, "answer": known[sort][row["kind"]]}, Naming(CONTROLS.declared)))
    problems = MarkedProblems("filled.csv")
    check_rows(reading, CONTROLS, rows, problems)
    problems.raise_if_any()
    assert len(reading.document["controls"]) == len(rows)
    if any(purposes_of(draft) for draft in drafts.values()):
        assert rows


def _what_was_frozen_makes_the_design_again(study: Study, rosa: User) -> None:
    """A changed version in which nothing was changed is the same design under another title."""
    document = Version.objects.get(study=study).document
    draft = changed_versions.prepare(study=study, by=rosa)
    setup = changes.begin(draft)
    Setup.objects.filter(pk=setup.pk).update(given={**setup_of(study).given, "study": setup.given["study"]})
    again, _loaded = make_study(setup=Setup.objects.get(pk=setup.pk), by=rosa)
    assert Setup.objects.get(pk=setup.pk).is_stored
    made = {**sections.snapshot(again), "study": document["study"]}
    assert sections.digest(made) == sections.digest(document)
    found = changed_versions.differences_of(setup_of(draft))
    assert found.settings == [
        Difference(STEPS[0], "The study › Title", study.title, f"{study.title}, version 2", True, "#f-study-title")
    ]
    assert not found.tables
