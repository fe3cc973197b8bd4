"""Comprehension: questions of the item with right answers, reading time, and questions that depend on others."""

import json
from collections import Counter
from itertools import islice
from random import Random
from typing import Any

import pytest
from django.template.loader import render_to_string

from tasks_app.task_types.base import Criterion, GoldAnswer, ItemTexts, OutputText, Part, Quality, Screen
from tasks_app.task_types.comprehension import Comprehension
from tests.task_types.kit import form_of, grades, ratings_of, simulated

WHERE = {"question": "Where is it?", "options": ["At home", "At sea", "At work"], "correct": "At sea"}
MANY = {"question": "How many?", "correct": ["7", "seven"]}
SURE = Criterion("sure", "Sureness", question="How sure?", labels=("Not sure", "Sure"))
WHY = Criterion("why", "Reason", question="Why not?", labels=("The text", "The questions"))
HOW = Criterion("how", "How", labels=("Much", "Little"))
ASKED_IF: list[dict[str, Any]] = [
    {"criterion": "why", "after": "sure", "answers": ["Not sure"]},
    {"criterion": "how", "after": "why", "answers": ["The text"]},
]


def screen(
    *criteria: Criterion, questions: object = (WHERE, MANY), arrangement: dict[str, object] | None = None, **params: Any
) -> Screen:
    """A screen with one text and its questions."""
    given = Comprehension(params)
    return Screen(
        given,
        (Part(0, "T"),),
        (*criteria, *given.brings()),
        options={"questions": questions},
        arrangement=arrangement or {"parts": [0]},
    )


def stored(given: Screen, posted: dict[str, str]) -> dict[str, object]:
    """Return the stored values of an answer, by criterion."""
    form = form_of(given, posted)
    assert form.is_valid(), form.errors
    json.dumps(form.cleaned_data)
    values = ratings_of(given, form.cleaned_data)
    return {str(one.criterion): one.value if one.value is not None else one.text for one in values}


def errors(given: Screen, posted: dict[str, str]) -> dict[str, list[str]]:
    """Return the errors in an answer."""
    return {name: list(map(str, found)) for name, found in form_of(given, posted).errors.items()}


def test_answers_are_compared_with_the_right_ones() -> None:
    posted = {"p1-q1": "At sea", "p1-q2": " Seven. ", "reading": "12.345", "read": "1"}
    assert stored(screen(), posted) == {
        "correct-1": 1.0, "correct-2": 1.0, "question-1": "At sea", "question-2": "Seven.", "right-share": 1.0,
        "reading-seconds": 12.345,
    }  # fmt: skip
    wrong = stored(screen(), {"p1-q1": "At home", "p1-q2": "seventy"})
    assert [wrong[key] for key in ("correct-1", "correct-2", "right-share")] == [0.0, 0.0, 0.0]
    assert stored(screen(), {"p1-q1": "At home", "p1-q2": "7"})["right-share"] == 0.5


@pytest.mark.parametrize("posted", [{}, {"reading": "3.0"}, {"read": "1"}])
def test_there_is_no_reading_time_where_the_button_was_not_pressed(posted: dict[str, str]) -> None:
    assert "reading-seconds" not in stored(screen(), {"p1-q1": "At sea", "p1-q2": "7", **posted})


def test_what_is_missing_and_what_nobody_could_choose() -> None:
    assert errors(screen(), {}) == {"p1-q1": ["Answer “Where is it?”"], "p1-q2": ["Answer “How many?”"]}
    full = {"p1-q1": "At sea", "p1-q2": "7"}
    assert errors(screen(), {**full, "p1-q1": "Elsewhere"}) == {"p1-q1": ["Choose one of the options shown."]}
    assert errors(screen(), {**full, "p1-q2": "7" * 201}) == {"p1-q2": ["Write at most 200 characters."]}
    for name, value in (("reading", "-1"), ("reading", "nan"), ("reading", "90000"), ("read", "2")):
        found = errors(screen(), {**full, name: value})
        assert found["__all__"] == ["The page did not send the reading time correctly. Reload the page."]


@pytest.mark.parametrize("order", ["fixed", "rater", "drawn"])
def test_digits_choose_only_where_an_option_keeps_its_place(order: str) -> None:
    given = screen(order=order, arrangement={"parts": [0], "seed": 4, "draw": 1})
    kind = given.kind
    page = render_to_string(kind.template_name, {"screen": given, "form": kind.form(given)})
    keeps = order != "drawn"
    found = [sign in page for sign in ("data-key=", 'class="comprehension-key"', "<kbd>1</kbd>", "data-no-digits")]
    assert found == [keeps, keeps, keeps, not keeps]


def test_options_stand_as_given_unless_the_study_says_otherwise() -> None:
    assert Comprehension().order == "fixed"


def test_options_are_drawn_in_balance_and_the_place_of_the_answer_is_stored() -> None:
    kind = Comprehension({"order": "drawn"})
    counts: Counter[tuple[int, str]] = Counter()
    for drawn in islice(kind.arrange(1, Random(4)), 9):
        given = screen(arrangement=drawn)
        shown = kind.shown_options(given, kind.questions_on(given)[0])
        counts.update(enumerate(shown))
        form = form_of(given, {"p1-q1": "At sea", "p1-q2": "7"})
        assert form.is_valid()
        answer = next(one for one in ratings_of(given, form.cleaned_data) if one.criterion == "question-1")
        assert answer.shown_value == shown.index("At sea") + 1
    assert set(counts.values()) == {3}
    fixed = Comprehension({"order": "fixed"})
    assert next(fixed.arrange(1, Random(4))) == {"parts": [0]}


