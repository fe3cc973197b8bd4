"""Marked errors by the commands a user has, worked out by hand."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import linregress, pearsonr

from analytics_app import charts
from analytics_app.analyses import registry
from analytics_app.models import Exclusion, ResultRow
from analytics_app.results import Row
from analytics_app.show.shown import tables_for
from analytics_app.stats.mixed.crossed import compare_crossed
from tasks_app.models import Rater, Study
from tests.analytics_app.by_commands import analysed, load, one, score, write
from tests.once import ModuleRows
from tests.undrawn import undrawn

pytestmark = pytest.mark.django_db

ITEMS = [
    {
        "item": f"i{number}", "system": system, "output": f"{system} text {number}", "source": f"source {number}",
        "feature_domain": "news" if number < 3 else "chat",
    }
    for number in (1, 2, 3)
    for system in ("A", "B")
]  # fmt: skip
ANALYSIS = {"analysis": "error_spans"}


def mark(rater: str, item: str, system: str, kind: str, start: int, end: int, side: str = "output") -> dict[str, Any]:
    severity, category = kind.split(" ")
    return {
        "rater": rater, "item": item, "system": system, "severity": severity, "category": category,
        "span_side": side, "span_start": start, "span_end": end,
    }  # fmt: skip


def nothing(rater: str, item: str, system: str) -> dict[str, Any]:
    return {"rater": rater, "item": item, "system": system, "label": "none"}


MARKS = [
    mark("r1", "i1", "A", "major accuracy/mistranslation", 0, 4),
    mark("r2", "i1", "A", "major accuracy/mistranslation", 0, 4),
    nothing("r1", "i1", "B"), nothing("r2", "i1", "B"),
    mark("r1", "i2", "A", "minor fluency/punctuation", 0, 1), nothing("r2", "i2", "A"),
    mark("r1", "i2", "B", "major style/awkward", 2, 6), mark("r1", "i2", "B", "minor fluency/grammar", 7, 8),
    mark("r2", "i2", "B", "major style/awkward", 1, 6),
    nothing("r1", "i3", "A"), nothing("r2", "i3", "A"), nothing("r1", "i3", "B"),
    mark("r2", "i3", "B", "minor source-error", 0, 3, "source"),
]  # fmt: skip


@pytest.fixture(scope="module")
def rows_once(module_db: ModuleRows, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Load the study and analyse it."""
    folder = tmp_path_factory.mktemp("study")
    load(folder, {"type": "error_spans", "params": {"scheme": "mqm"}, "k": 2}, ITEMS, MARKS)
    with undrawn():
        return analysed(folder, {**ANALYSIS, "slices": ["domain"], "segments": True})


@pytest.fixture
def rows(rows_once: list[dict[str, Any]], db: None) -> list[dict[str, Any]]:
    """The results; the study and its run are there."""
    return rows_once


def test_penalties_are_means_over_segments_of_means_over_raters(rows: list[dict[str, Any]]) -> None:
    # A: 5 and 5, 0.1 and 0, 0 and 0. B: 0 and 0, 6 and 5, 0 and 1.
    a, b = (one(rows, "mqm_score", system=system) for system in "AB")
    assert a["value"] == pytest.approx((5 + 0.05 + 0) / 3)
    assert b["value"] == pytest.approx((0 + 5.5 + 0.5) / 3)
    assert (a["n_ratings"], a["n_items"], a["n_raters"]) == (6, 3, 2)
    assert a["note"].startswith("Lower is better.")
    pair = one(rows, "mqm_difference", system="A", system_b="B")
    assert pair["value"] == pytest.approx(a["value"] - b["value"])
    assert pair["p"] == pair["p_adjusted"] is not None
    news = one(rows, "mqm_score", system="A", slice="domain=news")
    assert news["value"] == pytest.approx(5.05 / 2)
    assert one(rows, "mqm_segment", system="B", label="i2")["value"] == pytest.approx(5.5)
    assert len([row for row in rows if row["statistic"] == "mqm_segment"]) == 6


