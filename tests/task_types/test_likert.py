"""The Likert scale."""

from random import Random
from statistics import correlation
from typing import cast

import pytest

from tasks_app.task_types import kind_of
from tasks_app.task_types.base import Criterion, GoldAnswer, ItemTexts, OutputText, Part, Quality, Screen
from tasks_app.task_types.grid import TextsForm
from tasks_app.task_types.likert import Likert
from tasks_app.task_types.simulation import latent_quality
from tests.task_types.kit import form_of, grades, ratings_of, simulated

FLUENCY = Criterion("fluency", "Fluency", question="How fluent is it?", low="not at all", high="perfectly")
AGREED = Criterion("fluency", "Fluency", question="The text is fluent.")


def screen(
    n_parts: int = 1, order: list[int] | None = None, criteria: tuple[Criterion, ...] = (FLUENCY,), **params: object
) -> Screen:
    """A screen with a few texts."""
    return Screen(
        Likert(params),
        tuple(Part(number, f"Text {number}") for number in range(n_parts)),
        criteria,
        arrangement={"parts": order or list(range(n_parts))},
    )


def words_of(given: Screen) -> list[str]:
    """Return the words of the steps of the only question."""
    return [str(words) for _step, words in form_of(given).fields["p1-fluency"].choices]


@pytest.mark.parametrize("points", [2, 5, 11])
def test_every_step_is_accepted_and_nothing_beside_it(points: int) -> None:
    given = screen(points=points)
    for step in range(1, points + 1):
        form = form_of(given, {"p1-fluency": str(step)})
        assert form.is_valid()
        assert [value.value for value in ratings_of(given, form.cleaned_data)] == [float(step)]
    forged = ("0", str(points + 1), "-1", "1.5", "three", "", "NaN", "1e0", " ", "\ud800", "\x00", "9" * 10**6, "[1]")
    for wrong in forged:
        assert not form_of(given, {"p1-fluency": wrong}).is_valid(), wrong[:20]


def test_an_answer_about_another_criterion_or_text_is_no_answer() -> None:
    form = form_of(screen(), {"p1-fluency": "3", "p2-fluency": "4", "p1-other": "5"})
    assert form.is_valid()
    assert form.cleaned_data == {"p1-fluency": 3}


@pytest.mark.parametrize("points", [1, 12])
def test_fewer_than_two_and_more_than_eleven_steps_are_refused(points: int) -> None:
    with pytest.raises(ValueError, match="points"):
        Likert({"points": points})


def test_a_number_from_elsewhere_is_a_whole_step() -> None:
    kind = Likert({"points": 5})
    assert kind.problem_in_value(2.5, FLUENCY) == "must be a whole step of the scale; it is 2.5."
    assert kind.problem_in_value(3.0, FLUENCY) is None
    # A message has all digits of a number, so that it does not say that 4 is no step.
    assert kind.problem_in_value(4.0000001, FLUENCY) == "must be a whole step of the scale; it is 4.0000001."


def test_the_ends_are_worded_and_the_middle_is_nothing_special() -> None:
    assert words_of(screen(points=5)) == ["not at all", "", "", "", "perfectly"]


@pytest.mark.parametrize(
    ("points", "words"),
    [
        (5, ["Strongly disagree", "Disagree", "Neither agree nor disagree", "Agree", "Strongly agree"]),
        (4, ["Strongly disagree", "", "", "Strongly agree"]),
    ],
)
def test_agreement_words_every_step_where_there_are_customary_words(points: int, words: list[str]) -> None:
    given = screen(criteria=(AGREED,), points=points, agreement=True)
    assert words_of(given) == words
    (cell,) = form_of(given).rows()[0].cells
    assert cell.labelled == all(words)


def test_a_studys_own_words_go_before_those_of_agreement() -> None:
    assert words_of(screen(points=5, agreement=True)) == ["not at all", "", "", "", "perfectly"]


