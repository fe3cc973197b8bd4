"""The plan of a study: checked, filled in, frozen at opening, and part of the study file."""

from importlib import import_module
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db import connection

from analytics_app import analyses, plan
from analytics_app.analyses.shared.changes import ChangeAnalysis
from analytics_app.models import Plan, Run
from analytics_app.runs import start
from analytics_app.selectors.questions import chosen, common_of
from tasks_app import studyfile
from tasks_app.hooks import sections
from tasks_app.models import Study
from tasks_app.services.study import lifecycle
from tests.tasks_app.studyfile.kit import STUDY, problems_of, put

pytestmark = pytest.mark.django_db

GIVEN = """
analysis:
  primary: fluency
  rules:
    - rule: manual
    - {rule: iqr, factor: 2}
  analyses:
    - analysis: systems
    - {analysis: krippendorff, level: interval}
  comparisons: [[%s, %s]]
  correction: fdr_bh
  ddof: 0
"""


def systems(folder: Path) -> list[str]:
    loaded = studyfile.read(folder)
    return [one["key"] for one in loaded.document["systems"]]


def with_plan(tmp_path: Path) -> Path:
    first, second = systems(put(tmp_path / "plain", study_yaml=STUDY))[:2]
    return put(tmp_path / "study", study_yaml=STUDY + GIVEN % (first, second))


def test_a_study_that_says_nothing_has_the_default(study: Study) -> None:
    document = plan.document_of(study)
    assert document == plan.default_document()
    assert document["rules"] == [{"rule": "manual"}]
    assert document["analyses"] == document["comparisons"] == "all"
    assert document["correction"] == "holm"


def test_a_plan_goes_the_whole_way(tmp_path: Path, rosa: User) -> None:
    study = studyfile.load(with_plan(tmp_path), owner=rosa)
    document = plan.document_of(study)
    assert document["rules"] == [{"rule": "manual"}, {"rule": "iqr", "factor": 2}]
    assert [one["analysis"] for one in document["analyses"]] == ["systems", "krippendorff"]
    assert document["analyses"][1]["level"] == "interval"
    assert (document["primary"], document["ddof"], document["correction"]) == ("fluency", 0, "fdr_bh")
    assert plan.frozen_plan(study) is None
    studyfile.export(study, tmp_path / "copy")
    again = studyfile.load(tmp_path / "copy", owner=rosa, replace=True)
    assert plan.document_of(again) == document
    opened = lifecycle.move(study_id=again.pk, action="open", by=rosa)
    frozen = plan.frozen_plan(opened)
    assert frozen is not None
    assert frozen.document == document
    assert opened.versions.get().document["analysis"] == document
    assert sections.snapshot(opened)["analysis"] == document


def test_opening_freezes_a_default_plan_as_well(study: Study) -> None:
    frozen = Plan.objects.get(study=study)
    assert frozen.frozen_at is not None
    assert frozen.document == plan.default_document()


def test_a_plan_frozen_before_there_was_a_choice_keeps_percentiles(study: Study) -> None:
    frozen = Plan.objects.get(study=study)
    assert plan.document_of(study)["intervals"] == "adjusted"
    earlier = {name: value for name, value in frozen.document.items() if name != "intervals"}
    Plan.objects.filter(pk=frozen.pk).update(document=earlier)
    document = plan.document_of(study)
    assert document == {**plan.default_document(), "intervals": "percentile"}
    run = start.start(study=study, by=None)
    assert common_of(run).intervals == "percentile"
    assert (common_of(run).limits, type(common_of(run).limits)) == (0.95, float)
    # A run of that time says nothing of it either.
    assert common_of(Run(settings=earlier, seed=1)).intervals == "percentile"


LATER = ("generalise_to", "over_raters")


def test_a_plan_frozen_before_raters_were_random_keeps_the_tests_over_texts(study: Study) -> None:
    frozen = Plan.objects.get(study=study)
    assert [plan.document_of(study)[name] for name in LATER] == ["raters_and_texts", "t"]
    earlier = {name: value for name, value in frozen.document.items() if name not in LATER}
    Plan.objects.filter(pk=frozen.pk).update(document=earlier)
    document = plan.document_of(study)
    assert document == {**plan.default_document(), "generalise_to": "texts", "over_raters": "percentile"}
    run = start.start(study=study, by=None)
    common = common_of(run)
    assert (common.generalise_to, common.over_raters, common.scope_named) == ("texts", "percentile", True)
    assert common.scope("items") == {"generalises_to": "further texts, by these raters"}
    # The rows of a run of that time do not say to what they generalise: they are computed again to the digit.
    of_that_time = common_of(Run(settings=earlier, seed=1))
    assert (of_that_time.generalise_to, of_that_time.over_raters) == ("texts", "percentile")
    assert of_that_time.scope("items") == {}


def test_the_migration_writes_the_old_test_into_plans_that_name_none(study: Study) -> None:
    migration = import_module("analytics_app.migrations.0010_name_the_test")
    named = Plan.objects.get(study=study)
    earlier = {name: value for name, value in named.document.items() if name not in LATER}
    draft = Plan.objects.create(study=study, version=7, document=earlier)
    with connection.cursor() as cursor:
        cursor.execute(migration.NAME)
    draft.refresh_from_db()
    assert draft.document == {**earlier, "generalise_to": "texts", "over_raters": "percentile"}
    assert Plan.objects.get(pk=named.pk).document == named.document
    assert named.document["generalise_to"] == "raters_and_texts"


