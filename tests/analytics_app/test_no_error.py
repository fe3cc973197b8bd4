"""Answers that found no error have no rating, and are answers like any other: for rules, and in what is counted."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from analytics_app import quality
from analytics_app.models import Exclusion, Run
from analytics_app.quality.base import Asking, RuleSample
from analytics_app.ratings import Extras
from analytics_app.ratings.extras.times import Times
from analytics_app.ratings.extras.words import Words
from tests.analytics_app.by_commands import analysed, load, one
from tests.analytics_app.test_error_spans import ITEMS, MARKS, mark, nothing
from tests.house.test_analyses import table

pytestmark = pytest.mark.django_db

TASK: dict[str, Any] = {"type": "error_spans", "params": {"scheme": "mqm"}, "k": 3}
SILENT = [nothing("r3", item["item"], item["system"]) for item in ITEMS]


def test_fieldwork_counts_them(tmp_path: Path) -> None:
    load(tmp_path, TASK, ITEMS, [*MARKS, *SILENT])
    found = analysed(tmp_path, {"analysis": "fieldwork"}, {"analysis": "rater_quality"})
    assert one(found, "raters_judged")["value"] == 3
    assert one(found, "raters_excluded")["value"] == 0
    assert one(found, "raters_analysed")["value"] == 3
    assert one(found, "judgments_analysed")["value"] == 18
    assert one(found, "judgments_per_rater", label="least")["value"] == 6
    assert one(found, "judgments_per_unit", label="least")["value"] == 3
    facts = Run.objects.latest("pk").facts["tasks"]["main"]
    assert (facts["raters"], facts["judgments"]) == (3, 18)


def test_who_is_left_out_by_hand_is_counted_as_such(tmp_path: Path) -> None:
    load(tmp_path, TASK, ITEMS, [*MARKS, *SILENT])
    from tasks_app.models import Rater, Study

    study = Study.objects.get(slug="small")
    rater = Rater.objects.get(study=study, pseudonym="r3")
    Exclusion.objects.create(study=study, rule="manual", rater=rater, reason="Clicked through.")
    found = analysed(tmp_path, {"analysis": "fieldwork"})
    assert one(found, "raters_analysed")["value"] == 2
    assert one(found, "raters_analysed", basis="all")["value"] == 3
    assert one(found, "judgments_analysed")["value"] == 12
    listed = Exclusion.objects.filter(run=Run.objects.latest("pk"))
    assert [(one.rater, one.reason) for one in listed] == [(rater, "Clicked through.")]
    assert one(found, "removed", label="manual", basis="all")["n_raters"] == 1


@pytest.mark.parametrize("rule", [{"rule": "iqr", "factor": 0.1}, {"rule": "simple_items", "most": 1}])
def test_rules_on_single_ratings_leave_marks_alone(tmp_path: Path, rule: dict[str, Any]) -> None:
    """A text whose marks were taken would count as one without an error."""
    many = [
        mark("r1", "i1", "A", kind, place, place + 1)
        for place, kind in enumerate(["minor fluency/grammar"] * 4 + ["major style/awkward", "minor fluency/grammar"])
    ]
    load(tmp_path, {**TASK, "k": 1}, ITEMS, [*many, *(nothing("r1", one["item"], one["system"]) for one in ITEMS[1:])])
    found = analysed(tmp_path, {"analysis": "error_spans"}, rules=[rule])
    assert one(found, "mqm_score", system="A")["value"] == pytest.approx(10 / 3)
    assert one(found, "removed", label=rule["rule"], basis="all")["n_ratings"] == 0


def test_a_burn_in_takes_them_too(tmp_path: Path) -> None:
    ratings = [
        {**one, "position": place}
        for place, one in enumerate([*SILENT[:2], mark("r3", "i2", "A", "major style/awkward", 0, 1), *SILENT[3:]], 1)
    ]
    load(tmp_path, TASK, ITEMS, ratings)
    found = analysed(tmp_path, {"analysis": "error_spans"}, rules=[{"rule": "burn_in", "n": 2}])
    assert one(found, "no_error_count")["n_ratings"] == 4
    assert one(found, "no_error_count", basis="all")["n_ratings"] == 6


def test_who_only_clicks_that_there_is_no_error_is_too_fast() -> None:
    """Rater 0 marks an error on one screen, rater 1 finds none on six, each in a second."""
    data = table([1.0] * 12, [0] * 6 + [1] * 6, list(range(6)) * 2, [0] * 12)
    rated = data.where(np.arange(12) == 0)
    times = replace(Times.empty(data), seconds=np.array([60.0] * 6 + [1.0] * 6))
    extras = Extras({Times: times, Words: Words(np.full(len(data.names.units), 50.0))})
    rule = quality.registry["page_time"]()
    asking = Asking("main", {}, (), frozenset({0}))
    none = np.full(1, np.nan)
    blind = rule.remove(RuleSample(rated, none, (), extras, asking))
    assert blind.ids.tolist() == []
    found = rule.remove(RuleSample(rated, none, (), extras, asking, np.arange(1, 12)))
    assert [data.names.raters[one] for one in found.ids.tolist()] == ["r1"]
    assert found.reasons[0].startswith("6 of 6 screens too fast (100 %)")
