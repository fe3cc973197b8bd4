"""Error labels: the first label that applies, what is asked after it, and what is ticked beside it."""

import json
from functools import cache
from pathlib import Path
from random import Random

import pytest
from django.conf import settings

from tasks_app.task_types.base import Criterion, GoldAnswer, ItemTexts, OutputText, Part, Quality, Screen
from tasks_app.task_types.error_labels import ErrorLabels
from tests.task_types.kit import feedback_on, form_of, grades, ratings_of, simulated

ERROR, FLAG = "p1-error", "p1-flag-personal_data"
IN_ORDER = {"ask": "in_order"}
OWN = {
    "typology": "own",
    "labels": [
        {"key": "made-up", "name": "Made up", "follow_up": "side"},
        {"key": "left-out", "name": "Left out", "question": "Is anything left out?"},
    ],
}


def screen(text: str = "Das Museum ist zu.", **params: object) -> Screen:
    """A screen with one text and its source."""
    given = ErrorLabels(params)
    return Screen(given, (Part(0, text),), given.brings(), source="The museum is closed.")


def said(given: Screen, posted: dict[str, str]) -> dict[str, object]:
    """Return the labels of the ratings, by criterion."""
    form = form_of(given, posted)
    assert form.is_valid(), form.errors
    return {
        str(one.criterion): one.label if one.label is not None else one.value
        for one in ratings_of(given, form.cleaned_data)
    }


def errors(given: Screen, posted: dict[str, str]) -> dict[str, list[str]]:
    """Return the errors in an answer."""
    return {name: list(map(str, found)) for name, found in form_of(given, posted).errors.items()}


NOT_TICKED = {"personal_data": 0.0, "inappropriate": 0.0}


@pytest.mark.parametrize(
    ("posted", "ratings"),
    [
        ({ERROR: "V"}, {"error": "V"}),
        ({ERROR: "A"}, {"error": "A"}),
        ({ERROR: "L", "p1-side": "both"}, {"error": "L", "side": "both"}),
        ({ERROR: "MT", "p1-side": "target"}, {"error": "MT", "side": "target"}),
        ({ERROR: "F", "p1-keep": "discard"}, {"error": "F", "keep": "discard"}),
        ({ERROR: "T", FLAG: "1"}, {"error": "T", "personal_data": 1.0}),
        # What was answered before the label was changed says nothing any more.
        ({ERROR: "E", "p1-side": "source", "p1-keep": "keep"}, {"error": "E"}),
    ],
)
def test_the_label_and_what_is_asked_after_it_are_ratings_of_their_own(
    posted: dict[str, str], ratings: dict[str, object]
) -> None:
    assert said(screen(), posted) == {**NOT_TICKED, **ratings}


def test_what_is_missing_is_named() -> None:
    assert errors(screen(), {}) == {ERROR: ["Choose the first label that applies."]}
    assert errors(screen(), {ERROR: "MT"}) == {"p1-side": ["Answer “Which text has the problem?”"]}
    assert errors(screen(follow_ups="optional"), {ERROR: "MT"}) == {}
    assert "side" not in said(screen(follow_ups="optional"), {ERROR: "MT"})
    off = screen(follow_ups="off")
    assert said(off, {ERROR: "MT", "p1-side": "target"}) == {**NOT_TICKED, "error": "MT"}
    assert [one.key for one in off.criteria] == ["error", "personal_data", "inappropriate"]


def in_order(*answers: str) -> dict[str, str]:
    """Post answers down the hierarchy of ELRC."""
    return {f"p1-error-{key}": said for key, said in zip(("L", "A", "T", "MT", "E", "F"), answers, strict=False)}


@pytest.mark.parametrize(
    ("answers", "label"),
    [(("no",) * 6, "V"), (("no", "yes"), "A"), (("no",) * 4 + ("yes", "yes"), "E"), (("no", "no", "yes", "no"), "T")],
)
def test_in_order_the_first_yes_is_the_label(answers: tuple[str, ...], label: str) -> None:
    assert said(screen(**IN_ORDER), in_order(*answers))["error"] == label


def test_in_order_no_question_is_left_out_and_what_stands_below_a_yes_was_not_asked() -> None:
    given = screen(**IN_ORDER)
    assert list(errors(given, {})) == ["p1-error-L"]
    assert list(errors(given, in_order("no", "", "yes"))) == ["p1-error-A"]
    assert list(errors(given, in_order("no", "maybe"))) == ["p1-error-A"]
    assert list(errors(given, in_order("yes"))) == ["p1-side"]
    form = form_of(given, {**in_order("yes", "no", "maybe"), "p1-side": "source"})
    assert form.is_valid()
    assert form.cleaned_data["p1-error-A"] == form.cleaned_data["p1-error-T"] == ""


