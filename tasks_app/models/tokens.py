"""API tokens, and stored responses to repeated requests."""

from typing import Any

from django.conf import settings
from django.db import models

from tasks_app.models.base import created_at_field
from tasks_app.models.study import Study


class ApiToken(models.Model):
    """A token that a script sends; only its hash is kept."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=100, blank=True)
    hash = models.CharField(max_length=64, unique=True)
    scopes: "models.JSONField[Any, Any]" = models.JSONField(default=list)
    study = models.ForeignKey(Study, models.CASCADE, null=True, blank=True, related_name="api_tokens")
    expires = models.DateTimeField(null=True, blank=True)
    revoked = models.DateTimeField(null=True, blank=True)
    created_at = created_at_field()

    def __str__(self) -> str:
        return self.name or str(self.pk)


class Idempotency(models.Model):
    """The first result of a request that a script may send twice."""

    token = models.ForeignKey(ApiToken, models.CASCADE, related_name="+")
    key = models.CharField(max_length=200)
    digest = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField()
    response: "models.JSONField[Any, Any]" = models.JSONField()
    at = created_at_field()

    class Meta:
        verbose_name_plural = "idempotency keys"
        constraints = (models.UniqueConstraint(fields=("token", "key"), name="idempotency_once"),)

    def __str__(self) -> str:
        return self.key
