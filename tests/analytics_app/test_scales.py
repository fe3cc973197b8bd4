"""Factors, profiles, PANAS and questions: what their rows say of made-up ratings whose answer is known."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from analytics_app import analyses
from analytics_app.analyses.base import Question, QuestionCriterion
from analytics_app.results import Row
from analytics_app.stats.scales import factor
from analytics_app.stats.scales.factorability import correlations
from analytics_app.stats.scales.scale_scores import prorated_sums
from tasks_app import task_types
from tasks_app.task_types.base import Scale
from tasks_app.task_types.questionnaire.panas import NEGATIVE, POSITIVE, PREFIX, WORDS
from tests.analytics_app.scales import (
    PAIRS,
    SYSTEMS,
    keys,
    moods,
    only,
    pairs,
    panas_table,
    rows_of,
    sample,
    semantic,
    table,
    words,
)
from tests.work import assert_work_grows_with_data

TWO = [["clear", "simple", "precise"], ["lively", "vivid", "warm"]]


def held_to_the_contract(rows: Sequence[Row], name: str) -> None:
    """What every analysis is held to in tests/house, here on rows that its small tables do not have."""
    for row in rows:
        assert row.value is not None or row.note, row
        assert row.statistic in analyses.registry[name].statistics
        for number in (row.value, row.low, row.high, row.se, row.df, row.p, row.p_adjusted):
            assert number is None or (math.isfinite(number) and type(number) is float), row
        assert row.low is None or row.high is None or row.low <= row.high, row
        assert row.by_system or row.system is None, row
    names = [
        (row.statistic, row.criterion, row.system, row.label, row.group, row.wave, row.slice, row.metric, row.metric_b)
        for row in rows
    ]
    assert len(set(names)) == len(names)


# Factors ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def factors() -> list[Row]:
    """The rows of ratings with two factors."""
    return rows_of("factors", sample("factors", semantic(), pairs()))


def test_factors_are_found_as_they_were_made(factors: list[Row]) -> None:
    held_to_the_contract(factors, "factors")
    assert only(factors, "n_factors").value == 2
    for number, scales in enumerate(TWO):
        for key in scales:
            own = only(factors, "loading", label=key, metric=f"factor {number + 1}").value
            other = only(factors, "loading", label=key, metric=f"factor {2 - number}").value
            assert own is not None
            assert other is not None
            assert own > 0.7
            assert abs(other) < 0.15
    for number, scales in enumerate(TWO):
        alpha = only(factors, "factor_alpha", metric=f"factor {number + 1}")
        assert alpha.settings is not None
        assert alpha.settings["scales"] == scales
        assert alpha.value is not None
        assert alpha.value > 0.8


def test_systems_stand_on_factors_as_they_were_made(factors: list[Row]) -> None:
    mine = {row.system: row for row in factors if row.statistic == "factor_score" and row.metric == "factor 1"}
    assert set(mine) == set(SYSTEMS)
    assert all(row.by_system for row in mine.values())
    low, high = mine["template"].high, mine["writer"].low
    assert low is not None
    assert high is not None
    assert low < high
    # Scores are standardised, over all rows.
    weights = [(row.value or 0) * (row.n_ratings or 0) for row in mine.values()]
    assert sum(weights) == pytest.approx(0, abs=1e-9)


def test_the_same_factors_from_texts_and_without_raters(factors: list[Row]) -> None:
    for label in ("text means", "less the rater's mean"):
        for metric in ("factor 1", "factor 2"):
            found = only(factors, "factor_congruence", label=label, metric=metric)
            assert found.value is not None
            assert found.value > 0.95


def test_communalities_and_variance_go_together(factors: list[Row]) -> None:
    communality = [row.value or 0 for row in factors if row.statistic == "communality"]
    explained = [row.value or 0 for row in factors if row.statistic == "variance_explained"]
    assert sum(explained) == pytest.approx(sum(communality) / len(PAIRS))


def test_a_plan_may_say_how_many_factors_and_which_pairs() -> None:
    given = sample("factors", semantic(), pairs())
    one = rows_of("factors", given, n_factors=1)
    assert {row.metric for row in one if row.statistic == "loading"} == {"factor 1"}
    assert only(one, "n_factors").settings == {"by": "the plan"}
    few = rows_of("factors", given, questions=["clear", "simple", "precise", "warm"], n_factors=3)
    assert {row.label for row in few if row.statistic == "communality"} == {"clear", "simple", "precise", "warm"}
    # Three factors of four scales cannot be told apart.
    assert only(few, "n_factors").value == 1
    assert "3 were wanted" in (only(few, "n_factors").note or "")


def test_no_loadings_where_the_search_does_not_converge(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(factor, "_FLAT", 0.0)
    rows = rows_of("factors", sample("factors", semantic(), pairs()))
    held_to_the_contract(rows, "factors")
    fit = only(rows, "factor_fit")
    assert (fit.value, fit.note) == (None, factor.NOT_CONVERGED)
    assert not {row.statistic for row in rows} & {"loading", "communality", "factor_score", "variance_explained"}


def test_factors_are_refused_with_a_sentence() -> None:
    few = rows_of("factors", sample("factors", semantic(raters=9), pairs()))
    held_to_the_contract(few, "factors")
    assert "30 for 6 scales, and here are 27" in (only(few, "n_factors").note or "")
    rng = np.random.default_rng(1)
    data = semantic()
    noise = replace(data, value=rng.integers(-3, 4, len(data)).astype(float))
    apart = rows_of("factors", sample("factors", noise, pairs()))
    held_to_the_contract(apart, "factors")
    assert only(apart, "n_factors").value is None
    assert not [row for row in apart if row.statistic == "loading"]


@pytest.mark.parametrize("value", [1.0, math.nan])
def test_nothing_to_tell_apart(value: float) -> None:
    data = semantic(raters=20)
    rows = rows_of("factors", sample("factors", replace(data, value=np.full(len(data), value)), pairs()))
    held_to_the_contract(rows, "factors")
    assert only(rows, "kmo").value is None


def test_pairs_without_variance_and_rows_with_gaps_are_left_out_and_named() -> None:
    data = semantic(missing=0.05)
    clear = data.criterion == data.names.criterion_code("clear")
    rows = rows_of("factors", sample("factors", replace(data, value=np.where(clear, 2.0, data.value)), pairs()))
    held_to_the_contract(rows, "factors")
    note = only(rows, "kmo").note or ""
    assert "rows lack a rating" in note
    assert "all ratings are the same: clear" in note
    assert "clear" not in {row.label for row in rows}


def test_kmo_is_of_complete_rows_only() -> None:
    data = semantic(missing=0.1)
    rows = rows_of("factors", sample("factors", data, pairs()))
    matrix = np.full((270, 6), np.nan)
    matrix[data.judgment, data.criterion] = data.value
    complete = matrix[~np.isnan(matrix).any(axis=1)]
    assert only(rows, "kmo").n_ratings == complete.size
    wanted = np.linalg.eigvalsh(correlations(complete))[::-1]
    found = [row.value for row in rows if row.statistic == "eigenvalue"]
    assert found == pytest.approx(wanted.tolist())


def test_a_questionnaire_has_factors_where_a_plan_asks() -> None:
    answers, columns = moods(200, 1)
    given = sample("panas", panas_table(answers, columns), words())
    assert rows_of("factors", given) == []
    rows = rows_of("factors", given, n_factors=2)
    held_to_the_contract(rows, "factors")
    best = {
        row.label: max(
            (one for one in rows if one.statistic == "loading" and one.label == row.label),
            key=lambda one: abs(one.value or 0),
        ).metric
        for row in rows
        if row.statistic == "communality"
    }
    groups = [{best[f"{PREFIX}{word}"] for word in scale} for scale in (POSITIVE, NEGATIVE)]
    assert sorted(map(sorted, groups)) == [["factor 1"], ["factor 2"]]
    assert not [row for row in rows if row.statistic == "factor_score"]


# Profiles ---------------------------------------------------------------------------------------------


def test_a_profile_has_the_means_of_the_systems() -> None:
    data = semantic()
    rows = rows_of("semantic_profile", sample("semantic_profile", data, pairs()))
    held_to_the_contract(rows, "semantic_profile")
    assert list(dict.fromkeys(row.label for row in rows)) == keys()
    system = data.names.shown_system[data.part]
    for row in rows:
        mine = (data.criterion == data.names.criterion_code(str(row.label))) & (
            system == SYSTEMS.index(str(row.system))
        )
        assert row.value == pytest.approx(data.value[mine].mean())


def test_a_system_left_out_leaves_no_trace() -> None:
    for name in ("factors", "semantic_profile"):
        rows = rows_of(name, sample(name, semantic(), pairs()), without_systems=["writer"])
        assert {row.system for row in rows} <= {None, "neural", "template"}
        assert all(row.by_system for row in rows)


# PANAS ------------------------------------------------------------------------------------------------


def panas(answers: np.ndarray, columns: dict[str, list[int]], steps: int = 5, **said: Any) -> list[Row]:
    params = {"instrument": "panas", "timeframe": "past_few_days"}
    rows = rows_of("panas", sample("panas", panas_table(answers, columns), words(steps), **params), **said)
    held_to_the_contract(rows, "panas")
    return rows


def test_scores_of_one_wave() -> None:
    answers, columns = moods(50, 1)
    columns["group"] = [-1] * 50
    answers[0, 0], answers[1, :3], answers[2, 10:] = np.nan, np.nan, np.nan
    rows = panas(answers, columns)
    scores = prorated_sums(answers[:, :10], most_missing=2).value
    mean = only(rows, "affect_mean", label="PA")
    assert mean.value == pytest.approx(np.nanmean(scores))
    assert (mean.n_raters, mean.wave, mean.group) == (49, None, None)
    assert only(rows, "affect_prorated", label="PA").value == 1
    assert only(rows, "affect_missing", label="PA").value == 1
    assert only(rows, "affect_missing", label="NA").value == 1
    assert "33.3" in (mean.note or "")
    assert not [row for row in rows if "change" in row.statistic or "attrition" in row.statistic]


def test_only_people_who_answered_every_word() -> None:
    answers, columns = moods(50, 1)
    answers[0, 0] = np.nan
    rows = panas(answers, columns, complete_only=True)
    for scale in ("PA", "NA"):
        assert only(rows, "affect_mean", label=scale, group=None).n_raters == 49
        assert only(rows, "affect_missing", label=scale, group=None).value == 1


def test_waves_of_one_task_are_named_by_their_number() -> None:
    rows = panas(*moods(60, 3, rise=0.4))
    course = [row for row in rows if row.statistic == "affect_over_time"]
    assert list(dict.fromkeys(row.metric for row in course)) == ["wave 1", "wave 2", "wave 3"]
    change = only(rows, "affect_change", label="PA", group="messages", metric="wave 1", metric_b="wave 3")
    assert change.settings is not None
    assert (change.settings["from"], change.settings["to"]) == ("wave 1", "wave 3")
    assert change.p_adjusted is not None
    assert change.p_adjusted < 0.001
    adjusted = only(rows, "affect_change_adjusted", label="PA", metric="wave 1", metric_b="wave 3")
    assert (adjusted.group, adjusted.slice) == ("messages", "against=diary")
    assert adjusted.value is not None
    assert adjusted.value > 0


@pytest.mark.parametrize(
    ("settings", "pairs"),
    [
        ({}, {"1 2", "2 3", "3 4", "1 4"}),
        ({"times_compared": "first"}, {"1 2", "1 3", "1 4"}),
        ({"times_compared": "every"}, {"1 2", "1 3", "1 4", "2 3", "2 4", "3 4"}),
        ({"only_times": "wave 2 to wave 3; wave 4 to wave 1"}, {"2 3", "1 4"}),
    ],
)
def test_times_that_are_compared(settings: dict[str, str], pairs: set[str]) -> None:
    rows = [row for row in panas(*moods(20, 4), **settings) if row.statistic == "affect_change"]
    assert {f"{row.metric} {row.metric_b}".replace("wave ", "") for row in rows} == pairs
    # Two scores and two groups for each pair of times.
    assert len(rows) == 4 * len(pairs)
    for row in rows:
        assert row.p is not None
        assert row.p_adjusted == pytest.approx(1 - (1 - row.p) ** len(rows))


def test_times_that_are_not_in_the_study_are_told() -> None:
    (row,) = [row for row in panas(*moods(20, 2), only_times="wave 2 to wave 3") if row.statistic == "affect_change"]
    assert (row.value, row.metric) == (None, "wave 2 to wave 3")
    assert "which are wave 1, wave 2" in (row.note or "")
    with pytest.raises(ValueError, match="only_times"):
        analyses.registry["panas"].Settings.read({"only_times": "wave 2"})


def test_other_steps_are_not_compared_with_published_scores() -> None:
    answers, columns = moods(20, 1)
    rows = panas(np.minimum(answers, 4), columns, steps=4)
    note = only(rows, "affect_mean", label="PA", group=None).note or ""
    assert "from 10 to 40" in note
    assert "33.3" not in note


@pytest.mark.parametrize("people", [1, 2])
def test_hardly_anybody(people: int) -> None:
    rows = panas(*moods(people, 2))
    assert only(rows, "affect_mean", label="PA", group=None, wave=2).value is not None
    for row in rows:
        if row.statistic.startswith("affect_change_adjusted"):
            assert row.value is None


def test_everybody_the_same_and_nobody() -> None:
    answers, columns = moods(10, 2)
    rows = panas(np.full_like(answers, 3.0), columns)
    assert only(rows, "affect_change", label="PA", group="diary").value == 0
    assert "same amount" in (only(rows, "affect_change", label="PA", group="diary").note or "")
    assert panas(np.full_like(answers, np.nan), columns) == []


def test_panas_is_offered_where_its_words_are_asked() -> None:
    member = analyses.registry["panas"]
    params = task_types.registry["questionnaire"]().params
    question = Question("main", "questionnaire", Scale.ORDINAL, whole=True, criteria=words(), params=params)
    assert member.fits(question)
    assert member.fits(replace(question, criteria=words()[:10]))
    assert not member.fits(replace(question, criteria=words()[1:10]))
    assert not member.fits(replace(question, criteria=()))
    assert not member.fits(replace(question, whole=False))


# Questions --------------------------------------------------------------------------------------------


def test_answers_are_counted_with_those_that_nobody_gave() -> None:
    values = np.array([[1, 30.0, math.nan], [2, 40.0, 1], [2, math.nan, 0], [5, 20.0, 1]])
    data = table(values, rater=[0, 1, 2, 3], item=[0] * 4, system=[-1] * 4, criteria=["ease", "age", "box"])
    asked = (
        QuestionCriterion("ease", "How easy?", Scale.ORDINAL, 0, (1.0, 2.0, 3.0, 4.0, 5.0), (1.0, 5.0)),
        QuestionCriterion("age", "How old?", Scale.INTERVAL, 1, (), (0.0, 99.0)),
        QuestionCriterion("box", "Agreed", Scale.NOMINAL, 2, (0.0, 1.0), (0.0, 1.0)),
    )
    rows = rows_of("questions", sample("questions", data, asked))
    held_to_the_contract(rows, "questions")
    counts = {row.label: row.value for row in rows if row.criterion == "ease" and row.statistic == "answer_count"}
    assert counts == {"1": 1, "2": 2, "3": 0, "4": 0, "5": 1}
    assert only(rows, "answer_median", criterion="ease").value == 2
    assert only(rows, "not_answered", criterion="age").value == 1
    assert only(rows, "people", criterion=None).value == 4
    most = only(rows, "question_mode", label="ease")
    assert (most.value, most.settings) == (0.5, {"question": "How easy?", "answers": ["2"], "median": 2.0})
    assert only(rows, "question_median", label="age").value == 30
    assert only(rows, "answer_mean", criterion="age").value == 30
    assert only(rows, "answer_share", criterion="box", label="1").value == pytest.approx(2 / 3)
    assert not [row for row in rows if row.criterion == "box" and row.statistic == "answer_median"]


def test_words_are_counted_with_what_was_offered() -> None:
    data = table(np.ones((3, 1)), rater=[0, 1, 2], item=[0] * 3, system=[-1] * 3, criteria=["where"])
    data = replace(
        data,
        value=np.full(3, np.nan),
        label=np.array([0, 0, 1], dtype=np.int32),
        names=replace(data.names, labels=("paper", "screen")),
    )
    asked = (QuestionCriterion("where", "Where?", Scale.NOMINAL, 0, labels=("screen", "paper", "neither")),)
    rows = rows_of("questions", sample("questions", data, asked))
    counts = {row.label: row.value for row in rows if row.statistic == "answer_count"}
    assert counts == {"screen": 1, "paper": 2, "neither": 0}


def test_nobody_answered() -> None:
    data = table(np.full((2, 1), np.nan), rater=[0, 1], item=[0] * 2, system=[-1] * 2, criteria=["ease"])
    asked = (QuestionCriterion("ease", "How easy?", Scale.ORDINAL, 0, (1.0, 2.0), (1.0, 2.0)),)
    rows = rows_of("questions", sample("questions", data, asked))
    held_to_the_contract(rows, "questions")
    assert only(rows, "answer_median").value is None


def test_work_of_a_long_questionnaire_grows_with_its_people_alone() -> None:
    def prepare(n: int) -> Callable[[], object]:
        answers, columns = moods(n, 1)
        assert answers.shape == (n, len(WORDS))
        given = sample("panas", panas_table(answers, columns), words())

        def analyse() -> None:
            rows_of("panas", given)
            rows_of("factors", given, n_factors=2)

        return analyse

    # Loadings may be found in a few steps more.
    assert_work_grows_with_data(prepare, 300, steps=2)
