"""Labels: one category or several, options of the item, their order, words of one's own, and what is asked after."""

import json
from collections import Counter
from itertools import islice
from random import Random

import pytest
from django.template.loader import render_to_string

from tasks_app.task_types.base import Criterion, GoldAnswer, ItemTexts, OutputText, Part, Quality, Screen, Value
from tasks_app.task_types.labels import Labels
from tasks_app.task_types.labels.options import NONE
from tests.task_types.kit import form_of, grades, ratings_of, simulated

TOPIC = Criterion("topic", "Topic", question="What is it about?", labels=("Sport", "Weather", "Trains"))
TOXIC = Criterion("toxic", "Toxic", labels=("yes", "no"))
DETAIL = {"criterion": "topic", "label": "Sport", "question": "Which sport?", "options": ["Chess", "Rowing"]}
FULL = {"none_of_these": ["topic"], "none_text": ["topic"], "details": [DETAIL]}


def screen(
    *criteria: Criterion,
    options: dict[str, object] | None = None,
    arrangement: dict[str, object] | None = None,
    text: str = "T",
    **params: object,
) -> Screen:
    """A screen with one text."""
    given = Labels(params)
    asked = (*(criteria or (TOPIC,)), *given.brings())
    return Screen(given, (Part(0, text),), asked, options=options or {}, arrangement=arrangement or {"parts": [0]})


def values(given: Screen, posted: dict[str, str]) -> list[Value]:
    """Return the ratings of an answer."""
    form = form_of(given, posted)
    assert form.is_valid(), form.errors
    json.dumps(form.cleaned_data)
    return list(ratings_of(given, form.cleaned_data))


def said(given: Screen, posted: dict[str, str]) -> list[tuple[object, ...]]:
    """Return the labels of the ratings of an answer."""
    return [(one.criterion, one.number, one.label or one.text) for one in values(given, posted)]


def errors(given: Screen, posted: dict[str, str]) -> dict[str, list[str]]:
    """Return the errors in an answer."""
    return {name: list(map(str, found)) for name, found in form_of(given, posted).errors.items()}


def test_one_option_is_one_rating() -> None:
    given = screen(TOPIC, TOXIC)
    assert said(given, {"p1-topic": "Trains", "p1-toxic": "no"}) == [("topic", 1, "Trains"), ("toxic", 1, "no")]
    assert errors(given, {}) == {"p1-topic": ["Answer “What is it about?”"], "p1-toxic": ["Answer “Toxic”"]}


def test_several_options_are_numbered_in_canonical_order_whatever_the_screen_shows() -> None:
    for place in range(3):
        given = screen(multiple=True, order="drawn", arrangement={"parts": [0], "seed": 5, "draw": place})
        shown = Labels({"multiple": True, "order": "drawn"}).shown_options(given, TOPIC)
        posted = {f"p1-o{shown.index(one) + 1}-topic": "1" for one in ("Trains", "Sport")}
        assert said(given, posted) == [("topic", 1, "Sport"), ("topic", 2, "Trains")]
    assert errors(screen(multiple=True), {}) == {"p1-o1-topic": ["Answer “What is it about?”"]}


def test_none_of_these_stands_alone_and_asks_for_words() -> None:
    one, several = screen(**FULL), screen(**FULL, multiple=True)
    asked = "Answer “What is it, in your own words?”"
    assert errors(one, {"p1-topic": NONE}) == {"p1-text-topic": [asked]}
    assert errors(one, {"p1-topic": NONE, "p1-text-topic": "  "}) == {"p1-text-topic": [asked]}
    wanted = [("topic", 1, NONE), ("topic-other", 1, "Food")]
    assert said(one, {"p1-topic": NONE, "p1-text-topic": " Food "}) == wanted
    assert said(several, {"p1-none-topic": "1", "p1-text-topic": "Food"}) == wanted
    assert said(one, {"p1-topic": "Trains", "p1-text-topic": "Food"}) == [("topic", 1, "Trains")]
    both = errors(several, {"p1-none-topic": "1", "p1-o1-topic": "1", "p1-d1-topic": "Chess", "p1-text-topic": "x"})
    assert both == {"p1-o1-topic": ["Choose only “None of these”, or untick it."]}
    assert list(errors(screen(), {"p1-topic": NONE})) == ["p1-topic"]