def test_both_ways_of_asking_give_the_same_ratings() -> None:
    chosen = said(screen(), {ERROR: "MT", "p1-side": "target", FLAG: "1"})
    assert said(screen(**IN_ORDER), {**in_order("no", "no", "no", "yes"), "p1-side": "target", FLAG: "1"}) == chosen


FORGED = ["X", "l", "", " V", "V\x00", "\ud800", "9" * 1_000_000, '["V"]', "None", "true"]


@pytest.mark.parametrize("value", FORGED)
def test_forged_answers_are_refused(value: str) -> None:
    assert list(errors(screen(), {ERROR: value})) == [ERROR]
    assert list(errors(screen(**IN_ORDER), in_order(value))) == ["p1-error-L"]
    if value:
        assert list(errors(screen(), {ERROR: "L", "p1-side": value})) == ["p1-side"]
        assert list(errors(screen(), {ERROR: "V", FLAG: value})) == [FLAG]
    assert all(len(one) < 200 for found in errors(screen(), {ERROR: value}).values() for one in found)


def test_a_stored_answer_and_a_draft_fill_the_form_again() -> None:
    posted = {ERROR: "F", "p1-keep": "keep", FLAG: "1"}
    stored = form_of(screen(), posted)
    assert stored.is_valid()
    json.dumps(stored.cleaned_data)
    for initial in (posted, stored.cleaned_data):
        form = form_of(screen(), initial=initial)
        assert [one.value for one in form.labels() if one.checked] == ["F"]
        assert [one.value for one in form.follow_up_questions()[1].choices if one.checked] == ["keep"]
        assert [one.checked for one in form.ticks()] == [True, False]


def test_the_hierarchy_stands_in_order_with_its_digits() -> None:
    form = form_of(screen())
    assert [(one.value, one.digit) for one in form.labels()] == list(
        zip(("L", "A", "T", "MT", "E", "F", "V"), "1234567", strict=True)
    )
    assert [one.digit for one in form.ticks()] == ["8", "9"]
    many = [{"key": f"e{n}", "name": f"Error {n}"} for n in range(10)]
    own = form_of(screen(typology="own", labels=many, own_flags=[{"key": "odd", "name": "Odd"}]))
    assert [one.digit for one in own.labels()][-2:] == ["0", ""]
    assert [one.digit for one in own.ticks()] == ["", "", ""]


def test_a_study_has_a_hierarchy_and_flags_of_its_own() -> None:
    given = screen(**OWN, flags=False, own_flags=[{"key": "funny", "name": "Funny"}])
    assert [one.key for one in given.criteria] == ["error", "side", "funny"]
    assert said(given, {ERROR: "V", "p1-flag-funny": "1"}) == {"error": "V", "funny": 1.0}
    assert said(given, {ERROR: "made-up", "p1-side": "source"}) == {"error": "made-up", "side": "source", "funny": 0.0}
    assert form_of(given).labels()[-1].words == "None of these"
    assert ErrorLabels(ErrorLabels(OWN).params).params == ErrorLabels(OWN).params


