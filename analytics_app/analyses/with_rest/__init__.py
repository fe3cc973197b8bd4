"""Each rater against the others who rated the same texts."""

from collections.abc import Iterator

import numpy as np
from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Rows, Sample, in_words
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.bootstrap import bootstrap
from analytics_app.analyses.shared.rated_texts import BetweenRaters, RatedTexts, rated_texts
from analytics_app.results import Row
from analytics_app.stats.agreement.closest import closest_raters
from analytics_app.stats.agreement.prediction import prediction_errors
from analytics_app.stats.agreement.with_rest import (
    agreement_with_rest,
    correlations_with_rest,
    differences_from_rest,
)
from analytics_app.stats.comparison.corrections import adjust
from tasks_app.task_types.base import Scale


@register
class WithRest(BetweenRaters):
    """Agreement of each rater with the others: `correlation_with_rest` with the mean of the others, for labels
    `agreement_with_rest`, the mean share of the others who gave a text the same label.

    Severity is `difference_from_rest`: a rater's mean difference from the mean of the others on the same texts. It
    has no row for magnitudes, whose size each rater chooses. The same holds for the error of predicting a rating by the
    mean of the others: of each rater and of all, over texts and over means of items.

    `equal_to_another` is the share of equal ratings with the most alike other rater, whom `label` names: two accounts
    of one person, or answers that were copied, have a share that chance does not explain.
    """

    label = _("Each rater against the others")
    summary = _(
        "How far each rater agrees with the others who rated the same texts, leaving the rater out of them, and how "
        "well the others predict what the rater gives."
    )
    source = "Nunnally and Bernstein (1994). Psychometric Theory, 3rd ed., chapter 8. McGraw-Hill."
    scales = frozenset({Scale.NOMINAL, Scale.ORDINAL, Scale.INTERVAL, Scale.RATIO})
    statistics = {
        "correlation_with_rest": _("Pearson's r with the mean of the others"),
        "agreement_with_rest": _("Share of the others who agree"),
        "equal_to_another": _("Share of equal answers with the most alike rater"),
        "difference_from_rest": _("Mean difference from the others (positive: rates higher)"),
        "prediction_absolute": _("Mean absolute error of prediction by the others"),
        "prediction_square": _("Root mean square error of prediction by the others"),
        "prediction_absolute_items": _("Mean absolute error of prediction by the others, means of items"),
        "prediction_square_items": _("Root mean square error of prediction by the others, means of items"),
    }
    splits = False

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield the rows of each rater who shares texts with others: agreement, severity, errors of prediction."""
        ratings, make = rated_texts(sample), Rows(self.name, sample)
        by_label = sample.question.scale is Scale.NOMINAL
        measure = agreement_with_rest if by_label else correlations_with_rest
        name = "agreement_with_rest" if by_label else "correlation_with_rest"
        for result in measure(ratings.values, ratings.texts, ratings.raters):
            yield make.row(name, result.estimate, rater=sample.table.names.raters[result.rater])
        yield from _equal(make, ratings)
        if sample.question.scale in {Scale.ORDINAL, Scale.INTERVAL}:
            yield from _severity(make, ratings)
            yield from _prediction(make, ratings)


def _equal(make: Rows, ratings: RatedTexts) -> Iterator[Row]:
    """Yield the share of equal ratings of each rater with the most alike other rater."""
    names = make.sample.table.names.raters
    found = closest_raters(ratings.values, ratings.texts, ratings.raters)
    settings = {
        "test": "binomial, against half of the others",
        "correction": "bonferroni",
        "family": f"{in_words(len(found), 'rater', 'raters')} of one criterion, each with every other",
    }
    for closest in found:
        yield make.row(
            "equal_to_another",
            closest.estimate,
            rater=names[closest.rater],
            label=names[closest.other],
            p_adjusted=closest.p_adjusted,
            settings=settings,
        )


def _severity(make: Rows, ratings: RatedTexts) -> Iterator[Row]:
    """Yield the mean difference of each rater from the others, with p adjusted over all raters."""
    sample, common = make.sample, make.sample.common
    items, over = (ratings.items, "items") if ratings.clusters is None else (ratings.clusters, "documents")
    differences = differences_from_rest(
        ratings.values, ratings.texts, ratings.raters, items, confidence=common.confidence
    )
    adjusted = adjust([difference.estimate.p for difference in differences], common.correction)
    settings = {"interval": f"t over {over}", "test": "Student's t", "correction": common.correction}
    settings |= {"family": f"{sum(p is not None for p in adjusted)} raters of one criterion"}
    for difference, p in zip(differences, adjusted, strict=True):
        yield make.row(
            "difference_from_rest",
            difference.estimate,
            rater=sample.table.names.raters[difference.rater],
            p_adjusted=p,
            settings=settings,
        )


def _prediction(make: Rows, ratings: RatedTexts) -> Iterator[Row]:
    """Yield the errors of predicting ratings by the mean of the others: of all raters together, then of each.

    Means of items are predicted only if raters share several texts of an item.
    """
    names = make.sample.table.names.raters
    over = "items" if ratings.clusters is None else "documents"
    for level in _levels(ratings):
        drawing = bootstrap(make.sample, f"error of prediction over {level}", over)
        errors = prediction_errors(
            ratings.values,
            ratings.texts,
            ratings.raters,
            ratings.items,
            of_items=level == "items",
            clusters=ratings.clusters,
            **drawing.options,
        )
        settings = {"predicted": "ratings" if level == "texts" else "means of items", "by": "mean of the other raters"}
        suffix = "" if level == "texts" else "_items"
        for error in errors:
            rater = None if error.rater is None else names[error.rater]
            for name, estimate in (("absolute", error.absolute), ("square", error.square)):
                drawn = drawing.settings if estimate.low is not None else {}
                yield make.row(f"prediction_{name}{suffix}", estimate, rater=rater, settings={**settings, **drawn})


def _levels(ratings: RatedTexts) -> Iterator[str]:
    """Yield the levels of prediction: texts, and items if raters share several texts of an item."""
    yield "texts"
    texts, n = np.unique(ratings.texts, return_counts=True)
    shared = np.isin(ratings.texts, texts[n > 1])
    if len(np.unique(ratings.items[shared])) < len(np.unique(ratings.texts[shared])):
        yield "items"
