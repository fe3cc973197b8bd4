"""Each rater's use of the scale."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Rows, Sample, count
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.filtered import FilteredAnalysis
from analytics_app.ratings import Mask, Table
from analytics_app.results import Row
from tasks_app.task_types.base import ORDERED_SCALES

NO_Z = "All ratings of this rater are the same, so z is undefined: the rater is left out of results with z."
ZERO = "All ratings of this rater are the same, so z is undefined; it is set to 0, as the plan says."
ONE_RATING = "This rater gave one rating, so z is undefined: the rater is left out of results with z."

ONE_SPREAD = "One rating has no spread."


@register
class Raters(FilteredAnalysis):
    """Mean and standard deviation of each rater's values, with a note on raters without z."""

    label = _("Raters")
    summary = _("Mean and spread of each rater's ratings, and whose z is undefined.")
    source = "Kim and Kim (2022). Vacillating human correlation of SacreBLEU in unprotected languages. HumEval."
    scales = ORDERED_SCALES
    statistics = {"rater_mean": _("Mean of a rater"), "rater_sd": _("SD of a rater")}
    splits = False

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield `rater_mean` and `rater_sd` for each rater."""
        make, ddof = Rows(self.name, sample), sample.common.ddof
        rated = ~np.isnan(sample.table.value)
        table, z = sample.table.where(rated), sample.z[rated]
        # Single answers of raters about themselves show nothing about their use of a scale.
        if not len(table) or ((table.part < 0).all() and np.bincount(table.rater).max() == 1):
            return
        reveals = _telling(table)
        order = np.argsort(table.rater, kind="stable")
        codes, begins = np.unique(table.rater[order], return_index=True)
        for code, rows_of_rater in zip(codes.tolist(), np.split(order, begins[1:]), strict=True):
            values = table.value[rows_of_rater]
            about: dict[str, Any] = {
                "rater": table.names.raters[code],
                "n_ratings": len(values),
                "n_items": count(table.text[rows_of_rater]),
                "n_raters": 1,
                "by_system": bool(reveals[code]),
            }
            yield make.row("rater_mean", value=float(values.mean()), **about)
            constant = bool(values.max() == values.min())
            # z is defined or not before rules on z exclude ratings, and over all slices.
            note = None if not np.isnan(z[rows_of_rater]).all() else ONE_RATING if len(values) == 1 else NO_Z
            if note is None and constant and sample.common.constant == "zero" and not z[rows_of_rater].any():
                note = ZERO
            spread = None if len(values) == 1 else 0.0 if constant else float(values.std(ddof=ddof))
            if spread is None and note is None:
                note = ONE_SPREAD
            yield make.row("rater_sd", value=spread, note=note, settings={"ddof": ddof}, **about)


def _telling(table: Table) -> Mask:
    """Return for each rater, by code, whether their mean reveals the quality of systems.

    It does if the rater saw one system, or if the rater's group sees only some systems and other groups see others.
    """
    row, system, _item = table.by_system()
    pairs = np.unique(np.column_stack((table.rater[row], system)), axis=0)
    mask: Mask = np.bincount(pairs[:, 0], minlength=len(table.names.raters)) == 1
    group = table.judgments.group[table.judgment]
    for code in np.unique(group[row][group[row] >= 0]):
        if count(system[group[row] == code]) < count(system):
            mask[table.rater[group == code]] = True
    return mask
