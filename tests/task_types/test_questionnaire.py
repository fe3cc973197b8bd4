"""The questionnaire: what may be asked, what is accepted, what each answer becomes; PANAS and its scores."""

import csv
import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any, cast

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.utils import translation

from analytics_app.stats.scales.scale_scores import prorated_sums
from tasks_app.models import Criterion as CriterionRow
from tasks_app.models import Study, Unit
from tasks_app.task_types.base import Criterion, Quality, Scale, Screen, Value
from tasks_app.task_types.questionnaire import Questionnaire
from tasks_app.task_types.questionnaire.panas import MOST_MISSING, NEGATIVE, POSITIVE, WORDS
from tasks_app.task_types.questionnaire.questions import labels_of
from tasks_app.task_types.simulation import latent_quality
from tests.reproduction.published import folder_of, missing
from tests.task_types.kit import form_of, ratings_of, simulated

ROOT = Path(__file__).parents[2]
PANAS_DATA = folder_of("panas_msqr")


PUBLISHED = [
    "Interested", "Distressed", "Excited", "Upset", "Strong", "Guilty", "Scared", "Hostile", "Enthusiastic", "Proud",
    "Irritable", "Alert", "Ashamed", "Inspired", "Nervous", "Determined", "Attentive", "Jittery", "Active", "Afraid",
]  # fmt: skip


def screen(*, words: dict[str, Criterion] | None = None, **given: Any) -> Screen:
    """A screen as a study makes it; `words` are criteria that the study words in its own way."""
    kind = Questionnaire(given)
    criteria = tuple((words or {}).get(one.key, one) for one in kind.brings())
    return Screen(kind, (), criteria)


def sample() -> Screen:
    """A screen with a question of every kind."""
    return screen(**Questionnaire.sample.params)


def full_answer() -> dict[str, str]:
    """An answer to every question of the sample."""
    return {
        "q-reading-newspapers": "5",
        "q-reading-novels": "1",
        "q-reading-manuals-and-instructions": "3",
        "q-ease": "4",
        "q-where": "on-a-screen",
        "q-devices-phone": "on",
        "q-books": "12",
        "q-last-book": "",
        "q-why": "For fun.\r\nAnd for work.",
        "q-visit": "2024-02-29",
        "q-agree": "on",
    }


def one(question: dict[str, Any], posted: dict[str, str], **given: Any) -> tuple[dict[str, Any], list[Value]]:
    """Post an answer to a single question; return its errors and ratings."""
    shown = screen(questions=[question], **given)
    form = form_of(shown, posted)
    if not form.is_valid():
        return dict(form.errors), []
    json.dumps(form.cleaned_data)
    return {}, list(ratings_of(shown, form.cleaned_data))


def test_panas_asks_the_published_words_in_their_order_on_five_steps() -> None:
    shown = screen(instrument="panas", timeframe="past_week")
    assert [one.name for one in shown.criteria] == PUBLISHED
    steps = ("very slightly or not at all", "a little", "moderately", "quite a bit", "extremely")
    assert {(one.labels, one.language, one.kind) for one in shown.criteria} == {(steps, "en", "question")}
    block = form_of(shown).blocks()[0]
    assert block.words.startswith("Indicate to what extent you have felt this way during the past week.")
    assert form_of(shown).introduction.startswith("This scale consists of a number of words that describe")
    fields = [(name, field.choices[0][0]) for name, field in form_of(shown).fields.items()]
    assert fields == [(f"q-panas-{word.lower()}", "1") for word in PUBLISHED]


def test_every_time_frame_has_wording_of_its_own_and_the_same_criteria() -> None:
    choices = [value for value, _label in Questionnaire.Settings.base_fields["timeframe"].choices]
    screens = [screen(instrument="panas", timeframe=value) for value in choices]
    assert len({form_of(shown).blocks()[0].words for shown in screens}) == 7
    # Else a study could not ask for today and for the past week.
    assert all(shown.criteria == screens[0].criteria for shown in screens)


def test_a_published_translation_takes_the_place_of_the_words() -> None:
    word = Criterion("panas-interested", "Interessiert", question="Interessiert", labels=tuple("ABCDE"), language="de")
    shown = screen(words={word.key: word}, instrument="panas", introduction="Dieser Fragebogen …")
    form = form_of(shown)
    assert form.introduction == "Dieser Fragebogen …"
    assert form.language == ""
    assert form.blocks()[0].words == ""
    assert form.fields["q-panas-interested"].label == "Interessiert"
    assert [words for _step, words in form.fields["q-panas-interested"].choices] == list("ABCDE")


