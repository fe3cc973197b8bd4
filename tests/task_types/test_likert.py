"""The Likert scale."""

import pytest

from tasks_app.task_types import registry
from tasks_app.task_types.base import Criterion, Part, Screen

likert = registry["likert"]
FLUENCY = Criterion("fluency", "Fluency", question="How fluent is it?", low="not at all", high="perfectly")


def screen(n_parts: int = 1, order: list[int] | None = None, **params: object) -> Screen:
    """A screen with a few texts."""
    return Screen(
        "likert",
        tuple(Part(number, f"Text {number}") for number in range(n_parts)),
        (FLUENCY,),
        likert.params(params),
        arrangement={"parts": order or list(range(n_parts))},
    )


@pytest.mark.parametrize("points", [2, 5, 11])
def test_every_step_is_accepted_and_nothing_beside_it(points: int) -> None:
    given = screen(points=points)
    for step in range(1, points + 1):
        form = likert.form(given, {"p1-fluency": str(step)})
        assert form.is_valid()
        assert [value.value for value in likert.ratings(given, form.cleaned_data)] == [float(step)]
    for wrong in ("0", str(points + 1), "-1", "1.5", "three", "", "NaN", "1e0", " "):
        assert not likert.form(given, {"p1-fluency": wrong}).is_valid(), wrong


@pytest.mark.parametrize("points", [1, 12])
def test_fewer_than_two_and_more_than_eleven_steps_are_refused(points: int) -> None:
    with pytest.raises(ValueError, match="points"):
        likert.params({"points": points})


def test_the_ends_are_worded_and_the_middle_is_nothing_special() -> None:
    field = likert.form(screen(points=5)).fields["p1-fluency"]
    assert [words for _step, words in field.choices] == ["not at all", "", "", "", "perfectly"]


def test_agreement_words_its_ends_itself() -> None:
    plain = Criterion("fluency", "Fluency", question="The text is fluent.")
    asked = Screen("likert", (Part(0, "Text"),), (plain,), likert.params({"agreement": True}))
    words = [str(words) for _step, words in likert.form(asked).fields["p1-fluency"].choices]
    assert words == ["Strongly disagree", "", "", "", "Strongly agree"]


def test_labels_must_be_as_many_as_the_steps() -> None:
    labelled = Criterion("fluency", "Fluency", labels=("bad", "fair", "good"))
    assert list(likert.problems([labelled], likert.params({"points": 3}))) == []
    sentences = list(likert.problems([labelled], likert.params({"points": 5})))
    assert sentences == [
        "Criterion 'fluency' words 3 steps, but the scale has 5. Word all of them, or only the ends (low, high)."
    ]


def test_several_texts_are_rated_by_their_canonical_number() -> None:
    given = screen(n_parts=3, order=[2, 0, 1])
    form = likert.form(given, {"p1-fluency": "5", "p2-fluency": "1", "p3-fluency": "2"})
    assert form.is_valid()
    assert {value.part: value.value for value in likert.ratings(given, form.cleaned_data)} == {2: 5, 0: 1, 1: 2}


def test_the_message_names_the_text_and_the_criterion() -> None:
    form = likert.form(screen(n_parts=2), {"p1-fluency": "3"})
    assert form.errors == {"p2-fluency": ["Text B: answer “Fluency”."]}
