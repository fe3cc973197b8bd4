"""Variance components of ratings: item, system on an item, rater, and residual."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Rows, Sample
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.filtered import FilteredAnalysis
from analytics_app.analyses.shared.outputs import EQUAL_STEPS
from analytics_app.results import Row
from analytics_app.stats.agreement.variance_components import NAMES, variance_components
from analytics_app.stats.values import joined
from tasks_app.task_types.base import Scale


@register
class VarianceComponents(FilteredAnalysis):
    """Standard deviations of the sources of variance, for planning the next study, not for ranking systems."""

    label = _("Variance components")
    summary = _(
        "How much ratings vary by item, by system on an item, by rater, and otherwise: for planning the next study."
    )
    source = "Henderson (1953). Estimation of variance and covariance components. Biometrics 9(2), 226-252."
    scales = frozenset({Scale.ORDINAL, Scale.INTERVAL})
    splits = False
    statistics = {
        "sd_item": _("SD between items"),
        "sd_system_item": _("SD of system × item"),
        "sd_rater": _("SD between raters"),
        "sd_residual": _("Residual SD"),
    }

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield one row for each component."""
        table = sample.table
        row, system, item = table.by_system()
        included = ~np.isnan(table.value[row]) & ~np.isin(system, sorted(sample.without))
        row, system, item = row[included], system[included], item[included]
        if not len(row):
            return
        components = variance_components(table.value[row], system, item, table.rater[row])
        steps = EQUAL_STEPS if sample.question.scale is Scale.ORDINAL else None
        for name in NAMES:
            component = getattr(components, name)
            estimate = replace(component, note=joined(component.note, steps))
            yield Rows(self.name, sample).row(f"sd_{name}", estimate, settings={"method": "Henderson 1"})
