"""Compute scores of metrics in the background: a worker computes and stores them, and says how far it is.

The computation is a row. A worker holds a lock of its connection while it computes, so that nobody else does the same,
and stores everything in one transaction: a worker that dies leaves nothing, and the next one begins anew.
"""

import logging
from datetime import timedelta
from typing import Any

from celery.exceptions import SoftTimeLimitExceeded
from django.db import InterfaceError, OperationalError
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.http import Http404
from django.utils import translation
from django.utils.translation import gettext as _

from analytics_app.models import ScoreWork
from analytics_app.services.computing.request import Request
from analytics_app.services.computing.scores import CannotCompute, compute_scores
from analytics_app.services.uploads.flow import Uploaded
from tasks_app import access
from tasks_app.models import Membership, Study
from tasks_app.services import broker, events
from tasks_app.services.database import SCORE_WORKS, atomically, held_alone, is_free, is_timeout
from tasks_app.services.progress import Progress
from tasks_app.services.study.lifecycle import NotPossible

JOB = "analytics_app.jobs.compute_scores"

# Seconds after which workers are notified again, and after which a computation that no worker does is given up.
AGAIN, GIVEN_UP = 60, 3_600

State = ScoreWork.State
UNDER_WAY = (State.QUEUED, State.WORKING)

log = logging.getLogger(__name__)


class Busy(Exception):
    """A worker is computing other scores of the study."""


class _Superseded(Exception):
    """The computation was given up meanwhile, and may have been asked for anew: this worker must store nothing."""


def ask(*, study: Study, request: Request, by: events.Actor) -> ScoreWork:
    """Have a worker compute scores; the same computation that is under way goes on. Raises Busy where another is."""
    work, is_new = _note(study_id=study.pk, request=request, by=by)
    if is_new:
        broker.send(JOB, [work.pk])
    return work


@atomically
def _note(*, study_id: int, request: Request, by: events.Actor) -> tuple[ScoreWork, bool]:
    study = Study.objects.select_for_update().get(pk=study_id)
    given = request.given
    work = ScoreWork.objects.filter(study=study).first()
    if work is not None and work.is_under_way:
        if work.given != given:
            raise Busy(_("Other scores of this study are being computed. Wait until that is done."))
        return work, False
    values: dict[str, Any] = {
        "given": given, "state": State.QUEUED, "by_id": getattr(by, "pk", None), "progress": "", "summary": "",
        "notes": [],
    }  # fmt: skip
    work, _is_created = ScoreWork.objects.update_or_create(study=study, defaults={**values, "asked_at": Now()})
    return work, True


def notify_again() -> None:
    """Notify workers of computations that have been waiting for a while: nobody heard of them, or a process died.

    Those that no worker is doing after an hour are given up, so that they can be asked for again.
    """
    waiting = ScoreWork.objects.filter(state__in=UNDER_WAY, asked_at__lt=Now() - timedelta(seconds=AGAIN))
    for row in waiting.filter(asked_at__lt=Now() - timedelta(seconds=GIVEN_UP)):
        _give_up(row=row)
    broker.send(JOB, waiting.values_list("pk", flat=True), expires=AGAIN)


@atomically
def _give_up(*, row: ScoreWork) -> None:
    if is_free(SCORE_WORKS, row.pk):
        _refuse(row, _("This could not be done within an hour. Nothing was stored. Try it again."))


def _unless_superseded(row: ScoreWork) -> QuerySet[ScoreWork]:
    """Select the row as long as it is the request that was read, and not over."""
    return ScoreWork.objects.filter(pk=row.pk, asked_at=row.asked_at, state__in=UNDER_WAY)


def work(work_id: int) -> None:
    """Compute the scores of a row, unless it is over or another process is doing it."""
    with held_alone(SCORE_WORKS, work_id) as is_mine:
        row = ScoreWork.objects.select_related("study", "by").filter(pk=work_id).first() if is_mine else None
        if row is not None and row.is_under_way:
            _work(row)


def _work(row: ScoreWork) -> None:
    """Compute and store the scores of a row, and write down the outcome."""
    try:
        if not _unless_superseded(row).update(state=State.WORKING):
            raise _Superseded
        if row.by is None:
            raise Http404
        access.study_for_researcher(row.by, row.study.slug, Membership.Role.EDITOR)
        with translation.override("en"):
            _compute(row)
    except _Superseded:
        log.info("The scores of %s were given up before they were computed", row.study.slug)
    except Http404:
        _refuse(row, _("The person who asked for this may no longer edit the study. Another editor has to."))
    except (CannotCompute, NotPossible) as refusal:
        _refuse(row, str(refusal))
    except (OperationalError, InterfaceError) as error:
        if not is_timeout(error):
            # Another transaction was in the way, or the server is away: it is still to be done.
            raise
        _refuse(row, _("A database query took longer than this server allows. Nothing was stored."))
    except SoftTimeLimitExceeded:
        sentence = _(
            "This took longer than a background worker may take. Nothing was stored. Compute fewer metrics at a time, "
            "or use the command compute_scores, which has no limit."
        )
        _refuse(row, sentence)
    except Exception:
        log.exception("Computing the scores of %s failed", row.study.slug)
        _refuse(row, _("An error occurred on the server. Nothing was stored. Try it again."))


def _refuse(row: ScoreWork, sentence: str) -> None:
    """Write down why no scores were stored, unless the computation is over already."""
    _unless_superseded(row).update(state=State.REFUSED, progress="", notes=[sentence])


def _compute(row: ScoreWork) -> None:
    """Store the scores and that they are stored in one transaction: a worker that dies afterwards repeats nothing."""

    def done(stored: Uploaded) -> None:
        values = {"state": State.DONE, "progress": "", "summary": stored.summary[:200], "notes": list(stored.notes)}
        if not _unless_superseded(row).update(**values):
            raise _Superseded

    request = Request.read(row.given)
    with Progress(row) as progress:
        compute_scores(study=row.study, request=request, by=row.by, tell=progress.tell, stored=done)
