"""A part is computed by one worker and stored once, whatever happens on the way."""

import io
import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier, Event
from typing import Any

import numpy as np
import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.contrib.auth.models import User
from django.db import OperationalError, connection
from django.db.models import F
from django.db.models.functions import Now
from pytest_django import DjangoAssertNumQueries

from analytics_app import jobs
from analytics_app.models import Exclusion, Plot, ResultRow, Run, RunPart
from analytics_app.quality.base import Removal
from analytics_app.results import Row
from analytics_app.runs import claim, store
from analytics_app.runs import start as runs
from analytics_app.runs.compute import Outcome
from analytics_app.runs.rules import Exclusions
from tasks_app.models import Rater, Rating, Study
from tasks_app.services.copying import copy_rows
from tests.analytics_app.runs.conftest import Stand, changed, small_outcome

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("stand_in")]

# Where other threads look on, connections end, or what follows a commit is what the test is about.
committed = pytest.mark.django_db(transaction=True)

Use = Callable[[Stand], None]


@pytest.fixture
def run(rated: Study, rosa: User, rung: list[int]) -> Run:
    return runs.start(study=rated, by=rosa)


def first_of(run: Run) -> RunPart:
    return run.parts.get(kind="quality")


def grow_old(part: RunPart) -> None:
    """Let a minute pass in which the part's worker gave no sign of life."""
    RunPart.objects.filter(pk=part.pk).update(heartbeat=F("heartbeat") - claim.DEAD_AFTER)


def states(run: Run) -> list[str]:
    return list(run.parts.order_by("number").values_list("state", flat=True))


@committed
def test_the_parts_of_a_run_one_after_another(run: Run, rung: list[int]) -> None:
    jobs.compute_part(first_of(run).pk)
    run.refresh_from_db()
    assert (run.state, states(run)) == ("running", ["done", "queued", "queued"])
    assert run.started is not None
    others = list(run.parts.exclude(kind="quality").order_by("number").values_list("pk", flat=True))
    assert rung == [first_of(run).pk, *others]
    for part_id in others:
        jobs.compute_part(part_id)
    run.refresh_from_db()
    assert (run.state, states(run), run.error) == ("done", ["done"] * 3, "")
    assert run.finished >= run.started
    assert run.facts == {
        "manual_exclusions": [],
        "raters": 2,
        "simulated_raters": 0,
        "tasks": {"main": {"ratings": 2, "part 1": "done", "part 2": "done"}},
    }
    rows = list(ResultRow.objects.filter(run=run).values_list("order", "statistic", "criterion", "value", "settings"))
    assert rows == [
        (0, "quality", None, 1 / 3, {"level": "x"}),
        (100_000, "criterion", "fluency", 1 / 3, {"level": "x"}),
        (200_000, "criterion", "content", 1 / 3, {"level": "x"}),
    ]
    assert {one.reason for one in Exclusion.objects.filter(run=run)} == {"A\ttab\\"}
    assert Exclusion.objects.filter(run=run, at__isnull=False).count() == 2
    assert Plot.objects.filter(run=run).count() == 2
    assert all(one.seconds is not None and one.attempt == 1 for one in run.parts.all())


@committed
def test_the_part_of_a_whole_task_is_begun_before_those_of_criteria(run: Run, rung: list[int]) -> None:
    *_others, whole = run.parts.order_by("number")
    RunPart.objects.filter(pk=whole.pk).update(kind="task", criterion=None)
    jobs.compute_part(first_of(run).pk)
    assert rung[1:] == [whole.pk, run.parts.get(kind="criterion").pk]


def test_rows_say_whether_the_run_was_planned(run: Run) -> None:
    Run.objects.filter(pk=run.pk).update(planned=True)
    runs.compute_here(run=run)
    assert set(ResultRow.objects.values_list("planned", flat=True)) == {True}


def test_a_part_that_waits_is_not_to_be_had(run: Run) -> None:
    waiting = run.parts.filter(state="waiting").first()
    assert claim.claim(waiting.pk) is None
    assert not claim.work(waiting.pk)


@committed
def test_two_claimers_at_once_and_one_gets_it(run: Run, stand_in: Use) -> None:
    computed: list[int] = []
    start = Barrier(8)

    def compute(part: RunPart) -> Outcome:
        computed.append(part.pk)
        return small_outcome(part)

    def work(_number: int) -> bool:
        try:
            start.wait(timeout=60)
            return claim.work(first_of(run).pk)
        finally:
            connection.close()

    stand_in(compute)
    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(work, range(8))) == [False] * 7 + [True]
    assert computed == [first_of(run).pk]
    assert states(run) == ["done", "queued", "queued"]


def test_a_part_in_other_hands_is_left_alone_until_these_are_dead(run: Run) -> None:
    part = claim.claim(first_of(run).pk)
    assert not claim.work(part.pk)
    grow_old(part)
    again = claim.claim(part.pk)
    assert (part.attempt, again.attempt) == (1, 2)


