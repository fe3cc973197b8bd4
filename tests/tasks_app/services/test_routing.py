"""Texts sent to a task on request get places exactly once, whoever presses and whoever comes at the same time."""

import copy
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from django.db import connection

from tasks_app import studyfile
from tasks_app.models import Booklet, Event, Place, Rater, Study, Task, Unit
from tasks_app.selectors import routing as reads
from tasks_app.services.arrival import enrolment
from tasks_app.services.plan import routing
from tasks_app.services.study import lifecycle
from tests import invariants
from tests.analytics_app.routing_kit import DOCUMENT, arrive, folder


def opened(path: Path, **experts: object) -> tuple[Study, Task]:
    """The study with its task of experts, some settings of which are changed."""
    document = copy.deepcopy(DOCUMENT)
    document["tasks"][1].update(experts)
    study = studyfile.load(folder(path, document), owner=None)
    study = lifecycle.move(study_id=study.pk, action="open", by=None)
    return study, study.tasks.get(key="experts")


def ids(task: Task, n: int) -> list[int]:
    return list(Unit.objects.filter(task=task).order_by("pk").values_list("pk", flat=True)[:n])


@pytest.mark.django_db
def test_sets_are_no_larger_than_the_texts_and_stand_as_far_apart_as_they_can(tmp_path: Path) -> None:
    study, task = opened(tmp_path, set_size=4, spacing=5, k=2)
    # Both texts of two items, and one of a third: nobody can keep them five apart.
    sent = routing.send(study=study, task=task, units=ids(task, 5), about="run 1")
    assert (sent.texts, sent.places, sent.sets) == (5, 10, 3)
    for booklet in Booklet.objects.filter(task=task):
        units = list(booklet.places.values_list("unit", flat=True))
        assert len(units) <= 4
        assert len(set(units)) == len(units)
    assert set(Unit.objects.filter(task=task).values_list("k", flat=True)) == {0, 2}
    invariants.check(study)


@pytest.mark.django_db
def test_booklets_of_a_second_press_are_numbered_on(tmp_path: Path) -> None:
    study, task = opened(tmp_path)
    for n in (2, 5, 5):
        routing.send(study=study, task=task, units=ids(task, n), about="run 1")
    assert list(Booklet.objects.filter(task=task).order_by("number").values_list("number", flat=True)) == [1, 2]
    assert Place.objects.filter(booklet__task=task).count() == 5
    # A press that sends nothing leaves nothing behind.
    assert Event.objects.filter(study=study, verb=routing.SENT).count() == 2


@pytest.mark.django_db
def test_units_of_another_task_are_no_business_of_it(tmp_path: Path) -> None:
    study, task = opened(tmp_path)
    crowd = study.tasks.get(key="crowd")
    assert routing.send(study=study, task=task, units=ids(crowd, 5), about="run 1").texts == 0
    same = reads.same_texts(task, ids(crowd, 5))
    assert [Unit.objects.get(pk=one).key for one in same] == [Unit.objects.get(pk=one).key for one in same.values()]


@pytest.mark.django_db
def test_a_draft_cannot_send(tmp_path: Path) -> None:
    study = studyfile.load(folder(tmp_path), owner=None)
    task = study.tasks.get(key="experts")
    with pytest.raises(routing.NotNow):
        routing.send(study=study, task=task, units=ids(task, 2), about="run 1")


@pytest.mark.django_db(transaction=True)
def test_two_presses_and_two_experts_at_once(tmp_path: Path) -> None:
    study, task = opened(tmp_path, set_size=3)
    units, start = ids(task, 6), Barrier(4)

    def press() -> int:
        return routing.send(study=study, task=task, units=units, about="run 1").texts

    def come() -> str:
        try:
            return arrive(study, "experts").pseudonym
        except enrolment.StudyFull:
            return "full"

    def at_once(work: Callable[[], Any]) -> Any:
        try:
            start.wait(timeout=60)
            return work()
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        first, second, *_others = list(pool.map(at_once, (press, press, come, come)))
    assert sorted([first, second]) == [0, 6]
    assert Place.objects.filter(booklet__task=task).count() == 6
    invariants.check(study)
    left = 2 - Rater.objects.filter(study=study).count()
    assert [come() == "full" for _more in range(left + 1)] == [False] * left + [True]
    invariants.check(study)
