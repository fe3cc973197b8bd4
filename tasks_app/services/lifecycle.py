"""Opening, pausing, resuming and closing a study."""

from dataclasses import dataclass

from django.db.models.functions import Now
from django.utils.translation import gettext as _

from tasks_app import sections
from tasks_app.models import Study, Task, Unit, Version
from tasks_app.services import events, plans
from tasks_app.services.database import atomically, lock_claims


class NotPossible(Exception):
    """The study cannot be brought into that state now; the message says what to do instead."""


@dataclass(frozen=True, slots=True)
class Move:
    """A change of state: from which states, to which, and its word in the log."""

    origins: tuple[str, ...]
    target: str
    verb: str


MOVES = {
    "open": Move((Study.State.DRAFT, Study.State.PAUSED, Study.State.CLOSED), Study.State.OPEN, "opened"),
    "pause": Move((Study.State.OPEN,), Study.State.PAUSED, "paused"),
    "close": Move((Study.State.OPEN, Study.State.PAUSED), Study.State.CLOSED, "closed"),
}


@atomically
def move(*, study_id: int, action: str, by: events.Actor) -> Study:
    """Open, pause or close a study; the first opening freezes the design as version 1 and draws the plan.

    Raises
    ------
    NotPossible
        Where the study is not in a state that allows it, or has nothing to judge.
    tasks_app.designs.base.PlanImpossible
        Where no plan keeps the design's promises; nothing is changed then.
    """
    study = Study.objects.select_for_update().get(pk=study_id)
    wanted = MOVES[action]
    if study.state not in wanted.origins:
        raise NotPossible(
            _("The study is %(state)s, so this is not possible. Reload the page to see what is.")
            % {"state": study.get_state_display()}
        )
    before = study.state
    if action == "open" and not study.is_frozen:
        _freeze(study, by)
    if action == "open":
        study.opened_at, study.closed_at = study.opened_at or Now(), None
    if action == "close":
        study.closed_at = Now()
    study.state = wanted.target
    study.save()
    events.log(study, by, wanted.verb, before={"state": before}, after={"state": study.state})
    study.refresh_from_db()
    return study


def _freeze(study: Study, by: events.Actor) -> None:
    """Freeze the design as version 1: the study file and its digest; then draw the plan of every task."""
    lock_claims(study.pk)
    tasks = list(Task.objects.filter(study=study, until=None))
    if not tasks:
        raise NotPossible(_("This study has no task yet. Add one to the study file and load it again."))
    for task in tasks:
        if not Unit.objects.filter(task=task, until=None).exists():
            raise NotPossible(
                _("The task “%(task)s” has nothing to judge. Add outputs to items.csv and load the study again.")
                % {"task": task}
            )
    document = sections.snapshot(study)
    version = Version.objects.create(
        study=study,
        number=study.next_version,
        document=document,
        digest=sections.digest(document),
        change=Version.Change.FIRST,
        by_id=getattr(by, "pk", None),
    )
    for task in tasks:
        task.study = study
        plans.store(task, version)
    sections.freeze(study, version.number)
    study.current_version = version.number
