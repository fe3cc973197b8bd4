"""Ranking."""

from collections import Counter
from itertools import pairwise, product
from random import Random

import pytest

from tasks_app.task_types.base import Criterion, GoldAnswer, ItemTexts, OutputText, Part, Quality, Screen
from tasks_app.task_types.ranking import Ranking, gap, standing
from tasks_app.task_types.simulation import latent_quality
from tests.task_types.kit import feedback_on, form_of, grades, ratings_of, simulated

FLUENCY = Criterion("fluency", "Fluency")
CONTENT = Criterion("content", "Content")


def screen(n: int = 4, order: tuple[int, ...] | None = None, *criteria: Criterion, **params: object) -> Screen:
    """A screen with a few texts."""
    return Screen(
        Ranking(params),
        tuple(Part(number, f"Text {number}") for number in range(n)),
        criteria or (FLUENCY,),
        arrangement={"parts": order or tuple(range(n))},
    )


def given(*places: object, criterion: str = "fluency") -> dict[str, str]:
    """An answer: the place of each text, in the order of the screen."""
    return {f"p{number}-{criterion}": str(place) for number, place in enumerate(places, start=1)}


def item(*texts: str) -> ItemTexts:
    """An item with an output by each of some systems."""
    return ItemTexts.collapsed("i", [OutputText(str(number), "", text) for number, text in enumerate(texts)])


def test_one_unit_an_item_with_identical_outputs_shown_once() -> None:
    units = list(Ranking().units([item("a", "b", "a"), item("a", "a"), item("c")], Random(1)))
    assert [unit.parts for unit in units] == [((0, 2), (1,))]


@pytest.mark.parametrize(
    ("texts", "params", "said"),
    [
        ("ab", {}, []),
        ("aa", {}, []),
        ("abcdef", {"max_texts": 6}, []),
        ("abcdea", {}, []),
        ("abcdef", {}, ["6 different texts"]),
        ("a", {}, ["at least two outputs"]),
    ],
)
def test_too_many_or_too_few_texts_are_refused(texts: str, params: dict[str, object], said: list[str]) -> None:
    problems = list(Ranking(params).item_problems(item(*texts)))
    assert len(problems) == len(said)
    assert all(words in problem for words, problem in zip(said, problems, strict=True))


def test_nobody_ranks_more_than_ten() -> None:
    with pytest.raises(ValueError, match="max_texts"):
        Ranking({"max_texts": 11})


def test_every_prefix_of_arrangements_is_balanced() -> None:
    stream = Ranking().arrange(4, Random(4))
    seen: Counter[tuple[int, int]] = Counter()
    for _number in range(22):
        parts = next(stream)["parts"]
        assert isinstance(parts, list)
        assert sorted(parts) == [0, 1, 2, 3]
        seen.update(enumerate(parts))
        counts = [seen[place, part] for place, part in product(range(4), range(4))]
        assert max(counts) - min(counts) <= 1


def test_places_are_ratings_of_canonical_parts_and_say_where_the_text_stood() -> None:
    shown = screen(3, (2, 0, 1), FLUENCY, CONTENT)
    form = form_of(shown, given(3, 1, 2) | given(1, 2, 3, criterion="content"))
    assert form.is_valid(), form.errors
    values = list(ratings_of(shown, form.cleaned_data))
    assert [(one.part, one.criterion, one.value, one.shown_value) for one in values] == [
        (2, "fluency", 3, 1),
        (0, "fluency", 1, 2),
        (1, "fluency", 2, 3),
        (2, "content", 1, 1),
        (0, "content", 2, 2),
        (1, "content", 3, 3),
    ]


@pytest.mark.parametrize(
    ("answer", "field", "words"),
    [
        (given(1, 2, 2, 4), "p3-fluency", "texts B and C are both at place 2"),
        (given(1, 2, 3, ""), "p4-fluency", "give text D a place"),
        (given(1, 2, 3, 0), "p4-fluency", "whole number from 1 to 4"),
        (given(1, 2, 3, 5), "p4-fluency", "whole number from 1 to 4"),
        (given(1, 2, 3, "3.5"), "p4-fluency", "whole number from 1 to 4"),
        (given(1, 2, 3, "NaN"), "p4-fluency", "whole number from 1 to 4"),
        (given(1, 2, 3, "[4]"), "p4-fluency", "whole number from 1 to 4"),
        (given(1, 2, 3, "four"), "p4-fluency", "whole number from 1 to 4"),
        (given(1, 2, 3, "4\x00"), "p4-fluency", "whole number from 1 to 4"),
        (given(1, 2, 3, "\ud800"), "p4-fluency", "whole number from 1 to 4"),
        (given(1, 2, 3, "9" * 100_000), "p4-fluency", "whole number from 1 to 4"),
    ],
)
def test_a_wrong_place_is_refused_in_a_sentence_that_names_the_text(
    answer: dict[str, str], field: str, words: str
) -> None:
    form = form_of(screen(), answer)
    assert not form.is_valid()
    assert list(form.errors) == [field]
    assert words in form.errors[field][0]
    assert "9999" not in form.errors[field][0]


def test_unknown_fields_are_not_kept() -> None:
    form = form_of(screen(2), given(1, 2) | {"p3-fluency": "1", "p1-north": "1"})
    assert form.is_valid()
    assert form.cleaned_data == {"p1-fluency": 1, "p2-fluency": 2}