def test_labels_must_be_as_many_as_the_steps_and_agreement_needs_a_statement() -> None:
    labelled = Criterion("fluency", "Fluency", labels=("bad", "fair", "good"))
    assert list(Likert({"points": 3}).problems([labelled])) == []
    sentences = list(Likert({"points": 5}).problems([labelled]))
    assert sentences == [
        "Criterion 'fluency' words 3 steps, but the scale has 5. Word all of them, or only the ends (low, high)."
    ]
    agreement = Likert({"agreement": True})
    assert list(agreement.problems([AGREED])) == []
    (sentence,) = agreement.problems([FLUENCY])
    assert "as a statement" in sentence


def test_several_texts_are_rated_by_their_canonical_number() -> None:
    given = screen(n_parts=3, order=[2, 0, 1])
    form = form_of(given, {"p1-fluency": "5", "p2-fluency": "1", "p3-fluency": "2"})
    assert form.is_valid()
    assert {value.part: value.value for value in ratings_of(given, form.cleaned_data)} == {2: 5, 0: 1, 1: 2}


def test_the_message_names_the_text_and_the_criterion() -> None:
    form = form_of(screen(n_parts=2), {"p1-fluency": "3"})
    assert form.errors == {"p2-fluency": ["Text B: answer “How fluent is it?”."]}


def test_questions_one_at_a_time_stay_with_their_criterion() -> None:
    form = form_of(screen(n_parts=2, order=[1, 0], criteria=(FLUENCY, Criterion("content", "Content"))))
    asked = [(shown.letter, cell.criterion.key) for shown, cell in form.by_question()]
    assert asked == [("A", "fluency"), ("B", "fluency"), ("A", "content"), ("B", "content")]


@pytest.mark.parametrize(("layout", "parts"), [("single", [1, 1, 1]), ("together", [2, 1])])
def test_units_show_each_distinct_text_once(layout: str, parts: list[int]) -> None:
    items = [
        ItemTexts.collapsed("a", [OutputText("x", "", "One"), OutputText("y", "", "Two"), OutputText("z", "", "One")]),
        ItemTexts.collapsed("b", [OutputText("x", "", "Three")]),
        ItemTexts.collapsed("c", []),
    ]
    units = list(Likert({"layout": layout}).units(items, Random(1)))
    assert [len(unit.parts) for unit in units] == parts
    assert units[0].parts[0] == (0, 2)


def test_every_text_stands_in_every_place_equally_often() -> None:
    drawn = Likert().arrange(3, Random(4))
    orders: list[list[int]] = [cast("list[int]", next(drawn)["parts"]) for _place in range(30)]
    for place in range(3):
        assert sorted(order[place] for order in orders) == [0] * 10 + [1] * 10 + [2] * 10


def test_simulated_raters_differ_as_people_do() -> None:
    texts = [f"A text, number {number}" for number in range(150)]
    latent = [latent_quality(text, "fluency") for text in texts]

    def answers(quality: Quality) -> list[float]:
        rng = Random(11)
        screens = [Screen(Likert({"points": 7}), (Part(0, text),), (FLUENCY,)) for text in texts]
        return [float(simulated(one, quality, rng)["p1-fluency"]) for one in screens]

    careful, sloppy, random = (
        correlation(latent, answers(quality)) for quality in (Quality.CAREFUL, Quality.SLOPPY, Quality.RANDOM)
    )
    assert careful > 0.8 > sloppy > 0.3 > abs(random)
    assert len(set(answers(Quality.STRAIGHT_LINER))) == 1


def test_the_datasheet_is_answered() -> None:
    worded = Criterion("fluency", "Fluency", question="How?", low="not at all", high="perfectly")
    assert Likert({"points": 3}).heds(worded) == {
        "4.3.3": "3",
        "4.3.4": "1 (not at all), 2, 3 (perfectly)",
        "4.3.5": "multiple choice",
        "4.3.8": "direct quality estimation",
    }
    agreed = Likert({"points": 7, "agreement": True}).heds(AGREED)
    assert agreed["4.3.4"].startswith("1 (Strongly disagree), 2 (Disagree), 3 (Somewhat disagree), 4 (Neither")
    assert agreed["4.3.8"] == "agreement with a quality statement"


