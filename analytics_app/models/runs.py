"""Plans, runs, exclusions, results, and their shared links and publications."""

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from analytics_app.results import UNCORRECTED
from tasks_app.models import Criterion, Judgment, Rater, Rating, Study, Task


class Plan(models.Model):
    """The analysis plan of a study; frozen at opening, it determines the planned run.

    `document` is the part `analysis` of the study file with every default filled in (analytics_app.plan).
    """

    study = models.ForeignKey(Study, models.PROTECT, related_name="analysis_plans")
    version = models.PositiveIntegerField()
    document: "models.JSONField[Any, Any]" = models.JSONField(default=dict)
    frozen_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("study", "version"), name="plan_once"),)

    def __str__(self) -> str:
        return f"{self.study} v{self.version}"


class RunState(models.TextChoices):
    QUEUED = "queued", _("queued")
    RUNNING = "running", _("running")
    DONE = "done", _("done")
    FAILED = "failed", _("failed")
    CANCELLED = "cancelled", _("cancelled")


class RunTrigger(models.TextChoices):
    DEMAND = "demand", _("on demand")
    CLOSING = "closing", _("when the study was closed")
    SCHEDULE = "schedule", _("after new judgments")
    COMMAND = "command", _("by a command")


# States of a run that is not finished.
UNFINISHED = (RunState.QUEUED, RunState.RUNNING)


class Run(models.Model):
    """One computation over an exact set of ratings; reproducible to the digit.

    The set is every rating of a counted judgment up to `high_water` (ratings) and `judgment_high_water`; `n_seen`
    counts the ratings. `settings` are a plan's document, `facts` are facts recorded during the computation.
    """

    State = RunState
    Trigger = RunTrigger

    study = models.ForeignKey(Study, models.PROTECT, related_name="runs")
    number = models.PositiveIntegerField()
    version = models.PositiveIntegerField()
    plan = models.ForeignKey(Plan, models.PROTECT, null=True, blank=True, related_name="runs")
    planned = models.BooleanField(default=False)
    trigger = models.CharField(max_length=10, choices=Trigger, default=Trigger.DEMAND)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    settings: "models.JSONField[Any, Any]" = models.JSONField(default=dict)
    facts: "models.JSONField[Any, Any]" = models.JSONField(default=dict, blank=True)
    seed = models.BigIntegerField()
    high_water = models.BigIntegerField()
    judgment_high_water = models.BigIntegerField()
    n_seen = models.PositiveBigIntegerField()
    digest = models.CharField(max_length=64)
    code_version = models.CharField(max_length=40)
    state = models.CharField(max_length=10, choices=State, default=State.QUEUED)
    error = models.TextField(blank=True)
    started = models.DateTimeField(null=True, blank=True)
    finished = models.DateTimeField(null=True, blank=True)
    erased_since = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        ordering = ("-id",)
        constraints = (
            models.UniqueConstraint(fields=("study", "number"), name="run_number"),
            models.UniqueConstraint(
                fields=("study", "digest"), condition=models.Q(state="done"), name="run_digest_once"
            ),
            models.CheckConstraint(condition=models.Q(state__in=RunState.values), name="run_state"),
            models.CheckConstraint(condition=models.Q(trigger__in=RunTrigger.values), name="run_trigger"),
            models.CheckConstraint(
                condition=models.Q(planned=False) | models.Q(plan__isnull=False), name="run_planned_has_plan"
            ),
        )

    def __str__(self) -> str:
        return f"{self.study} run {self.number}"

    @property
    def n_counted(self) -> int:
        """Return the number of ratings before any rule, in all tasks; until the run is done, that of all it sees.

        A run also sees the second answer to a repeated question on the same screen.
        """
        tasks = self.facts.get("tasks", {}).values()
        looked = self.state == RunState.DONE and any("ratings" in task for task in tasks)
        return sum(task.get("ratings", 0) for task in tasks) if looked else self.n_seen

    @property
    def uncorrected_tasks(self) -> tuple[str, ...]:
        """Return the keys of the tasks with numbers from before a correction that concerns them."""
        return tuple(key for key, facts in self.facts.get("tasks", {}).items() if facts.get(UNCORRECTED))

    @property
    def heeds_exclusions(self) -> bool:
        """Return whether its rules leave out manual exclusions."""
        return any(entry["rule"] == "manual" for entry in self.settings.get("rules", ()))


class RunPartState(models.TextChoices):
    WAITING = "waiting", _("waiting for another part")
    QUEUED = "queued", _("queued")
    RUNNING = "running", _("running")
    DONE = "done", _("done")
    FAILED = "failed", _("failed")


class RunPartKind(models.TextChoices):
    QUALITY = "quality", _("quality rules")
    CRITERION = "criterion", _("one criterion")
    TASK = "task", _("all criteria of a task")


