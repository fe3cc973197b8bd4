"""Tables of automatic metrics: agreement of each with people, and comparisons of metrics."""

from collections.abc import Callable, Iterator, Sequence

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.show import cells, labels
from analytics_app.show.cells import Cell
from analytics_app.show.formats import digits, interval, items, p, p_adjusted, pair
from analytics_app.show.notes import notes_of
from analytics_app.show.shown import Shown, StoredRows, general_table, lines_of, named, own, table_of, tables_of
from analytics_app.show.table import Table

OVER_TEXTS = ("metric_pearson_texts", "metric_spearman_texts", "metric_kendall_texts")
WITHIN = ("metric_tau_like_by_item", "metric_tau_like_pooled", "metric_tau_b_by_item")
OVER_SYSTEMS = ("metric_pearson_systems", "metric_spearman_systems", "metric_pairwise_accuracy")
MOST_PAIRS = 200


@tables_of("metrics", "metrics_of_errors")
def metrics(rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield a table for each level, with one row for each metric, the best first; then pairs of metrics."""
    whole = rows.whole
    yield from _level(whole, OVER_TEXTS, _("Metrics over texts"), _("Texts"))
    yield from _level(whole, WITHIN, _("Metrics within items"), _("Pairs"))
    yield from _level(whole, OVER_SYSTEMS, _("Metrics over systems"), _("Systems"))
    for statistic in ("metric_williams_texts", "metric_williams_systems"):
        yield from _pairs(whole, statistic, limit)
    yield from _means(whole)
    yield from _differences(whole, limit)
    yield from general_table(rows.parts, limit, caption=_("Metrics on parts of the texts"))


def _level(rows: StoredRows, statistics: Sequence[str], caption: str, counted: str) -> Iterator[Table]:
    def place(row: ResultRow) -> float:
        first = rows.one(statistics[0], metric=row.metric)
        return -first.value if first is not None and first.value is not None else float("inf")

    def most(n: Callable[[ResultRow], int | None]) -> Callable[[ResultRow | None], Cell]:
        def show(row: ResultRow | None) -> Cell:
            of_metric = [rows.one(statistic, metric=row.metric if row else None) for statistic in statistics]
            return cells.whole(max((n(metric_row) or 0 for metric_row in of_metric if metric_row), default=0) or None)

        return show

    columns = [named(_("Metric"), lambda row: row.metric)]
    for statistic in statistics:
        columns += [
            Shown(labels.statistic(statistic), statistic, digits(3)),
            Shown(_("Interval"), statistic, interval(3)),
        ]
    columns += [own(counted, most(lambda row: row.n_ratings)), own(_("Items"), most(lambda row: row.n_items))]
    lines = sorted(lines_of(rows.of(*statistics), "metric"), key=place)
    yield from table_of(rows, caption, columns, lines, by=("metric",))


def _pairs(rows: StoredRows, statistic: str, limit: float) -> Iterator[Table]:
    columns = [
        named(_("Metric"), lambda row: row.metric),
        named(_("Other metric"), lambda row: row.metric_b),
        own("t", digits(2)),
        own("df", lambda row: cells.number(row.df if row else None, 0)),
        own(_("p"), p),
        own(_("Adjusted p"), p_adjusted(limit)),
    ]
    caption, more = labels.statistic(statistic), _("Further pairs in the file of results: %(n)s.")
    yield from table_of(rows, caption, columns, rows.of(statistic), most=MOST_PAIRS, more=more)


def _means(rows: StoredRows) -> Iterator[Table]:
    lines = rows.of("metric_mean")
    columns = [
        named(_("Metric"), lambda row: row.metric),
        named(_("System"), lambda row: row.system),
        own(_("Mean"), digits(3)),
        own(_("Interval"), interval(3)),
        own(_("Items"), items),
    ]
    definitions = {row.metric: (row.settings or {}).get("composite") for row in lines}
    notes = [
        _("%(name)s: %(definition)s.") % {"name": name, "definition": definition}
        for name, definition in definitions.items()
        if definition
    ]
    caption = _("Means of metrics by system")
    yield from table_of(rows, caption, columns, lines, notes=[*notes, *notes_of(lines)], used_only=True)


def _differences(rows: StoredRows, limit: float) -> Iterator[Table]:
    columns = [
        named(_("Metric"), lambda row: row.metric),
        named(_("Pair"), pair("−")),
        own(_("Difference"), digits(3)),
        own(_("Interval"), interval(3)),
        own(_("p"), p),
        own(_("Adjusted p"), p_adjusted(limit)),
        own(_("Items"), items),
    ]
    caption, more = _("Systems compared by metrics"), _("Further pairs in the file of results: %(n)s.")
    yield from table_of(rows, caption, columns, rows.of("metric_difference"), most=MOST_PAIRS, more=more)
