"""The work that the scheduler rings for, reached as it reaches it: by the entry of the schedule."""

from datetime import timedelta

import pytest
from celery.beat import ScheduleEntry
from django.core import mail
from django.db import DatabaseError
from django.utils import timezone
from pytest_django import Settings

from evalweb.celery import app
from tasks_app.models import Identity, Outbox, Rater, RaterSet, Study
from tasks_app.services.arrival import enrolment
from tasks_app.services.judging import assignments
from tasks_app.services.waves import closing
from tests.tasks_app import waves_kit as kit

pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> Study:
    """The example panas_groups, open; ids are removed a month after the end."""
    study = kit.opened()
    about = {**study.settings["about"], "identities_days": 30}
    Study.objects.filter(pk=study.pk).update(settings={**study.settings, "about": about})
    return study


def entry_of(name: str) -> ScheduleEntry:
    """Return an entry of the schedule as beat makes it."""
    app.loader.import_default_modules()
    return ScheduleEntry(name=name, app=app, **app.conf.beat_schedule[name])


def ring(name: str) -> None:
    """Do what an entry of the schedule rings for, here and now."""
    entry = entry_of(name)
    app.tasks[str(entry.task)].apply(args=entry.args, kwargs=entry.kwargs, throw=True)


def from_platform(study: Study, person: str, ended_days_ago: float | None) -> Rater:
    """Enrol somebody whom a platform sent, and let them end so many days ago."""
    arrival = kit.from_prolific("1", person)
    rater = enrolment.enrol(study_id=study.pk, nonce=person, consent_text_id=None, arrival=arrival).rater
    if ended_days_ago is not None:
        assignments.stop(rater=rater)
        Rater.objects.filter(pk=rater.pk).update(ended_at=timezone.now() - timedelta(days=ended_days_ago))
    return rater


def test_upkeep_comes_every_minute_in_the_queue_of_short_jobs() -> None:
    entry = entry_of("upkeep")
    assert entry.schedule.run_every <= timedelta(minutes=1)
    assert (entry.options or {})["queue"] == "quick"


def test_upkeep_removes_ids_that_are_kept_no_longer(study: Study) -> None:
    long_gone = from_platform(study, "a", 31)
    kept = [from_platform(study, "b", 29), from_platform(study, "c", None)]
    ring("upkeep")
    assert set(Identity.objects.values_list("rater", flat=True)) == {one.pk for one in kept}
    assert Rater.objects.filter(pk=long_gone.pk).exists()


def test_upkeep_closes_what_is_over_and_writes_to_who_is_due(study: Study, settings: Settings) -> None:
    settings.EVALWEB_URL = "https://eval.example.org"
    late, due = kit.invited(study, 1, "late@example.org"), kit.invited(study, 2, "due@example.org")
    for rater, days in ((late, 10.5), (due, 7.5)):
        kit.do_what_is_open(study, rater)
        kit.days_pass(rater, days)
    ring("upkeep")
    ring("upkeep")
    assert RaterSet.objects.get(rater=late, wave=2).state == "expired"
    assert [one.to for one in mail.outbox] == [["due@example.org"]]
    assert Outbox.objects.exclude(sent_at=None).count() == 1


def test_one_chore_that_fails_keeps_none_of_the_others(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    from_platform(study, "a", 31)

    def broken() -> int:
        raise DatabaseError("lock timeout")

    broken.__name__ = "close_over"
    monkeypatch.setattr(closing, "close_over", broken)
    ring("upkeep")
    assert not Identity.objects.exists()
