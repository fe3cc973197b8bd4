"""Metrics taken apart: levels of the human answer, systems, and texts chosen by their ratings."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats
import yaml

from analytics_app import charts
from analytics_app.analyses import metrics_apart
from analytics_app.models import ResultRow
from analytics_app.results import Row
from analytics_app.show.shown import tables_for
from analytics_app.show.table import Table
from analytics_app.stats.metrics.metric_meta import williams
from evalweb.local_services.folder import BASE_DIR
from tests.analytics_app.builders import are_rendered
from tests.analytics_app.by_commands import analysed, load, one, score, write
from tests.once import ModuleRows

pytestmark = pytest.mark.django_db

RNG = np.random.default_rng(21)
N_ITEMS, SYSTEMS = 50, ("A", "B", "REF")
QUALITY = RNG.normal(size=(N_ITEMS, 1)) * 0.5 + RNG.normal(size=(N_ITEMS, 3))
RATERS = ("r1", "r2", "r3")
ANSWERS = {
    rater: np.clip(np.round(3 + 1.2 * (QUALITY + RNG.normal(size=QUALITY.shape) * 0.4)), 1, 5) for rater in RATERS
}
# The third rater judged the first items only.
ANSWERS["r3"][20:] = np.nan
FLUENCY = {rater: np.where(QUALITY > 0, 5.0, 1.0) for rater in RATERS}
FLUENCY["r2"][::2] = 3
MEANS = np.nanmean(list(ANSWERS.values()), axis=0)
LEVELS = np.ceil(MEANS - 0.5)
# A metric that tells the worst texts from the others only, and one that agrees with people on system A only.
LOW_END = np.minimum(LEVELS, 2) + RNG.normal(0, 0.4, QUALITY.shape)
ONE_SYSTEM = np.where(np.arange(3) == 0, QUALITY, 0) + RNG.normal(0, 0.5, QUALITY.shape)


def cells(**matrices: Any) -> list[dict[str, Any]]:
    return [
        {"item": f"i{i}", "system": system, **{name: float(matrix[i, s]) for name, matrix in matrices.items()}}
        for i in range(N_ITEMS)
        for s, system in enumerate(SYSTEMS)
    ]


@pytest.fixture(scope="module")
def study_once(module_db: ModuleRows, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Load a study of two criteria on five steps, with scores of two metrics."""
    folder = tmp_path_factory.mktemp("apart")
    items = [{**row, "output": f"text of {row['system']} for {row['item']}", "source": "s"} for row in cells()]
    ratings = [
        {
            "rater": rater,
            "item": row["item"],
            "system": row["system"],
            "criterion": criterion,
            "value": int(row["value"]),
        }
        for criterion, of_raters in (("quality", ANSWERS), ("fluency", FLUENCY))
        for rater, matrix in of_raters.items()
        for row in cells(value=np.where(np.isnan(ANSWERS[rater]), np.nan, matrix))
        if not np.isnan(row["value"])
    ]
    steps = [f"step {n}" for n in range(1, 6)]
    criteria = [
        {"key": key, "name": key.title(), "question": f"How is the {key}?", "labels": [*steps]}
        for key in ("quality", "fluency", "grammar")
    ]
    task = {"type": "likert", "criteria": ["quality", "fluency"], "params": {"points": 5}, "k": 3}
    load(folder, task, items, ratings, criteria=criteria)
    scores = write(folder / "scores.csv", cells(low_end=LOW_END, one_system=ONE_SYSTEM))
    score(scores, "low_end", "one_system")
    return folder


@pytest.fixture
def study(study_once: Path, db: None) -> Path:
    """The folder of the study of this module."""
    return study_once


def tables(rows: list[dict[str, Any]], analysis: str = "metrics_apart") -> dict[str, Table]:
    stored = [ResultRow(**row) for row in rows if row["analysis"] == analysis and row["criterion"] == "quality"]
    return {str(table.caption): table for table in tables_for(analysis, stored, 0.05)}


def of_quality(rows: list[dict[str, Any]], statistic: str, **about: Any) -> Mapping[str, Any]:
    return one(rows, statistic, criterion="quality", **about)


