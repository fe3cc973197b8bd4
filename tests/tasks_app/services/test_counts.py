"""The counts that triggers keep of places and answers stay right, also against plain SQL; stories tell the rest."""

from random import Random

import pytest
from django.db import IntegrityError, connection, transaction

from tasks_app.models import Assignment, Booklet, Place, RaterSet, Study
from tasks_app.selectors.screens import RaterScreen
from tasks_app.selectors.studies import with_progress
from tasks_app.services import erasure
from tasks_app.services.judging import judgments
from tests import invariants, walk
from tests.builders import build_study
from tests.walk import next_for

pytestmark = pytest.mark.django_db


def shown(study: Study) -> tuple[int, int, int]:
    """Return places, answered places and raters as the list of studies shows them."""
    row = with_progress(Study.objects.filter(pk=study.pk)).get()
    return row.places, row.answered, row.n_raters


def test_answers_count_until_they_are_erased() -> None:
    study = build_study(None, items=4, k=2)
    assert shown(study) == (16, 0, 0)
    rater = walk.arrive(study)
    for _answer in range(3):
        found = next_for(rater=rater)
        judgments.submit(screen=RaterScreen(rater, found), submission=walk.answer(study, found, Random(1)))
    walk.arrive(study, kind="sandbox")
    assert shown(study) == (16, 3, 1)
    erasure.erase(rater=rater)
    assert shown(study) == (16, 0, 1)
    invariants.check(study)


def test_places_count_as_plain_sql_adds_moves_and_removes_them() -> None:
    study = build_study(None, items=4, k=2)
    first, second = Booklet.objects.filter(task__study=study).order_by("number")[:2]
    with connection.cursor() as cursor:
        cursor.execute(
            """INSERT INTO tasks_app_place (unit_id, number, booklet_id, "order", arrangement)
               SELECT unit_id, 90 + number, booklet_id, 90 + "order", '{}' FROM tasks_app_place"""
        )
        assert shown(study)[0] == 32
        cursor.execute(
            """UPDATE tasks_app_place SET booklet_id = %s, "order" = "order" + 1000 WHERE booklet_id = %s""",
            [first.pk, second.pk],
        )
        assert shown(study)[0] == 32
        first.refresh_from_db()
        second.refresh_from_db()
        assert (first.n_places, second.n_places) == (16, 0)
        cursor.execute("DELETE FROM tasks_app_place WHERE number > 90")
    assert shown(study)[0] == Place.objects.count() == 16


def test_an_answer_follows_its_set_and_a_place_needs_one() -> None:
    study = build_study(None, items=4, k=2)
    first, second = walk.arrive(study), walk.arrive(study)
    found = next_for(rater=first)
    judgments.submit(screen=RaterScreen(first, found), submission=walk.answer(study, found, Random(1)))
    answered = Assignment.objects.filter(pk=found.pk)
    answered.update(set=RaterSet.objects.get(rater=second))
    assert list(RaterSet.objects.order_by("id").values_list("n_answered", flat=True)) == [0, 1]
    with pytest.raises(IntegrityError, match="assignment_place_in_set"), transaction.atomic():
        answered.update(set=None)
    answered.update(state="replaced")
    assert shown(study)[1] == 0
