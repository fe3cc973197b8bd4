"""Variance components of ratings: item, system on an item, rater, and residual."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Rows, Sample, count
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.crossed import crossed, settings_of
from analytics_app.analyses.shared.filtered import FilteredAnalysis
from analytics_app.analyses.shared.outputs import EQUAL_STEPS, Outputs
from analytics_app.results import Row
from analytics_app.stats.agreement.variance_components import NAMES, Components, variance_components
from analytics_app.stats.mixed.results import TERMS
from analytics_app.stats.values import Estimate, joined
from tasks_app.task_types.base import Scale


@register
class VarianceComponents(FilteredAnalysis):
    """Standard deviations of the sources of variance, for planning the next study, not for ranking systems.

    They are those of the model that compares systems with raters and items both random (REML). Plans whose comparisons
    generalise to texts alone have Henderson's estimates, as before there was the model; so have samples beyond the
    limits of the model.
    """

    label = _("Variance components")
    summary = _(
        "How much ratings vary by item, by system on an item, by rater, by rater and system, and otherwise: for "
        "planning the next study."
    )
    source = (
        "Bates et al. (2015). Fitting linear mixed-effects models using lme4. Journal of Statistical Software 67(1), "
        "1-48; Henderson (1953). Estimation of variance and covariance components. Biometrics 9(2), 226-252."
    )
    scales = frozenset({Scale.ORDINAL, Scale.INTERVAL})
    splits = False
    statistics = {
        "sd_item": _("SD between items"),
        "sd_system_item": _("SD of system × item"),
        "sd_rater": _("SD between raters"),
        "sd_rater_system": _("SD of rater × system"),
        "sd_cluster": _("SD between documents"),
        "sd_cluster_system": _("SD of system × document"),
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
        make = Rows(self.name, sample)
        if sample.common.generalise_to == "raters_and_texts":
            modelled = list(_of_model(make))
            if modelled:
                yield from modelled
                return
        yield from _of_henderson(make, variance_components(table.value[row], system, item, table.rater[row]))


def _of_model(make: Rows) -> Iterator[Row]:
    """Yield the components of the mixed model, and those that it leaves out with the reason; none beyond its limits."""
    sample = make.sample
    outputs = Outputs.of(sample, by_document=sample.question.by_document)
    comparison = crossed(sample, outputs)
    rated = {"n_ratings": len(outputs.value)}
    counts = {**rated, "n_items": count(outputs.item), "n_raters": count(outputs.rater)}
    settings = {"method": "REML", "model": settings_of(comparison).get("model")}
    for name in TERMS if comparison.sd else ():
        if name in comparison.sd:
            component = comparison.sd[name]
        elif name in comparison.left_out:
            component = Estimate(None, note=comparison.left_out[name])
        else:
            continue
        note = joined(component.note, _steps(sample))
        yield make.row(f"sd_{name}", component, note=note, settings=settings, **counts)


def _of_henderson(make: Rows, components: Components) -> Iterator[Row]:
    """Yield the components by Henderson's method, which has no term for raters who prefer other systems."""
    for name in NAMES:
        component = getattr(components, name)
        estimate = replace(component, note=joined(component.note, _steps(make.sample)))
        yield make.row(f"sd_{name}", estimate, settings={"method": "Henderson 1"})


def _steps(sample: Sample) -> str | None:
    return EQUAL_STEPS if sample.question.scale is Scale.ORDINAL else None
