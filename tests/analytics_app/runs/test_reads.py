"""Reads about runs and workers, and who may fetch a run."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.db.models import F
from django.db.models.functions import Now
from django.http import Http404
from pytest_django import DjangoAssertNumQueries

from analytics_app import access
from analytics_app.models import Run, RunPart, WorkerBeat
from analytics_app.runs import claim, start, upkeep
from analytics_app.selectors import runs as reads
from analytics_app.selectors.workers import workers
from evalweb.serve.children import WORKER_ENVIRONMENT, commands
from tasks_app.models import Membership, Study

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("stand_in")]


@pytest.fixture
def run(rated: Study, rosa: User, rung: list[int]) -> Run:
    return start.start(study=rated, by=rosa)


def test_progress(run: Run, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_num_queries(1):
        assert reads.progress(run) == reads.RunProgress(0, 3, 0, "queued", run.created_at)
    claim.work(run.parts.get(kind="quality").pk)
    claim.claim(run.parts.get(number=1).pk)
    run.refresh_from_db()
    found = reads.progress(run)
    assert (found.done, found.total, found.running, found.state) == (1, 3, 1, "running")
    assert found.since == run.started
    assert found.share == pytest.approx(1 / 3)


def test_which_runs_there_are(run: Run, rated: Study) -> None:
    other = start.start(study=rated, by=None, settings={"ddof": 0})
    assert list(reads.runs_of(rated)) == [other, run]


def test_workers_are_alive_while_one_answers_on_any_queue(db: None) -> None:
    assert (workers().alive, workers().since) == (False, None)
    upkeep.note_beat(queue="quick", host="here")
    assert workers().alive
    WorkerBeat.objects.update(at=Now() - timedelta(seconds=61))
    found = workers()
    assert (found.alive, found.since) == (False, WorkerBeat.objects.get().at)


def test_a_worker_that_computes_is_alive_though_it_answers_on_no_queue(run: Run) -> None:
    part = claim.claim(run.parts.get(kind="quality").pk)
    assert workers().alive
    RunPart.objects.filter(pk=part.pk).update(heartbeat=F("heartbeat") - timedelta(seconds=61))
    found = workers()
    assert (found.alive, found.since) == (False, RunPart.objects.get(pk=part.pk).heartbeat)
    assert workers(now=found.since).alive


def test_the_command_is_that_of_make_run(tmp_path: Path) -> None:
    _python, *rest = commands(tmp_path)["worker"]
    limits = [f"{name}={value}" for name, value in WORKER_ENVIRONMENT.items()]
    assert workers().command == " ".join([*limits, "python", *rest])


@pytest.mark.parametrize(("name", "role", "found"), [
    ("rosa", "owner", True), ("rosa", "viewer", True), ("vera", "viewer", True), ("vera", "editor", False),
    ("mallory", "viewer", False), ("nobody", "viewer", False),
])  # fmt: skip
def test_who_may_fetch_a_run(run: Run, rosa: User, mallory: User, name: str, role: str, found: bool) -> None:
    vera = User.objects.create_user("vera", is_staff=True)
    Membership.objects.create(study=run.study, user=vera, role="viewer")
    person = {"rosa": rosa, "vera": vera, "mallory": mallory, "nobody": AnonymousUser()}[name]
    slug, own = run.study.slug, "viewer" if name == "vera" else "owner"
    if found:
        assert access.run_for_researcher(person, slug, 1, role) == (run.study, own, run)
    else:
        with pytest.raises(Http404):
            access.run_for_researcher(person, slug, 1, role)
    with pytest.raises(Http404):
        access.run_for_researcher(rosa, slug, 2)
