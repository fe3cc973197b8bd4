"""Novikova, Dušek and Rieser (2018), "RankME: Reliable Human Ratings for Natural Language Generation".

NAACL 2018. Likert scales, plain magnitude estimation and RankME, each with all criteria on one form (setup 1) and one
criterion a job (setup 2). The paper prints ICC only; the oracle is `expected.json` of the data, computed with numpy,
scipy, krippendorff, pingouin and trueskill from the published ratings. docs/methods/magnitude.md says how they compare.
"""

import csv
import gzip
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats

from analytics_app.stats.comparison.means import group_means
from analytics_app.stats.scales.magnitude import taken_back
from tests.reproduction.conftest import Reproduce
from tests.reproduction.published import OURS, every, expected, folder_of, left_out, missing, row_of

# This module needs a database, for what `reproduce` does once.
pytestmark = [pytest.mark.django_db, pytest.mark.exhaustive]

SET = "rankme"
METHODS = {"likert": "likert", "plain_me": "plain", "rankme": "rankme"}
TASKS = [f"{method}{setup}" for method in METHODS.values() for setup in (1, 2)]
ALPHA = {
    "alpha_ordinal": {"level": "ordinal"},
    "alpha_interval": {"level": "interval"},
    "alpha_interval_log": {"level": "interval", "values": "log"},
}
CRITERIA = {"spearman_item_mean": "criteria_spearman", "spearman_individual": "criteria_spearman_answers"}


