"""Families of permutation tests: how many permutations they take, and what rows say where none can be significant."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import permutation_test

from analytics_app.analyses.base import Common
from analytics_app.analyses.shared.families import Differing, cannot_differ, flips
from analytics_app.stats.comparison.paired import paired
from tests.analytics_app.by_commands import analysed, load, one

SYSTEMS = "ABCDEF"


def test_the_default_is_raised_to_what_a_family_needs() -> None:
    assert flips(Common(), 6) == 9999
    assert flips(Common(), 595) == 11_900  # 35 systems: 595 / .05
    assert flips(Common(correction="fdr_bh"), 595) == 9999
    assert flips(Common(), 10_000) == 100_000
    # What a plan names is what is drawn.
    assert flips(Common(n_permutations=99), 595) == 99


def why(tests: list[Differing | None], n_permutations: int = 9999, **settings: Any) -> tuple[str, str]:
    """Return the kind of reason why no test can be significant, and the sentence; empty if a test can be."""
    found = cannot_differ(Common(**settings), tests, n_permutations, unit="items")
    return found.get("cannot_differ_since", ""), found.get("cannot_differ", "")


def test_why_no_test_can_be_significant() -> None:
    full = Differing(20, 20)
    assert why([full] * 4, 99) == ("", "")
    kind, sentence = why([full] * 210, 99)
    assert kind == "permutations"
    assert sentence.startswith("With 99 permutations none of the 210 tests")
    assert sentence.endswith("at least 4,200.")
    assert why([full] * 210, 4200) == ("", "")
    assert why([None, None]) == ("", "")
    # Five items have 16 pairs of flips: p is at least 1/16.
    assert why([Differing(5, 5)] * 2) == (
        "units",
        "With 5 items none of the tests of this family can be significant after correction, however large the "
        "differences are: p is at least 0.0625 before it.",
    )


def test_what_is_said_of_few_texts_that_differ_and_of_identical_ones() -> None:
    few = "Only 4 of 40 items differ, so the smallest possible p is 0.125."
    assert why([Differing(40, 4)]) == ("differing", few)
    assert Differing(40, 4).reason(Common(), "items") == few
    assert Differing(40, 1).reason(Common(), "items") == "Only 1 of 40 items differs, so the smallest possible p is 1."
    assert Differing(4, 4).reason(Common(), "items") == "With only 4 items the smallest possible p is 0.125."
    equal = "On every item the two have the same value, so there is nothing to test: p is 1."
    assert why([Differing(12, 0)]) == ("equal", equal)
    assert why([Differing(12, 0)] * 3) == ("equal", equal)
    assert why([Differing(40, 4), Differing(40, 0), Differing(40, 2)]) == (
        "differing",
        "None of the tests of this family can be significant after correction: at most 4 of 40 items differ between "
        "two systems, so p is at least 0.125 before it.",
    )
    # Six items that differ allow a p of 1/32, which correction for three tests takes away.
    assert why([Differing(40, 6)] * 3)[0] == "differing"
    assert why([Differing(40, 6)]) == ("", "")
    assert Differing(40, 6).reason(Common(), "items") is None


@pytest.mark.parametrize("n_differing", [2, 4, 6, 9])
def test_the_smallest_p_is_that_of_an_exact_test(n_differing: int) -> None:
    differences = np.r_[np.ones(n_differing), np.zeros(40 - n_differing)]
    (found,) = paired(
        np.column_stack([differences, np.zeros(40)]), [(0, 1)], n_resamples=0, confidence=0.95,
        rng=np.random.default_rng(1),
    )  # fmt: skip
    assert (found.n_units, found.n_differing) == (40, n_differing)
    assert found.permutation_p == Differing(40, n_differing).least_p
    reference = permutation_test((differences[:n_differing],), np.sum, permutation_type="samples", n_resamples=np.inf)
    assert found.permutation_p == pytest.approx(reference.pvalue)


@pytest.mark.django_db
def test_rows_say_where_nothing_can_be_significant(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    items = [{"item": f"i{n}", "system": system, "output": f"{system} {n}"} for n in range(12) for system in SYSTEMS]
    ratings = [{"rater": "ada", **item, "value": int(rng.integers(1, 6))} for item in items]
    ratings = [{name: value for name, value in row.items() if name != "output"} for row in ratings]
    criterion = {"key": "quality", "name": "Quality", "question": "How good?", "low": "bad", "high": "good"}
    load(tmp_path, {"type": "likert", "criteria": ["quality"]}, items, ratings, criteria=[criterion])
    about = {"criterion": "quality", "system": "A", "system_b": "B"}
    few = one(analysed(tmp_path, {"analysis": "systems"}), "difference", **about)
    assert few["p_adjusted"] >= 0.05
    assert "99 permutations none of the 15 tests" in few["note"]
    assert few["settings"]["cannot_differ"] in few["note"]
    enough = one(analysed(tmp_path, {"analysis": "systems"}, n_permutations=999), "difference", **about)
    assert "cannot_differ" not in enough["settings"]
    assert enough["settings"]["test"] == "sign-flip permutation over items, 999 draws"


@pytest.mark.django_db
@pytest.mark.parametrize(("task_type", "value"), [("likert", 3), ("magnitude", 10)], ids=["differences", "ratios"])
def test_rows_say_how_many_texts_differ(tmp_path: Path, task_type: str, value: int) -> None:
    """A is above B on 4 of 40 texts, and equal to C on all of them."""
    items = [{"item": f"i{n}", "system": system, "output": f"{system} {n}"} for n in range(40) for system in "ABC"]
    ratings = [
        {"rater": "ada", "item": f"i{n}", "system": system, "value": value + (n < 4 and system != "B")}
        for n in range(40)
        for system in "ABC"
    ]
    criterion = {"key": "quality", "name": "Quality", "question": "How good?", "low": "bad", "high": "good"}
    params = {"reference_value": 100, "reference_text": "r"} if task_type == "magnitude" else {}
    task = {"type": task_type, "criteria": ["quality"], "params": params}
    load(tmp_path, task, items, ratings, criteria=[criterion])
    analysis, statistic = ("systems", "difference") if task_type == "likert" else ("magnitude", "magnitude_ratio")
    rows = analysed(tmp_path, {"analysis": analysis}, n_permutations=9999, n_resamples=400)
    few = one(rows, statistic, criterion="quality", system="A", system_b="B")
    assert few["p"] == 0.125
    assert "Only 4 of 40 items differ, so the smallest possible p is 0.125." in few["note"]
    assert (few["settings"]["n_units"], few["settings"]["n_differing"]) == (40, 4)
    assert few["settings"]["cannot_differ_since"] == "differing"
    equal = one(rows, statistic, criterion="quality", system="A", system_b="C")
    assert (equal["p"], equal["low"]) == (1, None)
    assert "On every item the two have the same value, so there is nothing to test: p is 1." in equal["note"]
    assert not any("With so few" in (row["note"] or "") for row in rows)
