"""Rows of the human ceiling: the statistics of metrics, between raters of the same texts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Rows, Words
from analytics_app.analyses.metrics.scores import OfMetric
from analytics_app.analyses.shared.outputs import Outputs
from analytics_app.ratings import Floats, Mask
from analytics_app.results import Row
from analytics_app.stats.metrics.ceiling import MOST_RATERS, Kind, human_ceiling
from analytics_app.stats.values import joined

# The labels of rows by kind of comparison.
LABELS: Mapping[Kind, str] = {"one": "one rater against the others", "half": "half of the raters against the others"}

# Over fewer texts than this, what one rater's ratings say is mostly chance.
FEW = 30
FEW_TEXTS = (
    "Half of the raters share at most {n} texts with others: over so few, the figure of one rater is mostly chance. "
    "Read the row of halves."
)

STATISTICS: Mapping[str, Words] = {
    "people_pearson_texts": _("Pearson's r between people over texts"),
    "people_spearman_texts": _("Spearman's rho between people over texts"),
    "people_kendall_texts": _("Kendall's tau-b between people over texts"),
    "people_pearson_by_item": _("Pearson's r between people within items, mean over items"),
    "people_spearman_by_item": _("Spearman's rho between people within items, mean over items"),
    "people_tau_b_by_item": _("Tau-b between people within items, mean over items"),
    "people_acc_eq_by_item": _("Pairwise accuracy with ties between people, within items"),
    "people_pearson_systems": _("Pearson's r between people over systems"),
    "people_spearman_systems": _("Spearman's rho between people over systems"),
    "people_pairwise_accuracy": _("Pairwise accuracy between people over systems"),
}


def ceiling(
    make: Rows, outputs: Outputs, values: Floats, metrics: Sequence[OfMetric], settings: Mapping[str, Any]
) -> Iterator[Row]:
    """Yield every statistic between people, for one rater and for half of them, over the texts that metrics scored."""
    scored = _scored(outputs, metrics)
    for kind, label in LABELS.items():
        purpose = f"human ceiling, {kind}"
        found = human_ceiling(
            values[scored], outputs.rater[scored], outputs.system[scored], outputs.item[scored],
            n_systems=len(outputs.systems), kind=kind, rng=make.sample.rng(purpose),
        )  # fmt: skip
        for name, between in found.items():
            n_texts = between.estimate.n_ratings
            few = FEW_TEXTS.format(n=n_texts) if kind == "one" and n_texts is not None and n_texts < FEW else None
            yield make.row(
                f"people_{name}", replace(between.estimate, note=joined(between.estimate.note, few)), label=label,
                by_system=True,
                settings={
                    **settings, "n_ratings": "texts of the middle comparison", "n_comparisons": between.n_comparisons,
                    "lowest": between.lowest, "highest": between.highest, "most_raters": MOST_RATERS,
                    "seed": make.sample.seed(purpose),
                },
            )  # fmt: skip


def _scored(outputs: Outputs, metrics: Sequence[OfMetric]) -> Mask:
    """Return the outputs with a text that some metric scored; all, where metrics scored systems as wholes only."""
    tables = [~np.isnan(metric.of_texts) for metric in metrics if metric.of_texts is not None]
    if not tables:
        return np.ones(len(outputs.value), dtype=bool)
    row = np.unique(outputs.item, return_inverse=True)[1]
    scored: Mask = np.any(tables, axis=0)[row, outputs.system]
    return scored
