"""Check, open, pause or close many studies: one transaction per study, by the services that do it to a single one.

What is to be done is written in rows first. Whoever works on them takes one study after the other; several processes,
or two people at once, do not disturb each other.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from celery.exceptions import SoftTimeLimitExceeded
from django.db import InterfaceError, OperationalError, transaction
from django.db.models.functions import Now
from django.http import Http404
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tasks_app import access
from tasks_app.designs.base import PlanImpossible
from tasks_app.models import Membership, Output, Project, ProjectStep, ProjectWork, SetupRow, Study
from tasks_app.services import events
from tasks_app.services.database import atomically
from tasks_app.services.study import lifecycle, opening
from tasks_app.services.study.drafts import NotADraft
from tasks_app.setup import changes
from tasks_app.setup.checking import make_study
from tasks_app.setup.texts import reads
from tasks_app.studyfile.problems import StudyFileError

Action = ProjectWork.Action

# A page waits for up to this many studies and texts in all: about three seconds. More of them are left to a worker.
STUDIES_AT_ONCE, TEXTS_AT_ONCE = 40, 5_000

REFUSALS = (lifecycle.NotPossible, PlanImpossible, NotADraft)

log = logging.getLogger(__name__)


@atomically
def begin(*, project: Project, action: str, studies: Sequence[Study], by: events.Actor) -> ProjectWork:
    """Store the action to take on each study of a project; no study is changed yet."""
    work = ProjectWork.objects.create(project=project, action=Action(action), by_id=getattr(by, "pk", None))
    ProjectStep.objects.bulk_create(ProjectStep(work=work, study=study) for study in studies)
    return work


def is_short(action: str, studies: Sequence[Study]) -> bool:
    """Return whether a page can wait for it."""
    if len(studies) > STUDIES_AT_ONCE:
        return False
    if action not in (Action.CHECK, Action.OPEN):
        return True
    rows = SetupRow.objects.filter(setup__study__in=studies, table=reads.TABLE)
    stored = Output.objects.filter(system__study__in=studies)
    n_texts = rows.count() if action == Action.CHECK else stored.count()
    return n_texts <= TEXTS_AT_ONCE


def work_off(work_id: int) -> None:
    """Do the rest of the work, study by study; studies that another process works on are left to it."""
    while _take_step(work_id=work_id):
        pass


@atomically
def _take_step(*, work_id: int) -> bool:
    """Do the next step and store its result, in one transaction; return False if no step remains."""
    waiting = ProjectStep.objects.filter(work=work_id, state=ProjectStep.State.WAITING).order_by("pk")
    step = (
        waiting.select_for_update(skip_locked=True, of=("self",))
        .select_related("work__by", "work__project", "study")
        .first()
    )
    if step is None:
        return False
    step.sentence = _done(step)
    step.state = ProjectStep.State.REFUSED if step.sentence else ProjectStep.State.DONE
    step.ended_at = Now()
    step.save(update_fields=["sentence", "state", "ended_at"])
    return True


def _done(step: ProjectStep) -> str:
    """Do one step; return why it was not possible, and undo it then; return "" for success."""
    by, slug = step.work.by, step.study.slug
    try:
        if by is None or step.study.project_id != step.work.project_id:
            raise Http404
        study = access.study_for_researcher(by, slug, Membership.Role.EDITOR)
        with transaction.atomic():
            _ACTIONS[Action(step.work.action)](study, by)
    except Http404:
        return _("It is no longer in the project, or you may no longer change it.")
    except REFUSALS as refusal:
        return str(refusal)
    except StudyFileError as refusal:
        return _problems(refusal)
    except (OperationalError, InterfaceError):
        # Another transaction was in the way, or the server is away: the step is still waiting.
        raise
    except SoftTimeLimitExceeded:
        return _("It took longer than a background worker may take. Try it on the page of the study.")
    except Exception:
        log.exception("%s failed for the study %s", step.work.action, slug)
        return _("An error occurred on the server. Try it on the page of the study.")
    return ""


def _problems(refusal: StudyFileError) -> str:
    """Return the problems of a set-up as a sentence: their number, and the first."""
    first = refusal.problems[0].message if refusal.problems else ""
    words = {"n": refusal.count, "first": first}
    return ngettext("%(n)d problem: %(first)s", "%(n)d problems; the first: %(first)s", refusal.count) % words


def _check(study: Study, by: events.Actor) -> None:
    make_study(setup=changes.begin(study), by=by)


def _move(action: str, study: Study, by: events.Actor) -> None:
    """Move a study; one that was closed meanwhile is not opened again, which needs a reason of its own."""
    opening.move(study_id=study.pk, action=action, by=by)


_ACTIONS: Mapping[str, Callable[[Study, events.Actor], None]] = {
    Action.CHECK: _check,
    **{action: partial(_move, str(action)) for action in (Action.OPEN, Action.PAUSE, Action.CLOSE)},
}
