"""Share the results of a run with people who have no account: links that expire, and the log of their use."""

from dataclasses import dataclass
from datetime import timedelta

from django.contrib.auth.models import AbstractBaseUser
from django.db.models.functions import Now
from django.utils import timezone

from analytics_app.models import ResultsLink, Run
from analytics_app.selectors.sharing import LINK, USED
from tasks_app.links.credentials import hash_token, new_token
from tasks_app.services import events
from tasks_app.services.database import atomically

# How many days a link may work; the first is suggested.
DAYS = (14, 7, 30, 90)

# Uses within an hour after one that was logged are not logged again.
AGAIN_AFTER = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class MadeLink:
    """A new link and its token, which is not kept anywhere."""

    link: ResultsLink
    token: str


@atomically
def share(*, run: Run, name: str, days: int, by: AbstractBaseUser) -> MadeLink:
    """Make a link under which the results of a run can be read for some days."""
    if days not in DAYS:
        raise ValueError(f"A link works for one of {DAYS} days.")
    token = new_token()
    expires = timezone.now() + timedelta(days=days)
    link = ResultsLink.objects.create(
        run=run, name=name, token_hash=hash_token(token), expires=expires, made_by_id=by.pk
    )
    events.log(
        run.study, by, "shared results", about=f"{LINK}{link.pk}", after={"run": run.number, "for": name, "days": days}
    )
    return MadeLink(link, token)


@atomically
def end(*, link: ResultsLink, by: AbstractBaseUser) -> None:
    """End a link, unless it was ended before."""
    if ResultsLink.objects.filter(pk=link.pk, ended_at=None).update(ended_at=Now()):
        events.log(link.run.study, by, "ended a link to results", about=f"{LINK}{link.pk}")


@atomically
def note_use(link: ResultsLink) -> None:
    """Log that somebody read results by a link, once an hour."""
    study = link.run.study
    if not study.events.filter(verb=USED, object=f"{LINK}{link.pk}", at__gt=Now() - AGAIN_AFTER).exists():
        events.log(study, None, USED, about=f"{LINK}{link.pk}")