@pytest.mark.parametrize(
    ("params", "sentence"),
    [
        ({"typology": "own"}, "Give the labels"),
        ({"labels": {"key": "a"}}, "must be a list"),
        ({"labels": "[1"}, "valid JSON"),
        ({"labels": ["a"]}, "Entry 1: This must be a group"),
        ({"labels": [{"key": "a b", "name": "A"}]}, "Entry 1: key: Use letters"),
        ({"labels": [{"key": "a"}]}, "Entry 1: name: This field is required"),
        ({"labels": [{"key": "a", "name": "A", "nam": "B"}]}, "nam is unknown"),
        ({"labels": [{"key": "a", "name": "A", "follow_up": "why"}]}, "follow_up"),
        ({"labels": [{"key": "a", "name": "A", "examples": [1]}]}, "Each entry is a text"),
        ({"labels": [{"key": "a", "name": "A\x00"}]}, "name: "),
        ({"labels": [{"key": "a", "name": "A"}] * 2}, "“a” is the key of two entries"),
        ({"labels": [{"key": "a", "name": "A"}] * 61}, "more than 60"),
        ({**OWN, "labels": [{"key": "a", "name": "A", "valid": True}]}, "at least one label beside"),
        ({**OWN, "labels": [{"key": k, "name": k, "valid": k == "a"} for k in "ab"]}, "stands last"),
        ({**OWN, "labels": [{"key": "V", "name": "Vague"}]}, "“V” stands for"),
        ({"own_flags": [{"key": "error", "name": "E"}]}, "taken by another question"),
        ({"own_flags": [{"key": "personal_data", "name": "P"}]}, "Turn off the flags"),
        ({"typology": "mine"}, "typology"),
    ],
)
def test_a_hierarchy_that_cannot_be_asked_is_refused(params: dict[str, object], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        ErrorLabels(params)


def test_a_studys_own_words_are_asked() -> None:
    given = ErrorLabels()
    own = Criterion("side", "Side", question="On which side?", kind="question")
    reworded = Screen(given, (Part(0, "T"),), (given.brings()[0], own), source="S")
    assert errors(reworded, {ERROR: "L"}) == {"p1-side": ["Answer “On which side?”"]}


def test_every_text_is_a_unit_and_identical_ones_are_one() -> None:
    outputs = [OutputText("a", "", "Same"), OutputText("b", "", "Same"), OutputText("c", "x", "Other")]
    item = ItemTexts.collapsed("i", outputs, source="S")
    assert [(one.key, one.parts) for one in ErrorLabels().units([item], Random(1))] == [
        ("i/a", ((0, 1),)),
        ("i/c/x", ((2,),)),
    ]
    assert list(ErrorLabels().item_problems(item)) == []
    without = ItemTexts.collapsed("i", outputs)
    assert len(list(ErrorLabels().item_problems(without))) == 1
    assert list(ErrorLabels(OWN).item_problems(without)) == []


def test_every_question_has_its_outcome_and_what_was_not_asked_has_none() -> None:
    kind = ErrorLabels({"own_flags": [{"key": "funny", "name": "Funny"}]})
    found = {one.key: kind.outcome_of(one) for one in kind.brings()}
    assert {key: (one.name, one.column) for key, one in found.items() if one} == {
        "error": ("error", "label"),
        "side": ("side", "label"),
        "keep": ("keep", "label"),
        **dict.fromkeys(("personal_data", "inappropriate", "funny"), ("flag", "value")),
    }
    assert kind.outcome_of(Criterion("fluency", "Fluency")) is None
    assert kind.problem_in_value(1, None) is None
    assert kind.problem_in_value(2, None)


def test_known_answers_are_about_the_label_unless_they_say_otherwise() -> None:
    given = screen()
    form = form_of(given, {ERROR: "L", "p1-side": "source"})
    assert form.is_valid()
    gold = [
        GoldAnswer("exact", "L"),
        GoldAnswer("exact", "A"),
        GoldAnswer("set", ["L", "A"]),
        GoldAnswer("exact", "source", "side"),
        GoldAnswer("exact", 1, "personal_data"),
    ]
    assert [one.passed for one in grades(given, form.cleaned_data, gold)] == [True, False, True, True, False]
    told = feedback_on(given, form.cleaned_data, [GoldAnswer("exact", "A", explanation="They differ.")])
    assert (str(told[0].sentence), told[0].explanation) == ("Error label: not quite.", "They differ.")


def test_simulated_raters_differ_as_they_should() -> None:
    screens = [screen(f"Text {n}") for n in range(120)]

    @cache
    def labels(quality: Quality, seed: int) -> list[object]:
        rng = Random(seed)
        return [said(one, simulated(one, quality, rng))["error"] for one in screens]

    def agreement(quality: Quality) -> float:
        return sum(map(str.__eq__, labels(quality, 1), labels(quality, 2))) / len(screens)

    assert agreement(Quality.CAREFUL) > agreement(Quality.SLOPPY) + 0.1 > agreement(Quality.RANDOM)
    assert set(labels(Quality.STRAIGHT_LINER, 1)) == {"V"}
    assert set(labels(Quality.CAREFUL, 1)) >= {"A", "T", "MT", "E", "F", "V"}


def test_the_datasheet_says_how_it_was_asked() -> None:
    kind = ErrorLabels()
    by_key = {one.key: kind.heds(one) for one in kind.brings()}
    assert by_key["error"]["4.3.3"] == "7"
    assert by_key["error"]["4.3.4"].startswith("L (Wrong language), A (Misaligned)")
    assert (by_key["error"]["4.3.5"], by_key["personal_data"]["4.3.5"]) == ("multiple choice", "check-boxes")
    assert ErrorLabels(IN_ORDER).heds(None)["4.3.5"].startswith("other: yes or no")
    assert {one["4.3.8"] for one in by_key.values()} == {"classification or labelling"}


def test_the_shipped_hierarchy_is_the_published_one() -> None:
    path = Path(settings.BASE_DIR) / "tasks_app" / "task_types" / "error_labels" / "elrc.json"
    labels = json.loads(path.read_text(encoding="utf-8"))["labels"]
    assert [one["key"] for one in labels] == ["L", "A", "T", "MT", "E", "F", "V"]
    assert {one["key"]: one["follow_up"] for one in labels if one["follow_up"]} == {
        "L": "side",
        "MT": "side",
        "F": "keep",
    }
    assert all(one["definition"] and one["examples"] for one in labels)
