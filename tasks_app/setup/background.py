"""Work on a large set-up in the background, for which no page should wait: check everything, store texts, or open.

The work is a row, and how workers take rows is in `tasks_app.services.background`.
"""

import logging
from collections.abc import Callable, Mapping
from typing import Any

from django.db.models.functions import Now
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app.designs.base import PlanImpossible
from tasks_app.hooks.sections import Json
from tasks_app.models import Membership, Output, Setup, SetupWork, Study, Version
from tasks_app.services import events
from tasks_app.services.background import BackgroundWork, Busy
from tasks_app.services.database import SETUP_WORKS, atomically
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

# Most texts for which a page waits: about three seconds for a check.
TEXTS_AT_ONCE = 5_000

State, Kind = SetupWork.State, SetupWork.Kind

log = logging.getLogger(__name__)


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
        WORK.send(work)
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


def _check(row: SetupWork, report: Report) -> None:
    """Check the whole set-up and make the study of it, in one transaction with notes on its findings; or open it."""
    if row.opens:
        report(State.PLANNING)
        frozen_setup(_open(row=row))  # made now, so that the first page that shows it does not wait
        return

    def end(loaded: Loaded) -> None:
        WORK.done(row, notes=[*loaded.notes, *filter(None, [loaded.load])])

    make_study_in_steps(setup=row.setup, by=row.by, report=report, made=end)


@atomically
def _open(*, row: SetupWork) -> Version:
    """Open the study and mark the work as done in one transaction; return the version that opening froze."""
    study = opening.move(study_id=row.setup.study_id, action="open", by=row.by, reason=row.given["reason"])
    WORK.done(row, notes=())
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
    WORK.done(row, notes=notes, revision=stored.revision)


_DO: Mapping[str, Callable[[SetupWork, Report], None]] = {Kind.CHECK: _check, Kind.TEXTS: _store_texts}


def _do(row: SetupWork) -> None:
    """Do the work of a row, and write down which revision of the set-up was read, and how far it is."""

    def report(state: str) -> None:
        WORK.update(row, state=state)

    row.revision = row.setup.revision
    WORK.update(row, revision=row.revision)
    try:
        _DO[Kind(row.kind)](row, report)
    except changes.ChangedMeanwhile:
        raise NotPossible(
            _("The form or a table was changed meanwhile, so nothing was stored. Start it again.")
        ) from None


WORK = BackgroundWork(
    model=SetupWork, related=("setup__study",), job="tasks_app.jobs.work_on_setup", lock=SETUP_WORKS,
    begins=State.READING, study=lambda row: row.setup.study, do=_do, role=lambda _row: Membership.Role.EDITOR,
    not_allowed=gettext_lazy(
        "The person who started this can no longer edit the study. Another editor has to start it again."
    ),
    too_long=gettext_lazy("This took longer than a background worker may take. Nothing was changed."),
    refusals=(NotADraft, UploadGone, PlanImpossible),
    tells=False,
)  # fmt: skip
