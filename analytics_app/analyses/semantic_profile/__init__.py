"""The profile of systems over pairs of words: the published form of a semantic differential."""

from collections.abc import Iterator

import numpy as np
from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Rows, Sample
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.bootstrap import bootstrap
from analytics_app.analyses.shared.filtered import FilteredAnalysis
from analytics_app.analyses.shared.outputs import Outputs
from analytics_app.results import Row
from analytics_app.stats.comparison.means import group_means
from tasks_app.task_types.base import Scale


@register
class SemanticProfile(FilteredAnalysis):
    """Mean of each system on each pair, with an interval over items, as in the analysis of systems.

    These means are repeated here because a profile needs all pairs together.
    """

    label = _("Profile of systems")
    summary = _("Where each system stands between the words of every pair, with intervals over items.")
    source = "Osgood, Suci and Tannenbaum (1957). The measurement of meaning. University of Illinois Press."
    scales = frozenset({Scale.ORDINAL})
    task_types = frozenset({"semantic_differential"})
    whole_task = True
    statistics = {"profile_mean": _("Mean of a pair")}

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield one row for each pair and system, in the order in which the pairs were asked."""
        make = Rows(self.name, sample)
        for pair in sample.question.criteria:
            mine = sample.where(sample.table.criterion == pair.code)
            outputs = Outputs.of(mine, by_document=sample.question.by_document)
            # The same draws for every pair, so that pairs of a profile can be compared.
            drawn = bootstrap(sample, "profile", outputs.unit)
            means = group_means(
                outputs.value,
                outputs.system,
                outputs.cluster,
                n_groups=len(outputs.systems),
                **drawn.options,
            )
            low, high = pair.limits or (float(np.min(pair.domain or 0)), float(np.max(pair.domain or 0)))
            for code, estimate in enumerate(means):
                yield make.row(
                    "profile_mean",
                    estimate,
                    label=pair.key,
                    system=outputs.systems[code],
                    **outputs.counts(code),
                    settings={
                        "pair": pair.name,
                        "limits": [low, high],
                        **drawn.settings,
                    },
                )
