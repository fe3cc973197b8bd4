"""The interquartile fence: exclude ratings with a z that is an outlier."""

import numpy as np
from django.utils.translation import gettext_lazy as _

from analytics_app.quality.base import Removal, Rule, RuleSample, by_criterion, register, shared
from analytics_app.stats.quality.fences import iqr_fences
from tasks_app.settings.fields import number_field


@register
class Iqr(Rule):
    """Remove ratings with a judge-wise z strictly outside of Q1 - f IQR to Q3 + f IQR, pooled by criterion.

    Quartiles are of type 7 (numpy, R); one pass. Ratings without a z stay.
    """

    label = _("Interquartile range")
    summary = _("Leaves out ratings whose judge-wise z is far from the others'.")
    source = "Kim and Kim (2022). Vacillating human correlation of SacreBLEU in unprotected languages. HumEval."
    caution = _(
        "It selects on the ratings it then improves, takes mostly low scores and narrows the gaps between systems: "
        "read the results without it first."
    )
    on_z = True
    order = 70

    factor = number_field(_("Width of the fence in interquartile ranges"), within=(0.1, 100), initial=1.5)

    def remove(self, sample: RuleSample) -> Removal:
        """Exclude ratings outside the fences of their criterion."""
        factor = self.factor
        table, z = sample.table, sample.z
        low = np.full(len(table), -np.inf)
        high = np.full(len(table), np.inf)
        criteria = [code for code in np.unique(table.criterion).tolist() if code not in sample.task.marked]
        notes: dict[str, str] = {}
        for criterion in criteria:
            rows = table.criterion == criterion
            fences = iqr_fences(z[rows], factor=factor)
            if fences.low is None or fences.high is None:
                name = table.names.criteria[criterion] if criterion >= 0 else "the task"
                notes[name] = fences.note or ""
                continue
            low[rows], high[rows] = fences.low, fences.high
        below, above = z < low, z > high
        mask = below | above
        limit = np.where(below, low, high)[mask]
        values = z[mask]
        return Removal(
            mask=mask,
            target="rating",
            ids=table.id[mask],
            reasons=shared(
                f"z = {value:.2f}, {'below' if value < edge else 'above'} the fence at {edge:.2f}"
                for value, edge in zip(values.tolist(), limit.tolist(), strict=True)
            ),
            values=values,
            limits=limit,
            side=np.where(below, np.int8(-1), np.int8(1))[mask],
            notes=tuple(by_criterion(notes, len(criteria))),
        )
