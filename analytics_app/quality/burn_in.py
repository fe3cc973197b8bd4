"""Burn-in: exclude the first judgments of every rater, given before they know the scale."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from django import forms
from django.utils.translation import gettext_lazy as _

from analytics_app.quality.base import Removal, Rule, RuleSample
from analytics_app.quality.registry import register
from analytics_app.ratings import Judgments
from tasks_app.study_settings import Block


@register
class BurnIn(Rule):
    """Remove the first n judgments of every rater in a task, by the place at which a unit was first shown.

    Places are counted among the rater's main judgments, whatever other rules remove.
    """

    label = _("Burn-in")
    summary = _("Leaves out the first judgments of every rater.")
    source = "Kim and Kim (2022). Vacillating human correlation of SacreBLEU in unprotected languages. HumEval."
    caution = _(
        "For data from elsewhere. A study of your own uses warm-up units instead: a burn-in takes judgments from "
        "whichever systems happened to come first."
    )
    order = 20

    class Settings(Block):
        n = forms.IntegerField(min_value=1, max_value=1000, initial=10, label=_("Judgments to leave out"))

    def remove(self, sample: RuleSample, settings: Mapping[str, object]) -> Removal:
        """Mark the ratings of judgments at places 1 to n."""
        n = int(str(settings["n"]))
        table = sample.table
        place = places(table.judgments)
        here = np.union1d(table.judgment, sample.unrated).astype(np.int64)
        gone = here[place[here] <= n]
        return Removal(
            mask=place[table.judgment] <= n,
            target="judgment",
            ids=table.judgments.id[gone],
            reasons=tuple(f"place {place[one]} of the rater, among the first {n}" for one in gone),
            values=place[gone].astype(float),
            limits=np.full(len(gone), float(n)),
        )


def places(judgments: Judgments) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Number each judgment within its rater, from 1, in the order in which the units were first shown."""
    sorted_by = np.lexsort((judgments.id, judgments.order, judgments.rater))
    rater = judgments.rater[sorted_by]
    begins = np.r_[True, rater[1:] != rater[:-1]] if len(rater) else np.empty(0, dtype=bool)
    index = np.arange(len(rater))
    first = np.maximum.accumulate(np.where(begins, index, 0)) if len(rater) else index
    place = np.empty(len(rater), dtype=np.int64)
    place[sorted_by] = index - first + 1
    return place
