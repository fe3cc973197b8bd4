"""Items, systems, outputs, and the units that screens are made of."""

from enum import nonmember
from typing import Any

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from tasks_app.models.base import Versioned, choice_constraint, created_at_field, key_field
from tasks_app.models.study import Criterion, Study, Task


class SystemKind(models.TextChoices):
    MACHINE = "machine", _("machine")
    HUMAN = "human", _("human")
    REFERENCE = "reference", _("reference")
    SOURCE = "source", _("source")
    DEGRADED = "degraded", _("degraded copy")
    REWORDED = "reworded", _("copy that keeps the meaning")


class System(models.Model):
    """A system that produced outputs, with `attributes` by their names, such as its size, as words."""

    Kind = SystemKind

    study = models.ForeignKey(Study, models.CASCADE, related_name="systems")
    key = key_field()
    name = models.CharField(max_length=200, blank=True)
    kind = models.CharField(max_length=10, choices=Kind, default=Kind.MACHINE)
    attributes: "models.JSONField[Any, Any]" = models.JSONField(default=dict, blank=True, db_default={})

    class Meta:
        ordering = ("study", "id")
        constraints = (
            models.UniqueConstraint(fields=("study", "key"), name="system_key"),
            choice_constraint("kind", SystemKind, "system_kind"),
        )

    def __str__(self) -> str:
        return self.name or self.key


class Document(models.Model):
    """A text that several items are consecutive parts of."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="documents")
    key = key_field()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("study", "key"), name="document_key"),)

    def __str__(self) -> str:
        return self.key


class Item(Versioned):
    """One input: a source text, data, a picture or a sound."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="items")
    key = key_field()
    document = models.ForeignKey(Document, models.PROTECT, null=True, blank=True, related_name="items")
    position = models.PositiveIntegerField(default=0)
    source = models.TextField(blank=True)
    reference = models.TextField(blank=True)
    source_language = models.CharField(max_length=35, blank=True)
    format = models.CharField(max_length=20, default="text")
    options: "models.JSONField[Any, Any]" = models.JSONField(default=dict, blank=True)
    features: "models.JSONField[Any, Any]" = models.JSONField(default=dict, blank=True)
    # Highlights by "source" and "reference": see tasks_app.task_types.highlights.
    highlights: "models.JSONField[Any, Any]" = models.JSONField(default=dict, blank=True, db_default={})

    class Meta:
        ordering = ("study", "id")
        constraints = (
            models.UniqueConstraint(fields=("study", "key"), condition=Versioned.LIVE, name="item_key"),
            models.CheckConstraint(condition=models.Q(format__in=["text", "markdown", "code"]), name="item_format"),
        )

    def __str__(self) -> str:
        return self.key