def test_what_an_earlier_attempt_brings_is_refused(run: Run) -> None:
    late = claim.claim(first_of(run).pk)
    grow_old(late)
    assert claim.work(late.pk)
    before = list(ResultRow.objects.values_list("pk", flat=True)), states(run)
    with pytest.raises(store.Superseded):
        store.store(late, small_outcome(late), seconds=1)
    claim.fail(late, "It stopped.")
    claim.release(late, "It was ended.")
    assert (list(ResultRow.objects.values_list("pk", flat=True)), states(run)) == before


def test_an_attempt_that_is_overtaken_while_it_computes_stores_nothing(run: Run, stand_in: Use) -> None:
    def overtaken(part: RunPart) -> Outcome:
        if part.attempt == 1:
            grow_old(part)
            assert claim.work(part.pk)
        return small_outcome(part)

    stand_in(overtaken)
    assert claim.work(first_of(run).pk)
    assert ResultRow.objects.count() == 1
    assert first_of(run).attempt == 2


@pytest.mark.parametrize("state", ["cancelled", "failed"])
def test_a_run_that_has_ended_takes_nothing_and_begins_nothing(run: Run, stand_in: Use, rosa: User, state: str) -> None:
    def ended_meanwhile(part: RunPart) -> Outcome:
        Run.objects.filter(pk=run.pk).update(state=state)
        return small_outcome(part)

    stand_in(ended_meanwhile)
    assert claim.work(first_of(run).pk)
    assert not ResultRow.objects.exists()
    assert not Exclusion.objects.exists()
    grow_old(first_of(run))
    assert claim.claim(first_of(run).pk) is None


def test_an_error_of_an_analysis_fails_the_run_with_a_sentence(run: Run, stand_in: Use) -> None:
    claim.work(first_of(run).pk)

    def fails(part: RunPart) -> Outcome:
        raise ValueError("The level is unknown.")

    stand_in(fails)
    jobs.compute_part(run.parts.get(number=1).pk)
    run.refresh_from_db()
    assert (run.state, states(run)) == ("failed", ["done", "failed", "queued"])
    assert run.parts.get(number=1).error == "It stopped with ValueError: The level is unknown."
    assert run.error == (
        "one criterion of the task “Likert scale”, criterion fluency: It stopped with ValueError: The level is unknown."
    )
    assert run.finished is not None
    assert claim.claim(run.parts.get(number=2).pk) is None


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (SoftTimeLimitExceeded(), "longer than EVALWEB_TASK_SECONDS allows"),
        (MemoryError(), "not enough memory"),
        (KeyError(), "It stopped with KeyError. The worker's log says where."),
    ],
)
def test_other_errors_are_said_as_well(run: Run, stand_in: Use, error: Exception, sentence: str) -> None:
    def fails(part: RunPart) -> Outcome:
        raise error

    stand_in(fails)
    claim.work(first_of(run).pk)
    run.refresh_from_db()
    assert sentence in run.error


def test_an_error_of_the_database_is_said_without_its_data(run: Run, stand_in: Use) -> None:
    def wrong(part: RunPart) -> Outcome:
        outcome = small_outcome(part)
        outcome.exclusions = [
            tuple("" if column == "reason" else cell for column, cell in zip(Exclusions.COLUMNS, cells, strict=True))
            for cells in outcome.exclusions
        ]
        return outcome

    stand_in(wrong)
    claim.work(first_of(run).pk)
    run.refresh_from_db()
    assert run.error == (
        "quality rules of the task “Likert scale”: It stopped with IntegrityError. "
        "The worker's log says where. Please report this."
    )
    assert not ResultRow.objects.exists()


def test_a_run_that_another_release_began_is_not_ended_by_this_one(run: Run, settings: Any) -> None:
    settings.EVALWEB_CODE_VERSION = f"{claim.release_of(run.code_version)}+commit"
    assert claim.work(first_of(run).pk)
    settings.EVALWEB_CODE_VERSION = "99.1"
    assert claim.work(run.parts.get(number=1).pk)
    run.refresh_from_db()
    assert (run.state, states(run)) == ("failed", ["done", "failed", "queued"])
    assert "started by evalweb" in run.error
    assert "this worker is evalweb 99.1." in run.error


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_number_that_is_none_is_refused(run: Run, stand_in: Use, value: float) -> None:
    stand_in(lambda part: Outcome(rows=[Row(analysis="systems", statistic="mean", value=value)]))
    claim.work(first_of(run).pk)
    run.refresh_from_db()
    assert f"systems, mean: value is {value}, not a number with a note" in run.error


def test_a_database_that_goes_away_puts_the_part_back(run: Run, stand_in: Use) -> None:
    def away(part: RunPart) -> Outcome:
        raise OperationalError("server closed the connection unexpectedly")

    stand_in(away)
    assert claim.work(first_of(run).pk)
    part = first_of(run)
    assert (part.state, part.attempt, part.rung_at is not None) == ("queued", 1, True)
    stand_in(small_outcome)
    assert claim.work(part.pk)
    assert states(run) == ["done", "queued", "queued"]
    assert first_of(run).error == ""


