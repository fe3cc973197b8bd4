"""Reads of the comments on a study."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Case, Q, QuerySet, Value, When
from django.db.models.functions import Now

from tasks_app.models import Comment, CommentLink, Study

ENDED, EXPIRED, OPENED = "ended", "expired", "opened"


@dataclass(frozen=True, slots=True)
class Thread:
    """A comment with the replies to it, the oldest first."""

    comment: Comment
    replies: Sequence[Comment]


def threads(study: Study, step: str | None = None) -> list[Thread]:
    """Return the comments on a study, or the open ones on a step: open ones first, then the oldest first."""
    comments = Comment.objects.filter(study=study).select_related("user", "done_by").order_by("id")
    if step is not None:
        comments = comments.filter(step=step, done_at=None)
    replies: dict[int, list[Comment]] = {}
    first = []
    for comment in comments:
        if comment.reply_to_id is None:
            first.append(comment)
        else:
            replies.setdefault(comment.reply_to_id, []).append(comment)
    first.sort(key=lambda comment: comment.done_at is not None)
    return [Thread(comment, replies.get(comment.pk, [])) for comment in first]


def threads_for_colleagues(study: Study) -> list[Thread]:
    """Return the comments of colleagues without an account, with the replies; comments of members are for members."""
    return [thread for thread in threads(study) if thread.comment.link_id is not None]


def links(study: Study) -> QuerySet[CommentLink]:
    """Return the links of a study, each with `state`: why it works no more, "" for one that works."""
    state = Case(
        When(ended_at__isnull=False, then=Value(ENDED)),
        When(expires__lte=Now(), then=Value(EXPIRED)),
        When(~Q(version=study.current_version), then=Value(OPENED)),
        default=Value(""),
    )
    return CommentLink.objects.filter(study=study).select_related("made_by").annotate(state=state)