def test_each_kind_of_answer_goes_into_its_column() -> None:
    shown = sample()
    form = form_of(shown, full_answer())
    assert form.is_valid(), form.errors
    said = {
        value.criterion: (value.outcome, value.value, value.label, value.text)
        for value in ratings_of(shown, form.cleaned_data)
    }
    assert said == {
        "reading-newspapers": ("step", 5, None, None),
        "reading-novels": ("step", 1, None, None),
        "reading-manuals-and-instructions": ("step", 3, None, None),
        "ease": ("step", 4, None, None),
        "where": ("choice", None, "on-a-screen", None),
        "devices-phone": ("ticked", 1, None, None),
        "devices-computer": ("ticked", 0, None, None),
        "devices-none": ("ticked", 0, None, None),
        "books": ("number", 12, None, None),
        "why": ("words", None, None, "For fun.\nAnd for work."),
        "visit": ("day", None, None, "2024-02-29"),
        "agree": ("ticked", 1, None, None),
    }
    for criterion in shown.criteria:
        outcome = shown.kind.outcome_of(criterion)
        assert outcome is not None
        if criterion.key in said:
            assert outcome.name == said[criterion.key][0]
            assert said[criterion.key][("value", "label", "text").index(outcome.column) + 1] is not None
    assert shown.kind.outcome_of(None) is None
    assert shown.kind.outcome_of(Criterion("fluency", "Fluency")) is None


def test_an_answer_as_stored_fills_the_form_again() -> None:
    shown = sample()
    form = form_of(shown, full_answer())
    assert form.is_valid()
    again = form_of(shown, None, json.loads(json.dumps(form.cleaned_data)))
    cells = {cell.criterion.key: cell for block in again.blocks() for cell in block.cells}
    assert [step.value for step in cells["reading-newspapers"].steps if step.checked] == ["5"]
    assert [step.value for step in cells["where"].steps if step.checked] == ["on-a-screen"]
    assert (cells["devices-phone"].checked, cells["devices-computer"].checked) == (True, False)
    assert cells["visit"].field.value() == "2024-02-29"


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("q-reading-novels", ["", "0", "6", "-1", "1.5", "three", "NaN", " ", "1e0", "9" * 100_000]),
        ("q-where", ["", "paper", "On paper", "none", "['on-paper']", "on-paper\x00", "\ud800"]),
        ("q-devices-phone", ["yes", "1", "true", "False", "{}", "on\x00", "x" * 100_000]),
        ("q-books", ["", "-1", "100", "1.5", "1,000", "NaN", "Infinity", "1e3", "0x1", "٠x", "9" * 100_000, "12\x00"]),
        ("q-last-book", ["x" * 501, "\x00", "a\ud800"]),
        ("q-why", ["", "  \r\n ", "x" * 5001, "\x00", "\udfff"]),
        (
            "q-visit",
            ["", "2023-02-29", "29.02.2024", "1949-12-31", "2024-2-9", "20240209", "2024-W01-1", "x" * 100_000],
        ),
        ("q-agree", ["", "no", "1", "ON", "{}"]),
    ],
)
def test_what_was_not_asked_for_is_refused(name: str, wrong: list[str]) -> None:
    shown = sample()
    for given in wrong:
        form = form_of(shown, {**full_answer(), name: given})
        assert not form.is_valid(), repr(given[:40])
        assert set(form.errors) == {name}
    assert form_of(shown, {**full_answer(), "q-unknown": "1", "comment": "x"}).is_valid()


def test_boxes_hold_together() -> None:
    question = {
        "key": "seen",
        "kind": "multiple",
        "question": "Seen?",
        "options": ["A", {"words": "None", "alone": True}],
    }
    errors, _values = one(question, {})
    assert errors == {"q-seen-a": ["Choose at least one: “Seen?”"]}
    errors, _values = one(question, {"q-seen-a": "on", "q-seen-none": "on"})
    assert errors == {"q-seen-none": ["“None” cannot be chosen together with others."]}
    with translation.override("ar"):
        errors, _values = one(question, {"q-seen-a": "on", "q-seen-none": "on"})
    assert "\u2068None\u2069" in errors["q-seen-none"][0]
    _errors, values = one({**question, "required": False}, {})
    assert values == [], "no box ticked is no answer, not a no to each"
    _errors, values = one(question, {"q-seen-none": "on"})
    assert {value.criterion: value.value for value in values} == {"seen-a": 0, "seen-none": 1}


