"""What beat has done: ring again, start runs by itself, clear what is superseded; and the run on closing."""

import logging
from datetime import timedelta
from threading import Event, Thread
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError, connection, transaction
from django.db.models import F
from django.db.models.functions import Now

from analytics_app import jobs
from analytics_app.models import Datasheet, Exclusion, Plan, ResultRow, Run, RunPart, WorkerBeat
from analytics_app.runs import claim, notify, upkeep
from analytics_app.runs import start as runs
from tasks_app.models import Assignment, Study
from tasks_app.services import high_water
from tasks_app.services.database import share_submissions
from tasks_app.services.study import lifecycle
from tests.analytics_app.filling import Filler
from tests.analytics_app.runs.conftest import changed

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("stand_in")]

MINUTE = timedelta(seconds=61)


def age(run: Run, by: timedelta) -> None:
    """Let a run have happened earlier."""
    times = {name: F(name) - by for name in ("started", "finished", "created_at")}
    Run.objects.filter(pk=run.pk).update(**times)


def done(study: Study, **how: Any) -> Run:
    """Start a run and finish it."""
    return runs.compute_here(run=runs.start(study=study, by=None, **how))


def more(study: Study, rater: str = "R-0009") -> None:
    Filler(study).judge(rater, "i0", "alpha-mt", {"fluency": 3, "content": 3})


# Ringing again ------------------------------------------------------------------------------------------


