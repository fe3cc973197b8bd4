"""How many raters a study takes before it is full, worked by hand and against raters who come until nobody may."""

from decimal import Decimal
from fractions import Fraction

import pytest

from tasks_app.designs.filling import EVERYBODY, Sets, filled
from tasks_app.models import Group, Rater, RaterSet, Study, Task, TaskCriterion, TaskGroup, Unit
from tasks_app.services.arrival import enrolment
from tasks_app.services.plan import capacity
from tasks_app.services.plan import reports as plan_reports
from tasks_app.services.plan.capacity import Takers, paid_in_all
from tasks_app.services.study import lifecycle, units
from tasks_app.views.researcher.setup import plan_words
from tests import walk
from tests.builders import build_study


def sets(task: int, booklets: int, *groups: int, mean: int = 10) -> Sets:
    """Sets of ten units."""
    return Sets(task, booklets, 10, Fraction(mean), groups)


def test_without_groups_the_task_with_fewest_sets_says_how_many_raters() -> None:
    assert filled({EVERYBODY: 1}, [sets(1, 18), sets(2, 6)]) == {EVERYBODY: 6}


def test_groups_grow_by_their_shares_and_go_on_where_another_is_full() -> None:
    """Thirty each fill the task for all; were it larger, the group with a task of its own would stop at thirty."""
    assert filled({1: 1, 2: 1}, [sets(1, 60), sets(2, 30, 2)]) == {1: 30, 2: 30}
    assert filled({1: 1, 2: 1}, [sets(1, 80), sets(2, 30, 2)]) == {1: 50, 2: 30}
    assert filled({1: 2, 2: 1}, [sets(1, 60), sets(2, 60, 2)]) == {1: 40, 2: 20}
    assert filled({1: 1, 2: 1}, [sets(1, 10, 1), sets(2, 20, 2)]) == {1: 10, 2: 20}
    assert filled({1: 1, 2: 1}, [sets(1, 10, 1)]) == {1: 10, 2: 0}


def test_a_shorter_set_is_paid_in_proportion() -> None:
    everybody = Takers({EVERYBODY: Fraction(4)}, {}, {})
    assert paid_in_all(everybody, [sets(1, 4)], Decimal("3.00")) == Decimal("12.00")
    assert paid_in_all(everybody, [sets(1, 4, mean=5), sets(2, 4)], Decimal("3.00")) == Decimal("9.00")


def two_tasks(k: int, *, groups: bool) -> Study:
    """A task of ten sets for all and another with k, for the second of two groups or for all."""
    study = build_study(None, items=10, systems=("a-mt", "b-mt"), k=5, set_size=10, opened=False)
    first = study.tasks.get()
    second = Task.objects.create(study=study, key="more", type="likert", order=2, k=k, set_size=20, spacing=1)
    TaskCriterion.objects.create(task=second, criterion=first.task_criteria.get().criterion, order=1)
    if groups:
        own = [Group.objects.create(study=study, key=key) for key in ("diary", "messages")]
        TaskGroup.objects.create(task=second, group=own[1])
    Unit.objects.all().delete()
    units.make_units(study=study)
    return study


@pytest.mark.django_db
@pytest.mark.parametrize(("k", "groups", "found"), [(4, False, {"": 4}), (3, True, {"diary": 7, "messages": 3})])
def test_so_many_raters_come_before_the_study_is_full(k: int, groups: bool, found: dict[str, int]) -> None:
    study = two_tasks(k, groups=groups)
    reports = plan_reports.reports(study)
    own = capacity.groups_of_tasks(plan_reports.planned(study))
    takers = capacity.takers_of(study, [plan_words.sets_of(one, own) for one in reports])
    assert (takers.raters, dict(takers.groups) or {"": takers.raters}) == (sum(found.values()), found)
    assert set(takers.sets_left_over.values()) == ({6} if not groups else set())
    lifecycle.move(study_id=study.pk, action="open", by=None)
    for _rater in range(takers.raters):
        walk.arrive(study)
    with pytest.raises(enrolment.StudyFull):
        walk.arrive(study)
    came = Rater.objects.filter(study=study)
    if groups:
        assert {key: came.filter(group__key=key).count() for key in found} == found
    assert RaterSet.objects.filter(task__key="more").count() == k