def test_penalties_are_compared_for_further_raters_and_texts(rows: list[dict[str, Any]]) -> None:
    # By item and rater: those of A, then those of B.
    penalty = np.array([[[5, 5], [0.1, 0], [0, 0]], [[0, 0], [6, 5], [0, 1]]])
    system, item, rater = (codes.ravel() for codes in np.indices(penalty.shape))
    expected = compare_crossed(
        penalty.ravel(), system, item, rater, n_systems=2, pairs=[(0, 1)], confidence=0.95
    ).pairs[0].difference  # fmt: skip
    pair = one(rows, "mqm_difference_crossed", system="A", system_b="B")
    assert (pair["value"], pair["se"], pair["df"]) == pytest.approx((expected.value, expected.se, expected.df))
    assert (pair["p"], pair["p_adjusted"]) == pytest.approx((expected.p, expected.p))
    assert pair["settings"]["generalises_to"] == "further texts and further raters"
    assert pair["settings"]["family"] == "1 pairs of one task"
    assert pair["note"].startswith("Below zero the first has the lower penalty, which is better.")
    score = one(rows, "mqm_score_crossed", system="A")
    assert score["value"] == pytest.approx(penalty[0].mean())
    assert score["low"] < score["value"] < score["high"]


def test_profiles_count_texts_without_an_error(rows: list[dict[str, Any]]) -> None:
    assert one(rows, "errors_per_text", system="A")["value"] == pytest.approx((1 + 0.5 + 0) / 3)
    assert one(rows, "no_error_share", system="A")["value"] == pytest.approx((0 + 0.5 + 1) / 3)
    assert one(rows, "errors_by_severity", system="B", label="major")["value"] == pytest.approx(2 / 6)
    assert one(rows, "errors_by_group", system="B", label="fluency, minor")["value"] == pytest.approx(1 / 6)
    assert one(rows, "no_error_count")["value"] == 6
    assert one(rows, "most_errors")["value"] == 2
    assert one(rows, "group_count", label="style")["value"] == 2
    assert one(rows, "mqm_of_rater", rater="r2")["value"] == pytest.approx((5 + 5 + 1) / 6)
    assert one(rows, "no_error_of_rater", rater="r1")["value"] == pytest.approx(3 / 6)


def test_parts_sum_to_the_whole_though_segments_have_different_numbers_of_raters(tmp_path: Path) -> None:
    """On i1 two raters saw A, on i2 and i3 one did: a segment weighs the same whoever saw it."""
    marks = [
        mark("r1", "i1", "A", "major accuracy/mistranslation", 0, 4), nothing("r2", "i1", "A"),
        mark("r1", "i2", "A", "minor fluency/punctuation", 0, 1), mark("r1", "i2", "A", "minor style/awkward", 2, 3),
        mark("r1", "i3", "A", "major accuracy/omission", 0, 2),
        *(nothing("r2", item, "B") for item in ("i1", "i2", "i3")),
    ]  # fmt: skip
    load(tmp_path, {"type": "error_spans", "params": {"scheme": "mqm"}, "k": 2}, ITEMS, marks)
    found = analysed(tmp_path, ANALYSIS)
    assert one(found, "errors_per_text", system="A")["value"] == pytest.approx((0.5 + 2 + 1) / 3)
    assert one(found, "errors_by_severity", system="A", label="major")["value"] == pytest.approx((0.5 + 0 + 1) / 3)
    for statistic in ("errors_by_severity", "errors_by_category", "errors_by_group"):
        parts = [row for row in found if (row["statistic"], row["system"]) == (statistic, "A")]
        assert sum(row["value"] for row in parts) == pytest.approx((0.5 + 2 + 1) / 3), statistic
        assert sum(row["n_ratings"] for row in parts) == 4
        assert parts[0]["settings"]["segment"] == "mean over raters"


