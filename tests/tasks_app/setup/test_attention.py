"""Attention checks in one click: for each task type, in each language, and kept apart from what is evaluated."""

import json
from dataclasses import replace
from uuid import uuid4

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client

from tasks_app import studyfile, task_types
from tasks_app.models import Gold, Setup, Task, Unit
from tasks_app.setup import attention, changes
from tasks_app.setup.checking import make_study
from tasks_app.setup.texts import reads, samples, writes
from tasks_app.setup.texts.reads import counts
from tasks_app.studyfile.own_sections.checks import known_answers
from tasks_app.studyfile.problems import StudyFileError
from tasks_app.task_types.base import Instruction, Part
from tasks_app.task_types.data import GoldAnswer
from tasks_app.task_types.samples import sample_criteria, sample_kind, sample_screen
from tasks_app.texts import languages
from tests.pages import fields_of

pytestmark = pytest.mark.django_db

STEP = "/admin/studies/example-likert/set-up/checks/"
TEXTS = "/admin/studies/example-likert/set-up/texts/"

# Types of which a text cannot ask for an answer, with what is offered instead.
WITHOUT = {"triangle": "right or wrong by itself", "questionnaire": "is asked once"}

# A type for each kind of answer, and those without a check; further tests add checks of steps, pairs and marks.
TRIED = frozenset({*WITHOUT, "comprehension", "magnitude", "post_edit", "ranking", "slider"})


def loaded(name: str, owner: User) -> Setup:
    return changes.begin(studyfile.load(f"examples/{name}", owner=owner))


def known(setup: Setup) -> list[dict[str, str]]:
    rows = setup.rows.filter(table="controls", cells__purpose="attention").order_by("number")
    return list(rows.values_list("cells", flat=True))


@pytest.mark.parametrize(
    "name",
    [
        name if name in TRIED else pytest.param(name, marks=pytest.mark.exhaustive)
        for name in sorted(task_types.registry)
    ],
)
def test_every_task_type_has_a_check_or_says_which_other_one(name: str, rosa: User) -> None:
    setup = loaded(name, rosa)
    number = next(n for n, task in enumerate(setup.given["tasks"]) if task.get("stage", "main") == Task.Stage.MAIN)
    before = counts(setup)
    if name in WITHOUT:
        with pytest.raises(attention.CannotAdd, match=WITHOUT[name]):
            attention.add(setup=setup, number=number, by=rosa)
        return
    for _turn in range(3):
        setup = attention.add(setup=setup, number=number, by=rosa)
    checks = attention.checks_in(setup)
    assert [check.item for check in checks] == ["attention-1", "attention-2", "attention-3"]
    assert all(check.answers for check in checks)
    # Later checks ask for other answers.
    assert len({tuple(words for _number, words in check.rows) for check in checks}) > 1
    # The rule that uses them came along, and what is evaluated is counted as before.
    assert "control_accuracy" in str(setup.given["analysis"]["rules"])
    after = counts(setup)
    assert (after.items, after.outputs, len(after.systems)) == (before.items, before.outputs, len(before.systems))
    # The loader grades each known answer, and refuses one that nobody can give.
    study, _loaded = make_study(setup=setup, by=rosa)
    units = Gold.objects.filter(unit__task__study=study, purpose="attention").values("unit__item__key").distinct()
    assert units.count() == 3