class RunPart(models.Model):
    """A part of a run that one worker computes. This row has its state; the broker only notifies workers.

    The quality part of a task comes first; the others wait for it. `attempt` is the fencing token of the worker: the
    outcome of an earlier attempt is refused.
    """

    State = RunPartState
    Kind = RunPartKind

    run = models.ForeignKey(Run, models.CASCADE, related_name="parts")
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=10, choices=Kind)
    task = models.ForeignKey(Task, models.PROTECT, related_name="+")
    criterion = models.ForeignKey(Criterion, models.PROTECT, null=True, blank=True, related_name="+")
    state = models.CharField(max_length=10, choices=State, default=State.QUEUED)
    heartbeat = models.DateTimeField(null=True, blank=True)
    # When workers were last notified of the part; decision 132 says why it is called so.
    rung_at = models.DateTimeField(null=True, blank=True)
    attempt = models.PositiveSmallIntegerField(default=0)
    error = models.TextField(blank=True)
    seconds = models.FloatField(null=True, blank=True)
    # Digest of everything its rows depend on, and the number of the run they were taken over from.
    inputs = models.CharField(max_length=64, blank=True, db_default="")
    taken_from = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        ordering = ("run", "number")
        constraints = (
            models.UniqueConstraint(fields=("run", "number"), name="run_part_number"),
            models.UniqueConstraint(
                fields=("run", "kind", "task", "criterion"), nulls_distinct=False, name="run_part_once"
            ),
            models.CheckConstraint(condition=models.Q(state__in=RunPartState.values), name="run_part_state"),
            models.CheckConstraint(condition=models.Q(kind__in=RunPartKind.values), name="run_part_kind"),
        )
        indexes = (
            models.Index(
                fields=("state", "heartbeat"),
                condition=models.Q(state__in=["queued", "running"]),
                name="run_part_due",
            ),
            models.Index(fields=("inputs",), condition=~models.Q(inputs=""), name="run_part_inputs"),
        )

    def __str__(self) -> str:
        return f"{self.run}: {self.kind} {self.task}"


class Exclusion(models.Model):
    """The exclusion of a rater, judgment or rating from analysis. Nothing is deleted; a manual one has no `run`."""

    study = models.ForeignKey(Study, models.PROTECT, related_name="exclusions")
    run = models.ForeignKey(Run, models.CASCADE, null=True, blank=True, related_name="exclusions")
    # The task of the exclusion; null for a manual exclusion from all tasks.
    task = models.ForeignKey(Task, models.PROTECT, null=True, blank=True, related_name="+")
    rule = models.CharField(max_length=40)
    rater = models.ForeignKey(Rater, models.PROTECT, null=True, blank=True, related_name="exclusions")
    judgment = models.ForeignKey(Judgment, models.PROTECT, null=True, blank=True, related_name="exclusions")
    rating = models.ForeignKey(Rating, models.PROTECT, null=True, blank=True, related_name="exclusions")
    reason = models.TextField()
    value = models.FloatField(null=True, blank=True)
    limit = models.FloatField(null=True, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    lifted_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    lifted_at = models.DateTimeField(null=True, blank=True)
    at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=models.Q(rater__isnull=False, judgment__isnull=True, rating__isnull=True)
                | models.Q(rater__isnull=True, judgment__isnull=False, rating__isnull=True)
                | models.Q(rater__isnull=True, judgment__isnull=True, rating__isnull=False),
                name="exclusion_of_exactly_one",
            ),
            models.CheckConstraint(condition=~models.Q(reason=""), name="exclusion_has_reason"),
        )

    def __str__(self) -> str:
        return f"{self.rule}: {self.reason}"


class ResultRow(models.Model):
    """One number of the tidy results document; the columns are those of the export."""

    run = models.ForeignKey(Run, models.CASCADE, related_name="rows")
    order = models.PositiveIntegerField()
    analysis = models.CharField(max_length=60)
    statistic = models.CharField(max_length=60)
    task = models.CharField(max_length=100, null=True)  # noqa: DJ001  what does not apply is null
    criterion = models.CharField(max_length=100, null=True)  # noqa: DJ001
    system = models.CharField(max_length=100, null=True)  # noqa: DJ001
    system_b = models.CharField(max_length=100, null=True)  # noqa: DJ001
    label = models.TextField(null=True)  # noqa: DJ001
    rater = models.CharField(max_length=40, null=True)  # noqa: DJ001
    group = models.CharField(max_length=100, null=True)  # noqa: DJ001
    wave = models.PositiveIntegerField(null=True)
    slice = models.TextField(null=True)  # noqa: DJ001
    metric = models.CharField(max_length=100, null=True)  # noqa: DJ001
    metric_b = models.CharField(max_length=100, null=True)  # noqa: DJ001
    value = models.FloatField(null=True)
    low = models.FloatField(null=True)
    high = models.FloatField(null=True)
    se = models.FloatField(null=True)
    df = models.FloatField(null=True)
    p = models.FloatField(null=True)
    p_adjusted = models.FloatField(null=True)
    n_ratings = models.PositiveBigIntegerField(null=True)
    n_items = models.PositiveIntegerField(null=True)
    n_raters = models.PositiveIntegerField(null=True)
    basis = models.CharField(max_length=10)
    planned = models.BooleanField()
    settings: "models.JSONField[Any, Any]" = models.JSONField(null=True)
    note = models.TextField(null=True)  # noqa: DJ001
    # Whether the row distinguishes systems, so that it is hidden while the study is open. Not exported.
    by_system = models.BooleanField(default=False)

    class Meta:
        ordering = ("run", "order")
        constraints = (
            models.UniqueConstraint(fields=("run", "order"), name="result_row_order"),
            models.CheckConstraint(condition=models.Q(basis__in=["all", "kept"]), name="result_row_basis"),
        )

    def __str__(self) -> str:
        return f"{self.analysis} {self.statistic}"


