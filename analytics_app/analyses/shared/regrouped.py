"""Analyses that compare groups of raters: those of the study, or groups by an attribute of raters."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from django.core.exceptions import ValidationError
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from numpy.typing import NDArray

from analytics_app.analyses.base import Analysis, Sample
from analytics_app.analyses.shared.rater_groups import RaterSlice, grouped
from analytics_app.ratings import Extra
from analytics_app.ratings.extras.rater_attributes import RaterAttributes
from tasks_app.settings.fields import LineField


def _validate_attribute(text: str) -> None:
    """Refuse a text that names no attribute of raters."""
    if RaterSlice.read(text) is None:
        raise ValidationError(
            gettext("Name an answer of raters about themselves, such as rater_gender or rater_age (30, 50)."),
            code="attribute",
        )


class GroupsOfRaters(Analysis):
    """An analysis that compares groups of raters, with a setting that chooses the groups."""

    groups_by = LineField(
        required=False,
        initial="",
        max_length=120,
        validators=[_validate_attribute],
        label=_("Groups of raters by"),
        help_text=_(
            "An answer of raters about themselves, such as rater_gender or rater_age (30, 50). Leave empty to compare "
            "the groups of the study."
        ),
    )

    @property
    def attribute(self) -> RaterSlice | None:
        """Return the attribute by which raters are grouped; None for the groups of the study."""
        return RaterSlice.read(self.groups_by) if self.groups_by else None

    def needed(self) -> frozenset[type[Extra]]:
        """Return the extras of the analysis, and attributes of raters where it groups by one."""
        return super().needed() | frozenset({RaterAttributes} if self.groups_by else ())

    def regrouped(self, sample: Sample) -> tuple[Sample, NDArray[np.int32] | None]:
        """Return the sample with the groups that the settings choose, and the group of each rater, -1 for none.

        The groups are None for the groups of the study, which the sample has already.
        """
        by = self.attribute
        if by is None:
            return sample, None
        table = sample.table
        words = sample.extras[RaterAttributes].words.get(by.attribute)
        known: list[Any] = [] if words is None else words.tolist()
        code, names = grouped(known or [""] * len(table.names.raters), by.limits)
        group = code.astype(np.int32)
        judgments = replace(table.judgments, group=group[table.judgments.rater])
        all_names = replace(table.names, groups=tuple(f"{by.attribute}={name}" for name in names))
        return replace(sample, table=replace(table, judgments=judgments, names=all_names)), group
