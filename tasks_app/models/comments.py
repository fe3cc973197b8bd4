"""Comments on a study while it is set up, by members and, through links, by colleagues without an account."""

from django.conf import settings
from django.db import models

from tasks_app.models.base import created_at_field
from tasks_app.models.study import Study


class CommentLink(models.Model):
    """A link under which a study can be read and commented on; only the hash of its token is kept.

    It works until it expires or is ended, and only for the `version` of the study that it was made or renewed for:
    0 for a draft, so that opening the study ends it.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="comment_links")
    token_hash = models.CharField(max_length=64, unique=True)
    version = models.PositiveIntegerField()
    shows_systems = models.BooleanField(default=False)
    expires = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = created_at_field()

    class Meta:
        ordering = ("-id",)

    def __str__(self) -> str:
        return f"{self.study}: link {self.pk}"


class Comment(models.Model):
    """A comment on a step of the set-up, or on all of it; somebody without an account gives a `name`."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="comments")
    link = models.ForeignKey(CommentLink, models.SET_NULL, null=True, related_name="comments")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    name = models.CharField(max_length=100, blank=True)
    step = models.CharField(max_length=20, blank=True)
    text = models.TextField()
    reply_to = models.ForeignKey("self", models.CASCADE, null=True, related_name="replies")
    created_at = created_at_field()
    done_at = models.DateTimeField(null=True, blank=True)
    done_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ("study", "id")

    def __str__(self) -> str:
        return f"{self.study}: comment {self.pk}"
