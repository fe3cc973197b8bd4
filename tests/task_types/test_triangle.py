"""The triangle test: triads, their orders, the choice, and what it must never tell."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import islice
from pathlib import Path
from random import Random

import pytest
from django.template.loader import render_to_string

from tasks_app.models import Judgment, Place, Rating
from tasks_app.task_types.base import Criterion, GoldAnswer, ItemTexts, OutputText, Part, Quality, Screen, UnitDraft
from tasks_app.task_types.triangle import Triangle
from tasks_app.task_types.triangle.screen import odd_position
from tests.house.examples import judged, load, opened
from tests.round_trip import comes_back_unchanged
from tests.task_types.kit import feedback_on, form_of, grades, ratings_of, simulated

SIX = {"AAB", "ABA", "BAA", "BBA", "BAB", "ABB"}


def item(key: str, **texts: str) -> ItemTexts:
    """An item with a text by each system named."""
    return ItemTexts.collapsed(key, [OutputText(system, "", text) for system, text in texts.items()])


def units(items: Sequence[ItemTexts], **params: object) -> list[UnitDraft]:
    """The units of a task."""
    return list(Triangle(params).units(items, Random(4)))


def screen(order: str = "ABA", texts: Sequence[str] = ("One text.", "Another one."), **params: object) -> Screen:
    """A screen with an order of the texts of one item."""
    given = Triangle({"sureness": True, "motive": True, **params})
    return Screen(
        given,
        tuple(Part(number, text) for number, text in enumerate(texts)),
        given.brings(),
        arrangement={"order": order, "parts": ["AB".index(letter) for letter in order]},
    )


def test_every_pair_of_systems_makes_a_unit_an_item_in_one_order_of_systems() -> None:
    items = [item("i1", north="a", south="b", west="c"), item("i2", south="d", north="e")]
    made = units(items)
    assert [(one.key, one.item, one.parts) for one in made] == [
        ("i1/north+south", "i1", ((0,), (1,))),
        ("i1/north+west", "i1", ((0,), (2,))),
        ("i1/south+west", "i1", ((1,), (2,))),
        ("i2/north+south", "i2", ((1,), (0,))),
    ]
    assert [one.key for one in units(items[:1], anchor="west")] == ["i1/north+west", "i1/south+west"]
    versions = ItemTexts.collapsed(
        "i3", [OutputText("a", "1", "x"), OutputText("a", "2", "y"), OutputText("b", "", "z")]
    )
    assert [one.key for one in units([versions])] == ["i3/a/1+b", "i3/a/2+b"], "one system is not compared with itself"


def test_a_key_that_is_too_long_is_cut_and_still_its_own() -> None:
    texts = {"n" * 100: "a", "s" * 100: "b", "w" * 100: "c"}
    keys = [one.key for one in units([item("i" * 100, **texts)])]
    assert len(set(keys)) == 3
    assert max(map(len, keys)) <= 180


def test_texts_that_look_the_same_are_refused_with_their_systems() -> None:
    kind = Triangle()
    cafe = item("i", north="Café  open.", south="Cafe\u0301 open. ", west="Café closed.")
    (sentence,) = kind.item_problems(cafe)
    assert "“north” and “south” look the same" in sentence
    assert list(Triangle({"anchor": "west"}).item_problems(cafe)) == []
    assert list(kind.item_problems(item("i", north="Open.", south="open."))) == []
    assert "it has texts by 1" in next(kind.item_problems(item("i", north="a")))
    assert "no text by “x”" in next(Triangle({"anchor": "x"}).item_problems(item("i", north="a", south="b")))


def test_all_six_orders_come_once_in_every_block_of_six() -> None:
    """With 64 judges four orders come 11 times and two 10 times (González-Corbelle et al. 2020)."""
    drawn = list(islice(Triangle().arrange(2, Random(7)), 64))
    orders = [str(one["order"]) for one in drawn]
    assert sorted(Counter(orders).values()) == [10, 10, 11, 11, 11, 11]
    assert all(set(orders[start : start + 6]) == SIX for start in range(0, 60, 6))
    assert len({tuple(orders[start : start + 6]) for start in range(0, 60, 6)}) > 5, "blocks have orders of their own"
    assert all("".join("AB"[number] for number in one["parts"]) == one["order"] for one in drawn)
    with pytest.raises(ValueError, match="not of 4"):
        Triangle().arrange(4, Random(7))


def test_three_items_follow_each_other_and_each_carries_the_odd_text_in_turn() -> None:
    items = [item(f"i{number}", north=f"n{number}", south=f"s{number}") for number in range(7)]
    made = units(items, variant="three")
    assert len(made) == 3
    assert {key for one in made for key in one.part_items} == {one.key for one in items}
    for one in made:
        first, second, third = one.part_items[::2]
        assert one.part_items == (first, first, second, second, third, third)
        assert {(int(second[1]) - int(first[1])) % 7, (int(third[1]) - int(second[1])) % 7} == {1}
        assert one.parts == ((0,), (1,)) * 3
    assert units(items[:2], variant="three") == []
    drawn = list(islice(Triangle().arrange(6, Random(3)), 36))
    seen: Counter[tuple[str, int]] = Counter()
    for shown in drawn:
        parts, order = [int(number) for number in shown["parts"]], str(shown["order"])
        assert sorted(number // 2 for number in parts) == [0, 1, 2], "each item once"
        assert "".join("AB"[number % 2] for number in parts) == order
        (odd,) = (number for number in parts if [other % 2 for other in parts].count(number % 2) == 1)
        seen[order, odd // 2] += 1
    assert Counter(seen.values()) == {2: 18}, "every order has every item as the odd one equally often"
    for start in range(0, 36, 6):
        assert {str(shown["order"]) for shown in drawn[start : start + 6]} == SIX


@pytest.mark.parametrize(("order", "odd"), [("AAB", 3), ("ABA", 2), ("BAA", 1), ("BBA", 3), ("BAB", 2), ("ABB", 1)])
def test_the_choice_is_right_where_it_is_the_odd_one(order: str, odd: int) -> None:
    given = screen(order)
    for chosen in (1, 2, 3):
        form = form_of(given, {"odd-one-out": str(chosen), "sureness": "2", "motive": "  The verb. "})
        assert form.is_valid()
        said = {
            one.criterion: one.value if one.value is not None else one.label or one.text
            for one in ratings_of(given, form.cleaned_data)
        }
        assert said == {"odd-one-out": str(chosen), "correct": chosen == odd, "sureness": 2, "motive": "The verb."}
        graded = grades(given, form.cleaned_data, [GoldAnswer("exact", 1), GoldAnswer("exact", 1, "correct")])
        assert [one.passed for one in graded] == [chosen == odd] * 2
        (told,) = feedback_on(given, form.cleaned_data, [GoldAnswer("exact", 1, explanation="A verb.")])
        letter = "ABC"[odd - 1]
        assert str(told.sentence) == f"{'Right' if chosen == odd else 'Not quite'}: text {letter} is the odd one."
        assert told.explanation == "A verb."


@pytest.mark.parametrize(("variant", "texts"), [("one", "ab"), ("three", "abcdef")])
def test_before_a_plan_is_drawn_a_screen_is_in_the_first_order(variant: str, texts: str) -> None:
    """Known answers are checked against such a screen when a study is loaded."""
    given = replace(screen(texts=texts, variant=variant), arrangement={})
    form = form_of(given, simulated(given, Quality.CAREFUL, Random(1)))
    assert form.is_valid()
    assert len(form.fields["odd-one-out"].choices) == 3
    assert odd_position(given) == 3
    assert [one.passed for one in grades(given, {"odd-one-out": "3"}, [GoldAnswer("exact", 1)])] == [True]


def test_a_motive_is_optional_and_everything_else_is_not() -> None:
    form = form_of(screen(), {"motive": "Why not?"})
    assert form.errors == {"odd-one-out": ["Choose one of the three texts."], "sureness": ["Say how sure you are."]}
    plain = screen(sureness=False, motive=False)
    form = form_of(plain, {"odd-one-out": "2", "motive": "never asked"})
    assert form.is_valid()
    assert [one.criterion for one in ratings_of(plain, form.cleaned_data)] == ["odd-one-out", "correct"]


@pytest.mark.parametrize(
    "forged",
    [
        *(
            {"odd-one-out": wrong}
            for wrong in ("0", "4", "1.0", "A", "", " ", "NaN", "1" * 10**6, "\x00", "\ud800", "[1]")
        ),
        *({"sureness": wrong} for wrong in ("0", "5", "certain", "2.5", "١٠")),
        *({"motive": wrong} for wrong in ("x" * 2001, "\x00", "so \ud800", "so \ufffd", "y" * 10**7)),
    ],
)
def test_forged_answers_are_refused_with_a_sentence(forged: dict[str, str]) -> None:
    right = {"odd-one-out": "1", "sureness": "1", "motive": "x" * 2000}
    assert form_of(screen(), right).is_valid()
    form = form_of(screen(), {**right, **forged})
    assert list(form.errors) == list(forged)


def test_several_triads_a_judge_are_for_a_difference_only() -> None:
    assert Triangle({"triads_per_judge": 6}).triads_per_judge == 6
    with pytest.raises(ValueError, match="triads_per_judge: For similarity every judge judges one triad"):
        Triangle({"goal": "similarity", "triads_per_judge": 2})
    with pytest.raises(ValueError, match="show_source: Three items have no source"):
        Triangle({"variant": "three", "show_source": True})
    assert list(Triangle().problems([])) == []
    assert list(Triangle().problems([Criterion("fluency", "Fluency")]))
    assert not Triangle.allows_back


def test_the_page_does_not_tell_which_text_is_odd() -> None:
    """Two screens whose texts are the same words in the same places are the same page, whichever system wrote them."""
    one, other = screen("ABA", ("same", "odd")), screen("BAB", ("odd", "same"))
    pages = [
        render_to_string("task_types/triangle.html", {"screen": shown, "form": form_of(shown)})
        for shown in (one, other)
    ]
    assert pages[0] == pages[1]
    assert not any(word in pages[0] for word in ("ABA", "BAB", "system", "part", "correct"))
    apart = [
        render_to_string("task_types/triangle.html", {"screen": shown, "form": form_of(shown)}).replace("odd.", "same")
        for shown in (screen("AAB", ("same", "odd.")), screen("BAA", ("same", "odd.")))
    ]
    assert apart[0] == apart[1], "but for its words the odd text has nothing of its own"


def test_simulated_raters_find_the_odd_one_as_often_as_their_quality_and_the_texts_let_them() -> None:
    @cache
    def share(quality: Quality, texts: Sequence[str]) -> float:
        rng, drawn = Random(5), Triangle().arrange(2, Random(6))
        right = 0
        for arrangement in islice(drawn, 240):
            shown = screen(str(arrangement["order"]), texts)
            right += simulated(shown, quality, rng)["odd-one-out"] == str(odd_position(shown))
        return right / 240

    alike = ("the train is late again today", "the train is late again now")
    apart = ("the train is late", "no service until noon")
    assert share(Quality.CAREFUL, apart) > 0.95
    assert share(Quality.CAREFUL, apart) > share(Quality.CAREFUL, alike) + 0.1
    assert share(Quality.CAREFUL, alike) > share(Quality.SLOPPY, alike) + 0.1
    assert abs(share(Quality.RANDOM, apart) - 1 / 3) < 0.06
    assert abs(share(Quality.STRAIGHT_LINER, apart) - 1 / 3) < 0.01, (
        "orders are balanced: a habit is right one in three"
    )
    habits = {simulated(screen(order), Quality.STRAIGHT_LINER, Random(1))["odd-one-out"] for order in SIX}
    assert len(habits) == 1


def test_each_criterion_says_what_it_is() -> None:
    kind = Triangle({"sureness": True, "motive": True})
    brought = kind.brings()
    assert [kind.outcome_of(one).name for one in brought] == ["choice", "correct", "sureness", "motive"]
    assert kind.outcome_of(None) is None
    assert [kind.scale_of(one) for one in brought] == [None, (0, 1, 1), (1, 4, 1), None]
    assert kind.problem_in_value(0.5, brought[1])
    assert kind.problem_in_value(5, brought[2])
    assert kind.problem_in_value(1, brought[1]) is None
    assert kind.heds(brought[0])["4.3.3"] == "3"
    assert "4.3.6" in kind.heds(brought[3])
    assert kind.heds(None) == {}
    assert "one author" not in brought[0].question
    assert "one author" in Triangle({"variant": "three"}).brings()[0].question


def test_a_study_words_its_own_steps_of_sureness() -> None:
    given = Triangle({"sureness": True})
    own = Criterion("sureness", "Sureness", question="Sure?", labels=("no", "somewhat", "yes"))
    asked = replace(screen(), criteria=(*given.brings()[:2], own))
    assert given.scale_of(own) == (1, 3, 1)
    assert given.heds(own)["4.3.4"] == "no, somewhat, yes"
    for sure, accepted in (("3", True), ("4", False)):
        assert form_of(asked, {"odd-one-out": "1", "sureness": sure}).is_valid() == accepted
    for quality in Quality:
        drawn = {simulated(asked, quality, Random(seed))["sureness"] for seed in range(40)}
        assert drawn <= {"1", "2", "3"}
    ends = replace(own, labels=(), low="not at all", high="entirely")
    words = form_of(replace(asked, criteria=(*asked.criteria[:2], ends))).fields["sureness"].choices
    assert [word for _step, word in words] == ["not at all", "2", "3", "entirely"]


@pytest.mark.django_db
def test_a_plan_gives_the_six_orders_to_the_judges_of_a_pair_in_blocks(tmp_path: Path) -> None:
    study = opened(load("triangle", tmp_path, "orders", k=6))
    places = Place.objects.filter(unit__task__study=study).order_by("booklet__number")
    for pair in ("rules+neural", "rules+editor", "neural+editor"):
        of_pair = places.filter(unit__key__endswith=f"/{pair}").values_list("arrangement", flat=True)
        orders = [str(arrangement["order"]) for arrangement in of_pair]
        assert len(orders) == 72
        assert sorted(Counter(orders[:64]).values()) == [10, 10, 11, 11, 11, 11]
        assert all(set(orders[start : start + 6]) == SIX for start in range(0, 72, 6))


@pytest.mark.django_db
def test_a_study_of_three_items_is_judged_and_comes_back_unchanged(tmp_path: Path) -> None:
    changed = {"params": {"variant": "three", "sureness": True, "motive": True}}
    study = judged(load("triangle", tmp_path, "three", **changed))
    comes_back_unchanged(study, load("triangle", tmp_path, "three-copy", **changed), tmp_path)
    answered = Judgment.objects.filter(assignment__rater__study=study, skip_reason="")
    assert answered.exists()
    for one in answered.select_related("assignment"):
        parts = one.assignment.arrangement["parts"]
        odd = 1 + next(place for place in range(3) if [number % 2 for number in parts].count(parts[place] % 2) == 1)
        right = Rating.objects.get(judgment=one, criterion__key="correct").value
        assert right == (one.answer["odd-one-out"] == str(odd))
