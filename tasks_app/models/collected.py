"""Texts and marks that raters made in one study and others judge in another: their origin, and who never gets them."""

from typing import Any

from django.db import models

from tasks_app.models.items import Unit
from tasks_app.models.raters import Payment, Rater
from tasks_app.models.study import Study


class CollectedText(models.Model):
    """An author of a text that a study verifies; a text that several people wrote has a row for each.

    `item` and `digest` name the text in the verifying study, `rating` and `judgment` the answer that it was in
    `origin`. `persons` are keyed digests of the ids under which evalweb knew the author, by which they are never given
    the text. The digests stay when the author is erased, and say nothing without the server's secret.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="collected_texts")
    item = models.CharField(max_length=100)
    digest = models.CharField(max_length=64)
    origin = models.ForeignKey(Study, models.SET_NULL, null=True, related_name="texts_verified")
    origin_slug = models.CharField(max_length=80)
    origin_item = models.CharField(max_length=100)
    author = models.ForeignKey(Rater, models.SET_NULL, null=True, related_name="texts_verified")
    author_name = models.CharField(max_length=40, blank=True)
    # Plain numbers, since answers are deleted when their author is erased.
    judgment = models.PositiveBigIntegerField(null=True)
    rating = models.PositiveBigIntegerField(null=True)
    persons: "models.JSONField[Any, Any]" = models.JSONField(default=list, blank=True)
    bonus = models.ForeignKey(Payment, models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ("id",)
        constraints = (models.UniqueConstraint(fields=("study", "rating"), name="collected_once"),)
        indexes = (models.Index(fields=("rating",), name="collected_rating"),)

    def __str__(self) -> str:
        return f"{self.study}: {self.item}"


class MarkAuthor(models.Model):
    """A rater of an earlier study who made marks that texts come with, under a name that only this study uses.

    `name` is the name in `given_by` of prefill.csv. `persons` are keyed digests of the ids under which evalweb knew the
    rater, by which they are never given their own marks. The digests stay when the rater is erased, and say nothing
    without the server's secret.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="mark_authors")
    name = models.CharField(max_length=100)
    origin = models.ForeignKey(Study, models.SET_NULL, null=True, related_name="marks_given")
    origin_slug = models.CharField(max_length=80)
    author = models.ForeignKey(Rater, models.SET_NULL, null=True, related_name="marks_given")
    author_name = models.CharField(max_length=40, blank=True)
    persons: "models.JSONField[Any, Any]" = models.JSONField(default=list, blank=True)

    class Meta:
        ordering = ("id",)
        constraints = (models.UniqueConstraint(fields=("study", "name"), name="mark_author_once"),)

    def __str__(self) -> str:
        return f"{self.study}: {self.name}"


class OwnUnit(models.Model):
    """A unit that is never given to the rater: a text that they wrote in another study, or with only their marks."""

    rater = models.ForeignKey(Rater, models.CASCADE, related_name="own_units")
    unit = models.ForeignKey(Unit, models.CASCADE, related_name="+")

    class Meta:
        constraints = (models.UniqueConstraint(fields=("rater", "unit"), name="own_unit_once"),)

    def __str__(self) -> str:
        return f"{self.rater}: {self.unit}"
