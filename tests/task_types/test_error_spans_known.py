"""Error spans that are known: gold answers, simulated raters, and the published scores of MQM."""

import csv
import gzip
from collections import defaultdict
from random import Random

import pytest
from django.template.loader import render_to_string

from tasks_app.task_types.base import GoldAnswer, Quality
from tasks_app.task_types.error_spans.scheme import mqm
from tasks_app.task_types.error_spans.scoring import rules_of, weight_of
from tests.reproduction.published import folder_of, missing
from tests.task_types.kit import feedback_on, form_of, grades, ratings_of, simulated
from tests.task_types.test_error_spans import answer, mark, screen


@pytest.mark.parametrize(
    ("known", "passed"),
    [
        ({"start": 4, "end": 5}, True),
        ({"start": 8, "end": 12, "severity": "major"}, True),
        ({"start": 9, "end": 12}, False),
        ({"start": 4, "end": 9, "severity": "minor"}, False),
        ([{"start": 4, "end": 9}, {"start": 18, "end": 23}], False),
        ([], False),
    ],
)
def test_a_known_error_is_found_where_a_mark_shares_a_character_with_it(known: object, passed: bool) -> None:
    on = screen()
    form = answer(on, mark(4, 9))
    assert form.is_valid()
    gold = GoldAnswer("span", known, explanation="A bus.")
    assert [one.passed for one in grades(on, form.cleaned_data, [gold])] == [passed]
    told = feedback_on(on, form.cleaned_data, [gold])[0]
    assert (told.passed, told.explanation) == (passed, "A bus.")
    score = GoldAnswer("range", [60, 80])
    assert grades(on, form.cleaned_data, [score])[0].passed


def test_feedback_names_what_was_missed() -> None:
    on = screen()
    form = answer(on, mark(4, 9))
    assert form.is_valid()
    missed = GoldAnswer("span", {"start": 13, "end": 17, "severity": "minor"})
    said = feedback_on(on, form.cleaned_data, [missed])[0].sentence
    assert said == "Not found, or marked as something else: “late” (Minor)."


def test_known_errors_are_laid_over_the_marks_of_the_rater() -> None:
    on = screen()
    form = answer(on, mark(4, 9), mark(18, 23))
    assert form.is_valid()
    text = on.parts[0].text
    wrong = [{"start": 0, "end": 3}, {"start": 7, "end": 12}, {"start": 18, "end": 23, "category": ""}]
    gold = [GoldAnswer("span", wrong), GoldAnswer("range", [60, 80])]
    (shown,) = on.kind.laid_over(on, form.cleaned_data, gold).texts
    assert [(one.words, one.state) for one in shown.pieces if one.state] == [
        (text[0:3], "missed"), (text[4:7], "extra"), (text[7:9], "found"), (text[9:12], "found"), (text[18:23], "found")
    ]  # fmt: skip
    assert "".join(one.words for one in shown.pieces) == text
    other = [GoldAnswer("span", {"start": 4, "end": 9, "severity": "minor"})]
    (shown,) = on.kind.laid_over(on, form.cleaned_data, other).texts
    assert [one.state for one in shown.pieces if one.state] == ["other", "extra"]
    page = render_to_string("rater/_marked_text.html", {"one": shown, "screen": on})
    assert f'{text[4:9]}<span class="visually-hidden"> (marked as another kind)</span></mark>' in page
    (shown,) = on.kind.laid_over(on, {}, other).texts
    assert [one.state for one in shown.pieces if one.state] == ["missed"], "a text that was skipped"
    assert on.kind.laid_over(on, form.cleaned_data, gold[1:]).texts == ()


@pytest.mark.parametrize(
    "known",
    ["x", {"start": 4}, {"start": 4, "end": 99}, {"start": 4, "end": 9, "severity": "fatal"}, {"start": "a", "end": 2}],
)
def test_a_known_error_that_cannot_be_is_refused_with_a_sentence(known: object) -> None:
    on = screen()
    form = answer(on, mark(4, 9))
    assert form.is_valid()
    with pytest.raises(ValueError, match=r"^[A-Z].*\.$"):
        grades(on, form.cleaned_data, [GoldAnswer("span", known)])


def test_simulated_raters_differ_as_they_should() -> None:
    texts = [f"Sentence {n} has some words in it, and number {n * 7} as well." for n in range(60)]

    def found(quality: Quality, seed: int) -> dict[int, set[tuple[int, int]]]:
        rng, marks = Random(seed), {}
        for number, text in enumerate(texts):
            on = screen(text)
            form = form_of(on, simulated(on, quality, rng))
            assert form.is_valid(), form.errors
            stored = ratings_of(on, form.cleaned_data)
            marks[number] = {(one.span_start or 0, one.span_end or 0) for one in stored if one.span_side}
        return marks

    def agreement(quality: Quality) -> float:
        one, other = found(quality, 1), found(quality, 2)
        both = sum(len(one[n] & other[n]) for n in one)
        return 2 * both / max(1, sum(len(one[n]) + len(other[n]) for n in one))

    careful, sloppy, random = (agreement(one) for one in (Quality.CAREFUL, Quality.SLOPPY, Quality.RANDOM))
    assert careful > sloppy + 0.2 > random
    assert not any(found(Quality.STRAIGHT_LINER, 1).values())


def test_the_published_scores_of_segments_come_out() -> None:
    """Every fifth segment of the WMT 2021 TED talks; weights after Freitag et al. (2021)."""
    if reason := missing("wmt21_ted_mqm"):
        pytest.skip(reason)
    folder = folder_of("wmt21_ted_mqm")
    found = defaultdict(list)
    with gzip.open(folder / "ratings.csv.gz", "rt", encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            found[row["item_id"], row["system"]].append((row["category"], row["severity"]))
    rules = rules_of(mqm()["weights"])
    with (folder / "segment_scores.csv").open(encoding="utf-8", newline="") as lines:
        published = list(csv.DictReader(lines))[::5]
    assert len(published) > 3000
    for row in published:
        score = sum(weight_of(*error, rules) for error in found[row["item_id"], row["system"]])
        assert score == pytest.approx(float(row["mqm_penalty_published"]), abs=1e-6), row
