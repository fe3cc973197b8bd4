"""Invitations of colleagues to work on a study, each a link that one person can accept."""

from django.conf import settings
from django.db import models

from tasks_app.models.base import choice_constraint, created_at_field
from tasks_app.models.study import MembershipRole, Study


class ColleagueInvitation(models.Model):
    """A link that gives one person a role in a study; only the hash of its token is kept.

    It works once, until it expires or is revoked, and only while the member who made it is still an owner of the study.
    `whom` is the name or e-mail address by which members tell invitations apart; accepting one empties it, since the
    account says who it was.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="colleague_invitations")
    token_hash = models.CharField(max_length=64, unique=True)
    role = models.CharField(max_length=10, choices=MembershipRole)
    whom = models.CharField(max_length=254, blank=True)
    expires = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    accepted_at = models.DateTimeField(null=True, blank=True)
    accepted_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    created_at = created_at_field()

    class Meta:
        ordering = ("-id",)
        constraints = (choice_constraint("role", MembershipRole, "colleague_invitation_role"),)

    def __str__(self) -> str:
        return f"{self.study}: colleague invitation {self.pk}"
