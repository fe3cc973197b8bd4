"""Base classes of tables."""

from typing import Any, ClassVar

from django.core.validators import RegexValidator
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

KEY_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$"

key_validator = RegexValidator(
    KEY_PATTERN,
    _("Use letters, digits, dots, hyphens and underscores, at most 100, beginning with a letter or digit."),
)


def key_field(**options: Any) -> "models.CharField[str, str]":
    """Return a column for a name that a researcher gives a row and that files and exports use."""
    return models.CharField(max_length=100, validators=[key_validator], **options)


def created_at_field() -> "models.DateTimeField[Any, Any]":
    """Return a column that the database's clock fills; the application's clock is never trusted for time."""
    return models.DateTimeField(db_default=Now(), editable=False)


class Versioned(models.Model):
    """A row of the design: immutable once a frozen version holds it.

    An edit closes the row (`until` = the last version that has it) and adds one with the same key. A trigger
    of the first migration refuses every other change.
    """

    since = models.PositiveIntegerField(default=1)
    until = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        abstract = True

    LIVE: ClassVar[models.Q] = models.Q(until__isnull=True)


def choice_constraint(column: str, choices: type[models.TextChoices], name: str) -> models.CheckConstraint:
    """Return a constraint that keeps `column` within `choices`, also against plain SQL."""
    return models.CheckConstraint(condition=models.Q(**{f"{column}__in": choices.values}), name=name)
