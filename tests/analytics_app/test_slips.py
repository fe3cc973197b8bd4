"""Slips of the pen in a plan: refused with their place, or said in the results, and never without a word."""

from pathlib import Path

import pytest

from analytics_app import analyses, plan
from tasks_app.models import Study
from tests.analytics_app.by_commands import analysed, one, score, write
from tests.analytics_app.scales import pairs, rows_of, sample, semantic
from tests.analytics_app.test_metrics import GOOD, cells
from tests.analytics_app.test_metrics import study as metric_study
from tests.analytics_app.test_metrics import study_once as metric_study_once
from tests.tasks_app.studyfile.kit import STUDY, problems_of, put

pytestmark = pytest.mark.django_db

sliders, study_once = metric_study, metric_study_once


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("{analysis: systems, slices: [topic]}", ".slices: No item has a feature “topic”"),
        ("{analysis: systems, where: topic=news}", ".where: No item has a feature “topic”"),
        ("{analysis: systems, where: nonsense}", ".where: A condition is a feature, a sign and a value"),
        ("{analysis: systems, where: domain>news}", ".where: > compares numbers"),
        ("{analysis: labels, experts: [nobody]}", ".experts: There is no “nobody” in this study."),
        ("{analysis: krippendorff, reduce: 'a|b'}", ".reduce: “a” is no step of a scale"),
        ("{analysis: joint_labels, good: [tone]}", ".good: Write criterion=label"),
    ],
)
def test_they_are_refused_with_their_place(tmp_path: Path, entry: str, expected: str) -> None:
    given = put(tmp_path / "study", study_yaml=f"{STUDY}analysis: {{analyses: [{entry}]}}\n")
    (problem,) = problems_of(given)
    assert problem.startswith("study.yaml:")
    assert f"analysis.analyses[0]{expected}" in problem


def test_features_are_those_of_the_items(study: Study) -> None:
    known = {"criteria": (), "systems": (), "features": lambda: ["domain"], "groups": lambda: ["experts"]}
    entries = [{"analysis": "systems", "slices": ["domain"]}, {"analysis": "labels", "experts": ["experts"]}]
    assert plan.complete({"analyses": entries}, **known)["analyses"][0]["slices"] == ["domain"]
    with pytest.raises(plan.BadPlan, match="Did you mean “domain”"):
        plan.complete({"analyses": [{"analysis": "systems", "slices": ["domian"]}]}, **known)
    with pytest.raises(plan.BadPlan, match="No item has a feature"):
        plan.check({"analyses": [{"analysis": "systems", "where": "nothing=1"}]}, study)


def test_one_condition_written_in_two_ways_is_one() -> None:
    twice = [{"analysis": "systems", "where": one} for one in ("bicleaner>=0.7", " bicleaner >= 0.7 ")]
    with pytest.raises(plan.BadPlan, match="stands here twice"):
        plan.complete({"analyses": twice}, criteria=(), systems=())


def test_pairs_that_are_not_asked() -> None:
    (row,) = rows_of("factors", sample("factors", semantic(), pairs()), questions=["clear", "claer"])
    assert row.note == "This task does not ask on a scale with steps or numbers: claer."


def test_metrics_without_scores(sliders: Path) -> None:
    score(write(sliders / "scores.csv", cells(TER=GOOD)), "TER")
    found = analysed(sliders, {"analysis": "metrics", "lower_is_better": ["Ter"], "metrics": ["TER", "BLEU"]})
    for name in ("BLEU", "Ter"):
        row = one(found, "metric_pearson_texts", criterion="quality", metric=name)
        assert row["note"] == "The plan names this metric, and no scores of that name were imported."
    assert one(found, "metric_pearson_texts", criterion="quality", metric="TER")["value"] is not None


def test_slices_of_what_is_of_a_whole_task_are_unknown_settings() -> None:
    for name in ("fieldwork", "rater_quality"):
        assert not analyses.registry[name].Settings.base_fields
