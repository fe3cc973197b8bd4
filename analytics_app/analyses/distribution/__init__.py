"""The distribution of all values of a criterion, whatever system they are about."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Question, Rows, Sample
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.filtered import FilteredAnalysis
from analytics_app.analyses.shared.rated_texts import low_is_good
from analytics_app.results import Row
from tasks_app.task_types.base import Scale

BINS = 10


@register
class Distribution(FilteredAnalysis):
    """Share of each step of a scale, or of each tenth of a range, without distinguishing systems."""

    label = _("Distribution")
    summary = _("How often each step, or each tenth of the range, was chosen: is the whole scale used?")
    source = "Amidei, Piwek and Willis (2019). The use of rating and Likert scales in NLG human evaluation tasks. INLG."
    scales = frozenset({Scale.ORDINAL, Scale.INTERVAL})
    statistics = {"distribution": _("Distribution")}

    @classmethod
    def fits(cls, question: Question) -> bool:
        """Leave out ranks: each place is given as often as the others."""
        return super().fits(question) and not low_is_good(question)

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield a `distribution` row a step or bin."""
        question, make = sample.question, Rows(self.name, sample)
        values = sample.table.value[~np.isnan(sample.table.value)]
        about: dict[str, Any] = {
            "n_ratings": len(values),
            "n_items": sample.table.n_texts,
            "n_raters": sample.table.n_raters,
        }
        if not len(values):
            yield make.row("distribution", note="Nothing was rated.", **about)
        elif question.domain:
            for step in question.domain:
                yield make.row("distribution", value=float(np.mean(values == step)), label=f"{step:g}", **about)
        elif question.limits is not None:
            counts, edges = np.histogram(values, bins=BINS, range=question.limits)
            for number, share in enumerate((counts / len(values)).tolist()):
                label = f"{edges[number]:g} to {edges[number + 1]:g}"
                yield make.row("distribution", value=share, label=label, **about)