@pytest.fixture(scope="module")
def results(reproduce: Reproduce, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The results of the published ratings: each method in each setup is a task."""
    folder = tmp_path_factory.mktemp("mappings")
    files = [("ratings.csv.gz", _mapping(folder, task)) for task in TASKS]
    return reproduce(SET, "rankme", files)


def _mapping(folder: Path, task: str) -> str:
    """Return our mapping with the input that each id of a text stands for."""
    ours = OURS / SET / f"{task}.yaml"
    if missing(SET):
        return ours.name
    with (folder_of(SET) / "items.csv").open(encoding="utf-8", newline="") as stream:
        words = [f"    {row['item_id']}: {row['mr_id']}\n" for row in csv.DictReader(stream)]
    whole = folder / ours.name
    whole.write_text(ours.read_text(encoding="utf-8") + "values:\n  item:\n" + "".join(words), encoding="utf-8")
    return str(whole)


def of(*kinds: str, method: str = "") -> Callable[[str], bool]:
    """Return a test of the kind of a figure, and of its method where one is given."""
    return lambda key: key.split(".")[0] in kinds and (not method or key.split(".")[1] == method)


def place(name: str) -> tuple[dict[str, str], str]:
    """Return task and criterion of a figure, and the system it is about."""
    _kind, *_values, method, setup, criterion, system = [*name.split("."), ""] if _systemless(name) else name.split(".")
    return {"task": f"{METHODS[method]}{setup[1]}", "criterion": criterion}, system


def _systemless(name: str) -> bool:
    return name.startswith(("icc", "alpha", "trueskill_clusters"))


def test_all_of_it_was_imported(results: Mapping[str, Any]) -> None:
    said = dict(zip(TASKS, results["imports"], strict=True))
    # Setup 1 asked for all criteria on one form, setup 2 for one a form; RankME showed three texts on a form.
    assert {task: [one[name] for name in ("rows", "raters", "judgments")] for task, one in said.items()} == {
        "likert1": [2742, 16, 914],
        "likert2": [2700, 35, 2700],
        "plain1": [2700, 23, 900],
        "plain2": [2700, 41, 2700],
        "rankme1": [2700, 16, 300],
        "rankme2": [2700, 23, 900],
    }


@every(expected(SET, of("n_ratings", "n_items")))
def test_how_much_there_is(results: Mapping[str, Any], name: str, figure: Mapping[str, Any]) -> None:
    if name == "n_ratings":
        assert results["run"]["n_seen"] == figure["value"]
    else:
        rows = [row for row in results["rows"] if (row["statistic"], row["task"]) == ("alpha", "plain1")]
        assert {row["n_items"] for row in rows} == {figure["value"]}


@every(expected(SET, of(*ALPHA)))
def test_alpha(results: Mapping[str, Any], name: str, figure: Mapping[str, Any]) -> None:
    where, _system = place(name)
    settings = ALPHA[name.split(".", maxsplit=1)[0]]
    label = "of logs" if "values" in settings else None
    row = row_of(results, analysis="krippendorff", statistic="alpha", label=label, **where, settings=settings)
    assert row["value"] == pytest.approx(figure["value"], abs=figure["tolerance"])


@every(expected(SET, of("icc1k", "icc1k_p")))
def test_icc(results: Mapping[str, Any], name: str, figure: Mapping[str, Any]) -> None:
    kind, values = name.split(".")[:2]
    where, _system = place(name)
    label = "ICC1k of logs" if values == "log" else "ICC1k"
    row = row_of(results, analysis="icc", statistic="icc", label=label, **where)
    assert row["value" if kind == "icc1k" else "p"] == pytest.approx(figure["value"], abs=figure["tolerance"])
    if "paper" in figure:
        assert round(row["value"], 2) == figure["paper"]


@every(expected(SET, of("mean")))
def test_means_of_systems(results: Mapping[str, Any], name: str, figure: Mapping[str, Any]) -> None:
    assert _of_system(results, "systems", "mean", name)["value"] == pytest.approx(
        figure["value"], abs=figure["tolerance"]
    )


@every(expected(SET, of("zmean")))
def test_means_of_z(results: Mapping[str, Any], name: str, figure: Mapping[str, Any]) -> None:
    """The plan sets the z of raters who gave one value throughout to 0, as the published scripts do."""
    z, raw = (_of_system(results, "systems", statistic, name) for statistic in ("mean_z", "mean"))
    assert z["n_ratings"] == raw["n_ratings"]
    assert z["settings"]["constant"] == "zero"
    assert z["value"] == pytest.approx(figure["value"], abs=figure["tolerance"])


@every(expected(SET, of("geomean", method="plain_me")) + expected(SET, of("geomean", method="rankme")))
def test_geometric_means(results: Mapping[str, Any], name: str, figure: Mapping[str, Any]) -> None:
    row = _of_system(results, "magnitude", "geometric_mean", name)
    assert row["value"] == pytest.approx(figure["value"], abs=figure["tolerance"])
    assert row["low"] < row["value"] < row["high"]


@every(expected(SET, of("geomean", method="likert")))
def test_geometric_means_of_likert_steps(name: str, figure: Mapping[str, Any]) -> None:
    """Steps of a scale have no ratios, so no study is given these; the functions that give them are ours."""
    _kind, _method, setup, criterion, system = name.split(".")
    wanted = {"method": "likert", "setup": setup[1], "criterion": criterion, "system": system}
    with gzip.open(folder_of(SET) / "ratings.csv.gz", "rt", encoding="utf-8", newline="") as stream:
        values = [
            float(row["value"])
            for row in csv.DictReader(stream)
            if all(row[column] == value for column, value in wanted.items())
        ]
    (mean,) = group_means(
        np.log(values),
        [0] * len(values),
        range(len(values)),
        n_groups=1,
        n_resamples=0,
        confidence=0.95,
        rng=np.random.default_rng(1),
    )
    assert taken_back(mean).value == pytest.approx(figure["value"], abs=figure["tolerance"])


@every(expected(SET, of("trueskill_mu")))
def test_trueskill_scores(results: Mapping[str, Any], name: str, figure: Mapping[str, Any]) -> None:
    row = _of_system(results, "trueskill", "trueskill_mu", name)
    assert row["value"] == pytest.approx(figure["value"], abs=figure["tolerance"])
    assert row["settings"]["steps"] == 901
    assert row["settings"]["compared"] == "texts of one screen"


@every(expected(SET, of("trueskill_clusters")))
def test_trueskill_clusters(results: Mapping[str, Any], name: str, figure: Mapping[str, Any]) -> None:
    where, _system = place(name)
    found: dict[str, tuple[float, float]] = {}
    for system in ("baseline", "slug2slug", "sheffield_v2"):
        rank, cluster = (
            row_of(results, analysis="trueskill", statistic=f"trueskill_{what}", system=system, **where)["value"]
            for what in ("rank", "cluster")
        )
        found[system] = (cluster, rank)
    clusters: dict[float, list[str]] = {}
    for system in sorted(found, key=lambda key: found[key][1]):
        clusters.setdefault(found[system][0], []).append(system)
    assert list(clusters.values()) == figure["value"]


@every(expected(SET, of("qc")))
def test_a_careless_rater_stands_out(results: Mapping[str, Any], name: str, figure: Mapping[str, Any]) -> None:
    about = {"task": "rankme2", "criterion": "quality", "label": "R036 and R078"}
    row = row_of(results, analysis="correlation", statistic="spearman_pair", **about)
    assert row["value"] == pytest.approx(figure["value"], abs=figure["tolerance"])
    assert row["n_items"] == 276


@pytest.mark.parametrize(
    ("task", "flat", "constant", "differ"),
    [("rankme1", 566, {"R024"}, 0), ("rankme2", 405, {"R014", "R071", "R074"}, 14)],
)
def test_screens_and_raters_without_differences(
    results: Mapping[str, Any], task: str, flat: int, constant: set[str], differ: int
) -> None:
    """Counted by pandas from the published ratings: 900 screens and 162 identical texts on a screen in each setup."""
    rows = [row for row in results["rows"] if row["analysis"] == "rater_quality" and row["task"] == task]

    def counted(statistic: str) -> tuple[float, int]:
        own = [row for row in rows if row["statistic"] == statistic and row["basis"] == "kept"]
        return round(sum(row["value"] * row["n_ratings"] for row in own)), sum(row["n_ratings"] for row in own)

    assert counted("rater_flat_screens") == (flat, 900)
    assert counted("rater_identical_texts") == (differ, 162)
    same = [row for row in rows if row["statistic"] == "rater_same_number" and row["basis"] == "kept"]
    assert {row["rater"] for row in same if row["value"] == 1 and row["n_ratings"] >= 10} == constant


@every(expected(SET, of(*CRITERIA)))
def test_criteria_with_each_other(results: Mapping[str, Any], name: str, figure: Mapping[str, Any]) -> None:
    kind, method, setup, criteria = name.split(".")
    about = {"task": f"{METHODS[method]}{setup[1]}", "label": criteria.replace("~", " and ")}
    row = row_of(results, analysis="criteria", statistic=CRITERIA[kind], **about)
    assert row["value"] == pytest.approx(figure["value"], abs=figure["tolerance"])


@pytest.mark.parametrize(
    ("task", "other", "criterion", "way", "way_b"),
    [
        ("likert1", "rankme1", "quality", "mean", "geometric_mean"),
        ("likert1", "likert2", "naturalness", "mean", "mean"),
        ("plain1", "rankme2", "informativeness", "geometric_mean", "geometric_mean"),
    ],
)
def test_systems_are_ordered_alike_by_other_methods(
    results: Mapping[str, Any], task: str, other: str, criterion: str, way: str, way_b: str
) -> None:
    """The oracle is scipy on scores that are computed from the published ratings."""
    systems = ("baseline", "slug2slug", "sheffield_v2")
    average = {"mean": np.mean, "geometric_mean": scipy.stats.gmean}
    scores = []
    for key, by in ((task, way), (other, way_b)):
        values = _published(key, criterion)
        scores.append([float(average[by](values[system])) for system in systems])
    rows = [row for row in results["rows"] if (row["metric"], row["metric_b"]) == (way, way_b)]
    about = {"task": "likert1", "label": f"{task}/{criterion} and {other}/{criterion}"}
    for name, oracle in (
        ("pearson", scipy.stats.pearsonr),
        ("spearman", scipy.stats.spearmanr),
        ("kendall", scipy.stats.kendalltau),
    ):
        row = row_of({"rows": rows}, analysis="ways_of_scoring", statistic=f"scoring_{name}", **about)
        assert row["value"] == pytest.approx(oracle(*scores).statistic)
        assert row["n_ratings"] == 3
        assert row["note"].startswith("With 3 systems this says little")


def _published(task: str, criterion: str) -> Mapping[str, list[float]]:
    """Return the published ratings of each system in a task."""
    method = next(name for name, ours in METHODS.items() if ours == task[:-1])
    values: dict[str, list[float]] = {}
    with gzip.open(folder_of(SET) / "ratings.csv.gz", "rt", encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            if (row["method"], row["setup"], row["criterion"]) == (method, task[-1], criterion):
                values.setdefault(row["system"], []).append(float(row["value"]))
    return values


def test_no_published_figure_is_left_out() -> None:
    assert left_out(SET) == set()


def _of_system(results: Mapping[str, Any], analysis: str, statistic: str, name: str) -> Mapping[str, Any]:
    where, system = place(name)
    return row_of(results, analysis=analysis, statistic=statistic, system=system, **where)
