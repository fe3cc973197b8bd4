"""Judged predictions: the answers that may be given, the right option after “none”, and the ratings that are stored."""

from itertools import islice
from random import Random

import pytest
from django.template.loader import render_to_string

from tasks_app.task_types.base import Criterion, GoldAnswer, ItemTexts, OutputText, Part, Quality, Screen
from tasks_app.task_types.predictions import Predictions
from tasks_app.task_types.simulation import planted
from tests.task_types.kit import feedback_on, form_of, grades, ratings_of, simulated

SENSE = Criterion("sense", "Sense", question="Which meaning is right?", language="en")
SENSES = ["land by a river", "house of money", "store"]


def screen(
    *texts: str,
    options: object = SENSES,
    order: tuple[int, ...] | None = None,
    drawn: dict | None = None,
    **params: object,
) -> Screen:
    """A screen with predictions, in canonical order or another."""
    kind = Predictions(params)
    return Screen(
        kind,
        tuple(Part(number, text, "en") for number, text in enumerate(texts or SENSES[:2])),
        (SENSE, *kind.brings()),
        source="We sat on the bank.",
        options={"sense": options} if options else {},
        arrangement={"parts": list(order or range(len(texts or SENSES[:2]))), **(drawn or {})},
    )


def said(given: Screen, **posted: str) -> tuple[str, list[str]]:
    """Return the verdicts on the predictions in canonical order, r for right and w for wrong, and the right options."""
    form = form_of(given, {name.replace("_", "-", 1): value for name, value in posted.items()})
    assert form.is_valid(), form.errors
    values = ratings_of(given, form.cleaned_data)
    verdicts = {one.part: str(one.label) for one in values if one.criterion == "sense"}
    options = [(one.part, one.number, one.label) for one in values if one.criterion == "right-option"]
    assert [(part, number) for part, number, _label in options] == [(None, n) for n in range(1, len(options) + 1)]
    return " ".join(verdicts[n] for n in range(len(given.parts))), [str(label) for _part, _number, label in options]


def test_identical_predictions_are_shown_once_and_every_prediction_stands_everywhere() -> None:
    outputs = [OutputText(system, "", text) for system, text in (("a", "x"), ("b", "y"), ("c", "x"))]
    items = [ItemTexts.collapsed("i/1", outputs), ItemTexts.collapsed("i2", outputs[:1])]
    units = list(Predictions().units(items, Random(1)))
    assert [(unit.key, unit.parts) for unit in units] == [("i%2F1", ((0, 2), (1,))), ("i2", ((0,),))]
    orders = [one["parts"] for one in islice(Predictions().arrange(3, Random(2)), 3)]
    assert [sorted(places) for places in zip(*orders, strict=True)] == [[0, 1, 2]] * 3


@pytest.mark.parametrize(
    ("order", "posted", "verdicts", "options"),
    [
        ((0, 1), {"answer": "1"}, "right wrong", SENSES[:1]),
        ((1, 0), {"answer": "1"}, "wrong right", SENSES[1:2]),
        ((1, 0), {"answer": "both"}, "right right", SENSES[:2]),
        ((0, 1), {"answer": "none_right", "right_option": "store"}, "wrong wrong", ["store"]),
        ((0, 1), {"answer": "none_right", "right_option": "none_of_these"}, "wrong wrong", ["none_of_these"]),
        ((0, 1), {"answer": "cannot_tell", "right_option": "store"}, "cannot_tell cannot_tell", []),
        ((0, 1), {"answer": "wrong_text"}, "wrong_text wrong_text", []),
    ],
)
def test_an_answer_is_a_verdict_on_each_prediction_and_the_right_option(
    order: tuple[int, ...], posted: dict[str, str], verdicts: str, options: list[str]
) -> None:
    assert said(screen(order=order), **posted) == (verdicts, options)


def test_one_prediction_is_right_or_wrong() -> None:
    given = screen("store")
    assert said(given, answer="1") == ("right", ["store"])
    assert said(given, answer="none_right", right_option=SENSES[0]) == ("wrong", SENSES[:1])
    assert "both" not in dict(form_of(given).fields["answer"].choices)


