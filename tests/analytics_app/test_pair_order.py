"""A pair of texts counts once, in whichever order a file names its two texts."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from django.db.models import F

from tasks_app.models import Rating, Study
from tests.analytics_app.by_commands import analysed, load

pytestmark = pytest.mark.django_db

ITEMS = [
    {"item": str(number), "system": system, "output": f"Text {system} of {number}."}
    for number in range(1, 5)
    for system in ("A", "B")
]
# Two raters who agree on four pairs, the second of whom was shown them in the other order.
AGREED = [
    {"rater": rater, "item": str(item), "system": a, "system_b": b, "label": "first" if better == a else "second"}
    for item, better in enumerate("AABB", start=1)
    for rater, (a, b) in (("r1", "AB"), ("r2", "BA"))
]
TASK = {"type": "pairwise", "criteria": ["quality"]}
CRITERIA = [{"key": "quality", "name": "Quality", "question": "Which is better?"}]
SHOWN = ({"analysis": "krippendorff"}, {"analysis": "kappa"}, {"analysis": "agreement"}, {"analysis": "pairwise"})
# The statistics of agreement that two raters who agree have in full.
FULL = {"krippendorff_alpha", "cohen_kappa", "fleiss_kappa", "gwet_ac1", "percent_agreement"}


def of_agreement(rows: list[dict[str, Any]]) -> dict[str, float | None]:
    return {row["statistic"]: row["value"] for row in rows if row["statistic"] in FULL}


def test_raters_who_agree_about_pairs_in_both_orders_agree(tmp_path: Path) -> None:
    load(tmp_path, TASK, ITEMS, AGREED, criteria=CRITERIA, flow={"imported": True})
    rows = analysed(tmp_path, *SHOWN)
    print({row["statistic"]: (row["value"], row["n_items"], row["n_ratings"]) for row in rows})
    assert set(of_agreement(rows).values()) == {1.0}
