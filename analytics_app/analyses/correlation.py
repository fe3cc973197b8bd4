"""Correlations between raters."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Rows, Sample
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.bootstrap import bootstrap
from analytics_app.analyses.shared.rated_texts import FIRST, BetweenRaters, clusters_of_texts
from analytics_app.analyses.shared.transforms import Overall
from analytics_app.results import Row
from analytics_app.stats.agreement.correlation import between_raters
from analytics_app.stats.values import Estimate
from tasks_app.settings.fields import whole_field
from tasks_app.task_types.base import ORDERED_SCALES

# Pairs of raters listed one by one; of more only the means are given.
LISTED = 45
FISHER = "Fisher's z"


@register
class Correlation(Overall, BetweenRaters):
    """Pearson's and Spearman's correlation between raters of the same texts.

    `pearson` stacks the pairs of all texts, as papers with two annotators a text do: of each pair the rater whose
    name comes first is x. `pearson_mean` is the plain mean over pairs of raters, `pearson_mean_fisher` the mean of
    Fisher's z taken back.
    """

    label = _("Correlation between raters")
    summary = _(
        "Pearson and Spearman between raters of the same texts, pooled, as a mean over pairs, and pair by pair."
    )
    source = "Amidei, Piwek and Willis (2019). Agreement is overrated. INLG, 344-354."
    scales = ORDERED_SCALES
    statistics = {
        "pearson": _("Pearson's r, all pairs of ratings"),
        "pearson_mean": _("Pearson's r, mean over pairs of raters"),
        "pearson_mean_fisher": _("Pearson's r, mean over pairs of raters by Fisher's z"),
        "pearson_pair": _("Pearson's r"),
        "spearman": _("Spearman's rho, all pairs of ratings"),
        "spearman_mean": _("Spearman's rho, mean over pairs of raters"),
        "spearman_mean_fisher": _("Spearman's rho, mean over pairs of raters by Fisher's z"),
        "spearman_pair": _("Spearman's rho"),
    }
    agreement = {"pearson": 90}

    min_shared = whole_field(_("Texts that two raters must share to be compared"), within=(2, 1000), initial=3)

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield the rows of Pearson's and of Spearman's coefficient."""
        once = sample.first_per_rater()
        rated = ~np.isnan(once.table.value)
        table, texts, documents = once.table.where(rated), once.text[rated], clusters_of_texts(once)
        make = Rows(self.name, sample)
        raters = table.names.raters
        # With more than two ratings a text the stacked value depends on who is called x: an interval would flatter it.
        in_twos = bool(np.unique(texts, return_counts=True)[1].max(initial=0) <= 2)
        for method in ("pearson", "spearman"):
            drawing = bootstrap(sample, method, "texts" if documents is None else "documents")
            correlations = between_raters(
                table.value,
                texts,
                table.rater,
                method=method,
                min_shared=self.min_shared,
                clusters=documents[rated] if documents is not None else None,
                **(drawing.options if in_twos else {**drawing.options, "n_resamples": 0}),
            )
            of_means = {"min_shared": self.min_shared, "ratings": FIRST}
            drawn: dict[str, Any] = {"interval": FISHER} if correlations.pooled.n_raters == 2 else drawing.settings
            stacked = {"pairs": "stacked, first rater by name is x", "ratings": FIRST, **_test(correlations.pooled)}
            yield make.row(
                method, correlations.pooled, settings=stacked | (drawn if correlations.pooled.low is not None else {})
            )
            yield make.row(f"{method}_mean", correlations.mean, settings=of_means)
            yield make.row(f"{method}_mean_fisher", correlations.mean_fisher, settings=of_means)
            for pair in correlations.pairs if len(correlations.pairs) <= LISTED else ():
                names = f"{raters[pair.rater_a]} and {raters[pair.rater_b]}"
                about = {**({"interval": FISHER} if pair.estimate.low is not None else {}), **_test(pair.estimate)}
                yield make.row(f"{method}_pair", pair.estimate, label=names, settings=about)


def _test(estimate: Estimate) -> dict[str, str]:
    return {"test": "t that there is no correlation"} if estimate.p is not None else {}
