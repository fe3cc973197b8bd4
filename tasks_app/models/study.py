"""Studies, members, versions, tasks, criteria, groups and consent texts."""

from collections.abc import Iterable
from enum import nonmember
from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.utils.crypto import get_random_string
from django.utils.translation import gettext_lazy as _

from tasks_app import designs, task_types
from tasks_app.models.base import Versioned, choice_constraint, created_at_field, key_field
from tasks_app.models.project import Project
from tasks_app.settings.study import StudySettings, settings_of

LINK_ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"  # no letters that are read for one another when typed


def task_type_choices() -> list[tuple[str, str]]:
    """Name every task type, so that a new one needs no migration."""
    return [(name, str(member.label)) for name, member in task_types.registry.items()]


def design_choices() -> list[tuple[str, str]]:
    """Name every design, so that a new one needs no migration."""
    return [(name, str(member.label)) for name, member in designs.registry.items()]


def new_link_code() -> str:
    """Draw the part of an open link that stands for a study: nothing of its name shows."""
    return get_random_string(12, LINK_ALPHABET)


def new_seed() -> int:
    """Draw the seed from which every plan, order and allocation of a study follows."""
    return int(get_random_string(9, "123456789"))


class StudyState(models.TextChoices):
    DRAFT = "draft", _("draft")
    OPEN = "open", _("open")
    PAUSED = "paused", _("paused")
    CLOSED = "closed", _("closed")

    # Opened and not closed: raters work, or will go on.
    UNDER_WAY = nonmember(("open", "paused"))


class ListedStudies(models.Manager["Study"]):
    """All studies but rehearsals, which no page, list, count or export may show."""

    def get_queryset(self) -> "models.QuerySet[Study]":
        """Leave out rehearsals."""
        return super().get_queryset().filter(rehearses=None)


class Study(models.Model):
    """One evaluation experiment."""

    State = StudyState

    objects: ClassVar[ListedStudies] = ListedStudies()
    with_rehearsals: ClassVar[models.Manager["Study"]] = models.Manager()

    slug = models.SlugField(max_length=80, unique=True)
    project = models.ForeignKey(Project, models.SET_NULL, null=True, blank=True, related_name="studies")
    title = models.CharField(max_length=200)
    public_title = models.CharField(max_length=200)
    state = models.CharField(max_length=10, choices=State, default=State.DRAFT)
    link_code = models.CharField(max_length=20, unique=True, default=new_link_code)
    seed = models.BigIntegerField(default=new_seed)
    timezone = models.CharField(max_length=64, default="UTC")
    language = models.CharField(max_length=35, default="en")
    settings: "models.JSONField[Any, Any]" = models.JSONField(default=dict, blank=True)
    current_version = models.PositiveIntegerField(default=0)
    created_at = created_at_field()
    opened_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    # The frozen version that this study was copied from, to be run with changes.
    follows = models.ForeignKey("Version", models.SET_NULL, null=True, blank=True, related_name="successors")
    # The draft that this study is a copy of, for its researchers to rate in on trial. `objects` leaves out such copies.
    rehearses = models.ForeignKey("self", models.CASCADE, null=True, blank=True, related_name="+")

    class Meta:
        verbose_name_plural = "studies"
        ordering = ("-created_at", "-id")
        constraints = (
            choice_constraint("state", StudyState, "study_state"),
            models.CheckConstraint(
                condition=models.Q(state="draft") | models.Q(current_version__gt=0),
                name="study_frozen_if_opened",
            ),
        )

    def __str__(self) -> str:
        return self.title

    @property
    def is_frozen(self) -> bool:
        """Return whether the design is frozen, that is, whether the study was ever opened."""
        return self.current_version > 0

    @property
    def is_rehearsal(self) -> bool:
        """Return whether this is the copy of a draft in which nothing counts."""
        return self.rehearses_id is not None

    @property
    def options(self) -> StudySettings:
        """The settings with every default filled in."""
        return settings_of(self.settings)

    @property
    def next_version(self) -> int:
        """Number of the version that is being prepared now."""
        return self.current_version + 1


class VersionChange(models.TextChoices):
    FIRST = "first", _("first version")
    WORDING = "wording", _("wording only")
    SPLIT = "split", _("results are kept apart")


