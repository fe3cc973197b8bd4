"""Values that a researcher's studies usually have in common."""

from typing import Any

from django.conf import settings
from django.db import models


class UsualSettings(models.Model):
    """The settings with which a researcher's new studies begin, as `tasks_app.setup.usual` checks them."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, related_name="usual_settings")
    values: "models.JSONField[Any, Any]" = models.JSONField(default=dict)

    class Meta:
        verbose_name_plural = "usual settings"

    def __str__(self) -> str:
        return f"usual settings of {self.user}"