@pytest.mark.parametrize("language", [code for code, _name in settings.LANGUAGES])
@pytest.mark.parametrize("name", sorted(set(task_types.registry) - set(WITHOUT)))
def test_a_check_speaks_the_language_of_the_study(name: str, language: str) -> None:
    """Its words are in the language, its quoted words are those of the scale, and raters can give its known answer."""
    kind = sample_kind(task_types.registry[name])
    criteria = kind.asked(sample_criteria(kind))
    said = {}
    for spoken in ("en", language):
        with languages.speaking(spoken):
            made = kind.instructed(criteria, 0)
        assert isinstance(made, Instruction)
        said[spoken] = made
    first = said["en"].texts[0][1].split("\n")[0]
    assert first == "This is not a text to judge. It checks that you are reading."
    for _system, text in said[language].texts:
        assert (first in text) == (language == "en"), "translated in every language but English"
    # The screen has the texts of the check, which known answers may name.
    texts = enumerate(text for _system, text in said[language].texts)
    screen = replace(sample_screen(kind), parts=tuple(Part(n, text, language) for n, text in texts))
    for criterion, kind_of_answer, answer in said[language].answers:
        assert known_answers.fault_of(kind_of_answer, answer) is None
        assert known_answers.why_never(kind, screen, GoldAnswer(kind_of_answer, answer, criterion or None)) is None
        if kind_of_answer == "span":
            assert isinstance(answer, list)
            text = said[language].texts[0][1]
            assert text[answer[0]["start"] : answer[0]["end"]].isdecimal()


def test_a_check_names_the_steps_that_are_right(setup: Setup, rosa: User) -> None:
    """The words of the text are those of the known answers: the highest step first, then the lowest."""
    for step in (5, 1):
        setup = attention.add(setup=setup, number=0, by=rosa)
        (_number, words), *_more = attention.checks_in(setup)[-1].rows
        for criterion in setup.given["criteria"]:
            assert f"{criterion['question']} “{criterion['labels'][step - 1]}”" in words
        assert {row["answer"] for row in known(setup)[-2:]} == {str(step)}
    assert {row["criterion"] for row in known(setup)} == {"fluency", "accuracy"}
    # With blocks of criteria each unit has one of them.
    setup = changes.change(
        setup=setup, values={("tasks", 0, "criteria_mode"): "block"}, base=setup.revision, by=rosa
    ).setup
    setup = attention.add(setup=setup, number=0, by=rosa)
    assert [row["unit"].partition("@")[2] for row in known(setup)[-2:]] == [
        row["criterion"] for row in known(setup)[-2:]
    ]


def test_each_task_has_a_check_of_its_own_that_names_only_its_questions(setup: Setup, rosa: User) -> None:
    pairs = {"key": "pairs", "type": "pairwise", "criteria": ["fluency"], "k": 3, "set_size": 6}
    errors = {"key": "errors", "type": "error_spans", "params": {"scheme": "plain"}, "k": 3, "set_size": 6}
    tasks = [*setup.given["tasks"], pairs, errors]
    setup = changes.change(setup=setup, values={("tasks",): tasks}, base=setup.revision, by=rosa).setup
    for number in range(3):
        setup = attention.add(setup=setup, number=number, by=rosa)
    likert, pairwise, marks = attention.checks_in(setup)
    assert [check.task for check in (likert, pairwise, marks)] == ["places", "pairs", "errors"]
    assert [len(check.rows) for check in (likert, pairwise, marks)] == [1, 2, 1]
    words = [" ".join(text for _number, text in check.rows) for check in (likert, pairwise, marks)]
    assert ["“very well”" in text for text in words] == [True, False, False]
    assert ["choose this text" in text for text in words] == [False, True, False]
    answers = known(setup)
    assert [(row["task"], row["kind"], row["unit"].partition("/")[0]) for row in answers] == [
        ("places", "exact", "attention-1"), ("places", "exact", "attention-1"),
        ("pairs", "exact", "attention-2"), ("errors", "span", "attention-3"),
    ]  # fmt: skip
    (span,) = json.loads(answers[-1]["answer"])
    assert marks.rows[0][1][span["start"] : span["end"]].isdecimal()
    # The study has one unit for each check, in its own task alone; it is loaded again from its file just so.
    study, _loaded = make_study(setup=setup, by=rosa)
    shown = Unit.objects.filter(task__study=study, item__key__startswith="attention-")
    assert sorted(shown.values_list("task__key", "item__key")) == [
        ("errors", "attention-3"), ("pairs", "attention-2"), ("places", "attention-1"),
    ]  # fmt: skip
    assert Gold.objects.filter(unit__task__study=study).count() == len(answers)
    # A task that takes some of the items only shows its checks all the same, those from before included.
    setup = changes.begin(study)
    values = {("tasks", 1, "items"): {"feature_topic": ["food"]}, ("tasks", 1, "set_size"): 1}
    setup = changes.change(setup=setup, values=values, base=setup.revision, by=rosa).setup
    setup = attention.add(setup=setup, number=1, by=rosa)
    make_study(setup=setup, by=rosa)
    assert known(setup)[-1]["unit"].startswith("attention-4/")