def test_of_three_predictions_all_that_are_right_are_ticked() -> None:
    given = screen(*SENSES, order=(2, 0, 1))
    assert said(given, right_1="1", right_3="1") == ("wrong right right", ["house of money", "store"])
    # With every option predicted and none of them right, none is left to choose.
    assert said(given, all_none_right="1") == ("wrong wrong wrong", ["none_of_these"])
    assert said(given, all_cannot_tell="1") == ("cannot_tell cannot_tell cannot_tell", [])
    for both in ({"right-1": "1", "all-none_right": "1"}, {"all-none_right": "1", "all-wrong_text": "1"}):
        assert form_of(given, both).errors == {
            "right-1": ["Tick predictions that are right, or one of the last three answers."]
        }


def test_without_an_answer_or_the_right_option_the_form_says_what_is_missing() -> None:
    assert form_of(screen(), {}).errors == {"answer": ["Answer “Which meaning is right?”"]}
    assert form_of(screen(*SENSES), {}).errors == {"right-1": ["Answer “Which meaning is right?”"]}
    missing = form_of(screen(), {"answer": "none_right"})
    assert missing.errors == {"right-option": ["Answer “Which of these is right?”"]}
    # What was predicted and is wrong cannot be the right option.
    assert "right-option" in form_of(screen(), {"answer": "none_right", "right-option": SENSES[0]}).errors


def test_options_that_the_item_lacks_or_the_study_does_not_want_are_not_asked() -> None:
    for given in (screen(options=None), screen(ask_right_option=False)):
        assert said(given, answer="none_right") == ("wrong wrong", [])
        assert said(given, answer="1") == ("right wrong", [])
    # A right prediction that the item does not offer: the right option is none of them.
    assert said(screen("a bench", "store"), answer="1") == ("right wrong", ["none_of_these"])
    fault = next(Predictions().item_problems(ItemTexts("i", (), (), options={"sense": ["one"]})))
    assert fault.startswith("options, sense: There must be 2 to 60 options")
    assert not list(Predictions({"ask_right_option": False}).item_problems(ItemTexts("i", (), (), options={"s": []})))


def test_options_stand_as_given_or_in_an_order_of_the_rater() -> None:
    many = [f"sense {n}" for n in range(6)]
    assert form_of(screen("x", "y", options=many)).options == tuple(many)
    kind = Predictions({"shuffle_options": True})
    orders = {
        form_of(
            screen("x", "y", options=many, drawn=kind.arrange_for_rater((SENSE,), Random(n)), shuffle_options=True)
        ).options
        for n in range(5)
    }
    assert len(orders) > 1
    assert {tuple(sorted(order)) for order in orders} == {tuple(many)}


FORGED = ("", "0", "3", "first", "right", "\x00", "\ud800", "[1]", "1" * 10**5)


@pytest.mark.parametrize("value", FORGED)
def test_forged_answers_are_refused_with_a_sentence(value: str) -> None:
    assert list(form_of(screen(), {"answer": value}).errors) == ["answer"]
    assert list(form_of(screen(), {"answer": "none_right", "right-option": value}).errors) == ["right-option"]
    if value:
        assert list(form_of(screen(*SENSES), {"right-1": "1", "right-2": value}).errors) == ["right-2"]


