"""Features against factor scores: a feature that goes with one dimension predicts that one, in texts left out too."""

from pathlib import Path

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.test import Client

from analytics_app.stats.comparison.cross_validation import explained
from tests.analytics_app.by_commands import analysed, one
from tests.analytics_app.test_confirmed_factors import factor_study


@pytest.mark.django_db
def test_a_feature_of_one_dimension_predicts_that_one(rosas_browser: Client, rosa: User, tmp_path: Path) -> None:
    study = factor_study(tmp_path, rosa, features=True)
    asked = "length: words\nnoise\nmissing"
    found = analysed(tmp_path, {"analysis": "factor_features", "n_factors": 2, "features": asked})
    r = {
        (row["label"], row["metric"]): row
        for row in found
        if row["statistic"] == "factor_feature_r" and row["basis"] == "kept"
    }
    assert r["missing", None]["note"].startswith("The items have no feature “missing”.")
    first = max(("factor 1", "factor 2"), key=lambda factor: r["length", factor]["value"])
    other = "factor 2" if first == "factor 1" else "factor 1"
    assert r["length", first]["value"] > 0.8
    assert r["length", first]["low"] > 0.6
    assert r["length", other]["low"] < 0 < r["length", other]["high"]
    assert abs(r["noise", first]["value"]) < 0.35
    left_out = {
        factor: one(found, "factor_r2_left_out", metric=factor, basis="kept")["value"] for factor in (first, other)
    }
    assert left_out[first] > 0.6
    assert left_out[other] < 0.15
    fitted = one(found, "factor_r2", metric=first, basis="kept")["value"]
    assert fitted == pytest.approx(r["length", first]["value"] ** 2, abs=0.05)
    assert left_out[first] < fitted
    page = rosas_browser.get(f"/admin/studies/{study.slug}/results/{study.runs.latest('number').number}/")
    assert "What features say about factors" in page.content.decode()


def test_leaving_out_one_row_at_a_time_is_the_sum_of_predicted_residuals() -> None:
    # PRESS by the leverages, e / (1 - h), and the same for the mean alone.
    rng = np.random.default_rng(5)
    x = rng.standard_normal((14, 2))
    y = x @ [1.0, -0.5] + rng.standard_normal(14)
    design = np.column_stack([np.ones(14), x])
    hat = design @ np.linalg.inv(design.T @ design) @ design.T
    press = (((y - hat @ y) / (1 - np.diag(hat))) ** 2).sum()
    about_mean = (((y - y.mean()) / (1 - 1 / 14)) ** 2).sum()
    found = explained(x, y, np.arange(14), n_folds=14, n_repetitions=1, rng=np.random.default_rng(1))
    assert found.left_out == pytest.approx(1 - press / about_mean)
    assert found.fitted == pytest.approx(1 - ((y - hat @ y) ** 2).sum() / ((y - y.mean()) ** 2).sum())


def test_rows_of_one_cluster_are_left_out_together() -> None:
    # Each item has its own value, and a predictor that only names it: nothing is known of an item left out.
    item = np.repeat(np.arange(6), 4)
    y = np.repeat([5.0, 1.0, 4.0, 2.0, 3.0, 6.0], 4)
    dummies = (item[:, np.newaxis] == np.arange(1, 6)).astype(float)
    together = explained(dummies, y, item, n_folds=6, n_repetitions=1, rng=np.random.default_rng(1))
    assert together.fitted == pytest.approx(1)
    assert together.left_out < 0.2


def test_predictors_of_nothing_explain_nothing_in_rows_left_out() -> None:
    rng = np.random.default_rng(3)
    shares = [
        explained(
            rng.standard_normal((60, 5)), rng.standard_normal(60), np.arange(60), n_folds=10, n_repetitions=2, rng=rng
        )
        for _study in range(40)
    ]
    assert np.mean([share.left_out for share in shares]) < 0
    assert np.mean([share.fitted for share in shares]) == pytest.approx(5 / 59, abs=0.02)


@pytest.mark.parametrize(
    ("x", "y", "item", "sentence"),
    [
        (np.zeros((4, 1)), [1.0, 2, 3, 4], [0, 0, 0, 0], "two clusters"),
        (np.zeros((4, 1)), [1.0, 1, 1, 1], [0, 1, 2, 3], "do not vary"),
        (np.eye(4), [1.0, 2, 3, 4], [0, 1, 2, 3], "too few rows"),
    ],
)
def test_what_cannot_be_validated_is_refused(x: np.ndarray, y: list[float], item: list[int], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        explained(x, y, np.array(item), n_folds=4, n_repetitions=1, rng=np.random.default_rng(1))
