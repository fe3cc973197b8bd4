"""Coding of free-text answers: a codebook for each question, two coders, and the codes of each for every answer."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from tasks_app.models.base import created_at_field
from tasks_app.models.judgments import Rating
from tasks_app.models.study import Study


class Codebook(models.Model):
    """The codes for the answers to one question, named by the key that its criterion has in every version.

    The codes can be changed until coding begins.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="codebooks")
    criterion = models.CharField(max_length=100)
    begun_at = models.DateTimeField(null=True, blank=True)
    created_at = created_at_field()

    class Meta:
        ordering = ("id",)
        constraints = (models.UniqueConstraint(fields=("study", "criterion"), name="codebook_once"),)

    def __str__(self) -> str:
        return f"{self.study}: codebook of {self.criterion}"


class Code(models.Model):
    """A code of a codebook; names are unique, and stand in coded answers."""

    codebook = models.ForeignKey(Codebook, models.CASCADE, related_name="codes")
    name = models.CharField(max_length=100)
    definition = models.TextField(blank=True)
    order = models.PositiveIntegerField()

    class Meta:
        ordering = ("codebook", "order")
        constraints = (models.UniqueConstraint(fields=("codebook", "name"), name="code_once"),)

    def __str__(self) -> str:
        return self.name


class Coder(models.Model):
    """One of the two people who code the answers to a question, each without seeing the other's codes."""

    codebook = models.ForeignKey(Codebook, models.CASCADE, related_name="coders")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    number = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ("codebook", "number")
        constraints = (
            models.UniqueConstraint(fields=("codebook", "number"), name="coder_number_once"),
            models.UniqueConstraint(fields=("codebook", "user"), name="coder_once"),
            models.CheckConstraint(condition=models.Q(number__in=[1, 2]), name="two_coders"),
        )

    def __str__(self) -> str:
        return f"{self.codebook}: coder {self.number}"


class CodedAnswer(models.Model):
    """The names of the codes that a coder gave an answer, none where no code fits; without a coder, those agreed on."""

    codebook = models.ForeignKey(Codebook, models.CASCADE, related_name="coded")
    rating = models.ForeignKey(Rating, models.CASCADE, related_name="coded")
    coder = models.ForeignKey(Coder, models.CASCADE, null=True, blank=True, related_name="coded")
    codes = models.JSONField(default=list, blank=True)
    at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        ordering = ("id",)
        constraints = (models.UniqueConstraint(fields=("rating", "coder"), nulls_distinct=False, name="coded_once"),)

    def __str__(self) -> str:
        return f"{self.codebook}: {self.rating_id}"