class Version(models.Model):
    """The whole design as it stood when it was frozen: the study file and its digest."""

    Change = VersionChange

    study = models.ForeignKey(Study, models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    document: "models.JSONField[Any, Any]" = models.JSONField()
    digest = models.CharField(max_length=64)
    change = models.CharField(max_length=10, choices=Change, default=Change.FIRST)
    frozen_at = created_at_field()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ("study", "number")
        constraints = (
            models.UniqueConstraint(fields=("study", "number"), name="version_number"),
            choice_constraint("change", VersionChange, "version_change"),
        )

    def __str__(self) -> str:
        return f"{self.study} v{self.number}"


class MembershipRole(models.TextChoices):
    OWNER = "owner", _("owner")
    EDITOR = "editor", _("editor")
    VIEWER = "viewer", _("viewer")


class Membership(models.Model):
    """The role of one researcher in one study."""

    Role = MembershipRole

    study = models.ForeignKey(Study, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("study", "user"), name="membership_once"),
            choice_constraint("role", MembershipRole, "membership_role"),
        )

    def __str__(self) -> str:
        return f"{self.user} ({self.role})"


class Event(models.Model):
    """A change by a person or the program; all are kept, from the first day."""

    # The verb for somebody who looked at the arrival of raters: it is logged once a person.
    TRIED = "tried out"
    # What they tried out, where it was not the arrival on a channel but the whole draft.
    REHEARSAL = "rehearsal"
    WHOLE_REHEARSAL = "whole rehearsal"
    ON_TRIAL = (REHEARSAL, WHOLE_REHEARSAL)

    study = models.ForeignKey(Study, models.CASCADE, null=True, related_name="events")
    # The log of a deleted study stays.
    deleted_study = models.ForeignKey("DeletedStudy", models.PROTECT, null=True, blank=True, related_name="events")
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    verb = models.CharField(max_length=40)
    object = models.CharField(max_length=200, blank=True)
    before: "models.JSONField[Any, Any]" = models.JSONField(null=True, blank=True)
    after: "models.JSONField[Any, Any]" = models.JSONField(null=True, blank=True)
    at = created_at_field()

    class Meta:
        ordering = ("-id",)
        indexes = (models.Index(fields=("study", "-id"), name="event_study"),)

    def __str__(self) -> str:
        return f"{self.verb} {self.object}".strip()


class CorrectedText(models.TextChoices):
    """A text that can be corrected while raters read it; kinds of contacts are named as their settings."""

    INSTRUCTIONS = "instructions", _("Instructions")
    HELP = "help", _("Help text of a question")
    CONTACT = "contact", _("Contact")
    COMPLAINTS = "complaints", _("Complaints")


class Correction(models.Model):
    """A typo corrected in an open study: the text before and after, the person who corrected it, and the reason.

    The frozen rows stay as they are; `Study.settings` has the newest text of each kind and key. `key` is that of the
    task (instructions) or of the criterion (help), else empty. A trigger refuses changes.
    """

    Kind = CorrectedText

    study = models.ForeignKey(Study, models.CASCADE, related_name="corrections")
    kind = models.CharField(max_length=20, choices=CorrectedText)
    key = models.CharField(max_length=100, blank=True)
    before = models.TextField()
    after = models.TextField()
    reason = models.CharField(max_length=500)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    at = created_at_field()

    class Meta:
        ordering = ("study", "id")
        constraints = (choice_constraint("kind", CorrectedText, "correction_kind"),)

    def __str__(self) -> str:
        return f"{self.study}: {self.get_kind_display()} {self.key}".strip()


