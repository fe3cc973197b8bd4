"""Mixed models of published ratings: standard deviations and pairs as lme4 and lmerTest give them."""

import csv
import gzip
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from analytics_app.stats.mixed.crossed import CrossedComparison, compare_crossed
from tests.reproduction.published import NOT_REPRODUCED, VARIABLE, folder_of, root_of_all

SETS = (
    "rankme_likert_1_quality",
    "rankme_likert_2_informativeness",
    "rankme_likert_2_quality",
    "lai_content",
    "lai_fluency",
)
TERMS = {"item": "item", "is": "system_item", "rater": "rater", "rs": "rater_system", "Residual": "residual"}


def oracle() -> Path:
    """Return the file of R's figures; skip the test without it or without the ratings."""
    path = root_of_all().parent / "mixed_models.json"
    if not path.is_file() or not folder_of("rankme").is_dir() or not folder_of("lai2022_formality").is_dir():
        pytest.skip(f"{NOT_REPRODUCED}: {path} or its ratings are missing. Set {VARIABLE} to the folder of ratings.")
    return path


def rows(name: str) -> Iterator[tuple[str, str, str, str]]:
    """Yield value, system, item and rater of each rating of a set."""
    kind, *chosen = name.split("_")
    if kind == "lai":
        with (folder_of("lai2022_formality") / "ratings.csv").open(newline="") as file:
            for row in csv.DictReader(file):
                if row["criterion"] == chosen[0]:
                    yield row["value"], row["system"], row["item_id"], row["rater_id"]
        return
    with gzip.open(folder_of("rankme") / "ratings.csv.gz", "rt", newline="") as file:
        for row in csv.DictReader(file):
            if [row["method"], row["setup"], row["criterion"]] == chosen:
                # "rk-001-baseline" is the text of a system for the meaning representation 001.
                yield row["value"], row["system"], row["item_id"][:6], row["rater_id"]


@cache
def coded(name: str) -> tuple[dict[str, Any], NDArray[np.float64], list[NDArray[np.intp]]]:
    """Return R's figures of a set, its values, and the codes of systems, items and raters."""
    figures = json.loads(oracle().read_text())[name]
    values, *columns = zip(*rows(name), strict=True)
    codes = [np.unique(column, return_inverse=True)[1] for column in columns]
    assert sorted(set(columns[0])) == figures["systems"]
    assert len(values) == figures["n"]
    return figures, np.array(values, dtype=float), codes


@cache
def fitted(name: str) -> tuple[dict[str, Any], CrossedComparison]:
    """Return R's figures and ours."""
    figures, values, codes = coded(name)
    systems = figures["systems"]
    pairs = [(systems.index(pair["a"]), systems.index(pair["b"])) for pair in figures["lmm"]["pairs"]]
    return figures["lmm"], compare_crossed(values, *codes, n_systems=len(systems), pairs=pairs, confidence=0.95)


@pytest.mark.parametrize("name", SETS)
def test_standard_deviations(name: str) -> None:
    figures, found = fitted(name)
    expected = {TERMS[term]: value for term, value in figures["sd"].items()}
    assert {term: sd.value for term, sd in found.sd.items()} == pytest.approx(expected, rel=1e-4, abs=1e-5)
    assert bool(found.zero) == figures["singular"]


@pytest.mark.parametrize("name", SETS)
def test_pairs(name: str) -> None:
    figures, found = fitted(name)
    for pair, expected in zip(found.pairs, figures["pairs"], strict=True):
        assert pair.difference.value == pytest.approx(expected["difference"], abs=1e-4)
        assert pair.difference.se == pytest.approx(expected["se"], rel=1e-4)
        assert pair.difference.df == pytest.approx(expected["df"], rel=1e-4)
        assert pair.difference.p == pytest.approx(expected["p"], rel=1e-2, abs=1e-12)


@pytest.mark.parametrize("name", SETS)
def test_the_mean_of_the_first_system(name: str) -> None:
    figures, found = fitted(name)
    intercept = figures["coefficients"][0]
    assert found.means[0].value == pytest.approx(intercept["estimate"], abs=1e-4)
    assert (found.means[0].se, found.means[0].df) == pytest.approx((intercept["se"], intercept["df"]), rel=1e-3)
