"""Compute scores of metrics in the background: a worker computes and stores them, and says how far it is.

The computation is a row, and how workers take rows is in `tasks_app.services.background`.
"""

from typing import Any

from django.db.models.functions import Now
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analytics_app.models import ScoreWork
from analytics_app.services.computing.request import Request
from analytics_app.services.computing.scores import CannotCompute, compute_scores
from analytics_app.services.uploads.flow import Uploaded
from tasks_app.models import Membership, Study
from tasks_app.services import events
from tasks_app.services.background import BackgroundWork, Busy
from tasks_app.services.database import SCORE_WORKS, atomically
from tasks_app.services.progress import Progress

State = ScoreWork.State


def ask(*, study: Study, request: Request, by: events.Actor) -> ScoreWork:
    """Have a worker compute scores; the same computation that is under way goes on. Raises Busy where another is."""
    work, is_new = _note(study_id=study.pk, request=request, by=by)
    if is_new:
        WORK.send(work)
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


def _compute(row: ScoreWork) -> None:
    """Store the scores and that they are stored in one transaction: a worker that dies afterwards repeats nothing."""

    def done(stored: Uploaded) -> None:
        WORK.done(row, notes=stored.notes, summary=stored.summary[:200])

    request = Request.read(row.given)
    with Progress(row) as progress:
        compute_scores(study=row.study, request=request, by=row.by, tell=progress.tell, stored=done)


WORK = BackgroundWork(
    model=ScoreWork, related=("study",), job="analytics_app.jobs.compute_scores", lock=SCORE_WORKS,
    begins=State.WORKING, study=lambda row: row.study, do=_compute, role=lambda _row: Membership.Role.EDITOR,
    not_allowed=gettext_lazy(
        "The person who asked for this may no longer edit the study. Another editor has to ask for it."
    ),
    too_long=gettext_lazy(
        "This took longer than a background worker may take. Nothing was stored. Compute fewer metrics at a time, "
        "or use the command compute_scores, which has no limit."
    ),
    refusals=(CannotCompute,),
)  # fmt: skip
