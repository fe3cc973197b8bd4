"""Tables of automatic metrics: how far each agrees with people, and which agrees better."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.views import tables, words
from analytics_app.views.picking import notes_of
from analytics_app.views.result_tables.registry import general_table, tables_of
from analytics_app.views.tables import Cell, Column, Table

OVER_TEXTS = ("metric_pearson_texts", "metric_spearman_texts", "metric_kendall_texts")
WITHIN = ("metric_tau_like_by_item", "metric_tau_like_pooled", "metric_tau_b_by_item")
OVER_SYSTEMS = ("metric_pearson_systems", "metric_spearman_systems", "metric_pairwise_accuracy")
MOST_PAIRS = 200


@tables_of("metrics")
@tables_of("metrics_of_errors")
def metrics(rows: Sequence[ResultRow], limit: float) -> Iterator[Table]:
    """Yield a table a level, each with a row a metric, the best one first; then pairs of metrics."""
    whole = [row for row in rows if not (row.slice or row.group or row.wave)]
    kept = [row for row in whole if row.basis == "kept"] or whole
    yield from _level(kept, OVER_TEXTS, _("Metrics over texts"), _("Texts"))
    yield from _level(kept, WITHIN, _("Metrics within items"), _("Pairs"))
    yield from _level(kept, OVER_SYSTEMS, _("Metrics over systems"), _("Systems"))
    for statistic in ("metric_williams_texts", "metric_williams_systems"):
        yield from _pairs([row for row in kept if row.statistic == statistic], limit)
    parts = [row for row in rows if row not in whole]
    means = [row for row in kept if row.statistic == "metric_mean"]
    if parts or means:
        yield general_table([*means, *parts], limit, caption=_("Means of metrics, and parts of the texts"))


def _level(kept: Sequence[ResultRow], statistics: Sequence[str], caption: str, counted: str) -> Iterator[Table]:
    of = {(row.statistic, row.metric): row for row in kept if row.statistic in statistics}
    names = list(dict.fromkeys(metric for _statistic, metric in of))
    if not names:
        return

    def place(metric: str | None) -> float:
        row = of.get((statistics[0], metric))
        return -row.value if row is not None and row.value is not None else float("inf")

    columns = [Column(_("Metric"), number=False)]
    for statistic in statistics:
        columns += [Column(words.statistic(statistic)), Column(_("Interval"))]
    columns += [Column(counted), Column(_("Items"))]
    cells = []
    for metric in sorted(names, key=place):
        found = [of.get((statistic, metric)) for statistic in statistics]
        cell = [tables.name(metric)]
        for row in found:
            cell += [tables.number(row.value if row else None, 3), _ends(row)]
        n = max((row.n_ratings or 0 for row in found if row), default=0)
        items = max((row.n_items or 0 for row in found if row), default=0)
        cells.append([*cell, tables.whole(n or None), tables.whole(items or None)])
    yield Table(caption, columns, cells, notes_of(of.values()))


def _pairs(found: Sequence[ResultRow], limit: float) -> Iterator[Table]:
    if not found:
        return
    columns = [
        Column(_("Metric"), number=False), Column(_("Other metric"), number=False), Column("t"), Column("df"),
        Column(_("p")), Column(_("Adjusted p")),
    ]  # fmt: skip
    cells = [
        [
            tables.name(row.metric), tables.name(row.metric_b), tables.number(row.value),
            tables.number(row.df, 0), tables.p_value(row.p), tables.p_value(row.p_adjusted, limit),
        ]
        for row in found[:MOST_PAIRS]
    ]  # fmt: skip
    left = len(found) - MOST_PAIRS
    notes = [_("%(n)s more pairs are in the file of results.") % {"n": left}] if left > 0 else []
    yield Table(words.statistic(found[0].statistic), columns, cells, [*notes_of(found[:MOST_PAIRS]), *notes])


def _ends(row: ResultRow | None) -> Cell:
    return tables.interval(row.low, row.high, 3) if row is not None else Cell(tables.DASH)