def test_a_decimal_comma_is_read_where_it_is_clear() -> None:
    question = {"key": "hours", "kind": "number", "question": "Hours?", "decimals": True, "minimum": 0, "maximum": 24}
    read = {
        given: one(question, {"q-hours": given})[1] for given in ("7", "7.25", "7,5", "٣", "7,125", "1.2.3", "24.1")
    }
    assert {given: values[0].value if values else None for given, values in read.items()} == {
        "7": 7, "7.25": 7.25, "7,5": 7.5, "٣": 3, "7,125": None, "1.2.3": None, "24.1": None,
    }  # fmt: skip


def test_a_number_out_of_range_is_told_the_end_of_the_range_as_the_language_writes_it() -> None:
    question = {"key": "hours", "kind": "number", "question": "?", "decimals": True, "minimum": 0.5, "maximum": 24}
    for language, least in (("en", "0.5"), ("de", "0,5")):
        with translation.override(language):
            (low,), (high,) = (one(question, {"q-hours": given})[0]["q-hours"] for given in ("0.4", "25"))
            assert f" {least}" in low, low
            assert " 24" in high, high


def test_what_may_be_left_out_is_missing_but_consent_must_be_given() -> None:
    given = {**Questionnaire.sample.params, "all_required": False}
    form = form_of(screen(**given), {})
    assert form.errors == {"q-agree": ["Tick “My answers may be quoted without my name.” to go on."]}
    form = form_of(screen(**given), {"q-agree": "on"})
    assert form.is_valid()
    assert [value.criterion for value in ratings_of(screen(**given), form.cleaned_data)] == ["agree"]
    assert not any(block.required for block in form.blocks() if block.question.key != "agree")


def test_prefer_not_to_say_is_an_answer_everywhere_in_demographics() -> None:
    shown = screen(instrument="demographics")
    posted = {f"q-{one.key}": "prefer-not-to-say" for one in shown.criteria}
    form = form_of(shown, posted)
    assert form.is_valid(), form.errors
    assert {value.label for value in ratings_of(shown, form.cleaned_data)} == {"prefer-not-to-say"}
    assert all(one.labels[-1] == "Prefer not to say" for one in shown.criteria)


def test_a_study_words_the_ends_of_a_scale_and_the_steps_between_stay_without_words() -> None:
    asked = {"questions": [{"key": "ease", "kind": "single", "question": "How easy was it?", "points": 5}]}
    (criterion,) = screen(**asked).criteria
    own = screen(words={"ease": replace(criterion, labels=(), low="Hard", high="Easy")}, **asked)
    ((prompt, worded),) = cast("Questionnaire", own.kind).worded(own)
    assert labels_of(prompt.question, worded) == ("Hard", "", "", "", "Easy")


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("no", "Question 1: it must be a set"),
        ({"key": "a b", "kind": "text", "question": "?"}, "Question 1: key needs letters"),
        ({"key": "a", "kind": "essay", "question": "?"}, "kind must be one of: grid"),
        ({"key": "a", "kind": "text", "question": " "}, "question must be words"),
        ({"key": "a", "kind": "text", "question": "?", "options": ["x"]}, "a question of kind text has: key"),
        ({"key": "a", "kind": "single", "question": "?"}, "it needs either options or points"),
        ({"key": "a", "kind": "single", "question": "?", "options": ["x"]}, "something to choose from"),
        (
            {"key": "a", "kind": "single", "question": "?", "options": ["x", "x"]},
            "two of its options have the same key",
        ),
        ({"key": "a", "kind": "single", "question": "?", "options": [1, 2]}, "entry 1 of options: words must be words"),
        ({"key": "a", "kind": "grid", "question": "?", "points": 5}, "a grid needs rows"),
        ({"key": "a", "kind": "grid", "question": "?", "rows": ["x"], "points": 99}, "from 2 to 11"),
        ({"key": "a", "kind": "number", "question": "?", "minimum": "0"}, "minimum must be a number"),
        ({"key": "a", "kind": "number", "question": "?", "minimum": float("nan")}, "minimum must be a number"),
        ({"key": "a", "kind": "number", "question": "?", "minimum": 2, "maximum": 1}, "minimum is above"),
        ({"key": "a", "kind": "date", "question": "?", "minimum": "2024-13-01"}, "minimum must be a day"),
        ({"key": "a", "kind": "text", "question": "?", "longest": 501}, "longest must be a whole number from 1 to 500"),
        ({"key": "a", "kind": "text", "question": "?\x00"}, "NUL"),
        ({"key": "a", "kind": "text", "question": "?", "required": "no"}, "required must be true or false"),
        (
            {"key": "a", "kind": "single", "question": "?", "points": 3, "prefer_not": True},
            "steps of a scale cannot hold",
        ),
    ],
)
def test_a_question_that_cannot_be_asked_is_named_with_the_reason(question: object, sentence: str) -> None:
    with pytest.raises(ValueError, match="questions: ") as raised:
        Questionnaire({"questions": [question]})
    assert sentence in str(raised.value)


