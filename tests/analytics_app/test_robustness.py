"""Robustness: originals against degraded copies, for raters and metrics, against pandas and by hand."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from analytics_app.analyses.shared.copies import copies_among
from tests.analytics_app.by_commands import analysed, load, score, write

pytestmark = pytest.mark.django_db

SYSTEMS = ("a", "a-negation", "a-typos", "b", "b-negation", "ab")
RNG = np.random.default_rng(7)
SCORES = np.round(np.clip(RNG.normal([70, 40, 65, 60, 35, 50], 10, (10, 6)), 0, 100))
# A metric of which lower is better, and which gives originals and copies the same.
ERRORS = np.repeat(RNG.normal(20, 5, (10, 1)).round(3), 6, axis=1)


@pytest.fixture
def rows(tmp_path: Path) -> list[dict[str, Any]]:
    """The rows of a study with two systems and their copies, of which b has no copies with typos."""
    texts = [(item, place, key) for item in range(10) for place, key in enumerate(SYSTEMS)]
    items = [{"item": f"i{i}", "system": key, "output": f"{key} {i}", "source": "s"} for i, _place, key in texts]
    ratings = [
        {"rater": rater, "item": f"i{i}", "system": key, "value": float(SCORES[i, place])}
        for rater in ("r1", "r2")
        for i, place, key in texts
    ]
    task = {"type": "slider", "criteria": ["quality"], "params": {"minimum": 0, "maximum": 100}, "k": 2}
    criterion = {"key": "quality", "name": "Quality", "question": "How good?", "low": "bad", "high": "good"}
    load(tmp_path, task, items, ratings, criteria=[criterion])
    scores = [{"item": f"i{i}", "system": key, "errors": float(ERRORS[i, place])} for i, place, key in texts]
    score(write(tmp_path / "scores.csv", scores), "errors")
    robustness = {"analysis": "robustness", "kinds": ["negation", "typos"], "lower_is_better": ["errors"]}
    return [
        row
        for row in analysed(tmp_path, robustness, n_permutations=2000)
        if row["analysis"] == "robustness" and row["basis"] == "kept"
    ]


def test_each_kind_against_pandas(rows: list[dict[str, Any]]) -> None:
    table = pd.DataFrame(SCORES, columns=list(SYSTEMS))
    negation = pd.concat([table["a"] - table["a-negation"], table["b"] - table["b-negation"]], axis=1)
    of = {(row["statistic"], row["label"], row["system"], row["metric"]): row for row in rows}
    assert of["robustness_difference", "negation", None, None]["value"] == pytest.approx(negation.mean(axis=1).mean())
    assert of["robustness_noticed", "negation", None, None]["value"] == pytest.approx((negation > 0).stack().mean())
    assert of["robustness_noticed", "negation", None, None]["n_items"] == 20
    typos = table["a"] - table["a-typos"]
    assert of["robustness_difference", "typos", None, None]["value"] == pytest.approx(typos.mean())
    assert of["robustness_difference", "typos", "a", None]["value"] == pytest.approx(typos.mean())
    assert of["robustness_noticed", "typos", None, None]["value"] == pytest.approx((typos > 0).mean())
    assert ("robustness_difference", "typos", "b", None) not in of
    # All ten items are far apart, so of 1,024 flips the two with one sign are as far from zero.
    assert of["robustness_difference", "negation", None, None]["p"] == pytest.approx(2 / 1024)
    assert of["robustness_difference", "negation", None, None]["p_adjusted"] == pytest.approx(4 / 1024)


def test_a_metric_that_sees_no_difference_notices_nothing(rows: list[dict[str, Any]]) -> None:
    metric = [row for row in rows if row["metric"] == "errors"]
    assert {row["value"] for row in metric} == {0}
    assert {row["p"] for row in metric if row["statistic"] == "robustness_difference" and row["system"] is None} == {1}
    assert {(row["settings"] or {}).get("sign") for row in metric} == {"turned"}


def test_copies_are_found_by_their_names_alone() -> None:
    copies = copies_among(SYSTEMS, ("typos", "negation", "order"))
    assert [(pair.system, pair.kind) for pair in copies.pairs] == [("a", "typos"), ("a", "negation"), ("b", "negation")]
    assert copies.kinds == ("typos", "negation")
    assert not copies_among(("gpt", "gpt-4"), ("negation",)).pairs
