"""Questions in several wordings on Likert scales and sliders: shown one way, stored on one scale."""

import json
from dataclasses import replace
from random import Random

import pytest

from tasks_app.task_types.base import WORDINGS, Criterion, Part, Quality, Screen, Wording, in_wordings
from tasks_app.task_types.grid import steps_of
from tasks_app.task_types.likert import Likert
from tasks_app.task_types.pairwise import Pairwise
from tasks_app.task_types.simulation import WORDING_SHIFT
from tasks_app.task_types.slider import Slider
from tests.task_types.kit import form_of, ratings_of

STEPS = ("Very badly", "Badly", "So-so", "Well", "Very well")
NEGATIVE = Wording("negative", question="How badly does it read?", labels=STEPS, reversed=True)
EXAMPLE = Wording("example", example="“Dogs bark.” reads very well.", shown_first="Most texts get 3.")
FLUENCY = Criterion(
    "fluency", "Fluency", definition="As if written by a person.", question="How well does it read?", labels=STEPS,
    wordings=(NEGATIVE, EXAMPLE),
)  # fmt: skip
RANGE = replace(
    FLUENCY, labels=(), low="Bad", high="Good", anchors={"25": "Poor"},
    wordings=(Wording("turned", reversed=True),),
)  # fmt: skip


def screen(kind: Likert | Slider, criterion: Criterion, wording: str) -> Screen:
    """A screen with one text, whose question stands in a wording."""
    arrangement = {"parts": [0], WORDINGS: {"fluency": wording}}
    return Screen(kind, (Part(0, "A text"),), in_wordings([criterion], arrangement), arrangement=arrangement)


@pytest.mark.parametrize(
    ("wording", "question", "first", "example"),
    [
        ("first", "How well does it read?", "Very badly", ""),
        ("negative", "How badly does it read?", "Very well", ""),
        ("example", "How well does it read?", "Very badly", EXAMPLE.example),
        ("removed since", "How well does it read?", "Very badly", ""),
    ],
)
def test_a_screen_has_one_wording_with_the_words_that_it_leaves_as_they_are(
    wording: str, question: str, first: str, example: str
) -> None:
    form = form_of(screen(Likert({}), FLUENCY, wording))
    (cell,) = form.rows()[0].cells
    assert cell.field.label == question
    assert steps_of(cell.field)[0].word == first
    assert (cell.criterion.definition, cell.criterion.example) == (FLUENCY.definition, example)
    assert not cell.criterion.wordings


@pytest.mark.parametrize(
    ("kind", "criterion", "wording", "posted", "value"),
    [
        (Likert({}), FLUENCY, "negative", "1", 5.0),
        (Likert({"lowest": 0}), FLUENCY, "negative", "0", 4.0),
        (Likert({}), FLUENCY, "example", "1", 1.0),
        (Slider({}), RANGE, "turned", "20", 80.0),
        (Slider({"minimum": -1, "maximum": 1, "step": 0.1}), replace(RANGE, anchors={}), "turned", "0.7", -0.7),
    ],
)
def test_a_reversed_scale_is_stored_on_the_scale_of_the_question(
    kind: Likert | Slider, criterion: Criterion, wording: str, posted: str, value: float
) -> None:
    given = screen(kind, criterion, wording)
    form = form_of(given, {"p1-fluency": posted})
    assert form.is_valid(), form.errors
    (rating,) = ratings_of(given, form.cleaned_data)
    assert (rating.value, rating.shown_value) == (value, float(posted))
    # The page shows the number of the screen again: of a draft, of a post, and of the stored answer.
    stored = json.loads(json.dumps(form.cleaned_data))
    for shown in (form_of(given, initial={"p1-fluency": posted}), form, form_of(given, initial=stored)):
        assert str(shown["p1-fluency"].value()) == posted
    (asked,) = given.kind.answered_questions(given, stored)
    assert asked.given == value
    assert asked.criterion is not None
    assert (asked.criterion.low, asked.criterion.labels) == (criterion.low, criterion.labels)
    assert [option.value for option in asked.options if option.chosen] in ([value], [])


def test_words_along_a_reversed_range_stand_at_the_other_side() -> None:
    (cell,) = form_of(screen(Slider({}), RANGE, "turned")).rows()[0].cells
    assert (cell.criterion.low, cell.criterion.high, dict(cell.criterion.anchors)) == ("Good", "Bad", {"75": "Poor"})


def test_agreement_keeps_its_customary_order_and_counts_the_other_way() -> None:
    said = Criterion("fluency", "Fluency", question="It is easy to read.")
    said = replace(said, wordings=(Wording("hard", question="It is hard to read.", reversed=True),))
    given = screen(Likert({"agreement": True}), said, "hard")
    form = form_of(given, {"p1-fluency": "5"})
    assert [str(step.word) for step in steps_of(form["p1-fluency"])][-1] == "Strongly agree"
    assert form.is_valid()
    assert form.cleaned_data == {"p1-fluency": 1}


@pytest.mark.parametrize(
    ("wording", "sentence"),
    [
        (Wording("same"), "the same as in an earlier wording"),
        (replace(NEGATIVE, key="again"), "the same as in an earlier wording"),
        (Wording("four", labels=STEPS[:4]), "words 4 steps"),
    ],
)
def test_wordings_that_do_not_fit_are_named(wording: Wording, sentence: str) -> None:
    problems = list(Likert({}).wording_problems([replace(FLUENCY, wordings=(NEGATIVE, wording))]))
    assert [(key, number) for key, number, _sentence in problems] == [("fluency", 1)]
    assert sentence in problems[0][2]
    assert not list(Likert({}).wording_problems([FLUENCY]))


def test_a_reversed_scale_without_words_is_refused() -> None:
    bare = Criterion("fluency", "Fluency", question="How well?", wordings=(Wording("turned", reversed=True),))
    assert ["which end is which" in sentence for *_place, sentence in Likert({}).wording_problems([bare])] == [True]
    assert not list(Likert({"agreement": True}).wording_problems([replace(bare, question="It reads well.")]))


def test_types_without_wordings_refuse_them() -> None:
    assert [key for key, *_rest in Pairwise({}).wording_problems([FLUENCY])] == ["fluency"]


def test_simulated_raters_answer_higher_in_later_wordings() -> None:
    kind, many = (
        Slider({}),
        replace(RANGE, anchors={}, wordings=(Wording("turned", reversed=True), Wording("third", low="0"))),
    )
    values: dict[str, float] = {}
    for wording in ("first", "turned", "third"):
        given = screen(kind, many, wording)
        form = form_of(given, kind.simulate(given, Quality.CAREFUL, Random(3)))
        assert form.is_valid()
        values[wording] = float(form.cleaned_data["p1-fluency"])
    rises = [values["turned"] - values["first"], values["third"] - values["turned"]]
    assert rises == pytest.approx([100 * WORDING_SHIFT] * 2, abs=1.01)