class Plot(models.Model):
    """A chart drawn from result rows: `svg` for wide screens and downloads, `narrow` for phones."""

    run = models.ForeignKey(Run, models.CASCADE, related_name="plots")
    key = models.CharField(max_length=200)
    order = models.PositiveIntegerField(default=0)
    task = models.CharField(max_length=100, blank=True)
    criterion = models.CharField(max_length=100, blank=True)
    title = models.CharField(max_length=300, blank=True)
    by_system = models.BooleanField(default=False)
    spec: "models.JSONField[Any, Any]" = models.JSONField()
    svg = models.TextField(blank=True)
    narrow = models.TextField(blank=True)
    digest = models.CharField(max_length=64)

    class Meta:
        ordering = ("run", "order")
        constraints = (models.UniqueConstraint(fields=("run", "key"), name="plot_once"),)

    def __str__(self) -> str:
        return self.key


class ResultLift(models.Model):
    """A record that an owner showed results by system while the study was open; printed in the datasheet."""

    study = models.ForeignKey(Study, models.PROTECT, related_name="result_lifts")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    at = models.DateTimeField(db_default=Now(), editable=False)
    reason = models.TextField()

    def __str__(self) -> str:
        return f"{self.study}: {self.at}"


class ResultsLink(models.Model):
    """A link by which a person without an account reads the results of a run; only a hash of its token is stored.

    `name` tells whom it is for. It works until it expires or is ended.
    """

    WORKS = models.Q(ended_at=None, expires__gt=Now())

    run = models.ForeignKey(Run, models.PROTECT, related_name="links")
    name = models.CharField(max_length=100)
    token_hash = models.CharField(max_length=64, unique=True)
    expires = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    def __str__(self) -> str:
        return f"{self.run}: link {self.pk}"


class Datasheet(models.Model):
    """The answers of researchers for the datasheet of a study (analytics_app.heds).

    `answers` are by question number, `criterion_answers` by the key of a criterion first; each has its text, options,
    revision, author and time. The sheet with a `version` was frozen when that version was opened, with every answer
    known then.
    """

    study = models.ForeignKey(Study, models.PROTECT, related_name="datasheets")
    version = models.PositiveIntegerField(null=True, blank=True)
    answers: "models.JSONField[Any, Any]" = models.JSONField(default=dict, blank=True)
    criterion_answers: "models.JSONField[Any, Any]" = models.JSONField(default=dict, blank=True)
    frozen_at = models.DateTimeField(null=True, blank=True)
    digest = models.CharField(max_length=64, blank=True)
    run = models.ForeignKey(Run, models.PROTECT, null=True, blank=True, related_name="+")

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("study", "version"), nulls_distinct=False, name="datasheet_once"),
        )

    def __str__(self) -> str:
        return f"{self.study}"


class AgreementPoint(models.Model):
    """Alpha of a criterion from an automatic run; it is kept when the run is superseded and deleted.

    `criterion` is empty for all criteria together. It does not distinguish systems.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="agreement_points")
    task = models.CharField(max_length=100)
    criterion = models.CharField(max_length=100, blank=True)
    run_number = models.PositiveIntegerField()
    value = models.FloatField()
    low = models.FloatField(null=True)
    high = models.FloatField(null=True)
    n_ratings = models.PositiveBigIntegerField()
    at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("study", "task", "criterion", "run_number"), name="agreement_point_once"),
        )

    def __str__(self) -> str:
        return f"{self.study}: {self.value}"


class WorkerBeat(models.Model):
    """The time when a worker last answered on a queue."""

    queue = models.CharField(max_length=40, primary_key=True)
    at = models.DateTimeField(db_default=Now())
    host = models.CharField(max_length=200, blank=True)

    def __str__(self) -> str:
        return self.queue
