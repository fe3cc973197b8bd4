"""Assignments, drafts, judgments and the ratings they give."""

from enum import nonmember
from typing import Any, Self

from django.contrib.postgres.indexes import BrinIndex
from django.db import models
from django.db.models.functions import Extract
from django.utils.translation import gettext_lazy as _

from tasks_app.models.base import choice_constraint, created_at_field
from tasks_app.models.items import Gold, Part, Unit
from tasks_app.models.plan import Place
from tasks_app.models.raters import Rater, RaterSet
from tasks_app.models.study import Criterion, Study, Task

# The annotation of an assignment with the seconds since its clock started.
SECONDS_STARTED = "seconds_started"


def seconds_since(column: str) -> Extract:
    """Return the seconds since a time in a column, by the database's clock at this very moment, not the transaction's.

    By itself `Extract` cuts them to whole seconds.
    """
    moment = models.Func(function="clock_timestamp", output_field=models.DateTimeField())
    return Extract(moment - models.F(column), "epoch", output_field=models.FloatField())


class AssignmentPurpose(models.TextChoices):
    SCREENING = "screening", _("screening")
    TRAINING = "training", _("training")
    EXAM = "exam", _("exam")
    WARM_UP = "warm_up", _("warm-up")
    MAIN = "main", _("main")
    CONTROL = "control", _("control")
    ATTENTION = "attention", _("attention check")
    REPEAT = "repeat", _("repeat")
    EXIT = "exit", _("exit questionnaire")

    # Units before those that count: each purpose is counted by itself, and the first answer is final.
    PRELIMINARY = nonmember(("screening", "training", "exam"))
    # Shown to a rater as one sequence of texts to judge; raters must not know which are checks.
    JUDGED = nonmember(("main", "control", "attention", "repeat", "warm_up"))
    # Units with known answers: no system is evaluated by their texts.
    KNOWN = nonmember(("training", "exam", "control", "attention"))
    # The judgments behind results.
    ANALYSED = nonmember(("main", "screening", "exit"))


class AssignmentState(models.TextChoices):
    RESERVED = "reserved", _("reserved")
    LIVE = "live", _("shown")
    SUBMITTED = "submitted", _("submitted")
    SURPLUS = "surplus", _("surplus")
    SKIPPED = "skipped", _("skipped")
    EXPIRED = "expired", _("expired")
    RETURNED = "returned", _("returned")
    WITHDRAWN = "withdrawn", _("withdrawn")
    REPLACED = "replaced", _("answered, and asked of somebody else again")
    # Taken out of a set before it was shown; paid as if answered.
    PASSED_OVER = "passed", _("passed over: the text was withdrawn")

    # Still to be answered, with the lease running.
    WAITING = nonmember(("reserved", "live"))
    # Not answered yet, whether or not the lease has run out.
    UNANSWERED = nonmember(("reserved", "live", "expired"))
    # Holding the place; a partial unique index and a check of Assignment are built on it.
    HOLDING = nonmember(("reserved", "live", "submitted"))
    # Counted beside the answers that hold a place; an index of Assignment is built on it.
    BESIDE = nonmember(("reserved", "live", "surplus", "skipped"))
    # Rated, whoever holds the place now.
    RATED = nonmember(("submitted", "surplus", "replaced"))
    # Rated or skipped: the rater is done with it.
    DONE = nonmember(("submitted", "surplus", "skipped", "replaced"))
    # Rated, or to be rated still: a repeat of it makes sense.
    REPEATABLE = nonmember(("reserved", "live", "submitted", "surplus", "replaced"))
    # The place was freed, and may be another rater's now; this rater may still answer.
    LATE = nonmember(("expired", "skipped"))
    # The place is free for another rater only: this rater skipped the unit or answered it, and never gets it again.
    FOR_ANOTHER_RATER = nonmember(("skipped", "replaced"))
    # Given back by the rater, or by the platform they came from.
    GIVEN_BACK = nonmember(("returned", "withdrawn"))
    # Cannot be answered any more.
    OVER = nonmember(("returned", "withdrawn", "passed"))
    # The rater is done with it as far as pay goes.
    PAID = nonmember(("submitted", "surplus", "skipped", "replaced", "passed"))
    # Given to the rater and never answered.
    MISSED = nonmember(("expired", "returned", "withdrawn"))