def test_what_is_asked_after_a_label_is_a_question_of_its_own() -> None:
    one, several = screen(**FULL), screen(**FULL, multiple=True)
    assert errors(one, {"p1-topic": "Sport"}) == {"p1-d1-topic": ["Answer “Which sport?”"]}
    assert said(one, {"p1-topic": "Sport", "p1-d1-topic": "Chess"}) == [
        ("topic", 1, "Sport"),
        ("topic-detail", 1, "Chess"),
    ]
    assert said(one, {"p1-topic": "Weather", "p1-d1-topic": "Chess"}) == [("topic", 1, "Weather")]
    after = {**FULL, "details": [{**DETAIL, "label": "Trains", "optional": True}]}
    second = screen(**after, multiple=True)
    assert said(second, {"p1-o1-topic": "1", "p1-o3-topic": "1", "p1-d1-topic": "Rowing"}) == [
        ("topic", 1, "Sport"),
        ("topic", 2, "Trains"),
        ("topic-detail", 1, "Rowing"),
    ]
    assert said(second, {"p1-o3-topic": "1"}) == [("topic", 1, "Trains")]
    two = screen(**{**FULL, "details": [DETAIL, {**DETAIL, "label": "Trains"}]}, multiple=True)
    ticked = {"p1-o1-topic": "1", "p1-o3-topic": "1", "p1-d1-topic": "Chess", "p1-d2-topic": "Rowing"}
    assert said(two, ticked)[2:] == [("topic-detail", 1, "Chess"), ("topic-detail-2", 1, "Rowing")]
    assert list(errors(several, {"p1-o1-topic": "1", "p1-d1-topic": "Golf"})) == ["p1-d1-topic"]


FORGED = ["sport", "Sport\x00", "\ud800", " Sport", "9" * 1_000_000, "[]", "none", "1", "true", "Sport,Weather"]


@pytest.mark.parametrize("value", FORGED)
def test_forged_answers_are_refused(value: str) -> None:
    assert list(errors(screen(**FULL), {"p1-topic": value})) == ["p1-topic"]
    assert list(errors(screen(**FULL), {"p1-topic": "Sport", "p1-d1-topic": value})) == ["p1-d1-topic"]
    if value != "1":
        assert "p1-o2-topic" in errors(screen(multiple=True), {"p1-o1-topic": "1", "p1-o2-topic": value})
    assert all(len(one) < 200 for found in errors(screen(**FULL), {"p1-topic": value}).values() for one in found)


@pytest.mark.parametrize("words", ["x" * 2_001, "a\x00b", "\udc00", "x" * 1_000_000])
def test_words_that_cannot_be_kept_are_refused(words: str) -> None:
    assert list(errors(screen(**FULL), {"p1-topic": NONE, "p1-text-topic": words})) == ["p1-text-topic"]


def test_options_come_with_the_item() -> None:
    params = {"item_options": ["topic"]}
    of_item = screen(options={"topic": ["bank (money)", "bank (river)"]}, **params)
    assert said(of_item, {"p1-topic": "bank (river)"}) == [("topic", 1, "bank (river)")]
    assert list(errors(of_item, {"p1-topic": "Sport"})) == ["p1-topic"]
    for_every = screen(options={"labels": ["left", "right"]}, **params)
    assert said(for_every, {"p1-topic": "left"}) == [("topic", 1, "left")]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({}, "has no list for “topic”"),
        ({"toxic": ["a", "b"]}, "has no list for “topic”"),
        ({"topic": "ab"}, "a list of texts"),
        ({"topic": ["a", 1]}, "a list of texts"),
        ({"topic": ["a"]}, "2 to 60 options; there are 1"),
        ({"topic": ["a", "a"]}, "Two options are the same"),
        ({"topic": ["a", " b"]}, "without spaces around"),
        ({"labels": ["a", NONE]}, "No option may be called"),
        ({"labels": ["a", "x" * 201]}, "at most 200"),
    ],
)
def test_an_item_without_usable_options_is_refused(options: dict[str, object], sentence: str) -> None:
    item = ItemTexts.collapsed("i", [OutputText("a", "", "T")], options=options)
    found = list(Labels({"item_options": ["topic"]}).item_problems(item))
    assert len(found) == 1
    assert sentence in found[0]
    assert list(Labels().item_problems(item)) == []


