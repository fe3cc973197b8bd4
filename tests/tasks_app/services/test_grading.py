"""Which answer to a check is graded, and when it leads to something."""

import pytest

from tasks_app.models import ControlResult, Judgment, Rater, Task, Unit
from tasks_app.selectors import check_results
from tasks_app.services.judging import grading, judgments
from tasks_app.services.study import lifecycle
from tests.tasks_app.checks_kit import checked_study, give, reach, walk
from tests.walk import arrive, next_for

pytestmark = pytest.mark.django_db


def test_an_answer_is_graded_as_it_stands_when_the_rater_answers_another_unit() -> None:
    study = checked_study(checks={"fail_after": 1})
    rater = arrive(study)
    control = reach(study, rater, "control")
    slip = give(study, rater, control, 1).judgment
    correction = give(study, rater, control, 3, replaces=slip.pk).judgment
    give(study, rater, next_for(rater=rater), 3)
    late = give(study, rater, control, 1, replaces=correction.pk).judgment
    assert Judgment.objects.filter(assignment=control, replaced_by=None).get() == late, "every change is stored"
    results = ControlResult.objects.filter(judgment__assignment=control).order_by("id")
    assert list(results.values_list("judgment", "passed")) == [(slip.pk, False), (correction.pk, True)]
    score = grading.check_score(rater, study.tasks.get())
    assert (score.right, score.answered) == (1, 1)
    walk(study, rater)
    rater.refresh_from_db()
    assert (rater.outcome, rater.failed_checks_at) == ("completed", None), "a slip that was corrected marks nobody"


def test_a_wrong_answer_that_is_corrected_after_the_next_unit_stays_wrong() -> None:
    study = checked_study(checks={"fail_after": 1})
    rater = arrive(study)
    control = reach(study, rater, "control")
    wrong = give(study, rater, control, 1).judgment
    marked = Rater.objects.exclude(failed_checks_at=None)
    assert not marked.exists(), "nothing is decided while the answer may be corrected"
    give(study, rater, next_for(rater=rater), 3)
    assert marked.exists()
    give(study, rater, control, 3, replaces=wrong.pk)
    score = grading.check_score(rater, study.tasks.get())
    assert (score.right, score.answered) == (0, 1)
    tab = check_results.checks_of_study(study)[0]
    assert [(one.controls.right, one.controls.answered) for one in tab.raters] == [(0, 1)]


def test_the_last_check_of_a_task_counts_with_the_first_answer_to_the_next_task() -> None:
    study = checked_study(
        checks={"fail_after": 1, "on_failing": "end", "controls": 1}, purposes={"i6": "control"}, opened=False
    )
    first = study.tasks.get()
    second = Task.objects.create(study=study, key="second", order=5, type="likert", k=8, set_size=2)
    second.task_criteria.create(criterion=first.task_criteria.get().criterion, order=1)
    Unit.objects.filter(task=first, item__key__in=("i0", "i1")).update(task=second)
    study = lifecycle.move(study_id=study.pk, action="open", by=None)
    rater = arrive(study)
    control = rater.assignments.get(purpose="control")
    of_first = rater.assignments.filter(unit__task=first).exclude(pk=control.pk)
    for assignment in of_first.order_by("order"):
        give(study, rater, assignment, 3)
    give(study, rater, control, 1)
    assert Rater.objects.get(pk=rater.pk).outcome is None
    give(study, rater, rater.assignments.filter(unit__task=second).first(), 3)
    assert Rater.objects.get(pk=rater.pk).outcome == "failed"


def test_who_misses_the_last_check_has_completed_and_is_marked() -> None:
    study = checked_study(checks={"fail_after": 1, "on_failing": "end", "controls": 1, "attention": 0})
    rater = arrive(study)
    last = reach(study, rater, "control")
    for assignment in rater.assignments.filter(state="reserved").exclude(pk=last.pk).order_by("order"):
        give(study, rater, assignment, 3)
    give(study, rater, last, 1)
    rater.refresh_from_db()
    assert (rater.outcome, rater.failed_checks_at is not None) == ("completed", True)


def test_who_was_to_be_ended_when_the_process_died_is_ended_on_the_next_page(monkeypatch: pytest.MonkeyPatch) -> None:
    study = checked_study(checks={"fail_after": 1, "on_failing": "end"})
    rater = arrive(study)
    give(study, rater, reach(study, rater, "control"), 1)
    with monkeypatch.context() as broken:
        broken.setattr(judgments.assignments, "stop", lambda **_given: None)
        give(study, rater, next_for(rater=rater), 3)
    rater.refresh_from_db()
    assert rater.state != Rater.State.ENDED
    assert next_for(rater=rater) is None
    rater.refresh_from_db()
    assert rater.outcome == "failed"
