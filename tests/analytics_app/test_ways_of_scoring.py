"""Ways of scoring: the scores of systems, and their correlations between ways, criteria and tasks."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats

from analytics_app import charts
from analytics_app.models import Exclusion, ResultRow
from analytics_app.results import Row
from analytics_app.show.shown import tables_for
from analytics_app.stats.ranking.pairs_within import won_shares
from tasks_app.models import Rater
from tests.analytics_app.builders import are_rendered
from tests.analytics_app.by_commands import analysed, load, one
from tests.once import ModuleRows

RNG = np.random.default_rng(12)
SYSTEMS, N_ITEMS, RATERS = tuple("ABCDE"), 12, ("r1", "r2", "r3")
STRENGTH = np.array([0.0, 0.4, 0.7, 1.3, 1.6])
ABOUT = [(rater, item, system) for rater in RATERS for item in range(N_ITEMS) for system in range(len(SYSTEMS))]


def ratings(task: str, criterion: str, noise: float) -> dict[tuple[str, int, int], float]:
    """Return a rating of every rater for every text."""
    values = {key: STRENGTH[key[2]] + RNG.normal(0, noise) for key in ABOUT}
    if task == "magnitude":
        return {key: float(max(1, round(100 * np.exp(value / 2)))) for key, value in values.items()}
    return {key: float(np.clip(round(4 + value), 1, 7)) for key, value in values.items()}


GIVEN = {
    ("likert", "quality"): ratings("likert", "quality", 0.9),
    ("likert", "fluency"): ratings("likert", "fluency", 1.5),
    ("magnitude", "quality"): ratings("magnitude", "quality", 1.0),
}


def by_system(values: Mapping[tuple[str, int, int], float], raters: Sequence[str] = RATERS) -> list[list[float]]:
    kept = {key: value for key, value in values.items() if key[0] in raters}
    return [[value for key, value in kept.items() if key[2] == code] for code in range(len(SYSTEMS))]


def means(values: Mapping[tuple[str, int, int], float], raters: Sequence[str] = RATERS) -> list[float]:
    return [float(np.mean(some)) for some in by_system(values, raters)]


def geometric(values: Mapping[tuple[str, int, int], float], raters: Sequence[str] = RATERS) -> list[float]:
    return [float(scipy.stats.gmean(some)) for some in by_system(values, raters)]


@pytest.fixture(scope="module")
def study_once(module_db: ModuleRows, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Load the study of a module."""
    folder = tmp_path_factory.mktemp("study")
    texts = [(item, system) for item in range(N_ITEMS) for system in range(len(SYSTEMS))]
    items = [{"item": f"i{i}", "system": SYSTEMS[s], "output": f"text {s} of {i}"} for i, s in texts]
    given = [
        {"task": task, "rater": rater, "item": f"i{i}", "system": SYSTEMS[s], "criterion": criterion, "value": value}
        for (task, criterion), values in GIVEN.items()
        for (rater, i, s), value in values.items()
    ]
    shared = {"keep_identical": True, "spacing": 1, "set_size": 1, "k": 3}
    likert = {
        "key": "likert",
        "title": "Likert scale",
        "type": "likert",
        "criteria": ["quality", "fluency"],
        "params": {"points": 7},
        **shared,
    }
    reference = {"layout": "plain", "reference_text": "A text."}
    magnitude = {"key": "magnitude", "type": "magnitude", "criteria": ["quality"], "params": reference, **shared}
    criteria = [
        {"key": key, "name": key.title(), "question": "How good?", "low": "bad", "high": "good"}
        for key in ("quality", "fluency")
    ]
    load(folder, {}, items, given, criteria=criteria, tasks=[likert, magnitude])
    return folder


@pytest.fixture
def study(study_once: Path, db: None) -> Path:
    """Five systems, rated on a Likert scale on two criteria, and by magnitudes on one of them."""
    return study_once