def test_agreement_on_spans(rows: list[dict[str, Any]]) -> None:
    # Of r1's 4 marks r2 has 1 in place, 2 by overlap; of r2's 3 as many.
    assert one(rows, "span_f1_exact")["value"] == pytest.approx(2 * 1 / 7)
    assert one(rows, "span_f1_overlap")["value"] == pytest.approx(2 * 2 / 7)
    assert one(rows, "span_f1_overlap", label="same severity")["value"] == pytest.approx(2 * 2 / 7)
    # Matched are i1 A, in full, and i2 B: 4 characters of r1's 4 and of r2's 5.
    precision, recall = (1 + 4 / 4) / 4, (1 + 4 / 5) / 3
    f1 = one(rows, "span_f1_partial")
    assert f1["value"] == pytest.approx(2 * precision * recall / (precision + recall))
    assert f1["low"] < f1["value"] < f1["high"]
    same = one(rows, "span_f1_partial", label="same severity")
    assert (same["value"], same["settings"]["penalty of another severity"]) == (pytest.approx(f1["value"]), 0.5)
    alpha = one(rows, "character_alpha", label="output")
    assert 0 < alpha["value"] < 1
    assert alpha["n_items"] == 6
    assert one(rows, "character_alpha", label="source")["value"] < 0


def test_weights_of_a_plan_go_before_those_of_the_task(tmp_path: Path) -> None:
    load(tmp_path, {"type": "error_spans", "params": {"scheme": "mqm"}, "k": 2}, ITEMS, MARKS)
    weights = ["minor + fluency: 2", "major: 10"]
    found = analysed(tmp_path, {**ANALYSIS, "weights": weights})
    a = one(found, "mqm_score", system="A")
    assert a["value"] == pytest.approx((10 + 1 + 0) / 3)
    assert a["settings"]["weights"] == "of the plan"
    assert "1 marks fit no weight" in a["note"]


@pytest.mark.parametrize("wrong", ["major", "major: much", "major: -1", ": 5", "+minor: 1"])
def test_what_is_no_weight_is_refused(wrong: str) -> None:
    with pytest.raises(ValueError, match="is no weight"):
        registry["error_spans"].Settings.read({"weights": [wrong]})


def test_who_is_excluded_by_hand_no_longer_counts_even_without_a_mark(tmp_path: Path) -> None:
    silent = [nothing("r3", item["item"], item["system"]) for item in ITEMS]
    load(tmp_path, {"type": "error_spans", "params": {"scheme": "mqm"}, "k": 3}, ITEMS, [*MARKS, *silent])
    before = analysed(tmp_path, ANALYSIS)
    assert one(before, "no_error_count")["value"] == 12
    study = Study.objects.get(slug="small")
    rater = Rater.objects.get(study=study, pseudonym="r3")
    Exclusion.objects.create(study=study, rule="manual", rater=rater, reason="Clicked through.")
    after = analysed(tmp_path, ANALYSIS)
    assert one(after, "no_error_count")["value"] == 6
    assert one(after, "mqm_score", system="A")["value"] == pytest.approx(5.05 / 3)


SCORED = [90, 40, 100, 70, 100, 20, 50, 80]


def scored(
    tmp_path: Path, values: list[int], n_marks: list[int], params: dict[str, object] | None = None, **settings: object
) -> list[dict[str, Any]]:
    """Load an ESA task of as many items as values, each with so many major marks, and analyse it."""
    items = [
        {"item": f"i{n}", "system": "A", "output": f"a text number {n}", "source": "s"} for n in range(len(values))
    ]
    ratings: list[dict[str, Any]] = []
    for n, (value, marks) in enumerate(zip(values, n_marks, strict=True)):
        about = {"rater": "r1", "item": f"i{n}", "system": "A"}
        ratings.append({**about, "criterion": "score", "value": value})
        ratings += [
            {
                **about, "criterion": "errors", "severity": "major", "span_side": "output", "span_start": 2 * m,
                "span_end": 2 * m + 1,
            }
            for m in range(marks)
        ]  # fmt: skip
    params = {"scheme": "esa", **(params or {})}
    load(tmp_path, {"type": "error_spans", "params": params, "k": 1}, items, ratings)
    return analysed(tmp_path, {**ANALYSIS, **settings})


