"""Metrics against each other: correlations of the scores of every two metrics, over texts and over systems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from numpy.typing import NDArray

from analytics_app.analyses.base import Rows, Sample, Words
from analytics_app.analyses.metrics.directed import DirectedAnalysis
from analytics_app.analyses.metrics.scores import OfMetric, metrics_of
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.bootstrap import bootstrap
from analytics_app.analyses.shared.outputs import Outputs
from analytics_app.charts import words
from analytics_app.charts.drawing import Sketch, chart
from analytics_app.charts.heat import triangle_chart
from analytics_app.charts.picking import INTERVAL, Material, falling, value_of
from analytics_app.ratings import Extra, Mask, Table
from analytics_app.ratings.extras.scores import Scores
from analytics_app.results import Row
from analytics_app.show import cells
from analytics_app.show.formats import digits, interval, p_adjusted
from analytics_app.show.shown import Shown, StoredRows, general_table, lines_of, named, own, table_of, tables_of
from analytics_app.show.table import Table as ShownTable
from analytics_app.stats.comparison.corrections import adjust
from analytics_app.stats.metrics.metric_pairs import pair_over_systems, pair_over_texts
from analytics_app.stats.metrics.system_scores import ScoreCorrelations
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
class MetricPairs(DirectedAnalysis):
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

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield the rows of every two metrics."""
        texts = Judged.of(sample)
        if len(sample.extras[Scores].metrics) < 2 or not len(texts.items):
            return
        make = Rows(self.name, sample)
        scored = metrics_of(sample, texts.systems, texts.items, self.metrics, self.directed)
        metrics = [texts.without_unjudged(metric) for metric in scored]
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

    def without_unjudged(self, metric: OfMetric) -> OfMetric:
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
    return {**a.signs(), **b.signs("_b")}


# Tables of metrics against each other.

MOST_PAIRS = 200
BY = ("metric", "metric_b")


@tables_of("metric_pairs")
def metric_pairs_tables(rows: StoredRows, limit: float) -> Iterator[ShownTable]:
    """Yield a table of pairs of metrics over texts, and one over systems."""
    whole = rows.whole
    yield from _level(whole, OVER_TEXTS, gettext("Metrics against each other over texts"), gettext("Texts"), limit)
    yield from _level(
        whole, OVER_SYSTEMS, gettext("Metrics against each other over systems"), gettext("Systems"), limit
    )
    yield from general_table(rows.parts, limit, caption=gettext("Metrics against each other on parts of the texts"))


def _level(
    rows: StoredRows, statistics: Sequence[str], caption: str, counted: str, limit: float
) -> Iterator[ShownTable]:
    columns = [
        named(gettext("Metric"), lambda row: row.metric),
        named(gettext("Other metric"), lambda row: row.metric_b),
    ]
    pearson, spearman, kendall = statistics
    columns += [
        Shown(gettext("Pearson's r"), pearson, digits(2)),
        Shown(gettext("Interval"), pearson, interval(2)),
        Shown(gettext("Adjusted p"), pearson, p_adjusted(limit)),
        Shown(gettext("Spearman's rho"), spearman, digits(2)),
        Shown(gettext("Interval"), spearman, interval(2)),
        Shown(gettext("Kendall's tau-b"), kendall, digits(2)),
    ]
    columns.append(own(counted, lambda row: cells.whole(row.n_ratings if row else None)))
    lines = lines_of(rows.of(*statistics), *BY)
    more = gettext("Further pairs in the file of results: %(n)s.")
    yield from table_of(rows, caption, columns, lines, by=BY, most=MOST_PAIRS, more=more, used_only=True)


# The chart of metrics against each other: a cell for each pair, darker for correlations further from zero.

# The most metrics of a readable chart.
MOST = 12


@chart(order=84)
def metric_pairs_chart(material: Material) -> Iterator[Sketch]:
    """Draw the correlations of metrics over texts, and over systems."""
    for level, unit in (("texts", "text"), ("systems", "system")):
        rows = [row for row in material.of(f"metric_pair_pearson_{level}") if row.metric_b]
        metrics = list(dict.fromkeys(str(name) for row in rows for name in (row.metric, row.metric_b)))
        if len(metrics) < 3:
            continue
        shown_metrics = metrics[:MOST]
        shown = [row for row in rows if row.metric in shown_metrics and row.metric_b in shown_metrics]
        only = f", {len(shown_metrics)} of {len(metrics)} metrics" if len(shown_metrics) < len(metrics) else ""
        n = max((row.n_ratings or 0 for row in rows), default=0)
        by_pair = {frozenset((str(row.metric), str(row.metric_b))): row for row in shown}
        yield Sketch(
            kind=f"metric-pairs-{level}",
            title=_title(rows, level),
            subtitle=(
                f"Pearson's correlation of every two metrics over {level}{only}; darker cells are further from 0; "
                f"{material.basis(rows)}. {n:,} {unit}{'' if n == 1 else 's'}."
            ),
            by_system=True,
            chart=triangle_chart(by_pair, shown_metrics),
            columns=(("name", "Metric"), ("column", "Other metric"), ("value", "Pearson's r"), *INTERVAL),
            further=True,
        )


def _title(rows: Sequence[Row], level: str) -> str:
    """Return a title with the two metrics that agree most, if the interval of their correlation is above all others."""
    most, *others = sorted(rows, key=falling)
    low = most.low
    if low is None or low <= 0 or any(row.high is None or row.high >= low for row in others):
        return f"How far metrics agree with each other over {level}"
    pair = f"{words.short(most.metric)} and {words.short(most.metric_b)}"
    return f"{pair} agree most with each other over {level} (r = {words.bare(value_of(most))})"
