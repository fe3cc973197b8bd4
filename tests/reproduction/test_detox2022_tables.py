"""Logacheva, Dementieva, Krotova, Fenogenova, Nikishina, Shavrina and Panchenko (2022), detoxification of Russian.

HumEval 2022. Their Tables 1 and 2 print means of 15 systems, Tables 3 and 4 how automatic and human ones correlate.
Texts and ratings are not published, so what is tested are the functions that the analysis of metrics calls.
"""

import csv
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from analytics_app.stats.metrics.metric_meta import over_systems
from tests.reproduction.published import every, expected, folder_of, left_out

SET = "detox2022_tables"

# Table 4 prints for this pair what belongs to Table 3; from the printed means it is -.5505.
MISPRINTED = "system_pearson.STAm.FLa"

# Printed one more in the last digit than what follows from means with three digits.
LAST_DIGIT = {"system_pearson.SIMm.ChrF", "system_pearson.FLm.SIMa"}


def correlations(manual: str, automatic: str) -> dict[str, float | None]:
    with (folder_of(SET) / "system_scores.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    human, metric = (np.array([float(row[name]) for row in rows]) for name in (manual, automatic))
    found = over_systems(human[np.newaxis], metric, n_resamples=0, confidence=0.95, rng=np.random.default_rng(1))
    assert found.pearson.n_ratings == 15
    return {"system_spearman": found.spearman.value, "system_pearson": found.pearson.value}


@every(expected(SET, lambda key: key.startswith("system_")))
def test_correlations_of_systems(name: str, figure: Mapping[str, Any]) -> None:
    kind, manual, automatic = name.split(".")
    value = correlations(manual, automatic)[kind]
    assert value == pytest.approx(figure["value"], abs=figure["tolerance"])
    if "paper" in figure and name != MISPRINTED:
        # The paper cuts some figures and rounds others.
        printed = figure["paper"] in {round(value, 3), math.trunc(value * 1000) / 1000}
        assert printed is (name not in LAST_DIGIT)
        assert abs(value - figure["paper"]) < 0.001
    assert (name != MISPRINTED) or abs(value - figure["paper"]) > 0.1


def test_no_published_figure_is_left_out() -> None:
    assert left_out(SET) == set()
