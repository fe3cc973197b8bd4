"""Values of texts and raters that are no ratings: scores of metrics, imported or computed here, and outcomes."""

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from tasks_app.models import ImportWork, Item, Rater, Study, System
from tasks_app.models.base import choice_constraint


class MetricScore(models.Model):
    """An automatic metric's score, for one output or for a system as a whole."""

    class Source(models.TextChoices):
        UPLOADED = "uploaded", _("uploaded")
        COMPUTED = "computed", _("computed")

    study = models.ForeignKey(Study, models.CASCADE, related_name="metric_scores")
    metric = models.CharField(max_length=100)
    item = models.ForeignKey(Item, models.PROTECT, null=True, blank=True, related_name="+")
    system = models.ForeignKey(System, models.PROTECT, related_name="+")
    value = models.FloatField()
    source = models.CharField(max_length=10, choices=Source)
    signature = models.CharField(max_length=300, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("study", "metric", "item", "system"), nulls_distinct=False, name="metric_score_once"
            ),
            models.CheckConstraint(condition=models.Q(source__in=["uploaded", "computed"]), name="metric_score_source"),
        )

    def __str__(self) -> str:
        return f"{self.metric}: {self.system}"


class ScoreWork(models.Model):
    """Computation of metric scores by a worker: the newest one that was asked for in a study.

    `given` has the metrics, the tokenizer, the key of the system whose texts are the references ("" for those of the
    items), and whether scores that are there already are replaced. `progress` is a sentence on what the worker does.
    `summary` counts the stored scores, and `notes` are sentences about them, or why nothing was stored.
    """

    State = ImportWork.State

    study = models.OneToOneField(Study, models.CASCADE, related_name="score_work")
    given: "models.JSONField[Any, Any]" = models.JSONField()
    state = models.CharField(max_length=10, choices=State, default=State.QUEUED)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    asked_at = models.DateTimeField(db_default=Now())
    progress = models.CharField(max_length=200, blank=True)
    summary = models.CharField(max_length=200, blank=True)
    notes: "models.JSONField[Any, Any]" = models.JSONField(default=list)

    class Meta:
        constraints = (choice_constraint("state", ImportWork.State, "score_work_state"),)

    def __str__(self) -> str:
        return f"{self.study}: {self.state}"

    @property
    def is_under_way(self) -> bool:
        """Whether a worker is computing, or will."""
        return self.state not in {self.State.DONE, self.State.REFUSED}


class MeasuredOutcome(models.Model):
    """A value that was measured outside this program for one rater in one wave, such as calories or a test score."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="measured_outcomes")
    rater = models.ForeignKey(Rater, models.CASCADE, related_name="measured_outcomes")
    wave = models.PositiveIntegerField()
    outcome = models.CharField(max_length=100)
    value = models.FloatField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("rater", "wave", "outcome"), name="measured_outcome_once"),
            models.CheckConstraint(
                condition=models.Q(value__lt=float("inf")) & models.Q(value__gt=float("-inf")),
                name="measured_outcome_finite",
            ),
        )

    def __str__(self) -> str:
        return f"{self.outcome}: {self.rater}, {self.wave}"
