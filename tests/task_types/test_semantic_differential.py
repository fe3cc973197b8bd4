"""The semantic differential: order, polarity and repeats of a rater, and ratings turned back to their criteria."""

import csv
import json
from collections import Counter
from io import StringIO
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.utils import translation

from tasks_app.models import Study, Unit
from tasks_app.task_types.base import Criterion, GoldAnswer, ItemTexts, OutputText, Part, Quality, Screen
from tasks_app.task_types.semantic_differential import SemanticDifferential
from tasks_app.task_types.semantic_differential.order import draw_sequence, least_distance
from tasks_app.task_types.simulation import latent_quality
from tests.reproduction.published import folder_of, missing
from tests.task_types.kit import form_of, grades, ratings_of, simulated

ROOT = Path(__file__).parents[2]
PUBLISHED = folder_of("textq") / "adjective_pairs.csv"


PAIRS = tuple(
    Criterion(high, f"{low} – {high}", low=low, high=high, kind="pair")
    for low, high in (("confusing", "clear"), ("bumpy", "fluent"), ("informal", "formal"), ("vague", "precise"))
)


def screen(seed: int = 1, pairs: tuple[Criterion, ...] = PAIRS, text: str = "A text.", **given: Any) -> Screen:
    """A screen with the arrangement of one rater."""
    kind = SemanticDifferential(given)
    own = kind.arrange_for_rater(pairs, Random(seed))
    return Screen(kind, (Part(0, text),), pairs, arrangement={"parts": [0], **own})


def rated(shown: Screen, posted: dict[str, str]) -> dict[tuple[str | None, int], tuple[float | None, float | None]]:
    """Post an answer; return value and shown value by pair and number."""
    form = form_of(shown, posted)
    assert form.is_valid(), form.errors
    json.dumps(form.cleaned_data)
    return {(one.criterion, one.number): (one.value, one.shown_value) for one in ratings_of(shown, form.cleaned_data)}


@pytest.mark.parametrize(
    ("points", "values"),
    [
        (3, [-1, 0, 1]),
        (4, [-2, -1, 1, 2]),
        (7, [-3, -2, -1, 0, 1, 2, 3]),
        (10, [-5, -4, -3, -2, -1, 1, 2, 3, 4, 5]),
    ],
)
def test_values_are_the_same_to_both_sides_and_the_flip_is_undone(points: int, values: list[int]) -> None:
    for seed in range(20):
        shown = screen(seed, points=points)
        flipped = shown.arrangement["flipped"]
        assert isinstance(flipped, list)
        for position, value in enumerate(values, start=1):
            said = rated(shown, {f"pair-{place}": str(position) for place in range(1, 5)})
            for (key, _number), (canonical, as_shown) in said.items():
                assert as_shown == value
                assert canonical == (-value if key in flipped else value)
                assert str(canonical) != "-0.0"


def test_the_word_of_the_side_that_was_chosen_decides() -> None:
    shown = screen(3)
    form = form_of(shown)
    for row in form.pair_rows():
        assert {row.first, row.last} == {row.shown.criterion.low, row.shown.criterion.high}
        assert [step.word for step in row.steps] == [row.first, "", "", "", "", "", row.last]
        value, _shown = rated(shown, {f"pair-{place}": "1" for place in range(1, 5)})[row.shown.criterion.key, 1]
        assert (value or 0) == (3 if row.first == row.shown.criterion.high else -3)


@pytest.mark.parametrize(
    "wrong", ["", "0", "8", "-3", "1.5", "one", "NaN", " ", "١x", "9" * 100_000, "1\x00", "\ud800"]
)
def test_what_is_no_circle_is_refused(wrong: str) -> None:
    shown = screen()
    right = {f"pair-{place}": "2" for place in range(1, 5)}
    assert form_of(shown, {**right, "pair-5": "1", "pair-clear": "1"}).is_valid()
    form = form_of(shown, {**right, "pair-2": wrong})
    assert set(form.errors) == {"pair-2"}


def test_order_and_polarity_are_drawn_for_each_rater_and_balanced() -> None:
    kind = SemanticDifferential()
    own = [kind.arrange_for_rater(PAIRS, Random(seed)) for seed in range(400)]
    assert kind.arrange_for_rater(PAIRS, Random(7)) == own[7]
    flips = Counter(key for one in own for key in one["flipped"])
    firsts = Counter(one["sequence"][0] for one in own)  # type: ignore[index]
    assert {len(one["flipped"]) for one in own} == {2}
    assert all(160 < flips[pair.key] < 240 for pair in PAIRS)
    assert all(70 < firsts[pair.key] < 130 for pair in PAIRS)
    odd = [kind.arrange_for_rater(PAIRS[:3], Random(seed))["flipped"] for seed in range(100)]
    assert {len(one) for one in odd} == {1, 2}


