"""Batches in a study file: stored with their task, exported as they were, and problems named by line and column."""

# ruff: noqa: E501  one case a line: a message cut in two cannot be compared with what a person reads

import io
from pathlib import Path

import pytest

from tasks_app import studyfile
from tasks_app.hooks import sections
from tasks_app.models import Place, Study, Task, Version
from tasks_app.services.plan import plans
from tests.tasks_app.studyfile.kit import STUDY, problems_of, put, spoil, stored

pytestmark = pytest.mark.django_db

BATCHED = STUDY.replace("    set_size: 4\n", "    set_size: 4\n    design: batches\n")
BATCHES = "batch,unit\nx,i2/beta\ny,i1/beta\nx,i1/alpha\nx,i3/alpha\ny,i2/alpha\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return put(tmp_path / "study", study_yaml=BATCHED, batches_csv=BATCHES)


def stored_plan(study: Study) -> list[list[str]]:
    """Freeze nothing, but store the plan and read it: the units of each booklet in their order."""
    task = Task.objects.get(study=study)
    version = Version.objects.create(study=study, number=study.next_version, digest="0" * 64, document={})
    plans.store(task, version)
    found: dict[int, list[str]] = {}
    rows = Place.objects.filter(booklet__task=task).order_by("booklet__number", "order")
    for number, key in rows.values_list("booklet__number", "unit__key"):
        found.setdefault(number, []).append(key)
    return list(found.values())


def test_a_batch_is_a_set_and_k_raters_have_it(folder: Path) -> None:
    study, loaded = studyfile.load_with_notes(folder, owner=None)
    assert (loaded.counts["places"], loaded.counts["booklets"]) == (10, 4)
    once = [["i2/beta", "i1/alpha", "i3/alpha"], ["i1/beta", "i2/alpha"]]
    assert stored_plan(study) == once + once


def test_positions_order_a_batch(folder: Path) -> None:
    rows = "batch,unit,position\nx,i2/beta,3\ny,i1/beta,8\nx,i1/alpha,2\nx,i3/alpha,10\ny,i2/alpha,1\n"
    (folder / "batches.csv").write_text(rows)
    study = studyfile.load(folder, owner=None)
    assert stored_plan(study)[:2] == [["i1/alpha", "i2/beta", "i3/alpha"], ["i2/alpha", "i1/beta"]]


def test_batches_come_back_as_they_went(folder: Path) -> None:
    study, loaded = studyfile.load_with_notes(folder, owner=None)
    before = sections.snapshot(study)
    assert before == loaded.document
    assert before["batches"][:3] == [
        {"task": "reading", "batch": "x", "unit": unit} for unit in ("i2/beta", "i1/alpha", "i3/alpha")
    ]
    assert before["tasks"][0]["design_params"] == {"order": "file"}
    first, second = io.BytesIO(), io.BytesIO()
    studyfile.export(study, first)
    first.seek(0)
    again = studyfile.load(first, owner=None, replace=True)
    assert sections.snapshot(again) == before
    studyfile.export(again, second)
    assert second.getvalue() == first.getvalue()


CASES = {
    "no such unit": ("x,i1/alpha", "x,i1/alhpa", "batches.csv:4:2: unit: There is no unit “i1/alhpa”. Units are called like “i1/alpha”. If its text is no longer in the study, remove this row, or give it the unit of another text."),
    "in two batches": ("y,i2/alpha", "y,i2/alpha\ny,i1/alpha", "batches.csv:7:2: unit: Line 4 has this unit already. A unit is in one batch; k raters judge each batch."),
    "left out": ("y,i2/alpha\n", "", "batches.csv: 1 unit of the task “reading” is in no batch: “i2/alpha”. Add it to one."),
    "no batch": ("x,i1/alpha", ",i1/alpha", "batches.csv:4:1: batch: A value is needed here in every row."),
    "unknown column": ("batch,unit", "batch,unit,order", "batches.csv:1:3: Unknown column “order”."),
    "no column": ("batch,unit", "batches,unit", "batches.csv:1:1: Unknown column “batches”. Did you mean “batch”?"),
    "unknown task": ("batch,unit\nx,i2/beta", "batch,unit,task\nx,i2/beta,raeding", "batches.csv:2:3: task: There is no such task. Did you mean “reading”?"),
    "position of one": ("batch,unit\nx,i2/beta", "batch,unit,position\nx,i2/beta,1", "batches.csv:4:3: position: Other rows of this batch have a position. Give one to every row of it, or to none."),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "expected"), CASES.values(), ids=CASES)
