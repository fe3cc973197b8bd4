"""Counts of errors: effects by hand and by least squares, where counts come from, and what is refused."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from django.core.management import CommandError

from analytics_app import charts
from analytics_app.models import MetricScore, ResultRow
from analytics_app.results import Row
from analytics_app.show.findings import FindingQuestion, finding
from analytics_app.show.shown import tables_for
from tests.analytics_app.builders import are_rendered
from tests.analytics_app.by_commands import analysed, load, one, score, write

pytestmark = pytest.mark.django_db

RNG = np.random.default_rng(17)
N_ITEMS, SYSTEMS = 20, ("A", "B")
BORDER, NOISE = RNG.integers(0, 4, (2, N_ITEMS, 2)).astype(float)
# Two raters, 0 to 100: a border costs 5, noise 15; the second rater is 10 harder.
HUMAN = np.round(90 - 5 * BORDER - 15 * NOISE + RNG.normal(0, 2, BORDER.shape))
# A metric from 0 to 1 that counts borders as much as noise.
METRIC = np.round(1 - 0.1 * BORDER - 0.1 * NOISE + RNG.normal(0, 0.02, BORDER.shape), 4)
WIDE = {"type": "slider", "params": {"minimum": -200, "maximum": 300}}
PLAN = {"analysis": "error_counts", "counts": ["border", "noise"]}


def cells(**columns: Any) -> list[dict[str, object]]:
    return [
        {"item": f"i{i}", "system": system, **{name: float(matrix[i, s]) for name, matrix in columns.items()}}
        for i in range(N_ITEMS)
        for s, system in enumerate(SYSTEMS)
    ]


def study(
    folder: Path,
    task: Mapping[str, object] | None = None,
    features: Mapping[str, Any] | None = None,
    own: Sequence[float] = (),
) -> Path:
    """Load a study in which two raters rate every text, the second 10 lower than the first.

    With `own` there is a rater for each number, who takes off so much more for noise than the others.
    """
    items = [
        {**row, "output": f"text of {row['system']} for {row['item']}", "source": "s"}
        | {f"feature_{name}": values[int(str(row["item"])[1:])] for name, values in (features or {}).items()}
        for row in cells()
    ]
    ratings = [{"rater": rater, **row} for rater, off in (("r1", 0), ("r2", -10)) for row in cells(value=HUMAN + off)]
    if own:
        ratings = [
            {"rater": f"r{number}", **row}
            for number, more in enumerate(own)
            for row in cells(
                value=np.round(HUMAN - more * NOISE + np.random.default_rng(number).normal(0, 3, NOISE.shape))
            )
        ]
    task = task or {"type": "slider", "params": {"minimum": -20, "maximum": 100}}
    criterion = {"key": "quality", "name": "Quality", "question": "How good?", "low": "bad", "high": "good"}
    load(folder, {"criteria": ["quality"], "k": len(own) or 2, **task}, items, ratings, criteria=[criterion])
    return folder


def scored(folder: Path, **columns: Any) -> Path:
    score(write(folder / "scores.csv", cells(**columns)), *columns)
    return folder


def rows_of(folder: Path, **settings: object) -> list[dict[str, Any]]:
    found = analysed(folder, {**PLAN, **settings})
    return [row for row in found if row["analysis"] == "error_counts"]


def test_effects_and_differences(tmp_path: Path) -> None:
    rows = rows_of(scored(study(tmp_path), border=BORDER, noise=NOISE, F1=METRIC))
    design = sm.add_constant(np.column_stack((BORDER.ravel(), NOISE.ravel())))
    people = (HUMAN.ravel() - 5 + 20) / 120
    about: dict[str, Any] = {"criterion": "quality"}
    for place, label in enumerate(("border", "noise"), start=1):
        for statistic, y, who in (
            ("error_effect", people, {}),
            ("error_effect_of_metric", METRIC.ravel(), {"metric": "F1"}),
            ("error_effect_difference", METRIC.ravel() - people, {"metric": "F1"}),
            ("error_effect_of_rater", people + 5 / 120, {"rater": "r1"}),
        ):
            oracle, row = sm.OLS(y, design).fit(), one(rows, statistic, label=label, **about, **who)
            assert row["value"] == pytest.approx(oracle.params[place])
            assert (row["low"], row["high"]) == pytest.approx(tuple(oracle.conf_int()[place]))
            assert row["p"] == pytest.approx(oracle.pvalues[place], rel=1e-6, abs=1e-300)
    free = one(rows, "error_free", **about)
    assert free["value"] == pytest.approx((90 - 5 + 20) / 120, abs=0.02)
    assert free["settings"]["scale"] == "-20 to 100 as 0 to 1"
    assert one(rows, "error_free", rater="r2", **about)["value"] < one(rows, "error_free", rater="r1", **about)["value"]
    assert "Several texts are of one item" in one(rows, "error_effect", label="border", **about)["note"]
    difference = METRIC.ravel() - people
    for statistic, wanted in (
        ("metric_minus_people", difference.mean()),
        ("metric_people_distance", np.abs(difference).mean()),
        ("metric_above_people", difference[difference > 0].mean()),
        ("metric_below_people", difference[difference < 0].mean()),
    ):
        # Two different ratings are as frequent as each other, and their mean is the mode.
        for label in ("mean", "mode"):
            assert one(rows, statistic, metric="F1", label=label, **about)["value"] == pytest.approx(wanted)
    # A text's errors are known by system, so nothing is told while systems are hidden.
    assert not ResultRow.objects.filter(analysis="error_counts", by_system=False).exists()


def test_the_range_of_a_metric_and_its_direction(tmp_path: Path) -> None:
    folder = scored(study(tmp_path), border=BORDER, noise=NOISE, F1=METRIC, TER=100 * (1 - METRIC))
    plain = rows_of(folder, metrics=["F1"])
    turned = rows_of(folder, metrics=["TER"], lower_is_better=["TER"], metric_low=0, metric_high=100)
    for statistic in ("error_effect_of_metric", "error_effect_difference"):
        about = {"criterion": "quality", "label": "noise"}
        value = one(plain, statistic, metric="F1", **about)["value"]
        assert one(turned, statistic, metric="TER", **about)["value"] == pytest.approx(value)
    assert not [row for row in plain if row["metric"] == "TER"]
    outside = one(
        rows_of(folder, metrics=["TER"]), "error_effect_of_metric", metric="TER", criterion="quality", label="border"
    )
    assert outside["note"].startswith("Scores of TER lie outside the range that the plan gives.")


def test_features_of_items_can_be_the_counts(tmp_path: Path) -> None:
    by_item = {"border": BORDER[:, 0].astype(int), "noise": NOISE[:, 0].astype(int), "genre": ["x"] * N_ITEMS}
    folder = study(tmp_path, features=by_item)
    rows = rows_of(folder)
    design = sm.add_constant(np.column_stack([np.repeat(by_item[name], 2) for name in ("border", "noise")]))
    oracle = sm.OLS((HUMAN.ravel() - 5 + 20) / 120, design).fit()
    assert one(rows, "error_effect", label="noise", criterion="quality")["value"] == pytest.approx(oracle.params[2])
    (row,) = rows_of(folder, counts=["border", "genre"])
    assert row["note"] == "The feature “genre” of the items is not always a number, so it is no count of errors."
    (row,) = rows_of(folder, counts=["border", "silence"])
    assert row["note"].startswith("There is no count of “silence”: neither imported scores nor a feature of the items")
    assert row["note"].endswith("There are: border, genre, noise.")
    assert rows_of(folder, counts=[]) == []


def test_collinear_counts_are_refused_for_everybody(tmp_path: Path) -> None:
    folder = scored(study(tmp_path), border=BORDER, noise=NOISE, all=BORDER + NOISE, F1=METRIC)
    rows = rows_of(folder, counts=["border", "noise", "all"])
    effects = [row for row in rows if row["statistic"].startswith("error_effect")]
    assert [(row["value"], row["metric"], row["rater"]) for row in effects] == [
        (None, None, None), (None, "F1", None), (None, None, "r1"), (None, None, "r2"),
    ]  # fmt: skip
    assert all("The count of “all” follows exactly from the others in these texts" in row["note"] for row in effects)
    # How far a metric is from people needs no regression.
    assert one(rows, "metric_minus_people", criterion="quality", metric="F1", label="mean")["value"] is not None
    assert rows_of(scored(folder, below=-BORDER), counts=["below"])[0]["note"].startswith(
        "“below” has values below zero"
    )


def test_texts_without_a_count_are_left_out_and_counted(tmp_path: Path) -> None:
    border = BORDER.copy()
    border[0] = np.nan
    folder = study(tmp_path)
    rows = [
        {name: "" if str(cell) == "nan" else cell for name, cell in row.items()}
        for row in cells(border=border, noise=NOISE)
    ]
    score(write(folder / "scores.csv", rows), "border", "noise")
    row = one(rows_of(folder), "error_effect", label="border", criterion="quality")
    assert row["n_items"] == 2 * N_ITEMS - 2
    assert "2 texts have no count of some type and left out" in row["note"]


def test_a_scale_without_ends_has_people_only(tmp_path: Path) -> None:
    task = {"type": "magnitude", "params": {"reference_value": 100, "reference_text": "r"}}
    rows = rows_of(scored(study(tmp_path, task), border=BORDER, noise=NOISE, F1=METRIC))
    effect = one(rows, "error_effect", label="border", criterion="quality")
    assert effect["settings"]["scale"] == "as given"
    assert effect["note"].startswith("The scale of the ratings has no ends")
    assert not [row for row in rows if row["metric"]]


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"metric_low": 1, "metric_high": 1}, "The highest score is above the lowest."),
        ({"metrics": ["border"]}, "“border” is a count of errors; a metric has another name."),
    ],
)
def test_settings_that_mean_nothing_are_refused(tmp_path: Path, settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(CommandError, match=sentence):
        rows_of(study(tmp_path), **settings)


def test_tables_chart_and_finding(tmp_path: Path) -> None:
    folder = scored(study(tmp_path), border=BORDER, noise=NOISE, F1=METRIC)
    MetricScore.objects.filter(metric="F1").update(signature="words:all")
    rows = rows_of(folder)
    (drawn,) = charts.draw([Row(**row) for row in rows], "main", "quality")
    assert are_rendered([drawn])
    assert drawn.title.startswith("Change with one more error of each type, by people and by metrics")
    stored = [ResultRow(**row) for row in rows]
    effects, fits, apart, raters = tables_for("error_counts", stored, 0.05)
    assert [tuple(cell.text for cell in line[:2]) for line in effects.rows] == [
        ("border", "People"), ("border", "F1"), ("noise", "People"), ("noise", "F1"),
    ]  # fmt: skip
    assert [line[0].text for line in fits.rows] == ["People", "F1"]
    assert all("F1 was computed here: words:all" in table.notes for table in (effects, fits))
    assert [line[1].text for line in apart.rows] == ["mean rating", "most frequent rating"]
    assert [line[0].text for line in raters.rows] == ["r1", "r2"]
    told = finding(stored, FindingQuestion("Quality", "slider", 0.05))
    assert told is not None
    assert told.text == (
        "Ratings fall with each error of the types “border” and “noise” on Quality; this is about these raters only."
    )
    for row in stored:
        row.p_adjusted = None if row.p_adjusted is None else 0.4
    told = finding(stored, FindingQuestion("Quality", "slider", 0.05))
    assert told is not None
    assert told.text == (
        "It was not shown that ratings fall with the errors of any type on Quality; this is about these raters only."
    )


def test_effects_hold_for_further_raters_only_as_far_as_raters_agree(tmp_path: Path) -> None:
    """Of five raters two take more off for noise; of the others it costs nothing, or raises the rating."""
    told = {}
    for name, own in (("torn", (15.0, 5.0, -35.0, -25.0, -15.0)), ("agreed", (1.0, -1.0, 0.0, 2.0, -2.0))):
        (tmp_path / name).mkdir()
        rows = rows_of(scored(study(tmp_path / name, WIDE, own=own), border=BORDER, noise=NOISE, F1=METRIC))
        about: dict[str, Any] = {"criterion": "quality", "label": "noise"}
        these, further = (one(rows, f"error_effect{end}", **about) for end in ("", "_crossed"))
        assert further["value"] == pytest.approx(these["value"])
        assert (further["df"], further["n_raters"]) == (4, 5)
        assert further["settings"]["generalises_to"] == "further texts and further raters"
        metric, crossed = (one(rows, f"error_effect_difference{end}", metric="F1", **about) for end in ("", "_crossed"))
        assert crossed["value"] == pytest.approx(metric["value"])
        assert crossed["high"] - crossed["low"] != pytest.approx(metric["high"] - metric["low"])
        stored = [ResultRow(**row) for row in rows]
        found = finding(stored, FindingQuestion("Quality", "slider", 0.05))
        assert found is not None
        told[name] = (these["p_adjusted"] < 0.05, further["p_adjusted"] < 0.05, found.text)
        effects = tables_for("error_counts", stored, 0.05)[0]
        assert "For further texts and raters" in [str(column.label) for column in effects.columns]
        (drawn,) = charts.draw([Row(**row) for row in rows], "main", "quality")
        assert "that of people for further texts and further raters" in drawn.subtitle
    assert told["torn"][:2] == (True, False)
    assert told["torn"][2] == "Ratings fall with each error of the type “border” on Quality."
    assert told["agreed"] == (True, True, "Ratings fall with each error of the types “border” and “noise” on Quality.")


def test_a_plan_for_texts_alone_has_no_effects_for_further_raters(tmp_path: Path) -> None:
    folder = scored(study(tmp_path), border=BORDER, noise=NOISE)
    found = analysed(folder, PLAN, generalise_to="texts")
    assert not [row for row in found if row["statistic"].endswith("_crossed")]
    assert [row for row in found if row["statistic"] == "error_effect"]
