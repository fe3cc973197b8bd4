"""Families of permutation tests: how many permutations they take, and what rows say where none can be significant."""

from pathlib import Path

import numpy as np
import pytest

from analytics_app.analyses.base import Common
from analytics_app.analyses.shared.families import cannot_differ, flips
from tests.analytics_app.by_commands import analysed, load, one

SYSTEMS = "ABCDEF"


def test_the_default_is_raised_to_what_a_family_needs() -> None:
    assert flips(Common(), 6) == 9999
    assert flips(Common(), 595) == 11_900  # 35 systems: 595 / .05
    assert flips(Common(correction="fdr_bh"), 595) == 9999
    assert flips(Common(), 10_000) == 100_000
    # What a plan names is what is drawn.
    assert flips(Common(n_permutations=99), 595) == 99


def test_why_no_test_can_be_significant() -> None:
    few = Common(n_permutations=99)
    assert cannot_differ(few, [20] * 4, 99, unit="items") is None
    said = cannot_differ(few, [20] * 210, 99, unit="items")
    assert said is not None
    assert said.startswith("With 99 permutations none of the 210 tests")
    assert said.endswith("at least 4,200.")
    assert cannot_differ(few, [20] * 210, 4200, unit="items") is None
    # Five items have 16 flips: p is at least 1/16.
    assert "so few documents" in str(cannot_differ(Common(), [5, 5], 9999, unit="documents"))
    assert cannot_differ(Common(), [None, None], 9999, unit="items") is None


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
