"""Send texts to a task that judges on request: they get places while the study is open."""

from collections.abc import Collection
from dataclasses import dataclass, replace

from django.db.models import Max
from django.utils.translation import gettext as _

from tasks_app.designs.base import PlanImpossible, PlanUnit
from tasks_app.models import Booklet, Study, Task, Unit, Version
from tasks_app.selectors import routing
from tasks_app.services import events
from tasks_app.services.database import atomically, lock_claims
from tasks_app.services.plan import plans

# The verb of sending in the log.
SENT = "sent texts"


class NotNow(Exception):
    """Nothing can be sent now; the message tells how to go on."""


@dataclass(frozen=True, slots=True)
class SentTexts:
    """The numbers of texts that were sent, of the places they got, and of the sets that these make."""

    texts: int
    places: int
    sets: int


@atomically
def send(*, study: Study, task: Task, units: Collection[int], about: str, by: events.Actor = None) -> SentTexts:
    """Give units of a task on request their k places, in sets of their own; earlier places stay as they are.

    Raters are shown what they would have been shown from the beginning: neither who judged a text before, nor how.
    `about` says in the log where the choice of texts comes from.

    Raises
    ------
    NotNow
        Where the study is not open or paused, so that nobody could judge them.
    """
    lock_claims(study.pk)
    study.refresh_from_db(fields=["state"])
    if study.state not in Study.State.UNDER_WAY:
        raise NotNow(_("The study is not open, so nobody could judge these texts. Open it again, then send them."))
    task.study = study
    ids = dict(routing.unsent(task).filter(pk__in=units).values_list("key", "pk"))
    drawn = [replace(unit, k=task.k) for unit in plans.plan_units(task) if unit.key in ids]
    if not drawn:
        return SentTexts(0, 0, 0)
    before = Booklet.objects.filter(task=task).aggregate(last=Max("number"))["last"] or 0
    booklets = draw(task, drawn, before)
    version = Version.objects.get(study=study, number=study.current_version)
    plans.write(task, version, booklets, ids, after=before)
    Unit.objects.filter(pk__in=ids.values()).update(k=task.k)
    result = SentTexts(len(drawn), sum(map(len, booklets)), len(booklets))
    after = {"texts": result.texts, "places": result.places, "sets": result.sets, "from": about}
    events.log(study, by, SENT, about=task.key, after=after)
    return result


def draw(task: Task, units: list[PlanUnit], before: int) -> list[tuple[PlanUnit, ...]]:
    """Draw the sets of some units: as widely spaced as these few allow, and no larger than their number.

    `before` is the number of the task's last set, so that each time is drawn anew.
    """
    plan_request = plans.plan_request_of(task)
    size = min(plan_request.settings.set_size, len(units))
    spacing = max(1, min(plan_request.settings.spacing, size))
    while True:
        fitting = replace(
            plan_request, settings=replace(plan_request.settings, set_size=size, spacing=spacing), repeats=0
        )
        try:
            return plans.draw_booklets(units, fitting, lambda: plans.seeded(task.study, "requested", task.key, before))
        except PlanImpossible as error:
            if spacing == 1:
                raise NotNow(str(error)) from error
            spacing -= 1
