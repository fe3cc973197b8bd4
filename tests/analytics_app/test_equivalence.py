"""Equivalence of copies that keep the meaning: planted effects of raters and metrics, against scipy."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.test import Client
from scipy.stats import spearmanr, ttest_rel

from analytics_app.stats.mixed.crossed import compare_crossed
from tasks_app.models import Membership, Study
from tests.analytics_app.by_commands import analysed, load, one, score, write

pytestmark = pytest.mark.django_db

# Systems, and how much lower raters rate their texts. “a-polite” is a kind of the study's own.
LOWER = {"a": 0, "a-passive": 0, "a-insertion": 12, "a-polite": 0, "a-negation": 30}
N_ITEMS, N_RATERS = 30, 6
RNG = np.random.default_rng(12)
QUALITY = RNG.normal(60, 10, N_ITEMS)
BY_RATER = RNG.normal(0, 4, N_RATERS)
VALUES = {
    key: np.clip(np.round(QUALITY + BY_RATER[:, np.newaxis] - lower + RNG.normal(0, 4, (N_RATERS, N_ITEMS))), 0, 100)
    for key, lower in LOWER.items()
}
# One metric punishes passives by most of a standard deviation, and one does not.
FAIR = {key: QUALITY + RNG.normal(0, 2, N_ITEMS) - 20 * (key == "a-negation") for key in LOWER}
PUNISHING = {key: QUALITY + RNG.normal(0, 2, N_ITEMS) - 8 * (key == "a-passive") for key in LOWER}
EQUIVALENCE = {"analysis": "equivalence", "margin": 3, "metric_margin": 0.3}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a study whose raters and metrics have rated texts and their copies."""
    texts = [(item, key) for item in range(N_ITEMS) for key in LOWER]
    items = [{"item": f"i{i}", "system": key, "output": f"{key} {i}", "source": "s"} for i, key in texts]
    ratings = [
        {"rater": f"r{r}", "item": f"i{i}", "system": key, "value": float(VALUES[key][r, i])}
        for r in range(N_RATERS)
        for i, key in texts
    ]
    task = {"type": "slider", "criteria": ["quality"], "params": {"minimum": 0, "maximum": 100}, "k": N_RATERS}
    criterion = {"key": "quality", "name": "Quality", "question": "How good?", "low": "bad", "high": "good"}
    systems = [{"key": "a"}, {"key": "a-polite", "kind": "reworded"}]
    load(tmp_path, task, items, ratings, criteria=[criterion], systems=systems)
    scores = [
        {"item": f"i{i}", "system": key, "fair": float(FAIR[key][i]), "punishing": float(PUNISHING[key][i])}
        for i, key in texts
    ]
    score(write(tmp_path / "scores.csv", scores), "fair", "punishing")
    return tmp_path


def kept(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows of the analysis after the rules."""
    return [row for row in rows if row["analysis"] == "equivalence" and row["basis"] == "kept"]


def p_of(rows: list[dict[str, Any]], statistic: str, kind: str, metric: str | None) -> float:
    """Return the adjusted p of a test."""
    return float(one(rows, statistic, criterion="quality", label=kind, metric=metric)["p_adjusted"])


def test_planted_effects_are_found_and_what_is_equal_passes(folder: Path) -> None:
    rows = kept(analysed(folder, EQUIVALENCE))
    kinds = {"passive", "insertion", "polite"}
    assert {row["label"] for row in rows if row["statistic"] == "equivalence_difference"} == kinds
    same = {
        (kind, metric)
        for kind in kinds
        for metric in (None, "fair", "punishing")
        if p_of(rows, "equivalence_test", kind, metric) < 0.05
    }
    punished = {
        (row["label"], row["metric"])
        for row in rows
        if row["statistic"] == "equivalence_difference" and row["value"] > 0 and row["p_adjusted"] < 0.05
    }
    everything = {(kind, metric) for kind in kinds for metric in (None, "fair", "punishing")}
    assert punished == {("insertion", None), ("passive", "punishing")}
    assert same == everything - punished
    shares = {(row["label"], row["metric"]): row["value"] for row in rows if row["statistic"] == "equivalence_punished"}
    assert min(shares["insertion", None], shares["passive", "punishing"]) > 0.8
    assert max(share for judged, share in shares.items() if judged not in punished) < 0.4


def test_raters_are_compared_by_the_model_and_metrics_by_a_paired_t_test(folder: Path) -> None:
    rows = kept(analysed(folder, EQUIVALENCE))
    values = np.stack([VALUES["a"], VALUES["a-passive"]])
    version, rater, item = (codes.ravel() for codes in np.indices(values.shape))
    model = compare_crossed(
        values.ravel(), version, item, rater, n_systems=2, pairs=[(0, 1)], confidence=0.9
    ).pairs[0].difference  # fmt: skip
    raters = one(rows, "equivalence_difference", criterion="quality", label="passive")
    shown = (raters["value"], raters["low"], raters["high"], raters["p"])
    assert shown == pytest.approx((model.value, model.low, model.high, model.p))
    assert raters["settings"]["confidence"] == pytest.approx(0.9)
    assert raters["settings"]["generalises_to"] == "further texts and further raters"
    metric = one(rows, "equivalence_difference", criterion="quality", label="passive", metric="punishing")
    assert metric["p"] == pytest.approx(ttest_rel(PUNISHING["a"], PUNISHING["a-passive"]).pvalue)
    assert metric["settings"]["margin"] == pytest.approx(0.3 * PUNISHING["a"].std(ddof=1))
    over_texts = kept(analysed(folder, EQUIVALENCE, generalise_to="texts"))
    raters = one(over_texts, "equivalence_difference", criterion="quality", label="passive")
    assert raters["p"] == pytest.approx(ttest_rel(VALUES["a"].mean(axis=0), VALUES["a-passive"].mean(axis=0)).pvalue)


def test_correlations_by_kind_of_copy(folder: Path) -> None:
    rows = kept(analysed(folder, EQUIVALENCE))
    correlations = {
        row["label"]: row["value"]
        for row in rows
        if row["metric"] == "fair" and row["statistic"] == "equivalence_correlation"
    }
    expected = {
        key.removeprefix("a-") if key != "a" else "original": spearmanr(VALUES[key].mean(axis=0), FAIR[key]).statistic
        for key in LOWER
    }
    assert correlations == pytest.approx(expected)


def test_without_a_margin_nothing_is_called_equivalent(folder: Path) -> None:
    rows = kept(analysed(folder, {"analysis": "equivalence"}))
    tests = [row for row in rows if row["statistic"] == "equivalence_test"]
    assert {row["p"] for row in tests} == {None}
    assert all("No margin is set" in row["note"] and row["value"] > 0 for row in tests)


@pytest.mark.charts
def test_the_page_says_who_punishes_what(folder: Path, rosa: User, rosas_browser: Client) -> None:
    study = Study.objects.get(slug="small")
    Membership.objects.create(study=study, user=rosa, role=Membership.Role.OWNER)
    analysed(folder, EQUIVALENCE)
    page = rosas_browser.get("/admin/studies/small/results/").content.decode()
    words = re.sub(r"<[^>]+>|\s+", " ", page)
    assert "scored lower than originals: insertion (raters), passive (punishing)" in words
    assert "Copies that keep the meaning: equivalence is shown for 7 of 9 on Quality" in words
    assert "Metrics and raters, by kind of copy" in words
