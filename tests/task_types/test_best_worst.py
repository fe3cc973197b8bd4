"""Best-worst scaling: tuples that are balanced, answers that name two different texts, and known answers."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations, islice
from random import Random
from statistics import mean

import pytest
from django.core.management import call_command
from hypothesis import given
from hypothesis import strategies as st

from evalweb.local_services.folder import BASE_DIR
from tasks_app.models import Unit
from tasks_app.task_types.base import (
    Criterion,
    GoldAnswer,
    ItemTexts,
    OutputText,
    Part,
    Quality,
    Scale,
    Screen,
    UnitDraft,
)
from tasks_app.task_types.best_worst import BestWorst
from tasks_app.task_types.best_worst.tuples import design, draw, pairs_of
from tasks_app.task_types.simulation import latent_quality
from tasks_app.views.rater import pages
from tests import extent
from tests.task_types.kit import feedback_on, form_of, grades, ratings_of, simulated

QUALITY = Criterion("quality", "Quality", question="Which text is best, which worst?")
MOOD = Criterion("mood", "Mood")


def screen(
    n_parts: int = 4, order: list[int] | None = None, criteria: tuple[Criterion, ...] = (QUALITY,), **params: object
) -> Screen:
    """A screen with a few texts."""
    return Screen(
        BestWorst(params),
        tuple(Part(number, f"Text {number}") for number in range(n_parts)),
        criteria,
        arrangement={"parts": list(range(n_parts)) if order is None else order},
    )


def items(n: int, texts: int, same: str = "") -> list[ItemTexts]:
    """Items with a text by each of so many systems."""
    return [
        ItemTexts.collapsed(f"i{i}", [OutputText(f"s{j}", "", same or f"Text {j} of item {i}") for j in range(texts)])
        for i in range(n)
    ]


def appearances(units: Sequence[UnitDraft]) -> Counter[tuple[str | None, int]]:
    """Count in how many units each output stands."""
    return Counter((unit.item_of(n), out) for unit in units for n, part in enumerate(unit.parts) for out in part)


def spread(counts: Counter, among: Sequence[object]) -> int:
    """Return the greatest count less the least, of those that are not counted too."""
    found = [counts.get(one, 0) for one in among]
    return max(found) - min(found)


MOST_TEXTS = 60 if extent.is_exhaustive() else 24


@given(
    n=st.integers(2, MOST_TEXTS), size=st.integers(3, 5), times=st.integers(1, 9), seed=st.integers(),
    copies=st.integers(1, 3),
)  # fmt: skip
def test_tuples_are_balanced_whatever_the_numbers(n: int, size: int, times: int, seed: int, copies: int) -> None:
    alike = [number // copies for number in range(n)]
    tuples = draw(alike, size, times, Random(seed))
    if len(set(alike)) < 2:
        assert tuples == []
        return
    assert all(2 <= len(one) <= size for one in tuples)
    assert all(len({alike[text] for text in one}) == len(one) for one in tuples), "two texts that look alike meet"
    if n <= size and copies == 1:
        assert tuples == [tuple(range(n))]
    if n > size and len(set(alike)) >= 2 * size:
        counts = Counter(text for one in tuples for text in one)
        assert set(counts.values()) <= {times, times + 1}
        assert all(len(one) == size for one in tuples)


@given(n=st.integers(4, 16), size=st.integers(3, 5), times=st.integers(1, 8))
def test_pairs_are_spread(n: int, size: int, times: int) -> None:
    tuples = draw(range(n), size, times, Random(n))
    # Of these 312 settings few reach 3: where a few tuples hold nearly all texts, and where the squares of all pairs
    # are as even as they get while a single pair is not.
    assert spread(pairs_of(tuples), list(combinations(range(n), 2))) <= 3


def test_the_same_seed_gives_the_same_tuples() -> None:
    for n in (9, 100):
        assert draw(range(n), 4, 8, Random(3)) == draw(range(n), 4, 8, Random(3)) != draw(range(n), 4, 8, Random(4))


def test_pairs_of_many_texts_meet_once_at_most() -> None:
    pairs = pairs_of(draw(range(500), 4, 8, Random(2)))
    assert sum(pairs.values()) == 500 * 8 // 4 * 6
    assert sum(count > 1 for count in pairs.values()) < 10


@pytest.mark.parametrize(
    ("n", "size", "blocks", "pairs"), [(7, 3, 7, 1), (9, 3, 12, 1), (13, 3, 26, 1), (13, 4, 13, 1), (5, 4, 5, 3)]
)
def test_designs_that_are_exactly_balanced_are_found(n: int, size: int, blocks: int, pairs: int) -> None:
    """The projective planes of order 2 and 3, the affine plane of order 3, a Steiner system, all fours of five."""
    found = design(n, size, blocks * size // n)
    assert len(found) == blocks
    assert set(pairs_of(found).values()) == {pairs}
    assert len(pairs_of(found)) == n * (n - 1) // 2


@pytest.mark.parametrize("size", [3, 4, 5])
@pytest.mark.parametrize("n", [2, 3, 4, 5, 6, 8, 11])
def test_texts_of_one_item_all_meet_in_tuples_of_their_own(n: int, size: int) -> None:
    kind = BestWorst({"size": size})
    given_items = items(6, n)
    units = list(kind.units(given_items, Random(1)))
    for item in given_items:
        own = [unit for unit in units if unit.item == item.key]
        outputs = [(item.key, number) for number in range(n)]
        assert spread(appearances(own), outputs) <= 1
        met = pairs_of([[part[0] for part in unit.parts] for unit in own])
        assert len(met) == n * (n - 1) // 2
        assert [unit.key for unit in own] == (
            [item.key] if n <= size else [f"{item.key}/{number}" for number in range(1, len(own) + 1)]
        )
    # Over items, systems too: whoever stands in one more tuple takes turns.
    by_system = Counter(system for (_item, system), count in appearances(units).items() for _one in range(count))
    if n in {2, 3, 6}:
        assert spread(by_system, range(n)) <= 1


def test_how_often_a_text_is_shown_can_be_set() -> None:
    units = list(BestWorst({"size": 3, "appearances": 4}).units(items(1, 6), Random(1)))
    assert set(appearances(units).values()) == {4}
    assert len(units) == 8


@pytest.mark.parametrize("given_times", [None, 5])
def test_texts_of_all_items_are_mixed(given_times: int | None) -> None:
    given_items = [*items(10, 3), *items(3, 1, same="The same in three items")]
    given_items = [ItemTexts(f"{n}-{one.key}", one.outputs, one.groups) for n, one in enumerate(given_items)]
    kind = BestWorst({"of": "all", "appearances": given_times})
    units = list(kind.units(given_items, Random(1)))
    assert list(kind.units(given_items, Random(1))) == units
    counts = appearances(units)
    assert len(counts) == 33
    assert set(counts.values()) <= {given_times or 8, (given_times or 8) + 1}
    assert len({unit.key for unit in units}) == len(units)
    texts: dict[str | None, list[str]] = {item.key: [one.text for one in item.outputs] for item in given_items}
    for unit in units:
        assert unit.item is None
        assert len(unit.part_items) == len(unit.parts) == 4
        shown = [texts[unit.item_of(n)][part[0]] for n, part in enumerate(unit.parts)]
        assert len(set(shown)) == 4


def test_an_item_whose_texts_are_all_alike_has_nothing_to_choose() -> None:
    assert list(BestWorst().units(items(2, 4, same="Alike"), Random(1))) == []
    assert list(BestWorst({"of": "all"}).units(items(2, 4, same="Alike"), Random(1))) == []


def test_every_text_stands_in_every_place_equally_often() -> None:
    stream = BestWorst().arrange(4, Random(3))
    drawn: list[list[int]] = [one["parts"] for one in islice(stream, 41)]
    counts = Counter((place, part) for order in drawn for place, part in enumerate(order))
    assert spread(counts, [(place, part) for place in range(4) for part in range(4)]) <= 1


def test_every_text_gets_a_label_by_its_canonical_number() -> None:
    shown = screen(4, order=[2, 0, 3, 1], criteria=(QUALITY, MOOD))
    posted = {"best-quality": "1", "worst-quality": "4", "best-mood": "2", "worst-mood": "1"}
    form = form_of(shown, posted)
    assert form.is_valid(), form.errors
    assert form.cleaned_data == {name: int(value) for name, value in posted.items()}
    labels = {(v.criterion, v.part): v.label for v in ratings_of(shown, form.cleaned_data)}
    assert labels == {
        ("quality", 2): "best", ("quality", 1): "worst", ("quality", 0): "neither", ("quality", 3): "neither",
        ("mood", 0): "best", ("mood", 2): "worst", ("mood", 1): "neither", ("mood", 3): "neither",
    }  # fmt: skip
    again = form_of(shown, initial=form.cleaned_data)
    chosen = [
        (choice.end, choice.shown.letter)
        for row in again.questions()[0].rows
        for choice in row.choices
        if choice.checked
    ]
    assert chosen == [("best", "A"), ("worst", "D")]
    assert pages.in_words(form, form.cleaned_data)[0] == ("Which text is best, which worst? Best", "Text A")
    assert shown.kind.outcome_of(QUALITY).scale is Scale.NOMINAL


WRONG = ("", "0", "5", "-1", "1.0", "x", "١", "NaN", "1" * 10_000_000, "[1]", "\x00", "\ud800", "system-a")


@pytest.mark.parametrize(
    ("posted", "errors"),
    [
        *(({"best-quality": one, "worst-quality": "1"}, {"best-quality": "“Best”"}) for one in WRONG),
        ({"best-quality": "1"}, {"worst-quality": "“Which text is best, which worst?”: choose a text for “Worst”."}),
        (
            {"best-quality": "2", "worst-quality": "2"},
            {"worst-quality": "“Which text is best, which worst?”: choose two different texts for “Best” and “Worst”."},
        ),
        ({"best-mood": "1", "worst-mood": "2"}, {"best-quality": "“Best”", "worst-quality": "“Worst”"}),
    ],
)
def test_anything_but_two_different_texts_is_refused(posted: dict[str, str], errors: dict[str, str]) -> None:
    form = form_of(screen(4), posted)
    assert set(form.errors) == set(errors)
    for name, sentence in errors.items():
        assert sentence in form.errors[name][0]


def test_ends_can_have_other_words_but_not_one_for_both() -> None:
    form = form_of(screen(best_word="Most positive", worst_word="Most negative"), {"best-quality": "1"})
    assert form.errors == {"worst-quality": ["“Which text is best, which worst?”: choose a text for “Most negative”."]}
    for words in ({"best_word": "Good"}, {"best_word": "Good", "worst_word": "Good"}):
        with pytest.raises(ValueError, match="worst_word"):
            BestWorst(words)
    for size in (2, 6):
        with pytest.raises(ValueError, match="size"):
            BestWorst({"size": size})


@pytest.mark.parametrize(
    ("kind", "answer", "passed"),
    [
        ("exact", 3, True), ("exact", 1, False), ("set", [1, 3], True), ("set", [1, 2], False),
        ("order", [3, 2], True), ("order", [3, 1, 4, 2], True), ("order", [2, 3], False), ("order", [3, 4], False),
    ],
)  # fmt: skip
def test_known_answers_name_texts_by_their_numbers(kind: str, answer: object, passed: bool) -> None:
    shown = screen(4, order=[2, 0, 3, 1])
    form = form_of(shown, {"best-quality": "1", "worst-quality": "4"})
    assert form.is_valid()
    (graded,) = grades(shown, form.cleaned_data, [GoldAnswer(kind, answer)])
    assert graded.passed is passed
    assert graded.given == (3.0, 2.0)
    told = feedback_on(shown, form.cleaned_data, [GoldAnswer(kind, answer, "quality", explanation="Why.")])
    assert (told[0].passed, told[0].explanation) == (passed, "Why.")


@pytest.mark.parametrize(
    ("kind", "answer"),
    [
        ("exact", 5),
        ("exact", "best"),
        ("exact", True),
        ("set", [0]),
        ("order", [1]),
        ("order", [1, 1]),
        ("range", [1, 2]),
    ],
)
def test_known_answers_that_name_no_text_are_refused(kind: str, answer: object) -> None:
    shown = screen(4)
    with pytest.raises(ValueError, match=r"[Tt]ext|known answer"):
        grades(shown, {"best-quality": 1, "worst-quality": 2}, [GoldAnswer(kind, answer)])


def test_with_several_criteria_a_known_answer_says_which() -> None:
    shown = screen(4, criteria=(QUALITY, MOOD))
    cleaned = {"best-quality": 1, "worst-quality": 2, "best-mood": 3, "worst-mood": 4}
    with pytest.raises(ValueError, match="Say which one"):
        grades(shown, cleaned, [GoldAnswer("exact", 1)])
    assert grades(shown, cleaned, [GoldAnswer("exact", 3, "mood")])[0].passed


def test_simulated_raters_differ_as_their_quality_says() -> None:
    rng = Random(6)
    right: dict[Quality, list[bool]] = {quality: [] for quality in Quality}
    places = set()
    for number in range(300):
        parts = tuple(Part(n, f"Text {number} {n}") for n in range(4))
        order = rng.sample(range(4), 4)
        shown = Screen(BestWorst(), parts, (QUALITY,), arrangement={"parts": order})
        top = max(range(4), key=lambda n: latent_quality(parts[n].text, "quality"))
        for quality in Quality:
            said = simulated(shown, quality, rng)
            right[quality].append(order[int(said["best-quality"]) - 1] == top)
            if quality is Quality.STRAIGHT_LINER:
                places.add((said["best-quality"], said["worst-quality"]))
    assert places == {("1", "4")}
    assert mean(right[Quality.CAREFUL]) > 0.7
    assert mean(right[Quality.CAREFUL]) > mean(right[Quality.SLOPPY]) + 0.1
    assert mean(right[Quality.SLOPPY]) > mean(right[Quality.RANDOM]) + 0.05


def test_the_datasheet_says_what_the_instrument_is() -> None:
    facts = BestWorst({"size": 5}).heds(QUALITY)
    assert "5" in facts["4.3.4"]
    assert facts["4.3.8"] == "relative quality estimation"


@pytest.mark.django_db
def test_the_example_loads() -> None:
    call_command("load_study", str(BASE_DIR / "examples" / "best_worst"))
    units = Unit.objects.filter(task__study__slug="example-best-worst")
    assert [unit.parts.count() for unit in units] == [4] * 36