def test_options_with_an_order_are_reversed_for_some_raters_and_never_shuffled() -> None:
    asked = Criterion("c", "C", labels=("Yes", "In part", "No"))
    for order, wanted in (("fixed", 1), ("rater", 2), ("drawn", 1)):
        kind = Labels({"order": order, "ordered": ["c"]})
        seen = set()
        for seed in range(20):
            arrangement = {**next(kind.arrange(1, Random(seed))), **kind.arrange_for_rater((asked,), Random(seed))}
            seen.add(kind.shown_options(Screen(kind, (Part(0, "T"),), (asked,), arrangement=arrangement), asked))
        assert seen <= {asked.labels, asked.labels[::-1]}
        assert len(seen) == wanted, order


def test_all_options_of_a_rater_that_have_an_order_are_turned_alike() -> None:
    asked = [Criterion(key, key, labels=("Yes", "In part", "No")) for key in "ab"]
    kind = Labels({"order": "rater", "ordered": ["a", "b"]})
    for seed in range(20):
        own = kind.arrange_for_rater(asked, Random(seed))
        given = Screen(kind, (Part(0, "T"),), tuple(asked), arrangement={"parts": [0], **own})
        assert kind.shown_options(given, asked[0]) == kind.shown_options(given, asked[1])


@pytest.mark.parametrize("order", ["fixed", "rater", "drawn"])
@pytest.mark.parametrize("multiple", [True, False])
def test_digits_choose_only_where_an_option_keeps_its_place(order: str, *, multiple: bool) -> None:
    kind = Labels({"order": order, "multiple": multiple})
    given = Screen(kind, (Part(0, "T"),), (TOPIC,), arrangement={"parts": [0], "seed": 4, "draw": 1})
    page = render_to_string(kind.template_name, {"screen": given, "form": kind.form(given)})
    keeps = order != "drawn"
    found = [sign in page for sign in ("data-key=", 'class="label-key"', "<kbd>1</kbd>", "data-no-digits")]
    assert found == [keeps, keeps, keeps, not keeps]


@pytest.mark.parametrize("n", [2, 3, 5])
def test_the_drawn_order_is_balanced_in_every_prefix(n: int) -> None:
    asked = Criterion("c", "C", labels=tuple("abcdefgh"[:n]))
    kind = Labels({"order": "drawn"})
    counts: Counter[tuple[str, int]] = Counter()
    seen = set()
    for number, drawn in enumerate(islice(kind.arrange(1, Random(3)), 4 * n), start=1):
        order = kind.shown_options(Screen(kind, (Part(0, "T"),), (asked,), arrangement=drawn), asked)
        seen.add(order)
        assert sorted(order) == sorted(asked.labels)
        counts.update((option, place) for place, option in enumerate(order))
        spread = [counts[option, place] for option in asked.labels for place in range(n)]
        assert max(spread) - min(spread) <= 1, number
    assert len(seen) > 1
    json.dumps(drawn)


def test_a_rater_keeps_the_order_drawn_for_them_and_none_of_these_is_last() -> None:
    kind = Labels({"order": "rater", "none_of_these": ["topic"]})
    orders = set()
    for seed in range(20):
        own = kind.arrange_for_rater((TOPIC,), Random(seed))
        given = Screen(kind, (Part(0, "T"),), (TOPIC,), arrangement={"parts": [0], **own})
        words = [one.words for one in form_of(given).questions()[0].options]
        assert words[-1] == "None of these"
        orders.add(tuple(words))
        fixed = {**next(kind.arrange(1, Random(seed))), **own}
        assert kind.shown_options(Screen(kind, (Part(0, "T"),), (TOPIC,), arrangement=fixed), TOPIC) == tuple(
            words[:-1]
        )
    assert len(orders) == 6
    assert Labels().shown_options(screen(), TOPIC) == TOPIC.labels


@pytest.mark.parametrize(
    ("params", "criteria", "sentence"),
    [
        ({}, [Criterion("c", "C")], "2 to 60 options; there are 0"),
        ({"item_options": ["c"]}, [TOPIC], "item_options names 'c'"),
        ({"none_of_these": ["c"], "none_text": ["c"]}, [TOPIC], "none_of_these names 'c'"),
        ({"details": [{**DETAIL, "criterion": "c"}]}, [TOPIC], "details names 'c'"),
        ({"details": [{**DETAIL, "label": "Golf"}]}, [TOPIC], "'Golf' is no label of 'topic'"),
        ({}, [], "at least one question"),
    ],
)
def test_criteria_that_do_not_fit_are_named(
    params: dict[str, object], criteria: list[Criterion], sentence: str
) -> None:
    found = list(Labels(params).problems(criteria))
    assert len(found) == 1
    assert sentence in found[0]
    assert list(Labels(FULL).problems([TOPIC])) == []


