"""The plan: booklets drawn before opening, and the k places of each unit."""

from typing import Any

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from tasks_app.models.base import choice_constraint, created_at_field
from tasks_app.models.items import Unit
from tasks_app.models.study import Group, Task, Version


class BookletState(models.TextChoices):
    FREE = "free", _("free")
    TAKEN = "taken", _("taken")
    LEFT = "left", _("left with open places")


class Booklet(models.Model):
    """An ordered list of places, claimed whole by one rater."""

    State = BookletState

    version = models.ForeignKey(Version, models.PROTECT, related_name="booklets")
    task = models.ForeignKey(Task, models.PROTECT, related_name="booklets")
    number = models.PositiveIntegerField()
    group = models.ForeignKey(Group, models.PROTECT, null=True, blank=True, related_name="+")
    claimed_by = models.ForeignKey("tasks_app.Rater", models.SET_NULL, null=True, blank=True, related_name="+")
    state = models.CharField(max_length=10, choices=State, default=State.FREE)
    # Triggers count the places (migration 0006), so that no page counts the places of a whole study.
    n_places = models.PositiveIntegerField(default=0, db_default=0, editable=False)

    class Meta:
        ordering = ("task", "number")
        constraints = (
            models.UniqueConstraint(fields=("version", "task", "number"), name="booklet_number"),
            choice_constraint("state", BookletState, "booklet_state"),
        )
        indexes = (
            models.Index(fields=("task", "number"), condition=models.Q(state="free"), name="booklet_free"),
            models.Index(fields=("task", "number"), condition=models.Q(state="left"), name="booklet_left"),
        )

    def __str__(self) -> str:
        return f"{self.task} #{self.number}"


class Place(models.Model):
    """One of a unit's k slots."""

    unit = models.ForeignKey(Unit, models.PROTECT, related_name="places")
    number = models.PositiveIntegerField()
    booklet = models.ForeignKey(Booklet, models.PROTECT, related_name="places")
    order = models.PositiveIntegerField()
    arrangement: "models.JSONField[Any, Any]" = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ("booklet", "order")
        constraints = (
            models.UniqueConstraint(fields=("unit", "number"), name="place_number"),
            # The target of the composite foreign key from assignment: a place is only ever held for its own unit.
            models.UniqueConstraint(fields=("id", "unit"), name="place_unit"),
            models.UniqueConstraint(
                fields=("booklet", "order"), name="place_order", deferrable=models.Deferrable.DEFERRED
            ),
        )

    def __str__(self) -> str:
        return f"{self.unit} ({self.number})"


class GroupBlock(models.Model):
    """The next draw of a balanced allocation to groups."""

    study = models.ForeignKey("tasks_app.Study", models.CASCADE, related_name="group_blocks")
    number = models.PositiveIntegerField()
    group = models.ForeignKey(Group, models.CASCADE, related_name="+")
    taken_by = models.OneToOneField("tasks_app.Rater", models.SET_NULL, null=True, blank=True, related_name="+")

    class Meta:
        constraints = (models.UniqueConstraint(fields=("study", "number"), name="group_block_number"),)

    def __str__(self) -> str:
        return f"{self.study} #{self.number}: {self.group}"


class Extension(models.Model):
    """Sets that were added to the plan of a task after the study was opened.

    The booklets from `after` + 1 to `after` + `sets` were added; those up to the first extension's `after` are the
    frozen plan. `judgments` more for each unit and `raters` more were asked for, in all tasks alike; `number` counts
    what was asked for in a study, and `click` is the key of the form that asked.
    """

    study = models.ForeignKey("tasks_app.Study", models.CASCADE, related_name="extensions")
    task = models.ForeignKey(Task, models.PROTECT, related_name="extensions")
    number = models.PositiveIntegerField()
    judgments = models.PositiveIntegerField()
    raters = models.PositiveIntegerField()
    after = models.PositiveIntegerField()
    sets = models.PositiveIntegerField()
    places = models.PositiveIntegerField()
    click = models.UUIDField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    at = created_at_field()

    class Meta:
        ordering = ("study", "number", "task")
        constraints = (
            models.UniqueConstraint(fields=("study", "number", "task"), name="extension_number"),
            models.UniqueConstraint(fields=("study", "click", "task"), name="extension_click"),
        )

    def __str__(self) -> str:
        return f"{self.task} +{self.sets}"


__all__ = ["Booklet", "Extension", "GroupBlock", "Place"]
