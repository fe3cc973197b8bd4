"""Places whose answers are not analysed are asked again: of new raters, once, while a study collects."""

from random import Random
from typing import Any

import pytest

from analytics_app.models import Exclusion, Plan, ResultRow, Run, RunState
from analytics_app.runs import claim, start
from analytics_app.services import reopening as after_runs
from tasks_app.models import Assignment, Event, Judgment, Rater, Study
from tasks_app.selectors.fieldwork.raters import fieldwork_with
from tasks_app.selectors.screens import RaterScreen
from tasks_app.services.judging import claims, judgments
from tasks_app.services.plan import reopening
from tasks_app.services.study import lifecycle
from tests import invariants, walk
from tests.builders import build_study
from tests.undrawn import undrawn
from tests.walk import next_for

pytestmark = pytest.mark.django_db


def judge_all(study: Study, rater: Rater) -> None:
    """Answer everything a rater has."""
    while (assignment := next_for(rater=rater)) is not None:
        judgments.submit(
            screen=RaterScreen(rater, assignment), submission=walk.answer(study, assignment, Random(rater.pk))
        )


def filled(**settings: object) -> tuple[Study, Rater]:
    """A study whose every place is filled by one rater."""
    study = build_study(None, items=3, systems=("alpha-mt",), k=1, set_size=3, **settings)
    rater = walk.arrive(study)
    judge_all(study, rater)
    return study, rater


def own_judgments(rater: Rater) -> list[int]:
    return list(Judgment.objects.filter(assignment__rater=rater).values_list("pk", flat=True))


def test_a_place_asked_again_goes_to_somebody_new_and_the_answer_stays() -> None:
    study, rater = filled()
    task = study.tasks.get()
    assert not claims.has_room(task)
    assert reopening.reopen(study=study, judgments=own_judgments(rater)[:2], rule="manual") == 2
    invariants.check(study)
    assert set(Assignment.objects.filter(rater=rater).values_list("state", flat=True)) == {"replaced", "submitted"}
    assert len(own_judgments(rater)) == 3
    (shown,) = fieldwork_with(study, study.tasks.all()).raters
    assert shown.judged == shown.given == 3, "the rater has done what was given"
    assert claims.claim(rater, task) is None, "nobody is asked the same again"
    other = walk.arrive(study)
    judge_all(study, other)
    assert len(own_judgments(other)) == 2
    invariants.check(study)
    assert not claims.has_room(task)


def test_asking_again_twice_frees_nothing_more_and_a_closed_study_frees_nothing() -> None:
    study, rater = filled()
    ids = own_judgments(rater)
    assert [reopening.reopen(study=study, judgments=ids[:1], rule="manual") for _twice in range(2)] == [1, 0]
    lifecycle.move(study_id=study.pk, action="close", by=None)
    assert reopening.reopen(study=study, judgments=ids, rule="manual") == 0


def test_answers_of_another_study_are_left_alone() -> None:
    study, rater = filled()
    other = build_study(None, slug="other", items=3, systems=("alpha-mt",), k=1, set_size=3)
    stranger = walk.arrive(other)
    judge_all(other, stranger)
    assert reopening.reopen(study=study, judgments=own_judgments(stranger), rule="manual") == 0
    assert not Event.objects.filter(verb="reopened").exists()
    both = [*own_judgments(rater)[:1], *own_judgments(stranger)]
    assert reopening.reopen(study=study, judgments=both, rule="manual") == 1
    assert set(Assignment.objects.filter(rater=stranger).values_list("state", flat=True)) == {"submitted"}
    assert list(Event.objects.filter(verb="reopened").values_list("study", "after")) == [(study.pk, {"places": 1})]
    invariants.check(study)
    invariants.check(other)
    assert not claims.has_room(other.tasks.get())


def analysed(study: Study, trigger: str = "schedule", **settings: Any) -> Run:
    run = start.start(study=study, by=None, trigger=trigger, **settings)
    with undrawn():
        while (part := claim.unnotified().filter(run=run).order_by("number").first()) is not None:
            claim.work(part.pk)
    run.refresh_from_db()
    assert run.state == RunState.DONE
    return run


def test_what_the_frozen_rules_leave_out_is_asked_again_once_and_shown_in_the_funnel() -> None:
    study = build_study(None, items=3, systems=("alpha-mt",), k=1, set_size=3, opened=False)
    document = {"rules": [{"rule": "burn_in", "n": 2}], "reopen": ["burn_in"]}
    Plan.objects.create(study=study, version=1, document=document)
    study = lifecycle.move(study_id=study.pk, action="open", by=None)
    rater = walk.arrive(study)
    judge_all(study, rater)
    run = analysed(study)
    assert Exclusion.objects.filter(run=run, rule="burn_in").exists()
    assert [after_runs.reopen_due(), after_runs.reopen_due()] == [2, 0]
    run.refresh_from_db()
    assert run.facts["places_reopened"] == 2
    other = walk.arrive(study)
    judge_all(study, other)
    invariants.check(study)

    # Of the first rater's two replaced answers none counts, though without the rule nothing else would take them out.
    without = analysed(study, "demand", settings={"rules": [], "reopen": []})
    funnel = ResultRow.objects.filter(run=without, analysis="funnel").values_list("statistic", "label", "n_ratings")
    steps = {(statistic, label): n for statistic, label, n in funnel if statistic != "removed_by_system"}
    assert steps == {
        ("collected", None): 5, ("removed", "replaced"): 2, ("left", "replaced"): 3, ("kept", None): 3,
    }  # fmt: skip
    again = ResultRow.objects.filter(run=without, statistic="mean", basis="kept").first()
    assert again is None or again.n_ratings == 3