class Assignment(models.Model):
    """One unit given to one rater."""

    Purpose = AssignmentPurpose
    State = AssignmentState

    rater = models.ForeignKey(Rater, models.PROTECT, related_name="assignments")
    rater_kind = models.CharField(max_length=10, choices=Rater.Kind, default=Rater.Kind.REAL)
    set = models.ForeignKey(RaterSet, models.PROTECT, null=True, blank=True, related_name="assignments")
    unit = models.ForeignKey(Unit, models.PROTECT, related_name="assignments")
    purpose = models.CharField(max_length=10, choices=Purpose, default=Purpose.MAIN)
    repeat_of = models.OneToOneField("self", models.PROTECT, null=True, blank=True, related_name="repeat")
    place = models.ForeignKey(Place, models.PROTECT, null=True, blank=True, related_name="assignments")
    order = models.PositiveIntegerField()
    arrangement: "models.JSONField[Any, Any]" = models.JSONField(default=dict, blank=True)
    wave = models.PositiveIntegerField(default=1)
    attempt = models.PositiveSmallIntegerField(default=1, db_default=1)  # of an exam
    version = models.PositiveIntegerField()
    state = models.CharField(max_length=10, choices=State, default=State.RESERVED)
    first_shown = models.DateTimeField(null=True, blank=True)
    renewed_at = models.DateTimeField(null=True, blank=True)
    # Of a text with a set time: when the rater had it shown, and for how many seconds; null for no limit.
    clock_started_at = models.DateTimeField(null=True, blank=True)
    clock_seconds = models.FloatField(null=True, blank=True)
    # Of a task on another site: the hash of its token, when the rater first opened it, and the events that the site has
    # reported since, in their order: name, seconds since the opening, and the site's own detail.
    elsewhere_hash = models.CharField(max_length=64, null=True, blank=True)  # noqa: DJ001  few have one
    elsewhere_opened_at = models.DateTimeField(null=True, blank=True)
    elsewhere_events: "models.JSONField[Any, Any]" = models.JSONField(null=True, blank=True)

    class Meta:
        constraints = (
            choice_constraint("purpose", AssignmentPurpose, "assignment_purpose"),
            choice_constraint("state", AssignmentState, "assignment_state"),
            models.UniqueConstraint(
                fields=("rater", "unit"),
                condition=models.Q(purpose="main") & ~models.Q(rater_kind="imported"),
                name="assignment_unit_once",
            ),
            models.UniqueConstraint(
                fields=("place",),
                condition=models.Q(state__in=AssignmentState.HOLDING),
                name="assignment_place_held_once",
            ),
            models.UniqueConstraint(
                fields=("elsewhere_hash",),
                condition=models.Q(elsewhere_hash__isnull=False),
                name="assignment_elsewhere_once",
            ),
            models.CheckConstraint(
                condition=~models.Q(purpose="main")
                | models.Q(rater_kind__in=["imported", "sandbox"])
                | ~models.Q(state__in=AssignmentState.HOLDING)
                | models.Q(place__isnull=False),
                name="assignment_main_has_place",
            ),
            models.CheckConstraint(
                condition=models.Q(place__isnull=True)
                | (models.Q(purpose="main") & models.Q(rater_kind__in=["real", "simulated"])),
                name="assignment_place_only_for_counted",
            ),
            # Answered places are counted by set.
            models.CheckConstraint(
                condition=models.Q(place__isnull=True) | models.Q(set__isnull=False), name="assignment_place_in_set"
            ),
            models.CheckConstraint(
                condition=models.Q(purpose="repeat", repeat_of__isnull=False)
                | (~models.Q(purpose="repeat") & models.Q(repeat_of__isnull=True)),
                name="assignment_repeat_of",
            ),
        )
        indexes = (
            models.Index(fields=("rater", "state", "order"), name="assignment_next"),
            # For the monitor: answers unit by unit, and assignments that hold no place (selectors/progress.py).
            models.Index(
                fields=("set", "unit"),
                condition=models.Q(state="submitted", place__isnull=False),
                name="assignment_answered",
            ),
            models.Index(
                fields=("unit",),
                condition=models.Q(state__in=list(AssignmentState.BESIDE)),
                name="assignment_beside",
            ),
        )

    def __str__(self) -> str:
        return f"{self.rater}: {self.unit}"


class Draft(models.Model):
    """An answer on its way; an older one never overwrites a newer."""

    assignment = models.OneToOneField(Assignment, models.CASCADE, primary_key=True, related_name="draft")
    counter = models.PositiveBigIntegerField(default=0)
    answer: "models.JSONField[Any, Any]" = models.JSONField(default=dict)
    saved_at = created_at_field()

    def __str__(self) -> str:
        return f"{self.assignment} ({self.counter})"


