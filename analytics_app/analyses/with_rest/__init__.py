"""Each rater against the others who rated the same texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Rows, Sample
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.rated_texts import BetweenRaters, Compared, compared
from analytics_app.results import Row
from analytics_app.stats.agreement.with_rest import (
    agreement_with_rest,
    correlations_with_rest,
    differences_from_rest,
)
from analytics_app.stats.comparison.corrections import adjust
from tasks_app.task_types.base import Scale


@register
class WithRest(BetweenRaters):
    """Whom the others would not miss: `correlation_with_rest` with the mean of the others, for labels
    `agreement_with_rest`, the mean share of the others who gave a text the same label.

    Severity is `difference_from_rest`: how far a rater is above or below the mean of the others on the same texts. It
    has no row for magnitudes, whose size each rater chooses.
    """

    label = _("Each rater against the others")
    summary = _("How far each rater agrees with the others who rated the same texts, leaving the rater out of them.")
    source = "Nunnally and Bernstein (1994). Psychometric Theory, 3rd ed., chapter 8. McGraw-Hill."
    scales = frozenset({Scale.NOMINAL, Scale.ORDINAL, Scale.INTERVAL, Scale.RATIO})
    statistics = {
        "correlation_with_rest": _("Pearson's r with the mean of the others"),
        "agreement_with_rest": _("Share of the others who agree"),
        "difference_from_rest": _("Mean difference from the others (positive: rates higher)"),
    }
    splits = False

    def compute(self, sample: Sample, settings: Mapping[str, Any]) -> Iterator[Row]:
        """Yield rows a rater who shares texts with others: agreement, then severity."""
        of, make = compared(sample), Rows(self.name, sample)
        by_label = sample.question.scale is Scale.NOMINAL
        measure = agreement_with_rest if by_label else correlations_with_rest
        name = "agreement_with_rest" if by_label else "correlation_with_rest"
        for one in measure(of.values, of.texts, of.raters):
            yield make.row(name, one.estimate, rater=sample.table.names.raters[one.rater])
        if sample.question.scale in {Scale.ORDINAL, Scale.INTERVAL}:
            yield from _severity(make, of)


def _severity(make: Rows, of: Compared) -> Iterator[Row]:
    """Yield how far each rater is above or below the others, with p adjusted over all raters."""
    sample, common = make.sample, make.sample.common
    items, over = (of.items, "items") if of.clusters is None else (of.clusters, "documents")
    found = differences_from_rest(of.values, of.texts, of.raters, items, confidence=common.confidence)
    adjusted = adjust([one.estimate.p for one in found], common.correction)
    said = {"interval": f"t over {over}", "test": "Student's t", "correction": common.correction}
    said |= {"family": f"{sum(p is not None for p in adjusted)} raters of one criterion"}
    for one, p in zip(found, adjusted, strict=True):
        yield make.row(
            "difference_from_rest",
            one.estimate,
            rater=sample.table.names.raters[one.rater],
            p_adjusted=p,
            settings=said,
        )
