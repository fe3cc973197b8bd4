"""Groups by an attribute of raters: answers, outcomes, PANAS and trust take any that the study asked for."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.stats

from analytics_app.analyses.base import Sample
from analytics_app.plan import BadPlan, complete
from analytics_app.ratings.extras import Extras
from analytics_app.ratings.extras.measured import Measured
from analytics_app.ratings.extras.rater_attributes import RaterAttributes
from analytics_app.stats.quality.trust import trust_coefficients
from tests.analytics_app.scales import only, rows_of
from tests.analytics_app.test_answers_by_group import AGE, PEOPLE, answers
from tests.analytics_app.test_quality_analyses import sample as rated
from tests.analytics_app.test_quality_rules import given

# Groups of the study are even and odd people, so that halves by the attribute are others.
HALF = np.where(np.arange(PEOPLE) < PEOPLE // 2, "early", "late").astype(object)
YEARS = np.array([f"{years:g}" for years in AGE], dtype=object)


def with_attributes(of: Sample, *extras: object) -> Sample:
    attributes = RaterAttributes({"rater_half": HALF, "rater_age": YEARS})
    return replace(of, extras=Extras({type(extra): extra for extra in (attributes, *extras)}))


def test_answers_are_compared_between_the_groups_of_an_attribute() -> None:
    rows = rows_of("answers_by_group", with_attributes(answers()), groups_by="rater_half")
    welch = scipy.stats.ttest_ind(AGE[HALF == "late"], AGE[HALF == "early"], equal_var=False)
    row = only(rows, "group_mean_difference", label="age")
    assert (row.group, row.slice) == ("rater_half=late", "against=rater_half=early")
    assert row.p == pytest.approx(welch.pvalue, abs=1e-12)
    assert only(rows, "group_mean", label="age", group="rater_half=early").value == AGE[HALF == "early"].mean()


def test_the_question_that_makes_the_groups_is_not_tested_by_itself() -> None:
    limit = float(np.median(AGE))
    rows = rows_of("answers_by_group", with_attributes(answers()), groups_by=f"rater_age ({limit:g})")
    assert {row.label for row in rows} == {"ease", "diet", "rare"}
    older = only(rows, "group_answered", label="ease", group=f"rater_age=over {limit:g}")
    assert older.value == (limit < AGE).sum()


def test_nobody_has_an_attribute_that_was_not_asked_for() -> None:
    assert rows_of("answers_by_group", with_attributes(answers()), groups_by="rater_town") == []


def test_outcomes_are_compared_between_the_groups_of_an_attribute() -> None:
    people, waves = np.tile(np.arange(PEOPLE, dtype=np.int32), 2), np.repeat([1, 2], PEOPLE).astype(np.int32)
    values = np.r_[AGE * 10, AGE * 10 + np.where(HALF == "late", 5, 0) + np.arange(PEOPLE) % 3]
    measured = Measured(
        people, np.zeros(2 * PEOPLE, dtype=np.int32), waves, np.zeros(2 * PEOPLE, dtype=np.int32), values,
        np.ones(2 * PEOPLE, dtype=bool), ("steps",), "main",
    )  # fmt: skip
    rows = rows_of("outcomes", with_attributes(answers(), measured), groups_by="rater_half")
    change = values[PEOPLE:] - values[:PEOPLE]
    welch = scipy.stats.ttest_ind(change[HALF == "late"], change[HALF == "early"], equal_var=False)
    row = only(rows, "outcome_change_between", label="steps")
    assert (row.group, row.slice) == ("rater_half=late", "against=rater_half=early")
    assert row.p == pytest.approx(welch.pvalue, abs=1e-12)
    assert only(rows, "outcome_mean", label="steps", group="rater_half=late", wave=1).n_raters == PEOPLE // 2


def test_trust_is_computed_within_each_group_of_an_attribute() -> None:
    """Among the first three raters one disagrees; the fourth, who is of another group, is compared with nobody."""
    data = given([1, 2, 3, 4, 5, 1], [1, 2, 3, 4, 5, 2], [5, 4, 1, 2, 1, 3], [1, 2, 3, 4, 4, 1])
    expertise = np.array(["novice"] * 3 + ["expert"] * (len(data.names.raters) - 3), dtype=object)
    rows = rows_of("trust", rated(data, RaterAttributes({"rater_expertise": expertise})), slices=["rater_expertise"])
    own = {(row.slice, row.rater): row.value for row in rows if row.statistic == "trust_coefficient" and row.rater}
    among = data.where(data.rater < 3)
    expected = trust_coefficients(among.value, among.text, among.rater)
    assert expected.coefficients is not None
    found = [own["rater_expertise=novice", rater] for rater in data.names.raters[:3]]
    assert found == pytest.approx(expected.coefficients.tolist(), abs=1e-12)
    assert {part for part, _rater in own} == {None, "rater_expertise=novice"}


def test_a_plan_names_an_attribute_of_raters_that_is_asked() -> None:
    for name in ("answers_by_group", "outcomes", "panas"):
        for text, sentence in {"half": "Name an answer of raters", "rater_hall": "rater_half"}.items():
            with pytest.raises(BadPlan, match=sentence):
                complete(
                    {"analyses": [{"analysis": name, "groups_by": text}]}, criteria=(), systems=(), features=list,
                    attributes=lambda: ["rater_half"],
                )  # fmt: skip
