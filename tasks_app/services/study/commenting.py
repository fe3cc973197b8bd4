"""Share a study for comment: links for colleagues without an account, and the comments of all."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.auth.models import AbstractBaseUser
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext as _

from tasks_app.links.credentials import hash_token, new_token
from tasks_app.models import Comment, CommentLink, Study
from tasks_app.services import events
from tasks_app.services.database import atomically

LONGEST_TEXT = 4_000
LONGEST_NAME = 100

# Most comments that a study takes, so that nobody who was given a link can fill the disk.
MOST_COMMENTS = 1_000

# Days for which a link may be valid; the first is suggested.
DAYS = (14, 7, 30, 90)


class TooManyComments(Exception):
    """The study takes no more comments."""


@dataclass(frozen=True, slots=True)
class MadeLink:
    """A new link and its token, which is not kept anywhere."""

    link: CommentLink
    token: str


@atomically
def share(*, study: Study, days: int, shows_systems: bool, by: AbstractBaseUser) -> MadeLink:
    """Make a link under which a study can be read and commented on for some days."""
    token = new_token()
    link = CommentLink.objects.create(
        study=study,
        token_hash=hash_token(token),
        version=study.current_version,
        shows_systems=shows_systems,
        expires=_in_days(days),
        made_by_id=by.pk,
    )
    events.log(study, by, "shared for comment", after={"days": days, "systems": shows_systems})
    return MadeLink(link, token)


@atomically
def renew(*, link: CommentLink, days: int, by: AbstractBaseUser) -> None:
    """Let a link work again from now on, for the study as it is now: the address is the same as before."""
    link.version, link.expires, link.ended_at = link.study.current_version, _in_days(days), None
    link.save(update_fields=["version", "expires", "ended_at"])
    events.log(link.study, by, "renewed a link to comment", after={"days": days})


@atomically
def end(*, link: CommentLink, by: AbstractBaseUser) -> None:
    """End a link; one that was ended stays as it is. Its comments stay."""
    if CommentLink.objects.filter(pk=link.pk, ended_at=None).update(ended_at=Now()):
        events.log(link.study, by, "ended a link to comment")


def _in_days(days: int) -> datetime:
    if days not in DAYS:
        raise ValueError(f"A link works for one of {DAYS} days.")
    return timezone.now() + timedelta(days=days)


@atomically
def add(
    *,
    study: Study,
    text: str,
    step: str = "",
    name: str = "",
    link: CommentLink | None = None,
    user: AbstractBaseUser | None = None,
    reply_to: Comment | None = None,
) -> Comment:
    """Add a comment of a member of the study (`user`), or of somebody with a link; a reply stands below a comment.

    Raises
    ------
    TooManyComments
        Where the study has as many as it takes.
    """
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    if Comment.objects.filter(study=study).count() >= MOST_COMMENTS:
        raise TooManyComments(_("This study takes no more comments. Write to the study team."))
    comment = Comment.objects.create(
        study=study,
        link=link,
        user_id=user.pk if user is not None else None,
        name=name if user is None else "",
        step=reply_to.step if reply_to is not None else step,
        text=text,
        reply_to=reply_to,
    )
    events.log(study, user, "commented", about=comment.step, after={"comment": comment.pk})
    return comment


@atomically
def mark(*, comment: Comment, done: bool, by: AbstractBaseUser) -> None:
    """Mark a comment as done, or as open again."""
    Comment.objects.filter(pk=comment.pk).update(done_at=Now() if done else None, done_by=by.pk if done else None)
    verb = "marked a comment as done" if done else "opened a comment again"
    events.log(comment.study, by, verb, after={"comment": comment.pk})