def test_a_question_is_asked_only_after_the_answers_that_ask_for_it() -> None:
    given = screen(SURE, WHY, HOW, only_if=ASKED_IF)
    full = {"p1-q1": "At sea", "p1-q2": "7"}
    assert errors(given, {**full, "p1-c-sure": "1"}) == {"p1-c-why": ["Answer “Why not?”"]}
    assert errors(given, {**full, "p1-c-sure": "1", "p1-c-why": "1"}) == {"p1-c-how": ["Answer “How”"]}
    # What is not asked is dropped, whatever was sent, and so is what depends on it.
    sent = {**full, "p1-c-sure": "2", "p1-c-why": "1", "p1-c-how": "9"}
    assert {"why", "how"}.isdisjoint(stored(given, sent))
    assert stored(given, sent)["sure"] == 2.0
    assert stored(given, {**sent, "p1-c-sure": "1", "p1-c-how": "2"})["how"] == 2.0


def test_criteria_keep_their_order_where_some_depend_on_others() -> None:
    kind = Comprehension({"only_if": ASKED_IF})
    orders = [kind.arrange_for_rater((SURE, WHY, HOW), Random(seed))["criteria"] for seed in range(20)]
    assert orders == [["sure", "why", "how"]] * 20


def test_conditions_that_cannot_be_met_are_named() -> None:
    def problems(*criteria: Criterion, **entry: object) -> list[str]:
        given = {"criterion": "why", "after": "sure", "answers": ["Not sure"], **entry}
        return list(Comprehension({"only_if": [given]}).problems(criteria))

    assert problems(SURE, WHY) == []
    assert problems(WHY, SURE) == ["only_if: 'why' can only depend on a criterion before it; 'sure' is not."]
    assert problems(SURE, WHY, after="who") == ["only_if names 'who', which is none of the criteria: sure, why."]
    assert problems(SURE, WHY, answers=["Maybe"]) == ["only_if: 'Maybe' is no label of 'sure': Not sure, Sure."]
    bare = Criterion("bare", "Bare")
    assert "needs 2 to 11 labels" in next(iter(Comprehension().problems([bare])))
    with pytest.raises(ValueError, match="A criterion can have one condition"):
        Comprehension({"only_if": [ASKED_IF[0], ASKED_IF[0]]})
    with pytest.raises(ValueError, match="Name the answers after which"):
        Comprehension({"only_if": [{**ASKED_IF[0], "answers": []}]})


@pytest.mark.parametrize(
    ("questions", "said"),
    [
        (None, "The column options has no questions about the text."),
        ([], "The column options has no questions about the text."),
        ([WHERE] * 6, "The item has 6 questions; the setting questions allows 5."),
        (["Where?"], "Question 1: It is written as"),
        ([WHERE, {**WHERE, "answer": "x"}], "Question 2: answer is unknown."),
        ([{**WHERE, "question": " "}], "Question 1: “question” is a text of at most 1000 characters."),
        ([{**WHERE, "options": ["At sea"]}], "Question 1: There must be 2 to 8 options; there are 1."),
        ([{**WHERE, "options": ["At sea", "At sea"]}], "Question 1: Two options are the same."),
        ([{**WHERE, "options": "At sea"}], "Question 1: “options” are a list of texts"),
        ([{**WHERE, "correct": "Elsewhere"}], "Question 1: “correct” must be exactly one of the options."),
        ([{**WHERE, "correct": ["At sea", "At home"]}], "Question 1: “correct” must be exactly one of the options."),
        ([{"question": "How many?"}], "Question 1: “correct” is the right answer or"),
        ([{"question": "How many?", "correct": "?"}], "Question 1: A right answer holds at least one letter or digit."),
    ],
)
def test_questions_of_items_that_are_refused(questions: object, said: str) -> None:
    item = ItemTexts.collapsed("i", [OutputText("a", "", "T")], options={"questions": questions})
    problems = list(Comprehension().item_problems(item))
    assert len(problems) == 1
    assert problems[0].startswith(said)


def test_questions_that_are_sound() -> None:
    item = ItemTexts.collapsed("i", [OutputText("a", "", "T")], options={"questions": [WHERE, MANY]})
    assert list(Comprehension().item_problems(item)) == []


def test_known_answers_are_about_right_or_wrong() -> None:
    given = screen()
    form = form_of(given, {"p1-q1": "At home", "p1-q2": "7"})
    assert form.is_valid()
    known = [GoldAnswer("exact", 1, "correct-1"), GoldAnswer("exact", 1, "correct-2")]
    assert [one.passed for one in grades(given, form.cleaned_data, known)] == [False, True]
    laid = given.kind.laid_over(given, form.cleaned_data, known)
    assert len(laid.questions) == 1


def test_simulated_raters_differ_as_they_should() -> None:
    screens = [
        Screen(one.kind, (Part(0, f"Text {n}"),), one.criteria, options=one.options, arrangement=one.arrangement)
        for one in (screen(),)
        for n in range(150)
    ]

    def right(quality: Quality) -> float:
        rng = Random(2)
        return sum(float(str(stored(one, simulated(one, quality, rng))["right-share"])) for one in screens) / 150

    assert right(Quality.CAREFUL) > right(Quality.RANDOM) + 0.2
    assert right(Quality.STRAIGHT_LINER) == 0.0
