"""Freitag, Rei, Mathur, Lo, Stewart, Foster, Lavie and Bojar (2021), the WMT 2021 metrics task: MQM of TED talks.

The published scores of systems and of all 15,341 segments follow from the marked errors by the weights of Freitag,
Foster, Grangier, Ratnakar, Tan and Macherey (2021). The oracle is `expected.json` and `segment_scores.csv` of the data.
"""

import csv
from collections.abc import Mapping
from typing import Any

import pytest

from tests.reproduction.conftest import Reproduce
from tests.reproduction.published import every, expected, folder_of, left_out, row_of

# This module needs a database, for what `reproduce` does once.
pytestmark = [pytest.mark.django_db, pytest.mark.exhaustive]

SET = "wmt21_ted_mqm"

# Misprints of the repository, which cuts two means instead of rounding them (README of the data).
CUT = {"en-de.system_mqm.eTranslation", "zh-en.system_mqm.Borderline"}

NO_ERROR = "No-error"


@pytest.fixture(scope="module")
def results(reproduce: Reproduce) -> dict[str, Any]:
    """The results of the published marks: both language pairs, each a slice."""
    return reproduce(SET, "wmt21-ted-mqm", [("ratings.csv.gz", "map.yaml")])


def one(results: Mapping[str, Any], statistic: str, pair: str | None = None, **columns: Any) -> Mapping[str, Any]:
    return row_of(
        results, analysis="error_spans", statistic=statistic, task="mqm",
        slice=f"language_pair={pair}" if pair else None, **columns,
    )  # fmt: skip


def test_all_of_it_was_imported(results: Mapping[str, Any]) -> None:
    (said,) = results["imports"]
    assert {name: said[name] for name in ("rows", "skipped", "raters", "judgments", "ratings")} == {
        "rows": 18_350, "skipped": 0, "raters": 13, "judgments": 15_341, "ratings": 9649,
    }  # fmt: skip


def is_system(key: str) -> bool:
    return ".system_mqm." in key


@every(expected(SET, is_system))
def test_penalties_of_systems(results: Mapping[str, Any], name: str, figure: Mapping[str, Any]) -> None:
    pair, _kind, system = name.split(".")
    row = one(results, "mqm_score", pair, system=system)
    assert row["value"] == pytest.approx(figure["value"], abs=figure["tolerance"])
    assert (row["n_items"], row["n_ratings"]) == (529, 529)
    assert row["low"] < row["value"] < row["high"]
    if "paper" in figure and name not in CUT:
        digits = len(str(figure["paper"]).partition(".")[2])
        assert round(row["value"], digits) == figure["paper"]


@every(expected(SET, lambda key: "rows_by_" in key))
def test_marks_by_severity_and_kind(results: Mapping[str, Any], name: str, figure: Mapping[str, Any]) -> None:
    pair, kind = name.split(".")
    statistic = "severity_count" if kind == "rows_by_severity" else "group_count"
    for label, number in figure["value"].items():
        row = one(results, "no_error_count", pair) if label == NO_ERROR else one(results, statistic, pair, label=label)
        assert row["value"] == number, label


@every(expected(SET, lambda key: "mean_score_by_rater" in key))
def test_penalties_by_rater(results: Mapping[str, Any], name: str, figure: Mapping[str, Any]) -> None:
    for rater, value in figure["value"].items():
        row = one(results, "mqm_of_rater", name.split(".", maxsplit=1)[0], rater=rater)
        assert row["value"] == pytest.approx(value, abs=figure["tolerance"])


@every(expected(SET, lambda key: "system_z" in key))
def test_penalties_as_z(results: Mapping[str, Any], name: str, figure: Mapping[str, Any]) -> None:
    for system, value in figure["value"].items():
        row = one(results, "mqm_score_z", name.split(".", maxsplit=1)[0], system=system)
        assert row["value"] == pytest.approx(value, abs=figure["tolerance"])


@every(expected(SET, lambda key: "max_errors" in key or "segments_equal" in key))
def test_counts_of_segments(results: Mapping[str, Any], name: str, figure: Mapping[str, Any]) -> None:
    if name == "max_errors_a_segment":
        assert one(results, "most_errors")["value"] == figure["value"]
        return
    pair = name.split(".", maxsplit=1)[0]
    assert sum(equal for item, equal in segments(results) if item.startswith(f"ted-{pair}")) == figure["value"]


def segments(results: Mapping[str, Any]) -> list[tuple[str, bool]]:
    """Return item and whether our penalty is the published one, for every published segment of every system."""
    ours = {(row["label"], row["system"]): row["value"] for row in results["rows"] if row["statistic"] == "mqm_segment"}
    with (folder_of(SET) / "segment_scores.csv").open(encoding="utf-8", newline="") as file:
        return [
            (row["item_id"], ours[row["item_id"], row["system"]] == pytest.approx(float(row["mqm_penalty_published"])))
            for row in csv.DictReader(file)
        ]


def test_all_segments_are_as_published(results: Mapping[str, Any]) -> None:
    found = segments(results)
    assert len(found) == 15_341
    assert all(equal for _item, equal in found)


def test_one_rater_a_text_leaves_nothing_to_agree_on(results: Mapping[str, Any]) -> None:
    statistics = {row["statistic"] for row in results["rows"]}
    assert not statistics & {"span_f1_exact", "character_alpha"}
    assert "score_regression" not in statistics


def test_no_published_figure_is_left_out() -> None:
    assert left_out(SET) == set()
