"""Correlations between criteria, which show whether raters distinguish them."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np
from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Rows, Sample
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.filtered import FilteredAnalysis
from analytics_app.results import Row
from analytics_app.stats.comparison.paired import item_means
from analytics_app.stats.scales.criteria import correlated
from tasks_app.task_types.base import ORDERED_SCALES

TOGETHER = "Ratings of one screen; they are not independent, so there is no interval."


@register
class Criteria(FilteredAnalysis):
    """Spearman's and Pearson's correlation of every two criteria, over texts and over answers.

    Over texts it is between their mean ratings, with an interval by Fisher's z; over answers, between what one rater
    gave a text on both criteria on one screen: that is where criteria colour each other.
    """

    label = _("Correlation between criteria")
    summary = _(
        "Whether raters distinguish the criteria: correlations between criteria, over texts and within answers."
    )
    source = (
        "Novikova, Dušek and Rieser (2018). RankME: reliable human ratings for natural language generation. NAACL. "
        "Bonett and Wright (2000). Sample size requirements for estimating correlations. Psychometrika 65, 23-28."
    )
    scales = ORDERED_SCALES
    task_types = frozenset({"likert", "slider", "magnitude"})
    whole_task = True
    leads = False
    statistics = {
        "criteria_spearman": _("Spearman between criteria, over texts"),
        "criteria_pearson": _("Pearson between criteria, over texts"),
        "criteria_spearman_answers": _("Spearman between criteria, over answers"),
        "criteria_pearson_answers": _("Pearson between criteria, over answers"),
    }

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield the rows of every two criteria."""
        criteria = [criterion for criterion in sample.question.criteria if criterion.scale in ORDERED_SCALES]
        if len(criteria) < 2:
            return
        table = sample.table
        place = np.full(len(table.names.criteria) + 1, -1, dtype=np.intp)
        place[[criterion.code for criterion in criteria]] = np.arange(len(criteria))
        column = place[table.criterion]
        keep = (column >= 0) & ~np.isnan(table.value)
        table, column = table.where(keep), column[keep]
        answer = table.judgment.astype(np.int64) * (int(table.text.max(initial=0)) + 1) + table.text
        make = Rows(self.name, sample)
        # Which raters rated which criterion.
        rated_by = np.zeros((len(criteria), len(table.names.raters)), dtype=bool)
        rated_by[column, table.rater] = True
        for suffix, group in (("", table.text), ("_answers", answer)):
            matrix, _groups = item_means(table.value, column, group, len(criteria))
            is_rated = ~np.isnan(matrix)
            for a, b in combinations(range(len(criteria)), 2):
                if suffix and not (is_rated[:, a] & is_rated[:, b]).any():
                    continue
                n_raters = int(np.count_nonzero(rated_by[a] | rated_by[b]))
                for method in ("spearman", "pearson"):
                    confidence = None if suffix else sample.common.confidence
                    estimate = correlated(matrix[:, a], matrix[:, b], method=method, confidence=confidence)
                    yield make.row(
                        f"criteria_{method}{suffix}",
                        estimate,
                        label=f"{criteria[a].key} and {criteria[b].key}",
                        n_raters=n_raters,
                        note=estimate.note or (TOGETHER if suffix else None),
                        settings={
                            "over": "answers" if suffix else "means of texts",
                            **({"interval": "Fisher's z"} if estimate.low is not None else {}),
                            **({"test": "t that there is no correlation"} if estimate.p is not None else {}),
                        },
                    )