@pytest.mark.parametrize(
    ("params", "sentence"),
    [
        ({"none_text": ["topic"]}, "name it in none_of_these"),
        ({"details": [DETAIL, DETAIL]}, "one question after a label"),
        ({"details": [{**DETAIL, "options": ["one"]}]}, "2 to 60 options"),
        ({"details": [{**DETAIL, "question": ""}]}, "question: This field is required"),
        ({"item_options": [1]}, "Each entry is a text"),
        ({"order": "any"}, "order"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(params: dict[str, object], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        Labels(params)
    assert Labels(Labels(FULL).params).params == Labels(FULL).params


def test_every_question_has_its_outcome() -> None:
    kind = Labels(FULL)
    found = {one.key: kind.outcome_of(one) for one in (TOPIC, *kind.brings())}
    assert {key: (one.name, one.column) for key, one in found.items() if one} == {
        "topic": ("label", "label"),
        "topic-other": ("other", "text"),
        "topic-detail": ("detail", "label"),
    }
    asked = {one.key: kind.heds(one) for one in (TOPIC, *kind.brings())}
    assert (asked["topic"]["4.3.3"], asked["topic"]["4.3.4"]) == ("4", "Sport, Weather, Trains, None of these")
    assert asked["topic-detail"]["4.3.4"] == "Chess, Rowing"
    assert asked["topic-other"]["4.3.8"] == "qualitative feedback"
    several = Labels({"multiple": True, "item_options": ["topic"]})
    assert several.heds(TOPIC)["4.3.5"] == "check-boxes"
    assert several.heds(TOPIC)["4.3.4"] == "options of each item"


def test_a_set_of_known_answers_is_any_of_them_or_all_of_them() -> None:
    one, several = screen(), screen(multiple=True)
    chosen, ticked = form_of(one, {"p1-topic": "Sport"}), form_of(several, {"p1-o1-topic": "1", "p1-o3-topic": "1"})
    assert chosen.is_valid()
    assert ticked.is_valid()

    def passed(given: Screen, cleaned: dict[str, object], *answers: object) -> list[bool]:
        gold = [GoldAnswer("set", one, "topic") for one in answers]
        return [graded.passed for graded in grades(given, cleaned, gold)]

    assert passed(one, chosen.cleaned_data, ["Sport", "Weather"], ["Weather"]) == [True, False]
    assert passed(several, ticked.cleaned_data, ["Trains", "Sport"], ["Trains", "Sport", "Weather"]) == [True, False]


def test_what_can_be_known_is_what_the_screen_offers() -> None:
    given = screen(TOPIC, TOXIC, **FULL)
    assert given.kind.labels_on(given, TOPIC) == ("Sport", "Weather", "Trains", NONE)
    assert given.kind.labels_on(given, TOXIC) == ("yes", "no")
    of_item = screen(TOPIC, options={"topic": ["Food", "Music"]}, item_options=["topic"])
    assert of_item.kind.labels_on(of_item, TOPIC) == ("Food", "Music")


def test_a_stored_answer_and_a_draft_fill_the_form_again() -> None:
    posted = {"p1-o1-topic": "1", "p1-d1-topic": "Rowing"}
    stored = form_of(screen(**FULL, multiple=True), posted)
    assert stored.is_valid()
    for initial in (posted, stored.cleaned_data):
        question = form_of(screen(**FULL, multiple=True), initial=initial).questions()[0]
        assert [one.words for one in question.options if one.checked] == ["Sport"]
        assert [one.words for one in question.details[0].options if one.checked] == ["Rowing"]


@pytest.mark.parametrize("several", [False, True])
def test_simulated_raters_differ_as_they_should(several: bool) -> None:
    screens = [screen(text=f"Text {n}", **FULL, multiple=several) for n in range(80)]

    def answers(quality: Quality, seed: int) -> list[object]:
        rng = Random(seed)
        return [tuple(said(one, simulated(one, quality, rng))) for one in screens]

    def agreement(quality: Quality) -> float:
        both = zip(answers(quality, 1), answers(quality, 2), strict=True)
        return sum(one == other for one, other in both) / len(screens)

    assert agreement(Quality.CAREFUL) > agreement(Quality.SLOPPY) + 0.1 > agreement(Quality.RANDOM)
    assert len(set(answers(Quality.STRAIGHT_LINER, 1))) == 1
