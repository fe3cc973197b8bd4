"""Controls, prefill and named units: what fits the units of the tasks is stored, the rest is named by line."""

# ruff: noqa: E501  one case a line: a message cut in two cannot be compared with what a person reads

from pathlib import Path

import pytest

from tasks_app import studyfile
from tasks_app.models import Gold, Unit
from tasks_app.services.plan import reports
from tests.tasks_app.studyfile.kit import STUDY, problems_of, put, spoil, stored

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("texts_carry_something")]

CONTROLS = """\
unit,purpose,criterion,kind,answer,explanation
i1/alpha,control,fluency,exact,5,
i1/beta,control,fluency,range,"[1, 2]",Too short.
i1/beta,control,style,set,"[1, 2]",
"""
PREFILL = '{"unit": "i2/alpha", "part": 1, "payload": {"score": 3}}\n'
SMALLER = STUDY.replace("set_size: 4", "set_size: 3")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return put(tmp_path / "study", study_yaml=SMALLER, controls_csv=CONTROLS, prefill_jsonl=PREFILL)


def test_known_answers_are_stored_and_their_units_are_not_judged(folder: Path) -> None:
    study, loaded = studyfile.load_with_notes(folder, owner=None)
    assert list(Gold.objects.order_by("id").values_list("unit__key", "criterion__key", "kind", "answer")) == [
        ("i1/alpha", "fluency", "exact", 5), ("i1/beta", "fluency", "range", [1, 2]), ("i1/beta", "style", "set", [1, 2]),
    ]  # fmt: skip
    assert Unit.objects.get(key="i2/alpha").parts.get().prefills.get().payload == {"score": 3}
    assert (loaded.counts["units"], loaded.counts["places"]) == (5, 6)
    assert [report.places for report in reports.reports(study)] == [6]
    assert not [note for note in loaded.notes if "yet" in note]


CASES = {
    "no such unit": (
        "i1/alpha",
        "i1/alhpa",
        "controls.csv:2:1: unit: There is no unit “i1/alhpa”. Units are called like “i1/alpha”. If its text is no longer in "
        "the study, remove this row, or give it the unit of another text.",
    ),
    "purpose": ("control,fluency,exact", "check,fluency,exact", "controls.csv:2:2: purpose: must be one of: training, exam, control, attention; it is 'check'."),
    "kind": ("exact,5", "same,5", "controls.csv:2:4: kind: must be one of: exact, range, set, span, order; it is 'same'."),
    "kind of another type": ("exact,5", "span,5", "controls.csv:2:4: kind: Gold of kind 'span' is not graded by this task type."),
    "criterion": ("control,fluency,exact", "control,fluent,exact", "controls.csv:2:3: criterion: The task “reading” does not ask this. Did you mean “fluency”?"),
    "exact list": ("exact,5", 'exact,"[5]"', "controls.csv:2:5: answer: An exact answer is one value; this is a list."),
    "range upside down": ('range,"[1, 2]"', 'range,"[2, 1]"', "controls.csv:3:5: answer: The low end of a range stands first: write [1, 2]."),
    "off the scale": ("exact,5", "exact,9", "controls.csv:2:5: answer: must be from 1 to 5, the scale of this task; it is 9."),
    "no step": ("exact,5", "exact,4.5", "controls.csv:2:5: answer: must be"),
    "a word on a scale": ("exact,5", "exact,good", "controls.csv:2:5: answer: This is answered by a number; 'good' is not a number."),
    "range off the scale": ('range,"[1, 2]"', 'range,"[6, 9]"', "controls.csv:3:5: answer: No answer lies in this range: the scale of this task goes from 1 to 5."),
    "range of words": ('range,"[1, 2]"', 'range,"[1, ""x""]"', "controls.csv:3:5: answer: A range is [low, high]"),
    "empty set": ('set,"[1, 2]"', "set,[]", "controls.csv:4:5: answer: A set is a list of values, such as [1, 2]; this is a list."),
    "broken JSON": ('range,"[1, 2]"', 'range,"[1, 2"', "controls.csv:3:5: answer: This is not JSON (Expecting ',' delimiter)."),
    "infinite": ('range,"[1, 2]"', 'range,"[1, Infinity]"', "controls.csv:3:5: answer: Infinity is not a number that can be stored."),
    "no answer": ("exact,5", "exact,", "controls.csv:2:5: answer: A value is needed here in every row."),
    "answered twice": ("i1/beta,control,style,set", "i1/beta,control,fluency,set", "controls.csv:4:1: unit: Line 3 has an answer to this already. Keep one of them."),
    "two purposes": ("i1/beta,control,style", "i1/beta,exam,style", "controls.csv:4:2: purpose: The item is there for control in line 2. An item has one purpose only."),
    "item judged as well": ("i1/alpha,control,fluency,exact,5,\n", "", "controls.csv: The item “i1” has known answers, but its unit “i1/alpha” has none and would be judged."),
    "unknown column": ("kind,answer", "kind,anwser", "controls.csv:1:5: Unknown column “anwser”. Did you mean “answer”?"),
    "unknown task": ("explanation\n", "explanation,task\n", "controls.csv:2:7: task: There is no such task. Did you mean “reading”?"),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "expected"), CASES.values(), ids=CASES)