@pytest.mark.parametrize(
    ("n", "share", "apart"), [(2, 1, 5), (3, 0.34, 5), (4, 0.5, 3), (20, 0.25, 6), (20, 1, 20), (9, 0.34, 4)]
)
def test_repeats_are_as_many_as_asked_for_and_never_near(n: int, share: float, apart: int) -> None:
    keys = [f"k{number}" for number in range(n)]
    drawn = [draw_sequence(keys, share, apart, Random(seed)) for seed in range(40)]
    for sequence in drawn:
        counts = Counter(sequence)
        assert set(counts) == set(keys)
        assert sum(count == 2 for count in counts.values()) == round(share * n)
        assert least_distance(sequence) >= min(apart, n) >= 2
    assert len({tuple(one) for one in drawn}) > 1


def test_a_single_pair_is_not_repeated_and_a_share_of_pairs_not_next_to_each_other() -> None:
    assert draw_sequence(["a"], 1, 2, Random(1)) == ["a"]
    whole = screen(5, repeated_share=1)
    # Asked one pair a rater, or in blocks, a screen has some of the pairs only.
    alone = Screen(whole.kind, whole.parts, PAIRS[:1], arrangement=whole.arrangement)
    assert [row.shown.number for row in form_of(alone).pair_rows()] == [1]
    some = Screen(whole.kind, whole.parts, PAIRS[:2], arrangement=whole.arrangement)
    keys = [row.shown.criterion.key for row in form_of(some).pair_rows()]
    assert all(one != other for one, other in pairwise(keys))


@pytest.mark.parametrize("turn", [False, True])
def test_a_repeat_is_a_second_rating_of_its_pair(turn: bool) -> None:
    shown = screen(2, repeated_share=0.5, repeats_apart=3, turn_repeats=turn)
    rows = form_of(shown).pair_rows()
    assert len(rows) == 6
    by_pair: dict[str, list[Any]] = {}
    for row in rows:
        by_pair.setdefault(row.shown.criterion.key, []).append(row)
    twice = [found for found in by_pair.values() if len(found) == 2]
    assert len(twice) == 2
    for first, second in twice:
        assert (first.shown.number, second.shown.number) == (1, 2)
        assert (first.first == second.first) is not turn
    posted = {f"pair-{row.shown.place}": "1" if row.shown.number == 1 else "6" for row in rows}
    said = rated(shown, posted)
    assert len(said) == 6
    for key, found in by_pair.items():
        assert said[key, 1][1] == -3
        if len(found) == 2:
            assert said[key, 2][1] == 2


def test_nothing_on_the_page_tells_a_repeat() -> None:
    shown = screen(2, repeated_share=0.5)
    form = form_of(shown)
    assert list(form.fields) == [f"pair-{place}" for place in range(1, 7)]
    assert all(
        str(field.error_messages["required"]).startswith("Choose a circle between") for field in form.fields.values()
    )


def test_an_answer_is_restored_and_worded() -> None:
    shown = screen(2)
    form = form_of(shown, {f"pair-{place}": str(place) for place in range(1, 5)})
    assert form.is_valid()
    again = form_of(shown, None, json.loads(json.dumps(form.cleaned_data)))
    assert [[s.value for s in row.steps if s.checked] for row in again.pair_rows()] == [["1"], ["2"], ["3"], ["4"]]
    first = again.pair_rows()[0]
    field: Any = form.fields["pair-1"]
    assert field.in_words(1) == f"1 of 7, from “{first.first}” to “{first.last}”"


def test_units_are_distinct_texts() -> None:
    outputs = [OutputText("a", "", "One"), OutputText("b", "", "Two"), OutputText("c", "x", "One")]
    items = [ItemTexts.collapsed("i1", outputs), ItemTexts.collapsed("i2", [])]
    units = list(SemanticDifferential().units(items, Random(1)))
    assert [(unit.key, unit.parts) for unit in units] == [("i1/a", ((0, 2),)), ("i1/b", ((1,),))]


@pytest.mark.parametrize(
    ("pair", "sentence"),
    [
        (Criterion("a", "A", low="x"), "Criterion “a” needs a word at each end: low and high."),
        (Criterion("a", "A", low="x", high="X"), "Criterion “a” has the same word at both ends."),
        (Criterion("a", "A", low="x", high="y", labels=("x", "y")), "Criterion “a” words single steps; only its ends"),
    ],
)
def test_what_is_no_pair_is_refused(pair: Criterion, sentence: str) -> None:
    assert list(SemanticDifferential().problems(PAIRS)) == []
    problems = list(SemanticDifferential().problems([*PAIRS, pair]))
    assert len(problems) == 1
    assert problems[0].startswith(sentence)


