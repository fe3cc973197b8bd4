"""Borovikova, Grobol, Halftermeyer and Billot (2022), "A methodology for the comparison of human judgments with ...".

Their metrics are those of coreference resolution.

HumEval 2022. Ten of the paper's twelve raters were released, so the oracle is not its printed Table 1 but what the
authors' own code gives on these ten (`expected.json` of the data): alpha on four scales, on all items and on the simple
ones, and the trust coefficient of every rater on each of them.
"""

from collections.abc import Mapping
from typing import Any

import pytest

from tests.reproduction.conftest import Reproduce
from tests.reproduction.published import every, expected, left_out

# This module needs a database, for what `reproduce` does once.
pytestmark = pytest.mark.django_db

SET = "coref"
SCALES = {
    "standard": None,
    "reduced": "reduced=0 | 1 2 | 3 4 | 5 6 | 7",
    "gravity": "reduced=0 1 2 | 3 4 5 6 | 7",
    "importance": "reduced=0 3 4 | 1 2 5 6 | 7",
}
BASES = {"all": "all", "simple": "kept"}
OTHER = "without_outlier.yaml"


@pytest.fixture(scope="module")
def results(reproduce: Reproduce) -> dict[str, Any]:
    """The results of the published ratings, with the rule simple_items, and with trust after it."""
    files = [("ratings.csv", "ratings.yaml"), ("ratings.csv", "repeats.yaml")]
    return reproduce(SET, "coref", files, plans=[OTHER])


def named(*kinds: str) -> Any:
    """Return a test of whether a figure is of some kinds."""
    return lambda key: key.split(".")[0] in kinds and not key.endswith("without_A10")


def rows(document: Mapping[str, Any], **columns: Any) -> list[Mapping[str, Any]]:
    """Return the rows that have these values."""
    return [row for row in document["rows"] if all(row[name] == value for name, value in columns.items())]


def alpha(document: Mapping[str, Any], level: str, scale: str, basis: str) -> float:
    found = rows(document, statistic="alpha", slice=SCALES[scale], basis=basis)
    (row,) = [row for row in found if row["settings"]["level"] == level]
    assert row["value"] is not None
    return float(row["value"])


def test_all_of_it_was_imported(results: Mapping[str, Any]) -> None:
    first, again = results["imports"]
    assert (first["raters"], first["judgments"]) == (10, 533)
    assert (again["raters"], again["judgments"]) == (3, 9)
    assert results["run"]["n_seen"] == 533


@every(expected(SET, lambda key: key == "n_simple_items"))
def test_simple_items(results: Mapping[str, Any], name: str, figure: Mapping[str, Any]) -> None:
    (collected,) = rows(results, analysis="funnel", statistic="collected")
    (kept,) = rows(results, analysis="funnel", statistic="kept")
    assert (collected["n_items"], kept["n_items"]) == (127, figure["value"])


@every(expected(SET, named("alpha_nominal", "alpha_ordinal", "alpha_interval")))
def test_alpha(results: Mapping[str, Any], name: str, figure: Mapping[str, Any]) -> None:
    kind, scale, items = name.split(".")
    found = alpha(results, kind.removeprefix("alpha_"), scale, BASES[items])
    assert found == pytest.approx(figure["value"], abs=figure["tolerance"])


@every(expected(SET, lambda key: key.endswith("without_A10")))
def test_alpha_without_the_outlier(results: Mapping[str, Any], name: str, figure: Mapping[str, Any]) -> None:
    kind, scale, *_rest = name.split(".")
    document = results["plans"][OTHER]
    assert alpha(document, kind.removeprefix("alpha_"), scale, "kept") == pytest.approx(
        figure["value"], abs=figure["tolerance"]
    )
    (raters,) = [row["n_raters"] for row in rows(document, analysis="funnel", statistic="removed", label="trust")]
    assert raters == 1


@every(expected(SET, named("trust")))
def test_trust_coefficients(results: Mapping[str, Any], name: str, figure: Mapping[str, Any]) -> None:
    _trust, scale, items, rater = name.split(".")
    about = {"statistic": "trust_coefficient", "slice": SCALES[scale], "basis": BASES[items], "rater": rater}
    (row,) = rows(results, **about)
    assert row["value"] == pytest.approx(figure["value"], abs=figure["tolerance"])
    assert row["settings"]["groups"] == "all 1,013"


@every(expected(SET, named("outliers")))
def test_who_is_at_a_half_or_below(results: Mapping[str, Any], name: str, figure: Mapping[str, Any]) -> None:
    _outliers, scale, items = name.split(".")
    found = rows(results, statistic="trust_coefficient", slice=SCALES[scale], basis=BASES[items])
    assert [row["rater"] for row in found if row["value"] <= 0.5] == figure["value"]


@every(expected(SET, named("repeats")))
def test_repeats(results: Mapping[str, Any], name: str, figure: Mapping[str, Any]) -> None:
    """The published pairs by the figure that needs them: how far a rater is from what they had said."""
    rater = name.split(".")[1]
    (row,) = rows(results, statistic="rater_repeat_difference", rater=rater, basis="all")
    difference = sum(abs(first - again) for first, again in figure["value"]) / 3
    assert row["value"] == pytest.approx(difference / 7)
    assert row["n_ratings"] == 3


def test_no_published_figure_is_left_out() -> None:
    assert left_out(SET) == set()
