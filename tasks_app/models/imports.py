"""Mappings of the columns and words of foreign files, saved under a name."""

from typing import Any

from django.db import models

from tasks_app.models.base import created_at_field
from tasks_app.models.study import Study


class ImportMapping(models.Model):
    """A mapping for files of ratings, saved with its study so that the next file is read the same way."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="import_mappings")
    name = models.CharField(max_length=100)
    document: "models.JSONField[Any, Any]" = models.JSONField()
    saved_at = created_at_field()

    class Meta:
        ordering = ("study", "name")
        constraints = (models.UniqueConstraint(fields=("study", "name"), name="import_mapping_name"),)

    def __str__(self) -> str:
        return self.name
