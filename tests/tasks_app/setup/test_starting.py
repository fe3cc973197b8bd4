"""Ways to begin a study: each makes a sound draft of its own."""

import json
import shutil
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from tasks_app import studyfile, task_types
from tasks_app.models import Event, Media, Membership, Rater, Setup, Study
from tasks_app.models.setup_document import value_at
from tasks_app.services.study.lifecycle import move
from tasks_app.setup import changes, starting, templates
from tasks_app.setup.checking import make_study
from tasks_app.setup.files import SetupFiles
from tasks_app.setup.starting import Names
from tasks_app.studyfile.checking import check
from tasks_app.task_types import TaskType
from tests import walk
from tests.builders import build_study
from tests.house.examples import COVERING
from tests.media import png, show

NAMES = Names("My First Study", "What do you think of these texts?")

ITEMS = [
    {"item": f"i{number}", "system": system, "output": f"Text {number} of {system}.", "source": "S.", "reference": "R."}
    for number in range(60)
    for system in "abcd"
]


@pytest.mark.django_db
@pytest.mark.parametrize("member", list(task_types.registry.values()), ids=list(task_types.registry))
def test_a_study_of_each_type_needs_texts_and_nothing_else(member: type[TaskType], rosa: User) -> None:
    study = starting.from_type(owner=rosa, member=member, names=NAMES)
    setup = Setup.objects.get(study=study)
    assert setup.document.value(("tasks", 0, "type")) == member.name
    assert setup.given["study"]["title"] == NAMES.title
    if member.needs_items:
        # Texts are all that a type needs, but for the questions that one type asks about each of them.
        options = {"options": json.dumps(member.sample.options)} if member.name == "comprehension" else {}
        changes.replace_table(setup=setup, table="items", rows=[{**row, **options} for row in ITEMS], by=rosa)
    check(SetupFiles(setup))


@pytest.mark.django_db
@pytest.mark.parametrize(
    "name",
    [name if name in COVERING else pytest.param(name, marks=pytest.mark.exhaustive) for name in starting.examples()],
)
def test_each_example_can_be_begun_from(name: str, rosa: User) -> None:
    example = starting.examples()[name]
    study = starting.from_example(owner=rosa, example=example, names=NAMES)
    given = studyfile.read(example.folder).document
    assert (study.slug, study.title) == ("my-first-study", NAMES.title)
    has_known_answers = bool(given["controls"])
    assert (study.seed == given["study"]["seed"]) == has_known_answers, "another seed would show other texts together"
    assert study.tasks.count() == len(given["tasks"])
    assert Setup.objects.get(study=study).is_stored
    assert Membership.objects.get(study=study).role == Membership.Role.OWNER


@pytest.mark.django_db
def test_every_study_has_a_slug_of_its_own(rosa: User) -> None:
    slugs = [starting.empty(owner=rosa, names=NAMES).slug for _time in range(3)]
    assert slugs == ["my-first-study", "my-first-study-2", "my-first-study-3"]
    assert starting.free_slug("New") == "new-2"
    assert starting.free_slug("日本語") == "study"
    assert len(starting.free_slug("long " * 100)) <= starting.LONGEST_SLUG


@pytest.mark.django_db
def test_a_copy_holds_the_design_and_no_rater(rosa: User) -> None:
    origin = build_study(rosa, known={"control": 2})
    show(origin, png(), "image/png")
    walk.arrive(origin)
    copy = starting.copy_of(origin=origin, by=rosa, names=Names("Again", "Texts"))
    assert (copy.state, copy.is_frozen, copy.slug) == (Study.State.DRAFT, False, "again")
    assert [row.sha256 for row in Media.objects.filter(study=copy)] == [
        row.sha256 for row in Media.objects.filter(study=origin)
    ]
    assert not Rater.objects.filter(study=copy).exists()
    assert Event.objects.filter(study=origin, verb="copied", object="again").exists()
    make_study(setup=copy.setup, by=rosa)
    assert copy.items.count() == origin.items.count()
    assert move(study_id=copy.pk, action="open", by=rosa).state == Study.State.OPEN


@pytest.mark.django_db
def test_a_copy_of_a_draft_holds_its_gaps(rosa: User) -> None:
    origin = starting.from_type(owner=rosa, member=task_types.registry["likert"], names=NAMES)
    setup = Setup.objects.get(study=origin)
    changes.replace_table(setup=setup, table="items", rows=ITEMS[:3], by=rosa)
    changes.change(setup=setup, values={("tasks", 0, "k"): "many"}, base=99, by=rosa)
    copy = starting.copy_of(origin=origin, by=rosa, names=Names("Again", "Texts"))
    copied = Setup.objects.get(study=copy)
    assert value_at(copied.given, ("tasks", 0, "k")) == "many"
    assert copied.given["study"]["slug"] == "again"
    assert copied.given["study"]["seed"] == copy.seed != origin.seed
    assert [row.cells for row in copied.rows.order_by("number")] == ITEMS[:3]
    assert not copied.is_stored


@pytest.mark.django_db
def test_a_template_is_a_copy_that_is_not_listed(rosa: User) -> None:
    origin = build_study(rosa)
    template = templates.save_as_template(study=origin, by=rosa)
    assert templates.is_template(template)
    assert list(templates.templates(Study.objects.all())) == [template]
    assert list(templates.ordinary(Study.objects.all())) == [origin]
    copy = starting.copy_of(origin=template, by=rosa, names=NAMES)
    assert not templates.is_template(copy)
    templates.make_ordinary(study=template, by=rosa)
    assert not templates.is_template(template)


@pytest.mark.django_db
def test_a_template_that_was_opened_is_a_study_like_any_other(rosa: User) -> None:
    template = templates.save_as_template(study=build_study(rosa), by=rosa)
    make_study(setup=template.setup, by=rosa)
    opened = move(study_id=template.pk, action="open", by=rosa)
    assert not templates.is_template(opened)
    assert opened in templates.ordinary(Study.objects.all())


@pytest.mark.parametrize("slug", ["new", "load"])
def test_no_study_file_takes_an_address_of_the_product(slug: str, tmp_path: Path) -> None:
    example = starting.examples()["likert"].folder
    shutil.copytree(example, tmp_path / "study")
    yaml = tmp_path / "study" / "study.yaml"
    yaml.write_text(yaml.read_text(encoding="utf-8").replace("slug: example-likert", f"slug: {slug}"), encoding="utf-8")
    with pytest.raises(studyfile.StudyFileError, match=f"“{slug}” is an address of evalweb itself"):
        studyfile.read(tmp_path / "study")
