"""Work on a large set-up in the background, for which no page should wait: check everything, store texts, or open.

The work is a row. A worker holds a lock of its connection while it works on it, so that nobody else does, and the next
worker to be notified goes on where a process has died.
"""

import logging
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from celery.exceptions import SoftTimeLimitExceeded
from django.db import InterfaceError, OperationalError
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.http import Http404
from django.utils import translation
from django.utils.translation import gettext as _

from tasks_app import access
from tasks_app.designs.base import PlanImpossible
from tasks_app.hooks.sections import Json
from tasks_app.models import Membership, Output, Setup, SetupWork, Study, Version
from tasks_app.services import broker, events
from tasks_app.services.database import SETUP_WORKS, atomically, held_alone, is_free, is_timeout
from tasks_app.services.study import opening
from tasks_app.services.study.drafts import NotADraft
from tasks_app.services.study.lifecycle import NotPossible
from tasks_app.setup import changes
from tasks_app.setup.checking import make_study_in_steps
from tasks_app.setup.frozen import current_version, frozen_setup
from tasks_app.setup.tables.checking import CheckedTexts
from tasks_app.setup.texts import reads
from tasks_app.setup.texts.upload import TextsUpload, UploadGone
from tasks_app.studyfile.checking import Loaded, Report
from tasks_app.studyfile.problems import Problem, StudyFileError

JOB = "tasks_app.jobs.work_on_setup"

# Most texts for which a page waits: about three seconds for a check.
TEXTS_AT_ONCE = 5_000

# Seconds after which workers are notified again.
AGAIN = 60

# Seconds after which work is given up.
GIVEN_UP = 3_600

State, Kind = SetupWork.State, SetupWork.Kind

UNDER_WAY = (State.QUEUED, State.READING, State.PLANNING, State.STORING)

log = logging.getLogger(__name__)


class Busy(Exception):
    """A worker is doing something else with the set-up."""


class _Superseded(Exception):
    """The work was given up meanwhile, and may have been asked for anew: this worker must store nothing."""


def is_long(setup: Setup) -> bool:
    """Return whether a page should not wait for the check."""
    return reads.rows_of(setup).count() > TEXTS_AT_ONCE


def opens_long(study: Study) -> bool:
    """Return whether a page should not wait until the study is open."""
    return Output.objects.filter(item__study=study, until=None).count() > TEXTS_AT_ONCE


def ask_for_check(*, setup: Setup, by: events.Actor) -> SetupWork:
    """Have a worker check the whole set-up and make the study of it; one that is under way goes on instead.

    Raises Busy where a worker stores texts, and NotADraft.
    """
    return _ask(setup, Kind.CHECK, {}, by)


def ask_to_open(*, setup: Setup, by: events.Actor, reason: str) -> SetupWork:
    """Have a worker open the study, as `opening.move` does, with its reason. Raises Busy and NotADraft."""
    return _ask(setup, Kind.CHECK, {"opens": True, "reason": reason}, by)


def ask_to_store(*, setup: Setup, upload: TextsUpload, by: events.Actor) -> SetupWork:
    """Have a worker check an uploaded table of texts and store it. Raises Busy and NotADraft."""
    return _ask(setup, Kind.TEXTS, upload.to_store(), by)


def _ask(setup: Setup, kind: str, given: Mapping[str, Json], by: events.Actor) -> SetupWork:
    work, is_new = _note(setup=setup, kind=kind, given=given, by=by)
    if is_new:
        broker.send(JOB, [work.pk])
    return work


@atomically
def _note(*, setup: Setup, kind: str, given: Mapping[str, Json], by: events.Actor) -> tuple[SetupWork, bool]:
    setup = changes.hold(setup)
    work = SetupWork.objects.filter(setup=setup).first()
    if work is not None and work.is_under_way:
        if (work.kind, work.given) != (kind, given):
            raise Busy(
                _("The texts of this study are being stored in the background. Try again when they are stored.")
                if work.kind == Kind.TEXTS
                else _("The study is being opened in the background. Wait until it is open.")
                if work.opens
                else _("Everything is being checked in the background. Wait until the check is over.")
            )
        return work, False
    values: dict[str, Any] = {
        "kind": kind,
        "given": given,
        "revision": setup.revision,
        "state": State.QUEUED,
        "by_id": getattr(by, "pk", None),
        "problems": [],
        "n_more": 0,
        "notes": [],
    }
    work, _is_created = SetupWork.objects.update_or_create(setup=setup, defaults={**values, "asked_at": Now()})
    return work, True


def notify_again() -> None:
    """Notify workers of work that is waiting for a while: nobody heard of them, or a process died.

    What could not be done within an hour is given up, so that it can be asked for again, unless a worker is doing it.
    """
    waiting = SetupWork.objects.filter(state__in=UNDER_WAY, asked_at__lt=Now() - timedelta(seconds=AGAIN))
    for row in waiting.filter(asked_at__lt=Now() - timedelta(seconds=GIVEN_UP)):
        _give_up(row=row)
    broker.send(JOB, waiting.values_list("pk", flat=True), expires=AGAIN)


@atomically
def _give_up(*, row: SetupWork) -> None:
    if is_free(SETUP_WORKS, row.pk):
        sentence = _("This could not be done within an hour. Nothing was changed. Try it again.")
        _unless_superseded(row).update(state=State.REFUSED, notes=[sentence])


