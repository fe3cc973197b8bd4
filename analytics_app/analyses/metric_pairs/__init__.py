"""Metrics against each other: correlations of the scores of every two metrics, over texts and over systems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
from django.utils.translation import gettext_lazy as _
from numpy.typing import NDArray

from analytics_app.analyses.base import Rows, Sample, Words
from analytics_app.analyses.metrics.scores import OfMetric, metrics_of
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.bootstrap import bootstrap
from analytics_app.analyses.shared.filtered import FilteredAnalysis
from analytics_app.analyses.shared.outputs import Outputs
from analytics_app.ratings import Extra, Mask, Table
from analytics_app.ratings.extras.scores import Scores
from analytics_app.results import Row
from analytics_app.stats.comparison.corrections import adjust
from analytics_app.stats.metrics.metric_pairs import pair_over_systems, pair_over_texts
from analytics_app.stats.metrics.system_scores import ScoreCorrelations
from tasks_app.studyfile.fields import ListField
from tasks_app.task_types.base import Scale

# The most metrics: with more, a plan has to name some.
MOST_METRICS = 20
# The most pairs of texts, over all pairs of metrics, for an interval of tau: it takes about half a minute.
MOST_TAU_PAIRS = 200_000_000

COEFFICIENTS = ("pearson", "spearman", "kendall")
OVER_TEXTS = tuple(f"metric_pair_{name}_texts" for name in COEFFICIENTS)
OVER_SYSTEMS = tuple(f"metric_pair_{name}_systems" for name in COEFFICIENTS)
TOO_MANY = "{n} metrics are too many to correlate each with each other: name up to {most} under “metrics”."


@register
class MetricPairs(FilteredAnalysis):
    """Agreement of metrics with each other on the texts that raters judged in a task.

    Pearson, Spearman and Kendall over all texts and over systems, with bootstrap intervals over items (documents, where
    these were shown whole). Over systems there are p values; the family is all pairs of metrics by one coefficient.
    """

    label = _("Metrics against each other")
    summary = _("How far the scores of metrics agree with each other, over texts and over systems.")
    source = (
        "Logacheva et al. (2022). A study on manual and automatic evaluation for text style transfer: the case of "
        "detoxification. HumEval. Deutsch, Dror and Roth (2021). A statistical analysis of summarization evaluation "
        "metrics using resampling methods. TACL 9, 1132-1146."
    )
    scales = frozenset(Scale)
    whole_task = True
    splits = False
    leads = False
    needs: ClassVar[frozenset[type[Extra]]] = frozenset({Scores})
    statistics: ClassVar[Mapping[str, Words]] = {
        "metric_pair_pearson_texts": _("Pearson's r of two metrics over texts"),
        "metric_pair_spearman_texts": _("Spearman's rho of two metrics over texts"),
        "metric_pair_kendall_texts": _("Kendall's tau-b of two metrics over texts"),
        "metric_pair_pearson_systems": _("Pearson's r of two metrics over systems"),
        "metric_pair_spearman_systems": _("Spearman's rho of two metrics over systems"),
        "metric_pair_kendall_systems": _("Kendall's tau-b of two metrics over systems"),
    }

    metrics = ListField(
        label=_("Metrics"), help_text=_("Names of the metrics to analyse. Leave empty for all metrics.")
    )
    lower_is_better = ListField(
        label=_("Metrics for which lower is better"),
        help_text=_("Such as TER or perplexity. Their sign is turned, so that above zero means agreement."),
    )

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield the rows of every two metrics."""
        texts = Judged.of(sample)
        if len(sample.extras[Scores].metrics) < 2 or not len(texts.items):
            return
        make = Rows(self.name, sample)
        scored = metrics_of(sample, texts.systems, texts.items, self.metrics, self.lower_is_better)
        metrics = [texts.only(metric) for metric in scored]
        metrics = [metric for metric in metrics if metric.of_texts is not None or metric.of_systems is not None]
        if len(metrics) > MOST_METRICS:
            note = TOO_MANY.format(n=len(metrics), most=MOST_METRICS)
            yield make.row(OVER_TEXTS[0], note=note, by_system=True)
            return
        yield from _over_texts(make, texts, metrics)
        yield from _over_systems(make, texts, metrics)