def test_known_answers_name_the_right_predictions_or_the_right_option() -> None:
    known = [
        GoldAnswer("exact", SENSES[0], "sense"),
        GoldAnswer("set", SENSES[:2], "sense"),
        GoldAnswer("exact", "none_of_these", "sense"),
        GoldAnswer("exact", SENSES[0], "right-option"),
    ]
    given = screen(order=(1, 0))

    def passed(**posted: str) -> list[bool]:
        form = form_of(given, {name.replace("_", "-", 1): value for name, value in posted.items()})
        assert form.is_valid()
        return [one.passed for one in grades(given, form.cleaned_data, known)]

    assert passed(answer="2") == [True, False, False, True]
    assert passed(answer="both") == [False, True, False, False]
    assert passed(answer="none_right", right_option="store") == [False, False, True, False]
    assert passed(answer="cannot_tell") == [False, False, False, False]
    form = form_of(given, {"answer": "1"})
    assert form.is_valid()
    told = feedback_on(given, form.cleaned_data, [GoldAnswer("exact", SENSES[0], "sense", explanation="A river.")])
    assert (told[0].passed, told[0].explanation) == (False, "A river.")
    (laid,) = given.kind.laid_over(given, form.cleaned_data, known[:1]).questions
    assert [(str(one.words), one.state) for one in laid.options[:2]] == [(SENSES[1], "extra"), (SENSES[0], "expected")]


def test_the_tasks_that_show_an_item_are_no_options() -> None:
    outputs = [OutputText("a", "", "x")]
    items = [ItemTexts.collapsed("i", outputs, options={key: ["one"]}) for key in ("only_tasks", "sense")]
    assert [len(list(Predictions().item_problems(item))) for item in items] == [0, 1]


def test_the_check_of_attention_names_the_prediction_to_choose() -> None:
    for number in range(4):
        check = Predictions().instructed((SENSE,), number)
        ((key, kind, right),) = check.answers
        texts = [text for _system, text in check.texts]
        assert (key, kind) == ("sense", "exact")
        assert len(set(texts)) == 2
        assert right in texts
        # The sentence stands in every text too, since the source may be hidden; the texts differ in their numbers.
        sentences, number_asked = str(right).rsplit("\n", 1)
        assert sentences == check.source
        assert number_asked in sentences
        assert all(text.startswith(f"{sentences}\n") for text in texts)


def test_simulated_raters_find_what_is_planted() -> None:
    given = screen("good one", "bad one")
    with planted({"good one": {"": 1.0}, "bad one": {"": 0.0}, given.source: {"": 0.9}}):
        answers = [simulated(given, Quality.CAREFUL, Random(n))["answer"] for n in range(30)]
        neither = simulated(screen("bad one", "bad one "), Quality.CAREFUL, Random(1))
    assert answers.count("1") >= 28
    assert neither == {"answer": "none_right", "right-option": SENSES[-1]}


@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_page_names_predictions_by_letter_and_no_system(n: int) -> None:
    given = screen(*SENSES[:n])
    page = render_to_string("task_types/predictions.html", {"screen": given, "form": form_of(given)})
    for words in ["Prediction"] if n == 1 else [f"Prediction {letter}" for letter in "ABC"[:n]]:
        assert f">{words}</h2>" in page
    assert page.count("<input") == (n + 3 if n != 2 else 6) + (4 - n if n < 3 else 0)
    assert 'type="checkbox"' in page if n > 2 else 'type="radio"' in page
    assert page.count("data-alone") == 3
    assert "checked" not in page
    # Answers are words of the page; options and predictions are in the language of the study.
    assert ('<span dir="auto" lang="en">store</span>' in page) == (n < 3)


def test_the_datasheet_calls_it_a_classification() -> None:
    kind = Predictions()
    (option,) = kind.brings()
    assert kind.heds(SENSE)["4.3.8"] == kind.heds(option)["4.3.8"] == "classification or labelling"
    assert kind.heds(SENSE)["4.3.3"] == "4"
    assert kind.heds(option)["4.3.4"] == "options of each item"


def test_outputs_are_called_predictions_and_the_right_option_is_asked_for_after_none_alone() -> None:
    given = screen(options=SENSES)
    names = [given.kind.name_of(shown, alone=False) for shown in given.shown_parts]
    assert names == ["Prediction A", "Prediction B"]
    assert given.kind.name_of(given.shown_parts[0], alone=True) == "Prediction"
    unasked = form_of(given, {}).unasked
    assert list(unasked({"answer": "both", "right-option": ""})) == ["right-option"]
    assert list(unasked({"answer": "none_right", "right-option": SENSES[0]})) == []
