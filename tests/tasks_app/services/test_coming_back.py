"""Who comes back after the lease: what they get, and what they are told."""

from random import Random

import pytest

from tasks_app.models import Assignment, Rater, RaterSet
from tasks_app.selectors.screens import RaterScreen
from tasks_app.services.judging import judgments
from tests import invariants, walk
from tests.builders import build_study
from tests.walk import next_for

pytestmark = pytest.mark.django_db


def expire(rater: Rater) -> None:
    """Let a rater's lease run out."""
    RaterSet.objects.filter(rater=rater).update(lease_until="2020-01-01T00:00Z")


def test_nobody_came_meanwhile_so_everything_is_still_there() -> None:
    study = build_study(None)
    ada = walk.arrive(study)
    first = next_for(rater=ada)
    expire(ada)
    assert next_for(rater=ada) == first
    invariants.check(study)


def test_a_set_lost_before_the_first_answer_is_replaced_by_a_new_one() -> None:
    study = build_study(None, items=4, k=2)
    ada = walk.arrive(study)
    lost = next_for(rater=ada)
    expire(ada)
    bob = walk.arrive(study)
    assert Assignment.objects.filter(rater=bob, place=lost.place).exists()
    assert next_for(rater=ada) is None
    ada.refresh_from_db()
    assert ada.state != Rater.State.ENDED
    found = next_for(rater=ada)
    assert found is not None
    assert found.unit_id != lost.unit_id, "nobody meets a unit twice"
    invariants.check(study)


def test_a_set_lost_after_some_answers_ends_with_what_was_done() -> None:
    study = build_study(None, items=2, k=1, set_size=4)
    ada = walk.arrive(study)
    found = next_for(rater=ada)
    judgments.submit(screen=RaterScreen(ada, found), submission=walk.answer(study, found, Random(1)))
    expire(ada)
    bob = walk.arrive(study)
    assert Assignment.objects.filter(rater=bob).count() == 3, "the rest, as a shorter set"
    ada.refresh_from_db()
    assert next_for(rater=ada) is None
    ada.refresh_from_db()
    assert (ada.state, ada.outcome) == ("ended", "full"), "the code of those who completed is for a whole set"
    assert ada.completion_code
    invariants.check(study)


def test_a_full_study_tells_who_lost_everything_so() -> None:
    study = build_study(None, items=2, k=1, set_size=4)
    ada = walk.arrive(study)
    next_for(rater=ada)
    expire(ada)
    walk.arrive(study)
    assert next_for(rater=ada) is None
    ada.refresh_from_db()
    assert ada.outcome == Rater.Outcome.FULL
    invariants.check(study)
