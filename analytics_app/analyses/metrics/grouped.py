"""Correlations and accuracies of a metric as WMT averages them: by item, by system, or over all texts."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from analytics_app.analyses.base import Rows
from analytics_app.analyses.metrics.scores import OfMetric, column_means
from analytics_app.analyses.shared.bootstrap import bootstrap
from analytics_app.ratings import Floats
from analytics_app.results import Row
from analytics_app.stats.metrics.grouped import grouped_correlations
from analytics_app.stats.metrics.metric_meta import over_systems
from analytics_app.stats.metrics.soft_accuracy import soft_pairwise_accuracy
from analytics_app.stats.metrics.tie_calibration import EqualAccuracy, equal_accuracy
from analytics_app.stats.values import Estimate

# The end of the names of statistics, by grouping.
ENDS: Mapping[Literal["none", "item", "system"], str] = {"none": "texts", "item": "by_item", "system": "by_system"}


def averaged(
    make: Rows, human: Floats, metric: OfMetric, documents: NDArray[np.int64] | None, settings: Mapping[str, Any]
) -> Iterator[Row]:
    """Yield the means over items, and over systems, of correlations within each."""
    if metric.of_texts is None:
        return
    unit = "items" if documents is None else "documents"
    for grouping in ("item", "system"):
        drawn = bootstrap(make.sample, f"metrics averaged by {grouping}", unit)
        found = grouped_correlations(human, metric.of_texts, grouping=grouping, clusters=documents, **drawn.options)
        end, row_settings = ENDS[grouping], metric.settings(settings, n_ratings=f"{grouping}s", **drawn.settings)
        estimates = {"pearson": found.pearson, "spearman": found.spearman}
        # Within items tau-b stands beside tau-like.
        if grouping == "system":
            estimates["tau_b"] = found.kendall
        for name, estimate in estimates.items():
            yield make.row(f"metric_{name}_{end}", estimate, metric=metric.name, by_system=True, settings=row_settings)


def accuracies(
    make: Rows, human: Floats, metric: OfMetric, documents: NDArray[np.int64] | None, settings: Mapping[str, Any]
) -> Iterator[Row]:
    """Yield the pairwise accuracy with tie calibration in each grouping."""
    if metric.of_texts is None:
        return
    unit = "items" if documents is None else "documents"
    for grouping, end in ENDS.items():
        drawn = bootstrap(make.sample, f"accuracy by {grouping}", unit)
        found = equal_accuracy(human, metric.of_texts, grouping=grouping, clusters=documents, **drawn.options)
        row_settings = metric.settings(settings, n_ratings="pairs of texts", **calibration(found), **drawn.settings)
        yield make.row(
            f"metric_acc_eq_{end}", found.calibrated, metric=metric.name, by_system=True, settings=row_settings
        )


def calibration(found: EqualAccuracy) -> dict[str, Any]:
    """Return the settings of a calibrated accuracy."""
    return {
        "epsilon": found.epsilon,
        "accuracy_without_epsilon": found.uncalibrated,
        "ties_of_people": found.human_ties,
    }


def soft(
    make: Rows, human: Floats, metric: OfMetric, documents: NDArray[np.int64] | None, settings: Mapping[str, Any]
) -> Iterator[Row]:
    """Yield the soft pairwise accuracy over systems."""
    if metric.of_texts is None:
        return
    n, purpose = make.sample.common.n_permutations, "soft pairwise accuracy"
    estimate = soft_pairwise_accuracy(
        human, metric.of_texts, clusters=documents, n_permutations=n, rng=make.sample.rng(purpose)
    )
    row_settings = metric.settings(
        settings, n_ratings="systems", n_permutations=n, seed=make.sample.seed(purpose),
        exchanged="items" if documents is None else "documents",
    )  # fmt: skip
    yield make.row("metric_soft_pairwise_accuracy", estimate, metric=metric.name, by_system=True, settings=row_settings)


def ends(make: Rows, human: Floats, metric: OfMetric, n: int, settings: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the correlation over the n systems that people rate highest, and over the n that they rate lowest.

    Nothing where there are no more systems than that.
    """
    scores = metric.scores
    if not n or scores is None:
        return
    people = column_means(np.where(np.isnan(scores), np.nan, human))
    order = [int(code) for code in np.argsort(-people, kind="stable") if not np.isnan(people[code])]
    if len(order) <= n:
        return
    for end, codes in (("top", order[:n]), ("last", order[-n:])):
        no_interval = bootstrap(make.sample, "ends", "items").options | {"n_resamples": 0}
        found = over_systems(human[:, codes], scores[..., codes], **no_interval)
        row_settings = metric.settings(settings, n_ratings="systems", n_systems=len(order))
        for name, estimate in (("pearson", found.pearson), ("pairwise_accuracy", found.third)):
            yield make.row(
                f"metric_{name}_{end}", estimate, metric=metric.name, label=f"{end} {n}", by_system=True,
                settings=row_settings | test_of(estimate),
            )  # fmt: skip


def test_of(estimate: Estimate) -> dict[str, str]:
    """Return the settings of the test of a correlation over systems."""
    return {} if estimate.p is None else {"test": "all orders" if estimate.df is None else "t distribution"}