def test_a_metric_that_is_good_at_the_lower_end_only(study: Path) -> None:
    rows = analysed(study, {"analysis": "metrics_apart"})
    lowest, others = LOW_END[LEVELS == 1], LOW_END[LEVELS == 2]
    area = of_quality(rows, "metric_level_area", metric="low_end", label="1 | 2")
    u = scipy.stats.mannwhitneyu(others, lowest).statistic
    assert area["value"] == pytest.approx(u / (lowest.size * others.size))
    assert (area["n_ratings"], area["low"] > 0.8, area["p_adjusted"] < 0.001) == (lowest.size + others.size, True, True)
    upper = of_quality(rows, "metric_level_area", metric="low_end", label="4 | 5")
    assert upper["low"] < 0.5 < upper["high"]
    test = of_quality(rows, "metric_levels_differ", metric="low_end")
    assert test["p_adjusted"] < 0.001
    assert test["note"] == "Told apart: 1 | 2. Not clearly told apart: 2 | 3, 3 | 4, 4 | 5."
    level = of_quality(rows, "metric_level_mean", metric="low_end", label="1")
    assert (level["value"], level["n_ratings"]) == (pytest.approx(lowest.mean()), lowest.size)
    assert level["settings"]["median"] == pytest.approx(np.median(lowest))
    assert level["settings"]["levels"] == "the step nearest to the mean rating"
    made = tables(rows)
    assert [len(made[caption].rows) for caption in (
        "Metrics by level of the human answer", "How well metrics tell adjacent levels apart",
        "Whether metrics are equally good at all levels",
    )] == [10, 8, 2]  # fmt: skip
    assert any(
        "Higher is taken as better" in note for note in made["How well metrics tell adjacent levels apart"].notes
    )
    drawn = {chart.key: chart for chart in charts.draw([Row(**row) for row in rows], "main", "quality")}
    title = "low_end tells some levels of the human answer apart better than others"
    assert drawn["metrics-levels"].title == title
    assert are_rendered([drawn["metrics-levels"], drawn["metrics-by-level"]])


def test_a_metric_that_is_good_for_one_system_only(study: Path) -> None:
    rows = analysed(study, {"analysis": "metrics_apart"}, n_permutations=199)
    for code, system in enumerate(SYSTEMS):
        for name, coefficient in (
            ("pearson", scipy.stats.pearsonr), ("spearman", scipy.stats.spearmanr), ("tau_b", scipy.stats.kendalltau),
        ):  # fmt: skip
            row = of_quality(rows, f"metric_{name}_of_system", metric="one_system", system=system)
            assert row["value"] == pytest.approx(coefficient(MEANS[:, code], ONE_SYSTEM[:, code]).statistic)
            assert row["low"] < row["value"] < row["high"]
    for name in ("pearson", "spearman"):
        assert of_quality(rows, f"metric_{name}_systems_differ", metric="one_system")["p"] == 1 / 200
        assert of_quality(rows, f"metric_{name}_systems_differ", metric="low_end")["p_adjusted"] > 0.05
    made = tables(rows)
    matrix = made["Spearman's rho over the texts of each system"]
    assert [str(column.label) for column in matrix.columns] == ["System", "low_end", "one_system"]
    assert [line[0].text for line in matrix.rows] == list(SYSTEMS)
    assert matrix.rows[0][2].text == f"{scipy.stats.spearmanr(MEANS[:, 0], ONE_SYSTEM[:, 0]).statistic:.2f}"
    assert len(made["Metrics on the texts of each system"].rows) == 6
    assert len(made["Whether metrics agree with people equally well on all systems"].rows) == 2


def test_very_many_texts_have_fewer_exchanges_and_no_interval_of_tau(
    study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metrics_apart, "MOST_TAU_PAIRS", 2 * 3 * N_ITEMS**2 - 1)
    monkeypatch.setattr(metrics_apart, "MOST_EXCHANGES", 2 * 2 * 3 * N_ITEMS * 50)
    monkeypatch.setattr(metrics_apart, "FEWEST_PERMUTATIONS", 19)
    rows = analysed(study, {"analysis": "metrics_apart", "by_level": False})
    tau = of_quality(rows, "metric_tau_b_of_system", metric="one_system", system="A")
    assert (tau["low"], tau["note"]) == (
        None, "No interval is drawn for tau over so many texts, systems and metrics.",
    )  # fmt: skip
    test = of_quality(rows, "metric_pearson_systems_differ", metric="one_system")
    assert test["settings"]["n_permutations"] == 50


def test_a_metric_that_is_better_when_lower_is_turned_for_areas_and_not_for_means(study: Path) -> None:
    rows = analysed(study, {"analysis": "metrics_apart", "by_system": False, "lower_is_better": ["low_end"]})
    area = of_quality(rows, "metric_level_area", metric="low_end", label="1 | 2")
    assert area["high"] < 0.2
    assert "In the wrong order: 1 | 2." in of_quality(rows, "metric_levels_differ", metric="low_end")["note"]
    mean = of_quality(rows, "metric_level_mean", metric="low_end", label="1")
    assert mean["value"] == pytest.approx(LOW_END[LEVELS == 1].mean())
    assert mean["settings"]["low_quartile"] < mean["settings"]["high_quartile"]
    assert not [row for row in rows if row["statistic"].endswith("of_system")]


