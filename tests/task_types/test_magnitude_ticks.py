"""What is ticked about a text before its numbers: contradictions, what is stored, where it is asked."""

from dataclasses import replace
from typing import Any

import pytest

from tasks_app.task_types.base import Criterion, GoldAnswer, Part, Screen
from tasks_app.task_types.magnitude import Magnitude

QUALITY, CLARITY = Criterion("quality", "Quality"), Criterion("clarity", "Clarity")
TICKS: list[dict[str, Any]] = [
    {"key": "added", "name": "Added"},
    {"key": "missing", "name": "Missing"},
    {"key": "perfect", "name": "Neither", "alone": True},
]


def screen(*criteria: Criterion, parts: int = 2, **params: object) -> Screen:
    kind = Magnitude({"ticks": TICKS, "reference_text": "The reference", **params})
    return Screen(kind, tuple(Part(n, f"Text {n}") for n in range(parts)), (*criteria, *kind.brings()))


def numbers(parts: int = 2, *criteria: str) -> dict[str, str]:
    return {f"p{n}-{key}": "100" for n in range(1, parts + 1) for key in criteria or ("quality",)}


def test_ticks_are_stored_under_their_keys_for_each_text() -> None:
    shown = screen(QUALITY)
    form = shown.kind.form(shown, {**numbers(), "p1-tick1": "1", "p1-tick2": "1", "p2-tick3": "1"})
    assert form.is_valid(), form.errors
    stored = [
        (value.part, value.criterion, value.number, value.label or value.value)
        for value in shown.kind.ratings(shown, form.cleaned_data)
    ]
    assert stored == [
        (0, "ticks", 1, "added"), (0, "ticks", 2, "missing"), (0, "quality", 1, 100.0),
        (1, "ticks", 1, "perfect"), (1, "quality", 1, 100.0),
    ]  # fmt: skip


def test_texts_in_another_order_keep_their_ticks() -> None:
    shown = replace(screen(QUALITY), arrangement={"parts": [1, 0]})
    form = shown.kind.form(shown, {**numbers(), "p1-tick1": "1", "p2-tick3": "1"})
    assert form.is_valid()
    labels = {value.part: value.label for value in shown.kind.ratings(shown, form.cleaned_data) if value.label}
    assert labels == {1: "added", 0: "perfect"}


@pytest.mark.parametrize(
    ("ticked", "sentence"),
    [
        ({"p2-tick3": "1"}, "Text A, “What applies to the text?”: tick at least one."),
        (
            {"p1-tick2": "1", "p1-tick3": "1", "p2-tick3": "1"},
            "Text A, “What applies to the text?”: “Neither” and “Missing” contradict each other.",
        ),
    ],
)
def test_nothing_ticked_and_contradictions_are_refused(ticked: dict[str, str], sentence: str) -> None:
    shown = screen(QUALITY)
    form = shown.kind.form(shown, {**numbers(), **ticked})
    assert not form.is_valid()
    assert form.errors == {"p1-tick1": [sentence]}


def test_ticks_go_with_the_criterion_that_is_named() -> None:
    asked = screen(QUALITY, ticks_with="quality")
    assert "p1-tick1" in asked.kind.form(asked).fields
    other = screen(CLARITY, ticks_with="quality")
    assert "p1-tick1" not in other.kind.form(other).fields
    form = other.kind.form(other, numbers(2, "clarity"))
    assert form.is_valid(), form.errors
    assert {value.criterion for value in other.kind.ratings(other, form.cleaned_data)} == {"clarity"}


def test_a_study_that_names_no_criterion_of_its_own_is_told() -> None:
    kind = Magnitude({"ticks": TICKS, "ticks_with": "fluency"})
    assert list(kind.problems([QUALITY])) == ["ticks_with names 'fluency', which is none of the criteria: quality."]
    without = Magnitude({"ticks_with": "quality"})
    assert list(without.problems([QUALITY])) == [
        "ticks_with names a criterion, but ticks is empty: list what can be ticked."
    ]


def test_a_criterion_of_that_key_is_one_of_numbers_where_nothing_is_ticked() -> None:
    own = Criterion("ticks", "Ticks of the clock")
    kind = Magnitude({"reference_text": "The reference"})
    outcome = kind.outcome_of(own)
    assert outcome is not None
    assert outcome.name == "magnitude"
    assert kind.labels_of(own) is None


def test_known_answers_about_ticks_are_graded() -> None:
    shown = screen(QUALITY, parts=1)
    form = shown.kind.form(shown, {**numbers(1), "p1-tick1": "1", "p1-tick2": "1"})
    assert form.is_valid()
    both = GoldAnswer("set", ["added", "missing"], criterion="ticks")
    (right,) = shown.kind.grade(shown, form.cleaned_data, [both])
    assert right.passed
    (wrong,) = shown.kind.grade(shown, form.cleaned_data, [replace(both, answer=["added", "perfect"])])
    assert not wrong.passed
    more = replace(both, answer=["added", "missing", "perfect"])
    assert not shown.kind.grade(shown, form.cleaned_data, [more])[0].passed
    (half,) = shown.kind.grade(shown, form.cleaned_data, [replace(both, answer=["added"])])
    assert not half.passed