class Media(models.Model):
    """A file kept under the hash of its content, in private storage, and the copy of it that raters get."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="media")
    sha256 = models.CharField(max_length=64)
    kind = models.CharField(max_length=40)
    bytes = models.PositiveBigIntegerField()
    file = models.FileField(max_length=200)
    # The file without metadata, which is the file itself where it has none; "" until it was looked at.
    clean_file = models.FileField(max_length=200, blank=True, default="", db_default="")
    clean_bytes = models.PositiveBigIntegerField(default=0, db_default=0)
    # What the copy lacks, each one of tasks_app.uploads.cleaning.Finding.
    removed: "models.JSONField[Any, Any]" = models.JSONField(default=list, blank=True, db_default=[])
    # Why it cannot be cleaned, one of tasks_app.uploads.cleaning.Reason; raters do not get such a file.
    refusal = models.CharField(max_length=10, blank=True, default="", db_default="")

    # Not looked at yet.
    NOT_CLEANED = models.Q(clean_file="", refusal="")

    class Meta:
        verbose_name_plural = "media"
        constraints = (models.UniqueConstraint(fields=("study", "sha256"), name="media_once"),)

    def __str__(self) -> str:
        return self.sha256[:12]


class ItemMedia(models.Model):
    """A file shown with an item, and its purpose."""

    item = models.ForeignKey(Item, models.CASCADE, related_name="item_media")
    role = models.CharField(max_length=40)
    order = models.PositiveIntegerField(default=1)
    media = models.ForeignKey(Media, models.PROTECT, related_name="+")

    class Meta:
        ordering = ("item", "role", "order")
        constraints = (models.UniqueConstraint(fields=("item", "role", "order"), name="item_media_once"),)

    def __str__(self) -> str:
        return f"{self.item}: {self.role}"


class OutputKind(models.TextChoices):
    TEXT = "text", _("text")
    IMAGE = "image", _("picture")
    AUDIO = "audio", _("sound recording")
    VIDEO = "video", _("film")


def output_in_words(kind: str, text: str) -> str:
    """Return an output in words, for researchers: its text, or the kind of its file and a description."""
    if kind == OutputKind.TEXT:
        return text
    label = str(OutputKind(kind).label).capitalize()
    return f"[{label}] {text}".rstrip()


class Output(Versioned):
    """An output of a system for an item; `variant` tells several by one system apart.

    It is a text, or a picture, sound or film, whose file is `media`; `text` then says in words what it shows.
    """

    Kind = OutputKind

    item = models.ForeignKey(Item, models.CASCADE, related_name="outputs")
    system = models.ForeignKey(System, models.CASCADE, related_name="outputs")
    variant = models.CharField(max_length=100, blank=True, default="")
    text = models.TextField(blank=True)
    language = models.CharField(max_length=35, blank=True)
    highlights: "models.JSONField[Any, Any]" = models.JSONField(default=list, blank=True, db_default=[])
    kind = models.CharField(max_length=5, choices=Kind, default=Kind.TEXT, db_default=OutputKind.TEXT.value)
    media = models.ForeignKey(Media, models.PROTECT, null=True, blank=True, related_name="+")
    captions = models.ForeignKey(Media, models.PROTECT, null=True, blank=True, related_name="+")
    # Digest of the text with its highlights, or of the files: outputs that look the same to raters have the same one.
    digest = models.CharField(max_length=64)

    class Meta:
        ordering = ("item", "id")
        constraints = (
            models.UniqueConstraint(fields=("item", "system", "variant"), condition=Versioned.LIVE, name="output_once"),
            choice_constraint("kind", OutputKind, "output_kind"),
            models.CheckConstraint(
                condition=~models.Q(kind=OutputKind.TEXT, media__isnull=False)
                & (models.Q(captions__isnull=True) | models.Q(media__isnull=False)),
                name="output_files",
            ),
        )
        indexes = (models.Index(fields=("item", "digest"), name="output_digest"),)

    def __str__(self) -> str:
        return f"{self.item}: {self.system}{f' ({self.variant})' if self.variant else ''}"


class Unit(Versioned):
    """The content of one screen."""

    task = models.ForeignKey(Task, models.CASCADE, related_name="units")
    key = models.CharField(max_length=300)
    document = models.ForeignKey(Document, models.PROTECT, null=True, blank=True, related_name="units")
    item = models.ForeignKey(Item, models.PROTECT, null=True, blank=True, related_name="units")
    k = models.PositiveIntegerField(default=1)
    features: "models.JSONField[Any, Any]" = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ("task", "id")
        constraints = (models.UniqueConstraint(fields=("task", "key"), condition=Versioned.LIVE, name="unit_key"),)

    def __str__(self) -> str:
        return self.key


class Part(models.Model):
    """A text shown once on a unit's screen, for one output or for several that are identical."""

    unit = models.ForeignKey(Unit, models.CASCADE, related_name="parts")
    number = models.PositiveIntegerField()
    text_digest = models.CharField(max_length=64)

    class Meta:
        ordering = ("unit", "number")
        constraints = (models.UniqueConstraint(fields=("unit", "number"), name="part_number"),)

    def __str__(self) -> str:
        return f"{self.unit} [{self.number}]"


class PartOutput(models.Model):
    """An output that a part shows."""

    part = models.ForeignKey(Part, models.CASCADE, related_name="part_outputs")
    output = models.ForeignKey(Output, models.PROTECT, related_name="part_outputs")

    class Meta:
        ordering = ("part", "id")
        constraints = (models.UniqueConstraint(fields=("part", "output"), name="part_output_once"),)

    def __str__(self) -> str:
        return f"{self.part}: {self.output}"


