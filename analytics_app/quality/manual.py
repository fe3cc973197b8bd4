"""Exclusions by hand, each with a written reason."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from django.utils.translation import gettext_lazy as _
from numpy.typing import NDArray

from analytics_app.quality.base import Removal, Rule, RuleSample, Target
from analytics_app.quality.registry import register
from analytics_app.ratings import Mask, Table


@register
class Manual(Rule):
    """Remove raters, judgments and ratings that a person excluded, on pages that show no system."""

    label = _("By hand")
    summary = _("Leaves out raters and judgments that were excluded by hand, each with a written reason.")
    source = "Decided by a person; the reason is printed."
    order = 10

    def remove(self, sample: RuleSample, settings: Mapping[str, object]) -> Removal:
        """Mark the ratings of whoever and whatever was excluded."""
        gone = np.zeros(len(sample.table), dtype=bool)
        parts = []
        for target in ("rater", "judgment", "rating"):
            part = _of_kind(sample, target, gone)
            gone |= part.mask
            if len(part.ids):
                parts.append(part)
        if not parts:
            return Removal.nothing(sample)
        first, *rest = parts
        return Removal(gone, first.target, first.ids, first.reasons, more=tuple(rest))


def _of_kind(sample: RuleSample, target: Target, gone: Mask) -> Removal:
    """Remove what was excluded of one kind and has ratings that are still there."""
    excluded = {one.id: one for one in sample.by_hand if one.target == target}
    keys = _keys(sample.table, target)
    mask = np.isin(keys, list(excluded)) & ~gone
    ids = np.unique(np.r_[keys[mask], _unrated(sample, target, list(excluded))])
    return Removal(mask, target, ids, tuple(excluded[int(one)].reason for one in ids))


def _unrated(sample: RuleSample, target: Target, excluded: list[int]) -> NDArray[np.int64]:
    """Return what was excluded of the answers without a rating."""
    judgments, some = sample.table.judgments, sample.unrated
    of_raters = target == "rater"
    keys = sample.table.names.rater_ids[judgments.rater[some]] if of_raters else judgments.id[some]
    return keys[np.isin(keys, excluded)] if target != "rating" else keys[:0]


def _keys(table: Table, target: Target) -> NDArray[np.int64]:
    if target == "rater":
        return table.names.rater_ids[table.rater]
    return table.judgments.id[table.judgment] if target == "judgment" else table.id
