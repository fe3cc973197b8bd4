"""A study while it is set up in the browser: the values of the form, its changes, and the rows of its tables."""

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from tasks_app.models.base import choice_constraint, created_at_field
from tasks_app.models.setup_document import SetupDocument
from tasks_app.models.study import Study


class Setup(models.Model):
    """The set-up of a draft as far as it was filled in, which may have gaps and mistakes.

    `given` is what study.yaml would contain. Every change raises `revision` by one; `stored_revision` is the one that
    the study itself was last made of, None as long as it never was. After the study is opened, the set-up is made anew
    of the frozen study file, to be read only: `version` is the number of that version, None for a draft's.
    `consent_answers` are the answers that the draft of the consent text needs and no setting holds, by their names.
    """

    study = models.OneToOneField(Study, models.CASCADE, related_name="setup")
    given: "models.JSONField[Any, Any]" = models.JSONField(default=dict)
    revision = models.PositiveIntegerField(default=0)
    stored_revision = models.PositiveIntegerField(null=True, blank=True)
    changed_at = created_at_field()
    version = models.PositiveIntegerField(null=True, blank=True)
    consent_answers: "models.JSONField[Any, Any]" = models.JSONField(default=dict, db_default={})

    def __str__(self) -> str:
        return f"{self.study}, revision {self.revision}"

    @property
    def document(self) -> SetupDocument:
        """The content of study.yaml, with values that are reached by paths."""
        return SetupDocument(self.given)

    @property
    def is_stored(self) -> bool:
        """Whether the study is as the set-up says."""
        return self.stored_revision == self.revision


class SetupWorkState(models.TextChoices):
    QUEUED = "queued", _("queued")
    READING = "reading", _("reading the tables")
    PLANNING = "planning", _("drawing the plan")
    STORING = "storing", _("storing")
    DONE = "done", _("done")
    REFUSED = "refused", _("refused")


class SetupWorkKind(models.TextChoices):
    CHECK = "check", _("check everything")
    TEXTS = "texts", _("store texts")


class SetupWork(models.Model):
    """Work of a worker on a set-up, where a page would have to wait for too long: the newest work of a study.

    It checks the whole set-up and makes the study, or checks an uploaded table of texts and stores it: `given` then
    says which file is read how. Work of the kind "check" opens the study instead, which was checked before, where
    `given` says so, with the reason. `problems` are those of refused work: file, line, column, message, count and
    places of each. `notes` are sentences about what was stored, or why it could not be. `revision` is that of the
    set-up when it was read, and after texts were stored that with them.
    """

    Kind = SetupWorkKind
    State = SetupWorkState

    setup = models.OneToOneField(Setup, models.CASCADE, related_name="work")
    kind = models.CharField(max_length=10, choices=SetupWorkKind, default=SetupWorkKind.CHECK)
    given: "models.JSONField[Any, Any]" = models.JSONField(default=dict)
    state = models.CharField(max_length=10, choices=SetupWorkState, default=SetupWorkState.QUEUED)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    asked_at = models.DateTimeField(db_default=Now())
    revision = models.PositiveIntegerField()
    problems: "models.JSONField[Any, Any]" = models.JSONField(default=list)
    n_more = models.PositiveIntegerField(default=0)
    notes: "models.JSONField[Any, Any]" = models.JSONField(default=list)

    class Meta:
        constraints = (
            choice_constraint("state", SetupWorkState, "setup_work_state"),
            choice_constraint("kind", SetupWorkKind, "setup_work_kind"),
        )

    def __str__(self) -> str:
        return f"{self.setup.study}: {self.state}"

    @property
    def is_under_way(self) -> bool:
        """Whether a worker is doing it, or will."""
        return self.state not in {SetupWorkState.DONE, SetupWorkState.REFUSED}

    @property
    def opens(self) -> bool:
        """Whether it opens the study."""
        return "opens" in self.given


class SetupChange(models.Model):
    """One change of a set-up: the value that changed, before and after; None for no value.

    `path` leads to the value, such as ["tasks", 0, "k"]. A change of a table has the name of the table as its path and
    numbers of rows as its values. `click` is the key that the page drew for the button that made the change.
    """

    setup = models.ForeignKey(Setup, models.CASCADE, related_name="changes")
    revision = models.PositiveIntegerField()
    path: "models.JSONField[Any, Any]" = models.JSONField()
    before: "models.JSONField[Any, Any]" = models.JSONField(null=True, blank=True)
    after: "models.JSONField[Any, Any]" = models.JSONField(null=True, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    at = created_at_field()
    is_table = models.BooleanField(default=False)
    undone = models.BooleanField(default=False)
    click = models.UUIDField(null=True, blank=True)

    class Meta:
        ordering = ("setup", "revision", "id")
        indexes = (models.Index(fields=("setup", "-revision"), name="setup_change_newest"),)

    def __str__(self) -> str:
        return f"{self.revision}: {'.'.join(map(str, self.path))}"


class SetupRow(models.Model):
    """A row of one of the tables of a set-up: `cells` holds texts by the columns of items.csv, controls.csv, ….

    `number` orders the rows of a table; it may have gaps.
    """

    setup = models.ForeignKey(Setup, models.CASCADE, related_name="rows")
    table = models.CharField(max_length=20)
    number = models.PositiveIntegerField()
    cells: "models.JSONField[Any, Any]" = models.JSONField()

    class Meta:
        ordering = ("setup", "table", "number")
        constraints = (models.UniqueConstraint(fields=("setup", "table", "number"), name="setup_row_number"),)

    def __str__(self) -> str:
        return f"{self.table} {self.number}"