def test_batches_that_do_not_fit_are_refused(folder: Path, old: str, new: str, expected: str) -> None:
    studyfile.read(folder)
    spoil(folder, "batches.csv", old, new)
    text = (folder / "batches.csv").read_text()
    columns = text.splitlines()[0].count(",")
    (folder / "batches.csv").write_text(
        "".join(f"{row}{',' * (columns - row.count(','))}\n" for row in text.splitlines())
    )
    lines = problems_of(folder)
    assert any(line.startswith(expected) for line in lines), lines
    assert not stored()


def test_a_position_twice_is_refused(folder: Path) -> None:
    rows = "batch,unit,position\nx,i2/beta,3\ny,i1/beta,3\nx,i1/alpha,3\nx,i3/alpha,1\ny,i2/alpha,1\n"
    (folder / "batches.csv").write_text(rows)
    assert problems_of(folder) == [
        "batches.csv:4:3: position: Line 2 has this position in the batch already. Choose another."
    ]


def test_a_unit_with_a_known_answer_is_in_no_batch(folder: Path) -> None:
    controls = "unit,purpose,kind,answer\ni3/alpha,control,exact,3\n"
    (folder / "controls.csv").write_text(controls)
    assert problems_of(folder) == [
        "batches.csv:5:2: unit: This unit has a known answer, so it cannot be in a batch. Leave it out."
    ]
    spoil(folder, "batches.csv", "x,i3/alpha\n", "")
    assert stored_plan(studyfile.load(folder, owner=None))[0] == ["i2/beta", "i1/alpha"]


def test_batches_need_the_design(folder: Path) -> None:
    spoil(folder, "study.yaml", "    design: batches\n", "")
    assert problems_of(folder)[0].startswith(
        "batches.csv:2:1: batch: Batches are for tasks with “design: batches”. Choose that design, or leave the row out."
    )


def test_the_design_needs_batches(folder: Path) -> None:
    (folder / "batches.csv").unlink()
    assert problems_of(folder) == [
        "study.yaml:24:5: tasks[0]: This task has no batches yet. Add batches (step Raters → Batches, or batches.csv)."
    ]


def test_a_batch_larger_than_a_set_is_a_problem_of_the_set_size(folder: Path) -> None:
    spoil(folder, "study.yaml", "set_size: 4", "set_size: 2")
    assert problems_of(folder)[0].endswith(
        "tasks[0].set_size: The batch “x” has 3 units, too many for a set of 2. Choose a set size of 3."
    )


def test_a_batch_names_texts_where_criteria_are_asked_apart(folder: Path) -> None:
    spoil(folder, "study.yaml", "    set_size: 4\n", "    set_size: 6\n    criteria_mode: block\n")
    plan = stored_plan(studyfile.load(folder, owner=None))
    assert [len(booklet) for booklet in plan] == [6, 4, 6, 4]
    assert {key.partition("@")[0] for key in plan[1]} == {"i1/beta", "i2/alpha"}


def test_two_tasks_have_batches_of_their_own(folder: Path) -> None:
    second = BATCHED[BATCHED.index("  - key: reading") :].replace("key: reading", "key: again")
    (folder / "study.yaml").write_text(BATCHED + second)
    assert problems_of(folder)[0].startswith(
        "batches.csv:2:2: unit: Several tasks have this unit (reading, again). Say which one in the column “task”."
    )
    rows = BATCHES.splitlines()[1:]
    table = ["batch,unit,task", *(f"{row},reading" for row in rows), *(f"{row},again" for row in reversed(rows))]
    (folder / "batches.csv").write_text("\n".join(table) + "\n")
    study, loaded = studyfile.load_with_notes(folder, owner=None)
    assert sections.snapshot(study) == loaded.document
    batches = {task.key: task.design_params["batches"] for task in Task.objects.filter(study=study)}
    assert [one["batch"] for one in batches["reading"]] == ["x", "y"]
    assert [one["batch"] for one in batches["again"]] == ["y", "x"]
