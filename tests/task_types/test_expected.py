"""The page after practice: what is laid over an answer agrees with how it is graded, for every type that can."""

from random import Random

import pytest
from django.template.loader import render_to_string

from tasks_app.task_types import TaskType, registry
from tasks_app.task_types.base import AnsweredQuestion, GoldAnswer, Quality, Screen
from tasks_app.task_types.best_worst import field_name
from tasks_app.task_types.data import Compared
from tasks_app.task_types.samples import sample_kind, sample_screen
from tests.house.test_task_types import layouts
from tests.task_types.kit import form_of, grades, simulated

COMPARED = [
    name
    for name, member in registry.items()
    if member.answered_questions is not TaskType.answered_questions and name not in {"best_worst", "error_spans"}
]


def answered(screen: Screen, quality: Quality = Quality.RANDOM, seed: int = 3) -> dict[str, object]:
    form = form_of(screen, simulated(screen, quality, Random(seed)))
    assert form.is_valid(), form.errors
    return form.cleaned_data


def rendered(screen: Screen, compared: Compared, direction: str = "ltr") -> str:
    context = {"one": compared, "screen": screen, "number": 1, "frame": {"study_dir": direction}}
    return render_to_string("rater/_compared.html", context)


# Types of which a known set holds all right answers; of others it holds those of which one is to be given.
ALL_OF_A_SET = {"predictions"}


def is_right(one: Compared, *, needs_all: bool = False) -> bool:
    if one.track is not None:
        return one.track.right
    states = {option.state for option in one.options}
    return "found" in states and "extra" not in states and not (needs_all and "expected" in states)


def possible(asked: AnsweredQuestion) -> list[GoldAnswer]:
    """Return known answers that a question can have, some right and some wrong."""
    if asked.options:
        values = [one.value for one in asked.options]
        return [GoldAnswer("exact", one, asked.key) for one in values] + [GoldAnswer("set", values[:2], asked.key)]
    assert asked.given is not None
    low, high = asked.given - 5, asked.given + 5
    return [GoldAnswer("range", [low, high], asked.key), GoldAnswer("range", [high, high + 1], asked.key)]


@pytest.mark.parametrize("name", COMPARED)
def test_what_is_laid_over_an_answer_agrees_with_its_grade(name: str) -> None:
    outcomes = set()
    for given in layouts(registry[name]):
        kind = sample_kind(registry[name], given)
        on = sample_screen(kind)
        cleaned = answered(on)
        for asked in kind.answered_questions(on, cleaned):
            if asked.options and not any(one.chosen for one in asked.options):
                continue  # asked after other labels only
            for gold in possible(asked):
                (graded,) = grades(on, cleaned, [gold])
                found = kind.laid_over(on, cleaned, [gold]).questions
                assert found
                needs_all = name in ALL_OF_A_SET
                assert graded.passed == all(is_right(one, needs_all=needs_all) for one in found), (given, gold)
                outcomes.add(graded.passed)
    assert outcomes == {True, False}


@pytest.mark.parametrize("name", [*COMPARED, "best_worst", "ranking", "error_spans"])
def test_a_skipped_screen_shows_what_was_expected_and_nothing_of_the_raters(name: str) -> None:
    kind = sample_kind(registry[name])
    on = sample_screen(kind)
    known = {"best_worst": ("order", [2, 1]), "ranking": ("order", [2, 1]), "error_spans": ("range", [60, 80])}
    keys = [one.key for one in kind.answered_questions(on, {}) if one.options or one.scale or one.reference]
    own = next(iter(kind.answered_questions(on, {})), None)
    kind_of_answer, answer = known.get(name) or (
        ("exact", own.options[0].value) if own is not None and own.options else ("range", [40, 60])
    )
    criterion = on.criteria[0].key if name in {"best_worst", "ranking"} else keys[0]
    found = kind.laid_over(on, {}, [GoldAnswer(kind_of_answer, answer, criterion)]).questions
    page = "".join(rendered(on, one) for one in found)
    assert "xpected" in page
    assert "our answer" not in page
    assert "our order" not in page


def test_a_slider_marks_what_was_given_and_what_was_expected() -> None:
    on = sample_screen(sample_kind(registry["slider"]))
    cleaned = {"p1-fluency": 30.0, "p1-adequacy": 70.0}
    (one,) = on.kind.laid_over(on, cleaned, [GoldAnswer("range", [40, 60], "fluency")]).questions
    assert one.track is not None
    assert (one.track.given_at, one.track.bands, one.track.right) == (30.0, ((40.0, 20.0),), False)
    page = rendered(on, one, "rtl")
    assert "Your answer: 30" in page
    assert "Expected: 40 to 60" in page
    assert '<div dir="rtl">\n<svg class="compared-track" aria-hidden="true"' in page
    assert one.fields == ("p1-fluency",)


def test_a_magnitude_lies_on_a_scale_of_ratios() -> None:
    on = sample_screen(sample_kind(registry["magnitude"]))
    cleaned = {f"p{place}-{one.key}": 50 for place in range(1, 5) for one in on.criteria}
    one = on.kind.laid_over(on, cleaned, [GoldAnswer("exact", 200, on.criteria[0].key)]).questions[0]
    assert one.track is not None
    # From 25 to 400, four times twice: 50 at a quarter, the reference in the middle, 200 at three quarters.
    assert (one.track.given_at, one.track.reference_at, one.track.bands) == (25.0, 50.0, ((75.0, 0.0),))


def test_the_expected_order_stands_beside_the_raters() -> None:
    on = sample_screen(sample_kind(registry["ranking"]))
    criterion = on.criteria[0].key
    places = {one.part.number: one.position for one in on.shown_parts}
    cleaned = {f"p{position}-{criterion}": number + 1 for number, position in places.items()}
    right = list(range(1, len(places) + 1))
    gold = GoldAnswer("order", right, criterion)
    (one,) = on.kind.laid_over(on, cleaned, [gold]).questions
    assert one.orders is not None
    assert {placed.state for placed in (*one.orders.given, *one.orders.expected)} == {"found"}
    turned = [right[1], right[0], *right[2:]]
    (one,) = on.kind.laid_over(on, cleaned, [GoldAnswer("order", turned, criterion)]).questions
    assert one.orders is not None
    letters = {number: shown.letter for shown in on.shown_parts for number in [shown.part.number + 1]}
    assert [placed.shown.letter for placed in one.orders.expected] == [letters[number] for number in turned]
    assert [(placed.given, placed.state) for placed in one.orders.expected][:2] == [(2, "extra"), (1, "extra")]
    assert "your place: 2" in rendered(on, one)


def test_the_worst_text_is_expected_only_where_an_order_names_it() -> None:
    on = sample_screen(sample_kind(registry["best_worst"]))
    criterion = on.criteria[0].key
    first, second = (one.position for one in sorted(on.shown_parts, key=lambda one: one.part.number)[:2])
    cleaned = {field_name("best", criterion): second, field_name("worst", criterion): first}
    (best,) = on.kind.laid_over(on, cleaned, [GoldAnswer("exact", 2, criterion)]).questions
    assert is_right(best)
    best, worst = on.kind.laid_over(on, cleaned, [GoldAnswer("order", [2, 3], criterion)]).questions
    assert (is_right(best), is_right(worst)) == (True, False)
