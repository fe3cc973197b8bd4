"""Manual exclusions, each with a written reason."""

import numpy as np
from django.utils.translation import gettext_lazy as _
from numpy.typing import NDArray

from analytics_app.quality.base import Removal, Rule, RuleSample, Target, register
from analytics_app.ratings import Mask, Table


@register
class Manual(Rule):
    """Remove raters, judgments and ratings that a person excluded, on pages that show no system."""

    label = _("By hand")
    summary = _("Leaves out raters and judgments that were excluded by hand, each with a written reason.")
    source = "Decided by a person; the reason is printed."
    order = 10
    strict = frozenset()

    def remove(self, sample: RuleSample) -> Removal:
        """Exclude the ratings of raters and judgments that a person excluded."""
        removed = np.zeros(len(sample.table), dtype=bool)
        removals = []
        for target in ("rater", "judgment", "rating"):
            removal = _of_kind(sample, target, removed)
            removed |= removal.mask
            if len(removal.ids):
                removals.append(removal)
        if not removals:
            return Removal.nothing(sample)
        first, *others = removals
        return Removal(removed, first.target, first.ids, first.reasons, more=tuple(others))


def _of_kind(sample: RuleSample, target: Target, removed: Mask) -> Removal:
    """Remove the exclusions of one kind, as far as their ratings are still in the sample."""
    excluded = {exclusion.id: exclusion for exclusion in sample.by_hand if exclusion.target == target}
    keys = _keys(sample.table, target)
    mask = np.isin(keys, list(excluded)) & ~removed
    ids = np.unique(np.r_[keys[mask], _unrated(sample, target, list(excluded))])
    return Removal(mask, target, ids, tuple(excluded[int(number)].reason for number in ids))


def _unrated(sample: RuleSample, target: Target, excluded: list[int]) -> NDArray[np.int64]:
    """Return the excluded raters or judgments among the answers without a rating."""
    judgments, unrated = sample.table.judgments, sample.unrated
    of_raters = target == "rater"
    keys = sample.table.names.rater_ids[judgments.rater[unrated]] if of_raters else judgments.id[unrated]
    return keys[np.isin(keys, excluded)] if target != "rating" else keys[:0]


def _keys(table: Table, target: Target) -> NDArray[np.int64]:
    if target == "rater":
        return table.names.rater_ids[table.rater]
    return table.judgments.id[table.judgment] if target == "judgment" else table.id
