"""Burn-in: exclude the first judgments of every rater, given before they know the scale."""

import numpy as np
from django.utils.translation import gettext_lazy as _

from analytics_app.quality.base import Removal, Rule, RuleSample, register, shared
from analytics_app.ratings import Judgments
from tasks_app.settings.fields import whole_field


@register
class BurnIn(Rule):
    """Remove the first n judgments of every rater in a task, in the order in which units were first shown.

    Positions are counted among all of the rater's main judgments, including those that other rules remove.
    """

    label = _("Burn-in")
    summary = _("Leaves out the first judgments of every rater.")
    source = "Kim and Kim (2022). Vacillating human correlation of SacreBLEU in unprotected languages. HumEval."
    caution = _(
        "For data from elsewhere. A study of your own uses warm-up units instead: a burn-in takes judgments from "
        "whichever systems happened to come first."
    )
    order = 20

    n = whole_field(_("Judgments to leave out"), within=(1, 1000), initial=10)

    def remove(self, sample: RuleSample) -> Removal:
        """Exclude judgments at positions 1 to n."""
        n = self.n
        table = sample.table
        place_of = places(table.judgments)
        counted = np.union1d(table.judgment, sample.unrated).astype(np.int64)
        removed = counted[place_of[counted] <= n]
        return Removal(
            mask=place_of[table.judgment] <= n,
            target="judgment",
            ids=table.judgments.id[removed],
            reasons=shared(f"place {place_of[code]} of the rater, among the first {n}" for code in removed),
            values=place_of[removed].astype(float),
            limits=np.full(len(removed), float(n)),
        )


def places(judgments: Judgments) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Number each judgment within its rater, from 1, in the order in which the units were first shown."""
    sorted_by = np.lexsort((judgments.id, judgments.order, judgments.rater))
    rater = judgments.rater[sorted_by]
    begins = np.r_[True, rater[1:] != rater[:-1]] if len(rater) else np.empty(0, dtype=bool)
    index = np.arange(len(rater))
    starts = np.maximum.accumulate(np.where(begins, index, 0)) if len(rater) else index
    numbers = np.empty(len(rater), dtype=np.int64)
    numbers[sorted_by] = index - starts + 1
    return numbers
