"""A rater who gave the same rating throughout: out of results with z, or 0 there where the plan says so."""

from pathlib import Path

import numpy as np
import pytest
from django.core.management import CommandError

from analytics_app.analyses.raters import NO_Z, ZERO
from analytics_app.analyses.shared.outputs import NO_Z as NO_Z_OF_SYSTEM
from analytics_app.analyses.shared.outputs import NO_Z_OF_BOTH
from tests.analytics_app.by_commands import analysed, load, one

pytestmark = pytest.mark.django_db

VALUES = {"ada": {"A": (1, 2), "B": (4, 5)}, "ben": {"A": (3, 3), "B": (3, 3)}}


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """Two raters of two systems, one of whom only ever chose the middle."""
    items = [{"item": f"i{n}", "system": system, "output": f"{system} {n}"} for n in range(2) for system in "AB"]
    ratings = [
        {"rater": rater, "item": f"i{n}", "system": system, "value": value}
        for rater, systems in VALUES.items()
        for system, values in systems.items()
        for n, value in enumerate(values)
    ]
    criterion = {"key": "quality", "name": "Quality", "question": "How good?", "low": "bad", "high": "good"}
    load(tmp_path, {"type": "likert", "criteria": ["quality"], "k": 2}, items, ratings, criteria=[criterion])
    return tmp_path


@pytest.mark.parametrize(("constant", "n_ratings", "note"), [("drop", 2, NO_Z), ("zero", 4, ZERO)])
def test_constant_raters_by_the_plan(study: Path, constant: str, n_ratings: int, note: str) -> None:
    rows = analysed(study, {"analysis": "systems"}, {"analysis": "raters"}, constant=constant)
    ada = np.array([1, 2, 4, 5])
    z = (ada - ada.mean()) / ada.std(ddof=1)
    row = one(rows, "mean_z", criterion="quality", system="A")
    assert row["value"] == pytest.approx(z[:2].sum() / n_ratings)
    assert (row["n_ratings"], row["settings"]["constant"], row["settings"]["ddof"]) == (n_ratings, constant, 1)
    assert one(rows, "rater_sd", criterion="quality", rater="ben")["note"] == note
    assert one(rows, "rater_sd", criterion="quality", rater="ada")["note"] is None


def test_a_plan_that_names_another_way_is_refused(study: Path) -> None:
    with pytest.raises(CommandError, match="constant"):
        analysed(study, {"analysis": "systems"}, constant="mean")


def test_raters_who_are_all_constant_did_rate(tmp_path: Path) -> None:
    items = [{"item": f"i{n}", "system": system, "output": f"{system} {n}"} for n in range(4) for system in "AB"]
    ratings = [
        {"rater": rater, "item": row["item"], "system": row["system"], "value": 3 + (rater == "ada")}
        for row in items
        for rater in ("ada", "ben")
    ]
    criterion = {"key": "quality", "name": "Quality", "question": "How good?", "low": "bad", "high": "good"}
    load(tmp_path, {"type": "likert", "criteria": ["quality"], "k": 2}, items, ratings, criteria=[criterion])
    rows = analysed(tmp_path, {"analysis": "systems"})
    for name in ("mean_z", "mean_z_over_raters"):
        row = one(rows, name, criterion="quality", system="A")
        assert (row["value"], row["note"]) == (None, NO_Z_OF_SYSTEM)
    for name in ("difference_z", "effect_size_z"):
        row = one(rows, name, criterion="quality", system="A", system_b="B")
        assert (row["value"], row["note"]) == (None, NO_Z_OF_BOTH)
    assert not any("Nothing was rated" in (row["note"] or "") for row in rows)
