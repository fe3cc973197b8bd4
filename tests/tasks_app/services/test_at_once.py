"""Many raters at once, against the real database, each on a connection of its own."""

from collections import Counter
from collections.abc import Callable
from functools import partial
from random import Random

import pytest

from tasks_app.models import Assignment, Judgment, Place, Rater, RaterSet, Study
from tasks_app.selectors.screens import RaterScreen
from tasks_app.services.arrival import enrolment
from tasks_app.services.judging import assignments, judgments
from tests import extent, invariants, walk
from tests.builders import build_study
from tests.together import together
from tests.walk import next_for

pytestmark = pytest.mark.django_db(transaction=True)

# A multiple of eight. Twice as many wait for each other's locks four times as long.
AT_ONCE = 32 if extent.is_exhaustive() else 16


def at_once(work: Callable[[int], object]) -> list[object]:
    """Run `work` in threads that start together; an exception in one of them is raised here."""
    return together(*[partial(work, number) for number in range(AT_ONCE)])


def finish(study: Study, rater: Rater, rng: Random) -> int:
    """Answer whatever is left for a rater; returns how much that was."""
    answered = 0
    while (found := next_for(rater=rater)) is not None:
        judgments.submit(screen=RaterScreen(rater, found), submission=walk.answer(study, found, rng))
        rater.refresh_from_db()
        answered += 1
    return answered


def test_twice_as_many_arrivals_as_booklets() -> None:
    study = build_study(None, items=AT_ONCE // 4, k=4, set_size=4)

    def arrive(_number: int) -> str:
        try:
            walk.arrive(study)
        except enrolment.StudyFull:
            return "full"
        return "in"

    assert Counter(at_once(arrive)) == {"in": AT_ONCE // 2, "full": AT_ONCE // 2}
    assert Place.objects.count() == Assignment.objects.filter(state="reserved").count() == 2 * AT_ONCE
    assert Rater.objects.count() == AT_ONCE // 2
    invariants.check(study)


def test_everybody_judges_and_some_leave_and_all_places_are_filled_once() -> None:
    study = build_study(None, items=AT_ONCE // 2, k=4, set_size=4)

    def work(number: int) -> object:
        rater = walk.arrive(study)
        rng = Random(number)
        if number % 4:
            return finish(study, rater, rng)
        found = next_for(rater=rater)
        judgments.submit(screen=RaterScreen(rater, found), submission=walk.answer(study, found, rng))
        return assignments.stop(rater=rater) if number % 8 else None

    at_once(work)
    RaterSet.objects.filter(state="open").update(lease_until="2020-01-01T00:00Z")
    invariants.check(study)
    for number in range(100):
        try:
            finish(study, walk.arrive(study), Random(number))
        except enrolment.StudyFull:
            break
    assert Assignment.objects.filter(state="submitted").count() == Place.objects.count() == 4 * AT_ONCE
    invariants.check(study)


def test_one_answer_sent_many_times_at_once_is_stored_once() -> None:
    study = build_study(None)
    rater = walk.arrive(study)
    found = next_for(rater=rater)
    given = walk.answer(study, found, Random(1))
    receipts = at_once(lambda _number: judgments.submit(screen=RaterScreen(rater, found), submission=given).is_new)
    assert Counter(receipts) == {True: 1, False: AT_ONCE - 1}
    assert Judgment.objects.count() == invariants.ratings_stored() == 1


def test_answers_against_expiring_leases() -> None:
    """Half of the threads answer late while the other half arrive and take what is free."""
    study = build_study(None, items=AT_ONCE // 2, k=2, set_size=4)
    late = [walk.arrive(study) for _rater in range(AT_ONCE // 2)]
    shown = [next_for(rater=rater) for rater in late]
    RaterSet.objects.update(lease_until="2020-01-01T00:00Z")

    def work(number: int) -> object:
        if number < len(late):
            given = walk.answer(study, shown[number], Random(number))
            judgments.submit(screen=RaterScreen(late[number], shown[number]), submission=given)
            late[number].refresh_from_db()
            return finish(study, late[number], Random(number))
        try:
            return finish(study, walk.arrive(study), Random(number))
        except enrolment.StudyFull:
            return "full"

    at_once(work)
    invariants.check(study)
    assert Judgment.objects.count() >= Assignment.objects.filter(state="submitted").count()
