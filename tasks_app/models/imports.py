"""Mappings of the columns and words of foreign files, saved under a name, and imports that a worker does."""

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from tasks_app.models.base import choice_constraint, created_at_field
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


class ImportWorkState(models.TextChoices):
    QUEUED = "queued", _("queued")
    WORKING = "working", _("under way")
    DONE = "done", _("done")
    REFUSED = "refused", _("refused")


class ImportWorkKind(models.TextChoices):
    TABLE = "table", _("texts and ratings in one table")
    FORMAT = "format", _("files of a known format")
    RATINGS = "ratings", _("ratings for texts of the study")


class ImportWork(models.Model):
    """Import of a large file by a worker, for which a page would have to wait: the newest one of a study.

    `given` says which uploaded file is read how, and `only_checked` that nothing is to be stored. `progress` is a
    sentence on how far the worker is. `problems` are those of a refused file: file, line, column, message, count and
    places of each. `summary` counts what was read, and `notes` are sentences about it, or why nothing could be read.
    """

    Kind = ImportWorkKind
    State = ImportWorkState

    study = models.OneToOneField(Study, models.CASCADE, related_name="import_work")
    kind = models.CharField(max_length=10, choices=ImportWorkKind)
    given: "models.JSONField[Any, Any]" = models.JSONField(default=dict)
    only_checked = models.BooleanField(default=False)
    state = models.CharField(max_length=10, choices=ImportWorkState, default=ImportWorkState.QUEUED)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    asked_at = models.DateTimeField(db_default=Now())
    progress = models.CharField(max_length=200, blank=True)
    problems: "models.JSONField[Any, Any]" = models.JSONField(default=list)
    n_more = models.PositiveIntegerField(default=0)
    summary = models.CharField(max_length=200, blank=True)
    notes: "models.JSONField[Any, Any]" = models.JSONField(default=list)

    class Meta:
        constraints = (
            choice_constraint("state", ImportWorkState, "import_work_state"),
            choice_constraint("kind", ImportWorkKind, "import_work_kind"),
        )

    def __str__(self) -> str:
        return f"{self.study}: {self.state}"

    @property
    def is_under_way(self) -> bool:
        """Whether a worker is doing it, or will."""
        return self.state not in {ImportWorkState.DONE, ImportWorkState.REFUSED}
