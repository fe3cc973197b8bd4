"""Published questionnaires: their scoring, against published examples and against computation by hand."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from analytics_app import analyses
from analytics_app.analyses.base import QuestionCriterion
from analytics_app.analyses.instruments import item_values, scored
from analytics_app.ratings import Table
from analytics_app.stats.scales.reliability import cronbach_alpha
from tasks_app.task_types import registry
from tasks_app.task_types.base import Scale
from tasks_app.task_types.questionnaire import Questionnaire
from tasks_app.task_types.questionnaire.instruments import DATA, instrument_choices, scores_of
from tests.analytics_app.scales import only, rows_of, sample, table
from tests.analytics_app.test_scales import held_to_the_contract
from tests.analytics_app.views.test_scales_tables import cells, shown

# The worked example of Brooke (1996), page 193: answers to the ten items, and the score that is printed.
BROOKE, PRINTED = [5, 4, 2, 1, 2, 3, 2, 4, 5, 2], 55.0


def asked(instrument: str) -> tuple[QuestionCriterion, ...]:
    """Return the question of an instrument, as an analysis sees it."""
    kind = registry["questionnaire"]({"instrument": instrument})
    found = []
    for criterion in kind.brings():
        low, high, step = kind.scale_of(criterion) or (0.0, 0.0, 1.0)
        domain = tuple(np.arange(low, high + step / 2, step).tolist())
        found.append(QuestionCriterion(criterion.key, criterion.name, Scale.ORDINAL, -1, domain, (low, high)))
    return tuple(found)


def score(instrument: str, key: str, answers: Sequence[Sequence[float]]) -> list[float]:
    """Return the scores of answers given as steps."""
    (found,) = [one for one in scores_of(instrument) if one.key == key]
    n_steps = len(next(one for one in asked(instrument) if one.key == found.items[0]).domain)
    value = scored(item_values(np.array(answers, dtype=float), found, n_steps), found).value
    return [float(one) for one in value]


def test_sus_of_the_published_example_and_its_ends() -> None:
    best, worst = [5, 1] * 5, [1, 5] * 5
    assert score("sus", "SUS", [BROOKE, best, worst, [3] * 10]) == [PRINTED, 100.0, 0.0, 50.0]


def test_raw_tlx_is_the_mean_of_six_from_0_to_100_and_performance_is_not_reversed() -> None:
    # Steps of 5 from 0: 50, 10, 30, 100 (performance, poor), 75, 20 make 285 / 6.
    steps = [11, 3, 7, 21, 16, 5]
    assert score("nasa_tlx", "RTLX", [steps, [1] * 6, [21] * 6]) == [47.5, 0.0, 100.0]
    (found,) = scores_of("nasa_tlx")
    assert found.items[3] == "tlx-performance"
    assert not found.reversed
    performance = next(one for one in Questionnaire({"instrument": "nasa_tlx"}).brings() if one.key == found.items[3])
    assert (performance.labels[0], performance.labels[1], performance.labels[-1]) == ("0 (Good)", "5", "100 (Poor)")


def test_ueq_s_has_two_scales_of_four_and_an_overall_mean_from_minus_3_to_3() -> None:
    steps = [7, 6, 5, 4, 1, 2, 3, 7]  # 3, 2, 1, 0 and -3, -2, -1, 3
    assert score("ueq_s", "pragmatic", [steps[:4]]) == [1.5]
    assert score("ueq_s", "hedonic", [steps[4:]]) == [-0.75]
    assert score("ueq_s", "overall", [steps]) == [0.375]


def test_a_person_who_left_out_an_item_has_no_score() -> None:
    assert np.isnan(score("sus", "SUS", [[float("nan"), *BROOKE[1:]]])[0])


@pytest.mark.parametrize("path", sorted(DATA.glob("*.json")), ids=lambda path: path.stem)
def test_a_data_file_is_all_that_an_instrument_needs(path: Path) -> None:
    data = json.loads(path.read_text(encoding="utf-8"))
    assert path.stem in dict(instrument_choices())
    assert data["label"]
    assert data["source"]
    # A published questionnaire has a language of its own, and says what is known of its licence.
    assert bool(data.get("licence")) == bool(data["language"])
    kind = Questionnaire({"instrument": path.stem})
    assert list(kind.problems(())) == []
    keys = {criterion.key for criterion in kind.brings()}
    for one in scores_of(path.stem):
        assert set(one.items) <= keys
        assert one.reversed <= set(one.items)
        n_steps = {len(asked_.domain) for asked_ in asked(path.stem) if asked_.key in one.items}
        assert len(n_steps) == 1
        # The ends of the range are what the lowest and the highest answers give.
        (steps,) = n_steps
        high = [[1 if item in one.reversed else steps for item in one.items]]
        low = [[steps if item in one.reversed else 1 for item in one.items]]
        ends = [float(scored(item_values(np.array(end, dtype=float), one, steps), one).value[0]) for end in (low, high)]
        assert tuple(ends) == one.limits


def answered(people: int = 30) -> tuple[np.ndarray, list[int]]:
    """Answers of people in two groups to SUS; the second group finds the system easier to use."""
    rng = np.random.default_rng(3)
    group = [person % 2 for person in range(people)]
    liking = np.array(group) * 1.2 - 0.6 + rng.normal(size=people) * 0.6
    sign = np.array([1, -1] * 5)
    steps = np.clip(np.round(3 + liking[:, None] * sign + rng.normal(size=(people, 10)) * 0.7), 1, 5)
    return steps, group


def test_rows_by_group_with_alpha_after_reversal() -> None:
    steps, group = answered()
    steps[0, 3] = np.nan
    n = len(steps)
    data = table(
        steps, rater=list(range(n)), item=[0] * n, system=[-1] * n, criteria=[one.key for one in asked("sus")],
        group=group,
    )  # fmt: skip
    given = sample("questions", data, asked("sus"), instrument="sus")
    rows = rows_of("instruments", given)
    held_to_the_contract(rows, "instruments")
    by_hand = ((steps[:, ::2] - 1).sum(axis=1) + (5 - steps[:, 1::2]).sum(axis=1)) * 2.5
    mean = only(rows, "score_mean", label="SUS", group=None)
    assert mean.value == pytest.approx(np.nanmean(by_hand))
    assert mean.n_raters == n - 1
    assert only(rows, "score_missing", group=None).value == 1
    assert only(rows, "score_sd", group=None).value == pytest.approx(np.nanstd(by_hand, ddof=1))
    turned = np.where(np.arange(10) % 2, 6 - steps, steps)[1:]
    alpha = only(rows, "score_alpha", group=None)
    assert alpha.value == pytest.approx(cronbach_alpha(turned).value)
    assert (alpha.value or 0) > 0.7
    means = {row.group: row.value or 0 for row in rows if row.statistic == "score_mean"}
    assert means["diary"] + 10 < means["messages"]
    found = shown("instruments", rows)["Scores of the questionnaire"]
    assert cells(found, "System Usability Scale, messages")["Mean"] == f"{means['messages']:.2f}"
    assert any("from 0 to 100" in note for note in found.notes)


def test_only_questionnaires_with_declared_scores_are_scored() -> None:
    member = analyses.registry["instruments"]
    question = sample("questions", _empty(), asked("sus"), instrument="sus").question
    assert member.fits(question)
    assert not member.fits(replace(question, criteria=question.criteria[:9]))
    for other in ("own", "panas", "demographics"):
        assert not member.fits(replace(question, params={"instrument": other}))


def _empty() -> Table:
    return table(np.full((1, 10), 3.0), rater=[0], item=[0], system=[-1], criteria=[one.key for one in asked("sus")])