@pytest.mark.parametrize(
    ("settings", "chosen", "slice_"),
    [
        ({"least_ratings": 3}, ~np.isnan(ANSWERS["r3"]), "at least 3 ratings"),
        # Raters r1 and r2 agree on every second item, and so does r3 where there are three.
        ({"agreed_on": "fluency"}, np.arange(N_ITEMS)[:, np.newaxis] % 2 == np.ones(3), "all raters agree on fluency"),
        (
            {"agreed_on": "quality", "agree_within": 1, "least_ratings": 2},
            np.nanmax(list(ANSWERS.values()), axis=0) - np.nanmin(list(ANSWERS.values()), axis=0) <= 1,
            "all raters agree on quality within 1; at least 2 ratings",
        ),
    ],
)
def test_texts_are_chosen_by_their_ratings(study: Path, settings: dict[str, Any], chosen: Any, slice_: str) -> None:
    plain = {"wmt": False, "ceiling": False, "compare": False}
    rows = analysed(study, {"analysis": "metrics", **plain, **settings}, {"analysis": "metrics_apart", **settings})
    row = of_quality(rows, "metric_pearson_texts", metric="low_end", slice=slice_)
    assert row["n_ratings"] == chosen.sum()
    assert row["value"] == pytest.approx(scipy.stats.pearsonr(MEANS[chosen], LOW_END[chosen]).statistic)
    of_level = [one for one in rows if one["statistic"] == "metric_level_mean" and one["slice"] == slice_]
    assert sum(one["n_ratings"] for one in of_level if (one["metric"], one["criterion"]) == ("low_end", "quality")) == (
        chosen.sum()
    )
    # The tables are those of all texts, and their captions name the choice.
    assert f"Metrics over texts ({slice_})" in tables(rows, "metrics")
    assert f"How well metrics tell adjacent levels apart ({slice_})" in tables(rows)


def test_a_criterion_without_ratings_chooses_no_texts_and_is_named(study: Path) -> None:
    rows = analysed(
        study, {"analysis": "metrics", "agreed_on": "grammar"}, {"analysis": "metrics_apart", "agreed_on": "grammar"}
    )
    note = "Texts were to be chosen by “grammar”, and this task has ratings on quality, fluency only."
    for statistic in ("metric_pearson_texts", "metric_level_mean"):
        found = [row for row in rows if row["statistic"] == statistic and row["criterion"] == "quality"]
        assert [row["note"] for row in found] == [note]


def test_williams_test_by_rank_correlations_says_what_it_is_worth(study: Path) -> None:
    rows = analysed(study, {"analysis": "metrics", "wmt": False, "ceiling": False, "williams_ranks": True})
    about = {"metric": "low_end", "metric_b": "one_system"}
    plain = of_quality(rows, "metric_williams_texts", **about)
    for name, coefficient, caveat in (
        ("spearman", scipy.stats.spearmanr, "rejects somewhat too often"),
        ("kendall", scipy.stats.kendalltau, "hardly ever rejects"),
    ):
        row = of_quality(rows, f"metric_williams_{name}_texts", **about)
        scores = (LOW_END.ravel(), ONE_SYSTEM.ravel())
        pairs = [(MEANS.ravel(), scores[0]), (MEANS.ravel(), scores[1]), scores]
        by = [coefficient(*pair).statistic for pair in pairs]
        assert row["value"] == pytest.approx(williams(by[0], by[1], by[2], MEANS.size).value)
        assert row["value"] != pytest.approx(plain["value"])
        assert (row["settings"]["coefficient"], row["settings"]["test"]) == (name, "Williams' t")
        assert caveat in row["note"]
        assert of_quality(rows, f"metric_williams_{name}_systems", **about)["n_ratings"] is not None
    assert plain["settings"]["coefficient"] == "pearson"
    assert "Williams' test by Kendall's tau-b over texts (t)" in tables(rows, "metrics")


@pytest.mark.parametrize(
    ("name", "captions"),
    [
        (
            "gruen_2020",
            ["Metrics over texts", "Metrics over systems", "Williams' test of two metrics over texts (t)",
             "Williams' test by Spearman's rho over systems (t)", "Metrics by level of the human answer"],
        ),
        (
            "rome_2022",
            ["Spearman's rho over the texts of each system", "Metrics over texts",
             "Whether metrics agree with people equally well on all systems"],
        ),
        (
            "lai_2022",
            ["Metrics over systems (system!=REF)", "Metrics over texts (system!=REF)",
             "Tau-like within items (system!=REF)", "Tau-like within items"],
        ),
    ],
)  # fmt: skip
def test_plans_of_papers_give_the_shapes_of_their_tables(study: Path, name: str, captions: list[str]) -> None:
    plan = yaml.safe_load((BASE_DIR / "examples" / "plans" / name / "plan.yaml").read_text(encoding="utf-8"))
    rows = analysed(study, *plan["analyses"])
    made = {**tables(rows, "metrics"), **tables(rows)}
    assert [caption for caption in captions if caption not in made] == []
    assert all(len(made[caption].rows) for caption in captions)