def test_parts_are_rung_for_again_once_nobody_came_for_a_minute(rated: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[list[int]] = []

    def ring(ids: list[int], *, again: bool = False) -> int:
        heard.append(list(ids))
        RunPart.objects.filter(pk__in=ids).update(rung_at=Now())
        return len(ids)

    monkeypatch.setattr(notify, "notify_workers", ring)
    run = runs.start(study=rated, by=None)
    part = run.parts.get(kind="quality")
    assert upkeep.ring_again() == 1  # nobody has been told yet
    assert upkeep.ring_again() == 0
    run.parts.update(rung_at=Now() - MINUTE)
    assert upkeep.ring_again() == 1
    claim.claim(part.pk)
    run.parts.update(rung_at=Now() - MINUTE)
    assert upkeep.ring_again() == 0  # it is in good hands
    RunPart.objects.filter(pk=part.pk).update(heartbeat=Now() - MINUTE)
    assert upkeep.ring_again() == 1
    assert upkeep.ring_again() == 0
    assert heard == [[part.pk]] * 3
    run.parts.update(rung_at=Now() - MINUTE)
    runs.cancel(run=run, by=None)
    assert upkeep.ring_again() == 0


def test_the_job_does_every_chore_even_if_one_cannot_be_done(
    rated: Study, rung: list[int], caplog: pytest.LogCaptureFixture
) -> None:
    def ring_again() -> int:
        raise OperationalError

    with caplog.at_level(logging.WARNING), changed(upkeep, "ring_again", ring_again):
        jobs.ring_again()
    assert "ring_again failed and will be tried again" in caplog.text
    assert Run.objects.get().trigger == "schedule"


# Starting by itself -------------------------------------------------------------------------------------


def test_an_open_study_with_new_ratings_gets_a_run(rated: Study, rung: list[int]) -> None:
    (run,) = upkeep.start_due()
    assert (run.trigger, run.by, run.planned, run.study) == ("schedule", None, False, rated)
    assert rung == []  # on commit
    assert upkeep.start_due() == []


def test_a_study_without_ratings_gets_none(study: Study) -> None:
    assert study not in [run.study for run in upkeep.start_due()]


def test_the_next_one_waits_for_new_ratings_and_a_minute(rated: Study) -> None:
    run = done(rated, trigger="schedule")
    age(run, MINUTE)
    assert upkeep.start_due() == []
    more(rated)
    assert len(upkeep.start_due()) == 1


def test_it_does_not_begin_within_a_minute_of_the_last(rated: Study) -> None:
    done(rated, trigger="schedule")
    more(rated)
    assert upkeep.start_due() == []


def test_it_waits_ten_times_as_long_as_the_last_one_took(rated: Study) -> None:
    run = done(rated)
    age(run, timedelta(seconds=95))
    Run.objects.filter(pk=run.pk).update(finished=F("started") + timedelta(seconds=10))
    more(rated)
    assert upkeep.start_due() == []
    age(run, timedelta(seconds=10))
    assert len(upkeep.start_due()) == 1


@pytest.mark.parametrize("state", ["queued", "running"])
def test_it_waits_for_a_run_under_way(rated: Study, state: str) -> None:
    run = runs.start(study=rated, by=None)
    Run.objects.filter(pk=run.pk).update(state=state)
    age(run, MINUTE)
    more(rated)
    assert upkeep.start_due() == []


def test_what_was_due_is_looked_at_again_under_the_lock(rated: Study) -> None:
    """Another scheduler's run may have begun since, and more ratings come, so that an equal one is not found."""
    assert upkeep.due_studies() == [(rated.pk, "schedule")]
    runs.start(study=rated, by=None, trigger="schedule")
    more(rated)
    assert upkeep.start_by_itself(study_id=rated.pk, trigger="schedule") is None
    assert Run.objects.count() == 1


@pytest.mark.parametrize("state", ["draft", "paused"])
def test_only_open_studies_get_one(rated: Study, state: str) -> None:
    Study.objects.filter(pk=rated.pk).update(state=state)
    assert upkeep.start_due() == []


def test_a_plan_that_cannot_be_used_is_said_once_and_not_tried_for_ever(rated: Study) -> None:
    Plan.objects.filter(study=rated).update(document={"rules": [{"rule": "gone"}]})
    (run,) = upkeep.start_due()
    assert (run.state, run.trigger) == ("failed", "schedule")
    assert run.error.startswith("The plan cannot be used. rules[0].rule: There is no “gone”")
    age(run, MINUTE)
    assert upkeep.start_due() == []


@pytest.mark.django_db(transaction=True)
def test_two_that_look_at_once_start_one_run(rated: Study, rung: list[int]) -> None:
    def start() -> None:
        try:
            upkeep.start_by_itself(study_id=rated.pk, trigger="schedule")
        finally:
            connection.close()

    threads = [Thread(target=start) for _number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert Run.objects.count() == 1


def test_asking_what_is_due_does_not_read_the_ratings(rated: Study) -> None:
    """It is asked every fifteen seconds, however many there are."""
    age(done(rated, trigger="schedule"), MINUTE)
    same = "judgment_id, task_id, rater_id, unit_id, part_id, criterion_id, value"
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO tasks_app_rating ({same}, number) SELECT {same}, n"
            " FROM (SELECT * FROM tasks_app_rating ORDER BY id LIMIT 1) one CROSS JOIN generate_series(2, 20000) n"
        )
        given = {"study": None, "least": 60, "times": 10, "analysed": list(Assignment.Purpose.ANALYSED)}
        cursor.execute(f"EXPLAIN {upkeep._DUE}", given)
        plan = "\n".join(line for (line,) in cursor.fetchall())
    # Both bounds go into the index, so that nothing else can serve.
    assert "Index Cond: ((ROW(task_id, id) > ROW(t.id" in plan
    assert len(upkeep.start_due()) == 1


# Closing ------------------------------------------------------------------------------------------------


def test_closing_starts_the_planned_run(
    rated: Study, rosa: User, rung: list[int], django_capture_on_commit_callbacks: Any
) -> None:
    lifecycle.move(study_id=rated.pk, action="pause", by=rosa)
    assert not Run.objects.exists()
    with django_capture_on_commit_callbacks(execute=True):
        lifecycle.move(study_id=rated.pk, action="close", by=rosa)
        assert rung == []
    run = Run.objects.get()
    assert (run.trigger, run.planned, rung) == ("closing", True, [run.parts.get(kind="quality").pk])
    assert upkeep.start_due() == []
    runs.compute_here(run=run)
    assert set(ResultRow.objects.values_list("planned", flat=True)) == {True}


def test_a_closing_that_is_undone_leaves_no_run(rated: Study, rosa: User, rung: list[int]) -> None:
    with transaction.atomic():
        lifecycle.move(study_id=rated.pk, action="close", by=rosa)
        assert Run.objects.exists()
        transaction.set_rollback(True)
    assert not Run.objects.exists()


def test_closing_again_without_new_ratings_starts_nothing(rated: Study, rosa: User) -> None:
    lifecycle.move(study_id=rated.pk, action="close", by=rosa)
    run = runs.compute_here(run=Run.objects.get())
    age(run, MINUTE)
    lifecycle.move(study_id=rated.pk, action="open", by=rosa, reason="more raters")
    lifecycle.move(study_id=rated.pk, action="close", by=rosa)
    assert upkeep.start_due() == []
    assert Run.objects.get() == run


@pytest.mark.django_db(transaction=True)
def test_a_closing_run_that_could_not_begin_is_started_by_beat(rated: Study, rosa: User) -> None:
    stored, may_end = Event(), Event()

    def store_many() -> None:
        with transaction.atomic():
            share_submissions(rated.pk)
            stored.set()
            assert may_end.wait(60)
        connection.close()

    thread = Thread(target=store_many)
    with changed(high_water, "PATIENCE", "50ms"):
        thread.start()
        assert stored.wait(30)
        lifecycle.move(study_id=rated.pk, action="close", by=rosa)
        assert upkeep.start_due() == []
        may_end.set()
        thread.join(30)
    (run,) = upkeep.start_due()
    assert (run.trigger, run.planned) == ("closing", True)
    assert upkeep.start_due() == []


# Clearing -----------------------------------------------------------------------------------------------


def automatic(study: Study, rater: str) -> Run:
    more(study, rater)
    return done(study, trigger="schedule")


def test_a_newer_automatic_run_supersedes_the_older_ones(rated: Study, rosa: User) -> None:
    first = automatic(rated, "R-0010")
    asked = done(rated, settings={"ddof": 0})
    of_a_datasheet = automatic(rated, "R-0011")
    Datasheet.objects.create(study=rated, run=of_a_datasheet)
    assert upkeep.clear_superseded() == 1  # the first
    failed = runs.start(study=rated, by=None, trigger="schedule", settings={"ddof": 0, "confidence": 0.9})
    Run.objects.filter(pk=failed.pk).update(state="failed")
    assert upkeep.clear_superseded() == 0  # nothing newer has come to an end
    last = automatic(rated, "R-0012")
    by_hand = Exclusion.objects.create(study=rated, rule="manual", reason="asked to", rater=rated.raters.first())
    assert upkeep.clear_superseded() == 1  # the failed one
    assert set(Run.objects.all()) == {asked, of_a_datasheet, last}
    assert not ResultRow.objects.filter(run_id=first.pk).exists()
    assert set(Exclusion.objects.filter(run=None)) == {by_hand}


def test_automatic_runs_that_fail_each_time_do_not_pile_up(rated: Study) -> None:
    """The last good one stays, and the last that failed, which says why."""
    good = automatic(rated, "R-0010")
    failed = []
    for number in range(3):
        more(rated, f"R-002{number}")
        run = runs.start(study=rated, by=None, trigger="schedule")
        Run.objects.filter(pk=run.pk).update(state="failed", error="It stopped.")
        failed.append(run)
        upkeep.clear_superseded()
        assert set(Run.objects.all()) == {good, run}
    last = automatic(rated, "R-0030")
    upkeep.clear_superseded()
    assert set(Run.objects.all()) == {last}


def test_what_people_asked_for_is_kept(rated: Study, rosa: User) -> None:
    kept = [done(rated, trigger="command")]
    taken_over = automatic(rated, "R-0010")
    kept.append(runs.start(study=rated, by=rosa))
    assert kept[-1] == taken_over
    more(rated, "R-0011")
    lifecycle.move(study_id=rated.pk, action="close", by=rosa)
    kept.append(runs.compute_here(run=Run.objects.get(trigger="closing")))
    lifecycle.move(study_id=rated.pk, action="open", by=rosa, reason="more raters")
    kept.append(automatic(rated, "R-0012"))
    upkeep.clear_superseded()
    assert set(Run.objects.all()) == set(kept)


def test_the_number_of_a_deleted_run_is_not_given_again(rated: Study) -> None:
    automatic(rated, "R-0010")
    automatic(rated, "R-0011")
    upkeep.clear_superseded()
    assert automatic(rated, "R-0012").number == 3


def test_a_queue_says_when_somebody_answered_on_it() -> None:
    jobs.beat_of_queue("quick")
    jobs.beat_of_queue("quick")
    assert WorkerBeat.objects.get().queue == "quick"


@pytest.mark.django_db(transaction=True)
def test_a_connection_that_is_lost_when_a_run_starts_is_told_to_whoever_closes_the_study(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Django rolls everything back then, without a word: an import said that it had stored its ratings."""

    def lose(**_given: Any) -> Run:
        connection.connection.close()
        raise OperationalError("server closed the connection unexpectedly")

    monkeypatch.setattr(runs, "start", lose)
    with pytest.raises(OperationalError):
        lifecycle.move(study_id=study.pk, action="close", by=None)
    connection.close()
    study.refresh_from_db()
    assert study.state == "open"
