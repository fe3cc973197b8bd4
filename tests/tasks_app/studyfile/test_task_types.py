"""What task types say in a study file: criteria they bring along, items they cannot take, limits of a rater's sets."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tasks_app import studyfile
from tasks_app.models import TaskCriterion
from tasks_app.studyfile import StudyFileError
from tests.house.examples import EXAMPLES
from tests.tasks_app.studyfile.kit import stored

pytestmark = pytest.mark.django_db

ITEMS = "item,system,output\ni1,alpha,One text.\ni1,beta,Another text.\ni2,alpha,Third.\ni2,beta,Fourth.\n"


def a_study(
    folder: Path, tasks: list[dict[str, Any]], items: str | None = ITEMS, slug: str = "typed", **parts: Any
) -> Path:
    """Write a study file with these tasks."""
    folder.mkdir()
    document = {
        "evalweb": 1,
        "study": {"slug": slug, "title": "Typed", "public_title": "Short texts", "seed": 1},
        "tasks": [{"key": f"t{number}", "spacing": 0, **task} for number, task in enumerate(tasks)],
        **parts,
    }
    (folder / "study.yaml").write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")
    if items is not None:
        (folder / "items.csv").write_text(items, encoding="utf-8")
    return folder


def problems_of(folder: Path) -> list[str]:
    """Return the problems of a study file, and make sure that nothing of it was stored."""
    before = stored()
    with pytest.raises(StudyFileError) as refused:
        studyfile.load(folder, owner=None)
    assert stored() == before
    return refused.value.lines()


TRIANGLE = {"type": "triangle", "set_size": 1}


def test_criteria_that_a_type_brings_are_stored_asked_and_exported(tmp_path: Path) -> None:
    study = studyfile.load(a_study(tmp_path / "one", [TRIANGLE]), owner=None)
    asked = TaskCriterion.objects.filter(task__study=study).order_by("order")
    keys = list(asked.values_list("criterion__key", flat=True))
    brought = study.tasks.get().kind.brings()
    assert keys == [one.key for one in brought]
    assert set(study.criteria.values_list("kind", flat=True)) == {"question"}
    studyfile.export(study, tmp_path / "out")
    again = studyfile.read(tmp_path / "out").document
    assert [one["key"] for one in again["criteria"]] == keys
    assert again["tasks"][0]["criteria"] == keys


def test_a_study_words_what_a_type_brings_in_its_own_way(tmp_path: Path) -> None:
    own = {"key": "motive", "name": "Why", "kind": "question", "question": "What did you notice?"}
    task = {**TRIANGLE, "params": {"motive": True}}
    study = studyfile.load(a_study(tmp_path / "one", [task], criteria=[own]), owner=None)
    assert study.criteria.get(key="motive").question == "What did you notice?"


def test_two_tasks_may_bring_the_same_but_not_in_other_words(tmp_path: Path) -> None:
    studyfile.load(a_study(tmp_path / "alike", [TRIANGLE, TRIANGLE]), owner=None)
    three = {**TRIANGLE, "params": {"variant": "three"}}
    problems = problems_of(a_study(tmp_path / "other", [TRIANGLE, three], slug="other"))
    assert any("tasks[1]" in one and "in other words" in one for one in problems), problems


@pytest.mark.parametrize("change", [{"set_size": 2}, {"flow": {"sets_per_rater": 2}}])
def test_a_set_larger_than_the_type_allows_is_refused(tmp_path: Path, change: dict[str, Any]) -> None:
    flow = change.pop("flow", {})
    problems = problems_of(a_study(tmp_path / "one", [{**TRIANGLE, **change}], flow=flow))
    assert any("A rater would judge up to 2 units" in one for one in problems), problems


def test_an_item_that_a_type_cannot_take_is_named_with_its_line(tmp_path: Path) -> None:
    items = ITEMS.replace("Fourth.", "Third.")
    problems = problems_of(a_study(tmp_path / "one", [TRIANGLE], items=items))
    assert len(problems) == 1
    assert problems[0].startswith("items.csv:4:1: item “i2”: ")


def test_a_questionnaire_needs_no_items_and_everything_else_does(tmp_path: Path) -> None:
    asked = {"type": "questionnaire", "params": {"instrument": "panas"}, "set_size": 1}
    study = studyfile.load(a_study(tmp_path / "asked", [asked], items=None), owner=None)
    assert study.tasks.get().units.count() == 1
    problems = problems_of(a_study(tmp_path / "both", [asked, TRIANGLE], items=None, slug="both"))
    assert any("There is no items.csv" in one for one in problems)


def test_what_texts_carry_is_refused_where_the_type_does_not_show_it(tmp_path: Path) -> None:
    unit = studyfile.load(a_study(tmp_path / "one", [TRIANGLE]), owner=None).tasks.get().units.first()
    carried = a_study(tmp_path / "carried", [TRIANGLE], slug="carried")
    line = json.dumps({"unit": unit.key, "part": 1, "payload": {"a": 1}})
    (carried / "prefill.jsonl").write_text(line + "\n", encoding="utf-8")
    assert any("payload: " in one for one in problems_of(carried))


def test_every_example_has_its_own_slug() -> None:
    slugs = [yaml.safe_load(path.read_text())["study"]["slug"] for path in EXAMPLES.glob("*/study.yaml")]
    assert len(slugs) == len(set(slugs)) >= 2


def test_a_triangle_of_few_judges_is_said_to_be_weak(tmp_path: Path) -> None:
    weak = studyfile.read(a_study(tmp_path / "weak", [{**TRIANGLE, "k": 2}]))
    assert any("gives alpha + beta only 4 judgments; at least 18 are advised" in one for one in weak.notes)
    enough = studyfile.read(a_study(tmp_path / "enough", [{**TRIANGLE, "k": 9}]))
    assert not any("are advised" in one for one in enough.notes)


def test_marks_that_a_text_carries_must_be_able_to_stand_together(tmp_path: Path) -> None:
    spans = {"type": "error_spans", "set_size": 4, "params": {"scheme": "esa", "overlaps": False}}
    mark = {"side": "output", "start": 0, "end": 3, "severity": "minor"}
    folder = a_study(tmp_path / "one", [spans])
    row = {"unit": "i1/alpha", "part": 1, "payload": mark}
    twice = [json.dumps(row), json.dumps({**row, "payload": {**mark, "start": 1}})]
    (folder / "prefill.jsonl").write_text("\n".join(twice) + "\n", encoding="utf-8")
    problems = problems_of(folder)
    assert len(problems) == 1, problems
    assert problems[0].startswith("prefill.jsonl:2:")


def test_what_asks_more_on_every_screen_is_not_asked_apart(tmp_path: Path) -> None:
    criteria = [{"key": key, "name": key.title()} for key in ("fluency", "meaning")]
    task = {"type": "error_spans", "params": {"scheme": "esa"}, "criteria": ["fluency", "meaning"]}
    problems = problems_of(a_study(tmp_path / "one", [{**task, "criteria_mode": "block"}], criteria=criteria))
    assert any("criteria_mode: This task type asks more" in one for one in problems), problems