@committed
def test_a_database_that_goes_away_in_a_copy_is_the_same(run: Run, stand_in: Use) -> None:
    def away(part: RunPart) -> Outcome:
        with connection.cursor() as cursor:
            cursor.execute("SET statement_timeout = 50")
            cursor.copy_expert("COPY (SELECT pg_sleep(60)) TO STDOUT", io.BytesIO())
        return Outcome()

    stand_in(away)
    assert claim.work(first_of(run).pk)
    connection.close()
    assert first_of(run).state == "queued"


@committed
def test_a_connection_lost_while_it_computes_costs_nothing(run: Run, stand_in: Use) -> None:
    """As in a restart of the database: what was computed is stored over a new connection."""

    def loses_the_connection(part: RunPart) -> Outcome:
        outcome = small_outcome(part)
        connection.connection.close()
        return outcome

    stand_in(loses_the_connection)
    assert claim.work(first_of(run).pk)
    assert (states(run)[0], first_of(run).attempt) == ("done", 1)


def test_an_interrupted_command_puts_its_part_back(run: Run, stand_in: Use) -> None:
    def interrupted(part: RunPart) -> Outcome:
        raise KeyboardInterrupt

    stand_in(interrupted)
    with pytest.raises(KeyboardInterrupt):
        runs.compute_here(run=run)
    assert first_of(run).state == "queued"


def test_after_five_workers_that_died_the_run_fails_and_says_so(run: Run) -> None:
    for _time in range(claim.TRIES):
        grow_old(claim.claim(first_of(run).pk))
    assert claim.claim(first_of(run).pk) is None
    run.refresh_from_db()
    assert (run.state, first_of(run).state) == ("failed", "failed")
    assert "begun 5 times and its worker died each time, probably for want of memory" in run.error


def test_five_times_without_the_database_says_something_else(run: Run, stand_in: Use) -> None:
    def away(part: RunPart) -> Outcome:
        raise OperationalError

    stand_in(away)
    for _time in range(claim.TRIES + 1):
        claim.work(first_of(run).pk)
    run.refresh_from_db()
    assert run.error == (
        "quality rules of the task “Likert scale”: It was begun 5 times. The database did not answer, or took too long."
    )


def test_an_equal_run_that_was_done_first_makes_this_one_cancelled(run: Run) -> None:
    same = ("study", "version", "seed", "high_water", "judgment_high_water", "n_seen", "digest", "code_version")
    Run.objects.create(**{name: getattr(run, name) for name in same}, number=2, state="done")
    runs.compute_here(run=run)
    assert (run.state, run.error) == ("cancelled", "An equal run had been done before; its results are the same.")


@committed
def test_the_heartbeat_is_renewed_and_its_loss_is_noted(run: Run) -> None:
    part = claim.claim(first_of(run).pk)
    RunPart.objects.filter(pk=part.pk).update(heartbeat=Now() - timedelta(hours=1))
    with changed(claim, "HEARTBEAT_SECONDS", 0.01), claim.Heartbeat(part) as beating:
        until(lambda: RunPart.objects.filter(pk=part.pk, heartbeat__gt=Now() - timedelta(minutes=1)).exists())
        assert not beating.lost
        RunPart.objects.filter(pk=part.pk).update(attempt=2)
        until(lambda: beating.lost)
    assert beating.lost


def until(condition: Callable[[], bool]) -> None:
    """Wait for something that happens in another thread."""
    for _look in range(3000):
        if condition():
            return
        Event().wait(0.01)
    pytest.fail("It did not happen within 30 seconds.")


def test_a_command_works_beside_somebody_else(run: Run, stand_in: Use) -> None:
    """While another has the first part, the command waits for it and then takes what is left."""
    part = claim.claim(first_of(run).pk)
    looks: list[int] = []

    def meanwhile() -> None:
        looks.append(1)
        store.store(part, small_outcome(part), seconds=1)

    with changed(runs, "wait_for_others", meanwhile):
        assert runs.compute_here(run=run).state == "done"
    assert looks == [1]
    assert list(run.parts.order_by("number").values_list("attempt", flat=True)) == [1, 1, 1]


def test_any_number_of_exclusions_is_copied_by_one_query(
    run: Run, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    rating, rater = Rating.objects.earliest("pk"), Rater.objects.earliest("pk")
    n = 5_000
    reasons = tuple(f"{number}\n" for number in range(n))
    values, mask = np.arange(n) / 7, np.ones(n, dtype=bool)
    of_raters = Removal(mask, "rater", np.full(n, rater.pk), reasons)
    exclusions = Exclusions(first_of(run))
    exclusions.add("iqr", Removal(mask, "rating", np.full(n, rating.pk), reasons, values, more=(of_raters,)))
    with django_assert_num_queries(1):
        copy_rows(Exclusion, Exclusions.COLUMNS, exclusions)
    assert Exclusion.objects.filter(rater=rater, rating=None, value=None).count() == n
    assert Exclusion.objects.get(reason="4999\n", rating=rating, rule="iqr").value == 4_999 / 7
    assert len(list(exclusions)) == 2 * n, "rows are made anew each time, as when storing is tried again"
