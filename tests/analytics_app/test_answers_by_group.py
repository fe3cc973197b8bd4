"""Answers by group: each question is tested as its scale asks, over one family, and shown as the first table."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.stats

from analytics_app.analyses.base import QuestionCriterion, Sample
from analytics_app.results import Row
from tasks_app.task_types.base import Scale
from tasks_app.task_types.questionnaire.panas import PREFIX
from tests.analytics_app.scales import only, rows_of, sample, table
from tests.analytics_app.views.test_scales_tables import lines, shown

RNG = np.random.default_rng(11)
PEOPLE = 40
GROUP = np.arange(PEOPLE) % 2
AGE = np.round(RNG.normal(35, 9, PEOPLE) + 6 * GROUP)
EASE = np.clip(np.round(RNG.normal(3, 1, PEOPLE) + 1.2 * GROUP), 1, 5)
DIET = RNG.integers(0, 2, PEOPLE)
RARE = np.where(np.isin(np.arange(PEOPLE), (1, 3, 5)), 1, 0)
STEPS = (1.0, 2.0, 3.0, 4.0, 5.0)
ASKED = (
    QuestionCriterion("age", "Your age", Scale.INTERVAL, -1),
    QuestionCriterion("ease", "How easy?", Scale.ORDINAL, -1, STEPS, (1.0, 5.0)),
    QuestionCriterion("diet", "Your diet", Scale.NOMINAL, -1, labels=("usual", "vegan", "other")),
    QuestionCriterion("rare", "Any allergy", Scale.NOMINAL, -1, (0.0, 1.0)),
    QuestionCriterion(f"{PREFIX}alert", "Alert", Scale.ORDINAL, -1, STEPS, (1.0, 5.0)),
)


def answers(waves: int = 1, *, group: np.ndarray = GROUP) -> Sample:
    """Return the answers of forty people in two groups, the same in every wave."""
    once = np.column_stack([AGE, EASE, DIET.astype(float), RARE.astype(float), EASE])
    values = np.tile(once, (waves, 1))
    n = len(values)
    data = table(
        values, rater=[*range(PEOPLE)] * waves, item=[0] * n, system=[-1] * n, criteria=[one.key for one in ASKED],
        group=group.tolist() * waves, wave=np.repeat(np.arange(waves) + 1, PEOPLE).tolist(),
    )  # fmt: skip
    is_diet = data.criterion == 2
    label = np.where(is_diet, data.value, -1).astype(np.int32)
    data = replace(
        data, value=np.where(is_diet, np.nan, data.value), label=label,
        names=replace(data.names, labels=("usual", "vegan")),
    )  # fmt: skip
    return sample("answers_by_group", data, ASKED)


def with_p(rows: list[Row]) -> list[Row]:
    return [row for row in rows if row.p is not None]


def test_each_scale_has_its_test() -> None:
    rows = rows_of("answers_by_group", answers())
    first, second = GROUP == 1, GROUP == 0
    age = only(rows, "group_mean_difference", label="age")
    welch = scipy.stats.ttest_ind(AGE[first], AGE[second], equal_var=False)
    assert (age.group, age.slice) == ("messages", "against=diary")
    assert age.value == pytest.approx(AGE[first].mean() - AGE[second].mean())
    assert age.p == pytest.approx(welch.pvalue)
    ease = only(rows, "group_higher", label="ease")
    assert ease.p == pytest.approx(scipy.stats.mannwhitneyu(EASE[first], EASE[second]).pvalue)
    diet, rare = (only(rows, "group_association", label=key) for key in ("diet", "rare"))
    counts = [[int(((value == DIET) & mask).sum()) for value in (0, 1)] for mask in (second, first)]
    assert diet.p == pytest.approx(scipy.stats.chi2_contingency(counts, correction=False).pvalue)
    assert (diet.settings or {})["test"] == "chi-squared"
    # Three of forty people: expected counts of 1.5.
    assert (rare.settings or {})["test"] == "Fisher's exact"
    assert rare.p == pytest.approx(scipy.stats.fisher_exact([[20, 0], [17, 3]]).pvalue)


def test_words_of_panas_are_left_to_their_scores() -> None:
    assert not [row for row in rows_of("answers_by_group", answers()) if str(row.label).startswith(PREFIX)]


def test_all_tested_a_task_are_one_family() -> None:
    found = with_p(rows_of("answers_by_group", answers(waves=2)))
    assert len(found) == 8
    assert {(row.settings or {})["family"] for row in found} == {"8 tests"}
    worst = max(found, key=lambda row: row.p or 0)
    best = min(found, key=lambda row: row.p or 0)
    assert worst.p_adjusted == pytest.approx(min(1, worst.p or 0), rel=0.5)
    assert best.p_adjusted == pytest.approx(8 * (best.p or 0))


@pytest.mark.parametrize(
    ("steps_as", "statistic"), [("numbers", "group_mean_difference"), ("categories", "group_association")]
)
def test_steps_may_be_taken_otherwise(steps_as: str, statistic: str) -> None:
    assert only(rows_of("answers_by_group", answers(), steps_as=steps_as), statistic, label="ease").p is not None


def test_one_group_is_not_compared() -> None:
    assert rows_of("answers_by_group", answers(group=np.full(PEOPLE, -1))) == []
    assert rows_of("answers_by_group", answers(group=np.zeros(PEOPLE, dtype=int))) == []


def test_the_table_has_groups_beside_each_other() -> None:
    found = shown("answers_by_group", rows_of("answers_by_group", answers()))
    assert list(found) == ["Answers by group", "Tests between groups"]
    rows = {(line["Question"], line["Answer"]): line for line in lines(found["Answers by group"])}
    first = AGE[GROUP == 0]
    age = rows["Your age", "mean (SD)"]
    assert (age["diary"], age["Test"]) == (f"{first.mean():.2f} ({first.std(ddof=1):.2f})", "Welch's t")
    vegan = int((DIET[GROUP == 1] == 1).sum())
    assert rows["Your diet", "vegan"]["messages"] == f"{vegan} ({vegan / 20:.0%})".replace("%", "\u00a0%")
    assert rows["Your diet", "other"]["messages"] == "0 (0\u00a0%)"
    assert rows["Any allergy", "ticked"]["messages"] == "3 (15\u00a0%)"
    # The test of a question stands beside its first answer.
    assert [rows["Any allergy", answer]["Test"] for answer in ("not ticked", "ticked")] == ["Fisher's exact", ""]
    assert rows["How easy?", "median (quartiles)"]["Test"] == "Mann-Whitney"
    assert lines(found["Tests between groups"])[0]["Question and test"] == "Your age (messages − diary, Welch's t)"
    assert any("Holm over 4 tests" in note for note in found["Answers by group"].notes)


def test_each_wave_has_a_table() -> None:
    found = shown("answers_by_group", rows_of("answers_by_group", answers(waves=2)))
    assert list(found) == ["Answers by group, wave 1", "Answers by group, wave 2", "Tests between groups"]
