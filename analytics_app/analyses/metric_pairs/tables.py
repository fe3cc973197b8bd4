"""Tables of metrics against each other."""

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _

from analytics_app.analyses.metric_pairs import OVER_SYSTEMS, OVER_TEXTS
from analytics_app.show import cells
from analytics_app.show.formats import digits, interval, p_adjusted
from analytics_app.show.shown import Rows, Shown, general_table, lines_of, named, own, table_of, tables_of
from analytics_app.show.table import Table

MOST_PAIRS = 200
BY = ("metric", "metric_b")


@tables_of("metric_pairs")
def metric_pairs(rows: Rows, limit: float) -> Iterator[Table]:
    """Yield a table of pairs of metrics over texts, and one over systems."""
    whole = rows.whole
    yield from _level(whole, OVER_TEXTS, _("Metrics against each other over texts"), _("Texts"), limit)
    yield from _level(whole, OVER_SYSTEMS, _("Metrics against each other over systems"), _("Systems"), limit)
    yield from general_table(rows.parts, limit, caption=_("Metrics against each other on parts of the texts"))


def _level(rows: Rows, statistics: Sequence[str], caption: str, counted: str, limit: float) -> Iterator[Table]:
    columns = [named(_("Metric"), lambda row: row.metric), named(_("Other metric"), lambda row: row.metric_b)]
    pearson, spearman, kendall = statistics
    columns += [
        Shown(_("Pearson's r"), pearson, digits(2)),
        Shown(_("Interval"), pearson, interval(2)),
        Shown(_("Adjusted p"), pearson, p_adjusted(limit)),
        Shown(_("Spearman's rho"), spearman, digits(2)),
        Shown(_("Interval"), spearman, interval(2)),
        Shown(_("Kendall's tau-b"), kendall, digits(2)),
    ]
    columns.append(own(counted, lambda row: cells.whole(row.n_ratings if row else None)))
    lines = lines_of(rows.of(*statistics), *BY)
    more = _("Further pairs in the file of results: %(n)s.")
    yield from table_of(rows, caption, columns, lines, by=BY, most=MOST_PAIRS, more=more, used_only=True)
