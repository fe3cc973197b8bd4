"""The rest of a deleted study: its identity, its log, and the payments of its raters."""

from django.conf import settings
from django.db import models

from tasks_app.models.base import choice_constraint, created_at_field
from tasks_app.models.raters import PaymentKind
from tasks_app.models.study import StudyState


class DeletedStudy(models.Model):
    """A study that was deleted with all its texts and answers.

    `number` is the id that its row had, `digest` tells it from a study of another site with the same number
    (services/tombstones.py). `owners` are the people who owned it then: they may read what is kept.
    """

    number = models.PositiveBigIntegerField(unique=True)
    digest = models.CharField(max_length=64)
    slug = models.SlugField(max_length=80)
    title = models.CharField(max_length=200)
    state = models.CharField(max_length=10, choices=StudyState)
    currency = models.CharField(max_length=3, blank=True)
    # What the page behind the links of its raters needs.
    language = models.CharField(max_length=35, default="en")
    contact = models.TextField(blank=True)
    n_raters = models.PositiveIntegerField(default=0)
    n_judgments = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField()
    opened_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    deleted_at = created_at_field()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    owners: "models.ManyToManyField[models.Model, models.Model]" = models.ManyToManyField(
        settings.AUTH_USER_MODEL, blank=True, related_name="+"
    )

    class Meta:
        verbose_name_plural = "deleted studies"
        ordering = ("-deleted_at", "-id")
        indexes = (models.Index(fields=("slug",), name="deleted_slug"),)
        constraints = (choice_constraint("state", StudyState, "deleted_state"),)

    def __str__(self) -> str:
        return self.title


class KeptPayment(models.Model):
    """A payment of a deleted study, for the accounts: the amount and the made-up name of the rater."""

    study = models.ForeignKey(DeletedStudy, models.PROTECT, related_name="payments")
    rater = models.CharField(max_length=40)
    channel = models.CharField(max_length=40)
    kind = models.CharField(max_length=10, choices=PaymentKind)
    amount = models.DecimalField(max_digits=10, decimal_places=2)
    reason = models.TextField(blank=True)
    settled_at = models.DateTimeField(null=True, blank=True)
    at = models.DateTimeField()

    class Meta:
        ordering = ("study", "id")
        constraints = (choice_constraint("kind", PaymentKind, "kept_payment_kind"),)

    def __str__(self) -> str:
        return f"{self.rater}: {self.amount}"


class DeletedLink(models.Model):
    """The hash of a link that led to a deleted study: its open link, or a rater's own.

    Whoever follows it learns that the study was deleted. It leads to no rater, since nothing else of them is left.
    """

    study = models.ForeignKey(DeletedStudy, models.CASCADE, related_name="links")
    token_hash = models.CharField(max_length=64, unique=True)

    def __str__(self) -> str:
        return self.token_hash[:12]