@pytest.mark.parametrize(
    ("places", "stored"),
    [
        ((1, 1, 3, 4), [1, 1, 3, 4]),
        ((1, 1, 2, 3), [1, 1, 3, 4]),
        ((2, 1, 2, 3), [2, 1, 2, 4]),
        ((1, 1, 1, 1), [1, 1, 1, 1]),
        ((1, 2, 3, 3), [1, 2, 3, 3]),
    ],
)
def test_with_ties_both_ways_of_counting_are_taken_and_one_is_stored(
    places: tuple[int, ...], stored: list[int]
) -> None:
    shown = screen(ties=True)
    form = form_of(shown, given(*places))
    assert form.is_valid(), form.errors
    assert [value.value for value in ratings_of(shown, form.cleaned_data)] == stored


@pytest.mark.parametrize(
    ("places", "missing"), [((2, 2, 3, 4), 1), ((1, 3, 3, 4), 2), ((1, 1, 2, 4), 3), ((1, 1, 4, 4), 2)]
)
def test_with_ties_a_place_left_out_is_refused(places: tuple[int, ...], missing: int) -> None:
    form = form_of(screen(ties=True), given(*places))
    assert not form.is_valid()
    assert [f"no text is at place {missing}." in one for errors in form.errors.values() for one in errors] == [True]


def test_exactly_the_weak_orders_have_no_gap() -> None:
    """Of three texts there are 13 orders with ties; those that tie and go on have two spellings."""
    fine = [places for places in product(range(1, 4), repeat=3) if gap(places) is None]
    assert len({tuple(standing(places)) for places in fine}) == 13
    assert len(fine) == 16


def test_a_stored_answer_fills_the_form_again() -> None:
    shown = screen(3)
    form = form_of(shown, given(3, 1, 2))
    assert form.is_valid()
    again = form_of(shown, initial=form.cleaned_data)
    assert [bound.value() for bound in again] == [3, 1, 2]
    draft = form_of(shown, initial={"p2-fluency": "1"})
    assert [bound.value() for bound in draft] == [None, "1", None]


def test_a_known_order_is_graded_by_the_texts_of_the_unit() -> None:
    shown = screen(3, (2, 0, 1))
    form = form_of(shown, given(1, 3, 2))  # the third text is best, then the second, then the first
    assert form.is_valid()
    orders = ([3, 2, 1], [3, 1], [1, 2], [2, 3, 1])
    answers = [GoldAnswer("order", order, "fluency", explanation="See above.") for order in orders]
    assert [one.passed for one in grades(shown, form.cleaned_data, answers)] == [True, True, False, False]
    told = feedback_on(shown, form.cleaned_data, answers)
    assert str(told[0].sentence) == "Fluency: right."
    assert str(told[2].sentence) == "Fluency: not quite. The order is B > C, better texts first."
    assert told[2].explanation == "See above."


def test_texts_that_tie_are_not_above_one_another() -> None:
    shown = screen(2, ties=True)
    form = form_of(shown, given(1, 1))
    assert form.is_valid()
    assert [one.passed for one in grades(shown, form.cleaned_data, [GoldAnswer("order", [1, 2])])] == [False]


@pytest.mark.parametrize(
    ("gold", "words"),
    [
        (GoldAnswer("exact", 1, "fluency"), "kind order"),
        (GoldAnswer("order", [1, 5], "fluency"), "1 to 4"),
        (GoldAnswer("order", [0, 1], "fluency"), "1 to 4"),
        (GoldAnswer("order", [1, 1], "fluency"), "different"),
        (GoldAnswer("order", [2], "fluency"), "different"),
        (GoldAnswer("order", "21", "fluency"), "list"),
        (GoldAnswer("order", [1, [2]], "fluency"), "1 to 4"),
        (GoldAnswer("order", [1, True], "fluency"), "1 to 4"),
    ],
)
def test_a_known_answer_that_is_no_order_is_refused(gold: GoldAnswer, words: str) -> None:
    shown = screen()
    form = form_of(shown, given(1, 2, 3, 4))
    assert form.is_valid()
    with pytest.raises(ValueError, match=words):
        grades(shown, form.cleaned_data, [gold])


@pytest.mark.parametrize(("value", "fine"), [(1.0, True), (5.0, True), (6.0, False), (0.0, False), (1.5, False)])
def test_imported_places_are_whole_and_on_the_scale(value: float, fine: bool) -> None:
    assert (Ranking().problem_in_value(value, FLUENCY) is None) is fine


def test_the_datasheet_says_what_the_instrument_is() -> None:
    said = Ranking({"ties": True}).heds(FLUENCY)
    assert said["4.3.4"] == "1 (best) to the number of texts; ties are allowed"
    assert said["4.3.8"] == "relative quality estimation"


def _agreement(quality: Quality, *, ties: bool = False) -> float:
    """How often two texts in a row of a simulated ranking are in the order of their latent quality."""
    rng = Random(8)
    right = pairs = 0
    for number in range(60):
        texts = tuple(Part(part, f"{number} {part}") for part in range(4))
        shown = Screen(Ranking({"ties": ties}), texts, (FLUENCY,))
        answer = simulated(shown, quality, rng)
        assert form_of(shown, answer).is_valid()
        best_first = sorted(texts, key=lambda part: int(answer[f"p{part.number + 1}-fluency"]))
        for one, other in pairwise(best_first):
            pairs += 1
            right += latent_quality(one.text, "fluency") >= latent_quality(other.text, "fluency")
    return right / pairs


@pytest.mark.parametrize("ties", [False, True])
def test_simulated_raters_differ_in_quality(ties: bool) -> None:
    careful, sloppy, random = (_agreement(one, ties=ties) for one in (Quality.CAREFUL, Quality.SLOPPY, Quality.RANDOM))
    assert careful > sloppy + 0.1
    assert sloppy > random


def test_a_straight_liner_takes_the_texts_as_they_stand() -> None:
    assert simulated(screen(ties=True), Quality.STRAIGHT_LINER, Random(1)) == given(1, 2, 3, 4)
