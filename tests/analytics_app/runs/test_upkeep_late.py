"""Ratings that arrive after the closing run: raters at work may finish, and one run takes in what they brought."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db.models import F
from django.db.models.functions import Now

from analytics_app.models import Run
from analytics_app.runs import start, upkeep
from tasks_app.models import Rater, RaterSet, Study
from tasks_app.services.study import lifecycle
from tests.analytics_app.filling import Filler
from tests.builders import build_study

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("stand_in")]


def late(study: Study, item: str = "i0", rater: str = "R-0009", **columns: str) -> None:
    """Let a rating arrive."""
    Filler(study).judge(rater, item, "alpha-mt", {"fluency": 3, "content": 3}, **columns)


def age(run: Run) -> None:
    """Let a run have happened more than a minute ago."""
    before = timedelta(seconds=61)
    Run.objects.filter(pk=run.pk).update(
        **{name: F(name) - before for name in ("started", "finished", "created_at")},
    )
    Study.objects.update(closed_at=F("closed_at") - before)


@pytest.fixture
def closed(rated: Study, rosa: User) -> Study:
    """The study of ratings, closed a while ago; its closing run is done."""
    study = lifecycle.move(study_id=rated.pk, action="close", by=rosa)
    age(start.compute_here(run=Run.objects.get()))
    return study


def take_set(study: Study, kind: str = "real", **columns: object) -> RaterSet:
    """Let a rater hold a set for half an hour."""
    rater = Rater.objects.create(study=study, pseudonym=f"R-{kind}", kind=kind, seed=1, token_hash=kind, version=1)
    lease = {"lease_until": Now() + timedelta(minutes=30), **columns}
    return RaterSet.objects.create(rater=rater, task=study.tasks.get(), number=1, version=1, **lease)


def test_late_ratings_get_one_run(closed: Study) -> None:
    assert upkeep.start_due() == []
    late(closed)
    (run,) = upkeep.start_due()
    assert (run.trigger, run.study, run.by) == ("closing", closed, None)
    assert run.n_seen == Run.objects.get(number=1).n_seen + 2
    assert upkeep.start_due() == []
    age(start.compute_here(run=run))
    assert upkeep.start_due() == []


def test_it_waits_until_nobody_is_at_work_so_that_there_is_one_and_not_one_a_judgment(closed: Study) -> None:
    held = take_set(closed)
    for item in ("i0", "i1", "i2"):
        late(closed, item, f"R-{item}")
        assert upkeep.start_due() == []
    RaterSet.objects.filter(pk=held.pk).update(state="finished")
    assert len(upkeep.start_due()) == 1


def test_a_lease_that_is_over_keeps_nobody_waiting(closed: Study) -> None:
    take_set(closed, lease_until=Now() - timedelta(seconds=1))
    take_set(closed, "sandbox")
    late(closed)
    assert len(upkeep.start_due()) == 1


def test_raters_at_work_in_another_study_keep_nobody_waiting(closed: Study, rosa: User) -> None:
    take_set(build_study(rosa, slug="another"))
    late(closed)
    assert [run.study for run in upkeep.start_due()] == [closed]


def test_a_run_that_somebody_started_since_is_enough(closed: Study, rosa: User) -> None:
    late(closed)
    age(start.compute_here(run=start.start(study=closed, by=rosa)))
    assert upkeep.start_due() == []


def test_what_people_try_out_is_not_late(closed: Study) -> None:
    late(closed, rater="tries", rater_kind="sandbox")
    assert upkeep.start_due() == []


@pytest.mark.parametrize("purpose", ["control", "attention", "training"])
def test_answers_to_checks_are_not_late(closed: Study, purpose: str) -> None:
    late(closed, purpose=purpose)
    assert upkeep.start_due() == []
    late(closed, "i1", "R-0010")
    assert len(upkeep.start_due()) == 1


def test_many_files_one_after_the_other_do_not_start_a_run_each(closed: Study) -> None:
    late(closed)
    (run,) = upkeep.start_due()
    start.compute_here(run=run)
    late(closed, "i1", "R-0010")
    assert upkeep.start_due() == []
    age(run)
    assert len(upkeep.start_due()) == 1


def test_a_failed_one_is_not_tried_for_ever(closed: Study) -> None:
    late(closed)
    (run,) = upkeep.start_due()
    Run.objects.filter(pk=run.pk).update(state="failed", finished=Now(), started=Now())
    age(run)
    assert upkeep.start_due() == []
