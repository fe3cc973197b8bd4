"""Metrics against each other: how the scores of every two metrics correlate, over texts and over systems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
from django.utils.translation import gettext_lazy as _
from numpy.typing import NDArray

from analytics_app.analyses.base import Analysis, Filters, Rows, Sample, Words
from analytics_app.analyses.metrics.scores import OfMetric, metrics_of
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.bootstrap import bootstrap
from analytics_app.analyses.shared.outputs import Outputs
from analytics_app.ratings import Extra, Mask, Table
from analytics_app.ratings.extras.scores import Scores
from analytics_app.results import Row
from analytics_app.stats.comparison.corrections import adjust
from analytics_app.stats.metrics.metric_pairs import pair_over_systems, pair_over_texts
from analytics_app.stats.metrics.system_scores import ScoreCorrelations
from tasks_app.studyfile.fields import ListField
from tasks_app.task_types.base import Scale

# Beyond so many metrics none are correlated: name those that are wanted.
MOST_METRICS = 30
# Tau has an interval up to so many pairs of texts, over all pairs of metrics, which takes about half a minute.
MOST_TAU_PAIRS = 1_000_000_000

COEFFICIENTS = ("pearson", "spearman", "kendall")
OVER_TEXTS = tuple(f"metric_pair_{name}_texts" for name in COEFFICIENTS)
OVER_SYSTEMS = tuple(f"metric_pair_{name}_systems" for name in COEFFICIENTS)
TOO_MANY = "{n} metrics are too many to correlate each with each other: name up to {most} under “metrics”."


class MetricPairSettings(Filters):
    """Which metrics, and which way is better."""

    metrics = ListField(label=_("Metrics"), help_text=_("Names of the metrics to analyse. Empty: all."))
    lower_is_better = ListField(
        label=_("Metrics for which lower is better"),
        help_text=_("Such as TER or perplexity. Their sign is turned, so that above zero means agreement."),
    )


@register
class MetricPairs(Analysis):
    """How far metrics agree with each other on the texts that raters judged in a task.

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

    Settings = MetricPairSettings

    def compute(self, sample: Sample, settings: Mapping[str, Any]) -> Iterator[Row]:
        """Yield the rows of every two metrics."""
        texts = Judged.of(sample)
        if len(sample.extras[Scores].metrics) < 2 or not len(texts.items):
            return
        make = Rows(self.name, sample)
        metrics = [texts.only(one) for one in metrics_of(sample, texts.systems, texts.items, settings)]
        metrics = [one for one in metrics if one.of_texts is not None or one.of_systems is not None]
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
        """Return the texts that any answer of a sample is about, the second ones of pairs too."""
        table = sample.table
        # Answers of every kind count, also those that are no numbers.
        parts: list[Table] = [replace(table, value=np.ones(len(table)))]
        if (table.part_b >= 0).any():
            parts.append(replace(parts[0], part=table.part_b))
        by_document = sample.question.by_document
        outputs = [Outputs.of(replace(sample, table=part), by_document=by_document) for part in parts]
        systems = tuple(dict.fromkeys(name for one in outputs for name in one.systems))
        items = np.unique(np.concatenate([one.item for one in outputs])).astype(np.int64)
        judged = np.zeros((len(items), len(systems)), dtype=bool)
        for one in outputs:
            place = np.array([systems.index(name) for name in one.systems] or [0])
            judged[np.searchsorted(items, one.item), place[one.system]] = True
        return cls(systems, items, judged, outputs[0].clusters_of(items))

    def only(self, one: OfMetric) -> OfMetric:
        """Return a metric without the scores of texts that nobody judged."""
        return one if one.of_texts is None else replace(one, of_texts=np.where(self.judged, one.of_texts, np.nan))

    @property
    def unit(self) -> str:
        """What is resampled."""
        return "items" if self.clusters is None else "documents"


def _over_texts(make: Rows, texts: Judged, metrics: list[OfMetric]) -> Iterator[Row]:
    scored = [(one, one.of_texts.ravel()) for one in metrics if one.of_texts is not None]
    pairs = list(combinations(scored, 2))
    item = np.repeat(np.arange(len(texts.items)) if texts.clusters is None else texts.clusters, len(texts.systems))
    tau_interval = len(pairs) * int(texts.judged.sum()) ** 2 <= MOST_TAU_PAIRS
    for (a, scores_a), (b, scores_b) in pairs:
        drawn = bootstrap(make.sample, "metric pairs over texts", texts.unit)
        found = pair_over_texts(scores_a, scores_b, item, tau_interval=tau_interval, **drawn.options)
        for name, estimate in zip(OVER_TEXTS, (found.pearson, found.spearman, found.kendall), strict=True):
            said = {**_signs(a, b), "n_ratings": "texts", **drawn.settings}
            yield make.row(name, estimate, metric=a.name, metric_b=b.name, by_system=True, settings=said)


def _over_systems(make: Rows, texts: Judged, metrics: list[OfMetric]) -> Iterator[Row]:
    found: list[tuple[OfMetric, OfMetric, ScoreCorrelations]] = []
    scored = [(one, one.scores) for one in metrics if one.scores is not None]
    for (a, scores_a), (b, scores_b) in combinations(scored, 2):
        drawn = bootstrap(make.sample, "metric pairs over systems", texts.unit)
        found.append((a, b, pair_over_systems(scores_a, scores_b, clusters=texts.clusters, **drawn.options)))
    said_of_all = bootstrap(make.sample, "metric pairs over systems", texts.unit).settings
    correction = make.sample.common.correction
    for name, coefficient in zip(OVER_SYSTEMS, COEFFICIENTS, strict=True):
        estimates = [getattr(correlations, coefficient) for _a, _b, correlations in found]
        adjusted = adjust([one.p for one in estimates], correction)
        family = {"correction": correction, "family": f"{len(found)} pairs of metrics"}
        for (a, b, _correlations), one, p in zip(found, estimates, adjusted, strict=True):
            said = {**_signs(a, b), "n_ratings": "systems", "test": _test(coefficient, one.df), **said_of_all, **family}
            yield make.row(name, one, metric=a.name, metric_b=b.name, by_system=True, p_adjusted=p, settings=said)


def _test(coefficient: str, df: float | None) -> str:
    if coefficient == "kendall":
        return "Kendall's tau"
    return "all orders" if df is None else "t distribution"


def _signs(a: OfMetric, b: OfMetric) -> dict[str, Any]:
    return {"sign": "turned" if a.turned else "as it is", "sign_b": "turned" if b.turned else "as it is"}
