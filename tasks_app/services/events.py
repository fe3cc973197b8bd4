"""The log of changes, by person."""

from collections.abc import Iterable
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser

from tasks_app.models import Event, Study

Actor = AbstractBaseUser | AnonymousUser | None


def log(
    study: Study,
    actor: Actor,
    verb: str,
    *,
    about: str = "",
    before: Any = None,
    after: Any = None,
) -> None:
    """Log that `actor` did `verb` (a past participle: "opened", "paused") to a study or a part of it.

    What happens in a rehearsal is not logged.
    """
    if study.is_rehearsal:
        return
    Event.objects.create(
        study=study, actor_id=getattr(actor, "pk", None), verb=verb, object=about, before=before, after=after
    )


def log_for_all(studies: Iterable[Study], actor: Actor, verb: str, *, about: str = "") -> None:
    """Log in each of some studies that `actor` did `verb`; one query."""
    by_id = getattr(actor, "pk", None)
    Event.objects.bulk_create(Event(study=study, actor_id=by_id, verb=verb, object=about) for study in studies)
