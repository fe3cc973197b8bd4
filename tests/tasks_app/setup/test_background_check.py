"""The check of a large set-up: asked for on Review, done by a worker, told when it is over."""

from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models.functions import Now
from django.test import Client

from tasks_app import jobs, studyfile
from tasks_app.models import Setup, SetupCheck, Study, Task
from tasks_app.setup import background_check, changes
from tasks_app.setup.checking import make_study, make_study_in_steps

pytestmark = pytest.mark.django_db

PATH = "/admin/studies/example-likert/set-up/review/"


@pytest.fixture
def setup(rosa: User, monkeypatch: pytest.MonkeyPatch) -> Setup:
    """A draft that counts as large, with a change that was not checked yet."""
    monkeypatch.setattr(background_check, "TEXTS_AT_ONCE", 10)
    draft = studyfile.load("examples/likert", owner=rosa)
    return changes.change(setup=changes.begin(draft), values={("tasks", 0, "k"): 4}, base=0, by=rosa).setup


def asked(browser: Client, setup: Setup) -> SetupCheck:
    """Ask for the check on the page."""
    assert browser.post(PATH).status_code == 302
    return SetupCheck.objects.get(setup=setup)


def page(browser: Client, **query: str) -> str:
    return browser.get(PATH, query).content.decode()


def test_a_worker_makes_the_study(setup: Setup, rosas_browser: Client) -> None:
    check = asked(rosas_browser, setup)
    assert Task.objects.get(study=setup.study, until=None).k == 3
    assert "Waiting for a background worker." in page(rosas_browser)
    jobs.check_setup(check.pk)
    assert Task.objects.get(study=setup.study, until=None).k == 4
    assert "All checks passed." in page(rosas_browser, live="1")
    whole = page(rosas_browser)
    assert "Everything has been checked, and the study matches the form." in whole
    assert "Open the study now" in page(rosas_browser, opening="1")
    assert Setup.objects.get(pk=setup.pk).is_stored


def test_each_step_is_told_while_it_is_done(setup: Setup, rosas_browser: Client) -> None:
    check = asked(rosas_browser, setup)
    for state, sentence in (
        ("reading", "Step 1 of 3: reading the tables."),
        ("planning", "Step 2 of 3: drawing the plan."),
        ("storing", "Step 3 of 3: storing the study."),
    ):
        SetupCheck.objects.filter(pk=check.pk).update(state=state)
        assert sentence in page(rosas_browser, live="1")
    reported: list[str] = []
    make_study_in_steps(setup=setup, by=check.by, report=reported.append)
    assert reported == ["planning", "storing"]


def test_problems_are_listed_until_the_form_changes(setup: Setup, rosas_browser: Client, rosa: User) -> None:
    setup = changes.change(setup=setup, values={("tasks", 0, "set_size"): 0}, base=setup.revision, by=rosa).setup
    jobs.check_setup(asked(rosas_browser, setup).pk)
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
        make_study_in_steps(setup=setup, by=rosa, report=change)
    assert Task.objects.get(study=setup.study, until=None).k == 3
    jobs.check_setup(check.pk)
    assert Task.objects.get(study=setup.study, until=None).k == 5, "the worker reads the form when it begins"


def test_problems_of_a_form_that_was_changed_before_the_worker_began_are_listed(
    setup: Setup, rosas_browser: Client, rosa: User
) -> None:
    check = asked(rosas_browser, setup)
    changes.change(setup=setup, values={("tasks", 0, "set_size"): 0}, base=setup.revision, by=rosa)
    jobs.check_setup(check.pk)
    assert "1 problem" in page(rosas_browser)


def test_a_later_success_leaves_no_refusal(setup: Setup, rosas_browser: Client, rosa: User) -> None:
    check = asked(rosas_browser, setup)
    SetupCheck.objects.filter(pk=check.pk).update(state="refused", notes=["The form was changed."])
    assert "The form was changed." in page(rosas_browser)
    make_study(setup=setup, by=rosa)
    assert "The form was changed." not in page(rosas_browser)


def test_a_check_that_nobody_could_do_is_given_up(
    setup: Setup, rosas_browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    check = asked(rosas_browser, setup)
    SetupCheck.objects.filter(pk=check.pk).update(asked_at="2020-01-01T00:00Z")
    monkeypatch.setattr(background_check.broker, "send", lambda _job, ids, **_rest: list(ids))
    background_check.notify_again()
    assert "could not be done within an hour" in page(rosas_browser)
    assert asked(rosas_browser, setup).state == "queued"


def test_asking_twice_is_one_check(setup: Setup, rosas_browser: Client) -> None:
    check = asked(rosas_browser, setup)
    SetupCheck.objects.filter(pk=check.pk).update(state="planning")
    assert asked(rosas_browser, setup).state == "planning"


def test_what_a_process_left_is_taken_up_again(
    setup: Setup, rosas_browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    check = asked(rosas_browser, setup)
    SetupCheck.objects.filter(pk=check.pk).update(state="storing", asked_at=Now() - timedelta(minutes=5))
    sent: list[int] = []
    monkeypatch.setattr(background_check.broker, "send", lambda _job, ids, **_rest: sent.extend(ids))
    background_check.notify_again()
    assert sent == [check.pk]
    jobs.check_setup(check.pk)
    check.refresh_from_db()
    assert check.state == "done"
    background_check.notify_again()
    assert sent == [check.pk], "nobody is told of what is over"


def test_two_workers_do_not_check_the_same(
    setup: Setup, rosas_browser: Client, other_connection: Callable[[str], None]
) -> None:
    check = asked(rosas_browser, setup)
    other_connection(f"SELECT pg_advisory_lock(3, {check.pk})")
    jobs.check_setup(check.pk)
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
    jobs.check_setup(check.pk)
    check.refresh_from_db()
    assert check.state == "refused"
    assert "was opened" in str(background_check.refusal_of(check))


def test_who_may_no_longer_change_the_study_is_not_obeyed(setup: Setup, rosas_browser: Client, rosa: User) -> None:
    check = asked(rosas_browser, setup)
    setup.study.memberships.all().delete()
    jobs.check_setup(check.pk)
    check.refresh_from_db()
    assert (check.state, check.notes) == (
        "refused",
        ["The person who started this check can no longer edit the study. Another editor has to start it again."],
    )
    assert Task.objects.get(study=setup.study, until=None).k == 3
