"""Messages about waves: to whom, when, once each, tried again; on the example panas_groups."""

from datetime import timedelta
from smtplib import SMTPRecipientsRefused
from threading import Event, Thread

import pytest
from django.core import mail
from django.core.mail import EmailMessage
from django.db import connection
from django.db.models.functions import Now
from django.utils import timezone
from pytest_django import Settings

from tasks_app.channels.base import Arrival
from tasks_app.jobs import upkeep
from tasks_app.models import Identity, Outbox, RaterSet, Study
from tasks_app.services.arrival import enrolment
from tasks_app.services.study import lifecycle
from tasks_app.services.waves import reminders
from tests import walk
from tests.once import ModuleRows
from tests.tasks_app import waves_kit as kit
from tests.tasks_app.waves_kit import days_pass, do_what_is_open, invited

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def made(module_db: ModuleRows) -> int:
    return kit.opened().pk


@pytest.fixture
def study(made: int) -> Study:
    """The example, open."""
    return Study.objects.get(pk=made)


@pytest.fixture
def address(settings: Settings) -> str:
    address = settings.EVALWEB_URL = "https://eval.example.org"
    return address


def test_an_invited_rater_gets_one_message_at_the_opening_and_one_before_the_closing(
    study: Study, address: str
) -> None:
    ada = invited(study)
    upkeep()
    assert not mail.outbox
    do_what_is_open(study, ada)
    days_pass(ada, 7.5)
    for _round in range(3):
        upkeep()
    (first,) = mail.outbox
    assert first.to == ["ada@example.org"]
    assert "Two weeks with a food diary" in first.subject
    token = reminders.return_token(ada, Identity.objects.get())
    assert f"{address}/r/{token}/\n" in first.body
    assert f"{address}/r/{token}/mail/" in first.body
    assert study.title not in first.body
    # Half a day before the closing.
    left = RaterSet.objects.get(rater=ada, task__key="week-1").closes_at - timezone.now()
    days_pass(ada, left / timedelta(days=1) - 0.5)
    upkeep()
    upkeep()
    assert len(mail.outbox) == 2
    assert "closes soon" in mail.outbox[1].body
    assert set(Outbox.objects.values_list("kind", "wave")) == {("wave_opens", 2), ("wave_reminder", 2)}


def test_nobody_else_is_written_to(study: Study, address: str) -> None:
    open_link = walk.arrive(study)
    platform = Arrival("prolific", external_id="a" * 24, session_id="b" * 24, email="leak@example.org")
    sent = enrolment.enrol(study_id=study.pk, nonce="p", consent_text_id=None, arrival=platform).rater
    nameless = invited(study, 2, email="")
    tired, done = invited(study, 3, "tired@example.org"), invited(study, 4, "done@example.org")
    everybody = (open_link, sent, nameless, tired, done)
    for rater in everybody:
        do_what_is_open(study, rater)
        days_pass(rater, 7.5)
    reminders.stop_mail(rater=tired)
    do_what_is_open(study, done)
    upkeep()
    assert not mail.outbox
    assert not Outbox.objects.exists()


def test_a_failed_sending_is_tried_again(study: Study, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ada = invited(study)
    do_what_is_open(study, ada)
    days_pass(ada, 7.5)

    def broken(*_args: object) -> int:
        raise OSError("no mail server")

    with monkeypatch.context() as patched:
        patched.setattr("django.core.mail.backends.locmem.EmailBackend.send_messages", broken)
        upkeep()
    row = Outbox.objects.get()
    assert row.sent_at is None
    assert row.due > timezone.now() + timedelta(minutes=5)
    upkeep()
    assert not mail.outbox, "it is not tried again at once"
    Outbox.objects.update(due=Now())
    upkeep()
    assert len(mail.outbox) == 1
    assert Outbox.objects.get().sent_at is not None


@pytest.mark.parametrize(
    ("error", "tried"),
    [(TimeoutError("no answer"), 1), (SMTPRecipientsRefused({"ada@example.org": (550, b"unknown")}), 2)],
)
def test_one_address_that_is_refused_holds_up_nobody_and_a_server_that_is_away_no_worker(
    study: Study, address: str, monkeypatch: pytest.MonkeyPatch, error: Exception, tried: int
) -> None:
    for number in (1, 2):
        rater = invited(study, number, f"rater{number}@example.org")
        do_what_is_open(study, rater)
        days_pass(rater, 7.5)
    asked = []

    def failing(message: EmailMessage, fail_silently: bool = False) -> int:
        asked.append(message.to)
        raise error

    monkeypatch.setattr(EmailMessage, "send", failing)
    upkeep()
    assert len(asked) == tried
    upkeep()
    assert sorted(asked) == [["rater1@example.org"], ["rater2@example.org"]], "the other one comes in the next round"


def test_what_has_lost_its_sense_is_not_sent(study: Study, address: str) -> None:
    ada = invited(study)
    do_what_is_open(study, ada)
    days_pass(ada, 7.5)
    reminders.fill()
    do_what_is_open(study, ada)
    reminders.send_due()
    assert not mail.outbox
    assert not Outbox.objects.exists()


def test_nobody_is_written_to_while_a_study_is_paused(study: Study, address: str) -> None:
    ada = invited(study)
    do_what_is_open(study, ada)
    days_pass(ada, 7.5)
    reminders.fill()
    lifecycle.move(study_id=study.pk, action="pause", by=None)
    upkeep()
    assert not mail.outbox
    lifecycle.move(study_id=study.pk, action="open", by=None)
    upkeep()
    assert len(mail.outbox) == 1
    # Closing ends the coming of new raters; who takes part goes on.
    bob = invited(study, 2, "bob@example.org")
    do_what_is_open(study, bob)
    days_pass(bob, 7.5)
    lifecycle.move(study_id=study.pk, action="close", by=None)
    upkeep()
    assert mail.outbox[-1].to == ["bob@example.org"]


def test_without_an_address_of_the_site_nothing_is_sent_and_nothing_lost(study: Study, settings: Settings) -> None:
    settings.EVALWEB_URL = ""
    ada = invited(study)
    do_what_is_open(study, ada)
    days_pass(ada, 7.5)
    upkeep()
    assert (Outbox.objects.count(), len(mail.outbox)) == (1, 0)
    settings.EVALWEB_URL = "https://eval.example.org"
    upkeep()
    assert len(mail.outbox) == 1


@pytest.mark.django_db(transaction=True)
def test_two_workers_send_a_message_once(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.EVALWEB_URL = "https://eval.example.org"
    study = kit.opened()
    ada = kit.invited(study)
    kit.do_what_is_open(study, ada)
    kit.days_pass(ada, 7.5)
    assert (reminders.fill(), reminders.fill()) == (1, 0)
    row = Outbox.objects.get()
    being_sent, other_is_done = Event(), Event()
    send = EmailMessage.send

    def slow(message: EmailMessage, fail_silently: bool = False) -> int:
        being_sent.set()
        assert other_is_done.wait(timeout=30)
        return send(message, fail_silently)

    monkeypatch.setattr(EmailMessage, "send", slow)
    sent: list[reminders.Sending] = []

    def first() -> None:
        try:
            sent.append(reminders.send(outbox_id=row.pk))
        finally:
            connection.close()

    worker = Thread(target=first)
    worker.start()
    assert being_sent.wait(timeout=30)
    assert reminders.send_due() == 0, "the message is another worker's"
    other_is_done.set()
    worker.join()
    assert sent == [reminders.Sending.SENT]
    assert reminders.send_due() == 0
    assert len(mail.outbox) == 1
