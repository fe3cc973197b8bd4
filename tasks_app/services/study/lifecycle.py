"""Open, pause, resume and close a study."""

from dataclasses import dataclass

from django.db.models import Exists, OuterRef
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from tasks_app.hooks import sections
from tasks_app.hooks.signals import study_moved
from tasks_app.models import Booklet, Setup, Study, Task, Unit, Version
from tasks_app.selectors.routing import ON_REQUEST
from tasks_app.services import events
from tasks_app.services.database import atomically, lock_claims
from tasks_app.services.plan import plans
from tasks_app.services.study.removing import delete_rehearsals
from tasks_app.services.study.units import texts_of
from tasks_app.texts.plaintext import problem_in


class NotPossible(Exception):
    """The study cannot change to that state now; the message tells how to go on."""


@dataclass(frozen=True, slots=True)
class Move:
    """A change of state: the states before it, the state after it, and its word in the log."""

    origins: tuple[str, ...]
    target: str
    verb: str


MOVES = {
    "open": Move((Study.State.DRAFT, Study.State.PAUSED, Study.State.CLOSED), Study.State.OPEN, "opened"),
    "pause": Move((Study.State.OPEN,), Study.State.PAUSED, "paused"),
    "close": Move((Study.State.OPEN, Study.State.PAUSED), Study.State.CLOSED, "closed"),
}


@atomically
def move(*, study_id: int, action: str, by: events.Actor, reason: str = "") -> Study:
    """Open, pause or close a study; the first opening freezes the design as version 1 and draws the plan.

    A study whose ratings were imported is frozen and closed without a plan; it is drawn when it opens. Opening a closed
    study again needs a `reason`, which the log keeps. Whoever listens to `study_moved` works in this transaction.

    Raises
    ------
    NotPossible
        Where the study is not in a state that allows it, has nothing to judge, or is opened again without a reason.
    tasks_app.designs.base.PlanImpossible
        Where no plan keeps the design's promises; nothing is changed then.
    """
    study = Study.with_rehearsals.select_for_update().get(pk=study_id)
    transition = MOVES[action]
    if study.state not in transition.origins:
        raise NotPossible(
            _("The study is %(state)s, so this is not possible. Reload the page to see what is possible.")
            % {"state": study.get_state_display()}
        )
    before, reason = study.state, reason.strip()
    if needs_reason(study, action):
        refuse_reason(reason)
    if action == "open":
        if not study.is_frozen:
            freeze(study, by)
        _refuse_missing_texts(study)
        _draw_missing(study)
        study.opened_at, study.closed_at = study.opened_at or Now(), None
    if action == "close":
        study.closed_at = Now()
    study.state = transition.target
    study.save()
    after = {"state": study.state} | ({"reason": reason} if reason else {})
    events.log(study, by, transition.verb, before={"state": before}, after=after)
    study.refresh_from_db()
    study_moved.send(sender=Study, study=study, action=action)
    return study


def needs_reason(study: Study, action: str) -> bool:
    """Return whether this opens a closed study, of which somebody may have seen the results."""
    return action == "open" and study.state == Study.State.CLOSED


def refuse_reason(reason: str) -> None:
    """Raise NotPossible where no reason is written, or one that cannot be stored."""
    if not reason:
        raise NotPossible(_("Enter a reason: results may have been seen, so the log has to say why it was reopened."))
    if fault := problem_in(reason):
        raise NotPossible(fault)


def refuse_empty(study: Study) -> None:
    """Raise NotPossible where a task has nothing to judge, or there is no task."""
    units = Unit.objects.filter(task=OuterRef("pk"), until=None)
    tasks = list(Task.objects.filter(study=study, until=None).annotate(has_units=Exists(units)))
    if not tasks:
        raise NotPossible(_("This study has no task yet. Add one under Set up."))
    for task in tasks:
        if not vars(task)["has_units"]:
            raise NotPossible(
                _("The task “%(task)s” has nothing to judge. Add texts under Set up, then press “Check everything”.")
                % {"task": task}
            )


def refuse_unchecked(study: Study) -> None:
    """Raise NotPossible where the set-up was changed in the browser since the study was last made of it."""
    setup = Setup.objects.filter(study=study).first()
    if setup is not None and not setup.is_stored:
        raise NotPossible(
            _("The set-up was changed since it was last checked. Press “Check everything” on Review first.")
        )


def _refuse_missing_texts(study: Study) -> None:
    """Raise NotPossible if items lack texts that raters must see, which imported ratings did not need."""
    if not study.options.imported:
        return
    for task in Task.objects.filter(study=study, until=None).order_by("order"):
        kind = task.kind
        for item in texts_of(study, keep=task.keep_identical).items_of(task):
            for sentence in kind.missing_for_raters(item):
                about = {"item": item.key, "task": task, "sentence": sentence}
                raise NotPossible(_("Task “%(task)s”, item “%(item)s”: %(sentence)s") % about)


def freeze(study: Study, by: events.Actor) -> Version:
    """Freeze the design of a draft as version 1: the study file and its digest; its rehearsals go. No plan is drawn.

    The caller holds the study's row, so that nobody changes the design meanwhile, in a transaction.

    Raises
    ------
    NotPossible
        Where there is nothing to judge.
    """
    refuse_unchecked(study)
    refuse_empty(study)
    delete_rehearsals(of=study)
    document = sections.snapshot(study)
    version = Version.objects.create(
        study=study,
        number=study.next_version,
        document=document,
        digest=sections.digest(document),
        change=Version.Change.FIRST,
        by_id=getattr(by, "pk", None),
    )
    sections.freeze(study, version.number)
    study.current_version = version.number
    study.save(update_fields=["current_version"])
    return version


def close_with_ratings(study: Study, by: events.Actor) -> None:
    """Freeze a draft that ratings from elsewhere are put into, and close it: it was never open to raters.

    The caller holds the study's row in a transaction, and sends `study_moved` once the ratings are there.

    Raises
    ------
    NotPossible
        Where there is nothing to judge.
    """
    freeze(study, by)
    before, study.state = study.state, Study.State.CLOSED
    Study.objects.filter(pk=study.pk).update(state=study.state, closed_at=Now())
    events.log(study, by, "closed", before={"state": before}, after={"state": study.state})
    study.refresh_from_db()


def _draw_missing(study: Study) -> None:
    """Draw and store the plan of every task that has none and is not drawn on request."""
    planned = Task.objects.filter(study=study, until=None, stage=Task.Stage.MAIN).exclude(design__in=ON_REQUEST)
    tasks = planned.filter(~Exists(Booklet.objects.filter(task=OuterRef("pk"))))
    missing = list(tasks.order_by("order", "id"))
    if not missing:
        return
    lock_claims(study.pk)
    version = Version.objects.defer("document").get(study=study, number=study.current_version)
    for task in missing:
        task.study = study
        plans.store(task, version)