class JudgmentSkip(models.TextChoices):
    UPSETTING = "upsetting", _("It upsets me")
    CANNOT_JUDGE = "cannot_judge", _("I cannot judge this")
    TECHNICAL = "technical", _("Something does not work")
    OTHER = "other", _("Another reason")
    # No rater chooses this: the time for answering was over before the answer was complete.
    TIME_OVER = "time_over", _("The time was over")

    # These never count against anyone.
    BLAMELESS = nonmember(("upsetting", "technical", "time_over"))
    # The reasons that raters choose from.
    CHOSEN = nonmember(("upsetting", "cannot_judge", "technical", "other"))

    @classmethod
    def to_choose(cls) -> list[tuple[str, Any]]:
        """Return the reasons that raters choose from, with their words."""
        return [(value, label) for value, label in cls.choices if value in cls.CHOSEN]


def is_current(judgment: str, *, until: str = "") -> str:
    """Return the SQL condition that no later answer has replaced a judgment.

    `judgment` is the alias of its table in the statement. With `until`, a parameter or an id, later answers above it
    are unknown: the judgment was current then. `JudgmentQuerySet.current` is the same for querysets.
    """
    known = f" AND later.id <= {until}" if until else ""
    return f"NOT EXISTS (SELECT 1 FROM tasks_app_judgment later WHERE later.replaces_id = {judgment}.id{known})"  # noqa: S608  aliases and parameters of ours


class JudgmentQuerySet(models.QuerySet["Judgment"]):
    """Judgments, of which a changed answer has several."""

    def current(self, *, until: int | None = None) -> Self:
        """Keep the current answer to each assignment; with `until`, the one that was when this id was the last."""
        later = Judgment.objects.filter(replaces=models.OuterRef("pk"))
        if until is None:
            return self.filter(~models.Exists(later))
        return self.filter(~models.Exists(later.filter(pk__lte=until)), pk__lte=until)


# The beginning of the name that an imported judgment has in its answer if it was taken over from an earlier study; the
# slug of that study and the number of the judgment there follow.
TAKEN_FROM = "taken-from:"


class Judgment(models.Model):
    """The answer to an assignment, as given, never changed. A trigger keeps it so."""

    Skip = JudgmentSkip

    assignment = models.ForeignKey(Assignment, models.PROTECT, related_name="judgments")
    submission = models.UUIDField()
    replaces = models.OneToOneField("self", models.PROTECT, null=True, blank=True, related_name="replaced_by")
    answer: "models.JSONField[Any, Any]" = models.JSONField(default=dict)
    skip_reason = models.CharField(max_length=20, choices=Skip, blank=True)
    comment = models.TextField(blank=True)
    seconds_active = models.FloatField(null=True, blank=True)
    seconds_elapsed = models.FloatField(null=True, blank=True)
    log: "models.JSONField[Any, Any]" = models.JSONField(default=list, blank=True)
    # What happened to the time of a text with a set time: `Clock.record`, and `unfinished`, an answer that was not
    # complete when the time was over. Null for other texts.
    timing: "models.JSONField[Any, Any]" = models.JSONField(null=True, blank=True)
    # Of a task on another site that the rater had opened: the seconds until the answer, and the events until then.
    elsewhere: "models.JSONField[Any, Any]" = models.JSONField(null=True, blank=True)
    version = models.PositiveIntegerField()
    submitted_at = created_at_field()

    objects = JudgmentQuerySet.as_manager()

    class Meta:
        ordering = ("id",)
        constraints = (
            models.UniqueConstraint(fields=("assignment", "submission"), name="judgment_submission"),
            models.UniqueConstraint(
                fields=("assignment",), condition=models.Q(replaces__isnull=True), name="judgment_first"
            ),
            models.CheckConstraint(
                condition=models.Q(skip_reason__in=["", *JudgmentSkip.values]), name="judgment_skip_reason"
            ),
            # A null is no measurement, and passes.
            models.CheckConstraint(
                condition=models.Q(seconds_active__gte=0) & models.Q(seconds_elapsed__gte=0), name="judgment_seconds"
            ),
        )

    def __str__(self) -> str:
        return f"{self.assignment}"