def rows_of(folder: Path, **settings: object) -> list[dict[str, Any]]:
    rows = analysed(folder, {"analysis": "ways_of_scoring", "trueskill_runs": 40, **settings})
    return [row for row in rows if row["analysis"] == "ways_of_scoring"]


@pytest.mark.django_db
def test_ways_criteria_and_tasks(study: Path) -> None:
    rows = rows_of(study)
    quality, magnitude = GIVEN["likert", "quality"], GIVEN["magnitude", "quality"]
    won = [0.0] * len(SYSTEMS)
    for a, b in combinations(range(len(SYSTEMS)), 2):
        for rater in RATERS:
            for item in range(N_ITEMS):
                sign = np.sign(quality[rater, item, a] - quality[rater, item, b])
                won[a] += (1 + sign) / 2
                won[b] += (1 - sign) / 2
    shares = np.array(won) / (len(RATERS) * N_ITEMS * (len(SYSTEMS) - 1))
    by_way = {(row["task"], row["criterion"], row["metric"], row["system"]): row for row in rows if row["system"]}
    for code, system in enumerate(SYSTEMS):
        score = by_way["likert", "quality", "comparisons_won", system]
        assert score["value"] == pytest.approx(shares[code])
        assert score["low"] < score["value"] < score["high"]
        assert by_way["magnitude", "quality", "geometric_mean", system]["value"] == pytest.approx(
            geometric(magnitude)[code]
        )
    ways = [row for row in rows if (row["task"], row["criterion"]) == ("likert", "quality") and row["metric_b"]]
    pair = one(ways, "scoring_pearson", criterion="quality", metric="mean", metric_b="comparisons_won")
    assert pair["value"] == pytest.approx(scipy.stats.pearsonr(means(quality), shares).statistic)
    assert (pair["n_ratings"], pair["p"]) == (5, None)
    skill = one(ways, "scoring_kendall", criterion="quality", metric="mean", metric_b="trueskill")
    assert skill["low"] is None
    assert skill["note"] == "TrueSkill is not computed again in resamples, so there is no interval."
    between = one(rows, "scoring_kendall", label="likert/quality and likert/fluency", metric="mean", metric_b="mean")
    assert between["value"] == pytest.approx(
        scipy.stats.kendalltau(means(quality), means(GIVEN["likert", "fluency"])).statistic
    )
    about = {"label": "likert/quality and magnitude/quality"}
    lead = one(rows, "scoring_spearman", metric="mean", metric_b="geometric_mean", **about)
    expected = scipy.stats.spearmanr(means(quality), geometric(magnitude)).statistic
    assert (lead["value"], lead["settings"]["leading"]) == (pytest.approx(expected), True)
    assert (lead["settings"]["a"], lead["settings"]["b"]) == (
        "Likert scale: Quality",
        "Magnitude estimation (RankME) (task 2): Quality",
    )
    pearson = one(rows, "scoring_pearson", metric="mean", metric_b="mean", **about)
    test = scipy.stats.pearsonr(
        means(quality), means(magnitude), method=scipy.stats.PermutationMethod(n_resamples=np.inf)
    )
    assert (pearson["value"], pearson["p"]) == pytest.approx((test.statistic, test.pvalue))
    # All of a pair of tasks stands with the first, and what is not asked by both is not compared.
    assert {row["task"] for row in rows if row["label"] and "magnitude" in row["label"]} == {"likert"}
    assert not [row for row in rows if row["label"] == "likert/fluency and magnitude/quality"]


