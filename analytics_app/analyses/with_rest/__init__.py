"""Each rater against the others who rated the same texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Rows, Sample
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.rated_texts import BetweenRaters, compared
from analytics_app.results import Row
from analytics_app.stats.agreement.with_rest import agreement_with_rest, correlations_with_rest
from tasks_app.task_types.base import Scale


@register
class WithRest(BetweenRaters):
    """Whom the others would not miss: `correlation_with_rest` with the mean of the others, for labels
    `agreement_with_rest`, the mean share of the others who gave a text the same label.
    """

    label = _("Each rater against the others")
    summary = _("How far each rater agrees with the others who rated the same texts, leaving the rater out of them.")
    source = "Nunnally and Bernstein (1994). Psychometric Theory, 3rd ed., chapter 8. McGraw-Hill."
    scales = frozenset({Scale.NOMINAL, Scale.ORDINAL, Scale.INTERVAL, Scale.RATIO})
    statistics = {
        "correlation_with_rest": _("Pearson's r with the mean of the others"),
        "agreement_with_rest": _("Share of the others who agree"),
    }
    splits = False

    def compute(self, sample: Sample, settings: Mapping[str, Any]) -> Iterator[Row]:
        """Yield a row a rater who shares texts with others."""
        of, make = compared(sample), Rows(self.name, sample)
        by_label = sample.question.scale is Scale.NOMINAL
        measure = agreement_with_rest if by_label else correlations_with_rest
        name = "agreement_with_rest" if by_label else "correlation_with_rest"
        for one in measure(of.values, of.texts, of.raters):
            yield make.row(name, one.estimate, rater=sample.table.names.raters[one.rater])