def test_scores_beyond_the_limits_of_the_study_are_counted(tmp_path: Path) -> None:
    n_marks = [0, 2, 1, 1, 0, 0, 2, 1]
    found = scored(tmp_path, SCORED, n_marks, {"high_score": 60, "low_score": 85, "score_check": "refuse"})
    high, low = (one(found, name, criterion="score") for name in ("high_score_grave_error", "score_too_low_no_error"))
    pairs = list(zip(SCORED, n_marks, strict=True))
    assert high["value"] == sum(score >= 60 and n > 0 for score, n in pairs) > 0
    assert low["value"] == sum(score < 85 and n == 0 for score, n in pairs) > 0
    assert (high["n_ratings"], high["settings"]["score"]) == (8, "at least 60")
    assert low["settings"] == {"score": "below 85", "said to raters": "refused"}
    assert one(found, "score_too_low_no_error", criterion="score", rater="r1")["value"] == low["value"]


def test_what_a_score_says_beside_the_marks(tmp_path: Path) -> None:
    n_marks = [0, 2, 1, 1, 0, 0, 2, 1]
    found = scored(tmp_path, SCORED, n_marks, low_score=40)
    assert one(found, "esa_score", criterion="score", system="A")["value"] == pytest.approx(np.mean(SCORED))
    assert one(found, "top_score_grave_error", criterion="score")["value"] == 1
    assert one(found, "low_score_no_error", criterion="score")["value"] == 1
    assert one(found, "low_score_no_error", criterion="score", rater="r1")["value"] == 1
    line = linregress(n_marks, SCORED)
    slope = one(found, "score_regression", criterion="score", label="major")
    assert slope["value"] == pytest.approx(line.slope)
    assert slope["low"] < slope["value"] < slope["high"]
    assert one(found, "score_regression_r2", criterion="score")["value"] == pytest.approx(line.rvalue**2)
    # ESA has no weights of its own: those of MQM, by the names of its severities.
    penalty = one(found, "mqm_score", system="A")
    assert penalty["value"] == pytest.approx(5 * np.mean(n_marks))
    assert penalty["settings"]["weights"].startswith("as published")


@pytest.mark.parametrize(
    ("severities", "penalty", "weights"),
    [
        (("major", "minor", "neutral"), 6 / 3, "as published"),
        (("major", "minor"), 6 / 3, "as published"),
        (("neutral",), 0, "as published"),
        (("major", "minor", "neutral", "fatal"), None, None),
    ],
)
def test_severities_of_published_names_weigh_as_published_and_others_need_weights(
    tmp_path: Path, severities: tuple[str, ...], penalty: float | None, weights: str | None
) -> None:
    own = [{"key": name, "name": name.capitalize()} for name in severities]
    marks = [mark("r1", "i1", "A", f"{name} style", n, n + 1) for n, name in enumerate(severities)]
    rest = [nothing("r1", f"i{n}", "A") for n in (2, 3)] + [nothing("r1", f"i{n}", "B") for n in (1, 2, 3)]
    params = {"scheme": "plain", "severities": own, "categories": [{"key": "style", "name": "Style"}]}
    load(tmp_path, {"type": "error_spans", "params": params, "k": 1}, ITEMS, [*marks, *rest])
    found = analysed(tmp_path, ANALYSIS)
    rows = [row for row in found if row["statistic"] == "mqm_score" and row["basis"] == "kept"]
    if penalty is None:
        assert [(row["value"], "set weights" in row["note"]) for row in rows] == [(None, True)]
        return
    (row,) = (row for row in rows if row["system"] == "A")
    assert row["value"] == pytest.approx(penalty)
    assert row["settings"]["weights"].startswith(weights)


def test_a_regression_that_cannot_be_fitted_says_why(tmp_path: Path) -> None:
    found = scored(tmp_path, [10, 20, 30, 40], [1, 1, 1, 1])
    row = one(found, "score_regression", criterion="score", label="no error")
    assert row["value"] is None
    assert row["note"] == "Every text has the same number of errors, so they explain nothing."


