"""Starting a run: the exact set of ratings, the digest, planned and exploratory, and rows before the bell."""

from threading import Event, Thread
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models import Max

from analytics_app import plan, ratings
from analytics_app.models import Exclusion, Plan, Run, RunPart
from analytics_app.runs import start
from tasks_app.models import Event as Logged
from tasks_app.models import Judgment, Rater, Rating, Study
from tasks_app.services import high_water
from tasks_app.services.database import share_submissions
from tasks_app.services.study import lifecycle
from tests.analytics_app.filling import Filler
from tests.analytics_app.runs.conftest import changed
from tests.builders import build_study

pytestmark = pytest.mark.django_db


def add_rating(study: Study, rater: str = "R-0003", **columns: Any) -> Judgment:
    filler = Filler(study)
    found = Rater.objects.filter(study=study, pseudonym=rater).first()
    if found is not None:
        filler.raters[rater] = found
    return filler.judge(rater, "i0", "alpha-mt", {"fluency": 3, "content": 3}, **columns)


def test_a_study_without_a_task_has_a_run_that_is_done_at_once_and_says_why(rosa: User) -> None:
    study = Study.objects.create(
        slug="bare", title="Bare", public_title="Bare", settings={}, seed=1, state="open", current_version=1
    )
    run = start.start(study=study, by=rosa)
    assert (run.state, run.facts["note"]) == ("done", start.NOTHING)
    assert run.started == run.finished is not None
    assert not run.parts.exists()


def test_a_run_writes_its_parts_and_says_what_it_saw(rated: Study, rosa: User, rung: list[int]) -> None:
    other = build_study(rosa, slug="other", criteria=("fluency",))
    Filler(other).judge("X", "i0", "alpha-mt", {"fluency": 3})
    run = start.start(study=rated, by=rosa)
    assert (run.number, run.state, run.by, run.trigger, run.version) == (1, "queued", rosa, "demand", 1)
    own = Rating.objects.filter(task__study=rated)
    assert run.high_water == own.aggregate(top=Max("id"))["top"]
    assert run.judgment_high_water == own.aggregate(top=Max("judgment_id"))["top"]
    assert run.n_seen == 32
    assert (run.settings, run.seed) == (plan.document_of(rated), rated.seed)
    states = list(run.parts.order_by("number").values_list("kind", "criterion__key", "state"))
    assert states == [
        ("quality", None, "queued"),
        ("criterion", "fluency", "waiting"),
        ("criterion", "content", "waiting"),
    ]
    logged = Logged.objects.get(verb="started run")
    assert (logged.actor, logged.object, logged.after) == (rosa, "1", {"trigger": "demand", "planned": False})