class Withdrawal(models.Model):
    """An item, or one output of it, withdrawn from an open study: it is not given to raters any more.

    Its judgments stay, and runs leave them out. A trigger keeps the row as it is, but for being taken back.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="withdrawals")
    item = models.ForeignKey(Item, models.PROTECT, related_name="+")
    output = models.ForeignKey(Output, models.PROTECT, null=True, blank=True, related_name="+")
    reason = models.CharField(max_length=500)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    at = created_at_field()
    taken_back_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    taken_back_at = models.DateTimeField(null=True, blank=True)

    # Not taken back.
    IN_FORCE = models.Q(taken_back_at__isnull=True)

    class Meta:
        ordering = ("study", "id")
        constraints = (
            models.UniqueConstraint(
                fields=("item", "output"),
                condition=models.Q(taken_back_at__isnull=True),
                nulls_distinct=False,
                name="withdrawal_once",
            ),
        )

    def __str__(self) -> str:
        return str(self.output or self.item)


class WithdrawnUnit(models.Model):
    """A unit that is not given to raters, since it shows a withdrawn text; gone once that is taken back."""

    withdrawal = models.ForeignKey(Withdrawal, models.CASCADE, related_name="units")
    unit = models.ForeignKey(Unit, models.CASCADE, related_name="withdrawn")

    class Meta:
        constraints = (models.UniqueConstraint(fields=("withdrawal", "unit"), name="withdrawn_unit_once"),)

    def __str__(self) -> str:
        return f"{self.unit}"


def is_withdrawn(unit: str) -> str:
    """Return the SQL condition that a unit, by the expression of its id, shows a text that is withdrawn now."""
    return f"EXISTS (SELECT 1 FROM tasks_app_withdrawnunit w WHERE w.unit_id = {unit})"  # noqa: S608  columns of ours


class GoldPurpose(models.TextChoices):
    SCREENING = "screening", _("screening")
    TRAINING = "training", _("training")
    EXAM = "exam", _("exam")
    CONTROL = "control", _("control")
    ATTENTION = "attention", _("attention check")

    # Within a set: what a rater is watched by.
    WATCHED = nonmember(("control", "attention"))


class GoldKind(models.TextChoices):
    EXACT = "exact", _("exactly this")
    RANGE = "range", _("within a range")
    SET = "set", _("one of several")
    SPAN = "span", _("overlaps a span")
    ORDER = "order", _("one above another")
    WORSE = "worse", _("worse than the text it was made from")


class Gold(models.Model):
    """A known answer. It never leaves the server."""

    Purpose = GoldPurpose
    Kind = GoldKind

    unit = models.ForeignKey(Unit, models.CASCADE, related_name="gold")
    purpose = models.CharField(max_length=10, choices=Purpose)
    criterion = models.ForeignKey(Criterion, models.PROTECT, null=True, blank=True, related_name="+")
    kind = models.CharField(max_length=10, choices=Kind)
    answer: "models.JSONField[Any, Any]" = models.JSONField()
    explanation = models.TextField(blank=True)

    class Meta:
        verbose_name_plural = "gold"
        constraints = (
            choice_constraint("purpose", GoldPurpose, "gold_purpose"),
            choice_constraint("kind", GoldKind, "gold_kind"),
        )

    def __str__(self) -> str:
        return f"{self.unit}: {self.kind}"


class Prefill(models.Model):
    """Content of a part before the first answer, such as spans to confirm or remove.

    Rows of a part with different names in `given_by` are alternatives: each rater is shown those of one name.
    """

    part = models.ForeignKey(Part, models.CASCADE, related_name="prefills")
    payload: "models.JSONField[Any, Any]" = models.JSONField()
    # Who made it, such as a rater of an earlier study, under a name that raters never see; "" where nobody is named.
    given_by = models.CharField(max_length=100, blank=True, default="", db_default="")

    def __str__(self) -> str:
        return f"{self.part}"