def test_nothing_marked_at_all(tmp_path: Path) -> None:
    silent = [nothing(rater, item["item"], item["system"]) for rater in ("r1", "r2") for item in ITEMS]
    load(tmp_path, {"type": "error_spans", "params": {"scheme": "mqm"}, "k": 2}, ITEMS, silent)
    found = analysed(tmp_path, ANALYSIS)
    assert one(found, "mqm_score", system="A")["value"] == 0
    assert one(found, "mqm_difference", system="A", system_b="B")["p"] == 1
    f1 = one(found, "span_f1_exact")
    assert f1["value"] is None
    assert f1["note"].startswith("No error was marked")


def test_plain_marks_without_weights_have_no_penalty(tmp_path: Path) -> None:
    marks = [{**row, "severity": "", "category": ""} for row in MARKS]
    load(tmp_path, {"type": "error_spans", "params": {"scheme": "plain"}, "k": 2}, ITEMS, marks)
    found = analysed(tmp_path, ANALYSIS)
    row = one(found, "mqm_score")
    assert row["value"] is None
    assert "set weights" in row["note"]
    assert one(found, "errors_per_text", system="B")["value"] == pytest.approx((0 + 1.5 + 0.5) / 3)


def test_metrics_are_compared_with_penalties(tmp_path: Path) -> None:
    load(tmp_path, {"type": "error_spans", "params": {"scheme": "mqm"}, "k": 2}, ITEMS, MARKS)
    rows = analysed(tmp_path, {"analysis": "metrics_of_errors"})
    assert {row["analysis"] for row in rows} == {"funnel"}
    penalties = {"i1": (5, 0), "i2": (0.05, 5.5), "i3": (0, 0.5)}
    scores = [
        {"item": item, "system": system, "close": 100 - 3 * penalty - (system == "B"), "TER": 2 * penalty}
        for item, pair in penalties.items()
        for system, penalty in zip("AB", pair, strict=True)
    ]
    score(write(tmp_path / "scores.csv", scores), "close", "TER")
    found = analysed(tmp_path, {"analysis": "metrics_of_errors", "lower_is_better": ["TER"]})
    human = [-penalty for pair in penalties.values() for penalty in pair]
    close = one(found, "metric_pearson_texts", metric="close")
    assert close["value"] == pytest.approx(pearsonr(human, [row["close"] for row in scores]).statistic)
    assert one(found, "metric_pearson_texts", metric="TER")["value"] == pytest.approx(1)
    # On i1 the second text is better, on the others the first.
    assert one(found, "metric_tau_like_pooled", metric="TER")["value"] == 1
    own = [Row(**row) for row in found if row["analysis"] == "metrics_of_errors"]
    assert "metrics-texts" in {chart.key for chart in charts.draw_task(own, "main")}


def test_charts_and_tables_of_it(rows: list[dict[str, Any]]) -> None:
    own = [Row(**row) for row in rows if row["analysis"] == "error_spans"]
    drawn = {chart.key: chart for chart in charts.draw_task(own, "main")}
    assert set(drawn) == {"penalties", "severities", "kinds-of-error"}
    assert "lower is better" in drawn["penalties"].subtitle
    assert "for further texts and further raters" in drawn["penalties"].subtitle
    assert drawn["penalties"].title == "Among the lowest penalties for errors, no clear difference between A and B"
    stored = [ResultRow(**row) for row in rows if row["analysis"] == "error_spans"]
    made = tables_for("error_spans", stored, 0.05)
    assert str(made[0].caption) == "Marked errors by system: lower is better"
    assert [cells[0].text for cells in made[0].rows] == ["A", "B"]
    assert all(len(cells) == len(table.columns) for table in made for cells in table.rows)
    pairs = made[1]
    heads = [str(column.label) for column in pairs.columns]
    assert heads[1:5] == ["Difference", "For further texts and raters", "p", "Adjusted p"]
    assert heads[5:] == [
        "Difference, these raters", "Interval, these raters", "p, these raters", "Adjusted p, these raters", "Items",
    ]  # fmt: skip