@pytest.mark.parametrize(("lowest", "points"), [(0, 8), (-3, 7), (1, 5), (0, 11)])
def test_steps_are_numbered_from_the_lowest(lowest: int, points: int) -> None:
    """As Borovikova et al. (2022) had raters judge, from 0 to 7."""
    words = Criterion("fluency", "Fluency", labels=tuple(f"word {n}" for n in range(points)))
    given = screen(points=points, lowest=lowest, criteria=(words,))
    numbers = [*range(lowest, lowest + points)]
    form = form_of(given)
    assert isinstance(form, TextsForm)
    (row,) = form.rows()
    assert [(step.value, step.word) for step in row.cells[0].steps] == [
        (str(number), f"word {n}") for n, number in enumerate(numbers)
    ]
    assert row.cells[0].steps[0].number == str(lowest).replace("-", "−")
    for step in numbers:
        answered = form_of(given, {"p1-fluency": str(step)})
        assert answered.is_valid()
        assert [value.value for value in ratings_of(given, answered.cleaned_data)] == [step]
    for off in (lowest - 1, lowest + points):
        assert not form_of(given, {"p1-fluency": str(off)}).is_valid()
    assert given.kind.scale_of() == (lowest, lowest + points - 1, 1)
    answers = {int(simulated(given, Quality.CAREFUL, Random(seed))["p1-fluency"]) for seed in range(30)}
    assert answers <= set(numbers)
    assert given.kind.heds(words)["4.3.4"].startswith(f"{lowest} (word 0), ")


def test_on_a_scale_from_zero_a_digit_is_the_step_of_its_number() -> None:
    def keys(**params: object) -> list[int]:
        form = form_of(screen(**params))
        assert isinstance(form, TextsForm)
        return [step.key for step in form.rows()[0].cells[0].steps]

    assert keys(points=8, lowest=0) == [10, 1, 2, 3, 4, 5, 6, 7]  # 10 is the key 0
    assert keys(points=11, lowest=0) == [10, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0]
    assert keys(points=5) == [1, 2, 3, 4, 5]
    assert keys(points=5, lowest=-2) == [1, 2, 3, 4, 5]


def test_each_rater_gets_the_criteria_in_a_drawn_order() -> None:
    criteria = [Criterion(key, key.title()) for key in ("accuracy", "fluency", "style")]
    drawn = [Likert({}).arrange_for_rater(criteria, Random(seed))["criteria"] for seed in range(60)]
    orders = {tuple(cast("list[str]", keys)) for keys in drawn}
    assert len(orders) == 6
    assert all(sorted(order) == ["accuracy", "fluency", "style"] for order in orders)


def test_equal_parameters_make_one_type_in_whatever_order_they_are_stored() -> None:
    assert kind_of("likert", {"points": 7, "lowest": 0}) is kind_of("likert", {"lowest": 0, "points": 7})


@pytest.mark.parametrize(
    ("kind", "known", "step", "passed"),
    [
        ("exact", 4, 4, True),
        ("exact", 4, 5, False),
        ("range", [3, 5], 3, True),
        ("range", [3, 5], 2, False),
        ("set", [1, 5], 5, True),
        ("set", [1, 5], 3, False),
    ],
)
def test_a_step_is_compared_with_a_known_answer(kind: str, known: object, step: int, passed: bool) -> None:
    on = screen()
    form = form_of(on, {"p1-fluency": str(step)})
    assert form.is_valid(), form.errors
    (graded,) = grades(on, form.cleaned_data, [GoldAnswer(kind, known)])
    assert (graded.passed, graded.given) == (passed, (step,))