def test_an_item_that_names_tasks_which_do_not_exist_is_refused(setup: Setup, rosa: User) -> None:
    setup = attention.add(setup=setup, number=0, by=rosa)
    row = reads.rows_of(setup).get(cells__item="attention-1")
    for value in ('["elsewhere"]', '"places"', "5"):
        row.cells["options"] = f'{{"only_tasks": {value}}}'
        row.save()
        with pytest.raises(StudyFileError, match="must be a list of keys of tasks"):
            make_study(setup=setup, by=rosa)


def test_the_button_of_the_step_adds_one_and_says_why_not(setup: Setup, rosas_browser: Client) -> None:
    page = rosas_browser.get(STEP).content.decode()
    assert 'value="add_check:0"' in page
    sent = {**fields_of(page, "setup-form"), "do": "add_check:0"}
    # Sent twice, as by a double click, it adds one; what saves by itself adds none.
    for _press in range(2):
        assert rosas_browser.post(STEP, sent).status_code == 302
    rosas_browser.post(STEP, {**sent, "click": uuid4().hex}, headers={"HX-Request": "true"})
    setup.refresh_from_db()
    assert [check.item for check in attention.checks_in(setup)] == ["attention-1"]
    page = rosas_browser.get(STEP).content.decode()
    assert "It checks that you are reading." in page
    assert "36</strong> outputs of <strong>12</strong> items by <strong>3" in rosas_browser.get(TEXTS).content.decode()

    changed = fields_of(page, "setup-form") | {"do": "remove_check:attention-1"}
    rosas_browser.post(STEP, changed)
    setup.refresh_from_db()
    assert not attention.checks_in(setup)
    assert not known(setup)
    assert not any(entry["key"].startswith("attention") for entry in setup.given["systems"])

    for button, told in {"remove_check:nothing": False, "add_check:7": True, "add_check:x": True}.items():
        sent = {**fields_of(rosas_browser.get(STEP).content.decode(), "setup-form"), "do": button}
        answer = rosas_browser.post(STEP, sent, follow=True)
        assert ("There is no such task any more." in answer.content.decode()) == told
    assert not known(setup)


def test_checks_stay_with_other_texts_and_in_samples(setup: Setup, rosa: User) -> None:
    setup = attention.add(setup=setup, number=0, by=rosa)
    samples.take_sample(setup=setup, sample=samples.Sample(n=5, seed=1), by=rosa)
    after = counts(setup)
    assert (after.items, after.checks) == (5, 1)
    setup = writes.store(
        setup=setup,
        rows=[{"item": f"new-{n}", "system": "new", "output": f"Text {n}"} for n in range(6)],
        systems={"new": "A new system"},
        by=rosa,
    )
    after = counts(setup)
    assert (after.items, [system.key for system in after.systems], after.checks) == (6, ["new"], 1)
    # The names of systems can be changed without losing that of the check.
    systems = [{"key": "new", "name": "Renamed", "kind": "human"}]
    assert writes.name_systems(setup=setup, systems=systems, base=setup.revision, by=rosa)
    setup.refresh_from_db()
    assert {entry["key"] for entry in setup.given["systems"]} == {"new", "attention-check"}
    setup = changes.change(setup=setup, values={("tasks", 0, "set_size"): 6}, base=setup.revision, by=rosa).setup
    make_study(setup=setup, by=rosa)
