"""Meta-evaluation of metrics as mt-metrics-eval computes it, on the ratings of Lai et al. (2022).

The oracle is google-research/mt-metrics-eval (stats.py): eight systems without the human reference, 80 items, the mean
of the raters' raw values. It computes means in floating point and compares them as they are, so a few pairs of texts
with one mean are ordered by their last bit; here they are tied, and the test takes them out of the figure.
"""

import csv
import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
import scipy.stats

from analytics_app.stats.metrics.grouped import grouped_correlations
from analytics_app.stats.metrics.metric_meta import over_systems, over_texts
from analytics_app.stats.metrics.soft_accuracy import soft_pairwise_accuracy
from analytics_app.stats.metrics.tie_calibration import equal_accuracy
from analytics_app.stats.values import Floats
from tests.deviations import assert_each
from tests.reproduction.published import folder_of, missing

SET, RATED = "metric_meta", "lai2022_formality"
pytestmark = pytest.mark.skipif(bool(missing(SET) or missing(RATED)), reason=missing(SET) or missing(RATED))

# Soft pairwise accuracy is compared with 20,000 random permutations: two runs differ by about .005.
MONTE_CARLO = 0.005


def options() -> dict[str, Any]:
    return {"n_resamples": 0, "confidence": 0.95, "rng": np.random.default_rng(1)}


@cache
def published() -> dict[str, Any]:
    read: dict[str, Any] = json.loads((folder_of(SET) / "expected.json").read_text())
    return read


@cache
def rows_of(name: str) -> list[dict[str, str]]:
    with (folder_of(RATED) / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def matrix(cells: dict[tuple[str, str], list[float]]) -> Floats:
    items = sorted({row["item_id"] for row in rows_of("ratings.csv")})
    return np.array([[np.mean(cells[item, system]) for system in published()["systems"]] for item in items])


def human_scores(criterion: str) -> Floats:
    cells: dict[tuple[str, str], list[float]] = {}
    for row in rows_of("ratings.csv"):
        if row["criterion"] == criterion:
            cells.setdefault((row["item_id"], row["system"]), []).append(float(row["value"]))
    return matrix(cells)


def cases() -> Iterator[tuple[str, dict[str, Any]]]:
    for criterion, metrics in published()["criteria"].items():
        human = human_scores(criterion)
        for name, figures in metrics.items():
            scores = matrix({(row["item_id"], row["system"]): [float(row[name])] for row in rows_of("metrics.csv")})
            yield f"{criterion}, {name}", {"human": human, "metric": scores, "figures": figures}


def by_rounding(human: Floats, metric: Floats, by: str) -> float:
    """Return how much of mt-metrics-eval's accuracy is owed to pairs that are ordered by the last bit of a mean."""
    sides = {"none": (human.reshape(1, -1), metric.reshape(1, -1)), "item": (human, metric), "sys": (human.T, metric.T)}
    owed = []
    for people, scores in zip(*sides[by], strict=True):
        a, b = np.triu_indices(len(people), 1)
        difference = people[a] - people[b]
        rounded = (difference != 0) & (np.abs(difference) < 1e-9)
        of_metric = np.sign(scores[a] - scores[b])
        owed.append(((np.sign(difference) == of_metric)[rounded].sum() - (of_metric == 0)[rounded].sum()) / len(a))
    return float(np.mean(owed))


def compare(human: Floats, metric: Floats, figures: dict[str, float]) -> None:
    item = np.repeat(np.arange(len(human)), human.shape[1])
    texts = over_texts(human.ravel(), metric.ravel(), item, **options())
    within = grouped_correlations(human, metric, grouping="item", **options())
    found = {
        "pearson_no_grouping": texts.pearson.value,
        "pearson_group_by_item": within.pearson.value,
        "kendall_b_group_by_item": within.kendall.value,
        "system_pairwise_accuracy": over_systems(human, metric, **options()).third.value,
    }
    raw, rounded = (scipy.stats.kendalltau(side.ravel(), metric.ravel()).statistic for side in (human, human.round(9)))
    assert (raw, rounded) == pytest.approx((figures["kendall_b_no_grouping"], texts.third.value), abs=1e-6)
    owed: dict[str, Any] = {}
    for by, grouping in (("none", "none"), ("item", "item"), ("sys", "system")):
        accuracy = equal_accuracy(human, metric, grouping=grouping, **options())
        found[f"pairwise_accuracy_{by}_eps0"] = accuracy.uncalibrated
        found[f"pairwise_accuracy_{by}_tie_calibrated"] = accuracy.calibrated.value
        found[f"tie_epsilon_{by}"] = accuracy.epsilon
        owed |= dict.fromkeys((f"pairwise_accuracy_{by}_eps0", f"pairwise_accuracy_{by}_tie_calibrated"),
                              by_rounding(human, metric, by))  # fmt: skip
    for name, value in found.items():
        assert value == pytest.approx(figures[name] - owed.get(name, 0.0), abs=1e-6), name
    soft = soft_pairwise_accuracy(human, metric, n_permutations=9_999, rng=np.random.default_rng(1))
    assert soft.value == pytest.approx(figures["soft_pairwise_accuracy_20000_permutations"], abs=MONTE_CARLO)
    assert figures.keys() == {*found, "kendall_b_no_grouping", "soft_pairwise_accuracy_20000_permutations"}


def test_every_figure_of_mt_metrics_eval() -> None:
    assert_each(compare, cases())


def test_few_pairs_are_ordered_by_rounding() -> None:
    owed = [abs(by_rounding(case["human"], case["metric"], by)) for _name, case in cases() for by in ("none", "item")]
    assert 0 < max(owed) < 1e-4
