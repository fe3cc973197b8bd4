"""PANAS words of the Motivational State Questionnaire (R's psychTools, msqR): alpha, eigenvalues, two factors.

The oracle is `expected.json` of the data: psych and factanal of R, statsmodels and factor_analyzer on the same ratings.
"""

from collections.abc import Mapping
from typing import Any

import pytest

from tests.reproduction.conftest import Reproduce
from tests.reproduction.published import every, expected, left_out, row_of

# This module needs a database, for what `reproduce` does once.
pytestmark = [pytest.mark.django_db, pytest.mark.exhaustive]

SET = "panas_msqr"


@pytest.fixture(scope="module")
def results(reproduce: Reproduce) -> dict[str, Any]:
    """The results of the published answers of 3,027 people."""
    return reproduce(SET, "panas-msqr", [("ratings.csv.gz", "map.yaml")])


def about(*starts: str) -> Any:
    """Return a test of how the name of a figure begins."""
    return lambda key: key.startswith(starts)


@every(expected(SET, about("n_")))
def test_all_of_it_was_imported(results: Mapping[str, Any], name: str, figure: Mapping[str, Any]) -> None:
    (said,) = results["imports"]
    assert said[{"n_ratings": "rows", "n_raters": "raters"}[name]] == figure["value"]
    assert results["run"]["n_seen"] == 60_446


@every(expected(SET, about("cronbach_alpha.", "sd_sum.")))
def test_scores(results: Mapping[str, Any], name: str, figure: Mapping[str, Any]) -> None:
    kind, scale = name.split(".")
    statistic = {"cronbach_alpha": "affect_alpha", "sd_sum": "affect_sd"}[kind]
    row = row_of(results, analysis="panas", statistic=statistic, task="mood", label=scale)
    assert row["value"] == pytest.approx(figure["value"], abs=figure["tolerance"])
    assert row["n_raters"] == 2951


@every(expected(SET, about("eigenvalues")))
def test_eigenvalues(results: Mapping[str, Any], name: str, figure: Mapping[str, Any]) -> None:
    found = [
        row_of(results, analysis="factors", task="mood", statistic="eigenvalue", label=str(place))["value"]
        for place in range(1, 7)
    ]
    assert found == pytest.approx(figure["value"], abs=figure["tolerance"]), name


@every(expected(SET, about("efa_ml_2factors.df")))
def test_degrees_of_freedom(results: Mapping[str, Any], name: str, figure: Mapping[str, Any]) -> None:
    row = row_of(results, analysis="factors", task="mood", statistic="factor_fit")
    assert row["df"] == figure["value"], name
    assert row["n_raters"] == 2951


@every(expected(SET, about("efa_ml_2factors.uniqueness")))
def test_uniquenesses(results: Mapping[str, Any], name: str, figure: Mapping[str, Any]) -> None:
    word = name.rpartition(".")[2]
    row = row_of(results, analysis="factors", task="mood", statistic="communality", label=f"panas-{word}")
    assert 1 - row["value"] == pytest.approx(figure["value"], abs=figure["tolerance"])


@every(expected(SET, about("efa_ml_promax_kaiser.loading")))
def test_loadings(results: Mapping[str, Any], name: str, figure: Mapping[str, Any]) -> None:
    """The factor that explains more is that of positive affect, as there; signs are those of its own words."""
    word = name.rpartition(".")[2]
    found = [
        row["value"]
        for metric in ("factor 1", "factor 2")
        for row in results["rows"]
        if (row["statistic"], row["label"], row["metric"]) == ("loading", f"panas-{word}", metric)
    ]
    assert found == pytest.approx(figure["value"], abs=figure["tolerance"])


def test_no_published_figure_is_left_out() -> None:
    assert left_out(SET) == set()
