"""The pairwise comparison: which texts are compared, the sides, the answers that are allowed, and what is stored."""

from collections import Counter
from itertools import combinations, islice
from random import Random

import pytest
from django.template.loader import render_to_string

from tasks_app.task_types.base import Criterion, GoldAnswer, ItemTexts, OutputText, Part, Quality, Screen
from tasks_app.task_types.pairwise import Pairwise
from tasks_app.task_types.simulation import latent_quality
from tests.task_types.kit import feedback_on, form_of, grades, ratings_of, simulated

CLARITY = Criterion("clarity", "Clarity", question="Which text is clearer?")
TONE = Criterion("tone", "Tone")


def item(key: str, **texts: str) -> ItemTexts:
    """An item with a text by each system named."""
    return ItemTexts.collapsed(key, [OutputText(system, "", text) for system, text in texts.items()])


def screen(turned: bool = False, texts: tuple[str, str] = ("One.", "Other."), **params: object) -> Screen:
    """A screen with two texts, in canonical order or turned round."""
    given = Pairwise(params)
    return Screen(
        given,
        tuple(Part(number, text) for number, text in enumerate(texts)),
        (CLARITY, TONE, *given.brings()),
        arrangement={"parts": [1, 0] if turned else [0, 1], "criteria": ["tone", "clarity"]},
    )


def said(given: Screen, **answers: str) -> dict[tuple[str, int | None, int | None], tuple[object, float | None]]:
    """What is stored of an answer: by criterion and texts, what was said and the side it was said of."""
    form = form_of(given, {name.replace("_", "-"): value for name, value in answers.items()})
    assert form.is_valid(), form.errors
    return {
        (one.criterion or "", one.part, one.part_b): (one.label or one.value, one.shown_value)
        for one in ratings_of(given, form.cleaned_data)
    }


def test_a_unit_for_every_two_different_texts_or_for_those_with_the_anchor() -> None:
    items = [item("i1", north="a", south="b", west="c"), item("i2", south="x", north="y", west="y")]
    made = list(Pairwise().units(items, Random(1)))
    assert [(one.key, one.parts) for one in made] == [
        ("i1/north+south", ((0,), (1,))),
        ("i1/north+west", ((0,), (2,))),
        ("i1/south+west", ((1,), (2,))),
        # Two systems wrote the same: it is shown once, for both, and always the system that is named first comes first.
        ("i2/north+south", ((1, 2), (0,))),
    ]
    anchored = Pairwise({"anchor": "west"}).units(items, Random(1))
    assert [one.key for one in anchored] == ["i1/north+west", "i1/south+west", "i2/north+south"]
    kind = Pairwise({"anchor": "east"})
    assert "no text by “east”" in next(kind.item_problems(items[0]))
    assert "texts by 1" in next(Pairwise().item_problems(item("i3", north="a")))
    assert list(Pairwise().item_problems(item("i4", north="a", south="a"))) == []


def test_both_texts_stand_on_both_sides_equally_often() -> None:
    drawn = [str(one["parts"]) for one in islice(Pairwise().arrange(2, Random(2)), 40)]
    for start in range(0, 40, 2):
        assert set(drawn[start : start + 2]) == {"[0, 1]", "[1, 0]"}
    assert len({drawn[start] for start in range(0, 40, 2)}) == 2, "which comes first is drawn"


def test_what_is_stored_is_about_the_texts_and_what_was_shown_is_kept() -> None:
    answer = {"better_clarity": "1", "better_tone": "2"}
    assert said(screen(), **answer) == {("clarity", 0, 1): ("first", 1), ("tone", 0, 1): ("second", 2)}
    assert said(screen(turned=True), **answer) == {("clarity", 0, 1): ("second", 1), ("tone", 0, 1): ("first", 2)}
    neither = {"better_clarity": "tie", "better_tone": "both_bad"}
    for turned in (False, True):
        stored = said(screen(turned, both_bad=True), **neither)
        assert stored == {("clarity", 0, 1): ("tie", 0), ("tone", 0, 1): ("both_bad", 0)}


def test_strength_is_asked_where_a_text_is_better_and_only_there() -> None:
    given = screen(strength="clarity")
    stored = said(given, better_clarity="2", strength_clarity="2", better_tone="1")
    assert stored["strength-clarity", None, None] == (2, None)
    form = form_of(given, {"better-clarity": "2", "better-tone": "1"})
    assert form.errors == {"strength-clarity": ["“Which text is clearer?”: say how much better."]}
    stored = said(given, better_clarity="tie", strength_clarity="2", better_tone="1")
    assert set(stored) == {("clarity", 0, 1), ("tone", 0, 1)}
    assert "strength-clarity" not in form_of(screen()).fields
    one_only = Screen(given.kind, given.parts, (TONE, *given.kind.brings()))
    assert list(form_of(one_only).fields) == ["better-tone"], "what a unit does not ask has no strength"


@pytest.mark.parametrize(
    ("params", "allowed"),
    [
        ({}, ["1", "2", "tie"]),
        ({"ties": False}, ["1", "2"]),
        ({"both_bad": True}, ["1", "2", "tie", "both_bad"]),
        ({"ties": False, "both_bad": True}, ["1", "2", "both_bad"]),
    ],
)
def test_ties_and_both_bad_are_answers_only_where_allowed(params: dict[str, object], allowed: list[str]) -> None:
    for value in ("1", "2", "tie", "both_bad"):
        form = form_of(screen(**params), {"better-clarity": value, "better-tone": "1"})
        assert form.is_valid() == (value in allowed), value
    assert Pairwise(params).heds(CLARITY)["4.3.3"] == str(len(allowed))


