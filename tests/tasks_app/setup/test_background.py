"""The check of a large set-up: asked for on Review, done by a worker, told when it is over."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.contrib.auth.models import User
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import InterfaceError, connection, transaction
from django.db.models.functions import Now
from django.test import Client

from tasks_app import jobs
from tasks_app.importing import uploads
from tasks_app.models import Event, Place, Setup, SetupWork, Study, Task
from tasks_app.services import broker
from tasks_app.services.background import refusal_of
from tasks_app.setup import background, changes
from tasks_app.setup.checking import make_study, make_study_in_steps
from tasks_app.setup.tables.checking import CheckedTexts
from tasks_app.setup.texts import reads, writes
from tasks_app.setup.texts.upload import TextsUpload
from tasks_app.studyfile.checking import Loaded
from tests.about import ABOUT

pytestmark = pytest.mark.django_db

PATH = "/admin/studies/example-likert/set-up/review/"


@pytest.fixture
def setup(draft: Study, rosa: User, monkeypatch: pytest.MonkeyPatch) -> Setup:
    """A draft that counts as large, with a change that was not checked yet."""
    monkeypatch.setattr(background, "TEXTS_AT_ONCE", 10)
    values = {("tasks", 0, "k"): 4, ("about",): ABOUT}
    return changes.change(setup=changes.begin(draft), values=values, base=0, by=rosa).setup


def asked(browser: Client, setup: Setup) -> SetupWork:
    """Ask for the check on the page."""
    assert browser.post(PATH).status_code == 302
    return SetupWork.objects.get(setup=setup)


def page(browser: Client, **query: str) -> str:
    return browser.get(PATH, query).content.decode()


def test_a_worker_makes_the_study(setup: Setup, rosas_browser: Client) -> None:
    check = asked(rosas_browser, setup)
    assert Task.objects.get(study=setup.study, until=None).k == 3
    assert "Waiting for a background worker." in page(rosas_browser)
    assert 'aria-label="Progress of the check"' in page(rosas_browser, live="1")
    jobs.work_on_setup(check.pk)
    assert Task.objects.get(study=setup.study, until=None).k == 4
    assert "All checks passed." in page(rosas_browser, live="1")
    whole = page(rosas_browser)
    assert "All settings and texts fit together, and the study is up to date with the form." in whole
    assert "Open the study now" in page(rosas_browser, settle="1")
    assert Setup.objects.get(pk=setup.pk).is_stored


def test_each_step_is_told_while_it_is_done(setup: Setup, rosas_browser: Client) -> None:
    check = asked(rosas_browser, setup)
    for state, sentence in (
        ("reading", "Step 1 of 3: reading the tables."),
        ("planning", "Step 2 of 3: drawing the plan."),
        ("storing", "Step 3 of 3: storing the study."),
    ):
        SetupWork.objects.filter(pk=check.pk).update(state=state)
        assert sentence in page(rosas_browser, live="1")
    reported: list[str] = []
    made: list[Loaded] = []
    make_study_in_steps(setup=setup, by=check.by, report=reported.append, made=made.append)
    assert reported == ["planning", "storing"]
    assert len(made) == 1


MOVE = "/admin/studies/example-likert/move/"
OPEN = {"action": "open", "sure": "yes", "reason": "As agreed."}


def test_a_worker_opens_a_large_study(setup: Setup, rosas_browser: Client, rosa: User) -> None:
    make_study(setup=setup, by=rosa)
    assert rosas_browser.post(MOVE, OPEN)["Location"] == PATH
    work = SetupWork.objects.get(setup=setup)
    assert not Place.objects.exists()
    assert "The study is being opened; see above." in page(rosas_browser)
    assert 'aria-label="Progress of opening the study"' in page(rosas_browser, live="1")
    rosas_browser.post(MOVE, OPEN)
    assert SetupWork.objects.get(setup=setup).asked_at == work.asked_at
    jobs.work_on_setup(work.pk)
    study = Study.objects.get(pk=setup.study_id)
    assert study.state == "open"
    assert Place.objects.filter(unit__task__study=study).exists()
    assert Event.objects.get(study=study, verb="opened").after["reason"] == "As agreed."
    assert Setup.objects.get(pk=setup.pk).version == study.current_version, "the frozen form is there already"
    assert "The study is open" in page(rosas_browser, live="1")
    assert "Try out" not in page(rosas_browser)


def test_a_large_study_that_cannot_be_opened_says_why(setup: Setup, rosas_browser: Client, rosa: User) -> None:
    rosas_browser.post(MOVE, OPEN)
    assert not SetupWork.objects.filter(setup=setup).exists(), "no worker is asked for what is refused at once"
    make_study(setup=setup, by=rosa)
    rosas_browser.post(MOVE, OPEN)
    changes.change(setup=setup, values={("tasks", 0, "k"): 2}, base=setup.revision, by=rosa)
    jobs.work_on_setup(SetupWork.objects.get(setup=setup).pk)
    assert Study.objects.get(pk=setup.study_id).state == "draft"
    assert "The study was not opened" in page(rosas_browser, live="1")
    assert "The set-up was changed since it was last checked." in page(rosas_browser)


def test_problems_are_listed_until_the_form_changes(setup: Setup, rosas_browser: Client, rosa: User) -> None:
    setup = changes.change(setup=setup, values={("tasks", 0, "set_size"): 0}, base=setup.revision, by=rosa).setup
    jobs.work_on_setup(asked(rosas_browser, setup).pk)
    assert "1 problem" in page(rosas_browser)
    assert Task.objects.get(study=setup.study, until=None).k == 3
    changes.change(setup=setup, values={("tasks", 0, "set_size"): 5}, base=setup.revision, by=rosa)
    assert "1 problem" not in page(rosas_browser)


def test_a_form_that_is_changed_meanwhile_is_not_stored(setup: Setup, rosas_browser: Client, rosa: User) -> None:
    check = asked(rosas_browser, setup)

    def change(phase: str) -> None:
        if phase == "storing":
            changes.change(setup=setup, values={("tasks", 0, "k"): 5}, base=setup.revision, by=rosa)

    with pytest.raises(changes.ChangedMeanwhile):
        make_study_in_steps(setup=setup, by=rosa, report=change, made=lambda _loaded: None)
    assert Task.objects.get(study=setup.study, until=None).k == 3
    jobs.work_on_setup(check.pk)
    assert Task.objects.get(study=setup.study, until=None).k == 5, "the worker reads the form when it begins"


def test_problems_of_a_form_that_was_changed_before_the_worker_began_are_listed(
    setup: Setup, rosas_browser: Client, rosa: User
) -> None:
    check = asked(rosas_browser, setup)
    changes.change(setup=setup, values={("tasks", 0, "set_size"): 0}, base=setup.revision, by=rosa)
    jobs.work_on_setup(check.pk)
    assert "1 problem" in page(rosas_browser)


def test_a_later_success_leaves_no_refusal(setup: Setup, rosas_browser: Client, rosa: User) -> None:
    check = asked(rosas_browser, setup)
    SetupWork.objects.filter(pk=check.pk).update(state="refused", notes=["The form was changed."])
    assert "The form was changed." in page(rosas_browser)
    make_study(setup=setup, by=rosa)
    assert "The form was changed." not in page(rosas_browser)


def test_a_check_that_nobody_could_do_is_given_up(
    setup: Setup, rosas_browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    check = asked(rosas_browser, setup)
    SetupWork.objects.filter(pk=check.pk).update(asked_at="2020-01-01T00:00Z")
    monkeypatch.setattr(broker, "send", lambda _job, ids, **_rest: list(ids))
    background.WORK.notify_again()
    assert "could not be done within an hour" in page(rosas_browser)
    assert asked(rosas_browser, setup).state == "queued"


def test_asking_twice_is_one_check(setup: Setup, rosas_browser: Client) -> None:
    check = asked(rosas_browser, setup)
    SetupWork.objects.filter(pk=check.pk).update(state="planning")
    assert asked(rosas_browser, setup).state == "planning"


def test_what_a_process_left_is_taken_up_again(
    setup: Setup, rosas_browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    check = asked(rosas_browser, setup)
    SetupWork.objects.filter(pk=check.pk).update(state="storing", asked_at=Now() - timedelta(minutes=5))
    sent: list[int] = []
    monkeypatch.setattr(broker, "send", lambda _job, ids, **_rest: sent.extend(ids))
    background.WORK.notify_again()
    assert sent == [check.pk]
    jobs.work_on_setup(check.pk)
    check.refresh_from_db()
    assert check.state == "done"
    background.WORK.notify_again()
    assert sent == [check.pk], "nobody is told of what is over"


def test_two_workers_do_not_check_the_same(
    setup: Setup, rosas_browser: Client, other_connection: Callable[[str], None]
) -> None:
    check = asked(rosas_browser, setup)
    other_connection(f"SELECT pg_advisory_lock(3, {check.pk})")
    jobs.work_on_setup(check.pk)
    check.refresh_from_db()
    assert check.state == "queued"


@pytest.fixture
def other_connection() -> Iterator[Callable[[str], None]]:
    """Return a function that runs a statement on a connection of its own, which stays open during the test."""
    other = connection.copy()
    yield lambda statement: other.cursor().execute(statement)
    other.close()


def test_an_opened_study_is_not_made_anew(setup: Setup, rosas_browser: Client) -> None:
    check = asked(rosas_browser, setup)
    Study.objects.filter(pk=setup.study.pk).update(state=Study.State.OPEN, current_version=1)
    jobs.work_on_setup(check.pk)
    check.refresh_from_db()
    assert check.state == "refused"
    assert "was opened" in str(refusal_of(check))


def test_who_may_no_longer_change_the_study_is_not_obeyed(setup: Setup, rosas_browser: Client, rosa: User) -> None:
    check = asked(rosas_browser, setup)
    setup.study.memberships.all().delete()
    jobs.work_on_setup(check.pk)
    check.refresh_from_db()
    assert (check.state, check.notes) == (
        "refused",
        ["The person who started this can no longer edit the study. Another editor has to start it again."],
    )
    assert Task.objects.get(study=setup.study, until=None).k == 3


TEXTS = "/admin/studies/example-likert/set-up/texts/"
ROWS = "item,system,output\n" + "".join(f"new-{n},{system},Text {n}.\n" for n in range(20) for system in "ab")


def asked_to_store(browser: Client, content: str = ROWS, mode: str = "replace") -> SetupWork:
    """Upload a table that counts as large, and have it stored on the page."""
    file = SimpleUploadedFile("texts.csv", content.encode())
    token = browser.post(TEXTS, {"action": "upload", "file": file})["Location"].partition("file=")[2]
    uses = {f"use-{n}": name for n, name in enumerate(("item", "system", "output"))}
    chosen = {**uses, "columns": '["item", "system", "output"]', "items": "column", "unused": "leave", "mode": mode}
    checked = browser.post(TEXTS, {"action": "check", "file": token, **chosen}).content.decode()
    n = checked.partition('name="rows" value="')[2].partition('"')[0] or "40"
    assert browser.post(TEXTS, {"action": "store", "file": token, "rows": n, **chosen})["Location"] == TEXTS
    return SetupWork.objects.get(setup__study__slug="example-likert")


def texts_page(browser: Client, **query: str) -> str:
    return browser.get(TEXTS, query).content.decode()


def test_a_worker_stores_texts(setup: Setup, rosas_browser: Client) -> None:
    work = asked_to_store(rosas_browser)
    assert reads.rows_of(setup).count() == 36, "until then, the study keeps the texts that it has"
    assert "Waiting for a background worker." in texts_page(rosas_browser)
    for state, sentence in (("reading", "Step 1 of 2: checking the table."), ("storing", "Step 2 of 2: storing all")):
        SetupWork.objects.filter(pk=work.pk).update(state=state)
        assert sentence in page(rosas_browser, live="1")
        assert sentence in texts_page(rosas_browser)
        assert 'aria-label="Progress of storing the texts"' in texts_page(rosas_browser)
    jobs.work_on_setup(work.pk)
    assert reads.rows_of(setup).count() == 40
    assert "The texts are stored" in page(rosas_browser, live="1")
    assert "Stored: 40 outputs of 20 items by 2 systems." in texts_page(rosas_browser)
    jobs.work_on_setup(work.pk)
    assert reads.rows_of(setup).count() == 40, "a message that comes twice stores nothing twice"
    assert "Stored: 40" not in page(rosas_browser), "Review is about the check"


def test_a_check_and_the_texts_wait_for_each_other(setup: Setup, rosas_browser: Client) -> None:
    asked_to_store(rosas_browser)
    answer = rosas_browser.post(PATH, follow=True).content.decode()
    assert "being stored in the background. Try again when they are stored." in answer
    assert "Texts are being stored; see above." in answer
    work = SetupWork.objects.get(setup=setup)
    assert work.kind == "texts"
    jobs.work_on_setup(work.pk)
    asked(rosas_browser, setup)
    asked_to_store(rosas_browser)
    assert "Everything is being checked in the background." in texts_page(rosas_browser)
    assert SetupWork.objects.get(setup=setup).kind == "check"


def test_texts_that_do_not_fit_or_are_gone_are_not_stored(
    setup: Setup, rosas_browser: Client, rosa: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    twice = asked_to_store(rosas_browser, ROWS + "new-1,a,Again.\n")
    jobs.work_on_setup(twice.pk)
    refused = texts_page(rosas_browser)
    assert "One problem: nothing was stored" in refused
    assert "new-1" in refused
    changes.change(setup=setup, values={("tasks", 0, "k"): 5}, base=setup.revision, by=rosa)
    assert "nothing was stored" not in texts_page(rosas_browser), "the problems are those of an earlier form"
    gone = asked_to_store(rosas_browser)
    for token in default_storage.listdir(f"studies/{setup.study.pk}/imports")[0]:
        uploads.forget(setup.study, token)
    jobs.work_on_setup(gone.pk)
    assert "The uploaded file was deleted after a day. Upload it again." in texts_page(rosas_browser)

    check = TextsUpload.check

    def check_and_change(upload: TextsUpload, setup: Setup) -> CheckedTexts:
        writes.remove_rows(setup=setup, rows=reads.rows_of(setup).filter(number=1), by=rosa)
        return check(upload, setup)

    monkeypatch.setattr(TextsUpload, "check", check_and_change)
    jobs.work_on_setup(asked_to_store(rosas_browser, mode="add").pk)
    assert "The form or a table was changed meanwhile, so nothing was stored." in texts_page(rosas_browser)
    assert reads.rows_of(setup).count() == 35


def test_work_that_was_given_up_and_asked_for_anew_stores_nothing(
    setup: Setup, rosas_browser: Client, rosa: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = asked_to_store(rosas_browser)
    check = TextsUpload.check

    def check_for_an_hour(upload: TextsUpload, setup: Setup) -> CheckedTexts:
        SetupWork.objects.filter(pk=work.pk).update(asked_at=Now() - timedelta(hours=2), state="refused")
        asked(rosas_browser, setup)
        return check(upload, setup)

    monkeypatch.setattr(TextsUpload, "check", check_for_an_hour)
    jobs.work_on_setup(work.pk)
    newer = SetupWork.objects.get(setup=setup)
    assert (newer.pk, newer.kind, newer.state, newer.notes) == (work.pk, "check", "queued", [])
    assert reads.rows_of(setup).count() == 36


def test_work_that_a_worker_is_doing_is_not_given_up(
    setup: Setup, rosas_browser: Client, other_connection: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    check = asked(rosas_browser, setup)
    SetupWork.objects.filter(pk=check.pk).update(asked_at="2020-01-01T00:00Z", state="planning")
    monkeypatch.setattr(broker, "send", lambda _job, ids, **_rest: list(ids))
    other_connection(f"SELECT pg_advisory_lock(3, {check.pk})")
    background.WORK.notify_again()
    check.refresh_from_db()
    assert check.state == "planning"


@pytest.mark.parametrize("error", [OSError("read-only"), SoftTimeLimitExceeded()])
def test_texts_whose_file_cannot_be_deleted_are_stored_all_the_same(
    setup: Setup, rosas_browser: Client, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*_args: object) -> None:
        raise error

    work = asked_to_store(rosas_browser)
    monkeypatch.setattr(uploads, "forget", fail)
    jobs.work_on_setup(work.pk)
    assert "Stored: 40 outputs of 20 items by 2 systems." in texts_page(rosas_browser)
    assert reads.rows_of(setup).count() == 40


def test_a_query_that_takes_too_long_is_not_tried_again(
    setup: Setup, rosas_browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def take_long(_upload: TextsUpload, _setup: Setup) -> CheckedTexts:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL statement_timeout = 1")
            cursor.execute("SELECT pg_sleep(60)")
        raise AssertionError

    work = asked_to_store(rosas_browser)
    with monkeypatch.context() as patched:
        patched.setattr(TextsUpload, "check", take_long)
        jobs.work_on_setup(work.pk)
    assert "A database query took longer than this server allows." in texts_page(rosas_browser)


def test_a_connection_that_is_lost_leaves_the_work_to_be_done_later(
    setup: Setup, rosas_browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lose(**_given: object) -> None:
        raise InterfaceError("connection already closed")

    check = asked(rosas_browser, setup)
    monkeypatch.setattr(background, "make_study_in_steps", lose)
    jobs.work_on_setup(check.pk)
    check.refresh_from_db()
    assert check.state == "reading"


def test_a_worker_that_is_stopped_after_the_study_was_made_has_done_its_work(
    setup: Setup, rosas_browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def make_and_stop(**given: Any) -> None:
        make_study_in_steps(**given)
        raise SoftTimeLimitExceeded

    check = asked(rosas_browser, setup)
    monkeypatch.setattr(background, "make_study_in_steps", make_and_stop)
    jobs.work_on_setup(check.pk)
    assert "All settings and texts fit together, and the study is up to date with the form." in page(rosas_browser)