@pytest.mark.parametrize(
    "given", ["[", "3", '{"a": 1}', "[" * 100_000, "[" + " " * 100_001 + "]", {"a": 1}, 5, "null "]
)
def test_questions_that_are_no_list_are_refused(given: object) -> None:
    if given == "null ":
        assert Questionnaire({"questions": given}).questions == []
    else:
        with pytest.raises(ValueError, match="questions"):
            Questionnaire({"questions": given})


def test_questions_are_kept_as_a_study_file_has_them() -> None:
    kind = Questionnaire(Questionnaire.sample.params)
    assert kind.questions == Questionnaire.sample.params["questions"]
    assert Questionnaire(kind.params).params == kind.params
    assert Questionnaire({"questions": json.dumps(kind.questions)}).questions == kind.questions


def test_it_says_what_keeps_it_from_being_asked() -> None:
    assert list(Questionnaire().problems(())) == ["Nothing is asked. Choose a questionnaire, or give own questions."]
    clash = {"key": "gender", "kind": "text", "question": "Gender?"}
    sentences = list(Questionnaire({"instrument": "demographics", "questions": [clash]}).problems(()))
    assert sentences == ["Two answers would have the name “gender”. Give the questions or options other keys."]
    sentences = list(Questionnaire({"instrument": "panas"}).problems((Criterion("fluency", "Fluency"),)))
    assert sentences == ["A questionnaire asks its own questions; leave the criterion “fluency” out of its criteria."]


def test_numbers_from_elsewhere_are_held_against_the_question() -> None:
    kind = sample().kind
    by_key = {one.key: one for one in sample().criteria}
    fits = {"ease": 5, "reading-novels": 1, "books": 0, "devices-phone": 1, "agree": 0}
    wrong = {"ease": 6, "reading-novels": 1.5, "books": -1, "devices-phone": 2, "agree": 0.5}
    assert all(kind.problem_in_value(value, by_key[key]) is None for key, value in fits.items())
    assert all(kind.problem_in_value(value, by_key[key]) for key, value in wrong.items())
    assert kind.scale_of(by_key["ease"]) == (1, 5, 1)
    assert kind.scale_of(by_key["why"]) is None


def test_the_datasheet_names_each_instrument() -> None:
    shown = sample()
    facts = {one.key: shown.kind.heds(one) for one in shown.criteria}
    assert facts["reading-novels"]["4.3.3"] == "5"
    assert facts["reading-novels"]["4.3.4"].startswith("1 (Never), 2 (Seldom)")
    assert "How often do you read" in facts["reading-novels"]["4.3.5"]
    assert facts["devices-phone"]["4.3.5"] == "check-boxes"
    assert facts["why"]["4.3.8"] == "qualitative feedback"
    assert shown.kind.heds(None) == {}
    assert shown.kind.outcome_of(shown.criteria[0]).scale is Scale.ORDINAL


def test_simulated_raters_differ_as_their_quality_does() -> None:
    shown = screen(instrument="panas")
    off: dict[Quality, list[float]] = {quality: [] for quality in Quality}
    spread: dict[Quality, list[float]] = {quality: [] for quality in Quality}
    for seed in range(60):
        for quality in Quality:
            posted = simulated(shown, quality, Random(seed))
            form = form_of(shown, posted)
            assert form.is_valid()
            values = {one.criterion or "": one.value or 0 for one in ratings_of(shown, form.cleaned_data)}
            off[quality] += [abs(1 + 4 * latent_quality("", key) - value) for key, value in values.items()]
            spread[quality].append(float(np.std(list(values.values()))))
    means = {quality: float(np.mean(found)) for quality, found in off.items()}
    assert means[Quality.CAREFUL] + 0.2 < means[Quality.SLOPPY] < means[Quality.RANDOM] - 0.1
    assert max(spread[Quality.STRAIGHT_LINER]) == 0


