"""Items by system: the mean rating of each output, which shows hard items and unusual outputs."""

from collections.abc import Iterator

import numpy as np
from django.utils.translation import gettext_lazy as _
from numpy.typing import NDArray

from analytics_app.analyses.base import Analysis, Question, Rows, Sample
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.outputs import Outputs
from analytics_app.analyses.shared.rated_texts import can_be_compared, low_is_good
from analytics_app.ratings import Floats
from analytics_app.results import Row
from analytics_app.stats.comparison.paired import item_means
from tasks_app.task_types.base import Scale

# With more means than this, only the items on which systems lie furthest apart have rows, as many as fit.
MOST_MEANS = 2000


@register
class Items(Analysis):
    """The mean rating of each system on each item.

    These are the means that paired comparisons of systems are made of. They are descriptive: an output that a few
    raters judged may stand out by chance.
    """

    label = _("Items by system")
    summary = _("The mean rating of each system on each item, to find hard items and outputs that stand out.")
    source = "Koehn (2004). Statistical significance tests for machine translation evaluation. EMNLP, 388-395."
    scales = frozenset({Scale.ORDINAL, Scale.INTERVAL})
    statistics = {"item_mean": _("Mean of a system on an item")}
    only_drawn = frozenset({"item_mean"})
    splits = False

    @classmethod
    def fits(cls, question: Question) -> bool:
        """Return whether ratings are about texts, and higher for better texts."""
        return super().fits(question) and can_be_compared(question) and not low_is_good(question)

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield one row for each item and system, with items in their order."""
        outputs = Outputs.of(sample, by_document=False)
        n = len(outputs.systems)
        if n < 2:
            return
        make, names = Rows(self.name, sample), sample.table.names
        means, items = item_means(outputs.value, outputs.system, outputs.item, n)
        cell = np.searchsorted(items, outputs.item) * n + outputs.system
        n_ratings = np.bincount(cell, minlength=means.size).reshape(means.shape)
        for place in _chosen(means).tolist():
            for system in np.flatnonzero(~np.isnan(means[place])).tolist():
                yield make.row(
                    "item_mean",
                    value=float(means[place, system]),
                    label=names.items[items[place]],
                    system=outputs.systems[system],
                    n_ratings=int(n_ratings[place, system]),
                    settings={"items": len(items)},
                )


def _chosen(means: Floats) -> NDArray[np.intp]:
    """Return the places of the items that have rows, in their order: all, or those with the widest ranges."""
    n_items, n_systems = means.shape
    if n_items * n_systems <= MOST_MEANS:
        return np.arange(n_items)
    return np.sort(np.argsort(-ranges(means), kind="stable")[: max(1, MOST_MEANS // n_systems)])


def ranges(means: Floats) -> Floats:
    """Return the difference between the highest and the lowest system of an item; 0 for an item of one system."""
    present = ~np.isnan(means)
    highest: Floats = np.where(present, means, -np.inf).max(axis=1)
    lowest: Floats = np.where(present, means, np.inf).min(axis=1)
    return highest - lowest
