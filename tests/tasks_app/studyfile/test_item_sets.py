"""Tasks that take some of the items: checked, stored, exported, cloned, and frozen with the rest of the design."""

import io
from pathlib import Path

import pytest
from django.db import IntegrityError, transaction
from django.utils.datastructures import MultiValueDict

from tasks_app import studyfile
from tasks_app.hooks import sections
from tasks_app.models import Item, Task, Unit
from tasks_app.services.study import lifecycle, units
from tasks_app.setup.controls import Control, in_control, posted_value
from tasks_app.setup.leaves import kind_of
from tasks_app.studyfile.declarations import TaskBlock
from tasks_app.studyfile.schema import field_schema
from tests.tasks_app.studyfile.kit import ITEMS, STUDY, problems_of, put

pytestmark = pytest.mark.django_db

WITH_DOMAINS = "item,system,output,source,document,feature_domain,feature_year\n" + "".join(
    f"i{n},{system},Text {n} by {system}.,Source {n},d{n % 2},{domain},202{n}\n"
    for n, domain in enumerate(("news", "legal", "news", "speech"), start=1)
    for system in ("alpha", "beta")
)


def with_items(*sets: str) -> str:
    """The sound little study with a task for each set of items."""
    head, task = STUDY.replace("set_size: 4", "set_size: 2").split("  - key: reading\n")
    return head + "".join(f"  - key: task-{number}\n{task}    items: {items}\n" for number, items in enumerate(sets))


def taken(study_id: int) -> dict[str, set[str]]:
    """The items of each task, by what units there are."""
    found: dict[str, set[str]] = {}
    for task, item in Unit.objects.filter(task__study=study_id).values_list("task__key", "item__key"):
        found.setdefault(task, set()).add(item)
    return found


@pytest.mark.parametrize(
    ("items", "keys"),
    [
        ("{feature_domain: news}", {"i1", "i3"}),
        ("{feature_domain: [news, speech]}", {"i1", "i3", "i4"}),
        ("{feature_domain: [news, speech], document: d1}", {"i1", "i3"}),
        ("{item: [i4, i1]}", {"i1", "i4"}),
        ("{feature_year: 2022}", {"i2"}),
        ("{}", {"i1", "i2", "i3", "i4"}),
    ],
)
def test_a_task_takes_the_items_it_names(tmp_path: Path, items: str, keys: set[str]) -> None:
    folder = put(tmp_path, study_yaml=with_items(items), items_csv=WITH_DOMAINS)
    read = studyfile.read(folder)
    assert read.counts["units"] == 2 * len(keys)
    study = studyfile.load(folder, owner=None)
    assert taken(study.pk) == {"task-0": keys}
    # The rule is the same where units are made again.
    Unit.objects.filter(task__study=study).delete()
    units.make_units(study=study)
    assert taken(study.pk) == {"task-0": keys}


def test_tasks_of_one_study_take_different_items_and_the_rest_is_told(tmp_path: Path) -> None:
    sets = ("{feature_domain: news}", "{feature_domain: legal}")
    folder = put(tmp_path, study_yaml=with_items(*sets), items_csv=WITH_DOMAINS)
    assert "1 item is in no task." in studyfile.read(folder).notes
    study = studyfile.load(folder, owner=None)
    assert taken(study.pk) == {"task-0": {"i1", "i3"}, "task-1": {"i2"}}


def test_items_come_back_from_an_export(tmp_path: Path) -> None:
    folder = put(tmp_path, study_yaml=with_items("{feature_domain: news, item: [i1]}"), items_csv=WITH_DOMAINS)
    study = studyfile.load(folder, owner=None)
    (task,) = sections.snapshot(study)["tasks"]
    assert task["items"] == {"feature_domain": ["news"], "item": ["i1"]}
    stream = io.BytesIO()
    studyfile.export(study, stream)
    stream.seek(0)
    assert studyfile.read(stream).document["tasks"] == [task]


@pytest.mark.parametrize(
    ("items", "problem"),
    [
        ("{feature_domian: news}", "study.yaml:32:13: tasks[0].items.feature_domian: No item has a “feature_domian”. "),
        ("{feature_domain: new}", "study.yaml:32:29: tasks[0].items.feature_domain: No item has “new” in the column "),
        ("{item: [i1, i9]}", "study.yaml:32:24: tasks[0].items.item[1]: No item has “i9” in the column “item”. "),
        ("{domain: news}", "study.yaml:32:13: tasks[0].items.domain: unknown name."),
        ("{feature_domain: legal, item: i1}", "study.yaml:32:12: tasks[0].items: No item has all of this. "),
        ("{item: []}", "study.yaml:32:19: tasks[0].items.item: "),
    ],
)
def test_what_no_item_has_is_a_problem_of_its_place(tmp_path: Path, items: str, problem: str) -> None:
    folder = put(tmp_path, study_yaml=with_items(items), items_csv=WITH_DOMAINS)
    (line,) = problems_of(folder)
    assert line.startswith(problem)


def test_a_task_without_items_takes_none(tmp_path: Path) -> None:
    study = with_items("{item: i1}").replace("type: likert", "type: questionnaire").replace("      points: 5\n", "")
    study = study.replace("criteria: [fluency, style]\n    params:\n", "stage: exit\n    params: {instrument: panas}\n")
    folder = put(tmp_path, study_yaml=study, items_csv=ITEMS)
    assert any("This task type shows no items." in line for line in problems_of(folder))


def test_the_items_of_a_frozen_task_cannot_be_changed(tmp_path: Path) -> None:
    folder = put(tmp_path, study_yaml=with_items("{item: [i1, i2]}"), items_csv=WITH_DOMAINS)
    study = studyfile.load(folder, owner=None)
    lifecycle.move(study_id=study.pk, action="open", by=None)
    with pytest.raises(IntegrityError, match="frozen version"), transaction.atomic():
        Task.objects.filter(study=study).update(items={})
    assert Item.objects.filter(study=study).count() == 4


def test_the_form_shows_a_value_in_each_line() -> None:
    schema = field_schema(TaskBlock.base_fields["items"])
    assert kind_of(schema) == "values"
    control = Control(("tasks", 0, "items"), "values", "Items", "", "")
    value = {"feature_domain": ["news", "legal"], "item": "i1"}
    shown = in_control("values", value)
    assert shown == "feature_domain: news\nfeature_domain: legal\nitem: i1"
    assert posted_value(control, MultiValueDict({control.name: [shown]})) == value