@pytest.mark.parametrize(
    "forged",
    [
        *(
            {"better-tone": wrong}
            for wrong in ("", "0", "3", "A", "first", "1.0", "NaN", "\x00", "\ud800", "[1]", "2" * 10**6)
        ),
        *({"strength-clarity": wrong} for wrong in ("0", "3", "clearly", "-1", "\x00", "1" * 10**6)),
    ],
)
def test_forged_answers_are_refused_with_a_sentence(forged: dict[str, str]) -> None:
    given = screen(strength="clarity")
    right = {"better-clarity": "1", "better-tone": "2", "strength-clarity": "1"}
    assert form_of(given, right).is_valid()
    form = form_of(given, {**right, **forged})
    assert list(form.errors) == list(forged)


def test_the_question_favours_no_side_where_the_study_words_none() -> None:
    fields = form_of(screen()).fields
    assert list(fields) == ["better-tone", "better-clarity"], "in the order that was drawn"
    assert [fields[name].label for name in fields] == ["Tone: which text is better?", "Which text is clearer?"]
    assert form_of(screen(), {}).errors["better-tone"] == ["“Tone: which text is better?”: choose an answer."]


def test_strength_names_criteria_of_the_task() -> None:
    kind = Pairwise({"strength": " tone, clarity tone "})
    assert kind.strength == "tone clarity"
    assert list(kind.problems([CLARITY, TONE])) == []
    (sentence,) = kind.problems([CLARITY])
    assert sentence == "strength names 'tone', which the task does not ask. Its criteria are: clarity."
    long = Criterion("k" * 95, "Long")
    (sentence,) = Pairwise({"strength": long.key}).problems([long])
    assert "at most 91 characters" in sentence
    assert list(Pairwise().problems([]))


def test_each_criterion_says_what_it_is() -> None:
    kind = Pairwise({"strength": "tone"})
    (strength,) = kind.brings()
    own = Criterion("strength-clarity", "A criterion of the study that only sounds like it")
    assert [kind.outcome_of(one).name for one in (CLARITY, strength, own)] == [
        "preference",
        "strength",
        "preference",
    ]
    assert [kind.scale_of(one) for one in (CLARITY, strength)] == [None, (1, 2, 1)]
    assert kind.problem_in_value(3, strength)
    assert kind.problem_in_value(2, strength) is None
    assert kind.heds(strength)["4.3.4"] == "Slightly better, Clearly better"


def test_known_answers_are_canonical_and_feedback_speaks_of_what_was_seen() -> None:
    given = screen(turned=True, strength="clarity")
    form = form_of(given, {"better-clarity": "2", "strength-clarity": "1", "better-tone": "2"})
    assert form.is_valid()
    gold = [
        GoldAnswer("exact", "first", "clarity"),
        GoldAnswer("exact", "second", "tone", explanation="It is kinder."),
        GoldAnswer("set", ["tie", "first"]),
        GoldAnswer("exact", 1, "strength-clarity"),
    ]
    assert [one.passed for one in grades(given, form.cleaned_data, gold)] == [True, False, True, True]
    told = feedback_on(given, form.cleaned_data, gold)
    assert str(told[0].sentence) == "Clarity: right."
    assert str(told[1].sentence) == "Tone: Not quite: text A is better."
    assert told[1].explanation == "It is kinder."


def test_the_page_shows_two_texts_that_have_nothing_of_their_own() -> None:
    pages = [
        render_to_string("task_types/pairwise.html", {"screen": shown, "form": form_of(shown)})
        for shown in (screen(texts=("this", "that")), screen(turned=True, texts=("that", "this")))
    ]
    assert pages[0] == pages[1], "whichever is the first in canonical order"
    first, second = pages[0].split('class="text"')[1:3]
    assert first.split("</div>")[0].replace("this", "that").replace("Text A", "Text B") == second.split("</div>")[0]


def test_simulated_raters_agree_with_the_quality_of_texts_as_well_as_they_work() -> None:
    texts = [f"A text with the number {number}." for number in range(12)]

    def answers(quality: Quality, **params: object) -> list[tuple[str, str]]:
        rng, found = Random(5), []
        for one, other in combinations(texts, 2):
            better = "1" if latent_quality(one, "clarity") > latent_quality(other, "clarity") else "2"
            found.append((simulated(screen(texts=(one, other), **params), quality, rng)["better-clarity"], better))
        return found

    def share(quality: Quality) -> float:
        found = answers(quality, ties=False)
        return sum(chosen == better for chosen, better in found) / len(found)

    assert share(Quality.CAREFUL) > 0.8 > share(Quality.SLOPPY) + 0.05
    assert share(Quality.SLOPPY) > share(Quality.RANDOM)
    assert {chosen for chosen, _better in answers(Quality.STRAIGHT_LINER)} == {"1"}
    for quality in (Quality.CAREFUL, Quality.RANDOM):
        seen = Counter(chosen for chosen, _better in answers(quality, both_bad=True))
        assert set(seen) == {"1", "2", "tie", "both_bad"}, quality
