"""Ratings by an attribute of their raters, such as rater_gender, or rater_age (30, 50) with limits between groups."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from numpy.typing import NDArray

from analytics_app.analyses.base import Sample
from analytics_app.analyses.shared.value_groups import as_numbers, between_limits
from analytics_app.ratings import Mask
from analytics_app.ratings.extras.rater_attributes import ATTRIBUTE, RaterAttributes

# Up to so many different numbers are groups of their own; more are cut into a few groups of about equal size.
MOST_VALUES, GROUPS = 12, 3

_LIMITED = re.compile(r"([^()]+?)\s*(?:\(([^()]*)\))?")


def read_slice(text: str, prefix: str) -> tuple[str, tuple[float, ...] | None] | None:
    """Read the name of an attribute with this prefix, and the limits behind it; None where it has another beginning.

    Raises ValidationError for limits that do not rise.
    """
    match = _LIMITED.fullmatch(text.strip())
    # A prefix alone names nothing.
    if match is None or not match[1].startswith(prefix) or match[1] == prefix:
        return None
    if match[2] is None:
        return match[1], None
    try:
        limits = tuple(float(part) for part in match[2].split(","))
    except ValueError:
        limits = ()
    if not limits or not all(map(isfinite, limits)) or list(limits) != sorted(set(limits)):
        raise ValidationError(
            _("Limits are rising numbers with commas between them, such as %(prefix)s… (30, 50).") % {"prefix": prefix},
            code="limits",
        )
    return match[1], limits


@dataclass(frozen=True, slots=True)
class RaterSlice:
    """An attribute of raters, and perhaps the limits between groups of its numbers."""

    attribute: str
    limits: tuple[float, ...] | None = None

    @classmethod
    def read(cls, text: str) -> RaterSlice | None:
        """Read a slice; None for the name of a feature of items. Raises ValidationError for limits that do not rise."""
        found = read_slice(text, ATTRIBUTE)
        return None if found is None else cls(*found)

    def parts(self, sample: Sample) -> Iterator[tuple[str, Mask]]:
        """Yield the name and the ratings of each group of raters of a sample; nothing where no rater has a value."""
        words = sample.extras[RaterAttributes].words.get(self.attribute)
        if words is None or not len(sample.table):
            return
        code, names = grouped(words.tolist(), self.limits)
        of_rating = code[sample.table.rater]
        for place, name in enumerate(names):
            yield f"{self.attribute}={name}", np.asarray(of_rating == place, dtype=bool)


def grouped(words: Sequence[str], limits: Sequence[float] | None) -> tuple[NDArray[np.int64], Sequence[str]]:
    """Return the group of each rater, -1 without a value, and the names of the groups, numbers in their order."""
    values = [word or None for word in words]
    numbers = as_numbers(values)
    known = {word for word in words if word}
    if numbers is None or not known:
        names = sorted(known)
        places = {name: place for place, name in enumerate(names)}
        return np.array([places.get(word, -1) for word in words], dtype=np.int64), names
    n_values = len(np.unique(numbers[~np.isnan(numbers)]))
    n_groups = n_values if n_values <= MOST_VALUES else GROUPS
    return between_limits(numbers, np.ones(len(numbers), dtype=bool), n_groups, limits)