def test_scores_are_sums_of_ten_words_and_at_most_two_may_be_missing() -> None:
    assert set(WORDS) == {word.lower() for word in PUBLISHED}
    assert len(POSITIVE) == len(NEGATIVE) == 10
    # Items 1 3 5 9 10 12 14 16 17 19 are the positive ones (Watson et al. 1988).
    assert set(POSITIVE) == {PUBLISHED[number - 1].lower() for number in (1, 3, 5, 9, 10, 12, 14, 16, 17, 19)}
    answers = dict.fromkeys(POSITIVE, 4.0)
    assert scores_of([answers | dict.fromkeys(NEGATIVE, 1.0)]) == ([40], [10])
    answers["alert"] = 5
    del answers["proud"], answers["active"]
    assert scores_of([answers])[0] == [pytest.approx((7 * 4 + 5) / 8 * 10)]
    del answers["strong"]
    assert np.isnan(scores_of([answers])).all()


def scores_of(answers: Sequence[Mapping[str, float]]) -> tuple[list[float], list[float]]:
    """Return the scores of positive and negative affect, one for each person."""
    positive, negative = (
        prorated_sums([[one.get(word, np.nan) for word in words] for one in answers], most_missing=MOST_MISSING)
        for words in (POSITIVE, NEGATIVE)
    )
    return positive.value.tolist(), negative.value.tolist()


@pytest.mark.skipif(bool(missing("panas_msqr")), reason=missing("panas_msqr"))
def test_scores_of_real_answers_agree_with_the_published_figures() -> None:
    """3,027 raters of psychTools' msqR, steps 0 to 3; alpha after Cronbach (1951)."""
    expected = json.loads((PANAS_DATA / "expected.json").read_text())
    with gzip.open(PANAS_DATA / "ratings.csv.gz", "rt", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    answers: dict[str, dict[str, float]] = {}
    scales: dict[str, set[str]] = {}
    for row in rows:
        answers.setdefault(row["rater_id"], {})[row["criterion"]] = float(row["value"])
        scales.setdefault(row["subscale"], set()).add(row["criterion"])
    assert scales == {"PA": set(POSITIVE), "NA": set(NEGATIVE)}
    assert len(answers) == expected["n_raters"]["value"]
    complete = [given for given in answers.values() if len(given) == 20]
    positive, negative = scores_of(complete)
    assert np.std(negative, ddof=1) == pytest.approx(expected["sd_sum.NA"]["value"], abs=1e-5)
    words = np.array([[one[word] for word in POSITIVE] for one in complete], dtype=float)
    alpha = 10 / 9 * (1 - words.var(axis=0, ddof=1).sum() / np.var(positive, ddof=1))
    assert alpha == pytest.approx(expected["cronbach_alpha.PA"]["value"], abs=1e-5)
    everybody = list(answers.values())
    too_few = [sum(word in given for word in POSITIVE) < 8 for given in everybody]
    assert np.isnan(scores_of(everybody)[0]).tolist() == too_few
    assert any(too_few)
    assert any(7 < sum(word in given for word in POSITIVE) < 10 for given in everybody)


@pytest.mark.django_db
def test_the_example_loads_as_a_study_without_texts(rosa: User) -> None:
    call_command("load_study", str(ROOT / "examples" / "questionnaire"), owner=rosa.username, stdout=StringIO())
    study = Study.objects.get(slug="example-questionnaire")
    units = Unit.objects.filter(task__study=study).order_by("id")
    assert [(unit.key, unit.item, unit.parts.count(), unit.k) for unit in units] == [("once", None, 0, 60)] * 3
    asked = CriterionRow.objects.filter(study=study, kind="question")
    keys = set(asked.values_list("key", flat=True))
    assert keys >= {f"panas-{word}" for word in WORDS} | {"often-news", "written-by-none", "may-quote", "age-group"}
    assert asked.get(key="panas-upset").ends["labels"][0] == "very slightly or not at all"