@pytest.mark.parametrize(
    "wrong", [{"points": 2}, {"points": 12}, {"repeated_share": 1.1}, {"repeated_share": "nan"}, {"repeats_apart": 1}]
)
def test_parameters_out_of_range_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        SemanticDifferential(wrong)


def test_numbers_from_elsewhere_must_be_steps() -> None:
    odd, even = SemanticDifferential({"points": 7}), SemanticDifferential({"points": 6})
    assert [value for value in (-4, -3, 0, 0.5, 3, 4) if odd.problem_in_value(value, PAIRS[0]) is None] == [
        -3,
        0,
        3,
    ]
    assert [value for value in (-3, 0, 3) if even.problem_in_value(value, PAIRS[0]) is None] == [-3, 3]
    assert odd.scale_of(PAIRS[0]) == (-3, 3, 1)
    assert odd.heds(PAIRS[0])["4.3.4"] == "-3 (confusing), -2, -1, 0, 1, 2, 3 (clear)"


def test_gold_is_held_against_the_canonical_value() -> None:
    for seed in range(6):
        shown = screen(seed)
        row = next(row for row in form_of(shown).pair_rows() if row.shown.criterion.key == "clear")
        posted = {f"pair-{place}": "4" for place in range(1, 5)}
        posted[f"pair-{row.shown.place}"] = "7" if row.last == "clear" else "1"
        form = form_of(shown, posted)
        assert form.is_valid()
        gold = [GoldAnswer("range", [1, 3], "clear", 0), GoldAnswer("range", [-3, -1], "clear", 0)]
        assert [one.passed for one in grades(shown, form.cleaned_data, gold)] == [True, False]


def test_simulated_raters_differ_as_their_quality_does() -> None:
    off: dict[Quality, list[float]] = {quality: [] for quality in Quality}
    for seed in range(80):
        shown = screen(seed, text=f"Text {seed}", repeated_share=0.5)
        for quality in Quality:
            said = rated(shown, simulated(shown, quality, Random(seed)))
            off[quality] += [
                abs((value or 0) - (6 * latent_quality(f"Text {seed}", key or "") - 3))
                for (key, _n), (value, _s) in said.items()
            ]
            if quality is Quality.STRAIGHT_LINER:
                # On the positions as shown, not on the canonical values.
                assert len({as_shown for _value, as_shown in said.values()}) == 1
                assert len({value for value, _shown in said.values()}) == 2
    mean = {quality: sum(found) / len(found) for quality, found in off.items()}
    assert mean[Quality.CAREFUL] + 0.3 < mean[Quality.SLOPPY] < mean[Quality.RANDOM] - 0.2


@pytest.mark.skipif(bool(missing("textq")), reason=missing("textq"))
@pytest.mark.parametrize("language", ["de", "en"])
def test_the_published_pairs_can_be_asked(language: str) -> None:
    """The 20 final pairs of Macketanz et al. (2022)."""
    with PUBLISHED.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    pairs = tuple(
        Criterion(
            row["positive_en"],
            f"{row[f'negative_{language}']} – {row[f'positive_{language}']}",
            low=row[f"negative_{language}"],
            high=row[f"positive_{language}"],
            kind="pair",
            language=language,
        )
        for row in rows
    )
    assert len(pairs) == 20
    kind = SemanticDifferential({"repeated_share": 0.25})
    assert list(kind.problems(pairs)) == []
    shown = screen(4, pairs, repeated_share=0.25)
    said = rated(shown, simulated(shown, Quality.CAREFUL, Random(4)))
    assert len(said) == 25
    assert len({key for key, _number in said}) == 20


@pytest.mark.django_db
def test_the_example_loads(rosa: User) -> None:
    folder = ROOT / "examples" / "semantic_differential"
    call_command("load_study", str(folder), owner=rosa.username, stdout=StringIO())
    study = Study.objects.get(slug="example-semantic-differential")
    assert Unit.objects.filter(task__study=study).count() == 36
    assert set(study.criteria.values_list("kind", flat=True)) == {"pair"}


def test_the_words_of_a_pair_are_isolated_in_a_message_that_runs_the_other_way() -> None:
    with translation.override("ar"):
        messages = [str(field.error_messages["required"]) for field in form_of(screen()).fields.values()]
    assert len(messages) == len(PAIRS)
    assert all(message.count("\u2068") == message.count("\u2069") == 2 for message in messages)