@dataclass(frozen=True, slots=True)
class Judged:
    """The texts that were judged: `judged` has shape (n_items, n_systems); `clusters` are documents shown whole."""

    systems: tuple[str, ...]
    items: NDArray[np.int64]
    judged: Mask
    clusters: NDArray[np.int64] | None

    @classmethod
    def of(cls, sample: Sample) -> Judged:
        """Return the texts of all answers of a sample, including the second texts of pairs."""
        table = sample.table
        # Answers of every kind count, also those that are no numbers.
        parts: list[Table] = [replace(table, value=np.ones(len(table)))]
        if (table.part_b >= 0).any():
            parts.append(replace(parts[0], part=table.part_b))
        by_document = sample.question.by_document
        outputs = [Outputs.of(replace(sample, table=part), by_document=by_document) for part in parts]
        systems = tuple(dict.fromkeys(name for part_outputs in outputs for name in part_outputs.systems))
        items = np.unique(np.concatenate([part_outputs.item for part_outputs in outputs])).astype(np.int64)
        judged = np.zeros((len(items), len(systems)), dtype=bool)
        for part_outputs in outputs:
            place = np.array([systems.index(name) for name in part_outputs.systems] or [0])
            judged[np.searchsorted(items, part_outputs.item), place[part_outputs.system]] = True
        return cls(systems, items, judged, outputs[0].clusters_of(items))

    def only(self, metric: OfMetric) -> OfMetric:
        """Return a metric without the scores of texts that nobody judged."""
        return (
            metric
            if metric.of_texts is None
            else replace(metric, of_texts=np.where(self.judged, metric.of_texts, np.nan))
        )

    @property
    def unit(self) -> str:
        """Return the name of the resampled units."""
        return "items" if self.clusters is None else "documents"


def _over_texts(make: Rows, texts: Judged, metrics: list[OfMetric]) -> Iterator[Row]:
    scored = [(metric, metric.of_texts.ravel()) for metric in metrics if metric.of_texts is not None]
    pairs = list(combinations(scored, 2))
    item = np.repeat(np.arange(len(texts.items)) if texts.clusters is None else texts.clusters, len(texts.systems))
    tau_interval = len(pairs) * int(texts.judged.sum()) ** 2 <= MOST_TAU_PAIRS
    for (a, scores_a), (b, scores_b) in pairs:
        drawn = bootstrap(make.sample, "metric pairs over texts", texts.unit)
        correlations = pair_over_texts(scores_a, scores_b, item, tau_interval=tau_interval, **drawn.options)
        for name, estimate in zip(
            OVER_TEXTS, (correlations.pearson, correlations.spearman, correlations.kendall), strict=True
        ):
            settings = {**_signs(a, b), "n_ratings": "texts", **drawn.settings}
            yield make.row(name, estimate, metric=a.name, metric_b=b.name, by_system=True, settings=settings)


def _over_systems(make: Rows, texts: Judged, metrics: list[OfMetric]) -> Iterator[Row]:
    pairs: list[tuple[OfMetric, OfMetric, ScoreCorrelations]] = []
    scored = [(metric, metric.scores) for metric in metrics if metric.scores is not None]
    for (a, scores_a), (b, scores_b) in combinations(scored, 2):
        drawn = bootstrap(make.sample, "metric pairs over systems", texts.unit)
        pairs.append((a, b, pair_over_systems(scores_a, scores_b, clusters=texts.clusters, **drawn.options)))
    shared_settings = bootstrap(make.sample, "metric pairs over systems", texts.unit).settings
    correction = make.sample.common.correction
    for name, coefficient in zip(OVER_SYSTEMS, COEFFICIENTS, strict=True):
        estimates = [getattr(correlations, coefficient) for _a, _b, correlations in pairs]
        adjusted = adjust([estimate.p for estimate in estimates], correction)
        family = {"correction": correction, "family": f"{len(pairs)} pairs of metrics"}
        for (a, b, _correlations), estimate, p in zip(pairs, estimates, adjusted, strict=True):
            settings = {
                **_signs(a, b),
                "n_ratings": "systems",
                "test": _test(coefficient, estimate.df),
                **shared_settings,
                **family,
            }
            yield make.row(
                name, estimate, metric=a.name, metric_b=b.name, by_system=True, p_adjusted=p, settings=settings
            )


def _test(coefficient: str, df: float | None) -> str:
    if coefficient == "kendall":
        return "Kendall's tau"
    return "all orders" if df is None else "t distribution"


def _signs(a: OfMetric, b: OfMetric) -> dict[str, Any]:
    return {"sign": "turned" if a.turned else "as it is", "sign_b": "turned" if b.turned else "as it is"}
