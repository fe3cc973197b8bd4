"""Novikova, Dušek and Rieser (2018), "RankME: Reliable Human Ratings for Natural Language Generation": Likert scales.

NAACL 2018. The paper prints ICC only, which belongs to an analysis that is not there yet; the oracle is `expected.json`
of the data, computed with numpy, scipy and krippendorff from the published ratings.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.reproduction.conftest import Reproduce
from tests.reproduction.published import expected, row_of

# This module needs a database, for what `reproduce` does once; so all of it goes to one worker.
pytestmark = [pytest.mark.django_db, pytest.mark.xdist_group("rankme")]

SET = "rankme"
ALPHA = {"alpha_ordinal": "ordinal", "alpha_interval": "interval"}
TASKS = {"s1": "setup1", "s2": "setup2"}


@pytest.fixture(scope="module")
def results(reproduce: Reproduce) -> dict[str, Any]:
    """The results of the published Likert ratings: both setups, each a task."""
    files = [("ratings.csv.gz", f"{task}.yaml") for task in TASKS.values()]
    return reproduce(SET, "rankme-likert", files)


def is_likert(kinds: set[str]) -> Any:
    """Return what tells figures of the Likert scales from those of the other methods."""
    return lambda key: key.split(".")[0] in kinds and key.split(".")[1] == "likert"


def test_all_of_it_was_imported(results: Mapping[str, Any]) -> None:
    first, second = results["imports"]
    # Setup 1 asked for all criteria on one form, setup 2 for one a form.
    assert [first[name] for name in ("rows", "skipped", "raters", "judgments")] == [2742, 13_500, 16, 914]
    assert [second[name] for name in ("rows", "skipped", "raters", "judgments")] == [2700, 13_542, 35, 2700]
    assert results["run"]["n_seen"] == 5442


@pytest.mark.parametrize(("name", "figure"), expected(SET, is_likert(set(ALPHA))))
def test_agreement(results: Mapping[str, Any], name: str, figure: Mapping[str, Any]) -> None:
    kind, _likert, setup, criterion = name.split(".")
    row = row_of(
        results, analysis="krippendorff", statistic="alpha", task=TASKS[setup], criterion=criterion,
        settings={"level": ALPHA[kind]},
    )  # fmt: skip
    assert row["value"] == pytest.approx(figure["value"], abs=figure["tolerance"])


@pytest.mark.parametrize(("name", "figure"), expected(SET, is_likert({"mean"})))
def test_means_of_systems(results: Mapping[str, Any], name: str, figure: Mapping[str, Any]) -> None:
    row = _row(results, "mean", name)
    assert row["value"] == pytest.approx(figure["value"], abs=figure["tolerance"])


@pytest.mark.parametrize(("name", "figure"), expected(SET, is_likert({"zmean"})))
def test_means_of_z(results: Mapping[str, Any], name: str, figure: Mapping[str, Any]) -> None:
    """The reference keeps raters who gave one value only, with z = 0; here they have no z and leave its mean.

    A zero adds nothing to a sum, so the two means differ by the number of ratings they divide by, exactly.
    """
    z, raw = _row(results, "mean_z", name), _row(results, "mean", name)
    assert z["n_ratings"] <= raw["n_ratings"]
    assert z["value"] * z["n_ratings"] / raw["n_ratings"] == pytest.approx(figure["value"], abs=figure["tolerance"])


def _row(results: Mapping[str, Any], statistic: str, name: str) -> Mapping[str, Any]:
    _kind, _likert, setup, criterion, system = name.split(".")
    return row_of(
        results, analysis="systems", statistic=statistic, task=TASKS[setup], criterion=criterion, system=system
    )