class Group(models.Model):
    """Raters that are treated alike, drawn in balanced blocks; `share` of each block's places are this group's."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="groups")
    key = key_field()
    name = models.CharField(max_length=200, blank=True)
    share = models.PositiveSmallIntegerField(default=1)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("study", "key"), name="group_key"),)

    def __str__(self) -> str:
        return self.name or self.key


class TaskStage(models.TextChoices):
    """The stage of a task; a rater goes through the stages in this order."""

    SCREENING = "screening", _("before the instructions: who may take part")
    MAIN = "main", _("what is judged")
    EXIT = "exit", _("at the end, asked of everybody who finishes")


class Task(Versioned):
    """An ordered part of a study with one task type.

    `k_more` judgments instead of `k` go to a share of the units, drawn at random. Tasks of the stages screening and
    exit are asked of every rater and have no plan. `checks` holds how raters are trained, tested and watched, `items`
    the values by which items are taken, for each column of the items table; empty for all items.
    """

    Stage = TaskStage

    study = models.ForeignKey(Study, models.CASCADE, related_name="tasks")
    key = key_field()
    order = models.PositiveIntegerField(default=1)
    title = models.CharField(max_length=200, blank=True)
    instructions = models.TextField(blank=True)
    stage = models.CharField(max_length=10, choices=TaskStage, default=TaskStage.MAIN)
    type = models.CharField(max_length=40, choices=task_type_choices)
    params: "models.JSONField[Any, Any]" = models.JSONField(default=dict, blank=True)
    design = models.CharField(max_length=40, choices=design_choices, default="independent")
    design_params: "models.JSONField[Any, Any]" = models.JSONField(default=dict, blank=True)
    checks: "models.JSONField[Any, Any]" = models.JSONField(default=dict, blank=True)
    items: "models.JSONField[Any, Any]" = models.JSONField(default=dict, blank=True)
    k = models.PositiveIntegerField(default=3)
    k_more = models.PositiveIntegerField(null=True, blank=True)
    k_more_share = models.FloatField(null=True, blank=True)
    set_size = models.PositiveIntegerField(default=20)
    spacing = models.PositiveIntegerField(default=10)
    criteria_mode = models.CharField(max_length=10, default="together")
    keep_identical = models.BooleanField(default=False)
    opens_after_days = models.PositiveIntegerField(null=True, blank=True)
    closes_after_days = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        ordering = ("study", "order", "id")
        constraints = (
            models.UniqueConstraint(fields=("study", "key"), condition=Versioned.LIVE, name="task_key"),
            models.CheckConstraint(condition=models.Q(k__gte=1), name="task_k"),
            models.CheckConstraint(condition=models.Q(set_size__gte=1), name="task_set_size"),
            choice_constraint("stage", TaskStage, "task_stage"),
            models.CheckConstraint(
                condition=models.Q(criteria_mode__in=["together", "page", "block", "rater"]),
                name="task_criteria_mode",
            ),
        )

    def __str__(self) -> str:
        return self.title or task_types.name_of(self.type, self.order)

    @staticmethod
    def names(tasks: Iterable["Task"]) -> dict[str, str]:
        """Return the names of the tasks of a study by key; tasks with the same title have their numbers behind it."""
        return task_types.names_of((task.key, task.title, task.type, task.order) for task in tasks)

    @property
    def kind(self) -> task_types.TaskType:
        """The task type that this task is of, with the parameters of this task."""
        return task_types.kind_of(self.type, self.params)

    @property
    def current_instructions(self) -> str:
        """The instructions as raters read them now: as frozen, or as corrected since."""
        return self.study.options.corrected.get((CorrectedText.INSTRUCTIONS, self.key), self.instructions)


class TaskGroup(models.Model):
    """A task that only some groups are given; a task without one is for all."""

    task = models.ForeignKey(Task, models.CASCADE, related_name="task_groups")
    group = models.ForeignKey(Group, models.CASCADE, related_name="task_groups")

    class Meta:
        constraints = (models.UniqueConstraint(fields=("task", "group"), name="task_group_once"),)

    def __str__(self) -> str:
        return f"{self.task}: {self.group}"


class CriterionKind(models.TextChoices):
    CRITERION = "criterion", _("quality criterion")
    PAIR = "pair", _("adjective pair")
    QUESTION = "question", _("question")


class Criterion(Versioned):
    """The object of a rating: a quality criterion, an adjective pair, a question of a questionnaire."""

    Kind = CriterionKind

    study = models.ForeignKey(Study, models.CASCADE, related_name="criteria")
    key = key_field()
    kind = models.CharField(max_length=10, choices=Kind, default=Kind.CRITERION)
    name = models.CharField(max_length=200)
    definition = models.TextField(blank=True)
    question = models.TextField(blank=True)
    ends: "models.JSONField[Any, Any]" = models.JSONField(default=dict, blank=True)
    heds: "models.JSONField[Any, Any]" = models.JSONField(default=dict, blank=True)
    language = models.CharField(max_length=35, blank=True)

    class Meta:
        verbose_name_plural = "criteria"
        constraints = (
            models.UniqueConstraint(fields=("study", "key"), condition=Versioned.LIVE, name="criterion_key"),
            choice_constraint("kind", CriterionKind, "criterion_kind"),
        )

    def __str__(self) -> str:
        return self.name

    @property
    def current_definition(self) -> str:
        """The help text as raters read it now: as frozen, or as corrected since."""
        return self.study.options.corrected.get((CorrectedText.HELP, self.key), self.definition)


class TaskCriterion(models.Model):
    """A criterion asked in a task, and its canonical place in the order."""

    task = models.ForeignKey(Task, models.CASCADE, related_name="task_criteria")
    criterion = models.ForeignKey(Criterion, models.CASCADE, related_name="task_criteria")
    order = models.PositiveIntegerField()

    class Meta:
        ordering = ("task", "order")
        constraints = (models.UniqueConstraint(fields=("task", "criterion"), name="task_criterion_once"),)

    def __str__(self) -> str:
        return f"{self.task}: {self.criterion}"


class ConsentText(models.Model):
    """A consent text by version and language, so that the text that a rater agreed to can always be read again."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="consent_texts")
    version = models.PositiveIntegerField()
    language = models.CharField(max_length=35)
    body = models.TextField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("study", "version", "language"), name="consent_text_once"),)

    def __str__(self) -> str:
        return f"{self.study}: {self.version} ({self.language})"