class ControlResult(models.Model):
    """Comparison of a judgment with gold; never shown to raters."""

    judgment = models.ForeignKey(Judgment, models.PROTECT, related_name="control_results")
    gold = models.ForeignKey(Gold, models.PROTECT, related_name="results")
    passed = models.BooleanField()
    detail: "models.JSONField[Any, Any]" = models.JSONField(default=dict, blank=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("judgment", "gold"), name="control_result_once"),)

    def __str__(self) -> str:
        return f"{self.judgment}: {'passed' if self.passed else 'failed'}"


class Rating(models.Model):
    """One value out of a judgment. Append-only; task, rater and unit are copied since rows never change."""

    judgment = models.ForeignKey(Judgment, models.PROTECT, related_name="ratings", db_index=False)
    task = models.ForeignKey(Task, models.PROTECT, related_name="+", db_index=False)
    rater = models.ForeignKey(Rater, models.PROTECT, related_name="+")
    unit = models.ForeignKey(Unit, models.PROTECT, related_name="+")
    part = models.ForeignKey(Part, models.PROTECT, null=True, related_name="+", db_index=False)
    part_b = models.ForeignKey(Part, models.PROTECT, null=True, related_name="+", db_index=False)
    criterion = models.ForeignKey(Criterion, models.PROTECT, null=True, related_name="+", db_index=False)
    number = models.PositiveIntegerField(default=1)
    value = models.FloatField(null=True)
    label = models.TextField(null=True)  # noqa: DJ001  no label and an empty label differ
    text = models.TextField(null=True)  # noqa: DJ001  no text and an empty text differ
    shown_value = models.FloatField(null=True)
    span_side = models.CharField(max_length=10, null=True)  # noqa: DJ001  null where there is no span
    span_start = models.PositiveIntegerField(null=True)
    span_end = models.PositiveIntegerField(null=True)
    category = models.CharField(max_length=200, null=True)  # noqa: DJ001  null where there is no span
    severity = models.CharField(max_length=40, null=True)  # noqa: DJ001  null where there is no span
    # A mark in a text that came with marks: own, kept or changed; and the number of the mark that it was, from 1.
    mark_origin = models.CharField(max_length=10, null=True)  # noqa: DJ001  null where the text came without marks
    mark_of = models.PositiveSmallIntegerField(null=True)
    # Why a mark is an error, where the study asks.
    mark_reason = models.TextField(null=True)  # noqa: DJ001  null where no reason was given

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("judgment", "part", "part_b", "criterion", "number"),
                nulls_distinct=False,
                name="rating_once",
            ),
            models.CheckConstraint(
                condition=models.Q(span_start__isnull=True) | models.Q(span_start__lt=models.F("span_end")),
                name="rating_span_order",
            ),
            models.CheckConstraint(
                condition=models.Q(span_side__isnull=True, span_start__isnull=True, span_end__isnull=True)
                | models.Q(
                    span_side__isnull=False,
                    span_side__in=["source", "output"],
                    span_start__isnull=False,
                    span_end__isnull=False,
                ),
                name="rating_span_whole",
            ),
            models.CheckConstraint(
                condition=models.Q(mark_origin__isnull=True, mark_of__isnull=True)
                | models.Q(mark_origin__isnull=False, mark_origin="own", mark_of__isnull=True)
                | models.Q(mark_origin__isnull=False, mark_origin__in=["kept", "changed"], mark_of__isnull=False),
                name="rating_mark_origin",
            ),
            # PostgreSQL's float8 can hold NaN and infinities; a rating cannot.
            models.CheckConstraint(
                condition=models.Q(value__isnull=True)
                | (models.Q(value__lt=float("inf")) & models.Q(value__gt=float("-inf"))),
                name="rating_value_finite",
            ),
        )
        indexes = (
            models.Index(fields=("task", "id"), name="rating_task"),
            # Nothing looks ratings up by these; without them, deleting a part reads all ratings of the site.
            models.Index(fields=("part",), name="rating_part", condition=models.Q(part__isnull=False)),
            models.Index(fields=("part_b",), name="rating_part_b", condition=models.Q(part_b__isnull=False)),
            BrinIndex(fields=("id",), name="rating_id_brin"),
        )

    def __str__(self) -> str:
        return f"{self.judgment}: {self.value if self.value is not None else self.label}"


class Erasure(models.Model):
    """The tombstone of a judgment that was erased at a rater's request: totals stay right."""

    study = models.ForeignKey(Study, models.PROTECT, related_name="erasures")
    assignment = models.ForeignKey(Assignment, models.PROTECT, related_name="erasures")
    ratings = models.PositiveIntegerField()
    at = created_at_field()

    def __str__(self) -> str:
        return f"{self.assignment}"