def test_known_answers_that_do_not_fit_are_refused(folder: Path, old: str, new: str, expected: str) -> None:
    studyfile.read(folder)
    spoil(folder, "controls.csv", old, new)
    if new.endswith(",task\n"):
        head, *rows = (folder / "controls.csv").read_text().splitlines()
        (folder / "controls.csv").write_text("\n".join([head, rows[0] + ",raeding", *(f"{row}," for row in rows[1:])]))
    lines = problems_of(folder)
    assert any(line.startswith(expected) for line in lines), lines
    assert not stored()


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('"part": 1', '"part": 2', "prefill.jsonl:1:22: part: The unit has 1 texts, counted from 1; this is 2."),
        ('"part": 1', '"part": 0', "prefill.jsonl:1:22: part: The unit has 1 texts, counted from 1; this is 0."),
        ("i2/alpha", "i2/gamma", "prefill.jsonl:1:2: unit: There is no unit “i2/gamma”."),
        (', "payload": {"score": 3}', "", "prefill.jsonl:1:1: payload: A value is needed here in every row."),
    ],
)
def test_prefill_that_does_not_fit_is_refused(folder: Path, old: str, new: str, expected: str) -> None:
    studyfile.read(folder)
    spoil(folder, "prefill.jsonl", old, new)
    assert problems_of(folder)[0].startswith(expected)
    assert not stored()


def test_nothing_left_to_judge_is_a_problem_of_the_task(tmp_path: Path) -> None:
    controls = "unit,purpose,kind,answer\n" + "".join(
        f"{unit},control,exact,5\n" for unit in ("i1/alpha", "i1/beta", "i2/alpha", "i2/beta", "i3/alpha")
    )
    lines = problems_of(put(tmp_path / "study", study_yaml=SMALLER, controls_csv=controls))
    assert lines == [
        "study.yaml:24:5: tasks[0]: Every unit has a known answer, so nothing is left to be judged. Add items."
    ]


def test_a_row_that_cannot_be_used_says_nothing_about_the_plan(tmp_path: Path) -> None:
    """With the fifth row the plan would have nothing to draw, without it too few units for a set."""
    units = ("i1/alpha", "i1/beta", "i2/alpha", "i2/beta", "i3/alpha")
    controls = "unit,purpose,kind,answer\n" + "".join(f"{unit},control,exact,5\n" for unit in units)
    folder = put(
        tmp_path / "study", study_yaml=SMALLER, controls_csv=controls.replace("i3/alpha,control", "i3/alpha,x")
    )
    assert [line.split(": ")[0] for line in problems_of(folder)] == ["controls.csv:6:2"]


