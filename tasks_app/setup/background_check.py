"""Check a large set-up in the background, since a page would have to wait for a minute.

What is to be done is a row. A worker holds a lock of its connection while it works on it, so that nobody else does, and
whoever is notified next goes on where a process has died.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Any

from celery.exceptions import SoftTimeLimitExceeded
from django.db import InterfaceError, OperationalError, connection
from django.db.models.functions import Now
from django.http import Http404
from django.utils import translation
from django.utils.translation import gettext as _

from tasks_app import access
from tasks_app.models import Membership, Setup, SetupCheck
from tasks_app.services import broker, events
from tasks_app.services.database import SETUP_CHECKS, atomically
from tasks_app.services.study.drafts import NotADraft
from tasks_app.setup import changes, texts
from tasks_app.setup.checking import make_study_in_steps
from tasks_app.studyfile.problems import Problem, StudyFileError

JOB = "tasks_app.jobs.check_setup"

# Up to so many texts, a page waits for the check: about three seconds.
TEXTS_AT_ONCE = 5_000

# Seconds after which workers are notified again.
AGAIN = 60

# Seconds after which a check is given up.
GIVEN_UP = 3_600

State = SetupCheck.State

log = logging.getLogger(__name__)


def is_long(setup: Setup) -> bool:
    """Return whether a page should not wait for the check."""
    return texts.rows_of(setup).count() > TEXTS_AT_ONCE


def ask(*, setup: Setup, by: events.Actor) -> SetupCheck:
    """Have a worker check the whole set-up and make the study of it; one that is under way goes on instead."""
    check, is_new = _note(setup=setup, by=by)
    if is_new:
        broker.send(JOB, [check.pk])
    return check


@atomically
def _note(*, setup: Setup, by: events.Actor) -> tuple[SetupCheck, bool]:
    setup = changes.hold(setup)
    check = SetupCheck.objects.filter(setup=setup).first()
    if check is not None and check.is_under_way:
        return check, False
    values: dict[str, Any] = {
        "revision": setup.revision,
        "state": State.QUEUED,
        "by_id": getattr(by, "pk", None),
        "problems": [],
        "n_more": 0,
        "notes": [],
    }
    check, _is_created = SetupCheck.objects.update_or_create(setup=setup, defaults={**values, "asked_at": Now()})
    return check, True


def notify_again() -> None:
    """Notify workers of checks that are waiting for a while: nobody heard of them, or a process died.

    What could not be done within an hour is given up, so that it can be asked for again.
    """
    open_states = (State.QUEUED, State.READING, State.PLANNING, State.STORING)
    waiting = SetupCheck.objects.filter(state__in=open_states, asked_at__lt=Now() - timedelta(seconds=AGAIN))
    waiting.filter(asked_at__lt=Now() - timedelta(seconds=GIVEN_UP)).update(
        state=State.REFUSED, notes=[_("The check could not be done within an hour. Nothing was changed. Try it again.")]
    )
    broker.send(JOB, waiting.values_list("pk", flat=True), expires=AGAIN)


def work(check_id: int) -> None:
    """Do a check that was asked for, unless it is over or another process is doing it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s, %s)", [SETUP_CHECKS, check_id])
        is_mine = cursor.fetchone()[0]
    if not is_mine:
        return
    try:
        check = SetupCheck.objects.select_related("setup__study", "by").filter(pk=check_id).first()
        if check is not None and check.is_under_way:
            _work(check)
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(%s, %s)", [SETUP_CHECKS, check_id])


def _work(check: SetupCheck) -> None:
    """Do it, and write down what became of it."""

    def report(state: str) -> None:
        SetupCheck.objects.filter(pk=check.pk).update(state=state)

    check.revision = check.setup.revision
    report(State.READING)
    try:
        if check.by is None:
            raise Http404
        access.study_for_researcher(check.by, check.setup.study.slug, Membership.Role.EDITOR)
        with translation.override("en"):
            _study, loaded = make_study_in_steps(setup=check.setup, by=check.by, report=report)
    except StudyFileError as refusal:
        check.state, check.n_more = State.REFUSED, refusal.more
        check.problems = [
            [one.file, one.line, one.column, one.message, one.count, one.places] for one in refusal.problems
        ]
    except Http404:
        check.state = State.REFUSED
        check.notes = [
            _("The person who started this check can no longer edit the study. Another editor has to start it again.")
        ]
    except NotADraft as refusal:
        check.state, check.notes = State.REFUSED, [str(refusal)]
    except changes.ChangedMeanwhile:
        check.state = State.REFUSED
        check.notes = [_("The form or a table was changed while everything was checked. Check everything again.")]
    except (OperationalError, InterfaceError):
        # Another transaction was in the way, or the server is away: it is still to be done.
        raise
    except SoftTimeLimitExceeded:
        check.state = State.REFUSED
        check.notes = [_("The check took longer than a background worker may take. Nothing was changed.")]
    except Exception:
        log.exception("The check of the set-up of %s failed", check.setup.study.slug)
        check.state = State.REFUSED
        check.notes = [_("An error occurred on the server. Nothing was changed. Try it again.")]
    else:
        check.state = State.DONE
        check.notes = [*loaded.notes, *filter(None, [loaded.load])]
    check.save(update_fields=["state", "problems", "n_more", "notes", "revision"])


def refusal_of(check: SetupCheck) -> StudyFileError | None:
    """Return the problems of a check; None where it found none."""
    problems = [
        Problem(file, line, column, message, count, tuple((at[0], at[1]) for at in places))
        for file, line, column, message, count, places in check.problems
    ]
    return StudyFileError(problems, check.n_more) if problems else None