def _unless_superseded(row: SetupWork) -> QuerySet[SetupWork]:
    """Select the row as long as it is the request that was read, and not over."""
    return SetupWork.objects.filter(pk=row.pk, asked_at=row.asked_at, state__in=UNDER_WAY)


def work(work_id: int) -> None:
    """Do the work of a row, unless it is over or another process is doing it."""
    with held_alone(SETUP_WORKS, work_id) as is_mine:
        row = SetupWork.objects.select_related("setup__study", "by").filter(pk=work_id).first() if is_mine else None
        if row is not None and row.is_under_way:
            _work(row)


def _work(row: SetupWork) -> None:
    """Do the work of a row, and write down its outcome."""

    def report(state: str) -> None:
        if not _unless_superseded(row).update(state=state):
            raise _Superseded

    row.revision = row.setup.revision
    try:
        report(State.READING)
        if row.by is None:
            raise Http404
        access.study_for_researcher(row.by, row.setup.study.slug, Membership.Role.EDITOR)
        with translation.override("en"):
            _DO[Kind(row.kind)](row, report)
    except _Superseded:
        log.info("Work on the set-up of %s was given up before it was over", row.setup.study.slug)
    except StudyFileError as refusal:
        problems = [
            [problem.file, problem.line, problem.column, problem.message, problem.count, problem.places]
            for problem in refusal.problems
        ]
        _refuse(row, problems=problems, n_more=refusal.more)
    except Http404:
        _refuse(
            row, _("The person who started this can no longer edit the study. Another editor has to start it again.")
        )
    except (NotADraft, UploadGone, NotPossible, PlanImpossible) as refusal:
        _refuse(row, str(refusal))
    except changes.ChangedMeanwhile:
        _refuse(row, _("The form or a table was changed meanwhile, so nothing was stored. Start it again."))
    except (OperationalError, InterfaceError) as error:
        if not is_timeout(error):
            # Another transaction was in the way, or the server is away: it is still to be done.
            raise
        _refuse(row, _("A database query took longer than this server allows. Nothing was changed."))
    except SoftTimeLimitExceeded:
        _refuse(row, _("This took longer than a background worker may take. Nothing was changed."))
    except Exception:
        log.exception("Work on the set-up of %s failed", row.setup.study.slug)
        _refuse(row, _("An error occurred on the server. Nothing was changed. Try it again."))


def _refuse(row: SetupWork, *sentences: str, **values: Any) -> None:
    """Write down why the work was refused, unless it is over already."""
    _unless_superseded(row).update(state=State.REFUSED, revision=row.revision, notes=sentences, **values)


def _check(row: SetupWork, report: Report) -> None:
    """Check the whole set-up and make the study of it, in one transaction with notes on its findings; or open it."""
    if row.opens:
        report(State.PLANNING)
        frozen_setup(_open(row=row))  # made now, so that the first page that shows it does not wait
        return

    def end(loaded: Loaded) -> None:
        _done(row, row.revision, [*loaded.notes, *filter(None, [loaded.load])])

    make_study_in_steps(setup=row.setup, by=row.by, report=report, made=end)


@atomically
def _open(*, row: SetupWork) -> Version:
    """Open the study and mark the work as done in one transaction; return the version that opening froze."""
    study = opening.move(study_id=row.setup.study_id, action="open", by=row.by, reason=row.given["reason"])
    _done(row, row.revision, [])
    return current_version(study)


def _store_texts(row: SetupWork, report: Report) -> None:
    """Check an uploaded table of texts and store it, all of it or nothing, with notes on the findings."""
    upload = TextsUpload.stored(row.given)
    checked = upload.check(row.setup)
    if checked.refusal is not None:
        raise checked.refusal
    report(State.STORING)
    _store(row=row, upload=upload, checked=checked)
    try:
        upload.forget(row.setup)
    except Exception:
        # The texts are stored; the file is deleted with later uploads, after a day.
        log.exception("The file of the stored texts of %s could not be deleted", row.setup.study.slug)


@atomically
def _store(*, row: SetupWork, upload: TextsUpload, checked: CheckedTexts) -> None:
    """Store texts and that they are stored in one transaction: a process that dies afterwards repeats nothing."""
    setup = changes.hold(row.setup)
    if upload.is_added and setup.revision != row.revision:
        raise changes.ChangedMeanwhile  # the rows that they were checked with may be others
    stored = upload.store(setup, checked, row.by)
    notes = [_("Stored: %(texts)s.") % {"texts": checked.in_words}, *checked.notes]
    _done(row, stored.revision, notes)


def _done(row: SetupWork, revision: int, notes: list[str]) -> None:
    """Mark the work as done, in the transaction that stores its result."""
    if not _unless_superseded(row).update(state=State.DONE, revision=revision, notes=notes):
        raise _Superseded


_DO: Mapping[str, Callable[[SetupWork, Report], None]] = {Kind.CHECK: _check, Kind.TEXTS: _store_texts}


def refusal_of(row: SetupWork) -> StudyFileError | None:
    """Return the problems of refused work; None where it found none."""
    problems = [
        Problem(file, line, column, message, count, tuple((place[0], place[1]) for place in places))
        for file, line, column, message, count, places in row.problems
    ]
    return StudyFileError(problems, row.n_more) if problems else None