def test_a_unit_of_two_tasks_needs_the_column_task(tmp_path: Path) -> None:
    second = SMALLER[SMALLER.index("  - key: reading") :].replace("key: reading", "key: again")
    controls = "unit,purpose,kind,answer,task\ni1/alpha,control,exact,5,{}\ni1/beta,control,exact,5,again\n"
    folder = put(tmp_path / "study", study_yaml=SMALLER + second, controls_csv=controls.format(""))
    expected = (
        "controls.csv:2:1: unit: Several tasks have this unit (reading, again). Say which one in the column “task”."
    )
    assert problems_of(folder)[0] == expected
    (folder / "controls.csv").write_text(controls.format("again"))
    study = studyfile.load(folder, owner=None)
    assert list(Gold.objects.values_list("unit__task__key", flat=True)) == ["again", "again"]
    assert [report.places for report in reports.reports(study)] == [10, 6]


NAMED = "item,system,output,unit\ni1,alpha,First.,u1\ni1,beta,Second.,u2\ni2,alpha,Third.,u3\ni2,beta,Fourth.,u4\n"


def test_units_can_have_names_of_their_own(tmp_path: Path) -> None:
    studyfile.load(put(tmp_path / "study", items_csv=NAMED), owner=None)
    assert list(Unit.objects.order_by("id").values_list("key", flat=True)) == ["u1", "u2", "u3", "u4"]


@pytest.mark.parametrize(
    ("old", "new", "layout", "expected"),
    [
        ("Second.,u2", "Second.,u1", "single", "items.csv:3:4: unit: “u1” names several screens of the task “reading”."),
        ("Second.,u2", "Second.,u2", "together", "items.csv:3:4: unit: the task “reading” shows this text on the same screen as “u1”."),
        ("u4", "u" * 301, "single", "items.csv:5:4: unit: A name has at most 300 characters."),
    ],
)  # fmt: skip
def test_names_that_contradict_the_screens_are_refused(
    tmp_path: Path, old: str, new: str, layout: str, expected: str
) -> None:
    folder = put(tmp_path / "study", items_csv=NAMED)
    studyfile.read(folder)
    spoil(folder, "items.csv", old, new)
    spoil(folder, "study.yaml", "points: 5", f"points: 5\n      layout: {layout}")
    spoil(folder, "study.yaml", "set_size: 4", "set_size: 2")
    assert any(line.startswith(expected) for line in problems_of(folder))
    assert not stored()


def test_a_mistake_in_a_task_is_not_repeated_for_every_row_about_its_units(folder: Path) -> None:
    spoil(folder, "study.yaml", "set_size: 3", "set_size: three")
    assert [line.split(": ")[1] for line in problems_of(folder)] == ["tasks[0].set_size"]


SCREENING = """\
  - key: before
    stage: screening
    type: questionnaire
    params: {questions: [{key: english, kind: single, question: English, options: [{key: good, words: Well}, Badly]}]}
"""


def test_an_answer_that_nobody_can_choose_screens_nobody_out(tmp_path: Path) -> None:
    """A slip in a known answer would send everybody home."""
    controls = 'unit,purpose,criterion,kind,answer\nonce,screening,english,set,"[""good"", ""badly""]"\n'
    folder = put(tmp_path / "study", study_yaml=SMALLER + SCREENING, controls_csv=controls)
    studyfile.read(folder)
    spoil(folder, "controls.csv", "badly", "badley")
    assert problems_of(folder) == ["controls.csv:2:5: answer: Nobody can answer 'badley' here. Did you mean “badly”?"]


def test_a_set_has_room_for_as_many_degraded_copies_as_units(tmp_path: Path) -> None:
    more = SMALLER.replace("set_size: 3", "set_size: 3\n    checks: {degraded: 3}")
    folder = put(tmp_path / "study", study_yaml=more)
    studyfile.read(folder)
    spoil(folder, "study.yaml", "degraded: 3", "degraded: 4")
    assert [line.partition("degraded: ")[2] for line in problems_of(folder)] == [
        "A set of 3 units has room for 3 degraded copies at most. Choose fewer, or larger sets."
    ]
