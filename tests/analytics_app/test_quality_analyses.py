"""Trust coefficients, care of raters and reduced scales as analyses, and how pages show them."""

from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest

from analytics_app import analyses
from analytics_app.analyses import Common, Question, Sample
from analytics_app.analyses.base import QuestionCriterion
from analytics_app.analyses.shared.transforms import Reduction
from analytics_app.models import ResultRow
from analytics_app.plan import BadPlan, complete
from analytics_app.ratings import Extra, Extras, Table
from analytics_app.ratings.extras.kinds import Kinds
from analytics_app.results import Row
from analytics_app.show.shown import tables_for
from analytics_app.stats.quality.trust import trust_coefficients
from tasks_app.task_types.base import Scale
from tests.analytics_app.test_quality_rules import FIVE, controls, given, repeats, times
from tests.analytics_app.test_quality_rules import Words as ShownWords
from tests.house.test_analyses import table

ODD = given([1, 2, 3, 4, 5, 1], [1, 2, 3, 4, 5, 2], [1, 2, 3, 4, 4, 1], [5, 4, 1, 2, 1, 3])


def sample(data: Table, *extras: Extra, scale: Scale = Scale.ORDINAL, **changes: Any) -> Sample:
    asked = QuestionCriterion("fluency", "Fluency", scale, 0, (1.0, 2.0, 3.0, 4.0, 5.0), (1.0, 5.0))
    question = Question("main", "likert", scale, "fluency", asked.domain, asked.limits, criteria=(asked,))
    common = Common(n_resamples=100, n_permutations=99, seed=3)
    known = Extras({Kinds: Kinds.empty(data)} | {type(one): one for one in extras})
    return Sample(data, np.full(len(data), np.nan), replace(question, **changes), common, "kept", extras=known)


def rows(name: str, of: Sample, **settings: Any) -> list[Row]:
    return list(analyses.registry[name](settings).rows(of))


class TestReducedScales:
    def test_groups_are_numbered_or_have_a_value_of_their_own(self) -> None:
        found = Reduction.of(" 0 |1,2|  3   4 = 7 ")
        assert dict(zip(found.steps, found.values, strict=True)) == {0: 0, 1: 1, 2: 1, 3: 7, 4: 7}
        assert found.text == "0 | 1 2 | 3 4 = 7"
        assert Reduction.of("-1 = 0.5 | 2.5").values == (0.5, 1.0)

    @pytest.mark.parametrize(
        ("wrong", "said"),
        [
            ("1 2 | 2 3", "stands in two groups"),
            ("1 | | 2", "is empty"),
            ("1 2 3", "at least two groups"),
            ("1 = 2 | 3 = 2", "at least two groups"),
            ("low | high", "“low” is no step"),
            ("1 | nan", "no step"),
            ("1 | 2 = x", "“x” is no step"),
        ],
    )
    def test_what_cannot_be_read_is_said(self, wrong: str, said: str) -> None:
        with pytest.raises(ValueError, match=said):
            Reduction.of(wrong)

    def test_a_plan_may_ask_for_several_scales_and_is_told_what_is_wrong(self) -> None:
        both = [{"analysis": "krippendorff"}, {"analysis": "krippendorff", "reduce": "1 2|3"}]
        document = complete({"analyses": both}, criteria=(), systems=())
        assert [one["reduce"] for one in document["analyses"]] == ["", "1 2 | 3"]
        with pytest.raises(BadPlan, match="stands here twice"):
            complete({"analyses": [*both, {"analysis": "krippendorff", "reduce": "1  2 | 3"}]}, criteria=(), systems=())
        with pytest.raises(BadPlan, match="reduce: A step stands in two groups"):
            complete({"analyses": [{"analysis": "trust", "reduce": "1 | 1"}]}, criteria=(), systems=())

    def test_alpha_on_a_reduced_scale_is_alpha_of_the_reduced_values(self) -> None:
        (whole,) = rows("krippendorff", sample(ODD))
        (low,) = rows("krippendorff", sample(ODD), reduce="1 2 | 3 4 5")
        by_hand = replace(ODD, value=(ODD.value > 2).astype(float))
        (expected,) = rows("krippendorff", sample(by_hand, domain=(0.0, 1.0)))
        assert (whole.slice, low.slice) == (None, "reduced=1 2 | 3 4 5")
        assert low.value == pytest.approx(expected.value)
        assert low.value != pytest.approx(whole.value)

    def test_steps_in_no_group_are_left_out_and_said(self) -> None:
        (row,) = rows("krippendorff", sample(ODD), reduce="1 2 | 3 4")
        assert row.n_ratings == 21
        assert "3 ratings have a step that is in no group and left out." in str(row.note)
        (row,) = rows("krippendorff", sample(ODD), reduce="12 | 34")
        assert row.value is None
        assert str(row.note).startswith("Nothing was rated")