@pytest.mark.django_db
def test_intervals_are_those_of_a_loop_over_resamples_of_items(study: Path) -> None:
    row = one(
        rows_of(study, ways=["mean"]), "scoring_pearson", label="likert/quality and magnitude/quality", metric="mean",
        metric_b="mean",
    )  # fmt: skip
    matrices = []
    for task in ("likert", "magnitude"):
        matrix = np.zeros((N_ITEMS, len(SYSTEMS)))
        for (_rater, item, system), value in GIVEN[task, "quality"].items():
            matrix[item, system] += value
        matrices.append(matrix)
    draw, samples = np.random.default_rng(4), []
    for _resample in range(1000):
        some = draw.integers(0, N_ITEMS, N_ITEMS)
        samples.append(scipy.stats.pearsonr(*(matrix[some].mean(axis=0) for matrix in matrices)).statistic)
    # The interval is a little wider than plain percentiles, since twelve items are few.
    low, high = np.quantile(samples, (0.025, 0.975))
    assert (row["low"], row["high"]) == pytest.approx((low, high), abs=0.03)


@pytest.mark.django_db
def test_ratings_of_other_tasks_are_those_that_their_rules_kept(study: Path) -> None:
    rater = Rater.objects.get(pseudonym="r3")
    Exclusion.objects.create(study=rater.study, rule="manual", rater=rater, reason="asleep")
    rows = rows_of(study, ways=["mean"], criteria=False)
    about = {"label": "likert/quality and magnitude/quality", "metric": "mean", "metric_b": "mean"}
    for basis, raters in (("all", RATERS), ("kept", RATERS[:2])):
        row = one(rows, "scoring_pearson", basis=basis, **about)
        scores = (means(GIVEN[task, "quality"], raters) for task in ("likert", "magnitude"))
        assert row["value"] == pytest.approx(scipy.stats.pearsonr(*scores).statistic)
    left = one(rows_of(study, ways=["mean"], without_systems=["E"]), "scoring_pearson", slice="system!=E", **about)
    assert left["n_ratings"] == 4
    assert left["note"].startswith("With 4 systems this says little")


@pytest.mark.django_db
def test_two_systems_and_unknown_ways(study: Path) -> None:
    rows = rows_of(study, without_systems=["C", "D", "E"])
    assert {(row["statistic"], row["value"], row["note"]) for row in rows} == {
        ("scoring_spearman", None, "A correlation of systems takes at least 3 systems; 2 were rated here.")
    }
    with pytest.raises(Exception, match="There is no way of scoring “median”"):
        rows_of(study, ways=["median"])


@pytest.mark.django_db
def test_tables_and_charts(study: Path) -> None:
    rows = [row for row in rows_of(study) if row["task"] == "likert"]
    drawn = {chart.key: chart for chart in charts.draw_task([Row(**row) for row in rows], "likert", None)}
    assert set(drawn) == {"ways-of-scoring-0", "ways-of-scoring-1", "scoring-tasks"}
    assert are_rendered(drawn.values())
    assert drawn["ways-of-scoring-0"].criterion == "quality"
    of_quality = [ResultRow(**row) for row in rows if row["criterion"] == "quality"]
    scores, correlations = tables_for("ways_of_scoring", of_quality, 0.05)
    assert [str(column.label) for column in scores.columns][:3] == ["System", "Mean rating", "Mean z"]
    assert correlations.rows[0][0].text == "mean rating – mean z"
    (between,) = tables_for("ways_of_scoring", [ResultRow(**row) for row in rows if row["criterion"] is None], 0.05)
    assert [[cell.text for cell in row[:2]] for row in between.rows[:2]] == [
        ["Likert scale: Quality – Likert scale: Fluency", "mean rating"],
        ["Likert scale: Quality – Magnitude estimation (RankME) (task 2): Quality", "mean rating – geometric mean"],
    ]


def test_comparisons_won_are_mean_ranks_where_groups_are_whole() -> None:
    values = RNG.integers(1, 5, (30, 4)).astype(float)
    group, system = (index.ravel() for index in np.indices(values.shape))
    won, compared = won_shares(values.ravel(), group, system, group % 3, 4, 3)
    assert won.shape == compared.shape == (3, 4)
    ranks = scipy.stats.rankdata(values, axis=1).mean(axis=0)
    np.testing.assert_allclose(won.sum(axis=0) / compared.sum(axis=0), (ranks - 1) / 3)
