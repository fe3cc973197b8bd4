"""Which run is the planned one: the first of a closed study by its frozen plan, and no other."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from analytics_app import plan
from analytics_app.models import Plan, Run
from analytics_app.runs import start
from analytics_app.services import exclusions
from tasks_app.models import Membership, Rater, Study
from tasks_app.services import erasure
from tasks_app.services.study import lifecycle
from tests.analytics_app.filling import Filler, new_run, work
from tests.analytics_app.views.reading import page, results, text
from tests.builders import build_study

pytestmark = pytest.mark.django_db

FEW = {"analyses": [{"analysis": "krippendorff"}], "n_resamples": 100}


@pytest.fixture
def filler(study: Study) -> Filler:
    """A study whose plan is quick, with ratings."""
    Plan.objects.update_or_create(study=study, version=1, defaults={"document": plan.check(FEW, study)})
    return fill(Filler(study))


def fill(filler: Filler) -> Filler:
    """Let two raters judge two items of two systems."""
    for number, rater in enumerate(("ada", "bob")):
        for item in ("i0", "i1"):
            filler.judge(rater, item, "alpha-mt", {"fluency": 2 + number})
            filler.judge(rater, item, "beta-mt", {"fluency": 3})
    return filler


def done(study: Study, **settings: object) -> Run:
    return start.compute_here(run=start.start(study=study, by=None, settings=settings or None, trigger="command"))


def move(study: Study, action: str, reason: str = "") -> Study:
    return lifecycle.move(study_id=study.pk, action=action, by=None, reason=reason)


def test_a_look_while_open_and_other_settings_are_exploratory(filler: Filler) -> None:
    assert not done(filler.study).planned
    study = move(filler.study, "close")
    assert done(study).planned
    assert not done(study, rules=[], **FEW).planned


def test_more_ratings_after_the_planned_run_are_not_planned(filler: Filler) -> None:
    study = move(filler.study, "close")
    first = done(study)
    study = move(study, "open", "too few raters")
    filler.judge("eve", "i0", "alpha-mt", {"fluency": 5})
    second = done(move(study, "close"))
    assert first.planned
    assert not second.planned
    assert second.facts["planned_before"] == first.number
    assert second.facts["reopened"] == 1
    assert {one.planned for one in second.rows.all()} == {False}


def test_what_is_excluded_by_hand_after_the_planned_run_was_not_planned(filler: Filler) -> None:
    ada, bob = (Rater.objects.get(pseudonym=name) for name in ("ada", "bob"))
    exclusions.exclude_rater(rater=bob, by=None, reason="Told us that he had not read them.")
    study = move(filler.study, "close")
    first = done(study)
    assert first.planned, "excluded while results were hidden"
    later = exclusions.exclude_rater(rater=ada, by=None, reason="Does not suit.")
    second = done(study)
    assert not second.planned
    assert second.facts["planned_before"] == second.facts["planned_by_hand"] == first.number
    exclusions.lift(exclusion=later, by=None)
    assert done(study) == first


def test_erasing_whom_the_plan_had_left_out_leaves_the_next_run_planned(filler: Filler) -> None:
    ada = Rater.objects.get(pseudonym="ada")
    exclusions.exclude_rater(rater=ada, by=None, reason="Told us that she had not read them.")
    study = move(filler.study, "close")
    first = done(study)
    erasure.erase(rater=ada)
    second = done(study)
    assert first.facts["manual_exclusions"] != second.facts["manual_exclusions"] == []
    assert (first != second, first.planned, second.planned) == (True, True, True)


def test_ratings_that_were_there_before_the_plan_are_not_planned(filler: Filler) -> None:
    study = move(filler.study, "close")
    Study.objects.filter(pk=study.pk).update(opened_at=None)
    assert not done(study).planned


def test_a_draft_is_not_analysed(study: Study) -> None:
    Study.objects.filter(pk=study.pk).update(state="draft", current_version=0)
    with pytest.raises(ValueError, match="has not been opened yet"):
        start.start(study=study, by=None)


def test_only_an_owner_opens_a_closed_study_again(study: Study, rosas_browser: Client) -> None:
    move(study, "close")
    editor = User.objects.create_user("eddie", is_staff=True)
    Membership.objects.create(study=study, user=editor, role="editor")
    client = Client()
    client.force_login(editor)
    address = f"/admin/studies/{study.slug}/move/"
    sure = {"action": "open", "sure": "yes", "reason": "too few raters"}
    assert client.post(address, sure).status_code == 404
    study.refresh_from_db()
    assert study.state == "closed"
    assert rosas_browser.post(address, sure).status_code == 302
    study.refresh_from_db()
    assert study.state == "open"


def test_withdrawn_judgments_are_not_analysed(filler: Filler) -> None:
    filler.judge("eve", "i0", "alpha-mt", {"fluency": 5}, state="withdrawn")
    run = done(filler.study)
    assert run.n_seen == 8
    assert run.rows.get(statistic="collected").n_ratings == 8


def test_a_scale_without_ratios_is_a_sentence_and_no_failure(filler: Filler) -> None:
    filler.judge("eve", "i0", "alpha-mt", {"fluency": -3})
    found = work(new_run(filler.study, analyses=[{"analysis": "krippendorff", "level": "ratio"}]))
    (alpha,) = [one for one in found.rows if one.statistic == "alpha"]
    assert alpha.value is None
    assert "no ratios" in alpha.note


def test_a_rater_constant_after_the_fence_still_has_the_z_it_had(filler: Filler) -> None:
    for item, value in (("i0", 3), ("i1", 3), ("i2", 3), ("i3", 1)):
        filler.judge("eve", item, "alpha-mt", {"fluency": value})
    found = work(new_run(filler.study, rules=[{"rule": "iqr", "factor": 0.1}], analyses=[{"analysis": "raters"}]))
    kept = [one for one in found.rows if one.statistic == "rater_sd" and one.rater == "eve" and one.basis == "kept"]
    assert [(one.value, one.note) for one in kept] == [(0.0, None)]


NOT_COMPARED = "Planned, but not compared: there are no ratings of {} here."


def test_a_planned_pair_with_a_system_without_ratings_is_told_and_the_others_are_compared(
    rosa: User, rosas_browser: Client
) -> None:
    study = build_study(rosa, systems=("alpha-mt", "beta-mt", "gamma-mt", "delta-mt"))
    fill(Filler(study))
    pairs = [["alpha-mt", "beta-mt"], ["gamma-mt", "alpha-mt"], ["gamma-mt", "delta-mt"]]
    run = done(move(study, "close"), comparisons=pairs, rules=[], analyses=[{"analysis": "systems"}])
    found = run.rows.filter(statistic="difference", basis="kept")
    assert [(row.system, row.system_b) for row in found] == [tuple(pair) for pair in pairs]
    compared, *others = found
    assert (compared.value, compared.settings["family"]) == (-0.5, "1 pairs of one criterion")
    assert [(row.value, row.note, row.by_system) for row in others] == [
        (None, NOT_COMPARED.format("gamma-mt"), True),
        (None, NOT_COMPARED.format("gamma-mt or delta-mt"), True),
    ]
    said = text(page(rosas_browser, results(study, f"{run.number}/")))
    assert NOT_COMPARED.format("gamma-mt") in said
    assert "gamma-mt − alpha-mt" in said


def test_a_planned_pair_with_a_system_that_an_analysis_leaves_out_is_not_told_as_missing(rosa: User) -> None:
    study = build_study(rosa, systems=("alpha-mt", "beta-mt", "gamma-mt"))
    fill(Filler(study))
    settings = {"comparisons": [["alpha-mt", "beta-mt"], ["gamma-mt", "alpha-mt"]], "rules": []}
    left_out = [
        {"analysis": "systems", "without_systems": ["beta-mt"]},
        {"analysis": "systems", "without_systems": ["beta-mt"], "reduce": "1 2 | 3 4 5"},
    ]
    run = done(move(study, "close"), **settings, analyses=left_out)
    found = run.rows.filter(statistic="difference", basis="kept")
    assert [(row.system, row.system_b) for row in found] == [("gamma-mt", "alpha-mt")] * 2
    assert len({row.slice for row in found}) == 2, "rows of a reduced scale have a name of their own"