class TestAgainstTheSource:
    """Two raters, two items; system 2 is the source, and the second rater did not rate that of the second item."""

    DATA = table(
        [3, 4, 2, 5, 1, 4, 2, 2, 1],
        [0, 0, 0, 0, 0, 1, 1, 1, 1],
        [0, 0, 0, 1, 1, 0, 0, 0, 1],
        [0, 1, 2, 0, 2, 0, 1, 2, 0],
    )

    def means(self, data: Table, **settings: Any) -> dict[str | None, Row]:
        kinds = Kinds(("machine", "machine", "source"))
        found = rows("systems", sample(data, kinds), reduce="source", **settings)
        return {row.system: row for row in found if row.statistic == "mean"}

    def test_the_mean_is_the_share_at_least_as_good(self) -> None:
        found = self.means(replace(self.DATA, value=np.array([3, 1, 2, 5, 1, 1, 2, 2, 1.0])))
        assert {system: (row.value, row.n_ratings) for system, row in found.items()} == {
            "s0": (pytest.approx(2 / 3), 3),
            "s1": (0.5, 2),
        }
        assert {row.slice for row in found.values()} == {"reduced=at least as good as its source"}
        said = "1 rating is of a text whose source the same rater did not rate: left out."
        assert said in str(found["s0"].note)

    def test_without_a_source_nothing_is_rated(self) -> None:
        (row,) = rows("krippendorff", sample(self.DATA, Kinds(("machine",) * 3)), reduce="source")
        assert row.value is None
        assert "9 ratings are of a text whose source the same rater did not rate" in str(row.note)

    def test_a_plan_may_ask_for_it(self) -> None:
        document = complete({"analyses": [{"analysis": "systems", "reduce": " source "}]}, criteria=(), systems=())
        assert document["analyses"][0]["reduce"] == "source"


class TestTrust:
    def test_a_row_a_rater_and_how_many_groups(self) -> None:
        found = rows("trust", sample(ODD))
        expected = trust_coefficients(ODD.value, ODD.text, ODD.rater)
        assert expected.coefficients is not None
        own = [row for row in found if row.statistic == "trust_coefficient"]
        assert [row.rater for row in own] == ["r0", "r1", "r2", "r3"]
        assert [row.value for row in own] == pytest.approx(expected.coefficients.tolist())
        assert {row.n_items for row in own} == {6}
        counts = {row.statistic: row.value for row in found if row.rater is None}
        assert counts == {"trust_groups": 11.0, "trust_groups_undefined": 0.0}
        assert own[0].settings == {"level": "nominal", "groups": "all 11", "ratings": "first of a rater for a text"}

    def test_labels_are_nominal_whatever_the_level_says(self) -> None:
        data = replace(ODD, value=np.full(len(ODD), np.nan), label=ODD.value.astype(np.int32))
        nominal, ordinal = (
            [row.value for row in rows("trust", sample(data, scale=Scale.NOMINAL), level=level)]
            for level in ("nominal", "ordinal")
        )
        assert nominal == ordinal == [row.value for row in rows("trust", sample(ODD))]

    def test_undefined_says_why(self, monkeypatch: pytest.MonkeyPatch) -> None:
        (row,) = rows("trust", sample(given([1, 1], [1, 1])))
        assert (row.value, row.rater) == (None, None)
        assert "all ratings are the same" in str(row.note)
        monkeypatch.setattr("analytics_app.analyses.trust.MOST_RATERS", 3)
        (row,) = rows("trust", sample(ODD))
        assert "There are 4 raters" in str(row.note)

    def test_groups_without_alpha_are_counted(self) -> None:
        data = given([1, 2, 3, 1], [1, 2, 3, 2], [])
        data = replace(data, rater=np.r_[data.rater[:-1], 2].astype(np.int32))
        found = {row.statistic: row for row in rows("trust", sample(data)) if row.rater is None}
        assert found["trust_groups_undefined"].value == 1
        assert "favours raters with few answers" in str(found["trust_groups_undefined"].note)