def test_a_plan_frozen_before_times_could_be_chosen_compares_each_with_the_first() -> None:
    earlier = {"analysis": "panas", "family": "holm", "most_missing": 2, "complete_only": False}
    later = {**earlier, "times_compared": "every", "only_times": ""}
    other = {"analysis": "questions"}
    meant = plan.as_meant({"analyses": [earlier, later, other]})["analyses"]
    assert meant == [{**earlier, "times_compared": "first"}, later, other]
    assert plan.as_meant({"analyses": "all"})["analyses"] == "all"
    # So does a run that a version of that time has started.
    panas, _questions = chosen({"analyses": [earlier, other]}, None)
    assert isinstance(panas, ChangeAnalysis)
    assert (panas.name, panas.times_compared, panas.family) == ("panas", "first", "holm")


def test_the_parts_of_a_run_share_its_analyses() -> None:
    named = [{"analysis": "icc", "k": 3}, {"analysis": "icc", "k": 4}]
    for settings in ({"analyses": "all"}, {"analyses": named}):
        first, again = (list(chosen(settings, None)) for _part in range(2))
        assert all(one is other for one, other in zip(first, again, strict=True))
    assert [vars(analysis)["k"] for analysis in chosen({"analyses": named}, None)] == [3, 4]
    assert [analysis.name for analysis in chosen({"analyses": "all"}, None)] == list(analyses.registry)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("analysis: {primary: grammar}", "analysis.primary: There is no “grammar” in this study."),
        ("analysis: {rules: [{rule: iqr, factor: -1}]}", "analysis.rules[0]"),
        ("analysis: {rules: [{rule: irq}]}", "analysis.rules[0].rule"),
        ("analysis: {rules: [{rule: iqr, width: 2}]}", "analysis.rules[0]"),
        ("analysis: {comparisons: [[nobody, noone]]}", "analysis.comparisons[0][0]: There is no “nobody”"),
        ("analysis: {analyses: [{analysis: krippendorff, level: ratios}]}", "analysis.analyses[0]"),
        (
            "analysis: {analyses: [{analysis: features, features: 'n: wrods'}]}",
            "Line 1, column 4: There is no rule “wrods”.",
        ),
        ("analysis: {n_resamples: 5}", "analysis.n_resamples"),
        ("analysis: {nonsense: 1}", "analysis"),
    ],
)
def test_what_is_wrong_with_a_plan_has_its_place(tmp_path: Path, given: str, expected: str) -> None:
    problems = problems_of(put(tmp_path / "study", study_yaml=f"{STUDY}{given}\n"))
    assert problems
    assert all(one.startswith("study.yaml:") for one in problems)
    assert any(expected in one for one in problems), problems


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"rules": [{"rule": "iqr", "factor": "wide"}]}, "rules[0].factor: "),
        ({"rules": "iqr"}, "rules: must be a list."),
        ({"rules": [7]}, "rules[0]: must say which rule it is, as rule: name."),
        ({"comparisons": [["alpha-mt", "alpha-mt"]]}, "comparisons[0]: must be two systems"),
        ({"comparisons": [["alpha-mt", "gamma"]]}, "comparisons[0][1]: There is no “gamma”"),
        (
            {"analyses": [{"analysis": "systems", "without_systems": ["gamma"]}]},
            "analyses[0].without_systems: There is",
        ),
        ({"what": 1}, "what: unknown setting."),
    ],
)
def test_plans_from_elsewhere_are_held_to_the_same(study: Study, given: dict[str, object], expected: str) -> None:
    with pytest.raises(plan.BadPlan) as refused:
        plan.check(given, study)
    assert any(line.startswith(expected) for line in str(refused.value).splitlines()), str(refused.value)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"rules": [{"rule": ["iqr"]}]}, "rules[0]: must say which rule it is"),
        ({"analyses": [{"analysis": {"a": 1}}]}, "analyses[0]: must say which analysis it is"),
        (
            {"analyses": [{"analysis": "raters", "slices": [["domain"]]}]},
            "analyses[0].slices: must be a list of words.",
        ),
        ({"analyses": [{"analysis": "raters", "slices": ["a\0b"]}]}, "analyses/0/slices/0: "),
        ({"analyses": [{"analysis": "raters"}] * 2}, "analyses[1]: stands here twice"),
        ({"rules": [{"rule": "iqr"}] * 2}, "rules[1]: stands here twice"),
        (
            {"comparisons": [["alpha-mt", "beta-mt"], ["beta-mt", "alpha-mt"]]},
            "comparisons[1]: is compared already",
        ),
    ],
)
def test_nothing_odd_or_double_gets_into_a_plan(study: Study, given: dict[str, object], expected: str) -> None:
    with pytest.raises(plan.BadPlan) as refused:
        plan.check(given, study)
    assert any(line.startswith(expected) for line in str(refused.value).splitlines()), str(refused.value)


def test_one_plan_may_ask_for_alpha_at_several_levels(study: Study) -> None:
    twice = [{"analysis": "krippendorff"}, {"analysis": "krippendorff", "level": "interval"}]
    assert [one["level"] for one in plan.check({"analyses": twice}, study)["analyses"]] == ["scale", "interval"]
    with pytest.raises(plan.BadPlan, match="stands here twice"):
        plan.check({"analyses": [*twice, twice[1]]}, study)
