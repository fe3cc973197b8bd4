"""Log that a superuser opened a page of somebody else's study."""

from datetime import timedelta

from django.db.models.functions import Now
from django.http import HttpRequest

from tasks_app.models import Study
from tasks_app.services import events

VIEWED = "viewed"
# A browser asks again for what changes every few seconds; of those looks one is written down so often.
AGAIN_AFTER = timedelta(hours=1)


def note_look(request: HttpRequest, study: Study, own: str | None, about: str, *, often: bool = False) -> None:
    """Log a look of a user with the role `own` None; frequent looks (`often`) are logged once per hour."""
    if own is not None:
        return
    lately = study.events.filter(actor_id=request.user.pk, verb=VIEWED, object=about, at__gt=Now() - AGAIN_AFTER)
    if not (often and lately.exists()):
        events.log(study, request.user, VIEWED, about=about)
