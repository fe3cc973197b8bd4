"""Show results by system while a study is open, and record who asked for it, when and why."""

from django.utils.translation import gettext as _

from analytics_app.models import ResultLift
from analytics_app.selectors.results import systems_shown
from tasks_app.models import Study
from tasks_app.services import events
from tasks_app.services.database import atomically
from tasks_app.services.events import Actor
from tasks_app.texts.plaintext import problem_in


@atomically
def lift(*, study: Study, by: Actor, reason: str) -> ResultLift | None:
    """Show results by system permanently; return None if they are shown already.

    Raises
    ------
    ValueError
        Without a written reason.
    """
    reason = reason.strip()
    if not reason:
        raise ValueError(_("Enter a reason: it is printed with the results and in the datasheet."))
    if problem := problem_in(reason):
        raise ValueError(problem)
    study = Study.objects.select_for_update().get(pk=study.pk)
    if systems_shown(study):
        return None
    lifted = ResultLift.objects.create(study=study, by_id=getattr(by, "pk", None), reason=reason)
    events.log(study, by, "lifted", about="hidden results", after={"reason": reason, "state": study.state})
    return lifted