class TestCare:
    def figures(self) -> list[Row]:
        care = analyses.registry["rater_quality"]
        pairs = repeats(FIVE, [(0, 1.0, 1.0), (0, 3.0, 5.0), (1, 2.0, 2.0)])
        about = times(FIVE, elapsed=[60, 120], answered=[3, 3], seconds=[0.5, 9, 9] + [9] * 12)
        known: dict[type[Extra], Extra] = {need: need.empty(FIVE) for need in care.needs}
        for one in (pairs, about, controls([(0, True), (0, False)]), ShownWords(np.full(len(FIVE.names.units), 5.0))):
            known[type(one)] = one
        return rows("rater_quality", sample(FIVE, *known.values(), whole=True, criterion=None))

    def test_every_figure_with_what_it_was_counted_from(self) -> None:
        found: dict[Any, Any] = {(row.statistic, row.rater): (row.value, row.n_ratings) for row in self.figures()}
        assert found["rater_inconsistency", "r0"] == (pytest.approx(np.sqrt(0.125)), 2)
        assert found["rater_repeat_difference", "r0"] == (pytest.approx(0.25), 2)
        assert found["rater_inconsistency", "r1"] == (0.0, 1)
        assert found["rater_longest_run", "r4"] == (1.0, 3)
        assert found["rater_checks_right", "r0"] == (0.5, 2)
        assert found["rater_fast_screens", "r0"] == (pytest.approx(1 / 3), 3)
        assert found["rater_working_time", "r1"] == (120.0, 3)
        assert found["rater_skips", None] == (None, None)

    def test_the_page_has_a_row_a_rater(self) -> None:
        (shown,) = tables_for("rater_quality", stored(self.figures()), 0.05)
        heads = [str(one.label) for one in shown.columns]
        assert heads == [
            "Rater", "Inconsistency score", "Repeats", "Longest run", "Answers on that scale", "Checks right",
            "Checks", "Screens too fast", "Working minutes",
        ]  # fmt: skip
        assert [cell.text for cell in shown.rows[0]] == [
            "r0",
            "0.35",
            "2",
            "1",
            "3",
            "50\u00a0%",
            "2",
            "33\u00a0%",
            "1.0",
        ]
        assert shown.rows[4][1].text == "–"
        assert "No unit was skipped." in shown.notes

    def test_a_control_score_is_of_checks_and_repeats_on_a_fine_scale(self) -> None:
        assert not [row for row in self.figures() if row.statistic == "rater_control_score"], (
            "five steps are too coarse"
        )
        care = analyses.registry["rater_quality"]
        # On a scale from 0 to 100, 10 points are right and 11 are not.
        pairs = repeats(FIVE, [(0, 40.0, 50.0), (0, 50.0, 39.0), (1, 10.0, 12.0)])
        known: dict[type[Extra], Extra] = {need: need.empty(FIVE) for need in care.needs}
        known |= {type(one): one for one in (pairs, controls([(0, True), (0, False), (2, True)]))}
        asked = (QuestionCriterion("fluency", "Fluency", Scale.INTERVAL, 0, (), (0.0, 100.0)),)
        found = rows("rater_quality", sample(FIVE, *known.values(), whole=True, criterion=None, criteria=asked))
        scores = {row.rater: (row.value, row.n_ratings) for row in found if row.statistic == "rater_control_score"}
        assert scores == {"r0": (5.0, 4), "r1": (10.0, 1), "r2": (10.0, 1)}
        (shown,) = tables_for("rater_quality", stored(found), 0.05)
        assert "Control score" in [str(one.label) for one in shown.columns]
        assert any("do not exclude anybody for this score alone" in note for note in shown.notes)

    def test_who_was_left_out_is_marked(self) -> None:
        all_of = [replace(row, basis="all") for row in self.figures()]
        kept = [row for row in self.figures() if row.rater != "r3"]
        (shown,) = tables_for("rater_quality", stored([*all_of, *kept]), 0.05)
        assert [row[1].text for row in shown.rows] == ["–", "–", "–", "yes", "–"]


def stored(found: list[Row]) -> list[ResultRow]:
    return [ResultRow(order=order, **asdict(row)) for order, row in enumerate(found)]


def test_the_page_of_trust_has_the_least_trusted_first_and_both_bases() -> None:
    kept = [*rows("trust", sample(ODD)), *rows("trust", sample(ODD), reduce="1 2 | 3 4 5")]
    before = [replace(row, basis="all") for row in kept if row.slice is None]
    (shown,) = tables_for("trust", stored([*before, *kept]), 0.05)
    assert [str(one.label) for one in shown.columns] == [
        "Rater", "nominal, before rules", "nominal", "reduced=1 2 | 3 4 5, nominal",
    ]  # fmt: skip
    assert shown.rows[0][0].text == "r3"
    assert "nominal (kept ratings): all 11 groups of raters, 0 of them without alpha." in shown.notes
