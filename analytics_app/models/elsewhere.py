"""Values that were measured elsewhere and are analysed here: scores of texts, outcomes of raters."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from tasks_app.models import Item, Rater, Study, System


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