def test_the_bell_is_rung_once_the_rows_are_there(
    rated: Study, rung: list[int], django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        run = start.start(study=rated, by=None)
        assert rung == []
    assert rung == [run.parts.get(kind="quality").pk]


def test_n_seen_counts_what_the_ratings_module_reads(rated: Study) -> None:
    """Every reason for not counting, one judgment each; then the run and the reader must agree."""
    add_rating(rated, "R-0004", purpose="warm_up")
    add_rating(rated, "R-0005", state="surplus")
    add_rating(rated, "R-0006", skip_reason="other", state="skipped")
    add_rating(rated, "R-0007", rater_kind="sandbox")
    first = add_rating(rated, "R-0008")
    filler = Filler(rated)
    filler.answer(first.assignment, filler.parts["i0", "alpha-mt"], {"fluency": 5, "content": 5}, replaces=first)
    without = start.start(study=rated, by=None)
    surplus = start.start(study=rated, by=None, settings={"surplus": True})
    for run, expected in ((without, 34), (surplus, 36)):
        assert run.n_seen == len(ratings.load(run, "main")) == expected
        # Whoever judged in one task or another counts once.
        raters = set(ratings.load(run, "main").rater.tolist())
        assert (run.facts["raters"], run.facts["simulated_raters"]) == (len(raters), 0)
    Filler(rated).judge("R-0009", "i1", "alpha-mt", {"fluency": 1, "content": 1})
    assert len(ratings.load(surplus, "main")) == 36


def test_equal_runs_are_one(rated: Study, rosa: User) -> None:
    run = start.start(study=rated, by=rosa)
    assert start.start(study=rated, by=rosa) == run
    Run.objects.filter(pk=run.pk).update(state="done")
    assert start.start(study=rated, by=rosa) == run
    assert RunPart.objects.count() == 3
    assert Logged.objects.filter(verb="started run").count() == 1


@pytest.mark.parametrize("state", ["failed", "cancelled"])
def test_a_run_that_came_to_nothing_is_started_anew(rated: Study, state: str) -> None:
    run = start.start(study=rated, by=None)
    Run.objects.filter(pk=run.pk).update(state=state)
    again = start.start(study=rated, by=None)
    assert (again.number, again.digest) == (2, run.digest)


def test_whatever_results_depend_on_makes_another_run(rated: Study, settings: Any) -> None:
    found = [start.start(study=rated, by=None)]
    found.append(start.start(study=rated, by=None, settings={"ddof": 0}))
    rater = Rater.objects.get(study=rated, pseudonym="R-0001")
    by_hand = Exclusion.objects.create(study=rated, rule="manual", reason="asked to", rater=rater)
    found.append(start.start(study=rated, by=None))
    assert found[-1].facts == {"manual_exclusions": [by_hand.pk], "raters": 2, "simulated_raters": 0}
    Exclusion.objects.update(lifted_at="2026-11-21T00:00Z")
    assert start.start(study=rated, by=None) == found[0]
    add_rating(rated)
    found.append(start.start(study=rated, by=None))
    settings.EVALWEB_CODE_VERSION = "0.1.0+other"
    found.append(start.start(study=rated, by=None))
    assert found[-1].code_version == "0.1.0+other"
    Filler(rated).judge("R-0010", "i0", "alpha-mt", {}, skip_reason="other", state="skipped")
    found.append(start.start(study=rated, by=None))
    assert found[-1].high_water == found[-2].high_water
    assert len({run.digest for run in found}) == len(found) == 6
    assert [run.number for run in found] == [1, 2, 3, 4, 5, 6]


def test_ratings_of_another_study_make_no_difference(rated: Study, rosa: User) -> None:
    run = start.start(study=rated, by=None)
    other = build_study(rosa, slug="other", criteria=("fluency",))
    Filler(other).judge("X", "i0", "alpha-mt", {"fluency": 3})
    assert start.start(study=rated, by=None) == run


def test_planned_is_the_frozen_plan_of_a_closed_study(rated: Study, rosa: User, rung: list[int]) -> None:
    open_run = start.start(study=rated, by=rosa)
    assert (open_run.planned, open_run.plan) == (False, plan.frozen_plan(rated))  # an interim look is exploratory
    lifecycle.move(study_id=rated.pk, action="close", by=rosa)
    closing = Run.objects.get(trigger="closing")
    assert (closing.planned, closing.plan) == (True, plan.frozen_plan(rated))
    assert closing.digest != open_run.digest  # each row says whether it is planned
    assert start.start(study=rated, by=rosa) == closing
    assert start.start(study=rated, by=rosa, settings=closing.settings) == closing
    other = start.start(study=rated, by=rosa, settings={"ddof": 0})
    assert (other.planned, other.plan) == (False, None)


def test_settings_that_cannot_be_used_store_nothing(rated: Study) -> None:
    with pytest.raises(ValueError, match="ddof") as refusal:
        start.start(study=rated, by=None, settings={"ddof": 3, "nonsense": 1})
    assert len(str(refusal.value).splitlines()) == 2
    assert not Run.objects.exists()
    assert start.start(study=rated, by=None, settings={"ddof": 1}).settings["ddof"] == 1


def test_a_run_without_parts_is_done_at_once(rosa: User) -> None:
    empty = Study.objects.create(
        slug="empty", title="Empty", public_title="Empty", state=Study.State.CLOSED, current_version=1
    )
    run = start.start(study=empty, by=rosa)
    assert (run.state, run.n_seen, run.facts["note"]) == ("done", 0, start.NOTHING)
    assert run.finished is not None


def test_a_run_that_began_by_itself_becomes_that_of_who_asks_for_it(rated: Study, rosa: User) -> None:
    run = start.start(study=rated, by=None, trigger="schedule")
    assert not Logged.objects.filter(verb="started run").exists()  # nobody did anything
    asked = start.start(study=rated, by=rosa)
    assert (asked.pk, asked.trigger, asked.by) == (run.pk, "demand", rosa)
    assert start.start(study=rated, by=None, trigger="schedule").trigger == "demand"


def test_asking_once_more_rings_once_more(
    rated: Study, rosa: User, rung: list[int], django_capture_on_commit_callbacks: Any
) -> None:
    """As for what a command began and left: from now on it is for workers."""
    with django_capture_on_commit_callbacks(execute=True):
        run = start.start(study=rated, by=None, trigger="command")
    assert rung == []
    with django_capture_on_commit_callbacks(execute=True):
        asked = start.start(study=rated, by=rosa)
    assert (asked.pk, asked.trigger) == (run.pk, "demand")
    assert rung == [run.parts.get(kind="quality").pk]
    Run.objects.update(state="done")
    with django_capture_on_commit_callbacks(execute=True):
        start.start(study=rated, by=rosa)
    assert len(rung) == 1


def test_a_frozen_plan_that_cannot_be_used_any_more_does_not_hinder_other_settings(rated: Study) -> None:
    Plan.objects.filter(study=rated).update(document={"rules": [{"rule": "gone"}]})
    with pytest.raises(ValueError, match="gone"):
        start.start(study=rated, by=None)
    run = start.start(study=rated, by=None, settings={})
    assert (run.plan, run.planned) == (None, False)


def test_cancelling(rated: Study, rosa: User) -> None:
    run = start.start(study=rated, by=rosa)
    start.cancel(run=run, by=rosa)
    assert (run.state, run.finished is not None) == ("cancelled", True)
    start.cancel(run=run, by=rosa)
    assert Logged.objects.get(verb="cancelled run").actor == rosa
    done = start.start(study=rated, by=rosa)
    Run.objects.filter(pk=done.pk).update(state="done")
    start.cancel(run=done, by=rosa)
    assert done.state == "done"


# Beside others ------------------------------------------------------------------------------------------


def in_thread(work: Any) -> Thread:
    def run() -> None:
        try:
            work()
        finally:
            connection.close()

    thread = Thread(target=run)
    thread.start()
    return thread


@pytest.mark.django_db(transaction=True)
def test_a_judgment_under_way_is_waited_for_and_seen(rated: Study) -> None:
    """Its ids may be lower than those already there: a bare max(id) would leave a hole for ever."""
    stored, may_end = Event(), Event()

    def submit() -> None:
        with transaction.atomic():
            share_submissions(rated.pk)
            add_rating(rated)
            stored.set()
            assert may_end.wait(30)

    with changed(high_water, "PATIENCE", "60s"):
        submitting = in_thread(submit)
        assert stored.wait(30)
        found: list[Run] = []
        starting = in_thread(lambda: found.append(start.start(study=rated, by=None)))
        starting.join(0.5)
        assert starting.is_alive()
        may_end.set()
        for thread in (submitting, starting):
            thread.join(30)
    assert found[0].n_seen == 34
    assert found[0].high_water == Rating.objects.aggregate(top=Max("id"))["top"]


@pytest.mark.django_db(transaction=True)
def test_the_submissions_lock_is_given_back_before_the_run_is_stored(rated: Study) -> None:
    """Who submits while a run is being stored does not wait for it."""

    def submit() -> None:
        with transaction.atomic():
            share_submissions(rated.pk)
            add_rating(rated)

    with transaction.atomic():
        run = start.start(study=rated, by=None)
        submitting = in_thread(submit)
        submitting.join(30)
        assert not submitting.is_alive()
    assert Rating.objects.filter(task__study=rated, id__gt=run.high_water).count() == 2


@pytest.mark.django_db(transaction=True)
def test_behind_an_import_a_run_says_busy_and_closing_goes_on(rated: Study, rosa: User) -> None:
    stored, may_end = Event(), Event()

    def store_many() -> None:
        with transaction.atomic():
            share_submissions(rated.pk)
            stored.set()
            assert may_end.wait(60)

    with changed(high_water, "PATIENCE", "50ms"):
        storing = in_thread(store_many)
        assert stored.wait(30)
        with pytest.raises(start.Busy):
            start.start(study=rated, by=rosa)
        assert lifecycle.move(study_id=rated.pk, action="close", by=rosa).state == "closed"
        assert not Run.objects.exists()  # beat starts it, see test_upkeep
        may_end.set()
        storing.join(30)
    assert start.start(study=rated, by=rosa).planned


@pytest.mark.django_db(transaction=True)
def test_the_same_asked_for_by_many_at_once_is_one_run(rated: Study, rung: list[int]) -> None:
    found: list[Run] = []
    threads = [in_thread(lambda: found.append(start.start(study=rated, by=None))) for _number in range(8)]
    for thread in threads:
        thread.join(60)
    assert len(found) == 8
    assert {run.pk for run in found} == set(Run.objects.values_list("pk", flat=True))
    assert set(rung) == {RunPart.objects.get(state="queued").pk}
