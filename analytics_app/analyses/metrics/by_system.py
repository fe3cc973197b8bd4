"""Means of a metric by system, and differences between systems by the metric."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analytics_app.analyses.base import Rows, in_words
from analytics_app.analyses.metrics.scores import OfMetric
from analytics_app.analyses.shared.bootstrap import bootstrap
from analytics_app.analyses.shared.outputs import Outputs, interval_note
from analytics_app.analyses.shared.pair_tests import pair_tests
from analytics_app.ratings import Floats
from analytics_app.results import Row
from analytics_app.stats.comparison.means import group_means
from analytics_app.stats.comparison.wilson import wilson
from analytics_app.stats.values import Estimate, joined

AS_WHOLE = "A score of the system as a whole, which has no interval."


def means(
    make: Rows, outputs: Outputs, metric: OfMetric, items: NDArray[Any], human: Floats, settings: Mapping[str, Any]
) -> Iterator[Row]:
    """Yield the metric's mean over the rated items of each system, with the metric's own sign and an interval."""
    composite: dict[str, Any] = {} if metric.made is None else {"composite": metric.made.definition}
    if metric.of_systems is not None:
        for code, key in enumerate(outputs.systems):
            if not np.isnan(metric.of_systems[code]):
                yield make.row(
                    "metric_mean", value=float(metric.sign * metric.of_systems[code]), metric=metric.name, system=key,
                    note=AS_WHOLE, settings={**settings, **composite}
                )  # fmt: skip
        return
    lacking = np.zeros(len(outputs.systems), dtype=np.int64)
    if metric.lacking is not None:
        lacking = (metric.lacking & ~np.isnan(human)).sum(axis=0)
    if metric.of_texts is None:
        if lacking.any():
            why = _lack(metric.name, int(lacking.sum()))
            yield make.row(
                "metric_mean", metric=metric.name, note=why, by_system=True, settings={**settings, **composite}
            )
        return
    estimates, drawn = _means(make, outputs, metric, metric.sign * metric.of_texts, items)
    for code, (key, mean) in enumerate(zip(outputs.systems, estimates, strict=True)):
        note = _lack(metric.name, int(lacking[code])) if lacking[code] else None
        n = int((~np.isnan(metric.of_texts[:, code])).sum())
        if n or note:
            yield make.row(
                "metric_mean", mean, metric=metric.name, system=key, n_items=n,
                note=joined(mean.note if n else None, note, interval_note(mean, outputs.unit)),
                settings={**settings, **composite, **drawn}
            )  # fmt: skip


def _lack(name: str, n: int) -> str:
    texts = in_words(n, "rated text has", "rated texts have")
    return f"{texts} scores of some parts of “{name}” only, and therefore no score of “{name}”."


def _means(
    make: Rows, outputs: Outputs, metric: OfMetric, values: Floats, items: NDArray[Any]
) -> tuple[list[Estimate], dict[str, Any]]:
    """Return the mean of each system, and the settings of its interval."""
    n_systems = len(outputs.systems)
    if metric.made is not None and metric.made.yes_no and outputs.unit == "items":
        confidence, estimates = make.sample.common.confidence, []
        for column in values.T:
            known = column[~np.isnan(column)]
            estimates.append(wilson(int(known.sum()), len(known), confidence=confidence))
        return estimates, {"interval": "Wilson"}
    documents = outputs.clusters_of(items)
    clusters = np.arange(len(values)) if documents is None else documents
    drawn = bootstrap(make.sample, "means of metrics", outputs.unit)
    system = np.tile(np.arange(n_systems), len(values))
    estimates = group_means(values.ravel(), system, np.repeat(clusters, n_systems), n_groups=n_systems, **drawn.options)
    return estimates, drawn.settings


def differences(
    make: Rows, outputs: Outputs, metric: OfMetric, documents: NDArray[np.int64] | None, settings: Mapping[str, Any]
) -> Iterator[Row]:
    """Yield the difference of every two systems by the metric, on the items for which both have a score."""
    pairs = outputs.pairs(make.sample)
    if metric.of_texts is None or not pairs:
        return
    family = pair_tests(
        make,
        metric.sign * metric.of_texts,
        pairs,
        purpose="differences by metrics",
        unit=outputs.unit,
        clusters=documents,
        of="pairs of one metric",
    )
    for (a, b), test in zip(pairs, family.tests, strict=True):
        yield test.row(
            make,
            "metric_difference",
            metric=metric.name,
            **outputs.names(a, b),
            settings=metric.settings(settings),
        )
